"""Mathieu functions and their characteristic values (DLMF chapter 28); q is differentiated
numerically.
"""

import math
from collections.abc import Callable
from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import stop_gradient
from scigrad.typing import Array, ArrayLike, Documented, UfuncOptions

from .machinery.numerical_partial import even_partial, numerical_partial, solutions
from .machinery.ufuncs import guarded_kernel, holds_somewhere, row

_DEGREE = math.pi / 180


def _safe(m: Any, q: Any) -> Any:
    """Return whether SciPy's functions survive; for nan they end the process, and their time grows
    with m.
    """
    return (np.abs(m) <= 1e6) & (np.abs(q) <= 1e6)


def _characteristic(function: Documented) -> Documented:
    """Declare a characteristic value, by its name."""

    def by_parameter(m: Array, q: Array, out: Array) -> Array:
        small = (np.abs(stop_gradient(q)) < 1e-3) & (m != 1)
        slope = numerical_partial(declared, 1, np.where(small, 1, m), q)
        if not holds_somewhere(small):
            return slope
        m, q = np.where(small, m, 2), np.where(small, q, 0.0)
        even = even_partial(lambda m, q: (declared(m, q) + declared(m, -q)) / 2, 1, m, q)
        # the rest begins with a multiple of q^m, for m = 3 with that of 1/64 or -1/64
        odd = np.where(m == 3, cubic * q * q, 0)
        return np.where(small, even + odd, slope)

    cubic = 3 / 64 if function.__name__ == "mathieu_a" else -3 / 64
    kernels = guarded_kernel(function.__name__, _safe)
    declared: Any = row(None, by_parameter, instead=kernels)(function)
    return declared


@_characteristic
def mathieu_a(m: ArrayLike, q: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the characteristic value of the even solutions of Mathieu's equation.

    ``a_m(q)`` (DLMF 28.2), nan where m or ``|q|`` is above 1e6. The order m is an integer; q is
    differentiated numerically.

    Parameters
    ----------
    m : array_like of ints
        Order of the solution, at least 0.
    q : array_like
        Parameter of Mathieu's equation.
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
    This is `scipy.special.mathieu_a`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in q; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.mathieu_a(2, 1.7).round(9), grad(special.mathieu_a, 1)(2, 1.7).round(9))
    4.913472737 0.848544144
    """
    ...


@_characteristic
def mathieu_b(m: ArrayLike, q: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the characteristic value of the odd solutions of Mathieu's equation.

    ``b_m(q)`` (DLMF 28.2), nan where m or ``|q|`` is above 1e6. The order m is an integer; q is
    differentiated numerically.

    Parameters
    ----------
    m : array_like of ints
        Order of the solution, at least 1.
    q : array_like
        Parameter of Mathieu's equation.
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
    This is `scipy.special.mathieu_b`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in q; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.mathieu_b(2, 1.7).round(9), grad(special.mathieu_b, 1)(2, 1.7).round(9))
    3.762103053 -0.276520054
    """
    ...


def _solution(of: Any, second: Callable[..., Any], degree: float) -> Any:
    """Declare y and y' with y'' = second(a, q, x) y, where x is in units of `degree`."""
    slopes = (
        lambda m, q, x, out: degree * out[1],
        lambda m, q, x, out: degree * second(of(m, q), q, degree * x) * out[0],
    )

    def declare(function: Documented) -> Documented:
        name = function.__name__
        return solutions(1, *slopes, instead=guarded_kernel(name, _safe))(function)

    return declare


_even_angular, _odd_angular = (
    _solution(of, lambda a, q, x: 2 * q * np.cos(2 * x) - a, _DEGREE)
    for of in (mathieu_a, mathieu_b)
)
_even_radial, _odd_radial = (
    _solution(of, lambda a, q, x: a - 2 * q * np.cosh(2 * x), 1) for of in (mathieu_a, mathieu_b)
)


