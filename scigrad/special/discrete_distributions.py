"""Distribution functions of the binomial, negative binomial and Poisson distributions, and their
inverses.

The distribution functions are step functions of the counts, which have no derivative there. Their
inverses by a count replace them by incomplete beta and gamma functions, in which counts vary
continuously.
"""

from typing import Any, Unpack

import numpy as np

from scigrad.numpy.selection import chosen
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .beta import beta_density, betainc, betaincc
from .gamma_incomplete import gamma_density, gammaincc, shape_derivative
from .machinery.ufuncs import complement, inverse, row


def _binomial_slope(k: Array, n: Array, p: Array, out: Array) -> Array:
    """Return the derivative in p, of counts as SciPy rounds them; bdtrc of negative ones is 1."""
    density = beta_density(np.floor(k) + 1, np.trunc(n) - np.floor(k), p)
    return -chosen(k < 0, 0.0, density)


@row(None, None, _binomial_slope)
def bdtr(k: ArrayLike, n: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the distribution function of the binomial distribution.

    Probability of at most k successes in n trials. The derivative in p is minus the density of the
    beta distribution of k + 1 and n - k, for k < n.

    Parameters
    ----------
    k : array_like
        Number of successes, rounded down.
    n : array_like
        Number of trials.
    p : array_like
        Probability of success in a trial, 0 <= p <= 1.
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
    This is `scipy.special.bdtr`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in p; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.bdtr(2, 6, 0.3).round(9), grad(special.bdtr, 2)(2, 6, 0.3).round(9))
    0.74431 -1.8522
    """
    ...


@complement(bdtr)
def bdtrc(k: ArrayLike, n: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the survival function of the binomial distribution.

    Probability of more than k successes in n trials. The derivative in p is the density of the beta
    distribution of k + 1 and n - k, for k < n.

    Parameters
    ----------
    k : array_like
        Number of successes, rounded down.
    n : array_like
        Number of trials.
    p : array_like
        Probability of success in a trial, 0 <= p <= 1.
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
    This is `scipy.special.bdtrc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in p; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.bdtrc(2, 6, 0.3).round(9), grad(special.bdtrc, 2)(2, 6, 0.3).round(9))
    0.25569 1.8522
    """
    ...


@inverse(bdtr, 2)
def bdtri(k: ArrayLike, n: ArrayLike, y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the probability of success of the binomial distribution.

    The p with ``bdtr(k, n, p) = y``. The derivative in y follows from that of `bdtr`.

    Parameters
    ----------
    k : array_like
        Number of successes, rounded down.
    n : array_like
        Number of trials.
    y : array_like
        Probability of at most k successes, 0 <= y <= 1.
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
    This is `scipy.special.bdtri`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in y; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.bdtri(2, 6, 0.3).round(9), grad(special.bdtri, 2)(2, 6, 0.3).round(9))
    0.523941801 -0.562733157
    """
    ...


@row(None, None, lambda k, n, p, out: beta_density(np.trunc(n), np.trunc(k) + 1, p))
def nbdtr(k: ArrayLike, n: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the distribution function of the negative binomial distribution.

    Probability of at most k failures before n successes. The derivative in p is the density of the
    beta distribution.

    Parameters
    ----------
    k : array_like
        Number of failures, rounded down.
    n : array_like
        Number of successes at which the trials end.
    p : array_like
        Probability of success in a trial, 0 <= p <= 1.
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
    This is `scipy.special.nbdtr`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in p; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.nbdtr(2, 6, 0.3).round(9), grad(special.nbdtr, 2)(2, 6, 0.3).round(9))
    0.01129221 0.2000376
    """
    ...


