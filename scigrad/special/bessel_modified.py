"""Modified Bessel functions of the first kind of orders 0 and 1, plain and exponentially scaled
(DLMF chapter 10).

All derivatives, of every order and at every x, come from two families that have no removable
singularity and no cancellation, because their integrals (DLMF 10.32.1-2) have positive integrands:

    R_n(x) = I_n(x) / x^n               = 1/((2n-1)!! pi) int sin(t)^(2n) exp(x cos t) dt
    D_n(x) = (-d/dx)^n [exp(-x) I_0(x)] = 1/pi int (1 - cos t)^n exp(-x (1 - cos t)) dt

    R_n'   =  x R_(n+1)
    D_n'   = -D_(n+1)

over 0 <= t <= pi. The textbook form i0e' = i1e - sign(x) i0e and its successors lose a factor of x
in accuracy with each order.
"""

import importlib
import math
from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import elementwise
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .machinery.ufuncs import row


# CuPy forms exp(-|x|) I(x) as that product, which overflows (float32 from 92 on, float64 from 714
# on).
def _gpu_kernel(name: str) -> Any:
    return {
        "cupy": lambda x: getattr(
            importlib.import_module(f"scigrad.special.machinery.kernels.{name}"), name
        )(x)
    }


@row(lambda x, out: i1(x))
def i0(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the modified Bessel function of the first kind of order 0.

    ``I_0(x) = 1/pi int_0^pi exp(x cos t) dt`` (DLMF 10.32.1).

    Parameters
    ----------
    x : array_like
        Argument, real.
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
    The derivative is ``i1(x)`` (DLMF 10.29.3).

    This is `scipy.special.i0`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.i0(1.0).round(12), grad(special.i0)(1.0).round(12))
    1.266065877752 0.565159103992
    """
    ...


def _i1_slope(x: Array, out: Array) -> Array:
    beyond = np.isinf(out)  # if both terms overflow, so does their difference
    x = np.where(beyond, 1, x)
    return np.where(beyond, np.abs(out), i0(x) - reduced_i(1, x))


@row(_i1_slope)
def i1(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the modified Bessel function of the first kind of order 1.

    ``I_1(x) = 1/pi int_0^pi exp(x cos t) cos(t) dt`` (DLMF 10.32.3).

    Parameters
    ----------
    x : array_like
        Argument, real.
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
    The derivative is ``i0(x) - i1(x)/x`` (DLMF 10.29.2), 1/2 at 0.

    This is `scipy.special.i1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.i1(1.0).round(12), grad(special.i1)(0.0))
    0.565159103992 0.5
    """
    ...


@row(lambda x, out: odd_decay(1, x), instead=_gpu_kernel("i0e"))
def i0e(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the exponentially scaled modified Bessel function of order 0.

    ``exp(-|x|) I_0(x)``.

    Parameters
    ----------
    x : array_like
        Argument, real.
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
    The derivative is accurate for large x, where ``i1e(x) - i0e(x)`` would cancel. At the kink at 0
    a derivative of odd order is the mean of the one-sided ones, 0; those of even order agree from
    both sides.

    This is `scipy.special.i0e`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.i0e(2.0).round(12), grad(special.i0e)(2.0).round(12))
    0.308508322554 -0.093239033305
    """
    ...


# i1e = D_0 - D_1 for x > 0, so i1e' = D_2 - D_1 (even in x); D_2 = 2 D_1 - i1e/x makes the first
# derivative cheap, and (i1e/x)' = (2 D_1 - D_2)' leads back into the family.
@row(lambda x, out: decay(1, x) - _i1e_over_x(x), instead=_gpu_kernel("i1e"))
def i1e(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the exponentially scaled modified Bessel function of order 1.

    ``exp(-|x|) I_1(x)``.

    Parameters
    ----------
    x : array_like
        Argument, real.
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
    At 0 the derivative is 1/2, and the second derivative the mean of the one-sided ones, 0.

    This is `scipy.special.i1e`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.i1e(2.0).round(12), grad(special.i1e)(2.0).round(12))
    0.215269289249 -0.01439561132
    """
    ...


