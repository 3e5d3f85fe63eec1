"""Noncentral chi-square, F and t distributions and their inverses.

Derivatives in the noncentrality are differences of the same distribution with more degrees of
freedom; degrees of freedom are differentiated numerically.
"""

from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import stop_gradient
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .bessel_modified_orders import ive
from .gamma_incomplete import gamma_density
from .hypergeometric import hyp0f1
from .machinery.numerical_partial import growing, numerical_partial, pole_distance
from .machinery.ufuncs import corrected_kernel, inverse, library_values, row


def _chi_square_density(x: Any, df: Any, nc: Any) -> Any:
    """Return the density by Johnson, Kotz and Balakrishnan (1995), equation 29.4; by 0F1 where the
    Bessel function is small, or has underflowed.
    """
    near = x * nc < np.maximum(1, df * df / 16)
    y, c = np.where(near, 1.0, x), np.where(near, 1.0, nc)
    apart = np.sqrt(y) - np.sqrt(c)
    far = (
        0.5
        * np.exp(-apart * apart / 2)
        * (y / c) ** (df / 4 - 0.5)
        * ive(df / 2 - 1, np.sqrt(y * c))
    )
    y, c = np.where(near, x, 1.0), np.where(near, nc, 0.0)
    return np.where(
        near, np.exp(-c / 2) * gamma_density(df / 2, y / 2) * hyp0f1(df / 2, y * c / 4) / 2, far
    )


# Scales of large parameters: one over the slope of the logarithm of a distribution that is about
# normal.
def _of_freedom(*args: Any) -> Any:
    x, df, nc = map(stop_gradient, args)
    deviation = np.sqrt(2 * df + 4 * nc)
    return growing(pole_distance(df), df, (1 + np.abs(x - df - nc) / deviation) / deviation)


@row(
    lambda x, df, nc, out: _chi_square_density(x, df, nc),
    lambda x, df, nc, out: numerical_partial(chndtr, 1, x, df, nc, scale=_of_freedom(x, df, nc)),
    lambda x, df, nc, out: -_chi_square_density(x, df + 2, nc),
    in_double=True,
)
def chndtr(x: ArrayLike, df: ArrayLike, nc: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the distribution function of the noncentral chi-square distribution.

    The derivative in x is the density, that in nc minus the density for df + 2; df is
    differentiated numerically. At infinity the former are nan, and for nc above a thousand beside
    df of 1e4 and more.

    Parameters
    ----------
    x : array_like
        Quantile, at least 0.
    df : array_like
        Degrees of freedom.
    nc : array_like
        Noncentrality.
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
    This is `scipy.special.chndtr`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.chndtr(1.5, 3.0, 0.7).round(9), grad(special.chndtr, 2)(1.5, 3.0, 0.7).round(9)
    ... )
    0.246118937 -0.090186012
    """
    ...


@inverse(chndtr, 0)
def chndtrix(
    p: ArrayLike, df: ArrayLike, nc: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the quantile of the noncentral chi-square distribution.

    The x with ``chndtr(x, df, nc) = p``. Derivatives follow from those of `chndtr`.

    Parameters
    ----------
    p : array_like
        Probability that the variable is at most the result, 0 <= p < 1.
    df : array_like
        Degrees of freedom.
    nc : array_like
        Noncentrality.
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
    This is `scipy.special.chndtrix`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.chndtrix(0.3, 3.0, 0.7).round(9), grad(special.chndtrix)(0.3, 3.0, 0.7).round(9)
    ... )
    1.782759073 5.318934727
    """
    ...


@inverse(chndtr, 1)
def chndtridf(
    x: ArrayLike, p: ArrayLike, nc: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the degrees of freedom of the noncentral chi-square distribution.

    The df with ``chndtr(x, df, nc) = p``. Derivatives follow from those of `chndtr`.

    Parameters
    ----------
    x : array_like
        Quantile, at least 0.
    p : array_like
        Probability that the variable is at most x, 0 <= p < 1.
    nc : array_like
        Noncentrality.
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
    This is `scipy.special.chndtridf`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.chndtridf(1.5, 0.3, 0.7).round(9),
    ...     grad(special.chndtridf, 1)(1.5, 0.3, 0.7).round(9),
    ... )
    2.645248689 -6.162916462
    """
    ...


@inverse(chndtr, 2, searched=True)
def chndtrinc(
    x: ArrayLike, df: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the noncentrality of the noncentral chi-square distribution.

    The nc with ``chndtr(x, df, nc) = p``. Derivatives follow from those of `chndtr`.

    Parameters
    ----------
    x : array_like
        Quantile, at least 0.
    df : array_like
        Degrees of freedom.
    p : array_like
        Probability that the variable is at most x, 0 <= p < 1.
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
    This is `scipy.special.chndtrinc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.chndtrinc(3.0, 3.0, 0.3).round(9),
    ...     grad(special.chndtrinc, 2)(3.0, 3.0, 0.3).round(9),
    ... )
    2.628905746 -11.799139149
    """
    ...


