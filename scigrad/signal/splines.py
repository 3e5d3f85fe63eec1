"""Splines on equidistant knots: their coefficients by recursive filters, their values, and
smoothing.
"""

import math
from typing import Any

import scigrad.numpy as np
from scigrad.numpy import take
from scigrad.numpy.devices import place_beside
from scigrad.typing import Array, ArrayLike

from .filters.symmetric import filter_second_order, first_order, sepfir2d
from .foundation.composition import floating, refuse_if, scipy_composition, signals

# pole and gain of the inverse of the B-spline at the knots, by degree
_POLES = {3: math.sqrt(3) - 2, 2: 2 * math.sqrt(2) - 3}
_GAINS = {3: 6.0, 2: 8.0}


def _exact(x: Any, degree: int, precision: Any = None) -> Any:
    return first_order(x, -_POLES[degree] * _GAINS[degree], _POLES[degree], precision)


def _smoothing_pole(lamb: Any) -> tuple[Any, Any]:
    """Return size and angle of the poles of a smoothing cubic spline (doi 10.1109/78.193221)."""
    lamb = np.float64(1) * lamb  # products of narrow dtypes would wrap or be rounded
    root = np.sqrt(3 + 144 * lamb)
    xi = 1 - 96 * lamb + 24 * lamb * root
    r = (24 * lamb - 1 - np.sqrt(xi)) / (24 * lamb) * np.sqrt((48 * lamb + 24 * lamb * root) / xi)
    return r, np.arctan2(np.sqrt(144 * lamb - 1), np.sqrt(xi))


# SciPy's functions raise an IndexError where there is no knot.
_of_knots = scipy_composition(own=lambda signal, lamb=0.0: not np.size(signal))


def _knots(function: str, signal: Any) -> Any:
    (x,) = signals(signal)
    refuse_if(not x.size, f"{function}: signal is empty. A spline needs a knot at least.")
    return x


@_of_knots
def cspline1d(signal: ArrayLike, lamb: float = 0.0) -> Array:
    """Return the coefficients of a cubic spline.

    Parameters
    ----------
    signal : (n,) or (m, n) array_like
        Values at the knots, which go on as their mirror image.
    lamb : float, optional
        Smoothing, 0 for a spline through the values.

    Returns
    -------
    ndarray
        Coefficients.

    Notes
    -----
    This is `scipy.signal.cspline1d`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.cspline1d(x)[0])(np.ones(4)).round(6))
    [ 1.267823 -0.339117  0.088646 -0.015465]
    """
    x = _knots("cspline1d", signal)
    return (
        _exact(x, 3)
        if type(lamb) in (int, float) and lamb == 0
        else filter_second_order(x, *_smoothing_pole(lamb), None)
    )


@_of_knots
def qspline1d(signal: ArrayLike, lamb: float = 0.0) -> Array:
    """Return the coefficients of a quadratic spline.

    Parameters
    ----------
    signal : (n,) or (m, n) array_like
        Values at the knots, which go on as their mirror image.
    lamb : float, optional
        Smoothing, 0 for a spline through the values.

    Returns
    -------
    ndarray
        Coefficients.

    Raises
    ------
    ValueError
        If `lamb` is not 0.

    Notes
    -----
    This is `scipy.signal.qspline1d`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.qspline1d(x)[0])(np.ones(4)).round(6))
    [ 1.171568 -0.200974  0.034278 -0.004692]
    """
    refuse_if(lamb != 0, "Smoothing quadratic splines not supported yet.")
    return _exact(_knots("qspline1d", signal), 2)


def _along_both(x: Any, run: Any) -> Any:
    return run(run(x).T).T


def _image_precision(precision: Any, x: Any) -> float:
    return (
        precision if 0 <= precision < 1 else 1e-3 if x.dtype in (np.float32, np.complex64) else 1e-6
    )


@scipy_composition()
def cspline2d(signal: ArrayLike, lamb: float = 0.0, precision: float = -1.0) -> Array:
    """Return the coefficients of a cubic spline of two variables.

    Parameters
    ----------
    signal : (n,) or (m, n) array_like
        Values at the knots, which go on as their mirror image.
    lamb : float, optional
        Smoothing, 0 for a spline through the values.
    precision : float, optional
        Size of the impulse response at which the sums over the mirror image end, by default 1e-6,
        in single precision 1e-3.

    Returns
    -------
    ndarray
        Coefficients.

    Notes
    -----
    This is `scipy.signal.cspline2d`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.cspline2d(x, 0.0, 0.1)[0, 0])(np.ones((3, 3))).round(6))
    [[ 1.603257 -0.419098  0.115268]
     [-0.419098  0.109554 -0.030132]
     [ 0.115268 -0.030132  0.008287]]
    """
    (x,) = signals(signal)
    bound = _image_precision(precision, x)
    if type(lamb) in (int, float) and lamb <= 1 / 144:
        return _along_both(x, lambda rows: _exact(rows, 3, bound))
    pole = _smoothing_pole(lamb)
    return _along_both(x, lambda rows: filter_second_order(rows, *pole, bound))