@_even_angular
def mathieu_cem(
    m: ArrayLike, q: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> tuple[Array, ...]:
    """Compute the even Mathieu function and its derivative by radians, for x in degrees.

    ``ce_m(x, q)`` (DLMF 28.2), nan where m or ``|q|`` is above 1e6. It satisfies
    ``y'' = -(a - 2 q cos 2x) y`` with the value of `mathieu_a`; the order m is an integer, q is
    differentiated numerically.

    Parameters
    ----------
    m : array_like of ints
        Order of the function, at least 0.
    q : array_like
        Parameter of Mathieu's equation.
    x : array_like
        Angle in degrees.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.mathieu_cem`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in q and x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.mathieu_cem(2, 1.7, 33.0)[0].round(9),
    ...     grad(lambda x: special.mathieu_cem(2, 1.7, x)[0])(33.0).round(9),
    ... )
    0.754593587 -0.021018768
    """
    ...


@_odd_angular
def mathieu_sem(
    m: ArrayLike, q: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> tuple[Array, ...]:
    """Compute the odd Mathieu function and its derivative by radians, for x in degrees.

    ``se_m(x, q)`` (DLMF 28.2), nan where m or ``|q|`` is above 1e6. It satisfies
    ``y'' = -(a - 2 q cos 2x) y`` with the value of `mathieu_b`; the order m is an integer, q is
    differentiated numerically.

    Parameters
    ----------
    m : array_like of ints
        Order of the function, at least 1.
    q : array_like
        Parameter of Mathieu's equation.
    x : array_like
        Angle in degrees.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.mathieu_sem`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in q and x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.mathieu_sem(2, 1.7, 33.0)[0].round(9),
    ...     grad(lambda x: special.mathieu_sem(2, 1.7, x)[0])(33.0).round(9),
    ... )
    0.799658574 0.019808929
    """
    ...


@_even_radial
def mathieu_modcem1(
    m: ArrayLike, q: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> tuple[Array, ...]:
    """Compute the even modified Mathieu function of the first kind and its derivative.

    ``Mc_m^{(1)}(x, q)`` (DLMF 28.20), nan where m or ``|q|`` is above 1e6. It satisfies
    ``y'' = (a - 2 q cosh 2x) y`` with the value of `mathieu_a`; the order m is an integer, q is
    differentiated numerically.

    Parameters
    ----------
    m : array_like of ints
        Order of the function, at least 0.
    q : array_like
        Parameter of Mathieu's equation, at least 0.
    x : array_like
        Radial coordinate.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.mathieu_modcem1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in q and x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.mathieu_modcem1(2, 1.7, 0.4)[0].round(9),
    ...     grad(lambda x: special.mathieu_modcem1(2, 1.7, x)[0])(0.4).round(9),
    ... )
    0.468975051 0.198261132
    """
    ...


@_even_radial
def mathieu_modcem2(
    m: ArrayLike, q: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> tuple[Array, ...]:
    """Compute the even modified Mathieu function of the second kind and its derivative.

    ``Mc_m^{(2)}(x, q)`` (DLMF 28.20), nan where m or ``|q|`` is above 1e6. It satisfies
    ``y'' = (a - 2 q cosh 2x) y`` with the value of `mathieu_a`; the order m is an integer, q is
    differentiated numerically.

    Parameters
    ----------
    m : array_like of ints
        Order of the function, at least 0.
    q : array_like
        Parameter of Mathieu's equation, at least 0.
    x : array_like
        Radial coordinate.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.mathieu_modcem2`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in q and x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.mathieu_modcem2(2, 1.7, 0.4)[0].round(9),
    ...     grad(lambda x: special.mathieu_modcem2(2, 1.7, x)[0])(0.4).round(9),
    ... )
    -0.59670854 1.105209457
    """
    ...


@_odd_radial
def mathieu_modsem1(
    m: ArrayLike, q: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> tuple[Array, ...]:
    """Compute the odd modified Mathieu function of the first kind and its derivative.

    ``Ms_m^{(1)}(x, q)`` (DLMF 28.20), nan where m or ``|q|`` is above 1e6. It satisfies
    ``y'' = (a - 2 q cosh 2x) y`` with the value of `mathieu_b`; the order m is an integer, q is
    differentiated numerically.

    Parameters
    ----------
    m : array_like of ints
        Order of the function, at least 1.
    q : array_like
        Parameter of Mathieu's equation, at least 0.
    x : array_like
        Radial coordinate.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.mathieu_modsem1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in q and x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.mathieu_modsem1(2, 1.7, 0.4)[0].round(9),
    ...     grad(lambda x: special.mathieu_modsem1(2, 1.7, x)[0])(0.4).round(9),
    ... )
    0.261144812 0.641846644
    """
    ...


@_odd_radial
def mathieu_modsem2(
    m: ArrayLike, q: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> tuple[Array, ...]:
    """Compute the odd modified Mathieu function of the second kind and its derivative.

    ``Ms_m^{(2)}(x, q)`` (DLMF 28.20), nan where m or ``|q|`` is above 1e6. It satisfies
    ``y'' = (a - 2 q cosh 2x) y`` with the value of `mathieu_b`; the order m is an integer, q is
    differentiated numerically.

    Parameters
    ----------
    m : array_like of ints
        Order of the function, at least 1.
    q : array_like
        Parameter of Mathieu's equation, at least 0.
    x : array_like
        Radial coordinate.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.mathieu_modsem2`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in q and x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.mathieu_modsem2(2, 1.7, 0.4)[0].round(9),
    ...     grad(lambda x: special.mathieu_modsem2(2, 1.7, x)[0])(0.4).round(9),
    ... )
    -0.64117102 0.861921412
    """
    ...


__all__ = [
    "mathieu_a", "mathieu_b", "mathieu_cem", "mathieu_modcem1", "mathieu_modcem2",
    "mathieu_modsem1", "mathieu_modsem2", "mathieu_sem",
]  # fmt: skip
