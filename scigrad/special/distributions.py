"""Distribution functions of the gamma, chi-square, F and t distributions, and their inverses.

The derivative in the variate is the density. Degrees of freedom of F and t are differentiated
numerically; every inverse has its derivatives from the function that it inverts.
"""

from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import stop_gradient
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .beta import beta_density, betaln
from .convenience import gauss
from .gamma import deviance
from .gamma_incomplete import gamma_density, shape_derivative
from .machinery.numerical_partial import (
    growing,
    numerical_partial,
    partial_from_smaller_tail,
    pole_distance,
    power_scale,
)
from .machinery.ufuncs import complement, inverse, row


@row(
    lambda v, x, out: shape_derivative(1, v / 2, x / 2) / 2,
    lambda v, x, out: gamma_density(v / 2, x / 2) / 2,
)
def chdtr(v: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the distribution function of the chi-square distribution.

    ``gammainc(v/2, x/2)``. The derivative in x is the density, that in v as for `gammainc`.

    Parameters
    ----------
    v : array_like
        Degrees of freedom.
    x : array_like
        Upper limit of the integral of the density, at least 0.
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
    This is `scipy.special.chdtr`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.chdtr(3.0, 1.5).round(9), grad(special.chdtr, 1)(3.0, 1.5).round(9))
    0.31772967 0.230799484
    """
    ...


@complement(chdtr)
def chdtrc(v: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the survival function of the chi-square distribution.

    ``gammaincc(v/2, x/2)``. The derivative in x is minus the density, that in v as for `gammainc`.

    Parameters
    ----------
    v : array_like
        Degrees of freedom.
    x : array_like
        Lower limit of the integral of the density, at least 0.
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
    This is `scipy.special.chdtrc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.chdtrc(3.0, 1.5).round(9), grad(special.chdtrc, 1)(3.0, 1.5).round(9))
    0.68227033 -0.230799484
    """
    ...


@inverse(chdtrc, 1)
def chdtri(v: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the inverse of the survival function of the chi-square distribution.

    The x with ``chdtrc(v, x) = p``. Derivatives follow from those of `chdtrc`.

    Parameters
    ----------
    v : array_like
        Degrees of freedom.
    p : array_like
        Probability that the variable exceeds the result, 0 <= p <= 1.
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
    This is `scipy.special.chdtri`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.chdtri(3.0, 0.3).round(9), grad(special.chdtri, 1)(3.0, 0.3).round(9))
    3.664870783 -8.182333558
    """
    ...


@inverse(chdtr, 0)
def chdtriv(p: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the degrees of freedom of the chi-square distribution.

    The v with ``chdtr(v, x) = p``. Derivatives follow from those of `chdtr`.

    Parameters
    ----------
    p : array_like
        Probability that the variable is at most x, 0 <= p <= 1.
    x : array_like
        Quantile, at least 0.
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
    This is `scipy.special.chdtriv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.chdtriv(0.3, 1.5).round(9), grad(special.chdtriv)(0.3, 1.5).round(9))
    3.101772506 -5.856889142
    """
    ...


@row(
    lambda a, b, x, out: x * gamma_density(b, a * x),
    lambda a, b, x, out: shape_derivative(1, b, a * x),
    lambda a, b, x, out: a * gamma_density(b, a * x),
)
def gdtr(a: ArrayLike, b: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the distribution function of the gamma distribution of rate a and shape b.

    ``gammainc(b, a x)``. The derivative in x is the density, that in b as for `gammainc`.

    Parameters
    ----------
    a : array_like
        Rate of the gamma distribution, the reciprocal of its scale.
    b : array_like
        Shape of the gamma distribution, positive.
    x : array_like
        Quantile, at least 0.
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
    This is `scipy.special.gdtr`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.gdtr(1.5, 2.0, 0.7).round(9), grad(special.gdtr, 2)(1.5, 2.0, 0.7).round(9))
    0.282627614 0.551151955
    """
    ...


@complement(gdtr)
def gdtrc(a: ArrayLike, b: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the survival function of the gamma distribution of rate a and shape b.

    ``gammaincc(b, a x)``. The derivative in x is minus the density, that in b as for `gammainc`.

    Parameters
    ----------
    a : array_like
        Rate of the gamma distribution, the reciprocal of its scale.
    b : array_like
        Shape of the gamma distribution, positive.
    x : array_like
        Quantile, at least 0.
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
    This is `scipy.special.gdtrc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.gdtrc(1.5, 2.0, 0.7).round(9), grad(special.gdtrc, 2)(1.5, 2.0, 0.7).round(9))
    0.717372386 -0.551151955
    """
    ...


