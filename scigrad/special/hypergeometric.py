"""Hypergeometric functions (DLMF chapters 13, 15 and 16), most parameters differentiated
numerically, see numerical_partial.
"""

import functools
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import elementwise, stop_gradient
from scigrad.numpy.selection import chosen
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .gamma import digamma, gammaln, stirling_error
from .machinery.numerical_partial import growing, numerical_partial, pole_distance, power_scale
from .machinery.ufuncs import corrected_kernel, holds_somewhere, library_values, row


def _series_excess(numerators: Sequence[Any], denominators: Sequence[Any], z: Any) -> Any:
    """Return a hypergeometric series less 1, its first term, for small z."""
    term, total = z, 0.0
    for k in range(12):
        for p in numerators:
            term = term * (p + k)
        for q in denominators:
            term = term / (q + k)
        total, term = total + term, term * z / (k + 2)
    return total


def _by_parameter_of(f: Any, count: int, position: int, *args: Any, scale: Any = 1.0) -> Any:
    """Return the partial of a hypergeometric function with `count` numerators in a parameter.

    For small z it is that of what is added to 1, which rounds it.
    """
    *parameters, z = map(stop_gradient, args)
    size = np.abs(z)
    for p in parameters[:count]:
        size = size * (np.abs(p) + 1)
    for q in parameters[count:]:
        size = size / np.where(q > 0.5, q, np.abs(q - np.rint(q)))
    small = size < 0.01

    def g(*at: Any) -> Any:
        series = _series_excess(at[:count], at[count:-1], np.where(small, at[-1], 0.0))
        return np.where(small, series, f(*at))

    # the series is its first term if a numerator is 0
    others = (p for i, p in enumerate(parameters[:count]) if i != position)
    constant = functools.reduce(np.logical_or, (p == 0 for p in others), False)
    function = g if holds_somewhere(small) else f
    return numerical_partial(function, position, *args, scale=scale, constant=constant)


def _of_large(b: Any, numerator: Any) -> Any:
    """Return the scale in b of a series 1 + numerator / b + ..."""
    b = stop_gradient(b)
    return growing(pole_distance(b), b, np.abs(stop_gradient(numerator)) / np.maximum(b * b, 1))


def _of_large_order(v: Any, z: Any) -> Any:
    """Return 0F1 by Debye's series for the Bessel function (DLMF 10.39.9, 10.41.3), without what
    Stirling's formula cancels.
    """
    order = v - 1
    ratio = 4 * (z / order) / order
    root = np.sqrt(1 + ratio)
    excess, s = ratio / (1 + root), 1 / root
    series = (
        1
        + s * (3 - 5 * s**2) / (24 * order)
        + (81 * s**2 - 462 * s**4 + 385 * s**6) / (1152 * order**2)
    )
    return [
        np.exp(order * (excess - np.log1p(excess / 2)) + stirling_error(order))
        * series
        / np.sqrt(root)
    ]


@row(
    lambda v, z, out: _by_parameter_of(hyp0f1, 0, 0, v, z, scale=_of_large(v, z)),
    lambda v, z, out: hyp0f1(v + 1, z) / v,
    instead=corrected_kernel(
        "hyp0f1", lambda v, z: (v > 1e4) & (v < np.inf) & (z > -v / 10 * v), _of_large_order
    ),
)
def hyp0f1(v: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the confluent hypergeometric limit function.

    ``sum_k z^k / ((v)_k k!)``. The derivative in z is ``hyp0f1(v + 1, z)/v``; v is differentiated
    numerically. For real z and v above 1e4, where SciPy's values lose all digits by and by, Debye's
    series is summed.

    Parameters
    ----------
    v : array_like
        Parameter in the denominator; no integer of at most 0.
    z : array_like
        Argument of the series, real or complex.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.hyp0f1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.hyp0f1(1.5, 0.5).round(9), grad(special.hyp0f1, 1)(1.5, 0.5).round(9))
    1.368298872 0.809884685
    """
    ...


@row(
    lambda a, b, x, out: _by_parameter_of(hyp1f1, 1, 0, a, b, x),
    lambda a, b, x, out: _by_parameter_of(hyp1f1, 1, 1, a, b, x, scale=_of_large(b, a * x)),
    lambda a, b, x, out: a / b * hyp1f1(a + 1, b + 1, x),
)
def hyp1f1(a: ArrayLike, b: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute Kummer's confluent hypergeometric function.

    ``sum_k (a)_k x^k / ((b)_k k!)`` (DLMF 13.2.2), for real or complex x. The derivative in x is
    ``a/b hyp1f1(a + 1, b + 1, x)`` (DLMF 13.3.15); a and b are differentiated numerically.

    Parameters
    ----------
    a : array_like
        Parameter in the numerator.
    b : array_like
        Parameter in the denominator; no integer of at most 0.
    x : array_like
        Argument of the series, real or complex.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.hyp1f1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.hyp1f1(1.5, 2.0, 0.5).round(9), grad(special.hyp1f1, 2)(1.5, 2.0, 0.5).round(9)
    ... )
    1.465927199 1.142406443
    """
    ...


