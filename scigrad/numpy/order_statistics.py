"""Maxima, minima, medians and quantiles along axes.

Elements that are equal to a maximum share its derivative equally: of all subgradients at a tie that
is the one of smallest norm. Medians and quantiles pick elements of the sorted array; at ties the
derivative goes to those picked.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import differentiable, namespace_of, raw, warn
from scigrad.autodiff_rules.masked import fill_absent, partly
from scigrad.typing import Array, ArrayLike, Axes, Out

from .comparison import floor, isnan
from .composition import intercepts, numpy_composition
from .conversion import astype
from .indexing import getitem, take_along_axis
from .joining import assemble
from .kinks import fingerprint
from .reductions import (
    beginning,
    count_elements,
    expand_weights,
    inexact,
    merge_axes,
    prepare_operand,
    reduced_axes,
    spread_back,
)
from .selection import clip, maximum, minimum
from .selection import where as selected
from .shaping import axis_or_all, broadcast_to, expand_dims, moveaxis, reshape
from .sorting import argsort, sort
from .ties import infinitesimal, parts_of_equals
from .truth_values import all_true

__all__ = [
    "amax", "amin", "max", "median", "min", "nanmax", "nanmedian", "nanmin", "nanpercentile",
    "nanquantile", "percentile", "ptp", "quantile",
]  # fmt: skip


# -- maxima and minima


def _declare_extreme(original: Any) -> Any:
    def kernel(a: Any, axis: Any, keepdims: bool) -> Any:
        return original(a, axis=axis, keepdims=keepdims)

    kernel.__name__ = original.__name__
    function = differentiable("a")(kernel)
    function.batch_axis("a")
    function.sees_infinitesimals = True

    def shares(call: Any) -> Any:
        """Return 1 / k at the k elements that are equal to the extreme one (to NaN if there is
        one), absent elsewhere.
        """
        out = spread_back(call.out, call.axis, call.keepdims, call.a.shape)
        equal = astype((call.a == out) | isnan(call.a), np.finfo(call.a.dtype).dtype)
        if infinitesimal(call.a) is None:
            parts = equal / np.sum(equal, axis=call.axis, keepdims=True)
        else:
            sign, seed = 1 if original is np.max else -1, fingerprint(call.a)
            parts = parts_of_equals(equal != 0, call.a, seed, sign, call.axis, original.__name__)
        return partly(parts, lambda: parts != 0)

    function.jvp(
        lambda call, t: np.sum(
            fill_absent(shares(call) * t.a), axis=call.axis, keepdims=call.keepdims
        )
    )
    function.vjp(
        lambda call, g: {"a": spread_back(g, call.axis, call.keepdims, call.a.shape) * shares(call)}
    )
    return function


_max, _min = _declare_extreme(np.max), _declare_extreme(np.min)


def _reduce_extreme(
    extreme: Any, pairwise: Any, a: Any, axis: Any, keepdims: bool, initial: Any, where: Any
) -> Any:
    axis = axis_or_all(axis, a)
    if where is not None and where is not True and initial is None:
        raise ValueError(
            "reduction operation has no identity, so to use a where mask one has to specify "
            "'initial'"
        )
    initial = None if initial is None else beginning(initial, a)
    if initial is not None and not count_elements(a, axis, keepdims, None):
        # no element: the result is `initial`
        return np.sum(a, axis=axis, keepdims=keepdims) + initial
    out = extreme(prepare_operand(a, None, where, initial), axis, keepdims)
    return out if initial is None else pairwise(out, initial)


@intercepts(np.amax)
@numpy_composition(np.max)
def max(
    a: ArrayLike,
    axis: Axes | None = None,
    out: Out | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Return the maximum along axes (None: all), see `numpy.max`.

    Notes
    -----
    Elements that are equal to the maximum share its derivative equally.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad
    >>> print(grad(np.max)(np.array([3.0, 1.0, 3.0])))
    [0.5 0.  0.5]
    """
    return _reduce_extreme(_max, maximum, a, axis, keepdims, initial, where)


