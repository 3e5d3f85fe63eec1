"""Evenly spaced numbers between end points that may be traced."""

import operator
from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw, shape_of
from scigrad.typing import Array, ArrayLike, Axes, DTypeLike

from .composition import numpy_composition
from .conversion import astype
from .devices import bring_home, place_beside
from .joining import assemble
from .selection import where
from .shaping import expand_dims, moveaxis, reshape
from .views import own_result

__all__ = ["geomspace", "linspace", "logspace"]


@numpy_composition(np.linspace)
def linspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: DTypeLike | None = None,
    axis: Axes | None = 0,
    *,
    device: object | None = None,
) -> Any:
    """Return evenly spaced numbers from start to stop, see `numpy.linspace`."""
    start, stop = _floating(start, stop)
    t, count = _fractions(num, endpoint, start, stop)
    out = _finished(start * (1 - t) + stop * t, dtype, axis)
    if not retstep:
        return out
    return out, (stop - start) / count if count > 0 else np.nan


def _floating(*ends: Any) -> list[Any]:
    """Return the end points in the dtype of the result, which Python's own numbers do not widen."""
    kind = np.result_type(
        *(x if isinstance(x, (int, float, complex)) else assemble(x).dtype for x in ends), 1.0
    )
    return bring_home([astype(assemble(x), kind, copy=False) for x in ends], ends)


def _fractions(num: Any, endpoint: bool, start: Any, stop: Any) -> tuple[Any, int]:
    """Return 0 to 1 along a new first axis, and the number of intervals."""
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"Number of samples, {num}, must be non-negative.")
    count = num - 1 if endpoint else num
    rank = len(np.broadcast_shapes(shape_of(start), shape_of(stop)))
    return place_beside(
        (np.arange(num) / max(count, 1)).reshape(-1, *(1,) * rank), start, stop
    ), count


def _finished(out: Array, dtype: Any, axis: int) -> Any:
    out = moveaxis(out, 0, axis) if axis else out
    if dtype is None:
        return own_result(out)
    return (np.floor(out) if np.issubdtype(dtype, np.integer) else out).astype(dtype)


@numpy_composition(np.logspace)
def logspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    base: ArrayLike = 10.0,
    dtype: DTypeLike | None = None,
    axis: Axes | None = 0,
) -> Array:
    """Return powers of a base with evenly spaced exponents, see `numpy.logspace`."""
    if shape_of(base):
        rank = len(np.broadcast_shapes(shape_of(start), shape_of(stop), shape_of(base)))
        start, stop, base = (
            reshape(x, (*(1,) * (rank - len(shape_of(x))), *shape_of(x)))
            for x in map(assemble, (start, stop, base))
        )
        base = expand_dims(base, axis)
    out = np.power(base, linspace(start, stop, num, endpoint, axis=axis))
    return out if dtype is None else out.astype(dtype)


@numpy_composition(np.geomspace)
def geomspace(
    start: ArrayLike,
    stop: ArrayLike,
    num: int = 50,
    endpoint: bool = True,
    dtype: DTypeLike | None = None,
    axis: Axes | None = 0,
) -> Array:
    """Return numbers with a constant ratio from start to stop, see `numpy.geomspace`."""
    start, stop = _floating(start, stop)
    for end in (raw(start), raw(stop)):
        if isinstance(end, (np.ndarray, np.generic)) and np.any(end == 0):
            raise ValueError("Geometric sequence cannot include zero")
    # NumPy's choice, here and not in linspace
    double = np.result_type(start.dtype, stop.dtype, np.float64)
    start, stop = start.astype(double), stop.astype(double)
    t, _ = _fractions(num, endpoint, start, stop)
    # start (stop / start)^t; for complex end points the logarithm is the principal one, as in
    # NumPy. The ends themselves are there even if there is nothing between them: if one of them is
    # negative.
    inside = start * np.exp(t * np.log(stop / start))
    return _finished(where(t == 0, start, where(t == 1, stop, inside)), dtype, axis)
