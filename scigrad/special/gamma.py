"""The gamma function, its logarithm, its reciprocal, and the derivatives of its logarithm (DLMF
chapter 5).
"""

import math
from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import elementwise
from scigrad.autodiff_rules.trace import raw
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .machinery.ufuncs import precise, row, ufunc
from .polygamma_values import digamma_values, polygamma_values


@row(lambda x, out: digamma(x))
def gammaln(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the logarithm of the absolute value of the gamma function.

    ``log|Gamma(x)|``, inf at the poles 0, -1, -2, ...; `loggamma` is the analytic logarithm for
    complex numbers.

    Parameters
    ----------
    x : array_like
        Argument, real. The poles of the gamma function are 0 and the negative integers.
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
    The derivative is ``digamma(x)`` for x of both signs.

    This is `scipy.special.gammaln`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.gammaln(4.0).round(12), grad(special.gammaln)(1.0).round(12))
    1.791759469228 -0.577215664902
    """
    ...


def stirling_error(x: Any) -> Any:
    """Return the logarithm of the gamma function less Stirling's formula, for x > 16 (DLMF
    5.11.1).
    """
    w, error = np.true_divide(1, x * x), 0.0  # infinite at the number 0.0 too
    for c in (1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12):
        error = error * w + c
    return np.true_divide(error, x)


def deviance(u: Any, ratio: Any) -> Any:
    """Return u - log(1 + u), where the ratio is 1 + u; for small u by DLMF 4.6.4, which does not
    cancel.
    """
    v, series = u / (2 + u), 0.0
    for k in range(23, 1, -2):
        series = (series + 1 / k) * v * v
    return np.where(np.abs(u) < 0.25, v * (u - 2 * series), ratio - 1 - np.log(ratio))


@row(lambda z, out: digamma(z))
def loggamma(z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the principal branch of the logarithm of the gamma function.

    Analytic in the plane cut along the negative real axis; nan for real z < 0, as in SciPy.

    Parameters
    ----------
    z : array_like
        Argument, real or complex. The poles of the gamma function are 0 and the negative
        integers.
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
    The derivative is ``digamma(z)``.

    This is `scipy.special.loggamma`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.loggamma(3.0).round(12), grad(special.loggamma)(1.0).round(12))
    0.69314718056 -0.577215664902
    """
    ...


@row(lambda z, out: out * digamma(z))
def gamma(z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the gamma function.

    ``Gamma(z) = int_0^inf t^(z-1) exp(-t) dt`` for Re z > 0 (DLMF 5.2.1), continued analytically.

    Parameters
    ----------
    z : array_like
        Argument, real or complex. The poles of the gamma function are 0 and the negative
        integers.
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
    The derivative is ``gamma(z) digamma(z)`` (DLMF 5.2.2).

    This is `scipy.special.gamma`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.gamma(4.0), grad(special.gamma)(1.0).round(12))
    6.0 -0.577215664902
    """
    ...


# On the right (1/Gamma)' = -psi/Gamma. On the left that is 0 times infinity at every pole of psi,
# so both factors are taken from the reflection formula 1/Gamma(z) = sin(pi z) Gamma(1 - z) / pi
# (DLMF 5.5.3), which is smooth there at every order.
def rgamma_slope(z: Array, out: Array) -> Array:
    left = np.real(z) < 0.5
    z, w = np.where(left, 1.0, z), 1 - np.where(left, z, 0.0)
    # from there on 1/Gamma is 0, times infinity at infinity
    z = z if z.dtype.kind == "c" else np.minimum(z, 200)
    turns = np.rint(np.real(w))
    sign = 1 - 2 * np.mod(turns, 2)
    rest = math.pi * (w - turns)  # sin(pi z) = sin(pi (1 - z)), cos(pi z) = -cos(pi (1 - z))
    reflected = -gamma(w) * sign * (np.cos(rest) + np.sin(rest) * digamma(w) / math.pi)
    # a number beside arrays of a device
    return np.where(left, reflected, -rgamma(z) * digamma(z))[()]


@row(rgamma_slope)
def rgamma(z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the reciprocal of the gamma function.

    ``1 / Gamma(z)``, an entire function.

    Parameters
    ----------
    z : array_like
        Argument, real or complex. The poles of the gamma function are 0 and the negative
        integers.
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
    The derivative is ``-digamma(z) / gamma(z)``, at ``z = -n`` its limit ``(-1)^n n!``.

    This is `scipy.special.rgamma`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.rgamma(-2.0), grad(special.rgamma)(-2.0).round(12))
    0.0 2.0
    """
    ...