@inverse(gdtr, 0)
def gdtria(p: ArrayLike, b: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the rate of the gamma distribution.

    The a with ``gdtr(a, b, x) = p``. Derivatives follow from those of `gdtr`.

    Parameters
    ----------
    p : array_like
        Probability that the variable is at most x, 0 <= p <= 1.
    b : array_like
        Shape of the gamma distribution, positive.
    x : array_like
        Quantile, at least 0.
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
    This is `scipy.special.gdtria`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.gdtria(0.3, 2.0, 0.7).round(9), grad(special.gdtria)(0.3, 2.0, 0.7).round(9))
    1.56764173 3.900585584
    """
    ...


@inverse(gdtr, 1)
def gdtrib(a: ArrayLike, p: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the shape of the gamma distribution.

    The b with ``gdtr(a, b, x) = p``. Derivatives follow from those of `gdtr`.

    Parameters
    ----------
    a : array_like
        Rate of the gamma distribution, the reciprocal of its scale.
    p : array_like
        Probability that the variable is at most x, 0 <= p <= 1.
    x : array_like
        Quantile, at least 0.
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
    This is `scipy.special.gdtrib`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.gdtrib(1.5, 0.3, 0.7).round(9), grad(special.gdtrib, 1)(1.5, 0.3, 0.7).round(9)
    ... )
    1.93997143 -3.386612567
    """
    ...


@inverse(gdtr, 2)
def gdtrix(a: ArrayLike, b: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the quantile of the gamma distribution of rate a and shape b.

    The x with ``gdtr(a, b, x) = p``. Derivatives follow from those of `gdtr`.

    Parameters
    ----------
    a : array_like
        Rate of the gamma distribution, the reciprocal of its scale.
    b : array_like
        Shape of the gamma distribution, positive.
    p : array_like
        Probability that the variable is at most the result, 0 <= p <= 1.
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
    This is `scipy.special.gdtrix`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.gdtrix(1.5, 2.0, 0.3).round(9), grad(special.gdtrix, 2)(1.5, 2.0, 0.3).round(9)
    ... )
    0.73156614 1.820273272
    """
    ...


def _f_density(n: Any, d: Any, x: Any) -> Any:
    total, tail = n * x + d, n * x > d  # work with min(x, 1 - x), so that no digits cancel
    of_less, of_more, less = (
        np.where(tail, d, n) / 2,
        np.where(tail, n, d) / 2,
        np.where(tail, d, n * x),
    )
    excess = np.where(tail, 1 - x, x - 1) * (n / total) * d / 2
    return beta_density(of_less, of_more, less / total, excess) * (n / total) * (d / total)


def _by_freedom(position: int) -> Any:
    def scale(n: Any, d: Any, x: Any) -> Any:
        terms, freedom = (n * np.minimum(x * np.float64(1), 1e200), d), (n, d)[position]
        share = terms[position] / sum(terms)  # the share is raised to the power n/2 or d/2
        u = (n * (1 - x) if position else d * (x - 1)) / sum(terms)
        tail = deviance(u, 1 + u) / 2  # its logarithm has that slope
        return growing(
            pole_distance(freedom) * np.minimum(1, 2 * power_scale(share)), freedom, tail
        )

    return partial_from_smaller_tail(lambda: fdtr, lambda: fdtrc, position, scale)


@row(
    _by_freedom(0), _by_freedom(1), lambda dfn, dfd, x, out: _f_density(dfn, dfd, x), in_double=True
)
def fdtr(dfn: ArrayLike, dfd: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the distribution function of the F distribution.

    The derivative in x is the density; the degrees of freedom are differentiated numerically.

    Parameters
    ----------
    dfn, dfd : array_like
        Degrees of freedom.
    x : array_like
        Quantile, at least 0.
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
    This is `scipy.special.fdtr`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.fdtr(3.0, 4.0, 0.7).round(9), grad(special.fdtr, 2)(3.0, 4.0, 0.7).round(9))
    0.400672674 0.465294297
    """
    ...


