"""Sums, products, means and variances along axes, with `where`, `initial`, `dtype` and `keepdims`
as in NumPy.
"""

import math
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from scigrad.autodiff_rules import Traced, differentiable, linear
from scigrad.typing import Array, ArrayLike, Axes, DTypeLike, Out

from .comparison import isnan
from .complex_parts import imag, real
from .composition import numpy_composition
from .conversion import astype
from .joining import assemble
from .kinks import kinked_at_zero
from .products import conjugate
from .running_products import products_of_others
from .selection import maximum
from .selection import where as selected
from .shaping import axis_or_all, broadcast_to, expand_dims, moveaxis, reshape, transpose

__all__ = [
    "average", "mean", "nanmean", "nanprod", "nanstd", "nansum", "nanvar", "prod", "std", "sum",
    "var",
]  # fmt: skip


# Up to this size an array is filled in less time than NumPy takes to make a view of one number (3
# microseconds).
_SMALL = 4096


# -- what reductions share


def reduced_axes(axis: Any, rank: int) -> tuple[int, ...]:
    """Return the axes of a reduction as numbers from 0; None: all of them."""
    axes = (
        range(rank)
        if axis is None
        else (axis,)
        if isinstance(axis, (int, np.integer))
        else tuple(axis)
    )
    found = tuple(normalize_axis_index(i, rank) for i in axes)
    if len(set(found)) != len(found):
        raise ValueError("duplicate value in 'axis'")
    return found


def spread_back(g: Any, axis: Any, keepdims: bool, shape: tuple[int, ...]) -> Any:
    """Repeat a reduced array along the reduced axes: the adjoint of the sum."""
    if axis is None and type(g) is np.float64 and math.prod(shape) < _SMALL:
        out = np.empty(shape)
        out.fill(g)
        return out
    if not keepdims and axis is not None:
        g = expand_dims(g, reduced_axes(axis, len(shape)))
    return broadcast_to(g, shape)


def merge_axes(a: Any, axis: Any) -> Any:
    """Return the array with the axes of a reduction merged into one, the last."""
    axes = reduced_axes(axis, a.ndim)
    rest = tuple(n for i, n in enumerate(a.shape) if i not in axes)
    a = a if not axes else moveaxis(a, axes, range(a.ndim - len(axes), a.ndim))
    return reshape(a, (*rest, math.prod(a.shape[len(rest) :])))


def prepare_operand(a: Any, dtype: Any = None, where: Any = None, neutral: Any = 0) -> Any:
    """Return an array in the dtype of the computation, with a neutral element where the mask does
    not hold.
    """
    a = a if dtype is None else astype(a, dtype, copy=False)
    return a if where is None or where is True else selected(where, a, neutral)


def inexact(a: Any, dtype: Any = None) -> Any:
    """Return an array with integers converted to double precision, as NumPy's means do."""
    return astype(
        a,
        np.float64 if dtype is None and a.dtype.kind not in "fc" else dtype or a.dtype,
        copy=False,
    )


def count_elements(a: Any, axis: Any, keepdims: bool, where: Any) -> Any:
    """Return the number of elements of a reduction: an int, or an array if there is a mask."""
    if where is None or where is True:
        return math.prod(a.shape[i] for i in reduced_axes(axis, a.ndim))
    mask = broadcast_to(astype(assemble(where), bool, copy=False), a.shape)
    return np.sum(mask, axis=axis, keepdims=keepdims, dtype=np.finfo(a.dtype).dtype)


def beginning(initial: Any, a: Any) -> Any:
    """Return the number that a reduction begins with in the dtype of the array."""
    return astype(assemble(initial), a.dtype, copy=False)


# -- sum


@linear("a")
def _sum(a, axis, keepdims):
    return a.sum(axis=axis, keepdims=keepdims)


_sum.adjoint(lambda call, g: spread_back(g, call.axis, call.keepdims, call.a.shape))
_sum.batch_axis("a")


