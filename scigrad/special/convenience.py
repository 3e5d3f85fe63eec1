"""Elementary functions in forms that do not cancel: powers, logarithms, angles in degrees."""

import functools
import math
from collections.abc import Callable
from typing import Any, Unpack

import numpy as np

from scigrad.numpy import transcendental
from scigrad.numpy.arithmetic import stated_derivative
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .machinery.ufuncs import no_ufunc, row
from .orthogonal_polynomials import eval_gegenbauer

_DEGREE = math.pi / 180


@row(lambda x, out: np.reciprocal(out) ** 2 / 3)
def cbrt(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the cube root.

    The derivative is ``1/(3 cbrt(x)^2)``, infinite at 0.

    Parameters
    ----------
    x : array_like
        Number whose root is taken, of either sign.
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
    This is `scipy.special.cbrt`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.cbrt(1.5).round(9), grad(special.cbrt)(1.5).round(9))
    1.144714243 0.254380943
    """
    ...


@row(lambda x, out: math.log(2) * out)
def exp2(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute ``2^x``.

    The derivative is ``log(2) 2^x``.

    Parameters
    ----------
    x : array_like
        Exponent.
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
    This is `scipy.special.exp2`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.exp2(1.5).round(9), grad(special.exp2)(1.5).round(9))
    2.828427125 1.960516287
    """
    ...


@row(lambda x, out: math.log(10) * out)
def exp10(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute ``10^x``.

    The derivative is ``log(10) 10^x``.

    Parameters
    ----------
    x : array_like
        Exponent.
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
    This is `scipy.special.exp10`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.exp10(1.5).round(9), grad(special.exp10)(1.5).round(9))
    31.622776602 72.814134002
    """
    ...


@row(lambda x, out: np.exp(x))
def expm1(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute ``exp(x) - 1``, real or complex, accurately near 0.

    The derivative is ``exp(x)``.

    Parameters
    ----------
    x : array_like
        Exponent, real or complex.
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
    This is `scipy.special.expm1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.expm1(1.5).round(9), grad(special.expm1)(1.5).round(9))
    3.48168907 4.48168907
    """
    ...


@row(lambda x, out: 1 / (1 + x))
def log1p(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute ``log(1 + x)``, real or complex, accurately near 0.

    The derivative is ``1/(1 + x)``.

    Parameters
    ----------
    x : array_like
        Number larger than -1, or complex.
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
    This is `scipy.special.log1p`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.log1p(1.5).round(9), grad(special.log1p)(1.5).round(9))
    0.916290732 0.4
    """
    ...


@functools.cache
def gauss(count: int) -> Any:
    """Return the nodes and the weights of Gauss's rule between -1 and 1; an import has no use for
    them.
    """
    return np.polynomial.legendre.leggauss(count)


def _moment(x: Any, power: int, far_out: Callable[[Any], Any]) -> Any:
    """Return the integral of t^power exp(x t) from 0 to 1; by Gauss's rule where its closed form
    cancels.
    """
    far = np.abs(x) > 3
    u, near = np.where(far, np.minimum(x, 1e30), 1.0), np.where(far, 0.0, x)
    nodes = [((t + 1) / 2, w / 2) for t, w in np.transpose(gauss(16)).tolist()]
    return np.where(far, far_out(u), sum(w * t**power * np.exp(near * t) for t, w in nodes))


exprel_slope: Any = stated_derivative(
    lambda x: _moment(x, 1, lambda u: ((1 - 1 / u) * np.exp(u) + 1 / u) / u),
    (lambda x, out: _moment(x, 2, lambda u: ((1 - 2 / u + 2 / u**2) * np.exp(u) - 2 / u**2) / u),),
)


@row(lambda x, out: exprel_slope(x))
def exprel(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute ``(exp(x) - 1)/x``, 1 at 0.

    ``hyp1f1(1, 2, x)``. The derivative is ``hyp1f1(2, 3, x)/2``, 1/2 at 0.

    Parameters
    ----------
    x : array_like
        Exponent.
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
    This is `scipy.special.exprel`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.exprel(1.5).round(9), grad(special.exprel)(1.5).round(9))
    2.321126047 1.440375349
    """
    ...


