"""Arrays joined along an axis and split again: concatenate, stack, block, split and their relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import linear, shape_of

from .composition import composed, is_traced
from .indexing import getitem
from .shaping import broadcast_to, moveaxis, ravel


def assembled(value: Any) -> Any:
    """An array from what NumPy takes for one: nested lists of numbers, arrays and traced values."""
    if isinstance(value, (list, tuple)):
        return stack([assembled(v) for v in value]) if is_traced(value) else np.asarray(value)
    return value if hasattr(value, "shape") else np.asarray(value)


def _axis_within(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise np.exceptions.AxisError(axis, rank)
    return axis % rank


def _cast(arrays: list[Any], dtype: Any, casting: str) -> list[Any]:
    if dtype is None:
        return arrays
    for a in arrays:
        if not np.can_cast(a.dtype, dtype, casting):
            raise TypeError(f"Cannot cast array data from {a.dtype!r} to {np.dtype(dtype)!r} according to the rule '{casting}'")
    return [a.astype(dtype) for a in arrays]


# -- concatenate


@composed(np.concatenate)
def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays joined along an axis that they have (None: flattened first), see `numpy.concatenate`."""
    items = _cast([assembled(a) for a in arrays], dtype, casting)
    if axis is None:
        items, axis = [ravel(a) for a in items], 0
    return _concatenate(*items, axis=_axis_within(axis, max(1, len(shape_of(items[0])))))


@linear("arrays")
def _concatenate(*arrays, axis):
    return np.concatenate(arrays, axis)


@_concatenate.adjoint
def _(call, g):
    parts, start, before = [], 0, (slice(None),) * call.axis
    for a in call.arrays:
        stop = start + a.shape[call.axis]
        parts.append(getitem(g, (*before, slice(start, stop))) )
        start = stop
    return {"arrays": parts}


@_concatenate.batched
def _(call, batched):
    return _concatenate(*_all_batched(call.arrays, batched.arrays), axis=call.axis + 1)


def _all_batched(arrays: Any, batched: Any) -> list[Any]:
    size = next(a.shape[0] for a, own in zip(arrays, batched, strict=True) if own)
    return [a if own else broadcast_to(a, (size, *shape_of(a))) for a, own in zip(arrays, batched, strict=True)]


# -- stack


@composed(np.stack)
def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """Arrays of one shape joined along a new axis, see `numpy.stack`."""
    items = _cast([assembled(a) for a in arrays], dtype, casting)
    return _stack(*items, axis=_axis_within(axis, len(shape_of(items[0])) + 1))


@linear("arrays")
def _stack(*arrays, axis):
    return np.stack(arrays, axis)


@_stack.adjoint
def _(call, g):
    g = moveaxis(g, call.axis, 0)
    return {"arrays": [getitem(g, i) for i in range(len(call.arrays))]}


@_stack.batched
def _(call, batched):
    return _stack(*_all_batched(call.arrays, batched.arrays), axis=call.axis + 1)
