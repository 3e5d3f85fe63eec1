"""Distributions of Kolmogorov's and of Smirnov's statistic, with densities that are differentiable
in turn.
"""

import math
from typing import Unpack

import numpy as np

from scigrad.autodiff_rules import stop_gradient
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .beta import binom
from .machinery.ufuncs import inverse, row

_TERMS = 6


def _kolmogorov_slope(y: Array, out: Array) -> Array:
    """Return the derivative of the theta series for y > 1, and of its transform for smaller y: six
    terms have all digits.
    """
    far = y > 1
    large, small = np.clip(y, 1.0, 30.0), np.clip(y, 0.02, 1.0)  # beyond, the density underflows
    tail = (
        -8
        * large
        * sum((-1) ** (k - 1) * k * k * np.exp(-2 * (k * large) ** 2) for k in range(1, _TERMS))
    )
    rates = [((2 * k - 1) * math.pi) ** 2 / 8 for k in range(1, _TERMS)]
    head = (
        math.sqrt(2 * math.pi)
        * sum(np.exp(-a / small**2) * (1 - 2 * a / small**2) for a in rates)
        / small**2
    )
    return np.where(far, tail, head)


@row(_kolmogorov_slope)
def kolmogorov(y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the survival function of Kolmogorov's distribution.

    ``2 sum_k (-1)^(k-1) exp(-2 k^2 y^2)``. The derivative is that of the series.

    Parameters
    ----------
    y : array_like
        Distance of the distribution functions times the square root of the number of
        samples.
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
    This is `scipy.special.kolmogorov`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.kolmogorov(0.9).round(9), grad(special.kolmogorov)(0.9).round(9))
    0.392730708 -1.380727054
    """
    ...


@inverse(kolmogorov, 0)
def kolmogi(p: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the inverse of `kolmogorov`.

    The derivative is the reciprocal of that of `kolmogorov` there.

    Parameters
    ----------
    p : array_like
        Probability of a larger distance, 0 <= p <= 1.
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
    This is `scipy.special.kolmogi`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.kolmogi(0.4).round(9), grad(special.kolmogi)(0.4).round(9))
    0.894764455 -0.716257635
    """
    ...


def _smirnov_slope(n: Array, d: Array, out: Array) -> Array:
    """Return the derivative of (1 - d)^n + d sum_k binom(n, k) u^(k-1) w^(n-k), u = d + k/n, over k
    > 0 with w = 1 - u > 0.
    """
    top, n = int(np.max(stop_gradient(n), initial=0)), np.trunc(n)
    total = -n * (1 - d) ** (n - 1)
    for k in range(1, top + 1):
        u = d + k / n
        inside = (k < n) & (u < 1)
        u = np.where(inside, u, 0.5)
        term = (
            binom(n, k)
            * u ** (k - 2)
            * (1 - u) ** np.where(inside, n - k - 1, 0)
            * (u * (1 - u) + d * (k - 1 + u - n * u))
        )
        total = total + np.where(inside, term, 0.0)
    return np.where((d >= 0) & (d <= 1), total, np.nan)


@row(None, _smirnov_slope)
def smirnov(n: ArrayLike, d: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the survival function of Smirnov's statistic of a sample of n.

    ``d sum_(k <= n (1 - d)) binom(n, k) (d + k/n)^(k-1) (1 - d - k/n)^(n-k)``. The derivative in d
    has a term for each number to n, and jumps at d = 1/n.

    Parameters
    ----------
    n : array_like of ints
        Number of samples.
    d : array_like
        Distance of the empirical distribution function above the other one, 0 <= d <= 1.
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
    This is `scipy.special.smirnov`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in d; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.smirnov(5, 0.3).round(9), grad(special.smirnov, 1)(5, 0.3).round(9))
    0.34282 -2.286
    """
    ...


@inverse(smirnov, 1)
def smirnovi(n: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the inverse of `smirnov`.

    The d with ``smirnov(n, d) = p``. The derivative in p follows from that of `smirnov`.

    Parameters
    ----------
    n : array_like of ints
        Number of samples.
    p : array_like
        Probability of a larger distance, 0 <= p <= 1.
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
    This is `scipy.special.smirnovi`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in p; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.smirnovi(5, 0.4).round(9), grad(special.smirnovi, 1)(5, 0.4).round(9))
    0.27557792 -0.418559021
    """
    ...


__all__ = ["kolmogi", "kolmogorov", "smirnov", "smirnovi"]