@numpy_composition(np.sum)
def sum(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Out | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Sum along axes (None: all), see `numpy.sum`."""
    if dtype is not None or where is not None or not isinstance(a, Traced):
        a = prepare_operand(a, dtype, where)
    total = _sum(a, axis if axis is None else axis_or_all(axis, a), keepdims)
    return total if initial is None else total + beginning(initial, total)


@numpy_composition(np.nansum, linear=True)
def nansum(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Out | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Sum with NaN counted as 0, see `numpy.nansum`.

    The derivative in an element that is nan is 0, in both modes, and so is that in what it was
    computed from.
    """
    return sum(selected(isnan(a), 0, a), axis, dtype, None, keepdims, initial, where)


# -- product


@numpy_composition(np.prod)
def prod(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Out | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Return the product along axes (None: all), see `numpy.prod`.

    The derivative in one factor is the product of the others, computed without division, so that
    all orders are right where factors vanish.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad
    >>> print(grad(np.prod)(np.array([0.0, 2.0, 3.0])))
    [6. 0. 0.]
    """
    a = prepare_operand(a, dtype, where, 1)
    p = _prod(a, axis_or_all(axis, a), keepdims)
    return p if initial is None else p * beginning(initial, p)


@differentiable("a")
def _prod(a, axis, keepdims):
    return np.prod(a, axis=axis, keepdims=keepdims)


_prod.jvp(
    lambda call, t: reshape(
        _sum(
            products_of_others(merge_axes(call.a, call.axis)) * merge_axes(t.a, call.axis),
            -1,
            False,
        ),
        call.out.shape,
    )
)
_prod.batch_axis("a")


@_prod.vjp
def _(call, g):
    a = merge_axes(call.a, call.axis)
    a_bar = reshape(g, (*a.shape[:-1], 1)) * conjugate(products_of_others(a))
    axes = reduced_axes(call.axis, call.a.ndim)
    rest = [n for i, n in enumerate(call.a.shape) if i not in axes]
    a_bar = reshape(a_bar, (*rest, *(call.a.shape[i] for i in axes)))
    return {"a": moveaxis(a_bar, range(len(rest), call.a.ndim), axes) if axes else a_bar}


@numpy_composition(np.nanprod)
def nanprod(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Out | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Return the product that counts NaN as 1, see `numpy.nanprod`."""
    return prod(selected(isnan(a), 1, a), axis, dtype, None, keepdims, initial, where)


# -- mean and variance


@numpy_composition(np.mean, linear=True)
def mean(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Out | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """Return the arithmetic mean along axes, see `numpy.mean`."""
    a = inexact(a, dtype)
    return _sum(prepare_operand(a, None, where), axis, keepdims) / count_elements(
        a, axis, keepdims, where
    )


@numpy_composition(np.var)
def var(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Out | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    correction: float | None = None,
) -> Array:
    """Return the variance along axes: the mean of |a - mean(a)|^2, see `numpy.var`. A given `mean`
    counts as an independent value.
    """
    # real data have plain squares, even if the computation was asked to be complex
    is_real = a.dtype.kind != "c"
    a = inexact(a, dtype)
    if correction is not None and ddof != 0:
        raise ValueError("ddof and correction can't be provided simultaneously.")
    # no number of NumPy's, which would widen the result
    ddof = float(ddof if correction is None else correction)
    center = _mean(a, axis, None, None, True, where=where) if mean is None else mean
    d = a - center
    squares = d * d if is_real else real(d) ** 2 + imag(d) ** 2
    squares = squares if dtype is None else astype(squares, dtype, copy=False)
    count = count_elements(a, axis, keepdims, where)
    # 0: NaN, as in NumPy
    divisor = max(count - ddof, 0) if isinstance(count, int) else maximum(count - ddof, 0)
    return _sum(prepare_operand(squares, None, where), axis, keepdims) / divisor


_mean = mean  # var and std have an argument of that name


@numpy_composition(np.std)
def std(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Out | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    correction: float | None = None,
) -> Array:
    """Return the standard deviation along axes, see `numpy.std`.

    Notes
    -----
    Where it vanishes its derivative is 0, the subgradient of smallest norm.
    """
    return _root(
        var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    )


@kinked_at_zero("v", core={"v": 0})
def _root(v):
    return np.sqrt(v)


# out = sqrt(v) of a sum of squares, which is 0 with its derivative
_root.jvp(lambda call, t: 0.5 * t.v / selected(call.out == 0, np.inf, call.out))
_root.vjp(lambda call, g: {"v": 0.5 * g / selected(call.out == 0, np.inf, call.out)})
_root.pulled_half = lambda call, q, v: 0.5 * q
_root.pushed_half = lambda call, v, t: 0.5 * t


@numpy_composition(np.average)
def average(
    a: ArrayLike,
    axis: Axes | None = None,
    weights: ArrayLike | None = None,
    returned: bool = False,
    *,
    keepdims: bool = False,
) -> Any:
    """Return the weighted mean along axes: sum(a weights) / sum(weights), see `numpy.average`."""
    if weights is None:
        out, total = mean(a, axis, keepdims=keepdims), count_elements(a, axis, keepdims, None)
    else:
        each = expand_weights(assemble(weights), axis, a.shape)
        if a.dtype.kind not in "fc":
            a = astype(a, np.float64)
        each = astype(each, np.result_type(a.dtype, each.dtype))
        total = _sum(broadcast_to(each, a.shape), axis, keepdims)
        # on a device a check would synchronize
        if isinstance(total, (np.ndarray, np.generic)) and np.any(total == 0):
            raise ZeroDivisionError("Weights sum to zero, can't be normalized")
        out = _sum(a * each, axis, keepdims) / total
    return (out, np.zeros_like(out) + total) if returned else out


def expand_weights(weights: Any, axis: Any, shape: tuple[int, ...]) -> Any:
    """Return weights of a whole array, or of some of its axes, in the order of those axes, so that
    they broadcast with it.
    """
    if weights.shape == shape:
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = reduced_axes(axis, len(shape))
    if weights.shape != tuple(shape[i] for i in axes):
        raise ValueError(
            "Shape of weights must be consistent with shape of a along specified axis."
        )
    weights = transpose(weights, sorted(range(len(axes)), key=axes.__getitem__))
    return reshape(weights, tuple(n if i in axes else 1 for i, n in enumerate(shape)))


@numpy_composition(np.nanmean)
def nanmean(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Out | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """Return the mean without NaN, see `numpy.nanmean`."""
    return mean(a, axis_or_all(axis, a), dtype, None, keepdims, where=_valid(a, where))


@numpy_composition(np.nanvar)
def nanvar(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Out | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    correction: float | None = None,
) -> Array:
    """Return the variance without NaN, see `numpy.nanvar`."""
    valid, axis = _valid(a, where), axis_or_all(axis, a)
    v = var(a, axis, dtype, None, ddof, keepdims, where=valid, mean=mean, correction=correction)
    left = count_elements(inexact(a, dtype), axis, keepdims, valid) - (
        ddof if correction is None else correction
    )
    return selected(left > 0, v, np.nan)


@numpy_composition(np.nanstd)
def nanstd(
    a: ArrayLike,
    axis: Axes | None = None,
    dtype: DTypeLike | None = None,
    out: Out | None = None,
    ddof: float = 0,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
    mean: ArrayLike | None = None,
    correction: float | None = None,
) -> Array:
    """Return the standard deviation without NaN, see `numpy.nanstd`."""
    return _root(
        nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    )


def _valid(a: Any, where: Any) -> Any:
    return ~isnan(a) if where is None or where is True else ~isnan(a) & where
