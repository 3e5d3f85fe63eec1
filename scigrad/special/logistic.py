"""The logistic function, its inverse and its logarithm."""

from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import elementwise
from scigrad.typing import Array, ArrayLike, UfuncOptions

from ..host.threads import threaded_function
from .machinery.ufuncs import row


@row(lambda x, out: logistic_density(x))
def expit(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the logistic sigmoid.

    ``1 / (1 + exp(-x))``.

    Parameters
    ----------
    x : array_like
        Argument, the logarithm of the odds.
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
    The derivative is ``expit(x) expit(-x)``, accurate in both tails; higher derivatives are
    accurate near 0 too.

    This is `scipy.special.expit`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.expit(0.0), grad(special.expit)(0.0))
    0.5 0.25
    """
    ...


# The product rule on s(x) s(-x) would take the difference s(-x) - s(x), which loses every digit
# near 0; it is -tanh(x/2).
@elementwise
@threaded_function
def logistic_density(x):
    """Return expit(x) expit(-x), the density of the logistic distribution; its derivative is
    -tanh(x/2) times itself.
    """
    e = np.exp(-np.abs(x))
    return e / np.square(1 + e)


@logistic_density.partials
def _(call):
    return (lambda: -np.tanh(call.x / 2) * call.out,)


@row(lambda x, out: logit_slope(x))
def logit(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the logit, the inverse of the logistic sigmoid.

    ``log(x / (1 - x))`` for x in [0, 1], nan outside.

    Parameters
    ----------
    x : array_like
        Probability, 0 <= x <= 1.
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
    The derivative is ``1 / (x (1 - x))``, infinite at 0 and 1.

    This is `scipy.special.logit`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.logit(0.75).round(12), grad(special.logit)(0.75).round(12))
    1.098612288668 5.333333333333
    """
    ...


@elementwise
def logit_slope(x):
    """Return 1 / (x (1 - x)); its derivative is (2 x - 1) times its square, accurate near 1/2."""
    return np.reciprocal(x * (1 - x))


@logit_slope.partials
def _(call):
    return (lambda: (2 * call.x - 1) * np.square(call.out),)


@row(lambda x, out: expit(-x))
def log_expit(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the logarithm of the logistic sigmoid.

    ``-log(1 + exp(-x))``, without underflow.

    Parameters
    ----------
    x : array_like
        Argument, the logarithm of the odds.
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
    The derivative is ``expit(-x)``.

    This is `scipy.special.log_expit`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.log_expit(-800.0), grad(special.log_expit)(0.0))
    -800.0 0.5
    """
    ...


def softplus(x: ArrayLike, **kwargs: Any) -> Array:
    """Compute the softplus function.

    ``log(1 + exp(x))`` without overflow. The derivative is `expit`.

    Parameters
    ----------
    x : array_like
        Argument, real.
    **kwargs : optional
        Options of `numpy.logaddexp`.

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
    This is `scipy.special.softplus`.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.softplus(0.5).round(9), grad(special.softplus)(0.5).round(9))
    0.974076984 0.622459331
    """
    return np.logaddexp(0, x, **kwargs)


__all__ = ["expit", "log_expit", "logit", "softplus"]