@complement(fdtr, in_double=True)
def fdtrc(
    dfn: ArrayLike, dfd: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the survival function of the F distribution.

    The derivative in x is minus the density; the degrees of freedom are differentiated numerically.

    Parameters
    ----------
    dfn, dfd : array_like
        Degrees of freedom.
    x : array_like
        Quantile, at least 0.
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
    This is `scipy.special.fdtrc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.fdtrc(3.0, 4.0, 0.7).round(9), grad(special.fdtrc, 2)(3.0, 4.0, 0.7).round(9))
    0.599327326 -0.465294297
    """
    ...


@inverse(fdtr, 2)
def fdtri(
    dfn: ArrayLike, dfd: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the quantile of the F distribution.

    The x with ``fdtr(dfn, dfd, x) = p``. Derivatives follow from those of `fdtr`.

    Parameters
    ----------
    dfn, dfd : array_like
        Degrees of freedom.
    p : array_like
        Probability that the variable is at most the result, 0 <= p <= 1.
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
    This is `scipy.special.fdtri`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.fdtri(3.0, 4.0, 0.3).round(9), grad(special.fdtri, 2)(3.0, 4.0, 0.3).round(9))
    0.503896687 1.776204122
    """
    ...


@inverse(fdtr, 1)
def fdtridfd(
    dfn: ArrayLike, p: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the degrees of freedom of the denominator of the F distribution.

    The dfd with ``fdtr(dfn, dfd, x) = p``. Derivatives follow from those of `fdtr`.

    Parameters
    ----------
    dfn : array_like
        Degrees of freedom.
    p : array_like
        Probability that the variable is at most x, 0 <= p <= 1.
    x : array_like
        Quantile, at least 0.
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
    This is `scipy.special.fdtridfd`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.fdtridfd(3.0, 0.3, 0.5).round(9),
    ...     grad(special.fdtridfd, 1)(3.0, 0.3, 0.5).round(9),
    ... )
    4.535467119 273.937155705
    """
    ...


def _of_student(df: Any, t: Any) -> Any:
    ratio = t / df * t
    tail = np.log1p(ratio) - ratio / (1 + ratio)
    return growing(
        pole_distance(df) * np.minimum(1, 2 * power_scale(1 / (1 + ratio))), df, tail / 2
    )


def _student_density(df: Any, t: Any) -> Any:
    return np.exp(-(df + 1) / 2 * np.log1p(t * t / df) - betaln(df / 2, 0.5)) / np.sqrt(df)


_in_tails = partial_from_smaller_tail(
    lambda: stdtr, lambda: lambda df, t: stdtr(df, -t), 0, _of_student
)


def _beside_median(df: Any, t: Any) -> Any:
    """Return the distribution function less 1/2, by Gauss's rule for the density."""
    df = np.minimum(df, 1e30)
    return (
        t
        / 2
        * sum(
            w * _student_density(df, t * (x + 1) / 2) for x, w in np.transpose(gauss(16)).tolist()
        )
    )


def _by_student_freedom(df: Array, t: Array, out: Array) -> Array:
    """Return the partial in df, near the median that of what is added to 1/2, which rounds it."""
    near = 16 * stop_gradient(t) ** 2 < np.minimum(stop_gradient(df), 1)
    at = np.where(near, df, 1.0), np.where(near, t, 0.0)
    inner = numerical_partial(_beside_median, 0, *at, scale=_of_student(*map(stop_gradient, at)))
    return np.where(near, inner, _in_tails(df, np.where(near, 1.0, t), np.where(near, 1.0, out)))


@row(
    _by_student_freedom,
    # from there on it is that of the normal distribution
    lambda df, t, out: _student_density(np.minimum(df, 1e30), t),
    in_double=True,
)
def stdtr(df: ArrayLike, t: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the distribution function of Student's t distribution.

    The derivative in t is the density; df is differentiated numerically.

    Parameters
    ----------
    df : array_like
        Degrees of freedom.
    t : array_like
        Quantile.
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
    This is `scipy.special.stdtr`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.stdtr(3.0, 0.7).round(9), grad(special.stdtr, 1)(3.0, 0.7).round(9))
    0.732836501 0.271588359
    """
    ...


@inverse(stdtr, 1)
def stdtrit(df: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the quantile of Student's t distribution.

    The t with ``stdtr(df, t) = p``. Derivatives follow from those of `stdtr`.

    Parameters
    ----------
    df : array_like
        Degrees of freedom.
    p : array_like
        Probability that the variable is at most the result, 0 < p < 1.
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
    This is `scipy.special.stdtrit`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.stdtrit(3.0, 0.3).round(9), grad(special.stdtrit, 1)(3.0, 0.3).round(9))
    -0.584389727 3.37538936
    """
    ...


@inverse(stdtr, 0)
def stdtridf(p: ArrayLike, t: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the degrees of freedom of Student's t distribution.

    The df with ``stdtr(df, t) = p``. Derivatives follow from those of `stdtr`.

    Parameters
    ----------
    p : array_like
        Probability that the variable is at most t, 0 < p < 1.
    t : array_like
        Quantile.
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
    This is `scipy.special.stdtridf`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.stdtridf(0.3, -0.6).round(9), grad(special.stdtridf)(0.3, -0.6).round(9))
    2.417136283 -104.371299757
    """
    ...


__all__ = [
    "chdtr", "chdtrc", "chdtri", "chdtriv", "fdtr", "fdtrc", "fdtri", "fdtridfd", "gdtr", "gdtrc",
    "gdtria", "gdtrib", "gdtrix", "stdtr", "stdtridf", "stdtrit",
]  # fmt: skip