@row(lambda x, out: -np.sin(x))
def cosm1(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute ``cos(x) - 1``, accurately near 0.

    The derivative is ``-sin(x)``.

    Parameters
    ----------
    x : array_like
        Angle in radians.
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
    This is `scipy.special.cosm1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.cosm1(1.5).round(9), grad(special.cosm1)(1.5).round(9))
    -0.929262798 -0.997494987
    """
    ...


@row(lambda x, y, out: y * x ** (y - 1), lambda x, y, out: x**y * np.log(x))
def powm1(x: ArrayLike, y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute ``x^y - 1``, accurately near 0.

    The derivative in y is ``x^y log(x)``, for x > 0.

    Parameters
    ----------
    x : array_like
        Base.
    y : array_like
        Exponent.
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
    This is `scipy.special.powm1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.powm1(1.5, 0.7).round(9), grad(special.powm1, 1)(1.5, 0.7).round(9))
    0.32820124 0.538539259
    """
    ...


def _quotient(x: Any, y: Any) -> Any:
    """Return x/y, and 0 for 0/0: the derivative in y of a function that is 0 for x = 0 and all
    y.
    """
    return np.where((x == 0) & (y == 0), 0.0, x / np.where((x == 0) & (y == 0), np.nan, y))


@row(lambda x, y, out: np.log(y), lambda x, y, out: _quotient(x, y))
def xlogy(x: ArrayLike, y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute ``x log(y)``, real or complex, 0 where x is 0.

    Derivatives are ``log(y)`` and ``x/y``; at x = y = 0 they are -inf and 0, so that
    ``xlogy(x, x)`` has its limit -inf there.

    Parameters
    ----------
    x : array_like
        Factor, real or complex; where it is 0 the result is 0.
    y : array_like
        Argument of the logarithm, real or complex.
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
    This is `scipy.special.xlogy`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.xlogy(1.5, 0.7).round(9), grad(special.xlogy, 1)(1.5, 0.7).round(9))
    -0.535012416 2.142857143
    """
    ...


@row(lambda x, y, out: log1p(y), lambda x, y, out: _quotient(x, 1 + y))
def xlog1py(x: ArrayLike, y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute ``x log(1 + y)``, real or complex, 0 where x is 0.

    Derivatives are ``log1p(y)`` and ``x/(1 + y)``.

    Parameters
    ----------
    x : array_like
        Factor, real or complex; where it is 0 the result is 0.
    y : array_like
        Argument of log(1 + y), real or complex.
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
    This is `scipy.special.xlog1py`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.xlog1py(1.5, 0.7).round(9), grad(special.xlog1py, 1)(1.5, 0.7).round(9))
    0.795942377 0.882352941
    """
    ...


@row(lambda x, out: _DEGREE * cosdg(x))
def sindg(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the sine of an angle in degrees.

    The derivative is ``pi/180 cosdg(x)``.

    Parameters
    ----------
    x : array_like
        Angle in degrees.
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
    This is `scipy.special.sindg`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.sindg(30.0).round(9), grad(special.sindg)(30.0).round(9))
    0.5 0.015114995
    """
    ...


@row(lambda x, out: -_DEGREE * sindg(x))
def cosdg(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the cosine of an angle in degrees.

    The derivative is ``-pi/180 sindg(x)``.

    Parameters
    ----------
    x : array_like
        Angle in degrees.
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
    This is `scipy.special.cosdg`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.cosdg(30.0).round(9), grad(special.cosdg)(30.0).round(9))
    0.866025404 -0.008726646
    """
    ...


# by what SciPy has to all digits near the poles
_slope_of_tandg = stated_derivative(
    lambda x: _DEGREE / np.square(cosdg(x)),
    (lambda x, out: 2 * _DEGREE * sindg(x) / cosdg(x) * out,),
)
_slope_of_cotdg = stated_derivative(
    lambda x: -_DEGREE / np.square(sindg(x)),
    (lambda x, out: -2 * _DEGREE * cosdg(x) / sindg(x) * out,),
)


@row(lambda x, out: _slope_of_tandg(x))
def tandg(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the tangent of an angle in degrees.

    The derivative is ``pi/180 / cosdg(x)^2``, which keeps its digits near the poles, where values
    of SciPy's lose them.

    Parameters
    ----------
    x : array_like
        Angle in degrees.
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
    This is `scipy.special.tandg`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.tandg(30.0).round(9), grad(special.tandg)(30.0).round(9))
    0.577350269 0.023271057
    """
    ...


