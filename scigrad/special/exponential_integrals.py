"""Exponential integrals and the dilogarithm (DLMF chapters 6, 8 and 25)."""

from typing import Unpack

import numpy as np

from scigrad.numpy.arithmetic import stated_derivative
from scigrad.numpy.selection import chosen
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .hypergeometric import hyp2f1
from .machinery.ufuncs import row


@row(lambda z, out: -np.exp(-z) / z)
def exp1(z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the exponential integral E1.

    ``int_z^inf exp(-t)/t dt`` (DLMF 6.2.1). The derivative is ``-exp(-z)/z``.

    Parameters
    ----------
    z : array_like
        Lower limit of the integral, real or complex; the branch cut is the negative real
        axis.
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
    This is `scipy.special.exp1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.exp1(0.5).round(9), grad(special.exp1)(0.5).round(9))
    0.559773595 -1.213061319
    """
    ...


# a difference of two terms by the rule for quotients, which overflow
_slope_of_expi = stated_derivative(lambda x: np.exp(x) / x, (lambda x, out: out * (1 - 1 / x),))


@row(lambda x, out: _slope_of_expi(x))
def expi(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the exponential integral Ei.

    ``int_-inf^x exp(t)/t dt`` (DLMF 6.2.5), real or complex. The derivative is ``exp(x)/x``.

    Parameters
    ----------
    x : array_like
        Upper limit of the integral, real or complex; the branch cut is the negative real
        axis.
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
    This is `scipy.special.expi`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.expi(0.5).round(9), grad(special.expi)(0.5).round(9))
    0.454219905 3.297442541
    """
    ...


@row(
    None,
    lambda n, x, out: (
        -chosen(
            np.abs(n) < 1, np.exp(-x) * (1 + 1 / x) / x, expn(np.maximum(np.trunc(n) - 1, 0), x)
        )
    ),
)
def expn(n: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the generalized exponential integral of integer order.

    ``int_1^inf exp(-x t)/t^n dt`` (DLMF 8.19.3). The derivative in x is ``-expn(n - 1, x)`` (DLMF
    8.19.13).

    Parameters
    ----------
    n : array_like of ints
        Exponent of t in the integrand, at least 0; a fraction is cut off.
    x : array_like
        Factor of t in the exponent of the integrand, at least 0.
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
    This is `scipy.special.expn`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.expn(2, 0.5).round(9), grad(special.expn, 1)(2, 0.5).round(9))
    0.326643862 -0.559773595
    """
    ...


def _spence_slope(z: Array, out: Array) -> Array:
    """Return log(z)/(1 - z), by its power series near 1."""
    near = (np.abs(z - 1) < 0.5) | (z == 0)
    far = np.where(near, 2.0, z)
    return np.where(near, -hyp2f1(1, 1, 2, np.where(near, 1 - z, 0.0)), np.log(far) / (1 - far))


@row(_spence_slope)
def spence(z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute Spence's function, the dilogarithm of 1 - z.

    ``-int_1^z log(t)/(t - 1) dt`` (DLMF 25.12.2), real or complex. The derivative is
    ``log(z)/(1 - z)``, -1 at 1.

    Parameters
    ----------
    z : array_like
        Upper limit of the integral, real or complex; the branch cut is the negative real
        axis.
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
    This is `scipy.special.spence`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.spence(0.5).round(9), grad(special.spence)(0.5).round(9))
    0.582240526 -1.386294361
    """
    ...


__all__ = ["exp1", "expi", "expn", "spence"]
