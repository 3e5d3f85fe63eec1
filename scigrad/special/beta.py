"""Beta function, its incomplete form and inverses, binomial coefficients (DLMF chapters 5 and
8).
"""

import math
from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import elementwise, stop_gradient
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.selection import chosen
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .gamma import deviance, digamma, gammaln, polygamma, stirling_error
from .machinery.numerical_partial import (
    growing,
    partial_from_smaller_tail,
    pole_distance,
    power_scale,
)
from .machinery.ufuncs import complement, corrected_kernel, inverse, row


def fall(b: Any, a: Any) -> Any:
    """Return digamma(b) - digamma(a + b), whose digits the difference loses for small a.

    Where a is small beside b by sums without cancellation: 16 steps of the recurrence (DLMF 5.5.2),
    then the asymptotic series (DLMF 5.11.2).
    """
    if np.iscomplexobj(a) or np.iscomplexobj(b):
        return digamma(b) - digamma(a + b)
    safe = (b > 12 * np.abs(a)) & (b < 1e18)
    b_safe, a_safe = np.where(safe, b, 1.0), np.where(safe, a, 1.0)
    total = sum(-a_safe / (b_safe + k) / (a_safe + b_safe + k) for k in range(16))
    low, high = b_safe + 16, a_safe + b_safe + 16
    u, w = 1 / (low * low), 1 / (high * high)
    series = (
        1 / 12 - (u + w) / 120 + (u * u + u * w + w * w) / 252 - (u + w) * (u * u + w * w) / 240
    )
    total = (
        total
        - np.log1p(a_safe / low)
        - a_safe / (2 * low * high)
        - a_safe * (low + high) * u * w * series
    )
    return np.where(safe, total, digamma(b) - digamma(np.where(safe, 1.0, a + b)))


@row(lambda a, b, out: out * fall(a, b), lambda a, b, out: out * fall(b, a))
def beta(a: ArrayLike, b: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the beta function.

    ``Gamma(a) Gamma(b)/Gamma(a + b)`` (DLMF 5.12.1). The derivative in a is
    ``beta(a, b) (digamma(a) - digamma(a + b))``, nan at infinity.

    Parameters
    ----------
    a, b : array_like
        Arguments, symmetric. Poles are at integers of at most 0.
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
    This is `scipy.special.beta`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.beta(1.5, 0.7).round(9), grad(special.beta)(1.5, 0.7).round(9))
    1.04408149 -0.530188196
    """
    ...


# gammaln(a) - gammaln(a + b) for large a, or for both large: Stirling's formulas cancel but for
# their errors.
def _of_large(a: Any, b: Any) -> Any:
    """Return betaln where one argument or both exceed 16."""
    less, more = np.minimum(a, b), np.maximum(a, b)
    ratio, both = less / more, less > 16
    large = np.where(both, less, 17)
    of_both = np.log(2 * math.pi / large) / 2 + large * np.log(ratio) + stirling_error(large)
    of_one = gammaln(less) + less * (1 - np.log(more))
    return (
        np.where(both, of_both, of_one)
        - (a + b - 0.5) * np.log1p(ratio)
        + stirling_error(more)
        - stirling_error(a + b)
    )


def _one_is_large(a: Any, b: Any) -> Any:
    return (np.minimum(a, b) > 0) & (np.maximum(a, b) > 16) & (np.maximum(a, b) < 1e150)


@row(
    lambda a, b, out: fall(a, b),
    lambda a, b, out: fall(b, a),
    instead=corrected_kernel("betaln", _one_is_large, lambda a, b: [_of_large(a, b)]),
    in_double=True,
)
def betaln(a: ArrayLike, b: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the logarithm of the absolute value of the beta function.

    The derivative in a is ``digamma(a) - digamma(a + b)``, nan at infinity, and so is the value
    where both arguments are infinite. On the host values keep the digits of large arguments, of
    which SciPy's lose up to eight.

    Parameters
    ----------
    a, b : array_like
        Arguments, symmetric. Poles are at integers of at most 0.
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
    This is `scipy.special.betaln`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.betaln(1.5, 0.7).round(9), grad(special.betaln)(1.5, 0.7).round(9))
    0.043137542 -0.507803463
    """
    ...


def _no_product(x: Any, y: Any) -> Any:
    """Return where SciPy takes the coefficient from betaln, which is large: not from a product of
    at most 20 factors.
    """
    few = (y == np.floor(y)) & ((y < 20) | (x == np.floor(x)) & (x - y < 20))
    return ~few & (y > 0) & (y < x) & (x > 32) & (x < 1e150)