def _by_noncentrality(dfn: Array, dfd: Array, nc: Array, f: Any, out: Array) -> Array:
    return (ncfdtr(dfn + 2, dfd, nc, f * dfn / (dfn + 2)) - out) / 2


def _nearly_central(dfn: Any, dfd: Any, nc: Any, f: Any) -> list[Any]:
    """Return the first two terms of the series in nc of the mixture by Poisson weights."""
    central, more = (library_values("ncfdtr", n, dfd, 0.0, f * dfn / n) for n in (dfn, dfn + 2))
    return [central + nc / 2 * (more - central)]


def _of_fisher(position: int) -> Any:
    def partial(*args: Any) -> Any:
        dfn, dfd, nc, f = map(stop_gradient, args[:4])
        deviation = np.sqrt(2 * dfn + 4 * nc + 2 * (dfn * f) ** 2 / dfd)
        z = (dfn * (f - 1) - nc) / deviation
        return numerical_partial(
            ncfdtr,
            position,
            *args[:4],
            scale=(
                growing(
                    pole_distance(dfn),
                    dfn,
                    np.abs(f - 1) * (1 + np.abs(z)) / deviation + z * z / dfn,
                ),
                growing(pole_distance(dfd), dfd, z * z / dfd),
                1.0,
                np.fmin(pole_distance(f), 2 * deviation / dfn),
            )[position],
        )

    return partial


@row(
    _of_fisher(0),
    _of_fisher(1),
    _by_noncentrality,
    _of_fisher(3),
    instead=corrected_kernel(
        "ncfdtr", lambda dfn, dfd, nc, f: (nc > 0) & (nc < 1e-13), _nearly_central
    ),
    in_double=True,
)
def ncfdtr(
    dfn: ArrayLike, dfd: ArrayLike, nc: ArrayLike, f: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the distribution function of the noncentral F distribution.

    The derivative in nc is half the difference to the distribution with dfn + 2; the others are
    taken numerically. Values on the host are right for nc below 1e-13, where SciPy's are too large,
    thirty times at worst.

    Parameters
    ----------
    dfn, dfd : array_like
        Degrees of freedom.
    nc : array_like
        Noncentrality.
    f : array_like
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
    This is `scipy.special.ncfdtr`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.ncfdtr(3.0, 4.0, 0.7, 1.5).round(9),
    ...     grad(special.ncfdtr, 3)(3.0, 4.0, 0.7, 1.5).round(9),
    ... )
    0.585813117 0.227219437
    """
    ...


@inverse(ncfdtr, 3)
def ncfdtri(
    dfn: ArrayLike, dfd: ArrayLike, nc: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the quantile of the noncentral F distribution.

    The f with ``ncfdtr(dfn, dfd, nc, f) = p``. Derivatives follow from those of `ncfdtr`.

    Parameters
    ----------
    dfn, dfd : array_like
        Degrees of freedom.
    nc : array_like
        Noncentrality.
    p : array_like
        Probability that the variable is at most the result, 0 <= p < 1.
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
    This is `scipy.special.ncfdtri`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.ncfdtri(3.0, 4.0, 0.7, 0.3).round(9),
    ...     grad(special.ncfdtri, 3)(3.0, 4.0, 0.7, 0.3).round(9),
    ... )
    0.629476724 2.203401941
    """
    ...


def _of_student(position: int) -> Any:
    def partial(*args: Any) -> Any:
        df, nc, t = map(stop_gradient, args[:3])
        deviation = np.sqrt(1 + t * t / (2 * df))
        z = (t - nc) / deviation
        return numerical_partial(
            nctdtr,
            position,
            *args[:3],
            scale=np.fmax(1.0, deviation / (2 + np.abs(z)))
            if position
            else growing(pole_distance(df), df, z * z / df),
        )

    return partial


@row(*map(_of_student, range(3)), in_double=True)
def nctdtr(df: ArrayLike, nc: ArrayLike, t: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the distribution function of the noncentral t distribution.

    All arguments are differentiated numerically.

    Parameters
    ----------
    df : array_like
        Degrees of freedom.
    nc : array_like
        Noncentrality.
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
    This is `scipy.special.nctdtr`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.nctdtr(3.0, 0.7, 1.5).round(9), grad(special.nctdtr, 2)(3.0, 0.7, 1.5).round(9)
    ... )
    0.719854213 0.233955992
    """
    ...


@inverse(nctdtr, 2)
def nctdtrit(
    df: ArrayLike, nc: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the quantile of the noncentral t distribution.

    The t with ``nctdtr(df, nc, t) = p``. Derivatives follow from those of `nctdtr`.

    Parameters
    ----------
    df : array_like
        Degrees of freedom.
    nc : array_like
        Noncentrality.
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
    This is `scipy.special.nctdtrit`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.nctdtrit(3.0, 0.7, 0.3).round(9),
    ...     grad(special.nctdtrit, 2)(3.0, 0.7, 0.3).round(9),
    ... )
    0.189085261 3.081496182
    """
    ...


