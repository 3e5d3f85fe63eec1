"""The gamma function, its logarithm, its reciprocal, and the derivatives of its logarithm (DLMF chapter 5)."""

from __future__ import annotations

import math

import numpy as np

from scigrad.autodiff_rules import elementwise

from .polygamma_values import digamma_values, polygamma_values
from .ufuncs import library_values, ufunc


@ufunc
def gammaln(x):
    """Logarithm of the absolute value of the gamma function, for real x.

    Parameters
    ----------
    x : real array

    Returns
    -------
    array of x's shape: log|Gamma(x)|, inf at the poles 0, -1, -2, ...; its derivative is digamma(x) everywhere

    See also loggamma, the analytic logarithm for complex numbers, and scipy.special.gammaln.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.gammaln(4.0).round(12), grad(special.gammaln)(1.0).round(12))
    1.791759469228 -0.577215664902
    """
    return library_values("gammaln", x)


@gammaln.partials
def _(call):
    return (lambda: digamma(call.x),)


@ufunc
def loggamma(z):
    """Principal branch of the logarithm of the gamma function, real or complex (nan for real z < 0, as in SciPy).

    Analytic in the plane cut along the negative real axis; its derivative is digamma(z). See scipy.special.loggamma.
    """
    return library_values("loggamma", z)


@loggamma.partials
def _(call):
    return (lambda: digamma(call.z),)


@ufunc
def gamma(z):
    """Gamma function, real or complex. Its derivative is gamma(z) digamma(z). See scipy.special.gamma."""
    return library_values("gamma", z)


@gamma.partials
def _(call):
    return (lambda: call.out * digamma(call.z),)


@ufunc
def rgamma(z):
    """1 / gamma(z), an entire function, real or complex; at z = -n its derivative is (-1)^n n!. See scipy.special.rgamma."""
    return library_values("rgamma", z)


# On the right (1/Gamma)' = -psi/Gamma. On the left that is 0 times infinity at every pole of psi, so both factors are taken
# from the reflection formula 1/Gamma(z) = sin(pi z) Gamma(1 - z) / pi (DLMF 5.5.3), which is smooth there at every order.
@rgamma.partials
def _(call):
    def derivative():
        left = np.real(call.z) < 0.5
        z, w = np.where(left, 1.0, call.z), 1 - np.where(left, call.z, 0.0)
        z = z if z.dtype.kind == "c" else np.minimum(z, 200)  # from there on 1/Gamma is 0, times infinity at infinity
        turns = np.rint(np.real(w))
        sign = 1 - 2 * np.mod(turns, 2)
        rest = math.pi * (w - turns)  # sin(pi z) = sin(pi (1 - z)), cos(pi z) = -cos(pi (1 - z))
        reflected = -gamma(w) * sign * (np.cos(rest) + np.sin(rest) * digamma(w) / math.pi)
        return np.where(left, reflected, -rgamma(z) * digamma(z))

    return (derivative,)


@ufunc
def psi(z):
    """Digamma function, the derivative of log(gamma(z)), real or complex.

    Parameters
    ----------
    z : array

    Returns
    -------
    array of z's shape: nan at -1, -2, ..., -inf at 0 (inf at -0.0). Near the poles, where SciPy's real function loses up to
    half of its digits, this one does not

    Its n-th derivative is polygamma(n, z), for complex z too. See scipy.special.digamma (psi is the same function).

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
def polygamma(n, x):
    """n-th derivative of the digamma function, psi^(n)(x).

    Parameters
    ----------
    n : integer or array of integers >= 0; not differentiable
    x : real or complex array that broadcasts with n (SciPy takes real x only)

    Returns
    -------
    array of the broadcast shape, in the precision of x

    Raises
    ------
    ValueError : n is negative

    Derivative: d/dx polygamma(n, x) = polygamma(n + 1, x). Differs from scipy.special.polygamma for x < 0, where the reflection
    formula is used (SciPy sums one term for each unit of |x|), at -inf, where there is no limit and the value is nan (SciPy:
    inf), and for float32, which stays float32.
    """
    return polygamma_values(n, x)


@polygamma.partials
def _(call):
    return (None, lambda: polygamma(call.n + 1, call.x))


__all__ = ["digamma", "gamma", "gammaln", "loggamma", "polygamma", "psi", "rgamma"]
