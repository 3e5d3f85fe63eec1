"""A function with derivative rules: how it is called, bound, evaluated at any level, and
batched.
"""

import functools
import inspect
import re
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from scigrad.typing import Value

from . import backends, vectorize
from .boxes import STRONG
from .containers import flatten, holds_traced, is_container, plan_for
from .graph import ATOMS
from .messages import callers, errors, explanations
from .spaces import project
from .trace import (
    ZERO,
    Traced,
    array_functions,
    as_scalar,
    innermost,
    interception,
    is_labelled,
    take_off_labels,
)

Rule = Callable[..., Any]
CONTAINERS = frozenset((tuple, list, dict))
_make = tuple.__new__  # a named tuple's own constructor is several times slower
_VARIADIC_FLAG = 0x04
# BLAS may call a product of infinities and NaN invalid, depending on how it fills its blocks, that
# is on the processor: rules do not pass such warnings on. Their results are NaN there, which
# `debug_nans` finds.
silent: Any = np.errstate(invalid="ignore")


class _Required:
    """Marker of an argument without a default."""


@functools.cache
def _call_type(names: tuple[str, ...]) -> Any:
    try:
        return namedtuple("Call", (*names, "out", "saved"))  # pyright: ignore[reportUntypedNamedTuple]  (fields from a signature)
    except ValueError as error:
        raise errors.not_names_of_a_call(names) from error


