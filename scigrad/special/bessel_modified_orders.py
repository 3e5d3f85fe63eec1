"""Modified Bessel functions of real order, plain and scaled (DLMF chapter 10).

The order is differentiated numerically, see numerical_partial. The derivatives of the scaled
functions are differences that lose digits in proportion to z.
"""

import math
from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import stop_gradient
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .bessel_orders import order_partial, order_scale, recurrence_partial
from .gamma import rgamma
from .machinery.numerical_partial import even_partial, numerical_partial
from .machinery.scaled import scaled_row
from .machinery.ufuncs import corrected_kernel, holds_somewhere, row


# I_v is the sum of an even and an odd function of v, of which the latter is -sin(pi v)/pi K_v (DLMF
# 10.27.2). Near v = 0 its derivative, -K_0, is smaller than the rounding errors of I_v for large z,
# as that of an even function is. K_v is even.
def _by_order(f: Any, k: Any, v: Any, z: Any) -> Any:
    """Return the derivative in v of I_v, f, by K_v, k, where both may be scaled by the same factor;
    of K_v, f, without k.
    """
    small = np.abs(stop_gradient(v)) < 1e-3
    slope = order_partial(f, v, z, None)
    if not holds_somewhere(small):
        return slope
    if isinstance(small, np.ndarray):  # others would take 400,000 values each, twice
        v, z, small = np.broadcast_arrays(v, z, small)
        found = _near_order_0(f, k, v[small], z[small])
        return np.where(
            small, found[np.where(small, np.cumsum(small).reshape(small.shape) - 1, 0)], slope
        )
    return np.where(small, _near_order_0(f, k, np.where(small, v, 0), np.where(small, z, 1)), slope)


def _near_order_0(f: Any, k: Any, v: Any, z: Any) -> Any:
    """Return the derivative in v of the even part of f and that of the odd part."""
    even = even_partial(lambda v, z: (f(v, z) + f(-v, z)) / 2, 0, v, z, scale=order_scale(v, z))
    if not k:
        return even
    odd = np.cos(math.pi * v) * k(v, z) + np.sin(math.pi * v) / math.pi * _by_order(k, None, v, z)
    return even - odd


@row(
    lambda v, z, out: _by_order(iv, kv, v, z),
    lambda v, z, out: recurrence_partial(iv, v, z, out, 1),
    # SciPy divides by K of order v + 1, which overflows
    instead=corrected_kernel(
        "iv",
        lambda v, z: (v > -1) & (np.abs(z) < 1e-20),
        lambda v, z: [(z / 2) ** v * rgamma(v + 1)],
    ),
)
def iv(v: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the modified Bessel function of the first kind of real order.

    ``I_v(z)`` (DLMF 10.25.2). The derivative in z is ``(iv(v - 1, z) + iv(v + 1, z))/2``
    (DLMF 10.29.1); v is differentiated numerically. On the host values of small real z are right
    down to 1e-308, where SciPy's are 0 as soon as ``z^(v + 1)`` underflows.

    Parameters
    ----------
    v : array_like
        Order of the modified Bessel function, real.
    z : array_like
        Argument, real or complex; for orders that are no integers the branch cut is the
        negative real axis.
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
    This is `scipy.special.iv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.iv(0.5, 1.5).round(9), grad(special.iv, 1)(0.5, 1.5).round(9))
    1.38716172 1.070137089
    """
    ...


@row(
    lambda v, z, out: _by_order(kv, None, v, z),
    lambda v, z, out: -(kv(v - 1, z) + kv(v + 1, z)) / 2,
)
def kv(v: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the modified Bessel function of the second kind of real order.

    ``K_v(z)`` (DLMF 10.27.4). The derivative in z is ``-(kv(v - 1, z) + kv(v + 1, z))/2``
    (DLMF 10.29.1); v is differentiated numerically.

    Parameters
    ----------
    v : array_like
        Order of the modified Bessel function, real.
    z : array_like
        Argument, real or complex, nonzero; the branch cut is the negative real axis.
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
    This is `scipy.special.kv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.kv(0.5, 1.5).round(9), grad(special.kv, 1)(0.5, 1.5).round(9))
    0.228335052 -0.304446736
    """
    ...


@scaled_row(
    lambda z: np.abs(np.real(z)),
    lambda f, v, z, out: _by_order(
        f, lambda v, z: kve(v, z) * np.exp(-z - np.abs(np.real(z))), v, z
    ),
    lambda f, v, z, out: recurrence_partial(f, v, z, out, 1),
)
def ive(v: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the scaled modified Bessel function of the first kind.

    ``iv(v, z) exp(-|Re z|)``. For complex z its derivative is that of a function of two real
    numbers.

    Parameters
    ----------
    v : array_like
        Order of the modified Bessel function, real.
    z : array_like
        Argument, real or complex; for orders that are no integers the branch cut is the
        negative real axis.
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
    This is `scipy.special.ive`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.ive(0.5, 1.5).round(9), grad(special.ive, 1)(0.5, 1.5).round(9))
    0.309517617 -0.070737757
    """
    ...


