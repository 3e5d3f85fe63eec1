"""Bessel functions of real order, first, second and third kind, plain and scaled (DLMF chapter 10).

Derivatives in the argument are half the difference of neighbors (DLMF 10.6.1), which has no
quotient at 0. The order is differentiated numerically, see numerical_partial.
"""

from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import stop_gradient
from scigrad.typing import Array, ArrayLike, Documented, UfuncOptions

from .machinery.numerical_partial import numerical_partial
from .machinery.scaled import scaled_row
from .machinery.ufuncs import holds_somewhere, row

_SMALL = 1e-3


def order_scale(v: Any, z: Any) -> Any:
    """Return the scale in v, that of (z/2)^v/Gamma(v + 1)."""
    v, z = stop_gradient(v), stop_gradient(z)
    return 1 / (1 + np.maximum(0, np.log(2 * (np.abs(v) + 1) / np.maximum(np.abs(z), 1e-300))))


def order_partial(f: Any, v: Array, z: Array, out: Array) -> Array:
    """Return the partial of a Bessel function f in its order."""
    return numerical_partial(f, 0, v, z, scale=order_scale(v, z))


def recurrence_partial(f: Any, v: Array, z: Array, out: Array, sign: int = -1) -> Array:
    """Return (f_(v-1) + sign f_(v+1))/2, and v/z f_v + sign f_(v+1) for small v, which v - 1
    rounds.
    """
    order, at = stop_gradient(v), stop_gradient(z)
    small = (np.abs(order) < _SMALL) & (order != 0) & (at != 0)
    slope = (f(v - 1, z) + sign * f(v + 1, z)) / 2
    if not holds_somewhere(small):
        return slope
    v, z = np.where(small, v, 0.0), np.where(small, z, 1.0)
    return np.where(small, v / z * f(v, z) + sign * f(v + 1, z), slope)


def _with_recurrence(function: Documented) -> Documented:
    """Declare a Bessel function by the two."""
    declared: Any = row(
        lambda *args: order_partial(declared, *args),
        lambda *args: recurrence_partial(declared, *args),
    )(function)
    return declared


def _imaginary(z: Any) -> Any:
    return np.abs(np.imag(z))


@_with_recurrence
def jv(v: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Bessel function of the first kind of real order.

    ``J_v(z)`` (DLMF 10.2.2). The derivative in z is ``(jv(v - 1, z) - jv(v + 1, z))/2``
    (DLMF 10.6.1); v is differentiated numerically.

    Parameters
    ----------
    v : array_like
        Order of the Bessel function, real.
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
    This is `scipy.special.jv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.jv(0.5, 1.5).round(9), grad(special.jv)(0.5, 1.5).round(9))
    0.649838075 -0.007451771
    """
    ...


@_with_recurrence
def yv(v: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Bessel function of the second kind of real order.

    ``Y_v(z)`` (DLMF 10.2.3). The derivative in z is ``(yv(v - 1, z) - yv(v + 1, z))/2``
    (DLMF 10.6.1); v is differentiated numerically.

    Parameters
    ----------
    v : array_like
        Order of the Bessel function, real.
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
    This is `scipy.special.yv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.yv(0.5, 1.5).round(9), grad(special.yv, 1)(0.5, 1.5).round(9))
    -0.046083166 0.66519913
    """
    ...


@scaled_row(_imaginary, order_partial, recurrence_partial)
def jve(v: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the scaled Bessel function of the first kind.

    ``jv(v, z) exp(-|Im z|)``. For complex z its derivative is that of a function of two real
    numbers.

    Parameters
    ----------
    v : array_like
        Order of the Bessel function, real.
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
    This is `scipy.special.jve`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.jve(0.5, 1.5).round(9), grad(special.jve, 1)(0.5, 1.5).round(9))
    0.649838075 -0.170529526
    """
    ...


