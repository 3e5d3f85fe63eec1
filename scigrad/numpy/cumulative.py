"""Running sums, products and extremes along an axis."""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant, linear
from scigrad.typing import Array, ArrayLike, Axes, DTypeLike, Out

from .comparison import isnan
from .composition import numpy_composition
from .conversion import astype
from .indexing import take_along_axis
from .joining import concatenate
from .running_products import running_product
from .selection import where as selected
from .shaping import axis_or_all, moveaxis, ravel
from .ties import infinitesimal

__all__ = ["cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "nancumprod", "nancumsum"]


def _along_axis(a: Any, axis: Any, dtype: Any) -> tuple[Any, int]:
    a, axis = (ravel(a), 0) if axis_or_all(axis, a) is None else (a, axis)
    if not -a.ndim <= axis < a.ndim:
        raise np.exceptions.AxisError(axis, a.ndim)
    return (a if dtype is None else astype(a, dtype, copy=False)), axis % a.ndim


@linear("a")
def _cumsum(a, axis, reverse):
    return (
        np.flip(np.cumsum(np.flip(a, axis), axis=axis), axis)
        if reverse
        else np.cumsum(a, axis=axis)
    )


# the sums from each place to the end
_cumsum.adjoint(lambda call, g: _cumsum(g, call.axis, not call.reverse))
_cumsum.batch_axis("a")


@numpy_composition(np.cumsum, linear=True)
def cumsum(
    a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Out | None = None
) -> Array:
    """Return the running sum along an axis (None: of the flattened array), see `numpy.cumsum`."""
    return _cumsum(*_along_axis(a, axis, dtype), False)


@numpy_composition(np.nancumsum, linear=True)
def nancumsum(
    a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Out | None = None
) -> Array:
    """Return the running sum that counts NaN as 0, see `numpy.nancumsum`."""
    return cumsum(selected(isnan(a), 0, a), axis, dtype)


@numpy_composition(np.cumprod)
def cumprod(
    a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Out | None = None
) -> Array:
    """Return the running product along an axis (None: of the flattened array), see `numpy.cumprod`.

    The derivative takes no division by a factor, so that all orders are right where factors vanish.
    Where the running product itself overflows or underflows, derivatives in reverse mode may be
    infinite or 0.
    """
    a, axis = _along_axis(a, axis, dtype)
    return moveaxis(running_product(moveaxis(a, axis, -1)), -1, axis)


@numpy_composition(np.nancumprod)
def nancumprod(
    a: ArrayLike, axis: Axes | None = None, dtype: DTypeLike | None = None, out: Out | None = None
) -> Array:
    """Return the running product that counts NaN as 1, see `numpy.nancumprod`."""
    return cumprod(selected(isnan(a), 1, a), axis, dtype)


def _only_axis(x: Any, axis: Any) -> Any:
    if axis is not None:
        return axis
    if x.ndim != 1:
        raise ValueError(
            "For arrays which have more than one dimension ``axis`` argument is required."
        )
    return 0


def _with_initial(x: Any, axis: int, initial: int) -> Any:
    shape = list(x.shape)
    shape[axis] = 1
    return concatenate((np.full_like(x, initial, shape=tuple(shape)), x), axis=axis)


@numpy_composition(np.cumulative_sum, linear=True)
def cumulative_sum(
    x: ArrayLike,
    /,
    *,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Out | None = None,
    include_initial: bool = False,
) -> Array:
    """Return the running sum, from 0 on if `include_initial`, see `numpy.cumulative_sum`."""
    axis = _only_axis(x, axis)
    sums = cumsum(x, axis, dtype)
    return _with_initial(sums, axis, 0) if include_initial else sums


@numpy_composition(np.cumulative_prod)
def cumulative_prod(
    x: ArrayLike,
    /,
    *,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Out | None = None,
    include_initial: bool = False,
) -> Array:
    """Return the running product, from 1 on if `include_initial`, see `numpy.cumulative_prod`."""
    axis = _only_axis(x, axis)
    products = cumprod(x, axis, dtype)
    return _with_initial(products, axis, 1) if include_initial else products


# -- running extremes, for `maximum.accumulate` and `minimum.accumulate`


@constant
def _leading_positions(a, axis, ufunc):
    """Return for each place where the running extreme was last reached."""
    a = np.moveaxis(a, axis, -1)
    reached = (a == _running(ufunc, a)) | np.isnan(a)
    place = np.cumsum(np.ones_like(reached, dtype=np.intp), axis=-1) - 1
    return np.moveaxis(_running(np.maximum, place * reached), -1, axis)


def _running(ufunc: Any, a: Any) -> Any:
    """Compute ufunc.accumulate along the last axis by doubling, because CuPy has it for sums and
    products only.
    """
    step = 1
    while step < a.shape[-1]:
        a = np.concatenate((a[..., :step], ufunc(a[..., step:], a[..., :-step])), axis=-1)
        step *= 2
    return a


_leading_positions.batch_axis("a")


def running_extreme(a: Any, axis: int, ufunc: Any) -> Any:
    """Return the running maximum or minimum; its derivative is that of the last element that
    reached it.
    """
    a, axis = _along_axis(a, axis, None)
    if infinitesimal(a) is not None:
        return moveaxis(_running(ufunc, moveaxis(a, axis, -1)), -1, axis)
    return take_along_axis(a, _leading_positions(a, axis, ufunc), axis)