@row(
    lambda v, z, out: _by_order(kve, None, v, z),
    lambda v, z, out: out - (kve(v - 1, z) + kve(v + 1, z)) / 2,
)
def kve(v: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the scaled modified Bessel function of the second kind.

    ``kv(v, z) exp(z)``. The derivative in z is ``kve(v, z) - (kve(v - 1, z) + kve(v + 1, z))/2``.

    Parameters
    ----------
    v : array_like
        Order of the modified Bessel function, real.
    z : array_like
        Argument, real or complex, nonzero; the branch cut is the negative real axis.
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
    This is `scipy.special.kve`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.kve(0.5, 1.5).round(9), grad(special.kve, 1)(0.5, 1.5).round(9))
    1.023326708 -0.341108903
    """
    ...


@row(None, lambda n, x, out: -(kv(np.trunc(n) - 1, x) + kv(np.trunc(n) + 1, x)) / 2)
def kn(n: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the modified Bessel function of the second kind of integer order.

    ``K_n(x)`` for x > 0. The derivative in x is ``-(kv(n - 1, x) + kv(n + 1, x))/2`` (DLMF
    10.29.1); see `kv` for real orders.

    Parameters
    ----------
    n : array_like of ints
        Order of the modified Bessel function.
    x : array_like
        Argument, positive; nan below 0.
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
    This is `scipy.special.kn`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.kn(2, 1.5).round(9), grad(special.kn, 1)(2, 1.5).round(9))
    0.583655963 -1.055595751
    """
    ...


@row(lambda x, out: -k1(x))
def k0(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the modified Bessel function of the second kind of order 0.

    ``K_0(x)`` for x > 0. The derivative is ``-k1(x)`` (DLMF 10.29.3).

    Parameters
    ----------
    x : array_like
        Argument, positive; nan below 0.
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
    This is `scipy.special.k0`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.k0(1.5).round(9), grad(special.k0)(1.5).round(9))
    0.213805563 -0.2773878
    """
    ...


@row(lambda x, out: -k0(x) - out / x)
def k1(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the modified Bessel function of the second kind of order 1.

    ``K_1(x)`` for x > 0. The derivative is ``-k0(x) - k1(x)/x`` (DLMF 10.29.2).

    Parameters
    ----------
    x : array_like
        Argument, positive; nan below 0.
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
    This is `scipy.special.k1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.k1(1.5).round(9), grad(special.k1)(1.5).round(9))
    0.2773878 -0.398730763
    """
    ...


def _beyond(m: float, x: Array, out: Array, difference: Any) -> Array:
    """Return the derivative of exp(x) K_n(x), out, for large x by the series of its logarithm (DLMF
    10.40.2), m = n^2 - 1/4.
    """
    far = x > 1e4
    w = 1 / np.where(far, x, 1)
    return np.where(far, -out * w / 2 * (1 + m * w * (1 - w)), difference(np.where(far, 1, x)))


