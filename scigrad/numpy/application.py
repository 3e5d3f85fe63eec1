"""Functions applied to parts of an array: by conditions, along an axis, over axes."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import shape_of
from scigrad.typing import Array, ArrayLike, Axes, Value

from .assignment import set_at
from .composition import numpy_composition
from .devices import is_batched
from .indexing import getitem
from .joining import assemble, stack
from .shaping import expand_dims, moveaxis, reshape
from .views import own_result

__all__ = ["apply_along_axis", "apply_over_axes", "piecewise"]


@numpy_composition(np.piecewise)
def piecewise(
    x: ArrayLike,
    condlist: Sequence[ArrayLike],
    funclist: Sequence[Any],
    *args: ArrayLike,
    **kw: Any,
) -> Array:
    """Return for each element the value of the function (or the number) of the last condition that
    holds, see `numpy.piecewise`.

    A function is called with the elements for which its condition holds; under vmap, if the
    condition differs between the elements of the batch, with all of them.
    """
    conditions = [assemble(c) for c in _conditions(condlist, x.ndim)]
    if len(conditions) == len(funclist) - 1:
        conditions.append(~np.any(stack(conditions), axis=0))
    elif len(conditions) != len(funclist):
        n = len(conditions)
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    out: Value = np.zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        out = _piece(x, out, condition, function, args, kw)
    return out


def _conditions(condlist: Any, rank: int) -> list[Any]:
    """Return the list of conditions; NumPy accepts one condition without a list, too."""
    if not isinstance(condlist, (list, tuple)):
        return [condlist] if len(shape_of(condlist)) <= rank else list(condlist)
    return list(condlist) if not rank or shape_of(condlist[0]) else [np.asarray(condlist)]


def _piece(x: Any, out: Array, condition: Any, function: Any, args: Any, kw: Any) -> Any:
    if not callable(function):
        return set_at(out, condition, function)
    if is_batched(condition):
        return np.where(condition, function(x, *args, **kw), out).astype(x.dtype)
    chosen = getitem(x, condition)
    return set_at(out, condition, function(chosen, *args, **kw)) if chosen.size else out


@numpy_composition(np.apply_along_axis)
def apply_along_axis(
    func1d: Callable[..., Any], axis: Axes | None, arr: ArrayLike, *args: ArrayLike, **kwargs: Any
) -> Array:
    """Apply a function of vectors to each vector along an axis, one call after the other, see
    `numpy.apply_along_axis`.

    `scigrad.vmap` does the same in one call, for functions that batch.
    """
    arr = moveaxis(assemble(arr), axis, -1)
    outer = arr.shape[:-1]
    if 0 in outer:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    rows = [assemble(func1d(getitem(arr, place), *args, **kwargs)) for place in np.ndindex(outer)]
    out = reshape(stack(rows), (*outer, *rows[0].shape))
    rank = len(rows[0].shape)
    axis %= arr.ndim
    return own_result(moveaxis(out, range(-rank, 0), range(axis, axis + rank)) if rank else out)


@numpy_composition(np.apply_over_axes)
def apply_over_axes(func: Callable[..., Any], a: ArrayLike, axes: Axes | None) -> Array:
    """Apply func(a, axis) for each axis in turn, keeping the axes, see `numpy.apply_over_axes`."""
    rank = a.ndim
    for axis in np.atleast_1d(axes).tolist():
        axis = axis + rank if axis < 0 else axis
        result = func(a, axis)
        if len(shape_of(result)) != rank:
            result = expand_dims(result, axis)
        if len(shape_of(result)) != rank:
            raise ValueError("function is not returning an array of the correct shape")
        a = result
    return a