@row(lambda x, out: _slope_of_cotdg(x))
def cotdg(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the cotangent of an angle in degrees.

    The derivative is ``-pi/180 / sindg(x)^2``, which keeps its digits near the poles, where values
    of SciPy's lose them.

    Parameters
    ----------
    x : array_like
        Angle in degrees.
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
    This is `scipy.special.cotdg`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.cotdg(30.0).round(9), grad(special.cotdg)(30.0).round(9))
    1.732050808 -0.06981317
    """
    ...


@row(_DEGREE, _DEGREE / 60, _DEGREE / 3600)
def radian(d: ArrayLike, m: ArrayLike, s: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Convert degrees, minutes and seconds to radians.

    Derivatives are ``pi/180``, ``pi/10800`` and ``pi/648000``.

    Parameters
    ----------
    d : array_like
        Degrees.
    m : array_like
        Minutes of arc.
    s : array_like
        Seconds of arc.
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
    This is `scipy.special.radian`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.radian(30.0, 15.0, 20.0).round(9),
    ...     grad(special.radian)(30.0, 15.0, 20.0).round(9),
    ... )
    0.528059061 0.017453293
    """
    ...


@row(0.0)
def round(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Round to the nearest integer, to the even one of two.

    The derivative is 0.

    Parameters
    ----------
    x : array_like
        Number to round; halves are rounded to even numbers.
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
    This is `scipy.special.round`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.round(1.7).round(9), grad(special.round)(1.7).round(9))
    2.0 0.0
    """
    ...


# The Dirichlet kernel is U_(n-1)(cos(x/2))/n, whose derivatives have no quotient (DLMF 18.9.21).
@no_ufunc(
    lambda x, n, out: (
        -np.sin(x / 2) / n * np.where(np.equal(n, 1), 0.0, _lowered_twice(n, np.cos(x / 2)))
    ),
    None,
)
def diric(x: ArrayLike, n: int) -> Array:
    """Compute the periodic sinc function, the Dirichlet kernel.

    ``sin(n x/2)/(n sin(x/2))``, 1 or -1 at multiples of 2 pi; nan unless n is a positive integer.
    The derivative in x is ``-sin(x/2)/n C^(2)_(n-2)(cos(x/2))`` with Gegenbauer's polynomial.

    Parameters
    ----------
    x : array_like
        Angle in radians.
    n : int
        Order, the number of terms of the sum; at least 1.

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
    This is `scipy.special.diric`.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.diric(0.7, 4).round(9), grad(special.diric)(0.7, 4).round(9))
    0.71847188 -0.736291871
    """
    ...


def _lowered_twice(n: Any, y: Any) -> Any:
    return eval_gegenbauer(np.maximum(n - 2, 0), 2.0, y)


def sinc(x: ArrayLike) -> Array:
    """Compute the normalized sinc function.

    ``sin(pi x)/(pi x)``, 1 at 0, of real or complex numbers, as `numpy.sinc`.

    Parameters
    ----------
    x : array_like
        Argument in units of pi.

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
    This is `scipy.special.sinc`.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.sinc(0.5).round(9), grad(special.sinc)(0.5).round(9))
    0.636619772 -1.273239545
    """
    return transcendental.sinc(x)


__all__ = [
    "cbrt", "cosdg", "cosm1", "cotdg", "diric", "exp10", "exp2", "expm1", "exprel", "log1p",
    "powm1", "radian", "round", "sinc", "sindg", "tandg", "xlog1py", "xlogy",
]  # fmt: skip