# binom(x, y) = B(d, x + 1) sin(pi d)/pi for d = y - x and for d = -y (DLMF 5.5.3), where one of
# both is above 1/2: there the quotient of gamma functions has poles, or has underflowed.
def _binom_slope(position: int) -> Any:
    def slope(x: Array, y: Array, out: Array) -> Array:
        above = y - x > 0.5
        beyond = above | (y < -0.5)
        d, u = np.where(beyond, np.where(above, y - x, -y), 1.0), np.where(beyond, x, 0.0) + 1
        sign, angle = 1 - 2 * np.mod(np.rint(d), 2), math.pi * (d - np.rint(d))
        size, sine = beta(d, u) * sign, np.sin(angle) / math.pi
        by_d = size * (sine * fall(d, u) + np.cos(angle))
        if position:
            v, w = (np.where(beyond, 1.0, z) + 1 for z in (y, x - y))
            return np.where(beyond, np.where(above, by_d, -by_d), out * (digamma(w) - digamma(v)))
        w, a = np.where(beyond, 1.0, x - y) + 1, np.where(beyond, 1.0, y)
        return np.where(
            beyond, size * sine * fall(u, d) - np.where(above, by_d, 0.0), -out * fall(w, a)
        )

    return slope


@row(
    _binom_slope(0),
    _binom_slope(1),
    instead=corrected_kernel(
        "binom", _no_product, lambda x, y: [np.exp(-_of_large(1 + x - y, 1 + y) - np.log1p(x))]
    ),
    in_double=True,
)
def binom(x: ArrayLike, y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the binomial coefficient of real numbers.

    ``Gamma(x + 1)/(Gamma(y + 1) Gamma(x - y + 1))`` (DLMF 1.2.6). The derivative in x is
    ``binom(x, y) (digamma(x + 1) - digamma(x - y + 1))``, or its limit, and nan for x = -1, -2, ...
    On the host values for large x are more accurate than SciPy's, as for `betaln`.

    Parameters
    ----------
    x : array_like
        Number of elements, any real number.
    y : array_like
        Number of elements chosen, any real number.
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
    This is `scipy.special.binom`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.binom(2.5, 0.7).round(9), grad(special.binom)(2.5, 0.7).round(9))
    2.181643535 0.572920649
    """
    ...


def beta_density(a: Any, b: Any, x: Any, excess: Any = None) -> Any:
    """Return x^(a - 1) (1 - x)^(b - 1) / B(a, b), the density of the beta distribution.

    `excess` is b x - a (1 - x), where that is known with more digits than x has.
    """
    fixed = map(stop_gradient, (a, b, x))
    return _density(a, b, x, _exact_excess(*fixed) if excess is None else stop_gradient(excess))


# The logarithms of x^a, (1 - x)^b and B(a, b) cancel for large a and b: a = b = 1e9 would leave
# eight digits. As in `gamma_density` the saddle point form (Loader, 2000) takes out Stirling's
# formula. With n = a + b and r = b x - a (1 - x)
#     exp(-a d(r/a) - b d(-r/b) + e(n) - e(a) - e(b)) sqrt(a b/(2 pi n))/(x (1 - x)),
# where d is the deviance and e Stirling's error. What r loses the density loses sqrt(n) times: r is
# a sum without rounding.
def _are_large(a: Any, b: Any) -> Any:
    return np.minimum(a, b) > 16


@elementwise
def _exact_excess(a, b, x):
    """Return b x - a (1 - x) by products in twice the precision (Dekker, 1971), where a and b are
    large.
    """
    a, b, x = (np.multiply(v, np.float64(1)) for v in (a, b, x))
    y, large = 1 - x, _are_large(a, b) & (np.maximum(a, b) < 1e290)
    if library(a, b, x) == "numpy" and not np.any(large):
        return b * x - a * y
    (up, low), (down, rest) = (
        _two_product(chosen(large, b, 1), x),
        _two_product(chosen(large, a, 1), y),
    )
    return chosen(large, (up - down) + (low - rest - a * ((1 - y) - x)), b * x - a * y)


def _two_product(x: Any, y: Any) -> tuple[Any, Any]:
    """Return x y and its rounding error."""
    product, (x, u), (y, v) = x * y, _split_double(x), _split_double(y)
    return product, ((x * y - product) + x * v + u * y) + u * v


def _split_double(x: Any) -> tuple[Any, Any]:
    upper = (2.0**27 + 1) * x
    upper = upper - (upper - x)
    return upper, x - upper


@elementwise
def _density(a, b, x, excess):
    dtype = np.result_type(np.multiply(np.multiply(a, b), x), np.float32)
    a, b, x = (np.multiply(v, np.float64(1)) for v in (a, b, x))
    with np.errstate(all="ignore"):
        direct = _power_law(a - 1, b - 1, -betaln(a, b), x)
        large = _are_large(a, b) & (x > 0) & (x < 1)
        if library(a, b, x) == "numpy" and not np.any(large):
            return direct.astype(dtype)
        n, y = a + b, 1 - x
        fall_off = a * deviance(excess / a, x / (a / n)) + b * deviance(-excess / b, y / (b / n))
        errors = stirling_error(n) - stirling_error(a) - stirling_error(b)
        saddle = np.exp(errors - fall_off) * np.sqrt(a / (2 * math.pi) * (b / n)) / (x * y)
        return chosen(large, saddle, direct).astype(dtype)


@_density.partials
def _(call):
    a, b, x, excess, out = call[:5]
    # the derivative at an end is a difference of limits, which would lose digits inside
    end = (x == 0) | (x == 1)
    inside = np.where(end | (out == 0), 0.5, x)  # 0 times infinity is 0
    return (
        lambda: out * _score(a, b, inside, stop_gradient(1 - inside), excess),
        lambda: out * _score(b, a, 1 - inside, stop_gradient(inside), -excess),
        lambda: np.where(
            end,
            _at_end(a - 1, b - 1, -betaln(a, b), x, end),
            out * _log_density_slope(a, b, inside, excess),
        ),
        None,
    )


def _at_end(p: Any, q: Any, c: Any, x: Any, end: Any) -> Any:
    of_p, of_q = (np.where(end & (power != 0), x, 0.5) for power in (p, q))
    return p * _power_law(p - 1, q, c, of_p) - q * _power_law(p, q - 1, c, of_q)


@elementwise
def _score(a, b, x, y, excess):
    """Return the derivative in a of the logarithm of the density, log(x) - digamma(a) + digamma(a +
    b), where y = 1 - x.
    """
    with np.errstate(all="ignore"):
        direct = np.where(x < 0.5, np.log(x), np.log1p(-y)) - fall(a, b)
        ratio = excess / a
        log = np.where(np.abs(ratio) < 0.5, np.log1p(ratio), np.log(x / (a / (a + b))))
        return np.where(_are_large(a, b), log + (_lag(a) - _lag(a + b)), direct)


def _lag(x: Any) -> Any:
    """Return log(x) - digamma(x) for x > 16 (DLMF 5.11.2)."""
    w, series = 1 / (x * x), 0.0
    for c in (1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12):
        series = (series + c) * w
    return 1 / (2 * x) + series


@_score.partials
def _(call):
    a, b, x = call[:3]
    both = lambda: polygamma(1, a + b)  # noqa: E731
    return lambda: both() - polygamma(1, a), both, lambda: 1 / x, None, None


@elementwise
def _log_density_slope(a, b, x, excess):
    """Return the derivative in x of the logarithm of the density, (a - 1)/x - (b - 1)/(1 - x)."""
    y = 1 - x
    return np.where(_are_large(a, b), (x - y - excess) / (x * y), (a - 1) / x - (b - 1) / y)


@_log_density_slope.partials
def _(call):
    a, b, x = call[:3]
    y = 1 - x
    return lambda: 1 / x, lambda: -1 / y, lambda: -(a - 1) / (x * x) - (b - 1) / (y * y), None


@elementwise
def _power_law(p, q, c, x):
    """Return x^p (1 - x)^q exp(c)."""
    with np.errstate(all="ignore"):
        return np.exp(
            chosen(p == 0, 0 * x, p * np.log(x)) + chosen(q == 0, 0 * x, q * np.log1p(-x)) + c
        )


@_power_law.partials
def _(call):
    p, q, c, x, out = call[:-1]
    end = (x == 0) | (x == 1)
    inside, positive = np.where(end | (out == 0), 0.5, x), np.where(out == 0, 0.5, x)
    return (
        lambda: out * np.log(positive),
        lambda: out * np.log1p(-positive),
        lambda: out,
        lambda: np.where(end, _at_end(p, q, c, x, end), out * (p / inside - q / (1 - inside))),
    )


def _tail_scale(a: Any, b: Any, x: Any) -> Any:
    """Return the scale of the distribution function in a: in its tails that of x^a, else that of
    its mean.
    """
    rate = np.abs(np.log(x / (a / (a + b)))) + np.sqrt(b / (a + b) / a)
    return growing(pole_distance(a) * power_scale(x), a, rate)


def _parameter_partial(position: int) -> Any:
    def scale(a: Any, b: Any, x: Any) -> Any:
        return _tail_scale(b, a, 1 - x) if position else _tail_scale(a, b, x)

    return partial_from_smaller_tail(lambda: betainc, lambda: betaincc, position, scale)


# SciPy's single precision has errors of thousands of units
@row(
    _parameter_partial(0),
    _parameter_partial(1),
    lambda a, b, x, out: beta_density(a, b, x),
    in_double=True,
)
def betainc(a: ArrayLike, b: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the regularized incomplete beta function.

    ``I_x(a, b)`` (DLMF 8.17.2). The derivative in x is ``x^(a - 1) (1 - x)^(b - 1)/B(a, b)``; a and
    b are differentiated numerically.

    Parameters
    ----------
    a, b : array_like
        Parameters of the beta distribution, positive.
    x : array_like
        Upper limit of the integral, 0 <= x <= 1.
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
    This is `scipy.special.betainc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.betainc(1.5, 0.7, 0.4).round(9),
    ...     grad(special.betainc, 2)(1.5, 0.7, 0.4).round(9),
    ... )
    0.176037594 0.706074007
    """
    ...


