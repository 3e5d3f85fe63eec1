"""Error functions, their inverses, Dawson's integral and the Faddeeva and Voigt functions (DLMF
chapter 7).
"""

import math
from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import elementwise
from scigrad.typing import Array, ArrayLike, UfuncOptions

from ..host.threads import threaded_function
from .machinery.ufuncs import row

_SLOPE = 2 / math.sqrt(math.pi)


def _gaussian(z: Any) -> Any:
    return _SLOPE * np.exp(-z * z) if np.iscomplexobj(z) else gaussian(z)


@elementwise
@threaded_function
def gaussian(x):
    """Return 2/sqrt(pi) exp(-x^2) of real numbers, with derivatives 0 at infinity: for |x| > 1000
    it has underflowed.
    """
    return _SLOPE * np.exp(-np.square(np.clip(x, -1e3, 1e3)))


@gaussian.partials
def _(call):
    return (lambda: -2 * np.clip(call.x, -1e3, 1e3) * call.out,)


def _remainder(z: Any, f: Any, sign: int, growing: Any, constant: complex) -> Any:
    """Return 1 - 2 z f, where f is Dawson's integral or a relative of it, or what is left of this
    difference for large z.

    There it is -(w + 3 w^2 + 15 w^3 + ...) with w = sign/(2 z^2) (DLMF 7.12.1), and in half of the
    plane, or all of it, a constant times z exp(-sign z^2), which is as large where the phase of z
    is near +-45 or +-135 degrees. `growing` is z with the sign that it has in this term, and 0 in
    the other half.
    """
    far = np.abs(z) > 12
    near, f, e, inverse = (
        np.where(far, 0.0, z),
        np.where(far, 0.0, f),
        np.where(far, growing, 0.0),
        1 / np.where(far, z, 12.0),
    )
    w, series = sign / 2 * inverse * inverse, 0.0
    for k in range(13, 0, -1):
        series = (2 * k - 1) * w * (1 + series)
    return np.where(far, -series, 1 - 2 * near * f) + constant * e * np.exp(-sign * e * e)


@row(lambda z, out: _gaussian(z))
def erf(z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the error function.

    ``2/sqrt(pi) int_0^z exp(-t^2) dt`` (DLMF 7.2.1). The derivative is ``2/sqrt(pi) exp(-z^2)``
    (DLMF 7.10.1).

    Parameters
    ----------
    z : array_like
        Upper limit of the integral, real or complex.
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
    This is `scipy.special.erf`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.erf(0.5).round(9), grad(special.erf)(0.5).round(9))
    0.520499878 0.878782579
    """
    ...


@row(lambda z, out: -_gaussian(z))
def erfc(z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the complementary error function.

    ``1 - erf(z)`` (DLMF 7.2.2), without cancellation for large positive z. The derivative is
    ``-2/sqrt(pi) exp(-z^2)``.

    Parameters
    ----------
    z : array_like
        Lower limit of the integral, real or complex.
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
    This is `scipy.special.erfc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.erfc(2.0).round(9), grad(special.erfc)(2.0).round(9))
    0.004677735 -0.020666985
    """
    ...


def erfcx_slope(z: Array, out: Array) -> Array:
    """Return the derivative of erfcx, whose value is out."""
    return -_SLOPE * _remainder(z, out / _SLOPE, -1, np.where(np.real(z) < 0, z, 0.0), -4 / _SLOPE)


@row(erfcx_slope)
def erfcx(z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the scaled complementary error function.

    ``exp(z^2) erfc(z)``. The derivative is ``2 z erfcx(z) - 2/sqrt(pi)``, without its cancellation
    for large positive z.

    Parameters
    ----------
    z : array_like
        Lower limit of the integral, real or complex.
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
    This is `scipy.special.erfcx`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.erfcx(0.5).round(9), grad(special.erfcx)(0.5).round(9))
    0.615690344 -0.512688823
    """
    ...


@row(lambda z, out: _SLOPE * np.exp(z * z))
def erfi(z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the imaginary error function.

    ``-i erf(i z)``. The derivative is ``2/sqrt(pi) exp(z^2)``.

    Parameters
    ----------
    z : array_like
        Upper limit of the integral, real or complex.
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
    This is `scipy.special.erfi`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.erfi(0.5).round(9), grad(special.erfi)(0.5).round(9))
    0.614952095 1.44886753
    """
    ...


def _upwards(z: Any) -> Any:
    """Return z or -z, with a positive imaginary part, and 0 for real numbers."""
    y = np.imag(z)
    return np.where(y == 0, 0.0, np.where(y < 0, -z, z))