@intercepts(np.amin)
@numpy_composition(np.min)
def min(
    a: ArrayLike,
    axis: Axes | None = None,
    out: Out | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Return the minimum along axes (None: all), see `numpy.min`.

    Notes
    -----
    Elements that are equal to the minimum share its derivative equally.
    """
    return _reduce_extreme(_min, minimum, a, axis, keepdims, initial, where)


amax: Callable[..., Array]
amin: Callable[..., Array]
amax, amin = max, min


@numpy_composition(np.ptp)
def ptp(
    a: ArrayLike, axis: Axes | None = None, out: Out | None = None, keepdims: bool = False
) -> Array:
    """Return maximum minus minimum along axes, see `numpy.ptp`."""
    return max(a, axis, None, keepdims) - min(a, axis, None, keepdims)


@numpy_composition(np.nanmax)
def nanmax(
    a: ArrayLike,
    axis: Axes | None = None,
    out: Out | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Return the maximum without NaN, see `numpy.nanmax`."""
    return _without_nan(max, -np.inf, a, axis, keepdims, initial, where)


@numpy_composition(np.nanmin)
def nanmin(
    a: ArrayLike,
    axis: Axes | None = None,
    out: Out | None = None,
    keepdims: bool = False,
    initial: ArrayLike | None = None,
    where: ArrayLike | None = None,
) -> Array:
    """Return the minimum without NaN, see `numpy.nanmin`."""
    return _without_nan(min, np.inf, a, axis, keepdims, initial, where)


def _without_nan(
    function: Any, worst: float, a: Any, axis: Any, keepdims: bool, initial: Any, where: Any
) -> Any:
    missing, axis = isnan(a), axis_or_all(axis, a)
    out = function(selected(missing, worst, a), axis, None, keepdims, initial, where)
    return selected(all_true(missing, axis, keepdims), np.nan, out) if initial is None else out


# -- quantiles

# The quantile q lies among n sorted values, counted from 0 (Hyndman and Fan, The American
# Statistician 50 (1996) 361, table 1): n q + alpha + q (1 - alpha - beta) - 1. Quantiles between
# two values are interpolated.
_CONTINUOUS = {
    "linear": (1, 1), "interpolated_inverted_cdf": (0, 1), "hazen": (0.5, 0.5), "weibull": (0, 0),
    "median_unbiased": (1 / 3, 1 / 3), "normal_unbiased": (3 / 8, 3 / 8),
}  # fmt: skip
_DISCRETE = (
    "inverted_cdf",
    "averaged_inverted_cdf",
    "closest_observation",
    "lower",
    "higher",
    "midpoint",
    "nearest",
)


def _place(n: Any, q: Any, method: str) -> tuple[Any, Any]:
    """Return the sorted value below a quantile, and the distance of the quantile from it toward the
    next one.
    """
    if method in _CONTINUOUS:
        alpha, beta = _CONTINUOUS[method]
        at = (n - 1) * q if method == "linear" else n * q + (alpha + q * (1 - alpha - beta)) - 1
        below = floor(at)
        return below, at - below
    at = (
        n * q - 1
        if "cdf" in method
        else n * q - 1.5
        if method == "closest_observation"
        else (n - 1) * q
    )
    below = floor(at)
    part = at - below
    if method == "averaged_inverted_cdf":
        return below, 1 - 0.5 * astype(part == 0, part.dtype)
    if method == "inverted_cdf":
        return maximum(selected(part == 0, below, below + 1), 0), 0
    if method == "closest_observation":
        return maximum(selected((part == 0) & (below % 2 == 1), below, below + 1), 0), 0
    if method == "nearest":
        return np.rint(at), 0
    return (np.ceil(at) if method == "higher" else below), 0


def _quantile(
    a: Any,
    q: Any,
    axis: Any,
    method: str,
    keepdims: bool,
    weights: Any = None,
    skip_nan: bool = False,
) -> Any:
    if method not in _CONTINUOUS and method not in _DISCRETE:
        raise ValueError(
            f"{method!r} is not a valid method. Use one of: {(*_CONTINUOUS, *_DISCRETE)}"
        )
    a = inexact(a)
    q = _check_quantiles(q, a)
    rows = merge_axes(a, axis)
    n: Any = rows.shape[-1]
    flat = reshape(q, (-1,))
    if not rows.shape[-1]:
        ordered, out = rows, _of_nothing(rows, flat, skip_nan or method == "midpoint")
    elif weights is None:
        ordered = sort(rows, axis=-1)
        if skip_nan:
            n = expand_dims(count_elements(rows, -1, False, ~isnan(rows)), -1)
        below, part = _place(n, flat, method)
        above = np.ceil((n - 1) * flat) if method == "midpoint" else below + 1
        low, high = (_picked(ordered, clip(i, 0, maximum(n - 1, 0))) for i in (below, above))
        if method == "midpoint":  # the mean of both, so that an infinity farther up stays out
            out = astype((low + high) / 2, np.result_type(low.dtype, flat.dtype), copy=False)
        else:
            out = low if isinstance(part, int) else low + (high - low) * part
    else:
        ordered, out = _weighted(rows, flat, axis, method, weights, a.shape)
    if rows.shape[-1] and not skip_nan:
        last = getitem(ordered, (..., slice(-1, None)))
        out = selected(isnan(last), last, out)
    out = reshape(moveaxis(out, -1, 0), (*q.shape, *rows.shape[:-1]))
    if not keepdims:
        return out
    return expand_dims(out, tuple(q.ndim + i for i in reduced_axes(axis, a.ndim)))


def _of_nothing(rows: Any, q: Any, is_nan: bool) -> Any:
    """Return nan with NumPy's warning, for medians and functions without nan; other quantiles of no
    elements do not exist.
    """
    if not is_nan:
        raise IndexError(
            "index -1 is out of bounds for axis 0 with size 0: a quantile of an empty array"
        )
    if rows.shape[:-1].count(0) == 0:
        warn("Mean of empty slice", RuntimeWarning)
    return np.full_like(rows, np.nan, shape=(*rows.shape[:-1], *q.shape))


def _check_quantiles(q: Any, a: Any) -> Any:
    """Return q as an array on the device of a; values that lie on the host are checked."""
    if type(q) in (int, float):
        q = np.full((), q, np.finfo(a.dtype).dtype)
    elif isinstance(q, (list, tuple)):
        q = assemble(q)
    values = raw(q)
    if isinstance(values, (np.ndarray, np.generic)) and not np.all((values >= 0) & (values <= 1)):
        raise ValueError("Quantiles must be in the range [0, 1]")
    return namespace_of(a).asarray(q) if q is values else q


def _picked(ordered: Any, index: Any) -> Any:
    index = astype(index, np.intp)
    return take_along_axis(ordered, broadcast_to(index, (*ordered.shape[:-1], index.shape[-1])), -1)


def _weighted(
    rows: Any, q: Any, axis: Any, method: str, weights: Any, shape: tuple[int, ...]
) -> tuple[Any, Any]:
    """Return the first sorted value at which the cumulated weights reach the fraction q of their
    sum.
    """
    if method != "inverted_cdf":
        raise ValueError(f"Only method 'inverted_cdf' supports weights. Got: {method}.")
    weights = merge_axes(broadcast_to(expand_weights(assemble(weights), axis, shape), shape), axis)
    order = argsort(rows, axis=-1)
    ordered = take_along_axis(rows, order, -1)
    steps = np.cumsum(astype(take_along_axis(weights, order, -1), np.float64), axis=-1)
    steps = steps / getitem(steps, (..., slice(-1, None)))
    steps = selected(steps == 0, -1, steps)
    index = np.sum(expand_dims(steps, -2) < expand_dims(q, -1), axis=-1)
    return ordered, _picked(ordered, minimum(index, rows.shape[-1] - 1))


def _require_real(name: str, a: Any) -> None:
    if a.dtype.kind == "c":
        raise TypeError(f"{name}: a must be an array of real numbers, not of dtype {a.dtype}")


@numpy_composition(np.quantile)
def quantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes | None = None,
    out: Out | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """Return quantiles along axes, by any of NumPy's methods, see `numpy.quantile`. Differentiable
    in `a`, and in `q` where the method interpolates.
    """
    _require_real("quantile", assemble(a))
    return _quantile(a, q, axis, method, keepdims, weights)


@numpy_composition(np.percentile)
def percentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes | None = None,
    out: Out | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """Return quantiles in per cent, see `numpy.percentile`."""
    return quantile(
        a, _hundredth(q), axis, None, overwrite_input, method, keepdims, weights=weights
    )


@numpy_composition(np.median)
def median(
    a: ArrayLike,
    axis: Axes | None = None,
    out: Out | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """Return the middle of the sorted values, or the mean of the two in the middle, see
    `numpy.median`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad
    >>> print(grad(np.median)(np.array([4.0, 1.0, 3.0, 0.0])))
    [0.  0.5 0.5 0. ]
    """
    return _quantile(a, 0.5, axis, "midpoint", keepdims)


@numpy_composition(np.nanquantile)
def nanquantile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes | None = None,
    out: Out | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """Return quantiles without NaN, see `numpy.nanquantile`. Traced arrays with weights are
    refused.
    """
    _require_real("nanquantile", assemble(a))
    if weights is not None:
        raise NotImplementedError(
            "nanquantile with weights has no rule; remove the NaN and use quantile, or give them "
            "weight 0"
        )
    return _quantile(a, q, axis, method, keepdims, skip_nan=True)


@numpy_composition(np.nanpercentile)
def nanpercentile(
    a: ArrayLike,
    q: ArrayLike,
    axis: Axes | None = None,
    out: Out | None = None,
    overwrite_input: bool = False,
    method: str = "linear",
    keepdims: bool = False,
    *,
    weights: ArrayLike | None = None,
) -> Array:
    """Return quantiles in per cent without NaN, see `numpy.nanpercentile`."""
    return nanquantile(
        a, _hundredth(q), axis, None, overwrite_input, method, keepdims, weights=weights
    )


@numpy_composition(np.nanmedian)
def nanmedian(
    a: ArrayLike,
    axis: Axes | None = None,
    out: Out | None = None,
    overwrite_input: bool = False,
    keepdims: bool = False,
) -> Array:
    """Return the median without NaN, see `numpy.nanmedian`."""
    return _quantile(a, 0.5, axis, "midpoint", keepdims, skip_nan=True)


def _hundredth(q: Any) -> Any:
    return (q if hasattr(q, "dtype") or isinstance(q, (int, float)) else np.asarray(q)) / 100
