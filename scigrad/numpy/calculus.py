"""Differences, sums over intervals, slopes, and interpolation between samples."""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant, elementwise, linear, shape_of
from scigrad.typing import Array, ArrayLike, Axes

from .composition import numpy_composition
from .devices import bring_home
from .indexing import getitem
from .joining import assemble, concatenate
from .reductions import inexact
from .shaping import broadcast_to, expand_dims, moveaxis, ravel, reshape
from .sorting import argsort, searchsorted
from .taking import take

__all__ = ["diff", "ediff1d", "gradient", "interp", "trapezoid", "unwrap"]


def _take_part(x: Any, axis: int, index: Any) -> Any:
    """Return x[..., index, ...] at an axis."""
    return getitem(x, (*(slice(None),) * (axis % x.ndim), index))


# -- differences


@numpy_composition(np.diff, linear=True)
def diff(
    a: ArrayLike,
    n: int = 1,
    axis: Axes | None = -1,
    prepend: ArrayLike | None = None,
    append: ArrayLike | None = None,
) -> Array:
    """Return the differences of neighbors along an axis, taken n times, see `numpy.diff`."""
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n}")
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = np.lib.array_utils.normalize_axis_index(axis, a.ndim)
    given = [x for x in (prepend, a, append) if x is not None]
    parts = [_as_slice(x, a.shape, axis) for x in bring_home([assemble(x) for x in given], given)]
    return _diff(concatenate(parts, axis) if len(parts) > 1 else a, n, axis)


def _as_slice(x: Any, shape: tuple[int, ...], axis: int) -> Any:
    return x if x.ndim else broadcast_to(x, (*shape[:axis], 1, *shape[axis + 1 :]))


@linear("a")
def _diff(a, n, axis):
    return np.diff(a, n, axis)


@_diff.adjoint
def _(call, g):
    # The adjoint of one difference, of g with a zero at both ends, is its negative.
    widths = [(0, 0)] * g.ndim
    if not g.shape[call.axis]:
        widths[call.axis] = (0, call.a.shape[call.axis])
        return np.pad(g, widths)
    widths[call.axis] = (call.n, call.n)
    return (-1) ** call.n * _diff(np.pad(g, widths), call.n, call.axis)


_diff.batch_axis("a")


@numpy_composition(np.ediff1d)
def ediff1d(
    ary: ArrayLike, to_end: ArrayLike | None = None, to_begin: ArrayLike | None = None
) -> Array:
    """Return the differences of neighbors in the flattened array, with `to_begin` before and
    `to_end` behind them, see `numpy.ediff1d`.
    """
    middle = diff(ravel(assemble(ary)))
    ends = [None if x is None else ravel(assemble(x)) for x in (to_begin, to_end)]
    for name, x in zip(("to_begin", "to_end"), ends, strict=True):
        if x is not None and not np.can_cast(x.dtype, middle.dtype, "same_kind"):
            raise TypeError(
                f"dtype of `{name}` must be compatible with input `ary` under the `same_kind` rule."
            )
    parts = [ends[0], middle, ends[1]]
    return concatenate([x.astype(middle.dtype) for x in parts if x is not None])


@numpy_composition(np.unwrap)
def unwrap(
    p: ArrayLike,
    discont: ArrayLike | None = None,
    axis: Axes | None = -1,
    *,
    period: ArrayLike = 2 * np.pi,
) -> Array:
    """Return phases without jumps of more than half a period, see `numpy.unwrap`. Added periods
    leave the slope unchanged.
    """
    return p + (_periods(p, discont, axis, period) * period).astype(
        np.result_type(p.dtype, getattr(period, "dtype", 0.0))
    )


@constant
def _periods(p, discont, axis, period):
    """Return the number of periods that unwrap adds."""
    return np.round((np.unwrap(p, discont, axis, period=period) - p) / period)


_periods.batch_axis("p")


# -- sums over intervals


@numpy_composition(np.trapezoid)
def trapezoid(
    y: ArrayLike, x: ArrayLike | None = None, dx: float = 1.0, axis: Axes | None = -1
) -> Array:
    """Integrate along an axis by the trapezoidal rule, see `numpy.trapezoid`."""
    axis = np.lib.array_utils.normalize_axis_index(axis, y.ndim)
    if x is None:
        width = dx
    else:
        points = assemble(x)
        width = (
            diff(points, axis=axis)
            if points.ndim != 1
            else reshape(diff(points), (-1, *(1,) * (y.ndim - 1 - axis)))
        )
    return np.sum(
        width * (_take_part(y, axis, slice(1, None)) + _take_part(y, axis, slice(None, -1))) / 2.0,
        axis=axis,
    )


# -- slopes of samples


@numpy_composition(np.gradient)
def gradient(
    f: ArrayLike, *varargs: ArrayLike, axis: Axes | None = None, edge_order: int = 1
) -> Any:
    """Return slopes of samples by central differences inside and one-sided ones at the edges, see
    `numpy.gradient`.

    Differentiable in the samples and in the spacings or coordinates.
    """
    f = inexact(assemble(f))
    axes = np.lib.array_utils.normalize_axis_tuple(range(f.ndim) if axis is None else axis, f.ndim)
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    found = []
    for n, spacing in zip(axes, _spacings(f, axes, varargs), strict=True):
        if f.shape[n] < edge_order + 1:
            raise ValueError(
                "Shape of array too small to calculate a numerical gradient, at least (edge_order "
                "+ 1) elements are required."
            )
        found.append(moveaxis(_three_point_slopes(moveaxis(f, n, -1), spacing, edge_order), -1, n))
    return found[0] if len(found) == 1 else tuple(found)