@row(lambda z, out: _remainder(z, out, 1, _upwards(z), -2j / _SLOPE if np.iscomplexobj(z) else 0.0))
def dawsn(z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute Dawson's integral.

    ``exp(-z^2) int_0^z exp(t^2) dt`` (DLMF 7.2.5). The derivative is ``1 - 2 z dawsn(z)``, without
    its cancellation for large z.

    Parameters
    ----------
    z : array_like
        Upper limit of the integral, real or complex.
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
    This is `scipy.special.dawsn`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.dawsn(0.5).round(9), grad(special.dawsn)(0.5).round(9))
    0.424436384 0.575563616
    """
    ...


@row(
    lambda z, out: (
        1j
        * _SLOPE
        * _remainder(z, -1j / _SLOPE * out, 1, np.where(np.imag(z) < 0, z, 0.0), 4j / _SLOPE)
    )
)
def wofz(z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Faddeeva function.

    ``exp(-z^2) erfc(-i z)`` (DLMF 7.2.3). The derivative is ``-2 z wofz(z) + 2i/sqrt(pi)`` (DLMF
    7.10.2).

    Parameters
    ----------
    z : array_like
        Argument, real or complex.
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
    This is `scipy.special.wofz`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import jvp, special
    >>> print(*(v.round(9) for v in jvp(lambda z: special.wofz(z), (0.5 + 1j,), (1.0,))))
    (0.391234021+0.127202411j) (-0.1368292+0.218708713j)
    """
    ...


@row(lambda y, out: np.exp(out * out) / _SLOPE)
def erfinv(y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the inverse of the error function.

    Real y between -1 and 1. The derivative is ``sqrt(pi)/2 exp(erfinv(y)^2)``, infinite at the
    ends.

    Parameters
    ----------
    y : array_like
        Value of `erf`, -1 <= y <= 1.
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
    This is `scipy.special.erfinv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.erfinv(0.5).round(9), grad(special.erfinv)(0.5).round(9))
    0.476936276 1.112584819
    """
    ...


@row(lambda y, out: -np.exp(out * out) / _SLOPE)
def erfcinv(y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the inverse of the complementary error function.

    Real y between 0 and 2. The derivative is ``-sqrt(pi)/2 exp(erfcinv(y)^2)``, infinite at the
    ends.

    Parameters
    ----------
    y : array_like
        Value of `erfc`, 0 <= y <= 2.
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
    This is `scipy.special.erfcinv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.erfcinv(0.5).round(9), grad(special.erfcinv)(0.5).round(9))
    0.476936276 -1.112584819
    """
    ...


def _voigt(x: Any, sigma: Any, gamma: Any) -> tuple[Any, Any]:
    """Return the first and the second derivative of the profile by the complex number x + i gamma
    (DLMF 7.19.1).
    """
    point, one, two = x + 1j * gamma, 1.0, 1.0
    # asymptotic series (DLMF 7.12.1)
    far = (np.abs(point) > 45 * np.abs(sigma)) & ((gamma > -np.abs(x) / 2) | (sigma == 0))
    direction = 1 / np.where(far, point, 1.0)
    square = (np.where(far, sigma, 0.0) * direction) ** 2
    for k in range(8, 0, -1):
        one, two = 1 + (2 * k + 1) * square * one, 1 + (2 * k + 1) * (k + 1) / k * square * two
    scale = math.sqrt(2) * np.where(far, 1.0, sigma)
    z = np.where(far, 1.0, point) / scale
    w = wofz(z)
    slope = 2j / math.sqrt(math.pi) - 2 * z * w
    return (
        np.where(far, -1j / math.pi * direction**2 * one, slope / (math.sqrt(math.pi) * scale**2)),
        np.where(
            far,
            2j / math.pi * direction**3 * two,
            -2 * (w + z * slope) / (math.sqrt(math.pi) * scale**3),
        ),
    )


@row(
    lambda x, sigma, gamma, out: np.real(_voigt(x, sigma, gamma)[0]),
    lambda x, sigma, gamma, out: sigma * np.real(_voigt(x, sigma, gamma)[1]),
    lambda x, sigma, gamma, out: -np.imag(_voigt(x, sigma, gamma)[0]),
)
def voigt_profile(
    x: ArrayLike, sigma: ArrayLike, gamma: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the Voigt profile.

    Convolution of a normal density of standard deviation sigma with a Cauchy density of half width
    gamma (DLMF 7.19.1). By the heat equation the derivative in sigma is sigma times the second one
    in x.

    Parameters
    ----------
    x : array_like
        Distance from the center of the line.
    sigma : array_like
        Standard deviation of the normal distribution, at least 0.
    gamma : array_like
        Half width at half maximum of the Cauchy distribution, at least 0.
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
    This is `scipy.special.voigt_profile`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.voigt_profile(0.5, 1.0, 0.7).round(9),
    ...     grad(special.voigt_profile, 1)(0.5, 1.0, 0.7).round(9),
    ... )
    0.229329094 -0.109855287
    """
    ...


__all__ = ["dawsn", "erf", "erfc", "erfcinv", "erfcx", "erfi", "erfinv", "voigt_profile", "wofz"]
