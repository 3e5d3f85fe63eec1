"""Incomplete gamma functions, their inverses, Pochhammer's symbol (DLMF chapters 5 and 8)."""

import functools
import itertools
import math
from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import elementwise
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.devices import bring_home
from scigrad.numpy.selection import chosen
from scigrad.typing import Array, ArrayLike, UfuncOptions

from ..host.compiled import LARGE, compile_loop, exponential, numba, tables
from ..host.threads import MANY, spread, workers
from .beta import fall
from .gamma import (
    deviance,
    digamma,
    gamma,
    gammaln,
    polygamma,
    rgamma,
    rgamma_slope,
    stirling_error,
)
from .machinery.ufuncs import complement, inverse, row


# The logarithms of x^a, exp(-x) and Gamma(a) cancel for large a: a = x = 1e10 would leave five
# digits. The saddle point form (C. Loader, Fast and accurate computation of binomial probabilities,
# 2000) takes out Stirling's formula:
#     exp(-a (u - log(1 + u)) - e(a)) sqrt(a/(2 pi))/x
#     u = x/a - 1,     e(a) = 1/(12 a) - 1/(360 a^3) + ...     (DLMF 5.11.1),
# where u - log(1 + u) is the deviance.
@elementwise
def gamma_density(a, x):
    """Return x^(a - 1) exp(-x) / Gamma(a), the density of the gamma distribution."""
    with np.errstate(all="ignore"):
        found = _density_inside(a, x)
        if library(a, x) == "numpy" and np.all(x):
            return found
        scale = rgamma(a)
        at_zero = chosen((a > 1) | (scale == 0), 0, scale * np.power(0.0, a - 1))
        return np.where(x != 0, found, at_zero).astype(found.dtype)[()]


def _density_inside(a: Any, x: Any) -> Any:
    finite = np.minimum(x, 1e30)
    direct = np.exp((a - 1) * np.log(finite) - finite - gammaln(a))
    if library(a, x) == "numpy" and not np.any(a > 16):
        return direct
    u, ratio = (x - a) / a, np.minimum(x / a, 1e30)
    saddle = np.exp(-a * deviance(u, ratio) - stirling_error(a)) * np.sqrt(a / (2 * math.pi)) / x
    return chosen(a > 16, saddle, direct).astype(saddle.dtype)


@gamma_density.partials
def _(call):
    a, x, out = call.a, call.x, call.out
    # the derivative is the difference of two densities, of which everywhere else it would lose
    # digits
    at_zero = x == 0
    inside = np.where(at_zero | (out == 0), 1, x)
    return (
        lambda: _density_by_shape(1, a, x, out),
        lambda: np.where(
            at_zero,
            gamma_density(a - 1, np.where(at_zero, x, 1)) - out,
            out * ((a - 1 - inside) / inside),
        ),
    )


def _density_by_shape(j: int, a: Any, x: Any, density: Any) -> Any:
    """Return the j-th derivative of the density in a, by Leibniz's rule from its logarithm's; 0
    where the density is 0.
    """
    if j == 0:
        return density
    logs = [
        np.log(np.where(density == 0, 1, x)) - digamma(a),
        *(-polygamma(i, a) for i in range(1, j)),
    ]
    return sum(
        math.comb(j - 1, i) * _density_by_shape(j - 1 - i, a, x, density) * logs[i]
        for i in range(j)
    )


# P(a, x) has the Laplace transform 1/(s (1+s)^a) in x, so that with z = 1 + s
#     d^j P/da^j = exp(-x)/(2 pi i) int exp(x z) z^(-a) (-log z)^j/(z - 1) dz
# along a contour around the negative axis: for j > 0 there is no pole at 1, and nothing cancels.
# Through the saddle point of exp(x z) z^(-c), c = a + 7, leads the path z = c/x (theta cot(theta) +
# i theta), on which it is real (of steepest descent): the trapezoidal rule in theta converges
# geometrically there, for all a and x. The powers of z that are left shorten it for small a.
_POWERS, _FALL = 7, 33.0
_TOGETHER = 900  # elements, whose integrands remain in a cache
_ZETAS = (
    0.6449340668482264, 0.08232323371113819, 0.01734306198444914, 0.00407735619794434,
    0.000994575127818085, 0.0002460865533080483, 6.124813505870483e-05, 1.528225940865187e-05,
    3.8172932649998e-06, 9.539620338727961e-07,
)  # zeta(2 k) - 1  # fmt: skip


@elementwise
def shape_derivative(j, a, x):
    """Return the j-th derivative of gammainc in a, j > 0."""
    with np.errstate(all="ignore"):
        # two Python numbers give double precision
        dtype = np.result_type(np.multiply(a, x), np.float32)
        given = [v.astype(np.float64) if hasattr(v, "dtype") else np.float64(v) for v in (a, x)]
        a, x = bring_home(given, given)
        shape = np.broadcast_shapes(a.shape, x.shape)
        c = np.fmin(np.fmax(a, 0), 1e300) + _POWERS
        a, x, c = (np.broadcast_to(v, shape) for v in (a, x, c))
        if library(a, x) != "numpy":
            return _by_contour(j, a, x, c, _path(c / 1.2, 16)).astype(dtype)
        out = _in_groups(j, a.ravel(), x.ravel(), c.ravel())
    return out.reshape(shape).astype(dtype)[()]


