"""Struve functions and integrals of those of order 0 (DLMF chapter 11). The order is differentiated
numerically.
"""

import math
from typing import Any, Unpack

import numpy as np

from scigrad.typing import Array, ArrayLike, UfuncOptions

from .gamma import rgamma
from .integrals import itj0y0
from .machinery.numerical_partial import numerical_partial
from .machinery.ufuncs import corrected_kernel, row


def _argument_slope(v: Array, x: Array, out: Array, sign: int, f: Any) -> Array:
    """Return f(v - 1, x) - v/x f(v, x), and at 0 the derivative by the first terms of the power
    series (DLMF 11.2.1).
    """
    at_zero = x == 0
    beside, half = np.where(at_zero, 1.0, x), np.where(at_zero, x, 1.0) / 2
    one, two = ((v + k) * rgamma(v + k + 0.5) for k in (1, 3))
    series = half**v / math.sqrt(math.pi) * (one + sign * 2 / 3 * half * half * two)
    below = f(v - 1, beside) - v / beside * np.where(at_zero, 0.0, out)
    # there its derivative would cancel (DLMF 11.4.28 and 11.4.30)
    near = (np.abs(x) < 1) & (v >= 0) & ~at_zero & (out != 0)
    order, small = np.where(near, v, 1.0), np.where(near, x, 1.0)
    power = (small / 2) ** order * rgamma(order + 1.5) / math.sqrt(math.pi)
    above = order / small * np.where(near, out, 1.0) + power + sign * f(order + 1, small)
    return np.where(at_zero, series, np.where(near, above, below))


@row(
    lambda v, x, out: numerical_partial(struve, 0, v, x),
    lambda v, x, out: _argument_slope(v, x, out, -1, struve),
)
def struve(v: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Struve function.

    ``H_v(x)`` (DLMF 11.2.1). The derivative in x is ``H_{v-1} - v/x H_v`` (DLMF 11.4.27), for x > 0
    or integer v; v is differentiated numerically.

    Parameters
    ----------
    v : array_like
        Order of the Struve function.
    x : array_like
        Argument, positive unless v is an integer.
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
    This is `scipy.special.struve`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.struve(0.5, 1.5).round(9), grad(special.struve, 1)(0.5, 1.5).round(9))
    0.60538685 0.448042458
    """
    ...


@row(
    lambda v, x, out: numerical_partial(modstruve, 0, v, x),
    lambda v, x, out: _argument_slope(v, x, out, 1, modstruve),
)
def modstruve(v: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the modified Struve function.

    ``L_v(x)`` (DLMF 11.2.2). The derivative in x is ``L_{v-1} - v/x L_v`` (DLMF 11.4.29), for x > 0
    or integer v; v is differentiated numerically.

    Parameters
    ----------
    v : array_like
        Order of the Struve function.
    x : array_like
        Argument, positive unless v is an integer.
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
    This is `scipy.special.modstruve`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.modstruve(0.5, 1.5).round(9), grad(special.modstruve, 1)(0.5, 1.5).round(9))
    0.881054314 1.093476949
    """
    ...


def _far(x: Any) -> Any:
    """Return the integral of H_0 by that of Y_0 and an asymptotic series (DLMF 11.6.1, Abramowitz
    and Stegun 12.1.32).
    """
    y, series = np.abs(x), 0.0
    w = 1 / (2 * y) ** 2
    for k in range(12, 0, -1):
        series = 1 - series * w * 4 * k * (2 * k + 1) ** 2 / (k + 1)
    return itj0y0(y)[1] + 2 / math.pi * (np.log(2 * y) + np.euler_gamma + 2 * w * series)


@row(
    lambda x, out: struve(0, x),
    instead=corrected_kernel("itstruve0", lambda x: np.abs(x) > 21, lambda x: [_far(x)]),
)
def itstruve0(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the integral of the Struve function of order 0 from 0 to x.

    The derivative is ``H_0(x)``. On the host values for ``|x| > 21`` are those of an asymptotic
    series; SciPy's lose seven digits there, and all beyond 30.

    Parameters
    ----------
    x : array_like
        Upper limit of the integral.
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
    This is `scipy.special.itstruve0`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.itstruve0(1.5).round(9), grad(special.itstruve0)(1.5).round(9))
    0.631863128 0.736723466
    """
    ...


@row(  # the power series near 0, since the quotient's derivative cancels there
    lambda x, out: (
        -np.where(
            x * x < 1e-7, (2 - x * x / 4.5) / math.pi, struve(0, x) / np.where(x == 0, 1.0, x)
        )
    )
)
def it2struve0(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the integral of ``H_0(t)/t`` from x to infinity.

    The derivative is ``-H_0(x)/x``, for x > 0.

    Parameters
    ----------
    x : array_like
        Lower limit of the integral.
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
    This is `scipy.special.it2struve0`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.it2struve0(1.5).round(9), grad(special.it2struve0)(1.5).round(9))
    0.6912849 -0.491148977
    """
    ...


@row(lambda x, out: modstruve(0, x))
def itmodstruve0(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the integral of the modified Struve function of order 0 from 0 to x.

    The derivative is ``L_0(x)``.

    Parameters
    ----------
    x : array_like
        Upper limit of the integral.
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
    This is `scipy.special.itmodstruve0`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.itmodstruve0(1.5).round(9), grad(special.itmodstruve0)(1.5).round(9))
    0.811282541 1.216162511
    """
    ...


__all__ = ["it2struve0", "itmodstruve0", "itstruve0", "modstruve", "struve"]