class Primitive:
    """Function with derivative rules. Calling it on plain arrays calls its kernel."""

    names: tuple[str | Any, ...]
    arity: int
    Call: Any
    keyword: tuple[str, ...]
    variadic: bool
    positional: tuple[str, ...]

    is_constant = False
    decides = False  # whether programs ask it what to do, as a bisection asks for a sign
    is_elementwise = False
    sees_infinitesimals = False  # whether its rule asks them which of equal values is larger
    # partials that are plain numbers: then nothing of the inputs is kept
    fixed: tuple[Any, ...] | None = None
    core: Mapping[str, int] | None = None  # axes of each array argument behind those of the batch
    # names of arrays that broadcast, and of the axis along which the function works
    passes: tuple[str, ...] | None = None
    rows = False  # whether axis 0 of all outputs is a batch
    is_silent = False  # whether its rules pass no warnings on
    is_simple = False  # one floating-point output whatever the inputs: the graph need not look
    # the rule of the form: (kept, tangents) -> the tangent of the output, or the list of tangents
    push: Rule
    # the rule of the form: (kept, parents, g) -> cotangents of the inputs by name
    cotangents: Rule

    def __init__(self, kernel: Rule, saves: bool = False) -> None:
        self.kernel = kernel
        self.saves = saves
        self.batch_rule: Rule | None = None
        self.rules: dict[str, Rule] = {}
        if isinstance(kernel, np.ufunc):
            self.positional, self.keyword, self.variadic = ("x", "y", "z")[: kernel.nin], (), False
            self.defaults: tuple[Any, ...] = (_Required(),) * kernel.nin
            interception.setdefault(kernel, self)
        else:
            self._read_signature(kernel)
        self.__name__ = self.__qualname__ = kernel.__name__
        self.__doc__ = kernel.__doc__
        self.__module__ = getattr(kernel, "__module__", None) or "numpy"
        self.__wrapped__ = kernel
        self.names = (*self.positional, *self.keyword)
        self.arity = -1 if self.variadic or self.keyword else len(self.positional)
        self.Call = _call_type(self.names)

    def _read_signature(self, kernel: Any) -> None:
        code, count = kernel.__code__, kernel.__code__.co_argcount
        end = count + code.co_kwonlyargcount
        self.keyword = code.co_varnames[count:end]
        self.variadic = bool(code.co_flags & _VARIADIC_FLAG)
        self.positional = (code.co_varnames[end],) if self.variadic else code.co_varnames[:count]
        given = kernel.__defaults__ or ()
        kwonly = kernel.__kwdefaults__ or {}
        first = () if self.variadic else (*((_Required(),) * (count - len(given))), *given)
        self.defaults = (*first, *(kwonly.get(name, _Required()) for name in self.keyword))

    # -- calling

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        boxes, containers, writable = plan_for(tuple(map(type, args)))
        loose = kwargs and not ATOMS.issuperset(map(type, kwargs.values()))
        if (
            boxes
            or (containers and holds_traced([args[i] for i in containers]))
            or (loose and holds_traced(kwargs))
        ):
            if kwargs or len(args) != self.arity:
                if isinstance(self.kernel, np.ufunc):
                    # NumPy's protocol answers out=, where=, dtype= or refuses them
                    return self.kernel(*args, **kwargs)
                args = (*self.bind(args, kwargs),)
            if containers or loose:
                return self.evaluate(args)[0]
            return innermost(args, boxes)._interpret(self, args, boxes, writable)[0]
        out = self._run(args, kwargs)
        return out[0] if self.saves else out

    def _run(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        try:
            return self.kernel(*args, **kwargs)
        except (AttributeError, TypeError):
            # CuPy and NumPy refuse a mix with these; say which arguments met
            names = (
                [f"{self.positional[0]}[{i}]" for i in range(len(args))]
                if self.variadic
                else self.positional[: len(args)]
            )
            backends.check_devices(self.__name__, [*names, *kwargs], [*args, *kwargs.values()])
            if all(x is as_scalar(x) for x in (*args, *kwargs.values())):
                raise
            return self.kernel(
                *map(as_scalar, args), **{name: as_scalar(x) for name, x in kwargs.items()}
            )

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Sequence[Any]:
        """Return all inputs in the order of the signature (the items of `*arrays` first), with
        defaults.
        """
        if self.variadic:
            values, names = list(self.defaults), self.keyword
        else:
            values, names = [*args, *self.defaults[len(args) :]], self.names
        free = names if self.variadic else names[len(args) :]
        fits = set(free).issuperset(kwargs) and (self.variadic or len(args) <= len(self.positional))
        for name, value in kwargs.items() if fits else ():
            values[names.index(name)] = value
        if not fits or _Required in map(type, values):
            inspect.signature(self.kernel).bind(*args, **kwargs)  # raises what Python would
        return [*args, *values] if self.variadic else values

    def evaluate(self, values: Sequence[Any]) -> tuple[Any, Any]:
        """Return the output for bound values and what the kernel saved, at whatever level the
        values are.
        """
        boxes, containers, writable = plan_for(tuple(map(type, values)))
        if containers and any(is_labelled(type(values[i])) for i in containers):
            return self.evaluate(list(map(take_off_labels, values)))
        if containers and holds_traced([values[i] for i in containers]):
            if isinstance(self.kernel, np.ufunc) and all(
                type(values[i]) in CONTAINERS for i in containers
            ):
                return self.evaluate(
                    [
                        array_functions["assembled"](x) if i in containers else x
                        for i, x in enumerate(values)
                    ]
                )
            over_leaves = OverLeaves(self, values)
            return over_leaves.evaluate(over_leaves.leaves)
        return (
            innermost(values, boxes)._interpret(self, values, boxes, writable)
            if boxes
            else self.compute(values)
        )

    def compute(self, values: Sequence[Any]) -> tuple[Any, Any]:
        """Return the output for plain values and what the kernel saved."""
        if self.keyword:
            split = len(values) - len(self.keyword)
            out = self._run(values[:split], dict(zip(self.keyword, values[split:], strict=True)))
        else:
            out = self._run(values, {})
        out, saved = out if self.saves else (out, None)
        if type(out) is not np.ndarray and not isinstance(out, np.generic):
            if type(out) not in CONTAINERS and any(
                getattr(getattr(x, "dtype", None), "kind", "") == "O" for x in values
            ):
                raise errors.of_objects(self.__name__)
            several = type(out) in CONTAINERS and not (
                type(out) is tuple and STRONG.issuperset(map(type, out))
            )
            if isinstance(out, Traced) or (several and holds_traced(out)):
                # from a kernel that got plain arrays
                raise errors.closes_over_traced(callers.own_name(self.__name__))
        return out, saved

    def call(self, values: Sequence[Any], out: Value, saved: Any) -> Any:
        """Return the inputs by name, with output and saved values, as rules receive them."""
        if self.variadic:
            split = len(values) - len(self.keyword)
            values = (tuple(values[:split]), *values[split:])
        return _make(self.Call, (*values, out, saved))

    def values_of(self, call: Any) -> list[Any]:
        """Return the bound values of a call."""
        inputs = list(call[: len(self.names)])
        return [*inputs[0], *inputs[1:]] if self.variadic else inputs

    def count(self, call: Any) -> int:
        """Return the number of bound values of a call."""
        return len(call[0]) + len(self.keyword) if self.variadic else len(self.names)

    def name_of(self, position: int, count: int) -> str:
        """Return the name of the argument at a position of `count` bound values."""
        behind = position - (count - len(self.keyword))
        return (
            self.names[position]
            if not self.variadic
            else self.keyword[behind]
            if behind >= 0
            else self.names[0]
        )

    def record(
        self, values: Sequence[Any], out: Value, saved: Any, parents: Sequence[tuple[int, Any]]
    ) -> Any:
        """Return what the graph keeps of a call, for `push(kept, tangents)` and `pull(kept,
        parents, cotangent)`.
        """
        del parents
        return self.call(values, out, saved)

    def pull(self, kept: Any, parents: Sequence[tuple[int, Any]], g: Any) -> list[tuple[Any, Any]]:
        """Return each parent with its cotangent, computed on demand and projected to the parent's
        space.
        """
        result, found = [], self.cotangents(kept, parents, g)
        for position, parent in parents:
            name = self.names[position] if not self.variadic else ""
            c, x = (
                (found[name], kept[position]) if name in found else self.part(position, kept, found)
            )
            if callable(c):
                c = c()
            if c is not ZERO:
                result.append((parent, project(c, x)))
        return result

    def part(self, position: int, kept: Any, found: dict[str, Any]) -> tuple[Any, Any]:
        """Return the cotangent of an input among those by name, and the input."""
        name = (
            self.names[position] if not self.variadic else self.name_of(position, self.count(kept))
        )
        if name not in found:
            raise self.missing(name, "reverse")
        c, x = found[name], getattr(kept, name)
        return (c[position], x[position]) if self.variadic else (c, x)

    # -- batching

    def batched(self, rule: Rule) -> Rule:
        """Declare how the function batches.

        rule(call, batched), with the batch on axis 0 of the inputs for which `batched.<name>` is
        true, returns the output with the batch on axis 0 (with the saved values, if `saves`).
        """
        self.batch_rule = rule if self.saves else lambda call, batched: (rule(call, batched), None)
        return rule

    def over_leading(self, core: Mapping[str, int] | None) -> Self:
        """Declare that the kernel broadcasts over leading axes: the number of core axes of each
        array argument.
        """
        if core is not None:
            self.core = core
            self.batch_rule = lambda call, batched: self.evaluate(
                vectorize.leading(self, call, batched, core)
            )
        return self

    def batch_axis(self, array: str, axis: str = "axis") -> None:
        """Declare that the kernel works along `axis` (None: all axes) of `array` and passes over
        the others.
        """
        self.passes = array, axis
        self.batch_rule = lambda call, batched: self.evaluate(
            vectorize.inputs_along_axis(self, call, batched, array, axis)
        )

    def batch(
        self, values: Sequence[Any], batched: Sequence[bool], size: int, loop: bool
    ) -> tuple[Any, Any]:
        if self.batch_rule is None:
            if loop:
                return vectorize.loop_over_batch(
                    self.__name__, lambda *row: self.evaluate(row)[0], values, batched, size
                ), None
            raise errors.missing_batch_rule(self.__name__)
        return self.batch_rule(self.call(values, None, None), self.call(batched, None, None))

    # -- rules

    def note(self, text: str) -> None:
        """Add to the docstring how the function is differentiated."""
        page, text = inspect.cleandoc(self.__doc__ or self.__name__), f"Derivatives: {text}."
        if text not in " ".join(page.split()):
            before, *after = re.split(r"\n\n(?=(?:References|Examples)\n--)", page, maxsplit=1)
            heading = "" if "\nNotes\n--" in before else "Notes\n-----\n"
            page = "\n\n".join([before, heading + text, *after])
        self.__doc__ = page + "\n"  # as the source has it

    def absorb(self, values: Sequence[Any]) -> Any:
        """Return the value where some inputs are ZERO."""
        raise TypeError(
            f"{self.__name__} of ZERO: a rule has to write what it means for an absent tangent"
        )

    def missing(self, name: str, mode: str) -> errors.MissingRule:
        return errors.missing_rule(self.__name__, name, mode)

    def __repr__(self) -> str:
        return f"<{type(self).__name__.lower()} function {self.__name__}>"

    def __reduce__(self) -> str:
        return self.__qualname__  # pickled by name, as a function is

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else lambda *args, **kwargs: self(instance, *args, **kwargs)


class OverLeaves(Primitive):
    """Call of a primitive whose arguments hold traced values in containers, as a function of all
    leaves.
    """

    inner: Primitive
    kernel: Callable[..., Any]
    saves: bool
    __name__: str
    arity: int
    is_constant: bool
    defaults: tuple[Any, ...]
    keyword: tuple[str, ...]
    positional: tuple[str]
    variadic: bool
    trees: Any
    leaves: list[Any]
    places: list[tuple[int, int]]

    def __init__(self, inner: Primitive, args: Sequence[Any]) -> None:
        if inner.__module__.startswith(("numpy", "scigrad.numpy")) and any(
            hasattr(x, "tocsr") for x in args
        ):
            # a function of NumPy's that was called by its name in scigrad.numpy
            raise explanations.traced_sparse_into_plain_array()
        self.inner, self.kernel, self.saves = (
            inner,
            lambda *leaves: inner.evaluate(self.arguments(leaves)),
            True,
        )
        self.__name__, self.is_constant, self.arity = inner.__name__, inner.is_constant, -1
        self.positional, self.keyword, self.variadic, self.defaults = ("leaves",), (), True, ()
        parts = [flatten(x) for x in args]
        self.trees = [(tree, len(leaves)) for leaves, tree in parts]
        self.leaves = [leaf for leaves, _ in parts for leaf in leaves]
        self.places = [(i, j) for i, (leaves, _) in enumerate(parts) for j in range(len(leaves))]

    def arguments(
        self, leaves: Sequence[Any], whole: Rule = lambda part, tree: tree.unflatten(part)
    ) -> list[Any]:
        rest = iter(leaves)
        return [whole([next(rest) for _ in range(count)], tree) for tree, count in self.trees]

    def call(self, values: Sequence[Any], out: Value, saved: Any) -> Any:
        return self.inner.call(self.arguments(values), out, saved)

    def record(
        self, values: Sequence[Any], out: Value, saved: Any, parents: Sequence[tuple[int, Any]]
    ) -> Any:
        return self.inner.record(
            self.arguments(values), out, saved, [(self.places[i][0], node) for i, node in parents]
        )

    def count(self, call: Any) -> int:
        return len(self.places)

    def batch(
        self, values: Sequence[Any], batched: Sequence[bool], size: int, loop: bool
    ) -> tuple[Any, Any]:
        flags = self.arguments(batched, lambda part, tree: any(part) and tree.unflatten(part))
        return self.inner.batch(self.arguments(values), flags, size, loop)

    def push(self, kept: Any, tangents: Sequence[Any]) -> Any:
        return self.inner.push(kept, self.arguments(tangents, _sparse_tangent))

    def cotangents(self, kept: Any, parents: Sequence[tuple[int, Any]], g: Any) -> dict[str, Any]:
        return self.inner.cotangents(kept, [(self.places[i][0], node) for i, node in parents], g)

    def pull(self, kept: Any, parents: Sequence[tuple[int, Any]], g: Any) -> list[tuple[Any, Any]]:
        pull = silent(super().pull) if self.inner.is_silent else super().pull
        return pull(kept, parents, g)

    def part(self, position: int, kept: Any, found: dict[str, Any]) -> tuple[Any, Any]:
        i, j = self.places[position]
        c, x = self.inner.part(i, kept, found)
        if callable(c) and not is_container(type(c)):
            c = c()
            if not self.inner.variadic:
                found[self.inner.name_of(i, len(self.trees))] = c
        return ZERO if c is ZERO else flatten(c)[0][j], flatten(x)[0][j]


def _sparse_tangent(part: list[Any], tree: Any) -> Any:
    return ZERO if all(t is ZERO for t in part) else tree.unflatten(part)
