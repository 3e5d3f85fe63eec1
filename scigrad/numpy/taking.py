"""Taking elements at positions along an axis, and its adjoint.

Only these functions accept batched positions; every other index is reduced to them (see
indexing.py).
"""

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from scigrad.autodiff_rules import Space, backends, linear, raw
from scigrad.typing import Array, ArrayLike, Axes, Out

from .composition import numpy_composition
from .devices import upload
from .index_analysis import Selection, accumulate_at, positions
from .shaping import axis_or_all, broadcast_to, moveaxis, ravel, reshape

__all__ = ["take"]


@numpy_composition(np.take, linear=True)
def take(
    a: ArrayLike,
    indices: ArrayLike,
    axis: Axes | None = None,
    out: Out | None = None,
    mode: str = "raise",
) -> Array:
    """Return the elements at integer positions along an axis (None: of the flattened array), see
    `numpy.take`.
    """
    indices = upload(indices if hasattr(indices, "dtype") else np.asarray(indices), a)
    axis = axis_or_all(axis, a)
    if axis is None:
        a, axis = a if a.ndim == 1 else ravel(a), 0
    axis = normalize_axis_index(axis, a.ndim)
    return take_at(a, positions(indices, shape=(a.shape[axis],), mode=mode), axis)


class _Taking(Selection):
    def index(self, call: Any) -> Any:
        return (*(slice(None),) * call.axis, call.indices)


@_Taking
def take_at(a: ArrayLike, indices: ArrayLike, axis: Axes | None) -> Array:
    return np.take(a, indices, axis)


@take_at.adjoint
def _(call, g):
    return place_at(g, call.indices, call.axis, call.a.shape)


@take_at.batched
def _(call, batched):
    a, indices = call.a, call.indices
    if not batched.indices:
        return take_at(a, indices, call.axis + 1)
    if not batched.a:
        return moveaxis(take_at(a, indices, call.axis), call.axis, 0)
    size, n = a.shape[0], a.shape[call.axis + 1]
    a = moveaxis(a, call.axis + 1, 1)
    out = take_at(reshape(a, (size * n, *a.shape[2:])), offset(indices, n), 0)
    # the axes of the positions go back from behind the batch to their place
    rank = indices.ndim - 1
    return moveaxis(out, range(1, 1 + rank), range(1 + call.axis, 1 + call.axis + rank))


def offset(indices: Any, n: int) -> Any:
    """Return positions along an axis of length n, for each element of a batch, as positions in all
    of them end to end.
    """
    start = np.arange(0, indices.shape[0] * n, n, like=raw(indices)) if n else 0
    return indices + reshape(start, (-1, *(1,) * (indices.ndim - 1))) if n else indices


@linear("g", fills=True)
def place_at(g: ArrayLike, indices: ArrayLike, axis: Axes | None, shape: Axes) -> Array:
    """Return zeros of a shape with g added at the positions along an axis: the adjoint of
    `take_at`.
    """
    return accumulate_at(
        Space(shape, g.dtype, backends.library(g)), (((*(slice(None),) * axis, indices), g),)
    )


@place_at.adjoint
def _(call, g):
    return take_at(g, call.indices, call.axis)


@place_at.batched
def _(call, batched):
    g, indices, shape = call.g, call.indices, call.shape
    if not batched.indices:
        return place_at(g, indices, call.axis + 1, (g.shape[0], *shape))
    size, rank, n = indices.shape[0], indices.ndim - 1, shape[call.axis]
    if not batched.g:
        g = broadcast_to(g, (size, *g.shape))
    g = moveaxis(g, range(1 + call.axis, 1 + call.axis + rank), range(1, 1 + rank))
    rest = (*shape[: call.axis], *shape[call.axis + 1 :])
    out = place_at(g, offset(indices, n), 0, (size * n, *rest))
    return moveaxis(reshape(out, (size, n, *rest)), 1, call.axis + 1)
