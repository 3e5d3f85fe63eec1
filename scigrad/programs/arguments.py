"""Arguments of a recorded function: the leaves that vary, and the signature of all."""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules.backends import is_array_type
from scigrad.autodiff_rules.containers import flatten
from scigrad.autodiff_rules.trace import ZERO, Traced, check_type

from .reduction import key_of_constant

LEAVES = (np.ndarray, float, complex, int, np.generic, Traced, str, type(None))


class Rebuild:
    """Way back from leaves to arguments; `key` is equal for calls of the same structure."""

    def __init__(self, tree: Any, fixed: dict[int, Any], named: dict[str, Any]) -> None:
        self.tree, self.fixed, self.named = tree, fixed, named
        spec = None if isinstance(tree, int) else tree.spec
        self.key = tree if spec is None else spec, _static_key(fixed), _static_key(named)

    def __call__(self, leaves: Sequence[Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        if isinstance(self.tree, int):
            return leaves, {}
        args, kwargs = self.tree.unflatten(leaves)
        return [self.fixed.get(i, x) for i, x in enumerate(args)], {**kwargs, **self.named}


@functools.lru_cache(256)
def _positional(count: int) -> Rebuild:
    return Rebuild(count, {}, {})


class Call:
    """Arguments of one call: their leaves, those that vary, and the signature of all."""

    def __init__(
        self, args: Any, kwargs: dict[str, Any], static: frozenset[int], names: frozenset[str]
    ) -> None:
        self.args, self.kwargs = args, kwargs
        if not kwargs and not static and all(isinstance(x, LEAVES) for x in args):
            self.leaves, self.rebuild = list(args), _positional(len(args))
        else:
            fixed = {i: args[i] for i in static if i < len(args)}
            named = {name: kwargs[name] for name in names if name in kwargs}
            varied = tuple([None if i in fixed else x for i, x in enumerate(args)])
            rest = {name: x for name, x in kwargs.items() if name not in named}
            self.leaves, tree = flatten((varied, rest))
            self.rebuild = Rebuild(tree, fixed, named)
        self.varying, key, self.is_traced = _key_of_leaves(self.leaves)
        self.key = self.rebuild.key, key

    @property
    def given(self) -> list[Any]:
        """Return the leaves that vary."""
        return [self.leaves[i] for i in self.varying]

    @property
    def is_sealed(self) -> bool:
        """Return whether the call is made by a function whose program is recorded."""
        return self.is_traced and any(getattr(x, "_is_sealed", False) for x in self.leaves)

    @property
    def constants(self) -> list[Any]:
        """Return the other leaves, and the static arguments."""
        varying = set(self.varying)
        others = [x for i, x in enumerate(self.leaves) if i not in varying]
        return [*others, *self.rebuild.fixed.values(), *self.rebuild.named.values()]

    def with_values(self, values: Sequence[Any]) -> tuple[Sequence[Any], dict[str, Any]]:
        """Return the arguments with others in place of the leaves that vary."""
        leaves = list(self.leaves)
        for i, x in zip(self.varying, values, strict=True):
            leaves[i] = x
        return self.rebuild(leaves)


_NUMBERS = frozenset((float, complex, np.float64, np.complex128))


def quick_key(args: tuple[Any, ...]) -> Any:
    """Return the signature of arrays and numbers, None for other arguments."""
    key: list[Any] = []
    for x in args:
        kind = type(x)
        if kind is np.ndarray:
            key.append(x.shape)
            key.append(x.dtype)
        elif kind in _NUMBERS:
            key.append(kind)
        elif _is_array_of_device(kind):
            key += kind, x.shape, x.dtype
        else:
            return None
    return tuple(key)


@functools.cache
def _is_array_of_device(kind: type) -> bool:
    return kind.__name__ == "ndarray" and kind is not np.ndarray and is_array_type(kind)


def _static_key(found: dict[Any, Any]) -> Any:
    return tuple([(name, key_of_object(x)) for name, x in found.items()])


def _key_of_leaves(leaves: Sequence[Any]) -> tuple[list[int], Any, bool]:
    """Return which leaves vary, the signature of all, and whether one is traced."""
    varying, key, is_traced = [], [], False
    for i, x in enumerate(leaves):
        kind = type(x)
        if kind is np.ndarray:
            if x.dtype.hasobject:
                raise TypeError("jit: an array of objects cannot be an argument")
            varying.append(i)
            key.append((x.shape, x.dtype.char))
        elif kind is float or kind is complex:
            varying.append(i)
            key.append(kind)
        elif isinstance(x, np.generic) or hasattr(kind, "__array_ufunc__"):
            if isinstance(x, Traced):
                is_traced = is_traced or x is not ZERO
                key.append(kind if x is ZERO else Traced)
                continue
            if isinstance(x, np.ndarray):
                check_type(kind)
            varying.append(i)
            key.append((kind, x.shape, x.dtype.char))
        else:
            key.append(key_of_object(x))
    return varying, tuple(key), is_traced


def key_of_object(x: Any) -> Any:
    try:
        hash(x)
    except TypeError:
        return _Same(x)
    return key_of_constant(x)  # 1, 1.0 and True are equal, and so are 0.0 and -0.0


class _Same:
    """Key of an object that is compared by identity, which the key keeps alive."""

    def __init__(self, x: Any) -> None:
        self.x = x

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.x is self.x

    def __hash__(self) -> int:
        return id(self.x)