@row(lambda x, out: _beyond(-0.25, x, out, lambda x: out - k1e(x)))
def k0e(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the scaled modified Bessel function of the second kind of order 0.

    ``exp(x) k0(x)`` for x > 0. The derivative is ``k0e(x) - k1e(x)``, and for x > 1e4 its
    asymptotic series.

    Parameters
    ----------
    x : array_like
        Argument, positive; nan below 0.
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
    This is `scipy.special.k0e`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.k0e(1.5).round(9), grad(special.k0e)(1.5).round(9))
    0.958210053 -0.28495582
    """
    ...


@row(lambda x, out: _beyond(0.75, x, out, lambda x: out - k0e(x) - out / x))
def k1e(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the scaled modified Bessel function of the second kind of order 1.

    ``exp(x) k1(x)`` for x > 0. The derivative is ``k1e(x) - k0e(x) - k1e(x)/x``, and for x > 1e4
    its asymptotic series.

    Parameters
    ----------
    x : array_like
        Argument, positive; nan below 0.
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
    This is `scipy.special.k1e`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.k1e(1.5).round(9), grad(special.k1e)(1.5).round(9))
    1.243165874 -0.543821429
    """
    ...


def _by_second(f: Any, a: Any, b: Any, x: Any) -> Any:
    return numerical_partial(f, 1, a, b, x, scale=lambda b: np.minimum(0.5, 4 * np.abs(b)))


def _ratio(a: Array, b: Array, x: Array, out: Array) -> Array:
    return np.exp(log_wright_bessel(a, a + b, x) - out)


# The series of x^k/(k! Gamma(a k + b)) has the derivative in a of that in b, at a + b, times x.


@row(
    lambda a, b, x, out: x * _by_second(wright_bessel, a, a + b, x),
    lambda a, b, x, out: _by_second(wright_bessel, a, b, x),
    lambda a, b, x, out: wright_bessel(a, a + b, x),
)
def wright_bessel(
    a: ArrayLike, b: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute Wright's generalized Bessel function.

    ``sum_k x^k / (k! Gamma(a k + b))`` (DLMF 10.46.1) for a, b, x >= 0. The derivative in x is
    ``wright_bessel(a, a + b, x)``. b is differentiated numerically, nan at 0, and a by x times that
    derivative at a + b; second derivatives in b may be nan.

    Parameters
    ----------
    a : array_like
        Coefficient of the index in the gamma function of the series, a >= 0.
    b : array_like
        Constant in the gamma function of the series, b >= 0.
    x : array_like
        Argument of the series, x >= 0.
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
    This is `scipy.special.wright_bessel`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.wright_bessel(0.5, 1.5, 0.7).round(9),
    ...     grad(special.wright_bessel, 2)(0.5, 1.5, 0.7).round(9),
    ... )
    2.044522883 1.668073363
    """
    ...


@row(
    lambda a, b, x, out: x * _ratio(a, b, x, out) * _by_second(log_wright_bessel, a, a + b, x),
    lambda a, b, x, out: _by_second(log_wright_bessel, a, b, x),
    _ratio,
)
def log_wright_bessel(
    a: ArrayLike, b: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the logarithm of Wright's generalized Bessel function.

    The derivative in x is ``wright_bessel(a, a + b, x)/wright_bessel(a, b, x)``; a and b are
    differentiated numerically.

    Parameters
    ----------
    a : array_like
        Coefficient of the index in the gamma function of the series, a >= 0.
    b : array_like
        Constant in the gamma function of the series, b >= 0.
    x : array_like
        Argument of the series, x >= 0.
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
    This is `scipy.special.log_wright_bessel`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.log_wright_bessel(0.5, 1.5, 0.7).round(9),
    ...     grad(special.log_wright_bessel, 2)(0.5, 1.5, 0.7).round(9),
    ... )
    0.715164453 0.815874147
    """
    ...


__all__ = [
    "iv",
    "ive",
    "k0",
    "k0e",
    "k1",
    "k1e",
    "kn",
    "kv",
    "kve",
    "log_wright_bessel",
    "wright_bessel",
]