def _spacings(f: Any, axes: tuple[int, ...], varargs: tuple[Any, ...]) -> list[Any]:
    """Return for each axis the distances of neighbors: a number, or one for each interval."""
    if not varargs:
        return [1.0] * len(axes)
    if len(varargs) == 1 and not shape_of(varargs[0]):
        return list(varargs) * len(axes)
    if len(varargs) != len(axes):
        raise TypeError("invalid number of arguments")
    spacings = []
    for n, given in zip(axes, varargs, strict=True):
        x = bring_home([f, assemble(given)], [f, given])[1]
        if x.ndim > 1:
            raise ValueError("distances must be either scalars or 1d")
        if x.ndim and x.shape[0] != f.shape[n]:
            raise ValueError(
                "when 1d, distances must match the length of the corresponding dimension"
            )
        spacings.append(diff(inexact(x)) if x.ndim else given)
    return spacings


def _three_point_slopes(f: Any, h: Any, edge_order: int) -> Any:
    """Return slopes along the last axis, of the parabola through three neighbors: with difference
    quotients u and v over intervals of length p and q, (q u + p v) / (p + q) in the middle and u +
    p / (p + q) (u - v) at the first of them.
    """
    quotients = diff(f) / h
    first, last = quotients[..., 0], quotients[..., -1]
    if not shape_of(h):
        share, inside = [0.5], (f[..., 2:] - f[..., :-2]) / (2.0 * h)
    else:
        share = h[:-1] / (h[:-1] + h[1:])
        inside = quotients[..., :-1] * (1 - share) + quotients[..., 1:] * share
    if edge_order == 2:
        first = first + (first - quotients[..., 1]) * share[0]
        last = last + (last - quotients[..., -2]) * (1 - share[-1])
    return concatenate([expand_dims(first, -1), inside, expand_dims(last, -1)], -1).astype(f.dtype)


# -- interpolation


@numpy_composition(np.interp)
def interp(
    x: ArrayLike,
    xp: ArrayLike,
    fp: ArrayLike,
    left: ArrayLike | None = None,
    right: ArrayLike | None = None,
    period: ArrayLike | None = None,
) -> Array:
    """Interpolate linearly between samples, see `numpy.interp`.

    Differentiable in x, in the coordinates xp, the values fp and in left and right. At a sample the
    slope is that of the interval above it; outside, where the value is constant, it is 0.
    """
    x, xp, fp = map(_double, bring_home([assemble(v) for v in (x, xp, fp)], (x, xp, fp)))
    if xp.dtype.kind == "c" or x.dtype.kind == "c":
        raise TypeError(
            "Cannot cast array data from complex to float according to the rule 'safe': interp "
            "needs real x and xp."
        )
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        x, xp, fp = _periodic(x, xp, fp, abs(period))
        left = right = None
    n = xp.shape[0]
    if n == 0:
        raise ValueError("array of sample points is empty")
    if n != fp.shape[0]:
        raise ValueError("fp and xp are not of the same length.")
    inside = _interpolate(x, xp, fp) if n > 1 else broadcast_to(fp[0], x.shape)
    # NumPy takes the real part of `left` and `right` if the samples are real.
    left, right = (v if v is None or fp.dtype.kind == "c" else np.real(v) for v in (left, right))
    out = np.where(x < xp[0], fp[0] if left is None else left, inside)
    return np.where(x > xp[-1], fp[-1] if right is None else right, out)


def _double(x: Any) -> Any:
    """Convert to double precision, in which NumPy interpolates."""
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def _periodic(x: Any, xp: Any, fp: Any, period: Any) -> tuple[Any, Any, Any]:
    """Return the samples within one period, sorted, with one more at both ends."""
    x, xp = x % period, xp % period
    order = argsort(xp)
    xp, fp = take(xp, order), take(fp, order)
    return (
        x,
        concatenate([xp[-1:] - period, xp, xp[:1] + period]),
        concatenate([fp[-1:], fp, fp[:1]]),
    )


def _interpolate(x: Any, xp: Any, fp: Any) -> Any:
    i = np.clip(searchsorted(xp, x, "right") - 1, 0, xp.shape[0] - 2)
    return _interpolated_line(x, take(xp, i), take(xp, i + 1), take(fp, i), take(fp, i + 1))


@elementwise
def _interpolated_line(x, x0, x1, f0, f1):
    """Return the line through two samples as NumPy computes it: from the other end where the first
    gives nan (for an infinite slope), and at a sample without the slope.
    """
    if np.iscomplexobj(f0):
        out = np.empty_like(f0, shape=np.broadcast_shapes(x.shape, x0.shape, f0.shape, f1.shape))
        out.real, out.imag = (
            _interpolated_line(x, x0, x1, f0.real, f1.real),
            _interpolated_line(x, x0, x1, f0.imag, f1.imag),
        )
        return out
    slope = (f1 - f0) / (x1 - x0)
    out = slope * (x - x0) + f0
    out = np.where(np.isnan(out), slope * (x - x1) + f1, out)
    out = np.where(np.isnan(out) & (f0 == f1) & ~np.isnan(x), f0, out)
    return np.where(x == x1, f1, np.where(x == x0, f0, out))


@_interpolated_line.partials
def _(call):
    width = call.x1 - call.x0
    slope, share = (call.f1 - call.f0) / width, (call.x - call.x0) / width
    return slope, lambda: slope * (share - 1), lambda: -slope * share, 1 - share, share
