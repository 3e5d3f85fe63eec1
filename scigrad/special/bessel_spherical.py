"""Spherical Bessel functions (DLMF 10.47). Derivatives in z are combinations of neighbors without
a quotient (DLMF 10.51).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.typing import Array, ArrayLike

from .machinery.ufuncs import no_ufunc


def _by_neighbors(f: Callable[[], Any], below: int, above: int) -> Callable[..., Any]:
    """Return the derivative of f_n with (2 n + 1) f_n' = below n f_(n-1) + above (n + 1) f_(n+1),
    and of f_n' in turn.
    """

    def slope(n: Array, z: Array, derivative: Any, out: Array) -> Array:
        n = np.trunc(n if hasattr(n, "dtype") else np.asarray(n))
        lower = np.where(n == 0, 0.0, f()(np.abs(n - 1), z, derivative))  # at a pole it is infinite
        return (below * n * lower + above * (n + 1) * f()(n + 1, z, derivative)) / (2 * n + 1)

    return slope


@no_ufunc(None, _by_neighbors(lambda: spherical_jn, 1, -1), None)
def spherical_jn(n: ArrayLike, z: ArrayLike, derivative: bool = False) -> Array:
    """Compute the spherical Bessel function of the first kind of order n.

    ``sqrt(pi/(2 z)) J_(n+1/2)(z)`` (DLMF 10.47.3), real or complex z. The derivative in z is
    ``(n j_(n-1)(z) - (n + 1) j_(n+1)(z))/(2 n + 1)``.

    Parameters
    ----------
    n : array_like of ints
        Order of the function, at least 0.
    z : array_like
        Argument, real or complex.
    derivative : bool, optional
        Whether to return the derivative in z.

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
    This is `scipy.special.spherical_jn`.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.spherical_jn(2, 1.5).round(9), grad(special.spherical_jn, 1)(2, 1.5).round(9))
    0.127349284 0.141474403
    """
    ...


@no_ufunc(None, _by_neighbors(lambda: spherical_yn, 1, -1), None)
def spherical_yn(n: ArrayLike, z: ArrayLike, derivative: bool = False) -> Array:
    """Compute the spherical Bessel function of the second kind of order n.

    ``sqrt(pi/(2 z)) Y_(n+1/2)(z)`` (DLMF 10.47.4), real or complex z. The derivative in z is
    ``(n y_(n-1)(z) - (n + 1) y_(n+1)(z))/(2 n + 1)``.

    Parameters
    ----------
    n : array_like of ints
        Order of the function, at least 0.
    z : array_like
        Argument, real or complex, nonzero.
    derivative : bool, optional
        Whether to return the derivative in z.

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
    This is `scipy.special.spherical_yn`.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.spherical_yn(2, 1.5).round(9), grad(special.spherical_yn, 1)(2, 1.5).round(9))
    -1.345712694 1.994989973
    """
    ...


@no_ufunc(None, _by_neighbors(lambda: spherical_in, 1, 1), None)
def spherical_in(n: ArrayLike, z: ArrayLike, derivative: bool = False) -> Array:
    """Compute the modified spherical Bessel function of the first kind of order n.

    ``sqrt(pi/(2 z)) I_(n+1/2)(z)`` (DLMF 10.47.7), real or complex z. The derivative in z is
    ``(n i_(n-1)(z) + (n + 1) i_(n+1)(z))/(2 n + 1)``.

    Parameters
    ----------
    n : array_like of ints
        Order of the function, at least 0.
    z : array_like
        Argument, real or complex.
    derivative : bool, optional
        Whether to return the derivative in z.

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
    This is `scipy.special.spherical_in`.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.spherical_in(2, 1.5).round(9), grad(special.spherical_in, 1)(2, 1.5).round(9))
    0.175666332 0.270593988
    """
    ...


@no_ufunc(None, _by_neighbors(lambda: spherical_kn, -1, -1), None)
def spherical_kn(n: ArrayLike, z: ArrayLike, derivative: bool = False) -> Array:
    """Compute the modified spherical Bessel function of the second kind of order n.

    ``sqrt(pi/(2 z)) K_(n+1/2)(z)`` (DLMF 10.47.9), real or complex z. The derivative in z is
    ``(-n k_(n-1)(z) - (n + 1) k_(n+1)(z))/(2 n + 1)``.

    Parameters
    ----------
    n : array_like of ints
        Order of the function, at least 0.
    z : array_like
        Argument, real or complex, nonzero.
    derivative : bool, optional
        Whether to return the derivative in z.

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
    This is `scipy.special.spherical_kn`.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.spherical_kn(2, 1.5).round(9), grad(special.spherical_kn, 1)(2, 1.5).round(9))
    1.012532548 -2.414500692
    """
    ...


__all__ = ["spherical_in", "spherical_jn", "spherical_kn", "spherical_yn"]
