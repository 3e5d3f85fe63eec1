"""Indexing in every form, with its adjoint.

An index without traced values is passed to NumPy unchanged. A traced one (integer arrays under
vmap) is reduced to one array of positions along one axis, at which `take_at` takes elements.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, Space, Traced, backends, linear, shape_of
from scigrad.autodiff_rules.containers import plan
from scigrad.autodiff_rules.trace import array_functions
from scigrad.typing import Array, ArrayLike, Axes

from .composition import numpy_composition, plain_argument
from .devices import upload
from .index_analysis import (
    Selection,
    accumulate_at,
    is_basic,
    layout,
    leading_axes,
    merged_axes,
)
from .shaping import moveaxis, ravel
from .taking import take_at
from .views import mark_view, own_result, put_back

__all__ = ["getitem", "take_along_axis"]


def getitem(x: ArrayLike, index: ArrayLike) -> Any:
    """Return ``x[index]``.

    Parameters
    ----------
    x : array_like
        Array whose elements are taken.
    index : object
        Integers, slices, ellipsis, new axes, masks and integer arrays, which may be traced (under
        vmap).

    Returns
    -------
    ndarray
        Elements of `x`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad
    >>> from scigrad.numpy import getitem
    >>> print(grad(lambda x: np.sum(getitem(x, [0, 0, 2])))(np.array([1.0, 2.0, 3.0])))
    [2. 0. 1.]
    """
    parts = index if type(index) is tuple else (index,)
    basic = is_basic(parts)
    out = _getitem.short((x, index)) if basic else None
    if out is not None:
        # A number is no view, nor is an element of what a program has in an array's place.
        value = out._value
        is_element = type(value) is not np.ndarray and not value.shape and Ellipsis not in parts
        return out if is_element else mark_view(out, x, getitem, (index,))
    if x is ZERO:
        return ZERO
    if not isinstance(x, Traced):
        x = plain_argument(x) if hasattr(x, "shape") else np.asarray(x)
        return _at_traced(x, parts) if not basic and plan(parts).boxes else x[index]
    if not basic:
        out = _getitem(x, index) if not plan(parts).boxes else _at_traced(x, parts)
    else:
        out = _getitem.general(x, index)
        # a number is no view
        out = mark_view(out, x, getitem, (index,)) if out.shape or Ellipsis in parts else out
    return out


put_back[getitem] = lambda x, new, index: array_functions["set_at"](x, index, new)


@Selection
def _getitem(x, index):
    return x[index]


@_getitem.adjoint
def _(call, g):
    return scatter(g, call.index, call.x.shape)


@_getitem.batched
def _(call, batched):
    parts = call.index if type(call.index) is tuple else (call.index,)
    out = getitem(call.x, (slice(None), *parts))
    return moveaxis(out, leading_axes(parts, call.x.shape[1:]), 0)


@linear("g", fills=True)
def scatter(g: ArrayLike, index: ArrayLike, shape: Axes) -> Array:
    """Return the adjoint of x[index] for x of a shape: zeros with g added at the index."""
    return accumulate_at(Space(shape, g.dtype, backends.library(g)), ((index, g),))


@scatter.adjoint
def _(call, g):
    return getitem(g, call.index)


@scatter.batched
def _(call, batched):
    parts = call.index if type(call.index) is tuple else (call.index,)
    g = moveaxis(call.g, 0, leading_axes(parts, call.shape))
    return scatter(g, (slice(None), *parts), (call.g.shape[0], *call.shape))


def _at_traced(x: Any, parts: tuple[Any, ...]) -> Any:
    own = layout(parts, shape_of(x))
    merged, places = merged_axes(getitem(x, own.basic), own)
    count = len(own.shape)
    return own_result(
        moveaxis(take_at(merged, places, 0), range(count), range(own.start, own.start + count))
    )


# -- along an axis


@numpy_composition(np.take_along_axis, linear=True)
def take_along_axis(arr: ArrayLike, indices: ArrayLike, axis: Axes | None = -1) -> Array:
    """Return for each place of the other axes the elements at its own positions along one axis, see
    `numpy.take_along_axis`.
    """
    if axis is None:
        arr, axis = ravel(arr), 0
    return getitem(arr, index_along(arr, indices, axis))


def index_along(arr: Any, indices: Any, axis: int) -> tuple[Any, ...]:
    """Return the index of the elements at positions along one axis."""
    shape = arr.shape
    rank = len(shape)
    if not -rank <= axis < rank:
        raise np.exceptions.AxisError(axis, rank)
    if len(shape_of(indices)) != rank:
        raise ValueError("`indices` and `arr` must have the same number of dimensions")
    grid = [
        upload(np.arange(n).reshape(-1, *(1,) * (rank - 1 - i)), arr) for i, n in enumerate(shape)
    ]
    grid[axis] = indices
    return tuple(grid)
