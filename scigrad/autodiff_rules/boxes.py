"""The boxes of the transforms: the graph that reverse mode records, dual numbers, batches, and the absent tangent.

Every running transform has a level, a number from one counter that only grows. A transform inside another one starts
later, so the highest level among the arguments of a call is the innermost transform, and that one interprets the call:
it unboxes its own values, calls the function again one level down, and boxes what comes back. There is no stack and no
state of a thread, so an exception leaves nothing behind.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from . import errors
from .trace import Traced, apart, check_view

new_level = itertools.count(1).__next__
new_serial = itertools.count().__next__


class Node(NamedTuple):
    """One recorded call. `parents` pairs an argument's position with the node that computed it; an input of the
    transform has no primitive. Nodes are told apart by their serial number, which grows as the function runs."""

    serial: int
    primitive: Any
    call: Any
    parents: Sequence[tuple[int, Any]]


def new_node(primitive: Any, call: Any, parents: Sequence[tuple[int, Node]]) -> Node:
    return tuple.__new__(Node, (new_serial(), primitive, call, parents))


class Recorded(Traced):
    """A value whose computation reverse mode records."""

    __slots__ = ("node",)

    def __init__(self, value: Any, level: int, node: Node) -> None:
        self.value = value
        self.level = level
        self.node = node
        self.base = self.square = None

    def interpret(self, primitive: Any, values: Sequence[Any]) -> tuple[Any, Any]:
        level = self.level
        inner: list[Any] = []
        parents: list[tuple[int, Node]] = []
        for value in values:
            if type(value) is Recorded and value.level == level:
                if value.base is not None:
                    check_view(value)
                parents.append((len(inner), value.node))
                inner.append(value.value)
            else:
                inner.append(apart(value))
        out, saved = primitive.evaluate(inner)
        if primitive.is_constant:
            return out, saved
        for position, _ in parents:
            inner[position] = strong(inner[position])
        node = new_node(primitive, primitive.record(inner, out, saved, parents), parents)
        if primitive.is_simple:
            return Recorded(out, level, node), saved
        if isinstance(out, tuple):
            picks = [new_node(PICK, (i, len(out)), ((0, node),)) for i in range(len(out))]
            boxes = [Recorded(o, level, pick) if _smooth(o) else o for o, pick in zip(out, picks, strict=True)]
            return rebuild(out, boxes), saved
        return Recorded(out, level, node) if _smooth(out) else out, saved


class Dual(Traced):
    """A value with its tangent: forward mode."""

    __slots__ = ("tangent",)

    def __init__(self, value: Any, level: int, tangent: Any) -> None:
        self.value = value
        self.level = level
        self.tangent = tangent
        self.base = self.square = None

    def interpret(self, primitive: Any, values: Sequence[Any]) -> tuple[Any, Any]:
        level = self.level
        inner: list[Any] = []
        tangents: list[Any] = []
        for value in values:
            own = type(value) is Dual and value.level == level
            if own and value.base is not None:
                check_view(value)
            inner.append(value.value if own else value)
            tangents.append(value.tangent if own else ZERO)
        out, saved = primitive.evaluate(inner)
        if primitive.is_constant:
            return out, saved
        inner = [v if t is ZERO else strong(v) for v, t in zip(inner, tangents, strict=True)]
        tangent = primitive.push(primitive.call(inner, out, saved), tangents)
        if isinstance(out, tuple):
            boxes = [Dual(o, level, t) if _smooth(o) else o for o, t in zip(out, tangent, strict=True)]
            return rebuild(out, boxes), saved
        return Dual(out, level, tangent) if _smooth(out) else out, saved


class Batched(Traced):
    """A value under vmap: axis 0 of `value` is the batch, which the function does not see."""

    __slots__ = ("loop",)

    def __init__(self, value: Any, level: int, loop: bool = False) -> None:
        self.value = value
        self.level = level
        self.loop = loop
        self.base = self.square = None

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape[1:]

    def __bool__(self) -> bool:
        raise errors.batched_truth("the truth")

    def interpret(self, primitive: Any, values: Sequence[Any]) -> tuple[Any, Any]:
        level, size = self.level, self.value.shape[0]
        inner: list[Any] = []
        batched: list[bool] = []
        loop = False
        for value in values:
            own = type(value) is Batched and value.level == level
            if own and value.base is not None:
                check_view(value)
            inner.append(value.value if own else value)
            batched.append(own)
            loop = loop or (own and value.loop)
        out, saved = primitive.batch(inner, batched, size, loop)
        if isinstance(out, tuple):
            return rebuild(out, [o if o is None else Batched(o, level, loop) for o in out]), saved
        return Batched(out, level, loop), saved


def strong(x: Any) -> Any:
    """A Python number as NumPy's, which rules may divide by and ask for its dtype. Kernels get the number itself, since
    it does not widen the float32 arrays that it meets."""
    return np.asarray(x)[()] if type(x) is float or type(x) is complex else x


def _smooth(out: Any) -> bool:
    dtype = getattr(out, "dtype", None)
    return dtype.kind in "fc" if dtype is not None else isinstance(out, (float, complex))


def rebuild(out: Any, items: list[Any]) -> Any:
    """A tuple or named tuple like `out` with other items."""
    return out._make(items) if hasattr(out, "_make") else tuple(items)


# -- the absent tangent -----------------------------------------------------------------------------------------------


class Zero(Traced):
    """The tangent of what does not vary: absorbs products, vanishes in sums, passes through linear functions."""

    __slots__ = ()
    level = sys.maxsize  # type: ignore[assignment]  # asked before every transform
    __array_ufunc__ = None  # type: ignore[assignment]  # so that array + ZERO asks ZERO

    def __init__(self) -> None:
        pass

    def interpret(self, primitive: Any, values: Sequence[Any]) -> tuple[Any, Any]:
        return primitive.absorb(values), None

    def __repr__(self) -> str:
        return "ZERO"

    def __bool__(self) -> bool:
        return False

    def _other(self, other: Any) -> Any:
        return other

    def _negated(self, other: Any) -> Any:
        return -other

    def _self(self, *_: Any, **__: Any) -> Zero:
        return self

    def apart(self, leaving: int = 0) -> Zero:
        return self

    __add__ = __radd__ = __rsub__ = _other
    __sub__ = _negated
    __mul__ = __rmul__ = __matmul__ = __rmatmul__ = __truediv__ = __neg__ = __getitem__ = _self
    conj = sum = reshape = astype = copy = swapaxes = transpose = _self
    T = mT = real = imag = property(_self)  # type: ignore[assignment]


ZERO = Zero()


class Outputs(tuple[Any, ...]):
    """Cotangents of a call with several outputs; ZERO where none has arrived."""

    __slots__ = ()

    def __add__(self, other: Any) -> Outputs:
        return Outputs(a + b for a, b in zip(self, other, strict=True))


class _Pick:
    """One output of a call with several."""

    def pull(self, node: Node, g: Any) -> list[tuple[Node, Any]]:
        position, count = node.call
        return [(node.parents[0][1], Outputs(g if i == position else ZERO for i in range(count)))]

    def count(self, call: Any) -> int:
        return 1

    def push(self, call: Any, tangents: Any) -> Any:
        return tangents[0][call[0]] if tangents[0] is not ZERO else ZERO


PICK = _Pick()