@complement(nbdtr)
def nbdtrc(k: ArrayLike, n: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the survival function of the negative binomial distribution.

    Probability of more than k failures before n successes. The derivative in p is minus the density
    of the beta distribution.

    Parameters
    ----------
    k : array_like
        Number of failures, rounded down.
    n : array_like
        Number of successes at which the trials end.
    p : array_like
        Probability of success in a trial, 0 <= p <= 1.
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
    This is `scipy.special.nbdtrc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in p; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.nbdtrc(2, 6, 0.3).round(9), grad(special.nbdtrc, 2)(2, 6, 0.3).round(9))
    0.98870779 -0.2000376
    """
    ...


@inverse(nbdtr, 2)
def nbdtri(k: ArrayLike, n: ArrayLike, y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the probability of success of the negative binomial distribution.

    The p with ``nbdtr(k, n, p) = y``. The derivative in y follows from that of `nbdtr`.

    Parameters
    ----------
    k : array_like
        Number of failures, rounded down.
    n : array_like
        Number of successes at which the trials end.
    y : array_like
        Probability of at most k failures, 0 <= y <= 1.
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
    This is `scipy.special.nbdtri`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in y; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.nbdtri(2, 6, 0.3).round(9), grad(special.nbdtri, 2)(2, 6, 0.3).round(9))
    0.592541096 0.49082956
    """
    ...


# SciPy's pdtri rounds towards 0, and beside it pdtr is nan
@row(None, lambda k, m, out: -gamma_density(np.trunc(k) + 1, m))
def pdtr(k: ArrayLike, m: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the distribution function of the Poisson distribution of mean m.

    Probability of at most k events. The derivative in m is ``-exp(-m) m^k/k!``.

    Parameters
    ----------
    k : array_like
        Number of events, rounded down.
    m : array_like
        Expected number of events, at least 0.
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
    This is `scipy.special.pdtr`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in m; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.pdtr(2, 1.5).round(9), grad(special.pdtr, 1)(2, 1.5).round(9))
    0.808846831 -0.25102143
    """
    ...


@complement(pdtr)
def pdtrc(k: ArrayLike, m: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the survival function of the Poisson distribution of mean m.

    Probability of more than k events. The derivative in m is ``exp(-m) m^k/k!``.

    Parameters
    ----------
    k : array_like
        Number of events, rounded down.
    m : array_like
        Expected number of events, at least 0.
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
    This is `scipy.special.pdtrc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in m; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.pdtrc(2, 1.5).round(9), grad(special.pdtrc, 1)(2, 1.5).round(9))
    0.191153169 0.25102143
    """
    ...


@inverse(pdtr, 1)
def pdtri(k: ArrayLike, y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the mean of the Poisson distribution.

    The m with ``pdtr(k, m) = y``. The derivative in y follows from that of `pdtr`.

    Parameters
    ----------
    k : array_like
        Number of events, rounded down.
    y : array_like
        Probability of at most k events, 0 <= y <= 1.
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
    This is `scipy.special.pdtri`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in y; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.pdtri(2, 0.3).round(9), grad(special.pdtri, 1)(2, 0.3).round(9))
    3.615567666 -5.68719467
    """
    ...


def _continuous(f: Any, *partials: Any) -> Any:
    """Return a distribution as `inverse` takes it."""
    f.arity, f.closed = len(partials), partials
    return f


_by_a, _by_b, _ = betainc.closed
_binomial = _continuous(
    lambda k, n, p: betaincc(k + 1, n - k, p),
    lambda k, n, p, out: _by_b(k + 1, n - k, p, 1 - out) - _by_a(k + 1, n - k, p, 1 - out),
    lambda k, n, p, out: -_by_b(k + 1, n - k, p, 1 - out),
    lambda k, n, p, out: -beta_density(k + 1, n - k, p),
)
_negative = _continuous(
    lambda k, n, p: betainc(n, k + 1, p),
    lambda k, n, p, out: _by_b(n, k + 1, p, out),
    lambda k, n, p, out: _by_a(n, k + 1, p, out),
    lambda k, n, p, out: beta_density(n, k + 1, p),
)
_poisson = _continuous(
    lambda k, m: gammaincc(k + 1, m),
    lambda k, m, out: -shape_derivative(1, k + 1, m),
    lambda k, m, out: -gamma_density(k + 1, m),
)


