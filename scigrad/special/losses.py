"""Robust losses."""

from typing import Unpack

import numpy as np

from scigrad.numpy.arithmetic import stated_derivative
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .machinery.ufuncs import row


@row(
    lambda delta, r, out: np.where(np.abs(r) <= delta, 0.0, np.abs(r) - delta),
    lambda delta, r, out: np.where(np.abs(r) <= delta, r, delta * np.sign(r)),
)
def huber(delta: ArrayLike, r: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Huber loss.

    ``r^2/2`` for ``|r| <= delta``, ``delta (|r| - delta/2)`` beyond. The derivative in r is r, and
    ``delta sign(r)`` beyond.

    Parameters
    ----------
    delta : array_like
        Residual at which the loss turns from quadratic to linear, at least 0.
    r : array_like
        Residual.
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
    This is `scipy.special.huber`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.huber(0.7, 1.5).round(9), grad(special.huber, 1)(0.7, 1.5).round(9))
    0.805 0.7
    """
    ...


# a product of r and of delta / hypot(delta, r), the derivatives of which cancel far out
_slope_of_loss = stated_derivative(
    lambda delta, r: r * (delta / np.hypot(delta, r)),
    (lambda delta, r, out: r * (r / np.hypot(delta, r)) ** 2 / np.hypot(delta, r),
     lambda delta, r, out: delta * (delta / np.hypot(delta, r)) ** 2 / np.hypot(delta, r)),
)  # fmt: skip


@row(
    lambda delta, r, out: r * (r / np.hypot(delta, r)) * (r / (np.hypot(delta, r) + delta)) ** 2,
    lambda delta, r, out: _slope_of_loss(delta, r),
)
def pseudo_huber(delta: ArrayLike, r: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the pseudo-Huber loss.

    ``delta^2 (sqrt(1 + (r/delta)^2) - 1)``. The derivative in r is ``r/sqrt(1 + (r/delta)^2)``.

    Parameters
    ----------
    delta : array_like
        Residual at which the loss turns from quadratic to linear, at least 0.
    r : array_like
        Residual.
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
    This is `scipy.special.pseudo_huber`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.pseudo_huber(0.7, 1.5).round(9),
    ...     grad(special.pseudo_huber, 1)(0.7, 1.5).round(9),
    ... )
    0.668706175 0.634328198
    """
    ...


__all__ = ["huber", "pseudo_huber"]
