"""The normal distribution: its distribution function, the inverses, and Owen's T function."""

import math
from typing import Any, Unpack

import numpy as np

from scigrad.typing import Array, ArrayLike, UfuncOptions

from .error_functions import erf, erfcx
from .machinery.ufuncs import inverse, row

_NORM = 1 / math.sqrt(2 * math.pi)


def normal_density(x: Any) -> Any:
    """Return exp(-x^2/2)/sqrt(2 pi), with derivatives 0 at infinity."""
    return (
        _NORM * np.exp(-0.5 * x * x)
        if np.iscomplexobj(x)
        else _NORM * np.exp(-0.5 * np.square(np.clip(x, -1e3, 1e3)))
    )


@row(lambda x, out: normal_density(x))
def ndtr(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the distribution function of the standard normal distribution.

    ``erfc(-x/sqrt(2))/2``, real or complex. The derivative is ``exp(-x^2/2)/sqrt(2 pi)``.

    Parameters
    ----------
    x : array_like
        Upper limit of the integral of the density, real or complex.
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
    This is `scipy.special.ndtr`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.ndtr(0.5).round(9), grad(special.ndtr)(0.5).round(9))
    0.691462461 0.352065327
    """
    ...


def _mills_ratio(x: Any) -> Any:
    """Return the density divided by the distribution function: -x far below 0; beside 1, erfcx
    overflows far above 0.
    """
    far, above = np.real(x) < -1e9, (np.real(x) > 0) & (np.real(x * x) > 100)
    ratio = 2 * _NORM / erfcx(-np.where(far | above, 0.0, x) / math.sqrt(2))
    return np.where(far, -x, np.where(above, normal_density(np.where(above, x, 0.0)), ratio))


@row(lambda x, out: _mills_ratio(x))
def log_ndtr(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the logarithm of the distribution function of the standard normal distribution.

    Real or complex, without underflow. The derivative is ``sqrt(2/pi)/erfcx(-x/sqrt(2))``.

    Parameters
    ----------
    x : array_like
        Upper limit of the integral of the density, real or complex.
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
    This is `scipy.special.log_ndtr`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.log_ndtr(0.5).round(9), grad(special.log_ndtr)(0.5).round(9))
    -0.368946415 0.509160434
    """
    ...


@inverse(ndtr, 0)
def ndtri(y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the quantile of the standard normal distribution.

    The derivative is the reciprocal of the density there.

    Parameters
    ----------
    y : array_like
        Probability that the variable is at most the result, 0 <= y <= 1.
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
    This is `scipy.special.ndtri`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.ndtri(0.3).round(9), grad(special.ndtri)(0.3).round(9))
    -0.524400513 2.876103659
    """
    ...


@inverse(log_ndtr, 0)
def ndtri_exp(y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the quantile of the standard normal distribution for the logarithm of a probability.

    ``ndtri(exp(y))`` without underflow. The derivative is the reciprocal of that of `log_ndtr`
    there.

    Parameters
    ----------
    y : array_like
        Logarithm of the probability, at most 0.
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
    This is `scipy.special.ndtri_exp`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.ndtri_exp(-0.5).round(9), grad(special.ndtri_exp)(-0.5).round(9))
    0.270288021 1.576908588
    """
    ...


@row(
    lambda h, a, out: -normal_density(h) * erf(a * h / math.sqrt(2)) / 2,
    lambda h, a, out: np.exp(-0.5 * h * h * (1 + a * a)) / (2 * math.pi * (1 + a * a)),
)
def owens_t(h: ArrayLike, a: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute Owen's T function.

    ``1/(2 pi) int_0^a exp(-h^2 (1 + t^2)/2)/(1 + t^2) dt``. The derivative in h is
    ``-phi(h) erf(a h/sqrt(2))/2``.

    Parameters
    ----------
    h : array_like
        Bound of the variable X in P(X > h, 0 < Y < a X).
    a : array_like
        Slope of the line that bounds Y in P(X > h, 0 < Y < a X).
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
    This is `scipy.special.owens_t`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.owens_t(0.5, 0.7).round(9), grad(special.owens_t, 1)(0.5, 0.7).round(9))
    0.0842385 0.088663836
    """
    ...


@row(
    lambda p, std, x, out: -std / normal_density(ndtri(p)),
    lambda p, std, x, out: -ndtri(p),
    lambda p, std, x, out: 1.0,
)
def nrdtrimn(
    p: ArrayLike, std: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the mean of the normal distribution of which x is the quantile of p.

    ``x - std ndtri(p)``.

    Parameters
    ----------
    p : array_like
        Probability that the variable is at most x, 0 < p < 1.
    std : array_like
        Standard deviation.
    x : array_like
        Quantile.
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
    This is `scipy.special.nrdtrimn`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.nrdtrimn(0.3, 1.5, 0.7).round(9), grad(special.nrdtrimn)(0.3, 1.5, 0.7).round(9)
    ... )
    1.486600769 -4.314155489
    """
    ...


@row(
    lambda mn, p, x, out: -1 / ndtri(p),
    lambda mn, p, x, out: -out / (ndtri(p) * normal_density(ndtri(p))),
    lambda mn, p, x, out: 1 / ndtri(p),
)
def nrdtrisd(
    mn: ArrayLike, p: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the standard deviation of the normal distribution of which x is the quantile of p.

    ``(x - mn)/ndtri(p)``.

    Parameters
    ----------
    mn : array_like
        Mean of the normal distribution.
    p : array_like
        Probability that the variable is at most x, 0 < p < 1.
    x : array_like
        Quantile.
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
    This is `scipy.special.nrdtrisd`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.nrdtrisd(1.5, 0.3, 0.7).round(9),
    ...     grad(special.nrdtrisd, 1)(1.5, 0.3, 0.7).round(9),
    ... )
    1.525551521 8.366971822
    """
    ...


__all__ = ["log_ndtr", "ndtr", "ndtri", "ndtri_exp", "nrdtrimn", "nrdtrisd", "owens_t"]