_NODES = 640
_SMALLEST = 0.3  # value of a from which so many nodes are exact


# U = 1/Gamma(a) int_0^inf exp(-x t) t^(a-1) (1+t)^(b-a-1) dt (DLMF 13.4.4), by the trapezoidal rule
# in s = log(t). Differentiated in a and b under the integral it gains the factors log(t/(1+t)) and
# log(1+t).
@elementwise
def _laplace(a, b, x, j, k):
    """Return U with the factors log(t/(1+t))^j log(1+t)^k in its integral, for a >= 0.3 and x >
    0.
    """
    dtype = np.result_type(a, b, x, np.float32)
    a, b, x = (v.astype(np.float64) if hasattr(v, "dtype") else np.float64(v) for v in (a, b, x))
    whole = a + b + x
    with np.errstate(all="ignore"):
        start = np.log(a / (x + a + np.abs(b) + 1)) - 45 / a
        step = (np.log((60 + 3 * (a + np.abs(b))) / x) - start) / _NODES
        total, nodes = 0.0, np.arange(_NODES + 1.0, like=whole if whole.ndim else None)
        for some in np.array_split(nodes, 1 + min(_NODES, whole.size * _NODES // 2**20)):
            s = start + step * some.reshape(-1, *[1] * whole.ndim)
            t = np.exp(s)
            second = np.log1p(t)
            first = s - second
            total += np.sum(
                np.exp(a * first + (b - 1) * second - x * t - gammaln(a)) * first**j * second**k,
                axis=0,
            )
        return (step * total).astype(dtype)[()]


@_laplace.partials
def _(call):
    a, b, x, j, k, out = call[:-1]
    return (
        lambda: _laplace(a, b, x, j + 1, k) - digamma(a) * out,
        lambda: _laplace(a, b, x, j, k + 1),
        lambda: -a * _laplace(a + 1, b + 1, x, j, k),
        None,
        None,
    )


def _coefficient_partial(position: int) -> Any:
    def partial(a: Array, b: Array, x: Array, out: Array) -> Array:
        inside = stop_gradient(a) >= _SMALLEST
        at = chosen(inside, a, 1.0), b, x
        slope = (
            _laplace(*at, 0, 1)
            if position
            else _laplace(*at, 1, 0) - digamma(at[0]) * _laplace(*at, 0, 0)
        )
        return chosen(
            inside, slope, numerical_partial(hyperu, position, chosen(inside, 0.0, a), b, x)
        )

    return partial


def _lossy(a: Any, b: Any, x: Any) -> Any:
    """Return where the integral has more digits than SciPy's function, and takes no longer."""
    return (
        ((a >= 0.5) | (a >= _SMALLEST) & (b <= 8))
        & (a <= 20)
        & (abs(b) <= 16)
        & (x >= 1)
        & (x <= 100)
    )


_CORRECTED = corrected_kernel("hyperu", _lossy, lambda a, b, x: [_laplace(a, b, x, 0, 0)])


@row(
    _coefficient_partial(0),
    _coefficient_partial(1),
    lambda a, b, x, out: -a * hyperu(a + 1, b + 1, x),
    instead=_CORRECTED,
    in_double=True,
)
def hyperu(a: ArrayLike, b: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute Tricomi's confluent hypergeometric function U.

    DLMF 13.2.6, for real x > 0. The derivative in x is ``-a hyperu(a + 1, b + 1, x)`` (DLMF
    13.3.22); a and b are differentiated under the integral for a >= 0.3, and numerically otherwise.
    Values are the integral for 0.3 <= a <= 20, ``|b| <= 16`` and 1 <= x <= 100 on the host, where
    SciPy's are off by up to 1e-6, and SciPy's elsewhere, off by 1e-8 in places and nan for a < 0 =
    b, so that derivatives at a = b = 0 are nan.

    Parameters
    ----------
    a : array_like
        First parameter of Kummer's equation.
    b : array_like
        Second parameter of Kummer's equation.
    x : array_like
        Argument, positive.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.hyperu`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.hyperu(1.5, 2.0, 0.5).round(9), grad(special.hyperu, 2)(1.5, 2.0, 0.5).round(9)
    ... )
    1.597752595 -3.831191674
    """
    ...


def _beside_one(z: Any) -> Any:
    """Return the scale of hyp2f1 in its parameters, which contains the factor (1 - z)^(c - a -
    b).
    """
    return np.minimum(1, 2 * power_scale(1 - z))


def _near_integer(x: Any) -> Any:
    """Return where a number is an integer, or so near to one that quotients lose their digits."""
    return abs(x - np.rint(x)) < 1e-6


def _large(a: Any, b: Any, c: Any, z: Any) -> Any:
    """Return where SciPy's values of hyp2f1 are wrong for one in a thousand parameters or more:
    some above 15, or c < -8; a - b an integer and z < -1, or c - a - b and z > 0.9.
    """
    degenerate = (z < -1) & _near_integer(a - b) | (z > 0.9) & _near_integer(c - a - b)
    some = ((abs(a) > 15) | (abs(b) > 15) | (abs(c) > 15) | (c < -8) | degenerate) & (z < 1)
    if some is False or not np.any(some):
        return False
    size = np.maximum(np.maximum(abs(a), abs(b)), abs(c))
    finite = sum((v <= 0) & (v == np.rint(v)) for v in (a, b, c)) > 0  # a sum, or a pole
    easy = (size < 50) & (z >= 0) & (c > 0) & (a * b >= 0) & ~degenerate
    return some & (size < 1e3) & ~(finite | easy)


def gauss_by_steps(a: Any, b: Any, c: Any, w: Any) -> Any:
    """Return hyp2f1 at 1 - w, for w > 0, by Taylor's series of its differential equation (DLMF
    15.10.1), from a point where the power series has all digits to the next, and so on.

    The equation's other solution falls on the way for c > 0, or oscillates with this one. For c < 0
    it grows: by more than digits last if c < -10, where values are nan, as at parameters that take
    seconds.
    """
    c = np.where((c > -10) & (np.maximum(abs(a), abs(b)) < 1e4) & (c < 1e4), c, np.nan)
    small = np.where(c > 0, c / 4, 2 * np.maximum(-c, 1))
    near = np.minimum(small / ((abs(a) + 1) * (abs(b) + 1)), 0.4)
    x = np.clip(w, 1 - near, 1 + near)
    value = library_values("hyp2f1", a, b, c, 1 - x)
    slope = -a * b / c * library_values("hyp2f1", a + 1, b + 1, c + 1, 1 - x)
    while (rest := np.where(np.isfinite(value), w - x, 0.0)).any():
        p, q = x * (1 - x), (a + b + 1) * (1 - x) - c
        steep = np.sqrt(abs(a * b / p)) + abs(q / p)
        reach = np.minimum(np.minimum(x, abs(1 - x)), 9 / steep) / 3
        h = np.clip(rest, -reach, reach)
        before, term = value, slope * h
        value, moved, size = value + term, term, abs(value) + abs(term)
        for k in range(300):
            change = (k + a) * (k + b) * h * before - (k + 1) * (k * (1 - 2 * x) + q) * term
            before, term = term, change * h / (p * (k + 1) * (k + 2))
            value, moved = value + term, moved + (k + 2) * term
            if k > 8 and not np.any(abs(k * term) > 1e-17 * size):
                break
        slope, x = np.where(h, moved / h, slope), np.where(h == rest, w, x + h)
    return value


def _by_series(a: Any, b: Any, c: Any, z: Any) -> Any:
    """Return the best of the power series and its transformations (DLMF 15.8.1).

    The largest term over the sum, in units of eps, is the relative error of a series. Where none is
    good, values are made by steps for c > 0, and are SciPy's where a transformation confirms them;
    otherwise nan.
    """
    w, zero = z / (z - 1), 0 * z
    forms = (a, b, z, zero), (c - a, c - b, z, c - a - b), (a, c - b, w, -a), (c - a, b, w, -b)
    p, q, x, power = np.swapaxes(forms, 0, 1)
    x = np.where(np.abs(x) < 0.98, x, np.nan)
    term, most = np.ones_like(x), np.max(np.abs([*p, *q, c]))
    total = largest = term
    for k in range(4000):
        term = term * ((p + k) * (q + k) / ((c + k) * (k + 1)) * x)
        total, largest = total + term, np.maximum(largest, np.abs(term))
        if (
            k % 16 == 0
            and k > most
            and np.all((np.abs(term) <= 1e-17 * np.abs(total)) | ~np.isfinite(total))
        ):
            break
    scale, small = power * np.log1p(-z), np.abs(term) <= 1e-10 * np.abs(total)
    error = np.where(small, largest / np.abs(total) + np.abs(scale), np.inf)
    best = np.argmin(error, axis=0)[None]
    found, error = (np.take_along_axis(v, best, 0)[0] for v in (total * np.exp(scale), error))
    good = (error < 1e8) & (c > -100) & (found != 0) & np.isfinite(found)
    if (lost := ~good).any():
        a, b, c, z = (v[lost] for v in (a, b, c, z))
        steps = gauss_by_steps(a, b, np.where(c > 0, c, np.nan), 1 - z)
        theirs = library_values("hyp2f1", a, b, c, z)
        other = library_values("hyp2f1", a, c - b, c, z / (z - 1)) * np.exp(-a * np.log1p(-z))
        known = (np.max(np.abs([a, b, c]), axis=0) < 30) & ~_near_integer(a - b)
        known &= np.abs(theirs - other) <= 1e-6 * np.abs(theirs)
        found[lost] = np.where(c > 0, steps, np.where(known, theirs, np.nan))
    return [found]


@row(
    lambda a, b, c, z, out: _by_parameter_of(hyp2f1, 2, 0, a, b, c, z, scale=_beside_one(z)),
    lambda a, b, c, z, out: _by_parameter_of(hyp2f1, 2, 1, a, b, c, z, scale=_beside_one(z)),
    lambda a, b, c, z, out: _by_parameter_of(
        hyp2f1, 2, 2, a, b, c, z, scale=np.minimum(pole_distance(c), _beside_one(z))
    ),
    lambda a, b, c, z, out: a * b / c * hyp2f1(a + 1, b + 1, c + 1, z),
    instead=corrected_kernel("hyp2f1", _large, _by_series),
)
def hyp2f1(
    a: ArrayLike, b: ArrayLike, c: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute Gauss's hypergeometric function.

    ``sum_k (a)_k (b)_k z^k / ((c)_k k!)`` (DLMF 15.2.1), real or complex z. The derivative in z is
    ``a b/c hyp2f1(a + 1, b + 1, c + 1, z)`` (DLMF 15.5.1); a, b and c are differentiated
    numerically, which gives nan where SciPy's values are noisy, as at 5, 3, 1.5, -400.

    Of SciPy's values, for real -5 < z < 1, none are off by more than 1e-6 where the parameters are
    between -10 and 10, a tenth between -30 and 30, and half between -100 and 100, some by orders of
    magnitude; so are those of integers a - b for z < -1, and c - a - b for z > 0.9. On the host
    these are replaced by the best of four power series, or by steps along the differential
    equation, which take milliseconds; for c < 0 also by nan. Complex z and polynomials have SciPy's
    values.

    Parameters
    ----------
    a, b : array_like
        Parameters in the numerator, symmetric.
    c : array_like
        Parameter in the denominator; no integer of at most 0.
    z : array_like
        Argument of the series, real or complex; the branch cut is the real axis from 1 to
        infinity.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.hyp2f1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.hyp2f1(1.5, 2.0, 2.5, 0.5).round(9),
    ...     grad(special.hyp2f1, 3)(1.5, 2.0, 2.5, 0.5).round(9),
    ... )
    2.260648559 5.218054323
    """
    ...


__all__ = ["hyp0f1", "hyp1f1", "hyp2f1", "hyperu"]