@complement(betainc, in_double=True)
def betaincc(a: ArrayLike, b: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the complement of the regularized incomplete beta function.

    ``1 - I_x(a, b)``. The derivative in x is ``-x^(a - 1) (1 - x)^(b - 1)/B(a, b)``; a and b are
    differentiated numerically.

    Parameters
    ----------
    a, b : array_like
        Parameters of the beta distribution, positive.
    x : array_like
        Upper limit of the integral, 0 <= x <= 1.
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
    This is `scipy.special.betaincc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.betaincc(1.5, 0.7, 0.4).round(9),
    ...     grad(special.betaincc, 2)(1.5, 0.7, 0.4).round(9),
    ... )
    0.823962406 -0.706074007
    """
    ...


@inverse(betainc, 2)
def betaincinv(
    a: ArrayLike, b: ArrayLike, y: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the inverse of the regularized incomplete beta function.

    The x with ``betainc(a, b, x) = y``. Derivatives follow from those of `betainc`.

    Parameters
    ----------
    a, b : array_like
        Parameters of the beta distribution, positive.
    y : array_like
        Probability that the variable is at most the result, 0 <= y <= 1.
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
    This is `scipy.special.betaincinv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.betaincinv(1.5, 0.7, 0.4).round(9),
    ...     grad(special.betaincinv, 2)(1.5, 0.7, 0.4).round(9),
    ... )
    0.655528379 0.936665841
    """
    ...


@inverse(betaincc, 2)
def betainccinv(
    a: ArrayLike, b: ArrayLike, y: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute the inverse of the complement of the regularized incomplete beta function.

    The x with ``betaincc(a, b, x) = y``. Derivatives follow from those of `betaincc`.

    Parameters
    ----------
    a, b : array_like
        Parameters of the beta distribution, positive.
    y : array_like
        Probability that the variable exceeds the result, 0 <= y <= 1.
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
    This is `scipy.special.betainccinv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.betainccinv(1.5, 0.7, 0.4).round(9),
    ...     grad(special.betainccinv, 2)(1.5, 0.7, 0.4).round(9),
    ... )
    0.81739534 -0.6933809
    """
    ...


