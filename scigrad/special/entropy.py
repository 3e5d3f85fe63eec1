"""Entropy and relative entropies."""

from typing import Any, Unpack

import numpy as np

from scigrad.typing import Array, ArrayLike, UfuncOptions

from .machinery.ufuncs import row


@row(lambda x, out: -np.log(x) - 1)
def entr(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the entropy function ``-x log(x)``.

    0 at 0, -inf for negative x.

    Parameters
    ----------
    x : array_like
        Probability, or another nonnegative number.
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
    The derivative is ``-log(x) - 1``, infinite at 0 and nan below.

    This is `scipy.special.entr`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.entr(0.5).round(12), grad(special.entr)(0.5).round(12))
    0.34657359028 -0.30685281944
    """
    ...


def _log_of_ratio(x: Any, y: Any) -> Any:
    """Return log(x/y), by a difference where the ratio is not in the range of numbers."""
    ratio = x / y
    inside = (ratio >= np.finfo(ratio.dtype).tiny) & np.isfinite(ratio) | (x == 0) | (y == 0)
    apart = np.log(np.where(inside, 1.0, x)) - np.log(np.where(inside, 1.0, y))
    return np.where(inside, np.log(np.where(inside, ratio, 1.0)), apart)[()]


@row(lambda x, y, out: _log_of_ratio(x, y) + 1, lambda x, y, out: -x / y)
def rel_entr(x: ArrayLike, y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the relative entropy ``x log(x/y)``.

    0 for x = 0 <= y, inf outside of the domain. Derivatives are ``log(x/y) + 1`` and ``-x/y``.

    Parameters
    ----------
    x : array_like
        Probability, or another nonnegative number.
    y : array_like
        Reference probability, or another nonnegative number.
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
    This is `scipy.special.rel_entr`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.rel_entr(1.5, 0.7).round(9), grad(special.rel_entr, 1)(1.5, 0.7).round(9))
    1.143210078 -2.142857143
    """
    ...


@row(lambda x, y, out: _log_of_ratio(x, y), lambda x, y, out: 1 - x / y)
def kl_div(x: ArrayLike, y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Kullback-Leibler divergence ``x log(x/y) - x + y``.

    y for x = 0 <= y, inf outside of the domain. Derivatives are ``log(x/y)`` and ``1 - x/y``.

    Parameters
    ----------
    x : array_like
        Probability, or another nonnegative number.
    y : array_like
        Reference probability, or another nonnegative number.
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
    This is `scipy.special.kl_div`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.kl_div(1.5, 0.7).round(9), grad(special.kl_div, 1)(1.5, 0.7).round(9))
    0.343210078 -1.142857143
    """
    ...


__all__ = ["entr", "kl_div", "rel_entr"]