@elementwise
def _i1e_over_x(x):
    x = assemble(x)
    at_zero = x == 0
    x = np.where(at_zero, 1, x)
    return np.where(at_zero, x * 0.5, i1e(x) / x)[()]


@_i1e_over_x.partials
def _(call):
    return (lambda: 2 * odd_decay(2, call.x) - odd_decay(3, call.x),)


# -- D_n(|x|) and -sign(x) D_n(|x|). Each is the derivative of the other, one order up, so that no
# product of two signs is ever formed: sign(x)^2 = 1 would be lost at the kink, where sign(0) = 0,
# and with it the even derivatives, which exist.

# beyond, the asymptotic series is exact; before, 32 intervals of the trapezoidal rule are (the
# integrand is
_FAR = 30.0
_INTERVALS, _TERMS = 32, 45  # periodic and entire, so the error falls like I_64(x))


@elementwise
def decay(n, x):
    """Return D_n(|x|), the n-th derivative of exp(-x) I_0(x) for x > 0 up to its sign."""
    x = assemble(x)
    y = np.abs(x).astype(np.result_type(x.dtype, np.float64))
    near = y < _FAR
    y_near, y_far = np.where(near, y, 1.0), np.where(near, _FAR, y)
    value = i0e(y_near) - i1e(y_near) if n == 1 else _decay_by_quadrature(n, y_near)
    return np.where(near, value, _decay_far(n, y_far)).astype(x.dtype)[()]


@decay.partials
def _(call):
    return (None, lambda: odd_decay(call.n + 1, call.x))


@elementwise
def odd_decay(n, x):
    """Return -sign(x) D_n(|x|), which is 0 at the kink x = 0."""
    return -np.sign(x) * decay(n, x)


@odd_decay.partials
def _(call):
    return (None, lambda: decay(call.n + 1, call.x))


def _decay_by_quadrature(n: int, y: Any) -> Any:
    total = 0.5 * 2.0**n * np.exp(-2 * y)
    for k in range(1, _INTERVALS):
        u = 2 * math.sin(math.pi * k / (2 * _INTERVALS)) ** 2
        total += u**n * np.exp(-u * y)
    return total / _INTERVALS


def _decay_far(n: int, y: Any) -> Any:
    """Return D_n by Watson's lemma in u = 1 - cos t.

    The sum over k of (1/2)_k Gamma(n + k + 1/2) / (k! 2^k) y^-(n + k + 1/2) / (pi sqrt 2).
    """
    total = 0.0
    for k in range(_TERMS, 0, -1):
        total = (1 + total) * ((k - 0.5) * (n + k - 0.5) / (2.0 * k)) / y
    with np.errstate(over="ignore"):
        return (1 + total) * math.gamma(n + 0.5) / (math.pi * math.sqrt(2.0)) / (y**n * np.sqrt(y))


# -- R_n(x)


@elementwise
def reduced_i(n, x):
    """Return I_n(x) / x^n for integer n >= 1: the integral for small |x|, the recurrence in n (DLMF
    10.29.1) for large.
    """
    x = assemble(x)
    y = np.abs(x).astype(np.result_type(x.dtype, np.float64))
    near = y < (_FAR if n > 1 else 1e-3)
    far = np.where(near, _FAR, y)
    before, value = i0e(far), i1e(far) / far
    for m in range(1, n):
        before, value = value, (before - 2 * m * value) / (far * far)
    with np.errstate(over="ignore"):
        value = np.exp(far / 2) * value * np.exp(far / 2)
    return np.where(near, _reduced_by_quadrature(n, np.where(near, y, 0.0)), value).astype(x.dtype)[
        ()
    ]


@reduced_i.partials
def _(call):
    return (None, lambda: call.x * reduced_i(call.n + 1, call.x))


def _reduced_by_quadrature(n: int, y: Any) -> Any:
    intervals = 4 if n == 1 else _INTERVALS
    total = 0.0
    for k in range(1, intervals):
        t = math.pi * k / intervals
        total = total + math.sin(t) ** (2 * n) * np.exp(y * math.cos(t))
    return total / (intervals * math.prod(range(1, 2 * n, 2)))


__all__ = ["i0", "i0e", "i1", "i1e"]