@inverse(betainc, 0)
def btdtria(p: ArrayLike, b: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the parameter a of the beta distribution.

    The a with ``betainc(a, b, x) = p``. Derivatives follow from those of `betainc`.

    Parameters
    ----------
    p : array_like
        Probability, 0 <= p <= 1.
    b : array_like
        Second parameter of the beta distribution, positive.
    x : array_like
        Quantile, 0 <= x <= 1.
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
    This is `scipy.special.btdtria`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.btdtria(0.7, 1.5, 0.4).round(9), grad(special.btdtria)(0.7, 1.5, 0.4).round(9)
    ... )
    0.602828275 -2.197481496
    """
    ...


@inverse(betainc, 1)
def btdtrib(a: ArrayLike, p: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the parameter b of the beta distribution.

    The b with ``betainc(a, b, x) = p``. Derivatives follow from those of `betainc`.

    Parameters
    ----------
    a : array_like
        First parameter of the beta distribution, positive.
    p : array_like
        Probability, 0 <= p <= 1.
    x : array_like
        Quantile, 0 <= x <= 1.
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
    This is `scipy.special.btdtrib`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.btdtrib(1.5, 0.7, 0.4).round(9),
    ...     grad(special.btdtrib, 1)(1.5, 0.7, 0.4).round(9),
    ... )
    3.362085329 7.977713611
    """
    ...


__all__ = [
    "beta",
    "betainc",
    "betaincc",
    "betainccinv",
    "betaincinv",
    "betaln",
    "binom",
    "btdtria",
    "btdtrib",
]
