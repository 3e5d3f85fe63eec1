"""Taking elements at positions along an axis, and its adjoint.

Only these functions accept batched positions; every other index is reduced to them (see indexing.py).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Space, backends, linear, raw, shape_of, zeros

from .composition import composed
from .devices import uploaded
from .positions import accumulate, positions
from .shaping import axis_or_all, broadcast_to, moveaxis, ravel, reshape
from .squares import shares_square

__all__ = ["take", "take_along_axis"]


@composed(np.take, linear=True)
@shares_square
def take(a, indices, axis=None, out=None, mode="raise"):
    """Elements at integer positions along an axis (None: of the flattened array), see `numpy.take`."""
    a = a if hasattr(a, "shape") else np.asarray(a)
    indices = uploaded(indices if hasattr(indices, "dtype") else np.asarray(indices), a)
    axis = axis_or_all(axis, a)
    if axis is None:
        a, axis = ravel(a), 0
    if not -a.ndim <= axis < a.ndim:
        raise np.exceptions.AxisError(axis, a.ndim)
    axis %= a.ndim
    return taken(a, positions(indices, shape=(a.shape[axis],), mode=mode), axis)


@linear("a")
def taken(a, indices, axis):
    return np.take(a, indices, axis)


@taken.adjoint
def _(call, g):
    return placed(g, call.indices, call.axis, call.a.shape)


@taken.batched
def _(call, batched):
    a, indices = call.a, call.indices
    if not batched.indices:
        return taken(a, indices, call.axis + 1)
    if not batched.a:
        return moveaxis(taken(a, indices, call.axis), call.axis, 0)
    size, n = a.shape[0], a.shape[call.axis + 1]
    a = moveaxis(a, call.axis + 1, 1)
    out = taken(reshape(a, (size * n, *a.shape[2:])), offset(indices, n), 0)
    rank = indices.ndim - 1  # the axes of the positions go back from behind the batch to their place
    return moveaxis(out, range(1, 1 + rank), range(1 + call.axis, 1 + call.axis + rank))


def offset(indices: Any, n: int) -> Any:
    """Return positions along an axis of length n, for each element of a batch, as positions in all of them end to end."""
    start = np.arange(0, indices.shape[0] * n, n, like=raw(indices)) if n else 0
    return indices + reshape(start, (-1, *(1,) * (indices.ndim - 1))) if n else indices


@linear("g")
def placed(g, indices, axis, shape):
    """Return zeros of a shape with g added at the positions along an axis: the adjoint of `taken`."""
    out = zeros(Space(shape, g.dtype, backends.library(g)))
    accumulate(out, (*(slice(None),) * axis, indices), g)
    return out


@placed.adjoint
def _(call, g):
    return taken(g, call.indices, call.axis)


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


@composed(np.take_along_axis, linear=True)
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
    """Return the adjoint of take_along_axis: zeros of a shape with g added where it reads."""
    full = tuple(n if a == axis else max(n, m) for a, (n, m) in enumerate(zip(shape, g.shape, strict=True)))
    out = zeros(Space(full, g.dtype, backends.library(g)))
    grid = [uploaded(np.arange(n).reshape(-1, *(1,) * (g.ndim - 1 - a)), g) for a, n in enumerate(full)]
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