@scipy_composition()
def qspline2d(signal: ArrayLike, lamb: float = 0.0, precision: float = -1.0) -> Array:
    """Return the coefficients of a quadratic spline of two variables.

    Parameters
    ----------
    signal : (n,) or (m, n) array_like
        Values at the knots, which go on as their mirror image.
    lamb : float, optional
        Smoothing, 0 for a spline through the values.
    precision : float, optional
        Size of the impulse response at which the sums over the mirror image end, by default 1e-6,
        in single precision 1e-3.

    Returns
    -------
    ndarray
        Coefficients.

    Raises
    ------
    ValueError
        If `lamb` is not 0.

    Notes
    -----
    This is `scipy.signal.qspline2d`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.qspline2d(x, 0.0, 0.1)[0, 0])(np.ones((3, 3))).round(6))
    [[ 1.372175e+00 -2.340350e-01  4.039900e-02]
     [-2.340350e-01  3.991600e-02 -6.890000e-03]
     [ 4.039900e-02 -6.890000e-03  1.189000e-03]]
    """
    refuse_if(lamb > 0, "lambda must be negative or zero")
    (x,) = signals(signal)
    return _along_both(x, lambda rows: _exact(rows, 2, _image_precision(precision, x)))


@scipy_composition()
def spline_filter(Iin: ArrayLike, lmbda: float = 5.0) -> Array:
    """Smooth an image by a cubic spline.

    Parameters
    ----------
    Iin : (m, n) array_like
        Image.
    lmbda : float, optional
        Smoothing, 0 for a spline through the values.

    Returns
    -------
    (m, n) ndarray
        Smoothed image.

    Notes
    -----
    SciPy computes complex images in single precision. If they are differentiated, they are computed
    in their own precision.

    This is `scipy.signal.spline_filter`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda x: signal.spline_filter(x, 0.1)[9, 9])(np.ones((20, 20)))[9, 8:11].round(6)
    ... )
    [0.138167 0.373566 0.138167]
    """
    (x,) = signals(Iin)
    taps = place_beside(np.array([1, 4, 1], np.float32) / np.float32(6), x)  # as SciPy rounds them
    # complex ones in single precision
    return sepfir2d(cspline2d(x, lmbda, 1e-3 if x.dtype.kind == "c" else -1.0), taps, taps)


@scipy_composition()
def gauss_spline(x: ArrayLike, n: int) -> Array:
    """Return the normal density that a B-spline of degree n tends to.

    Parameters
    ----------
    x : array_like
        Places.
    n : int
        Degree of the B-spline that is approximated.

    Returns
    -------
    ndarray
        Values.

    Notes
    -----
    This is `scipy.signal.gauss_spline`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.gauss_spline(x, 3))(1.0).round(6))
    -0.462541
    """
    (x,) = floating(x)
    variance = (n + 1) / 12
    return np.exp(-x * x / (2 * variance)) / math.sqrt(2 * math.pi * variance)


def _cubic(x: Any) -> Any:
    return np.where(x < 1, 2 / 3 - x * x * (1 - x / 2), np.where(x >= 2, 0, (2 - x) ** 3 / 6))


def _quadratic(x: Any) -> Any:
    return np.where(x < 0.5, 0.75 - x * x, np.where(x >= 1.5, 0, (1.5 - x) ** 2 / 2))


def _evaluated(cj: Any, newx: Any, dx: Any, x0: Any, degree: int) -> Any:
    cj, u = floating(cj, (floating(newx)[0] - x0) / dx)
    n = signals(cj)[0].shape[0]
    refuse_if(n == 0, "Spline coefficients 'cj' must not be empty.")
    u = u % (2 * max(n - 1, 1))
    u = np.where(u > n - 1, 2 * (n - 1) - u, u)  # the mirror image
    start = np.floor(u - (degree + 1) / 2) + 1
    total: Any = 0
    for i in range(degree + 1):
        weights = (_cubic if degree == 3 else _quadratic)(abs(u - start - i))
        total = total + take(cj, np.clip((start + i).astype(int), 0, n - 1), axis=0) * weights
    return total


@scipy_composition()
def cspline1d_eval(cj: ArrayLike, newx: ArrayLike, dx: float = 1.0, x0: float = 0) -> Array:
    """Evaluate a cubic spline.

    Parameters
    ----------
    cj : (n,) array_like
        Coefficients.
    newx : array_like
        Places of evaluation.
    dx : float, optional
        Distance between knots.
    x0 : float, optional
        First knot.

    Returns
    -------
    ndarray
        Values of the spline.

    Raises
    ------
    ValueError
        If there are no coefficients.

    Notes
    -----
    This is `scipy.signal.cspline1d_eval`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.cspline1d_eval(np.array([1.0, 2.0, 4.0]), x))(1.0))
    1.5
    """
    return _evaluated(cj, newx, dx, x0, 3)


@scipy_composition()
def qspline1d_eval(cj: ArrayLike, newx: ArrayLike, dx: float = 1.0, x0: float = 0) -> Array:
    """Evaluate a quadratic spline.

    Parameters
    ----------
    cj : (n,) array_like
        Coefficients.
    newx : array_like
        Places of evaluation.
    dx : float, optional
        Distance between knots.
    x0 : float, optional
        First knot.

    Returns
    -------
    ndarray
        Values of the spline.

    Raises
    ------
    ValueError
        If there are no coefficients.

    Notes
    -----
    This is `scipy.signal.qspline1d_eval`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.qspline1d_eval(np.array([1.0, 2.0, 4.0]), x))(1.0))
    1.5
    """
    return _evaluated(cj, newx, dx, x0, 2)


__all__ = [
    "cspline1d", "cspline1d_eval", "cspline2d", "gauss_spline", "qspline1d", "qspline1d_eval",
    "qspline2d", "spline_filter",
]  # fmt: skip
