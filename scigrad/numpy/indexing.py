"""Indexing in every form, and taking along an axis, with their adjoints.

An index without traced values goes to NumPy as it stands. A traced one (integer arrays under vmap) is reduced to one
array of positions along one axis first, so `_take` is the only function whose positions can be batched.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import ZERO, Space, Traced, TracedValueError, backends, constant, linear, raw, shape_of, zeros
from scigrad.autodiff_rules.batching import aligned
from scigrad.autodiff_rules.trace import innermost

from .composition import composed
from .devices import uploaded
from .shaping import broadcast_to, moveaxis, ravel, reshape, transpose
from .views import blank, marked, owned

__all__ = ["getitem", "take", "take_along_axis"]

_MANY = 1000  # values from which on it pays to look at an index before using it
_BASIC = (int, slice, type(None), type(Ellipsis), np.integer)


# -- x[index]


def getitem(x, index):
    """x[index] with integers, slices, ellipsis, new axes, masks and integer arrays, which may be traced (under vmap)."""
    if x is ZERO:
        return ZERO
    kind = type(index)
    if kind is slice and isinstance(x, Traced):  # the short way
        return marked(x.interpret(_getitem, (x, index))[0], x)
    parts = index if kind is tuple else (index,)
    if not isinstance(x, Traced):
        return _at_traced(x, parts) if innermost(parts) is not None else x[index]
    if is_basic(parts):
        out = _getitem(x, index)
        return out if all_integers(parts) and len(parts) == x.ndim else marked(out, x)  # a number is no view
    return _getitem(x, index) if innermost(parts) is None else _at_traced(x, parts)


def is_basic(parts: tuple[Any, ...]) -> bool:
    """Whether an index consists of integers, slices, new axes and ellipsis alone."""
    return all(isinstance(p, _BASIC) and p is not True and p is not False for p in parts)


def all_integers(parts: tuple[Any, ...]) -> bool:
    """Whether an index consists of integers alone."""
    return all(isinstance(p, (int, np.integer)) for p in parts)


@linear("x")
def _getitem(x, index):
    return x[index]


@_getitem.adjoint
def _(call, g):
    return scattered(g, call.index, call.x.shape)


@_getitem.batched
def _(call, batched):
    parts = call.index if type(call.index) is tuple else (call.index,)
    out = getitem(call.x, (slice(None), *parts))
    return moveaxis(out, leading_axes(parts, call.x.shape[1:]), 0)


@linear("g")
def scattered(g, index, shape):
    """The adjoint of x[index] for x of a shape: zeros with g added at the index."""
    out = zeros(Space(shape, g.dtype, backends.library(g)))
    if is_basic(index if type(index) is tuple else (index,)):
        out[index] = g
    else:
        accumulate(out, index, g)
    return out


@scattered.adjoint
def _(call, g):
    return getitem(g, call.index)


@scattered.batched
def _(call, batched):
    parts = call.index if type(call.index) is tuple else (call.index,)
    g = moveaxis(call.g, 0, leading_axes(parts, call.shape))
    return scattered(g, (slice(None), *parts), (call.g.shape[0], *call.shape))


def accumulate(out: Any, index: Any, values: Any) -> None:
    """out[index] += values, with every repetition of an index counted, on whichever device `out` lies."""
    if type(out) is not np.ndarray:
        backends.namespace(backends.library(out)).add.at(out, index, values)
        return
    if out.ndim == 1 or np.size(values) < _MANY:
        np.add.at(out, index, values)
        return
    # numpy.add.at is slow with slices or several index arrays: assignment is four times faster where no index repeats
    # itself, and one index array into the flattened `out` three times (measured on 10^5 and 10^6 elements).
    own = layout(index if type(index) is tuple else (index,), out.shape)
    indexed = indexed_shape(out.shape, own.basic)
    indexed = tuple(indexed[a] for a in own.axes)
    flat = positions(*own.arrays, shape=indexed)
    if _distinct(flat, math.prod(indexed)):
        out[index] += values
    elif math.prod(indexed) == out.size and len(own.axes) == len(own.basic) == out.ndim and out.flags.c_contiguous:
        np.add.at(out.reshape(-1), flat, values)
    else:
        np.add.at(out, index, values)


def _distinct(flat: Any, count: int) -> bool:
    """Whether no position occurs twice; with a table of all positions only if that is not much longer than the list."""
    if flat.size < count / 16:
        return len(np.unique(flat)) == flat.size
    return flat.size <= count and (flat.size == 0 or int(np.bincount(flat.reshape(-1), minlength=1).max()) == 1)


# -- an index taken apart


class Layout(NamedTuple):
    """An index as two steps: x[basic], then integer arrays, broadcast against each other, at `axes` of that."""

    basic: tuple[Any, ...]
    axes: tuple[int, ...]
    arrays: tuple[Any, ...]
    first: bool  # NumPy puts the axes of the arrays first if they do not stand side by side, otherwise in their place

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(*(shape_of(a) for a in self.arrays))

    @property
    def start(self) -> int:
        """Where the axes of the arrays begin in the result."""
        return 0 if self.first else self.axes[0]

    def order(self, rank: int) -> tuple[int, ...]:
        """The axes of x[basic] with those that arrays index in front."""
        return (*self.axes, *(a for a in range(rank) if a not in self.axes))


def layout(parts: tuple[Any, ...], shape: tuple[int, ...]) -> Layout:
    """Take an index that has at least one array apart."""
    parts = tuple(np.asarray(p) if isinstance(p, (list, tuple)) else p for p in parts)
    basic: list[Any] = []
    axes: list[int] = []
    arrays: list[Any] = []
    runs, in_run, axis = 0, False, 0  # axis: of x, which the next part uses
    for p in parts:
        if p is Ellipsis:
            count = len(shape) - sum(_axes_used(q) for q in parts)
            basic.extend([slice(None)] * count)
            axis += count
        elif p is None or isinstance(p, slice):
            basic.append(p)
            axis += p is not None
        else:
            found = _integers(p, shape[axis : axis + _axes_used(p)])
            axis += _axes_used(p)
            axes.extend(range(len(basic), len(basic) + len(found)))
            basic.extend([slice(None) if _axes_used(p) else None] * len(found))
            arrays.extend(found)
        is_array = not (p is Ellipsis or p is None or isinstance(p, slice))
        runs += is_array and not in_run
        in_run = is_array
    return Layout(tuple(basic), tuple(axes), tuple(arrays), runs > 1)


def _axes_used(p: Any) -> int:
    if p is None or p is Ellipsis:
        return 0
    return len(shape_of(p)) if is_mask(p) else 1


def is_mask(p: Any) -> bool:
    return isinstance(p, (bool, np.bool)) or getattr(p, "dtype", None) == np.bool


def _integers(p: Any, own: tuple[int, ...]) -> list[Any]:
    """The integer arrays that a part of an index stands for: one, or one for each axis of a mask."""
    if not is_mask(p):
        return [p]
    if isinstance(p, Traced):
        raise TracedValueError(
            "x[mask] with a mask under vmap selects a different number of elements for each element of the batch. "
            "Use scigrad.numpy.where(mask, x, other), or x[mask] = number."
        )
    if not shape_of(p):
        return [np.arange(int(p))]  # True: a new axis of length 1; False: one of length 0
    if shape_of(p) != own:
        raise IndexError(f"boolean index of shape {shape_of(p)} does not match the indexed axes, which have shape {own}")
    return list(np.nonzero(p))


def leading_axes(parts: tuple[Any, ...], shape: tuple[int, ...]) -> int:
    """How many axes of index arrays stand before all others in x[parts], so also before a batch axis of x."""
    if is_basic(parts):
        return 0
    own = layout(parts, shape)
    return len(own.shape) if own.first else 0


def indexed_shape(shape: tuple[int, ...], parts: tuple[Any, ...]) -> tuple[int, ...]:
    """The shape of x[parts] for x of a shape."""
    if is_basic(parts):
        return blank(shape)[parts].shape
    own = layout(parts, shape)
    rest = [n for a, n in enumerate(blank(shape)[own.basic].shape) if a not in own.axes]
    return (*rest[: own.start], *own.shape, *rest[own.start :])


def _at_traced(x: Any, parts: tuple[Any, ...]) -> Any:
    own = layout(parts, shape_of(x))
    merged, places = merged_axes(getitem(x, own.basic), own)
    count = len(own.shape)
    return owned(moveaxis(_take(merged, places, 0), range(count), range(own.start, own.start + count)))


def merged_axes(y: Any, own: Layout) -> tuple[Any, Any]:
    """y with the axes that arrays index merged into axis 0, and the positions along it."""
    order = own.order(len(shape_of(y)))
    shape = tuple(shape_of(y)[a] for a in order)
    count = len(own.axes)
    y = reshape(transpose(y, order), (math.prod(shape[:count]), *shape[count:]))
    return y, positions(*own.arrays, shape=shape[:count])


def unmerged_axes(merged: Any, own: Layout, shape: tuple[int, ...]) -> Any:
    """The array of a shape that `merged_axes` made this from."""
    order = own.order(len(shape))
    y = reshape(merged, tuple(shape[a] for a in order))
    return transpose(y, sorted(range(len(order)), key=order.__getitem__))


@constant
def positions(*indices, shape, mode="raise"):
    """Positions in an array of a shape, flattened, from one integer array for each axis."""
    flat: Any = 0
    for axis, (index, n) in enumerate(zip(indices, shape, strict=True)):
        flat = flat * n + _wrapped(index, n, mode, axis)
    return flat


def _wrapped(index: Any, n: int, mode: str, axis: int) -> Any:
    """Integers from 0 to n - 1. A device is not asked whether they were in range (that would wait for it): it wraps."""
    if getattr(index, "dtype", np.dtype(int)).kind not in "iu":
        raise IndexError(f"indices must be integers or booleans, not of dtype {index.dtype}")
    if mode == "clip":
        return np.clip(index, 0, max(n - 1, 0))
    if mode == "raise" and isinstance(index, (int, np.integer, np.ndarray)):
        wrong = np.asarray(index)[(np.asarray(index) < -n) | (np.asarray(index) >= n)]
        if wrong.size:
            raise IndexError(f"index {wrong.flat[0]} is out of bounds for axis {axis} with size {n}")
    return index % max(n, 1)


@positions.batched
def _(call, batched):
    return positions(*aligned(call.indices, batched.indices), shape=call.shape, mode=call.mode)


# -- take


@composed(np.take)
def take(a, indices, axis=None, out=None, mode="raise"):
    """Elements at integer positions along an axis (None: of the flattened array), see `numpy.take`."""
    a = a if hasattr(a, "shape") else np.asarray(a)
    indices = uploaded(indices if hasattr(indices, "dtype") else np.asarray(indices), a)
    if axis is None:
        a, axis = ravel(a), 0
    if not -a.ndim <= axis < a.ndim:
        raise np.exceptions.AxisError(axis, a.ndim)
    axis %= a.ndim
    return _take(a, positions(indices, shape=(a.shape[axis],), mode=mode), axis)


@linear("a")
def _take(a, indices, axis):
    return np.take(a, indices, axis)


@_take.adjoint
def _(call, g):
    return placed(g, call.indices, call.axis, call.a.shape)


@_take.batched
def _(call, batched):
    a, indices = call.a, call.indices
    if not batched.indices:
        return _take(a, indices, call.axis + 1)
    if not batched.a:
        return moveaxis(_take(a, indices, call.axis), call.axis, 0)
    size, n = a.shape[0], a.shape[call.axis + 1]
    a = moveaxis(a, call.axis + 1, 1)
    out = _take(reshape(a, (size * n, *a.shape[2:])), offset(indices, n), 0)
    rank = indices.ndim - 1  # the axes of the positions go back from behind the batch to their place
    return moveaxis(out, range(1, 1 + rank), range(1 + call.axis, 1 + call.axis + rank))


def offset(indices: Any, n: int) -> Any:
    """Positions along an axis of length n, for each element of a batch, as positions in all of them end to end."""
    start = np.arange(0, indices.shape[0] * n, n, like=raw(indices)) if n else 0
    return indices + reshape(start, (-1, *(1,) * (indices.ndim - 1))) if n else indices


@linear("g")
def placed(g, indices, axis, shape):
    """Zeros of a shape with g added at the positions along an axis: the adjoint of `_take`."""
    out = zeros(Space(shape, g.dtype, backends.library(g)))
    accumulate(out, (*(slice(None),) * axis, indices), g)
    return out


@placed.adjoint
def _(call, g):
    return _take(g, call.indices, call.axis)


@placed.batched
def _(call, batched):
    g, indices, shape = call.g, call.indices, call.shape
    if not batched.indices:
        return placed(g, indices, call.axis + 1, (g.shape[0], *shape))
    size, rank, n = indices.shape[0], indices.ndim - 1, shape[call.axis]
    if not batched.g:
        g = broadcast_to(g, (size, *g.shape))
    g = moveaxis(g, range(1 + call.axis, 1 + call.axis + rank), range(1, 1 + rank))
    rest = (*shape[: call.axis], *shape[call.axis + 1 :])
    out = placed(g, offset(indices, n), 0, (size * n, *rest))
    return moveaxis(reshape(out, (size, n, *rest)), 1, call.axis + 1)


# -- along an axis


@composed(np.take_along_axis)
def take_along_axis(arr, indices, axis=-1):
    """For each place of the other axes, elements at its own positions along one axis, see `numpy.take_along_axis`."""
    if axis is None:
        arr, axis = ravel(arr), 0
    if not -arr.ndim <= axis < arr.ndim:
        raise np.exceptions.AxisError(axis, arr.ndim)
    if len(shape_of(indices)) != arr.ndim:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    return _along(arr, indices, axis % arr.ndim)


@linear("arr")
def _along(arr, indices, axis):
    return np.take_along_axis(arr, indices, axis)


@_along.adjoint
def _(call, g):
    return _added_along(g, call.indices, call.axis, call.arr.shape)


@_along.batched
def _(call, batched):
    return _along(*_with_batch(call.arr, batched.arr), *_with_batch(call.indices, batched.indices), call.axis + 1)


def _with_batch(x: Any, own: bool) -> list[Any]:
    return [x if own else reshape(x, (1, *shape_of(x)))]


@linear("g")
def _added_along(g, indices, axis, shape):
    """The adjoint of take_along_axis: zeros of a shape with g added where it reads."""
    full = tuple(n if a == axis else max(n, m) for a, (n, m) in enumerate(zip(shape, g.shape, strict=True)))
    out = zeros(Space(full, g.dtype, backends.library(g)))
    grid = [np.arange(n).reshape(-1, *(1,) * (g.ndim - 1 - a)) for a, n in enumerate(full)]
    grid[axis] = indices
    accumulate(out, tuple(grid), g)
    return out


@_added_along.adjoint
def _(call, g):
    return _along(g, call.indices, call.axis)


@_added_along.batched
def _(call, batched):
    size = call.g.shape[0] if batched.g else call.indices.shape[0]
    (g,), (indices,) = _with_batch(call.g, batched.g), _with_batch(call.indices, batched.indices)
    return _added_along(g, indices, call.axis + 1, (size, *call.shape))
