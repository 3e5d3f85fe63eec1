"""Indexing in every form, with its adjoint.

An index without traced values is passed to NumPy unchanged. A traced one (integer arrays under vmap) is reduced to one array of
positions along one axis, at which `taken` takes elements.
"""

from __future__ import annotations

from typing import Any

from scigrad.autodiff_rules import ZERO, Space, Traced, backends, linear, shape_of, zeros
from scigrad.autodiff_rules.trace import innermost

from .positions import accumulate, all_integers, is_basic, layout, leading_axes, merged_axes
from .shaping import moveaxis
from .squares import shares_square
from .taking import taken
from .views import marked, owned

__all__ = ["getitem"]


@shares_square
def getitem(x, index):
    """Return ``x[index]``.

    Parameters
    ----------
    x : array_like
        Array.
    index : object
        Integers, slices, ellipsis, new axes, masks and integer arrays, which may be traced (under vmap).

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
    if x is ZERO:
        return ZERO
    kind = type(index)
    if kind is slice and isinstance(x, Traced):  # the short way
        return marked(x.interpret(_getitem, (x, index), (0,))[0], x)
    parts = index if kind is tuple else (index,)
    if not isinstance(x, Traced):
        return _at_traced(x, parts) if innermost(parts) is not None else x[index]
    if is_basic(parts):
        out = _getitem(x, index)
        return out if all_integers(parts) and len(parts) == x.ndim else marked(out, x)  # a number is no view
    return _getitem(x, index) if innermost(parts) is None else _at_traced(x, parts)


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
    """Return the adjoint of x[index] for x of a shape: zeros with g added at the index."""
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


def _at_traced(x: Any, parts: tuple[Any, ...]) -> Any:
    own = layout(parts, shape_of(x))
    merged, places = merged_axes(getitem(x, own.basic), own)
    count = len(own.shape)
    return owned(moveaxis(taken(merged, places, 0), range(count), range(own.start, own.start + count)))
