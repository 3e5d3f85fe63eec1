"""Inputs and outputs of a transformed function: its varied arguments, its outputs, its auxiliary data.

Arrays that are returned to the user are writable, and writes into them do not reach a graph that is kept.
"""

import functools
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from . import backends, errors, graph
from .absent import ZERO
from .boxes import Batched, Dual, Recorded
from .spaces import Tree, check_arithmetic, embed, flatten, is_inexact, is_number, map_leaves, shape_of, space, zeros
from .trace import Traced, apart, array_functions, check_type, own, scalar

_NUMBERS = (int, float, complex, np.generic, str, bytes)
_BOXES = frozenset((Recorded, Dual, Batched))
_CODE = (types.ModuleType, types.FunctionType, type)  # what it refers to is not what a function returns
_OBJECT = np.dtype(object)
_SEARCHED = 1000  # objects inside of one


class Transformed:
    """Result of a transform of a function f: calls are apply(f, *settings, args, kwargs). It can be pickled where f can."""

    def __init__(self, apply: Callable[..., Any], f: Callable[..., Any], *settings: Any) -> None:
        self.apply, self.settings = apply, (f, *settings)
        functools.update_wrapper(self, f, updated=())

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self.apply(*self.settings, args, kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<{self.apply.__name__.strip('_')} of {self.settings[0]!r}>"


class Arguments:
    """Arguments of one call that a transform varies, as leaves of one container, and the way back to the full call.

    The container is the argument itself if argnums is one number, otherwise a tuple of arguments: of all positional ones if
    argnums is None. The leaves are copies if `frozen`, for a graph that outlives the call. Otherwise small ones are, and `look`
    refuses a function that has written to a large one.
    """

    def __init__(self, transform: str, args: Any, argnums: int | Sequence[int] | None, frozen: bool = False) -> None:
        if not isinstance(args, (tuple, list)):
            raise errors.not_one_each(transform, None, args)
        self.transform, self.args = transform, args
        self.single = hasattr(argnums, "__index__")
        try:
            given: Any = range(len(args)) if argnums is None else (argnums,) if self.single else argnums
            self.numbers = [range(len(args))[n] for n in given]
        except (TypeError, IndexError):
            raise errors.bad_argnums(transform, argnums, len(args)) from None
        if len(set(self.numbers)) < len(self.numbers):
            raise errors.bad_argnums(transform, argnums, len(args))
        varied = tuple([args[n] for n in self.numbers])
        leaves, self.tree = flatten(varied[0] if self.single else varied)
        for i, leaf in enumerate(leaves):
            if type(leaf) is np.ndarray and leaf.dtype.kind in "fc":
                continue
            check_arithmetic(leaf)
            if not is_inexact(leaf):
                raise errors.not_differentiable(transform, self._place(i), leaf)
        pairs = [(copied(x), False) if frozen or not backends.is_array(x) else graph.settled(x, 0) for x in leaves]
        self.leaves, large = [x for x, _ in pairs], [x for x, is_large in pairs if is_large]
        self.look = graph.Watched(types.SimpleNamespace(__name__=transform), large).look if large else _nothing

    def _place(self, i: int) -> str:
        """Return the number of the argument that leaf i belongs to, with the path inside of it: "0['a']"."""
        path = [] if self.tree.spec is None else list(self.tree.spec.accessors()[i])
        number = 0 if self.single else path.pop(0).entry
        return f"{self.numbers[number]}{''.join(entry.codify('') for entry in path)}"

    def call_with(self, leaves: Sequence[Any]) -> list[Any]:
        """Return all positional arguments with other leaves in the varied ones."""
        args, varied = list(self.args), self.tree.unflatten(leaves)
        for number, value in zip(self.numbers, (varied,) if self.single else varied, strict=True):
            args[number] = value
        return args

    def rebuild(self, cotangents: Sequence[Any], *others: Any) -> Any:
        """Return cotangents of the leaves in the structure of the varied arguments, in memory of their own and not of others."""
        arrays = [zeros(x) if c is ZERO else c for c, x in zip(cotangents, self.leaves, strict=True)]
        return self.tree.unflatten(unshared(arrays, *others))

    def matching(self, what: str, given: Any) -> list[Any]:
        """Return the leaves of tangents given in the structure of several arguments."""
        if not isinstance(given, (tuple, list)) or len(given) != len(self.numbers):
            raise errors.not_one_each(self.transform, len(self.numbers), given)
        return [in_space(what, t, x) for t, x in zip(self.tree.leaves(what, tuple(given)), self.leaves, strict=True)]


def _nothing() -> None:
    """Look at no array."""


def in_space(what: str, t: Any, x: Any) -> Any:
    """Return a given tangent or cotangent in the dtype of x; its shape has to be right already."""
    if t is ZERO:
        return t
    check_arithmetic(t)
    if shape_of(t) != shape_of(x):
        raise errors.wrong_shape(what, shape_of(x), shape_of(t))
    t = scalar(t) if hasattr(t, "dtype") else np.asarray(t)[()]
    if t.dtype.kind == "c" and space(x).dtype.kind != "c":
        raise TypeError(f"{what} of a real value must be real, not {t.dtype}")
    return embed(t, x)


def strip(level: int, container: Any) -> Any:
    """Return auxiliary output without the boxes of a level that has ended."""

    def stripped(x: Any) -> Any:
        x = bare(x, level)
        return copied(apart(x._value, level)) if isinstance(x, Traced) and own(type(x), level, x) else x

    return map_leaves(stripped, container)


def flat_output(out: Any) -> tuple[list[Any], Tree]:
    leaves, tree = flatten(out)
    for i, x in enumerate(leaves):
        if type(x) in _BOXES:
            _check_box(x)
            continue
        leaves[i] = x = bare(x)
        check_type(type(x))
        if not is_output(x):
            raise errors.not_an_output(x)
    return leaves, tree


def is_output(x: Any) -> bool:
    """Return whether x is an array of numbers or a number, and not of objects, which may vary."""
    dtype = getattr(x, "dtype", None)
    return is_number(x) and dtype != _OBJECT and not isinstance(dtype, type)  # a class: of the numbers of uncertainties


# -- traced values inside of objects that are no containers


def bare(x: Any, level: int = 0) -> Any:
    """Return a leaf of what a function returned, taken out of what another library has put around it.

    An array with labels counts as its data, an array of objects as the array of its elements. Other objects that hold a traced
    value, of this level or a later one, are refused: they would count as constants.
    """
    if isinstance(x, Traced):
        if type(x) in _BOXES:
            _check_box(x)
        return x
    if isinstance(x, _NUMBERS) or (isinstance(x, np.ndarray) and x.dtype != _OBJECT):
        return x
    if type(x) is np.ndarray and any(isinstance(item, Traced) for item in x.flat):
        return array_functions["assembled"](x.tolist())
    data = getattr(x, "data", None) if hasattr(x, "dtype") else None
    if isinstance(data, Traced) and data._level >= level and data.shape == x.shape:
        return data
    if (place := _place_of_traced(x, level)) is not None:
        raise errors.hidden_traced(type(x), place)
    return x


def _check_box(x: Any) -> None:
    """Refuse a box of objects, and one of an earlier transform with a later one inside: an array of objects brought that there,
    where its transform is blind.
    """
    inner = x._value
    while type(inner) in _BOXES and inner._level < x._level:
        x, inner = inner, inner._value
    if type(inner) in _BOXES or getattr(inner, "dtype", None) == _OBJECT:
        raise errors.of_objects("a function")


def _place_of_traced(root: Any, level: int) -> str | None:
    """Return where in an object a traced value of a level, or a later one, is kept: ".state[0]"."""
    waiting, seen = [("", root)], {id(root)}
    while waiting and len(seen) < _SEARCHED:
        place, x = waiting.pop()
        for name, item in _parts(x):
            if isinstance(item, Traced) and level <= item._level < sys.maxsize:
                return place + name
            if id(item) not in seen and not isinstance(item, (*_NUMBERS, *_CODE)):
                seen.add(id(item))
                waiting.append((place + name, item))
    return None


def _parts(x: Any) -> Iterator[tuple[str, Any]]:
    """Yield the items and attributes of an object, by name; elements only of arrays of objects, and of pandas' frames."""
    if isinstance(x, dict):
        yield from ((f"[{key!r}]", item) for key, item in x.items())
    elif isinstance(x, (list, tuple, set, frozenset)):
        yield from ((f"[{i}]", item) for i, item in enumerate(x))
    elif getattr(x, "dtype", None) == _OBJECT or hasattr(x, "iloc"):
        yield from ((f"[{i}]", item) for i, item in enumerate(np.asarray(x).flat))
    slots = (name for kind in type(x).__mro__ for name in getattr(kind, "__slots__", ()))
    for name in (*getattr(x, "__dict__", ()), *slots):
        yield f".{name}", getattr(x, name, None)


def split_aux(out: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return out, None
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError("has_aux=True: the function has to return a pair (output, auxiliary data)")
    return out


def copied(x: Any) -> Any:
    return x.copy() if backends.is_array(x) else apart(x)


def unshared(arrays: list[Any], *others: Any) -> list[Any]:
    """Return the arrays, with copies of those that are read-only, that have one place for several elements (which CuPy lets be
    written), or that share the memory of an earlier one (d(x + y) is g twice). One without axes becomes a number, as NumPy's are.
    """
    seen = {id(owner(x)) for x in others}
    for i, x in enumerate(arrays):
        arrays[i] = x = scalar(x)
        if type(x) is np.ndarray or backends.is_array(x):
            memory = id(owner(x))
            if memory in seen or 0 in x.strides or not getattr(x.flags, "writeable", True):
                arrays[i] = x.copy()
            seen.add(memory)
    return arrays


def owner(x: Any) -> Any:
    """Return what owns the memory of an array."""
    while (base := getattr(x, "base", None)) is not None:
        x = base
    return x
