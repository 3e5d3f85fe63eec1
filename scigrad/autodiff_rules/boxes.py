"""The boxes of the transforms: recorded values, dual numbers and batches.

Every running transform has a level, a number from one counter that only grows. An inner transform
starts later, so that the highest level among the arguments of a call is that of the innermost
transform, which interprets the call: it unboxes its own values, calls the function again one level
down, and boxes the results. `running` holds the levels of the transforms that have not ended, so
that a box which outlived its transform is refused.
"""

import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scigrad.typing import Value

from .containers import flatten, is_writable, map_leaves, outputs
from .graph import guarded, new_node, new_serial, picks, protect, settle, watch_call
from .messages import errors
from .spaces import is_inexact
from .trace import ZERO, Traced, as_scalar, check_running, check_view, own, running

# The levels between two are those of infinitesimals (numpy/kinks.py).
new_level: Callable[[], int] = itertools.count(1, 4).__next__
_OBJECT = np.dtype(object)
# types of plain values that rules may be given as they are
STRONG = frozenset((np.ndarray, np.float64))


# The levels in which a derivative has ended by declaration: a function with floating-point values
# and the derivative 0 was called, such as floor and stop_gradient, or a derivative was taken,
# which is constant where its function is linear. A result that does not depend there may be meant.
constant_levels: set[int] = set()


class _Thread(threading.local):
    depth = 0  # transforms that run in this thread


_thread = _Thread()


# Thread -> checks of numbers on a device, which are looked at together when the outermost transform
# ends, or when the host waits for the device (programs/device/flags.py).
checks_left: dict[int, list[Any]] = {}


class Running:
    """Level of a transform, while it runs."""

    level: int

    __slots__ = ("level",)

    def __enter__(self) -> int:
        self.level = new_level()
        running.add(self.level)
        _thread.depth += 1
        return self.level

    def __exit__(self, *_: object) -> None:
        running.discard(self.level)
        if constant_levels:
            constant_levels.discard(self.level)
        _thread.depth -= 1


def is_transforming() -> bool:
    """Return whether a transform runs in this thread."""
    return _thread.depth > 0


class Recorded(Traced):
    """Value whose computation reverse mode records."""

    __slots__ = ("_node",)

    def __init__(self, value: Any, level: int, node: Any) -> None:
        self._value = value
        self._level = level
        self._node = node
        self._base = None

    def _interpret(
        self, primitive: Any, values: Sequence[Any], boxes: Sequence[int], writable: Any
    ) -> tuple[Any, Any]:
        level, inner, plain = self._level, list(values), True
        if level not in running:
            raise errors.escaped_value()
        parents: list[tuple[int, Any]] = []
        for i in boxes:
            value = values[i]
            if type(value) is Recorded and value._level == level:
                if value._base is not None:
                    check_view(value)
                parents.append((i, value._node))
                inner[i] = value = value._value
                if type(value) is np.ndarray and not value.ndim:
                    inner[i] = value = value[()]
                plain = plain and type(value) in STRONG
            else:
                inner[i], plain = value._apart(), False
        out, saved = primitive.compute(inner) if plain else primitive.evaluate(inner)
        if primitive.is_constant:
            return out if primitive.decides else note_constant(out, level), saved
        if not plain:
            for i, _ in parents:
                inner[i] = strong(inner[i])
        large = settle(inner, writable, level) if writable and primitive.fixed is None else None
        kept = primitive.record(inner, out, saved, parents)
        called = watch_call(primitive, kept, large) if large else primitive
        node = new_serial(), called, kept if not guarded else protect(level, kept), parents
        if primitive.is_simple:
            return Recorded(out, level, node), saved
        dtype = getattr(out, "dtype", None)
        if dtype is not None:
            return Recorded(out, level, node) if dtype.kind in "fc" else constant(
                out, primitive
            ), saved
        leaves, rebuilt = outputs(out)
        nodes = picks(node, len(leaves), rebuilt)
        found = [
            Recorded(o, level, n) if is_inexact(o) else constant(o, primitive)
            for o, n in zip(leaves, nodes, strict=True)
        ]
        return rebuilt(found), saved


