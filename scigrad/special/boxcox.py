"""Box and Cox's transformations, their inverses, and Tukey's lambda distribution, with limits where
the exponent is 0.
"""

import math
from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import stop_gradient
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .convenience import exprel_slope
from .machinery.ufuncs import corrected_kernel, holds_somewhere, inverse, row


def _by_exponent(logarithm: Any, lmbda: Any) -> Any:
    """Return the derivative of (x^lambda - 1)/lambda in lambda, log(x)^2/2 at 0, and 1/lambda^2 at
    x = 0 for lambda > 0.
    """
    logarithm = np.maximum(logarithm, -1e15)
    return logarithm * logarithm * exprel_slope(lmbda * logarithm)


@row(lambda x, lmbda, out: x ** (lmbda - 1), lambda x, lmbda, out: _by_exponent(np.log(x), lmbda))
def boxcox(x: ArrayLike, lmbda: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Box-Cox transformation.

    ``(x^lmbda - 1)/lmbda``, log(x) for lmbda = 0. The derivative in x is ``x^(lmbda - 1)``.

    Parameters
    ----------
    x : array_like
        Data to transform, positive.
    lmbda : array_like
        Exponent of the transformation; 0 is the logarithm.
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
    This is `scipy.special.boxcox`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.boxcox(1.5, 0.7).round(9), grad(special.boxcox, 1)(1.5, 0.7).round(9))
    0.468858914 0.09954335
    """
    ...


def _power_of_sum(x: Any, power: Any) -> Any:
    """Return (1 + x)^power, whose derivative in the power the rounding of 1 + x does not hide."""
    small = np.abs(stop_gradient(x)) < 0.5
    if not holds_somewhere(small):
        return (1 + x) ** power
    return np.where(
        small,
        np.exp(power * np.log1p(np.where(small, x, 0.0))),
        (1 + np.where(small, 0.0, x)) ** power,
    )


@row(
    lambda x, lmbda, out: _power_of_sum(x, lmbda - 1),
    lambda x, lmbda, out: _by_exponent(np.log1p(x), lmbda),
)
def boxcox1p(x: ArrayLike, lmbda: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Box-Cox transformation of 1 + x.

    ``((1 + x)^lmbda - 1)/lmbda``. The derivative in x is ``(1 + x)^(lmbda - 1)``.

    Parameters
    ----------
    x : array_like
        Data to transform, larger than -1.
    lmbda : array_like
        Exponent of the transformation; 0 is the logarithm.
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
    This is `scipy.special.boxcox1p`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.boxcox1p(1.5, 0.7).round(9), grad(special.boxcox1p, 1)(1.5, 0.7).round(9))
    1.284492118 0.650966243
    """
    ...


def _is_tiny(y: Any, lmbda: Any) -> Any:
    return (np.abs(lmbda * y) < 1e-154) & (lmbda != 0)


# SciPy returns y where the exponent is tiny, in place of its exponential.
@inverse(
    boxcox1p, 0, instead=corrected_kernel("inv_boxcox1p", _is_tiny, lambda y, lmbda: [np.expm1(y)])
)
def inv_boxcox1p(y: ArrayLike, lmbda: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the inverse of the Box-Cox transformation of 1 + x.

    The x with ``boxcox1p(x, lmbda) = y``. Derivatives follow from those of `boxcox1p`.

    Parameters
    ----------
    y : array_like
        Transformed data.
    lmbda : array_like
        Exponent of the transformation; 0 is the logarithm.
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
    This is `scipy.special.inv_boxcox1p`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.inv_boxcox1p(1.5, 0.7).round(9),
    ...     grad(special.inv_boxcox1p, 1)(1.5, 0.7).round(9),
    ... )
    1.788448697 -1.170264522
    """
    ...


# 1 + inv_boxcox1p, of which the latter keeps the digits of a small logarithm
@row(*(lambda y, lmbda, out, p=p: p(y, lmbda, inv_boxcox1p(y, lmbda)) for p in inv_boxcox1p.closed))
def inv_boxcox(y: ArrayLike, lmbda: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the inverse of the Box-Cox transformation.

    The x with ``boxcox(x, lmbda) = y``. Derivatives are those of `inv_boxcox1p`.

    Parameters
    ----------
    y : array_like
        Transformed data.
    lmbda : array_like
        Exponent of the transformation; 0 is the logarithm.
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
    This is `scipy.special.inv_boxcox`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.inv_boxcox(1.5, 0.7).round(9), grad(special.inv_boxcox, 1)(1.5, 0.7).round(9))
    2.788448697 -1.170264522
    """
    ...


def _density(lmbda: Array, out: Array) -> tuple[Any, Any]:
    """Return the probability, or 1/2 where it is 0 or 1, and the density, which is 0 there."""
    inside = (out > 0) & (out < 1)
    p, power = np.where(inside, out, 0.5), np.where(inside, lmbda, 1.0) - 1
    return p, np.where(inside, 1 / (p**power + (1 - p) ** power), 0.0)


def _beside_median(x: Any, lmbda: Any) -> Any:
    """Return where x is near the median, and w = 2^(lambda - 1) x there: p is (1 + w - (lambda - 1)
    (lambda - 2) w^3/6)/2.
    """
    size, at = np.abs(stop_gradient(lmbda)), np.maximum(stop_gradient(lmbda), -1000.0)
    near = np.abs(stop_gradient(x)) < 4e-3 * np.exp2(-at) / (1 + size)
    return near, np.where(near, x, 0.0) * np.exp2(np.where(near, lmbda, 1.0) - 1)


def _by_x(x: Array, given: Any, out: Array) -> Array:
    near, w = _beside_median(x, given)
    lmbda, square = np.where(near, given, 1.0), w * w
    bend = (lmbda - 1) * (lmbda - 2) * (1 / 2 - (9 * lmbda * lmbda - 23 * lmbda + 8) / 24 * square)
    return np.where(near, np.exp2(lmbda - 2) * (1 - bend * square), _density(given, out)[1])


def _by_lambda(x: Array, lmbda: Array, out: Array) -> Array:
    near, w = _beside_median(x, lmbda)
    shape = np.where(near, lmbda, 1.0) - 1.5
    slope = w / 2 * (math.log(2) * (1 - (shape * shape - 0.25) / 2 * w * w) - shape / 3 * w * w)
    p, density = _density(lmbda, out)
    return np.where(
        near, slope, (_by_exponent(np.log1p(-p), lmbda) - _by_exponent(np.log(p), lmbda)) * density
    )


@row(_by_x, _by_lambda)
def tklmbda(x: ArrayLike, lmbda: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the distribution function of Tukey's lambda distribution.

    The p with ``(p^lmbda - (1 - p)^lmbda)/lmbda = x``. The derivative in x is
    ``1/(p^(lmbda - 1) + (1 - p)^(lmbda - 1))``. Where p is 0 or 1 derivatives are 0.

    Parameters
    ----------
    x : array_like
        Point of evaluation.
    lmbda : array_like
        Shape: 0 is the logistic distribution, 1 and 2 are uniform ones. The support is
        bounded by 1/lmbda for lmbda > 0.
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
    This is `scipy.special.tklmbda`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.tklmbda(0.4, 0.7).round(9), grad(special.tklmbda, 1)(0.4, 0.7).round(9))
    0.661313357 0.114805197
    """
    ...


__all__ = ["boxcox", "boxcox1p", "inv_boxcox", "inv_boxcox1p", "tklmbda"]