@scaled_row(_imaginary, order_partial, recurrence_partial)
def yve(v: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the scaled Bessel function of the second kind.

    ``yv(v, z) exp(-|Im z|)``. For complex z its derivative is that of a function of two real
    numbers.

    Parameters
    ----------
    v : array_like
        Order of the Bessel function, real.
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
    This is `scipy.special.yve`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.yve(0.5, 1.5).round(9), grad(special.yve, 1)(0.5, 1.5).round(9))
    -0.046083166 0.66519913
    """
    ...


@_with_recurrence
def hankel1(v: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Hankel function of the first kind.

    ``J_v(z) + i Y_v(z)`` (DLMF 10.4.3). The derivative in z is
    ``(hankel1(v - 1, z) - hankel1(v + 1, z))/2`` (DLMF 10.6.1); v is differentiated numerically.

    Parameters
    ----------
    v : array_like
        Order of the Bessel function, real.
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
    This is `scipy.special.hankel1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import jvp, special
    >>> print(*(v.round(9) for v in jvp(lambda z: special.hankel1(0.5, z), (1.5,), (1.0,))))
    (0.649838075-0.046083166j) (-0.170529526+0.66519913j)
    """
    ...


@row(
    lambda *args: order_partial(hankel1e, *args),
    lambda *args: recurrence_partial(hankel1e, *args) - 1j * args[-1],
)
def hankel1e(v: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the scaled Hankel function of the first kind.

    ``hankel1(v, z) exp(-i z)``. The derivative in z is that of ``hankel1``, scaled, less i times
    the function.

    Parameters
    ----------
    v : array_like
        Order of the Bessel function, real.
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
    This is `scipy.special.hankel1e`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import jvp, special
    >>> print(*(v.round(9) for v in jvp(lambda z: special.hankel1e(0.5, z), (1.5,), (1.0,))))
    -0.651470016j 0.217156672j
    """
    ...


@_with_recurrence
def hankel2(v: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Hankel function of the second kind.

    ``J_v(z) - i Y_v(z)`` (DLMF 10.4.3). The derivative in z is
    ``(hankel2(v - 1, z) - hankel2(v + 1, z))/2`` (DLMF 10.6.1); v is differentiated numerically.

    Parameters
    ----------
    v : array_like
        Order of the Bessel function, real.
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
    This is `scipy.special.hankel2`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import jvp, special
    >>> print(*(v.round(9) for v in jvp(lambda z: special.hankel2(0.5, z), (1.5,), (1.0,))))
    (0.649838075+0.046083166j) (-0.170529526-0.66519913j)
    """
    ...


@row(
    lambda *args: order_partial(hankel2e, *args),
    lambda *args: recurrence_partial(hankel2e, *args) + 1j * args[-1],
)
def hankel2e(v: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the scaled Hankel function of the second kind.

    ``hankel2(v, z) exp(i z)``. The derivative in z is that of ``hankel2``, scaled, plus i times the
    function.

    Parameters
    ----------
    v : array_like
        Order of the Bessel function, real.
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
    This is `scipy.special.hankel2e`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import jvp, special
    >>> print(*(v.round(9) for v in jvp(lambda z: special.hankel2e(0.5, z), (1.5,), (1.0,))))
    0.651470016j -0.217156672j
    """
    ...


@row(lambda x, out: -y1(x))
def y0(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Bessel function of the second kind of order 0.

    ``Y_0(x)`` for x > 0. The derivative is ``-y1(x)`` (DLMF 10.6.3).

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
    This is `scipy.special.y0`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.y0(1.5).round(9), grad(special.y0)(1.5).round(9))
    0.382448924 0.412308627
    """
    ...


@row(lambda x, out: y0(x) - out / x)
def y1(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Bessel function of the second kind of order 1.

    ``Y_1(x)`` for x > 0. The derivative is ``y0(x) - y1(x)/x`` (DLMF 10.6.2).

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
    This is `scipy.special.y1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.y1(1.5).round(9), grad(special.y1)(1.5).round(9))
    -0.412308627 0.657321342
    """
    ...


@row(None, lambda n, x, out: (yv(np.trunc(n) - 1, x) - yv(np.trunc(n) + 1, x)) / 2)
def yn(n: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Bessel function of the second kind of integer order.

    ``Y_n(x)`` for x > 0. The derivative in x is ``(yv(n - 1, x) - yv(n + 1, x))/2`` (DLMF 10.6.1);
    see `yv` for real orders.

    Parameters
    ----------
    n : array_like of ints
        Order of the Bessel function.
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
    This is `scipy.special.yn`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.yn(2, 1.5).round(9), grad(special.yn, 1)(2, 1.5).round(9))
    -0.93219376 0.830616386
    """
    ...


jn = jv

__all__ = [
    "hankel1",
    "hankel1e",
    "hankel2",
    "hankel2e",
    "jn",
    "jv",
    "jve",
    "y0",
    "y1",
    "yn",
    "yv",
    "yve",
]
