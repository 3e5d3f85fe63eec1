"""Derivatives of Bessel functions by number, and the integral of powers times a Bessel function
(DLMF chapter 10).
"""

import math
import operator
from typing import Any, Unpack

from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .bessel_modified_orders import iv, kv
from .bessel_orders import hankel1, hankel2, jv, yv
from .machinery.numerical_partial import numerical_partial
from .machinery.ufuncs import row


def _nth(f: Any, v: Any, z: Any, n: Any, sign: int) -> Any:
    """Return the n-th derivative of f, whose first one is (f(v - 1) + sign f(v + 1))/2."""
    try:
        n = operator.index(n)
    except TypeError as error:
        raise TypeError(f"n must be a non-negative integer, but is {n!r}") from error
    if n < 0:
        raise ValueError(f"n must be a non-negative integer, but is {n}")
    v = assemble(v)
    return sum(sign**i * math.comb(n, i) * f(v - n + 2 * i, z) for i in range(n + 1)) / 2**n


def jvp(v: ArrayLike, z: ArrayLike, n: int = 1) -> Array:
    """Compute the n-th derivative of `jv` in z.

    Parameters
    ----------
    v : array_like
        Order of the Bessel function.
    z : array_like
        Argument, real or complex.
    n : int, optional
        Number of the derivative.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If n is not an integer.
    ValueError
        If n is negative.

    Notes
    -----
    This is `scipy.special.jvp`, the sum of DLMF 10.6.7 or 10.29.5. It is differentiable in v and
    z as the function itself.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.jvp(0.5, 1.5).round(9), grad(special.jvp, 1)(0.5, 1.5).round(9))
    -0.170529526 -0.463947494
    """
    return _nth(jv, v, z, n, -1)


def yvp(v: ArrayLike, z: ArrayLike, n: int = 1) -> Array:
    """Compute the n-th derivative of `yv` in z.

    Parameters
    ----------
    v : array_like
        Order of the function.
    z : array_like
        Argument, real or complex, nonzero; the branch cut is the negative real axis.
    n : int, optional
        Number of the derivative.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If n is not an integer.
    ValueError
        If n is negative.

    Notes
    -----
    This is `scipy.special.yvp`, the sum of DLMF 10.6.7 or 10.29.5. It is differentiable in v and
    z as the function itself.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.yvp(0.5, 1.5).round(9), grad(special.yvp, 1)(0.5, 1.5).round(9))
    0.66519913 -0.402503273
    """
    return _nth(yv, v, z, n, -1)


def ivp(v: ArrayLike, z: ArrayLike, n: int = 1) -> Array:
    """Compute the n-th derivative of `iv` in z.

    Parameters
    ----------
    v : array_like
        Order of the modified Bessel function.
    z : array_like
        Argument, real or complex.
    n : int, optional
        Number of the derivative.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If n is not an integer.
    ValueError
        If n is negative.

    Notes
    -----
    This is `scipy.special.ivp`, the sum of DLMF 10.6.7 or 10.29.5. It is differentiable in v and
    z as the function itself.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.ivp(0.5, 1.5).round(9), grad(special.ivp, 1)(0.5, 1.5).round(9))
    1.070137089 0.827866074
    """
    return _nth(iv, v, z, n, 1)


def kvp(v: ArrayLike, z: ArrayLike, n: int = 1) -> Array:
    """Compute the n-th derivative of `kv` in z.

    Parameters
    ----------
    v : array_like
        Order of the function.
    z : array_like
        Argument, real or complex, nonzero; the branch cut is the negative real axis.
    n : int, optional
        Number of the derivative.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If n is not an integer.
    ValueError
        If n is negative.

    Notes
    -----
    This is `scipy.special.kvp`, the sum of DLMF 10.6.7 or 10.29.5. It is differentiable in v and
    z as the function itself.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.kvp(0.5, 1.5).round(9), grad(special.kvp, 1)(0.5, 1.5).round(9))
    -0.304446736 0.456670104
    """
    return _nth(kv, v, z, n, 1) * (-1) ** operator.index(n)


def h1vp(v: ArrayLike, z: ArrayLike, n: int = 1) -> Array:
    """Compute the n-th derivative of `hankel1` in z.

    Parameters
    ----------
    v : array_like
        Order of the function.
    z : array_like
        Argument, real or complex, nonzero; the branch cut is the negative real axis.
    n : int, optional
        Number of the derivative.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If n is not an integer.
    ValueError
        If n is negative.

    Notes
    -----
    This is `scipy.special.h1vp`, the sum of DLMF 10.6.7 or 10.29.5. It is differentiable in v and
    z as the function itself.

    Examples
    --------
    >>> from scigrad import jvp, special
    >>> print(*(v.round(9) for v in jvp(lambda z: special.h1vp(0.5, z), (1.5,), (1.0,))))
    (-0.170529526+0.66519913j) (-0.463947494-0.402503273j)
    """
    return _nth(hankel1, v, z, n, -1)


def h2vp(v: ArrayLike, z: ArrayLike, n: int = 1) -> Array:
    """Compute the n-th derivative of `hankel2` in z.

    Parameters
    ----------
    v : array_like
        Order of the function.
    z : array_like
        Argument, real or complex, nonzero; the branch cut is the negative real axis.
    n : int, optional
        Number of the derivative.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If n is not an integer.
    ValueError
        If n is negative.

    Notes
    -----
    This is `scipy.special.h2vp`, the sum of DLMF 10.6.7 or 10.29.5. It is differentiable in v and
    z as the function itself.

    Examples
    --------
    >>> from scigrad import jvp, special
    >>> print(*(v.round(9) for v in jvp(lambda z: special.h2vp(0.5, z), (1.5,), (1.0,))))
    (-0.170529526-0.66519913j) (-0.463947494+0.402503273j)
    """
    return _nth(hankel2, v, z, n, -1)


@row(
    lambda a, lmb, nu, out: besselpoly(a, lmb + 1, nu - 1) - besselpoly(a, lmb + 1, nu + 1),
    lambda a, lmb, nu, out: numerical_partial(besselpoly, 1, a, lmb, nu),
    lambda a, lmb, nu, out: numerical_partial(besselpoly, 2, a, lmb, nu),
)
def besselpoly(
    a: ArrayLike, lmb: ArrayLike, nu: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the integral of a power times a Bessel function of the first kind.

    ``int_0^1 x^lmb J_nu(2 a x) dx``. The derivative in a is
    ``besselpoly(a, lmb + 1, nu - 1) - besselpoly(a, lmb + 1, nu + 1)`` by DLMF 10.6.1; lmb and nu
    are differentiated numerically.

    Parameters
    ----------
    a : array_like
        Factor of the argument of the Bessel function.
    lmb : array_like
        Exponent of the weight x^lmb.
    nu : array_like
        Order of the Bessel function.
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
    This is `scipy.special.besselpoly`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.besselpoly(1.1, 0.7, 1.2).round(9),
    ...     grad(special.besselpoly)(1.1, 0.7, 1.2).round(9),
    ... )
    0.250916755 0.115973519
    """
    ...


__all__ = ["besselpoly", "h1vp", "h2vp", "ivp", "jvp", "kvp", "yvp"]
