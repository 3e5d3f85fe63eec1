"""Derivatives of Bessel functions by number, and the integral of powers times a Bessel function
(DLMF chapter 10).
"""

import math
import operator
from typing import Any

from scigrad.autodiff_rules.docstrings import completed_by
from scigrad.numpy.joining import assembled

from .bessel_modified_orders import iv, kv
from .bessel_orders import hankel1, hankel2, jv, yv
from .documentation import arguments, with_example
from .numerical_partial import numerical_partial
from .ufuncs import row


def derivatives(v: Any, z: Any, n: int = 1) -> None:
    """Describe the arguments of this file.

    Parameters
    ----------
    n : int, optional
        Number of the derivative.

    Raises
    ------
    TypeError
        If n is not an integer.
    ValueError
        If n is negative.

    Notes
    -----
    This is `scipy.special.{name}`, the sum of DLMF 10.6.7 or 10.29.5. It is differentiable in v and
    z as the function itself.
    """


def _nth(f: Any, v: Any, z: Any, n: Any, sign: int) -> Any:
    """The n-th derivative of f, whose first one is (f(v - 1) + sign f(v + 1))/2."""
    try:
        n = operator.index(n)
    except TypeError as error:
        raise TypeError(f"n must be a non-negative integer, but is {n!r}") from error
    if n < 0:
        raise ValueError(f"n must be a non-negative integer, but is {n}")
    v = assembled(v)
    return sum(sign**i * math.comb(n, i) * f(v - n + 2 * i, z) for i in range(n + 1)) / 2**n


def _stated(function: Any) -> Any:
    return completed_by(derivatives, arguments)(with_example(function))


@_stated
def jvp(v, z, n=1):
    """Compute the n-th derivative of `jv` in z.

    Parameters
    ----------
    v : array_like
        Order of the Bessel function.
    z : array_like
        Argument, real or complex.

    At 0.5, 1.5: -0.170529526, derivative -0.463947494 in z.
    """
    return _nth(jv, v, z, n, -1)


@_stated
def yvp(v, z, n=1):
    """Compute the n-th derivative of `yv` in z.

    Parameters
    ----------
    v : array_like
        Order of the function.
    z : array_like
        Argument, real or complex, nonzero; the branch cut is the negative real axis.

    At 0.5, 1.5: 0.66519913, derivative -0.402503273 in z.
    """
    return _nth(yv, v, z, n, -1)


@_stated
def ivp(v, z, n=1):
    """Compute the n-th derivative of `iv` in z.

    Parameters
    ----------
    v : array_like
        Order of the modified Bessel function.
    z : array_like
        Argument, real or complex.

    At 0.5, 1.5: 1.070137089, derivative 0.827866074 in z.
    """
    return _nth(iv, v, z, n, 1)


@_stated
def kvp(v, z, n=1):
    """Compute the n-th derivative of `kv` in z.

    Parameters
    ----------
    v : array_like
        Order of the function.
    z : array_like
        Argument, real or complex, nonzero; the branch cut is the negative real axis.

    At 0.5, 1.5: -0.304446736, derivative 0.456670104 in z.
    """
    return _nth(kv, v, z, n, 1) * (-1) ** operator.index(n)


@_stated
def h1vp(v, z, n=1):
    """Compute the n-th derivative of `hankel1` in z.

    Parameters
    ----------
    v : array_like
        Order of the function.
    z : array_like
        Argument, real or complex, nonzero; the branch cut is the negative real axis.

    At 0.5, 1.5: (-0.170529526+0.66519913j), derivative (-0.463947494-0.402503273j) in z.
    """
    return _nth(hankel1, v, z, n, -1)


@_stated
def h2vp(v, z, n=1):
    """Compute the n-th derivative of `hankel2` in z.

    Parameters
    ----------
    v : array_like
        Order of the function.
    z : array_like
        Argument, real or complex, nonzero; the branch cut is the negative real axis.

    At 0.5, 1.5: (-0.170529526-0.66519913j), derivative (-0.463947494+0.402503273j) in z.
    """
    return _nth(hankel2, v, z, n, -1)


@row(
    lambda a, lmb, nu, out: besselpoly(a, lmb + 1, nu - 1) - besselpoly(a, lmb + 1, nu + 1),
    lambda a, lmb, nu, out: numerical_partial(besselpoly, 1, a, lmb, nu),
    lambda a, lmb, nu, out: numerical_partial(besselpoly, 2, a, lmb, nu),
)
def besselpoly(a, lmb, nu) -> Any:
    """Compute the integral of a power times a Bessel function of the first kind.

    ``int_0^1 x^lmb J_nu(2 a x) dx``. The derivative in a is ``besselpoly(a, lmb + 1, nu - 1) -
    besselpoly(a, lmb + 1, nu + 1)`` by DLMF 10.6.1; lmb and nu are differentiated numerically.

    Parameters
    ----------
    a : array_like
        Factor of the argument of the Bessel function.
    lmb : array_like
        Exponent of the weight x^lmb.
    nu : array_like
        Order of the Bessel function.

    At 1.1, 0.7, 1.2: 0.250916755, derivative 0.115973519.
    """


__all__ = ["besselpoly", "h1vp", "h2vp", "ivp", "jvp", "kvp", "yvp"]