def _in_groups(j: int, a: Any, x: Any, c: Any) -> np.ndarray:
    """Return the derivatives of vectors: elements of one level of c share a path of integration
    where that is cheaper, and groups of them are computed in threads.
    """
    levels = np.floor(2 * np.log2(c)).astype(np.int16)
    order = np.argsort(levels, kind="stable")
    cuts, ends = (
        np.arange(_TOGETHER, a.size, _TOGETHER),
        np.flatnonzero(np.diff(levels[order])) + 1,
    )
    shared = a.size > 40 * ends.size  # elements of one level on one path, where that is cheaper
    loop = (
        compile_loop(_integrals, 8, _integrand)
        if shared and j == 1 and 16 * a.size > LARGE and numba()
        else None
    )
    groups = (
        np.split(order, ends if loop else np.union1d(cuts, ends) if shared else cuts)
        if a.size
        else ()
    )

    def part(start: int, stop: int) -> list[Any]:
        paths = (
            _shared_path(int(levels[some[0]])) if shared else _path(c[some] / 1.2, 16)
            for some in groups[start:stop]
        )
        return [
            _by_contour(j, a[at], x[at], c[at], path, loop)
            for at, path in zip(groups[start:stop], paths, strict=True)
        ]

    parts, out = (
        spread(part, 0, len(groups), workers() if a.size >= MANY else 1),
        np.empty(a.size),
    )
    out[order] = np.concatenate([*itertools.chain(*parts), order[:0]])
    return out


@shape_derivative.partials
def _(call):
    j, a, x = call[:3]
    return (
        None,
        lambda: shape_derivative(j + 1, a, x),
        lambda: _density_by_shape(j, a, x, gamma_density(a, x)),
    )


def _by_contour(j: int, a: Any, x: Any, c: Any, path: tuple[Any, ...], loop: Any = None) -> Any:
    """Return the integral on a path for this c, or for one that is smaller by up to a third."""
    step, *nodes = path
    y = x / c
    off, log = 1 - y, np.log(y)
    if loop:
        total, (coefficients, numbers) = np.zeros(c.size), tables()["exp"]
        loop(c, total, off, log, *map(np.ravel, nodes), coefficients, *numbers)
    else:
        total = np.sum(_integrand(j, off, log, *nodes) * np.exp(c * (nodes[1] - nodes[2])), axis=0)
    # theta = 0, where z = 1 is removable
    middle = np.where(off == 0, 1.0, -log / off) * (-log) ** (j - 1) * step / 2
    out = (-1) ** j / math.pi * (total + middle) * np.exp(c * off + a * log)
    return np.where(
        (a >= 0) & (x >= 0), np.where((x == 0) | (x == np.inf) | (a == np.inf), 0.0, out), np.nan
    )


def _integrand(
    j: int, off: Any, log: Any, theta: Any, real: Any, radius: Any, weight: Any, turned: Any
) -> Any:
    """Return weight (log z)^j/(z - 1), the part beside exp(c (real - radius)), of arrays and, for
    Numba, of numbers.
    """
    # z - 1, up to the factor c/x, and log z without their imaginary parts theta
    distance, modulus = real + off, radius - log
    for _ in range(j - 1):
        weight, turned = weight * modulus - turned * theta, weight * theta + turned * modulus
    # both are alike near z = 1: their difference is formed before it is rounded
    total = (modulus * distance + theta * theta) * weight
    modulus -= distance
    total += modulus * (turned * theta)
    distance *= distance
    distance += theta * theta
    return total / distance


def _integrals(c, out, off, log, theta, real, radius, weight, turned, coefficients,
               per_octave, octave, rest, sign, most):  # noqa: ARG001  # fmt: skip
    """Add the integrands of all nodes, of j = 1, for Numba: a seventh of the time of arrays."""
    for start in range(0, c.size, 512):
        some = slice(start, start + 512)
        cs, ys, offs, logs = c[some], out[some], off[some], log[some]
        for k in range(theta.size):
            node = theta[k], real[k], radius[k], weight[k], turned[k]
            for i in range(cs.size):
                size = exponential(
                    cs[i] * (node[1] - node[2]), coefficients, per_octave, octave, rest
                )
                ys[i] += _integrand(1, offs[i], logs[i], *node) * size
    return 0


@functools.cache
def _shared_path(level: int) -> tuple[Any, ...]:
    return _path(np.array([2 ** (level / 2)]), max(12, 26 - 2 * level))