@inverse(_binomial, 0)
def bdtrik(y: ArrayLike, n: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the number of successes of the binomial distribution, as a real number.

    The k with ``betaincc(k + 1, n - k, p) = y``. All derivatives follow from those of `betaincc`.

    Parameters
    ----------
    y : array_like
        Probability of at most k successes, 0 <= y <= 1.
    n : array_like
        Number of trials.
    p : array_like
        Probability of success in a trial, 0 <= p <= 1.
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
    This is `scipy.special.bdtrik`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.bdtrik(0.6, 6.5, 0.3).round(9), grad(special.bdtrik)(0.6, 6.5, 0.3).round(9))
    1.681574492 3.147610765
    """
    ...


@inverse(_binomial, 1)
def bdtrin(k: ArrayLike, y: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the number of trials of the binomial distribution, as a real number.

    The n with ``betaincc(k + 1, n - k, p) = y``. All derivatives follow from those of `betaincc`.

    Parameters
    ----------
    k : array_like
        Number of successes.
    y : array_like
        Probability of at most k successes, 0 <= y <= 1.
    p : array_like
        Probability of success in a trial, 0 <= p <= 1.
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
    This is `scipy.special.bdtrin`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.bdtrin(2.5, 0.6, 0.3).round(9), grad(special.bdtrin, 1)(2.5, 0.6, 0.3).round(9)
    ... )
    9.04828437 -11.527395948
    """
    ...


@inverse(_negative, 0)
def nbdtrik(y: ArrayLike, n: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the number of failures of the negative binomial distribution, as a real number.

    The k with ``betainc(n, k + 1, p) = y``. All derivatives follow from those of `betainc`.

    Parameters
    ----------
    y : array_like
        Probability of at most k failures, 0 <= y <= 1.
    n : array_like
        Number of successes at which the trials end.
    p : array_like
        Probability of success in a trial, 0 <= p <= 1.
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
    This is `scipy.special.nbdtrik`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.nbdtrik(0.6, 6.5, 0.3).round(9), grad(special.nbdtrik)(0.6, 6.5, 0.3).round(9)
    ... )
    15.536102198 19.089583014
    """
    ...


@inverse(_negative, 1)
def nbdtrin(k: ArrayLike, y: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the number of successes of the negative binomial distribution, as a real number.

    The n with ``betainc(n, k + 1, p) = y``. All derivatives follow from those of `betainc`.

    Parameters
    ----------
    k : array_like
        Number of failures.
    y : array_like
        Probability of at most k failures, 0 <= y <= 1.
    p : array_like
        Probability of success in a trial, 0 <= p <= 1.
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
    This is `scipy.special.nbdtrin`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.nbdtrin(2.5, 0.6, 0.3).round(9),
    ...     grad(special.nbdtrin, 1)(2.5, 0.6, 0.3).round(9),
    ... )
    1.348630832 -3.162370498
    """
    ...


@inverse(_poisson, 0)
def pdtrik(p: ArrayLike, m: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the number of events of the Poisson distribution of mean m, as a real number.

    The k with ``gammaincc(k + 1, m) = p``. All derivatives follow from those of `gammaincc`.

    Parameters
    ----------
    p : array_like
        Probability of at most k events, 0 <= p <= 1.
    m : array_like
        Expected number of events, at least 0.
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
    This is `scipy.special.pdtrik`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.pdtrik(0.6, 2.5).round(9), grad(special.pdtrik)(0.6, 2.5).round(9))
    2.233318743 4.27474937
    """
    ...


__all__ = [
    "bdtr", "bdtrc", "bdtri", "bdtrik", "bdtrin", "nbdtr", "nbdtrc", "nbdtri", "nbdtrik", "nbdtrin",
    "pdtr", "pdtrc", "pdtri", "pdtrik",
]  # fmt: skip