@ufunc
def psi(z: ArrayLike) -> Array:
    """Compute the digamma function.

    ``psi(z) = Gamma'(z) / Gamma(z)`` (DLMF 5.2.2): nan at -1, -2, ..., -inf at 0 (inf at -0.0).
    `digamma` and `psi` are one function.

    Parameters
    ----------
    z : array_like
        Argument, real or complex. The poles of the gamma function are 0 and the negative
        integers.
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
    The n-th derivative is ``polygamma(n, z)``, for complex z too. Near the poles, where SciPy's
    function of real numbers loses up to half of its digits, this one is accurate.

    This is `scipy.special.psi`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.digamma(1.0).round(12), grad(special.digamma)(1.0).round(12))  # pi^2 / 6
    -0.577215664902 1.644934066848
    """
    return digamma_values(z)


@psi.partials
def _(call):
    return (lambda: polygamma(1, call.z),)


digamma = psi


@elementwise
def polygamma(n: ArrayLike, x: ArrayLike) -> Array:
    """Compute a derivative of the digamma function.

    The n-th derivative of ``psi(x)`` (DLMF 5.15).

    Parameters
    ----------
    n : array_like of ints
        Orders of the derivative. The value is nan where they are negative or not integers.
    x : array_like
        Real or complex numbers (SciPy takes real ones only).

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
    The derivative in x is ``polygamma(n + 1, x)``. Unlike `scipy.special.polygamma` the function
    uses the reflection formula for x < 0 (SciPy sums a term for each unit of ``|x|``), is nan at
    -inf, where there is no limit (SciPy: inf), and keeps float32 if the order is a Python number.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.polygamma(1, 1.0).round(12), grad(special.polygamma, 1)(1, 1.0).round(12))
    1.644934066848 -2.404113806319
    """
    return polygamma_values(n, x)


polygamma.partials(precise((None, lambda n, x, out: polygamma(n + 1, x))))


@row(lambda x, out: 0.0)
def gammasgn(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the sign of the gamma function.

    1, -1, 0 at the poles. The derivative is 0.

    Parameters
    ----------
    x : array_like
        Argument, real. The poles of the gamma function are 0 and the negative integers.
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
    This is `scipy.special.gammasgn`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.gammasgn(-1.5).round(9), grad(special.gammasgn)(-1.5).round(9))
    1.0 0.0
    """
    ...


def multigammaln(a: ArrayLike, d: int) -> Array:
    """Compute the logarithm of the multivariate gamma function of dimension d.

    ``d (d - 1)/4 log(pi) + sum_(j < d) gammaln(a - j/2)`` (DLMF 35.3.4), for ``a > (d - 1)/2``.

    Parameters
    ----------
    a : array_like
        Argument, larger than (d - 1)/2.
    d : int
        Dimension.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    ValueError
        If d is not an integer, or a is not above (d - 1)/2.

    Notes
    -----
    This is `scipy.special.multigammaln`.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.multigammaln(2.5, 3).round(9), grad(special.multigammaln)(2.5, 3).round(9))
    1.880995462 1.16243095
    """
    if np.ndim(d) or np.floor(d) != d:
        raise ValueError(f"d should be a positive integer (dimension), but is {d}")
    a = assemble(a)
    known = raw(a)
    if isinstance(known, (np.ndarray, np.generic)) and np.any(known <= 0.5 * (d - 1)):
        raise ValueError(f"condition a ({known}) > 0.5 * (d-1) ({0.5 * (d - 1)}) not met")
    terms: Any = sum(gammaln(a - j / 2) for j in range(int(d)))
    return d * (d - 1) * 0.25 * math.log(math.pi) + terms


__all__ = [
    "digamma", "gamma", "gammaln", "gammasgn", "loggamma", "multigammaln", "polygamma", "psi",
    "rgamma",
]  # fmt: skip