def _path(c: Any, nodes: int) -> tuple[Any, ...]:
    """Return step, theta, theta cot(theta) - 1, log(theta/sin(theta)), and real and imaginary part
    of the weight z^7 dz/(i dtheta) of the nodes.

    The path ends where the integrand is exp(-33) of its largest value. Series in (theta/pi)^2,
    without their terms of zeta - 1 in closed form, keep the digits of small theta; they are cut
    where the integrand is negligible.
    """
    end = 2 * _FALL / c
    step = np.sqrt(end / (1 + 0.073 * end)) / nodes
    theta = step * np.arange(1.0, nodes + 1, like=c).reshape(-1, *[1] * c.ndim)
    t = (theta / math.pi) ** 2
    real = radius = slope = 0.0
    for k in range(len(_ZETAS), 0, -1):
        zeta = _ZETAS[k - 1]
        real, radius, slope = (real + zeta) * t, (radius + zeta / k) * t, (slope + zeta * k) * t
    real, radius = -2 * (real + t / (1 - t)), radius - np.log1p(-t)
    slope = -4 * (slope + t / (1 - t) ** 2) / theta
    weight = step * (1 - 1j * slope) * (1 + real + 1j * theta) ** _POWERS
    return step, theta, real, radius, weight.real, weight.imag


@row(lambda a, x, out: shape_derivative(1, a, x), lambda a, x, out: gamma_density(a, x))
def gammainc(a: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the regularized lower incomplete gamma function.

    ``P(a, x)`` (DLMF 8.2.4). The derivative in x is ``x^(a - 1) exp(-x)/Gamma(a)``. The
    derivative in a is an integral over a contour.

    Parameters
    ----------
    a : array_like
        Shape of the gamma distribution, positive.
    x : array_like
        Limit of the integral, at least 0.
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
    This is `scipy.special.gammainc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.gammainc(1.5, 0.7).round(9), grad(special.gammainc, 1)(1.5, 0.7).round(9))
    0.294465269 0.468811161
    """
    ...


@complement(gammainc)
def gammaincc(a: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the regularized upper incomplete gamma function.

    ``Q(a, x)`` (DLMF 8.2.4). The derivative in x is ``-x^(a - 1) exp(-x)/Gamma(a)``. The
    derivative in a is an integral over a contour.

    Parameters
    ----------
    a : array_like
        Shape of the gamma distribution, positive.
    x : array_like
        Limit of the integral, at least 0.
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
    This is `scipy.special.gammaincc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.gammaincc(1.5, 0.7).round(9), grad(special.gammaincc, 1)(1.5, 0.7).round(9))
    0.705534731 -0.468811161
    """
    ...


@inverse(gammainc, 1)
def gammaincinv(a: ArrayLike, y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the inverse of the regularized lower incomplete gamma function.

    The x with ``gammainc(a, x) = y``. Derivatives follow from those of `gammainc`.

    Parameters
    ----------
    a : array_like
        Shape of the gamma distribution, positive.
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
    This is `scipy.special.gammaincinv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.gammaincinv(1.5, 0.7).round(9), grad(special.gammaincinv, 1)(1.5, 0.7).round(9)
    ... )
    1.832435392 4.091166779
    """
    ...


@inverse(gammaincc, 1)
def gammainccinv(a: ArrayLike, y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the inverse of the regularized upper incomplete gamma function.

    The x with ``gammaincc(a, x) = y``. Derivatives follow from those of `gammaincc`.

    Parameters
    ----------
    a : array_like
        Shape of the gamma distribution, positive.
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
    This is `scipy.special.gammainccinv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.gammainccinv(1.5, 0.7).round(9),
    ...     grad(special.gammainccinv, 1)(1.5, 0.7).round(9),
    ... )
    0.711826122 -2.140425601
    """
    ...


def _poch_slope(z: Array, m: Array, out: Array) -> Array:
    # at a pole of digamma, and beside it, the derivative is that of Gamma(z + m) times 1/Gamma(z)
    beside = np.where(z + m < 171, 0.25, 1e-300)  # beyond Gamma(z + m) overflows
    pole = (z < beside) & (np.abs(z - np.rint(z)) < beside)
    u, v = np.where(pole, 0.5, z), np.where(pole, z, 0.5)
    # z + m is beside one, too: Gamma(1 - z)/Gamma(1 - z - m) has the derivative, up to the sign
    both = pole & (m == np.rint(m)) & (z + m < 0.5)
    w = np.where(both, 0.5, v + m)
    limit = gamma(w) * (digamma(w) * rgamma(v) + rgamma_slope(v, None))
    ratio = out * (digamma(1 - np.where(both, z + m, 0)) - digamma(1 - np.where(both, z, 0)))
    return np.where(both, ratio, np.where(pole, limit, -out * fall(u, m)))


@row(_poch_slope, lambda z, m, out: out * digamma(z + m))
def poch(z: ArrayLike, m: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute Pochhammer's symbol, the rising factorial.

    ``Gamma(z + m)/Gamma(z)`` (DLMF 5.2.5). The derivative in m is ``poch(z, m) digamma(z + m)``. At
    poles the derivative in z is the limit.

    Parameters
    ----------
    z : array_like
        Argument of the gamma function in the denominator.
    m : array_like
        Number of factors; any real number.
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
    This is `scipy.special.poch`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.poch(1.5, 0.7).round(9), grad(special.poch, 1)(1.5, 0.7).round(9))
    1.243250977 0.676693347
    """
    ...


__all__ = ["gammainc", "gammaincc", "gammainccinv", "gammaincinv", "poch"]