class Dual(Traced):
    """Value with its tangent, for forward mode."""

    __slots__ = ("_tangent",)

    def __init__(self, value: Any, level: int, tangent: Any) -> None:
        self._value = value
        self._level = level
        self._tangent = tangent
        self._base = None

    def _interpret(
        self, primitive: Any, values: Sequence[Any], boxes: Sequence[int], writable: Any
    ) -> tuple[Any, Any]:
        level, inner, tangents = self._level, list(values), [ZERO] * len(values)
        check_running(self)
        for i in boxes:
            if own(Dual, level, values[i]):
                inner[i], tangents[i] = as_scalar(values[i]._value), values[i]._tangent
        out, saved = primitive.evaluate(inner)
        if primitive.is_constant:
            return out if primitive.decides else note_constant(out, level), saved
        for i in boxes:
            inner[i] = strong(inner[i])
        tangent = primitive.push(primitive.call(inner, out, saved), tangents)
        if hasattr(out, "dtype"):
            return Dual(out, level, tangent) if is_inexact(out) else constant(out, primitive), saved
        leaves, rebuilt = outputs(out)
        found = [
            Dual(o, level, t) if is_inexact(o) else constant(o, primitive)
            for o, t in zip(leaves, tangent, strict=True)
        ]
        return rebuilt(found), saved


class Batched(Traced):
    """Value under vmap: axis 0 of `_value` is the batch, which the function does not see."""

    __slots__ = ("_loop",)

    def __init__(self, value: Any, level: int, loop: bool = False) -> None:
        self._value = value
        self._level = level
        self._loop = loop
        self._base = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self._value.shape[1:]

    @property
    def ndim(self) -> int:
        return self._value.ndim - 1

    def __bool__(self) -> bool:
        raise errors.batched_truth("the truth")

    def _interpret(
        self, primitive: Any, values: Sequence[Any], boxes: Sequence[int], writable: Any
    ) -> tuple[Any, Any]:
        level, inner, batched, loop = self._level, list(values), [False] * len(values), False
        check_running(self)
        for i in boxes:
            if own(Batched, level, values[i]):
                inner[i], batched[i], loop = values[i]._value, True, loop or values[i]._loop
        out, saved = primitive.batch(inner, batched, self._value.shape[0], loop)
        if hasattr(out, "dtype"):
            return Batched(
                out if out.dtype.kind != "O" else constant(out, primitive), level, loop
            ), saved
        leaves, rebuilt = outputs(out)
        return rebuilt(
            [Batched(o, level, loop) if hasattr(o, "dtype") else o for o in leaves]
        ), saved


BOXES = frozenset((Recorded, Dual, Batched))
for _box in BOXES:
    _box.__name__ = "Traced"  # the word of messages, ours and others'
VARYING = {*STRONG, *BOXES}  # what lies in a box and may be given to rules as it is
# the short call of functions of values beneath all others, whose program is recorded, by their type
LOWEST: dict[type, Callable[..., Any]] = {}
# types of numbers of Python's, which do not widen what they meet
WEAK = {float, complex}


def returns_infinitesimals(f: Any, args: Any) -> bool:
    """Return whether f returns a modulus that is 0, of a value that two transforms differentiate
    (numpy/kinks.py).

    Its infinitesimal lies beneath the box, in a level of its own.
    """
    level = max(
        (
            x._level
            for x in flatten(args)[0]
            if type(x) in (Recorded, Dual) and isinstance(x._value, Traced)
        ),
        default=0,
    )

    def again(x: Any) -> Any:
        return (
            Recorded(x._value, level, new_node(None, True, ()))
            if getattr(x, "_level", 0) == level
            else x
        )

    found = flatten(f(*map_leaves(again, args)))[0] if level else ()
    return any(type(x) is Recorded and getattr(x._value, "_level", 0) > level for x in found)


def note_constant(out: Value, level: int) -> Any:
    """Return what a constant function returned; if it is a floating-point value, its level becomes
    one where a derivative may be constant.
    """
    if getattr(getattr(out, "dtype", None), "kind", "f") in "fc":
        constant_levels.add(level)
    return out


def note_outer(values: Sequence[Any]) -> None:
    """Add the levels of the outer transforms on which the values of an inner one depend to those
    where a derivative may be constant.
    """
    for x in values:
        while isinstance(x, Traced):
            if x._level in running:
                constant_levels.add(x._level)
            x = getattr(x, "_value", None)


def constant(out: Value, primitive: Any) -> Any:
    """Return an output that has no derivative, such as a count: a copy, because the rules read what
    the kernel returned.

    Objects are refused: they may be numbers that vary.
    """
    if getattr(out, "dtype", None) == _OBJECT:
        raise errors.of_objects(primitive.__name__)
    return out.copy() if is_writable(type(out)) else out


def strong(x: Any) -> Any:
    """Return a Python number as NumPy's, which rules may divide by and which has a dtype.

    Kernels receive the number itself, because it does not widen the float32 arrays that it meets.
    """
    return np.positive(x) if type(x) in WEAK else x