@inverse(nctdtr, 0, polished=True)
def nctdtridf(
    p: ArrayLike, nc: ArrayLike, t: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the degrees of freedom of the noncentral t distribution.

    The df with ``nctdtr(df, nc, t) = p``. Derivatives follow from those of `nctdtr`.

    Parameters
    ----------
    p : array_like
        Probability that the variable is at most t, 0 < p < 1.
    nc : array_like
        Noncentrality.
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
    This is `scipy.special.nctdtridf`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.nctdtridf(0.6, 0.7, 1.2).round(9),
    ...     grad(special.nctdtridf)(0.6, 0.7, 1.2).round(9),
    ... )
    1.460107072 20.438132242
    """
    ...


@inverse(nctdtr, 1, polished=True)
def nctdtrinc(
    df: ArrayLike, p: ArrayLike, t: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the noncentrality of the noncentral t distribution.

    The nc with ``nctdtr(df, nc, t) = p``. Derivatives follow from those of `nctdtr`.

    Parameters
    ----------
    df : array_like
        Degrees of freedom.
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
    This is `scipy.special.nctdtrinc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.nctdtrinc(3.0, 0.3, 1.5).round(9),
    ...     grad(special.nctdtrinc, 1)(3.0, 0.3, 1.5).round(9),
    ... )
    1.980024504 -3.365998364
    """
    ...


@inverse(ncfdtr, 0, polished=True)
def ncfdtridfn(
    p: ArrayLike, dfd: ArrayLike, nc: ArrayLike, f: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the degrees of freedom of the numerator of the noncentral F distribution.

    The dfn with ``ncfdtr(dfn, dfd, nc, f) = p``. Derivatives follow from those of `ncfdtr`.

    Parameters
    ----------
    p : array_like
        Probability that the variable is at most f, 0 <= p < 1.
    dfd : array_like
        Degrees of freedom.
    nc : array_like
        Noncentrality.
    f : array_like
        Quantile, positive.
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
    This is `scipy.special.ncfdtridfn`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.ncfdtridfn(0.3, 4.0, 0.7, 0.6).round(9),
    ...     grad(special.ncfdtridfn)(0.3, 4.0, 0.7, 0.6).round(9),
    ... )
    2.565738667 -28.948489918
    """
    ...


@inverse(ncfdtr, 1, polished=True)
def ncfdtridfd(
    dfn: ArrayLike, p: ArrayLike, nc: ArrayLike, f: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the degrees of freedom of the denominator of the noncentral F distribution.

    The dfd with ``ncfdtr(dfn, dfd, nc, f) = p``. Derivatives follow from those of `ncfdtr`.

    Parameters
    ----------
    dfn : array_like
        Degrees of freedom.
    p : array_like
        Probability that the variable is at most f, 0 <= p < 1.
    nc : array_like
        Noncentrality.
    f : array_like
        Quantile, positive.
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
    This is `scipy.special.ncfdtridfd`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.ncfdtridfd(3.0, 0.6, 0.7, 1.5).round(9),
    ...     grad(special.ncfdtridfd, 1)(3.0, 0.6, 0.7, 1.5).round(9),
    ... )
    4.784261376 63.618467519
    """
    ...


@inverse(ncfdtr, 2, polished=True)
def ncfdtrinc(
    dfn: ArrayLike, dfd: ArrayLike, p: ArrayLike, f: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the noncentrality of the noncentral F distribution.

    The nc with ``ncfdtr(dfn, dfd, nc, f) = p``. Derivatives follow from those of `ncfdtr`.

    Parameters
    ----------
    dfn, dfd : array_like
        Degrees of freedom.
    p : array_like
        Probability that the variable is at most f, 0 <= p < 1.
    f : array_like
        Quantile, positive.
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
    This is `scipy.special.ncfdtrinc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.ncfdtrinc(3.0, 4.0, 0.3, 1.5).round(9),
    ...     grad(special.ncfdtrinc, 2)(3.0, 4.0, 0.3, 1.5).round(9),
    ... )
    4.551962974 -18.468365777
    """
    ...


__all__ = [
    "chndtr", "chndtridf", "chndtrinc", "chndtrix", "ncfdtr", "ncfdtri", "ncfdtridfd", "ncfdtridfn",
    "ncfdtrinc", "nctdtr", "nctdtridf", "nctdtrinc", "nctdtrit",
]  # fmt: skip
