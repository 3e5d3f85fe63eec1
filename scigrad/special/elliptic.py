"""Elliptic integrals of Legendre's and Carlson's form, and the arithmetic-geometric mean (DLMF
chapter 19).

Derivatives are Carlson's integrals, which have no removable singularity: with Legendre's, (E -
K)/(2 m) is 0/0 at m = 0. Those of R_D and R_J are taken numerically, because their formulas are 0/0
wherever two arguments are equal.
"""

import functools
import math
from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import elementwise, stop_gradient
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .machinery.numerical_partial import numerical_partial
from .machinery.ufuncs import holds_somewhere, row


@row(lambda m, out: elliprd(0, 1, 1 - m) / 6)
def ellipk(m: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the complete elliptic integral of the first kind.

    ``int_0^(pi/2) (1 - m sin^2 t)^(-1/2) dt`` (DLMF 19.2.8). The derivative is
    ``R_D(0, 1, 1 - m)/6``, pi/8 at 0.

    Parameters
    ----------
    m : array_like
        Parameter of the integral, the square of the modulus: m = k^2 <= 1.
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
    This is `scipy.special.ellipk`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.ellipk(0.5).round(9), grad(special.ellipk)(0.5).round(9))
    1.854074677 0.847213085
    """
    ...


@row(lambda p, out: -elliprd(0, 1, p) / 6)
def ellipkm1(p: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the complete elliptic integral of the first kind, accurately near m = 1.

    ``ellipk(1 - p)``. The derivative is ``-R_D(0, 1, p)/6``.

    Parameters
    ----------
    p : array_like
        Complementary parameter, p = 1 - m >= 0.
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
    This is `scipy.special.ellipkm1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.ellipkm1(0.5).round(9), grad(special.ellipkm1)(0.5).round(9))
    1.854074677 -0.847213085
    """
    ...


@row(lambda m, out: -elliprd(0, 1 - m, 1) / 6)
def ellipe(m: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the complete elliptic integral of the second kind.

    ``int_0^(pi/2) (1 - m sin^2 t)^(1/2) dt`` (DLMF 19.2.8). The derivative is
    ``-R_D(0, 1 - m, 1)/6``, -pi/8 at 0.

    Parameters
    ----------
    m : array_like
        Parameter of the integral, the square of the modulus: m = k^2 <= 1.
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
    This is `scipy.special.ellipe`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.ellipe(0.5).round(9), grad(special.ellipe)(0.5).round(9))
    1.350643881 -0.503430796
    """
    ...


def _root(phi: Any, m: Any) -> Any:
    return np.sqrt(1 - m * np.sin(phi) ** 2)


@row(lambda phi, m, out: 1 / _root(phi, m), lambda phi, m, out: parameter_partial(1, phi, m))
def ellipkinc(phi: ArrayLike, m: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the incomplete elliptic integral of the first kind.

    ``int_0^phi (1 - m sin^2 t)^(-1/2) dt`` (DLMF 19.2.4). The derivative in m is
    ``sin^3(phi)/6 R_D(cos^2, 1, 1 - m sin^2)``.

    Parameters
    ----------
    phi : array_like
        Amplitude, the upper limit of the integral, in radians.
    m : array_like
        Parameter, the square of the modulus; m sin(phi)^2 <= 1.
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
    This is `scipy.special.ellipkinc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.ellipkinc(0.7, 0.5).round(9), grad(special.ellipkinc, 1)(0.7, 0.5).round(9))
    0.728770306 0.064121464
    """
    ...


@row(lambda phi, m, out: _root(phi, m), lambda phi, m, out: parameter_partial(2, phi, m))
def ellipeinc(phi: ArrayLike, m: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the incomplete elliptic integral of the second kind.

    ``int_0^phi (1 - m sin^2 t)^(1/2) dt`` (DLMF 19.2.5). The derivative in m is
    ``-sin^3(phi)/6 R_D(cos^2, 1 - m sin^2, 1)``.

    Parameters
    ----------
    phi : array_like
        Amplitude, the upper limit of the integral, in radians.
    m : array_like
        Parameter, the square of the modulus; m sin(phi)^2 <= 1.
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
    This is `scipy.special.ellipeinc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.ellipeinc(0.7, 0.5).round(9), grad(special.ellipeinc, 1)(0.7, 0.5).round(9))
    0.673189175 -0.055581131
    """
    ...


@elementwise
def parameter_partial(kind, phi, m):
    """Return the derivative of ellipkinc (kind 1) or ellipeinc (kind 2) in m; each half period adds
    that of the complete one.
    """
    f = (
        (lambda x, y: elliprd(x, 1 + 0 * y, y))
        if kind == 1
        else lambda x, y: -elliprd(x, y, 1 + 0 * y)
    )
    return _periods(phi, m, 3, f)


def _periods(phi: Any, m: Any, power: int, f: Any) -> Any:
    """Return sin(phi)^power f(cos^2, 1 - m sin^2)/6, and for each half period twice that at
    pi/2.
    """
    half_periods = np.rint(phi / math.pi)
    s = np.sin(phi - math.pi * half_periods)
    rest = 1 - m * s * s
    complete = np.where(half_periods == 0, 0, f(0 * rest, 1 - m + 0 * rest))
    return (s**power * f(1 - s * s, rest) + 2 * half_periods * complete) / 6


@parameter_partial.partials
def _(call):
    sign, power = (1, 3) if call.kind == 1 else (-1, 1)
    # in 1 - m sin(phi)^2, the differences of which do not vanish in the rounding of 1
    by_third, by_second = elliprd.closed[2], elliprd.closed[1]
    f = (
        (lambda x, y: -by_third(x, 1 + 0 * y, y, 0.0))
        if call.kind == 1
        else (lambda x, y: by_second(x, y, 1 + 0 * y, elliprd(x, y, 1 + 0 * y)))
    )
    by_phi = lambda: sign * np.sin(call.phi) ** 2 / (2 * _root(call.phi, call.m) ** power)  # noqa: E731
    return None, by_phi, lambda: _periods(call.phi, call.m, 5, f)


def _amplitude_by_parameter(m: Array, out: Array) -> Array:
    """Return the derivative of the amplitude in m, from F(amplitude, m) = u."""
    return -out[2] * parameter_partial(1, out[3], m)


@row(
    (lambda u, m, out: out[1] * out[2], lambda u, m, out: out[1] * _amplitude_by_parameter(m, out)),
    (
        lambda u, m, out: -out[0] * out[2],
        lambda u, m, out: -out[0] * _amplitude_by_parameter(m, out),
    ),
    (
        lambda u, m, out: -m * out[0] * out[1],
        lambda u, m, out: (
            -out[0] * (out[0] / 2 + m * out[1] * _amplitude_by_parameter(m, out)) / out[2]
        ),
    ),
    (lambda u, m, out: out[2], lambda u, m, out: _amplitude_by_parameter(m, out)),
)
def ellipj(u: ArrayLike, m: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute Jacobi's elliptic functions and the amplitude.

    ``sn, cn, dn, am`` (DLMF 22.2 and 22.16). Derivatives in u are ``cn dn, -sn dn, -m sn cn, dn``;
    those in m follow from that of `ellipkinc`.

    Parameters
    ----------
    u : array_like
        Argument, the incomplete integral of the first kind of the amplitude `ph`.
    m : array_like
        Parameter, the square of the modulus, 0 <= m <= 1.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    tuple of scalars or ndarrays
        Values element by element, each of the broadcast shape of the arguments and in their
        precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    This is `scipy.special.ellipj`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.ellipj(0.8, 0.4)[0].round(9),
    ...     grad(lambda u: special.ellipj(u, 0.4)[0])(0.8).round(9),
    ... )
    0.696260859 0.644448202
    """
    ...


def _principal(x: Array, y: Array, out: Array, regular: Any, singular: Any) -> Array:
    """Return `regular` of x and y, and for real y < 0, where that is no principal value, the
    quotient of `singular` that the differential equations of R_C give.
    """
    cut = (np.real(y) < 0) & (np.imag(y) == 0)
    if not holds_somewhere(cut):
        return regular(x, y)
    w = np.where(cut, y, -1.0)
    quotient = singular(np.sqrt(x), w, out) / (2 * (w - x))
    return np.where(cut, quotient, regular(x, np.where(cut, 1.0, y)))


@row(
    lambda *args: _principal(
        *args, lambda x, y: -elliprd(y, y, x) / 6, lambda root, y, out: out - 1 / root
    ),
    lambda *args: _principal(
        *args, lambda x, y: -elliprd(x, y, y) / 3, lambda root, y, out: root / y - out
    ),
)
def elliprc(x: ArrayLike, y: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute Carlson's degenerate elliptic integral R_C.

    ``R_F(x, y, y)`` (DLMF 19.2.17). Derivatives are ``-R_D(y, y, x)/6`` and ``-R_D(x, y, y)/3``,
    and for y < 0 those of the principal value, by differential equations.

    Parameters
    ----------
    x : array_like
        Argument, real or complex: any number of the plane cut along the negative real axis, or 0.
    y : array_like
        Argument, real or complex, nonzero; for real y < 0 the value is Cauchy's principal value.
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
    This is `scipy.special.elliprc`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.elliprc(1.5, 0.7).round(9), grad(special.elliprc)(1.5, 0.7).round(9))
    1.039059363 -0.139101739
    """
    ...


def _of_each(f: Any) -> Any:
    """Return the partials of a symmetric function of three arguments by that in the last one."""
    return (
        lambda x, y, z, out: f(y, z, x),
        lambda x, y, z, out: f(x, z, y),
        lambda x, y, z, out: f(x, y, z),
    )


@row(*_of_each(lambda x, y, z: -elliprd(x, y, z) / 6))
def elliprf(x: ArrayLike, y: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute Carlson's symmetric elliptic integral R_F.

    ``1/2 int_0^inf ((t + x)(t + y)(t + z))^(-1/2) dt`` (DLMF 19.16.1). The derivative in z is
    ``-R_D(x, y, z)/6``.

    Parameters
    ----------
    x, y, z : array_like
        Symmetric arguments, real or complex, in the plane cut along the negative real axis, or 0;
        of `elliprf` at most one is 0.
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
    This is `scipy.special.elliprf`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.elliprf(1.5, 0.7, 0.3).round(9),
    ...     grad(special.elliprf, 2)(1.5, 0.7, 0.3).round(9),
    ... )
    1.161965164 -0.445199389
    """
    ...


def _times_rd(x: Any, y: Any, z: Any) -> Any:
    """Return z R_D(x, y, z), 0 at z = 0."""
    return np.where(z == 0, 0.0, z * elliprd(x, y, np.where(z == 0, 1.0, z)))


def _of_rg(x: Any, y: Any, z: Any) -> Any:
    """Return the derivative of R_G in z by arguments whose largest is about 1: that of R_D
    underflows for large ones.
    """
    largest = functools.reduce(np.maximum, (np.abs(stop_gradient(v)) for v in (x, y, z)))
    half = np.ldexp(1.0, np.frexp(largest)[1] // 2)
    x, y, z = (v / half / half for v in (x, y, z))
    return (elliprf(x, y, z) / 4 - _times_rd(x, y, z) / 12) / half


@row(*_of_each(_of_rg))
def elliprg(x: ArrayLike, y: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute Carlson's symmetric elliptic integral R_G.

    DLMF 19.16.3. The derivative in z is ``R_F(x, y, z)/4 - z R_D(x, y, z)/12``.

    Parameters
    ----------
    x, y, z : array_like
        Symmetric arguments, real or complex, in the plane cut along the negative real axis, or 0;
        of `elliprf` at most one is 0.
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
    This is `scipy.special.elliprg`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.elliprg(1.5, 0.7, 0.3).round(9),
    ...     grad(special.elliprg, 2)(1.5, 0.7, 0.3).round(9),
    ... )
    0.896013415 0.223711383
    """
    ...


def _by_argument(f: Any, i: int, last: bool = False) -> Any:
    """Return a partial of R_D or R_J: by partial fractions of 1/((t + x)(t + p)) for an argument x
    under a root that is not like the last argument, p.

    Otherwise it is numerical, on the scale of half of the distance to the branch point at 0.
    """

    def slope(*args: Any) -> Any:
        *given, out = args
        ends, p = given[i] == 0, given[-1]
        x = given[i] = np.where(ends, 1.0, given[i])
        at, other = map(stop_gradient, (x, p))
        alike = last | (np.abs(at - other) < np.maximum(np.abs(at), np.abs(other)) / 2)
        found = 0.0
        if not last:
            excess = elliprd(*given[:i], *given[i + 1 : 3], x) - out
            found = excess / (2 * np.where(alike, 1.0, x - p))
        if holds_somewhere(alike):
            given[i] = np.where(alike, x, 1.0)
            scale = np.abs(stop_gradient(given[i])) / 2
            found = np.where(alike, numerical_partial(f(), i, *given, scale=scale), found)
        return np.where(ends, -np.inf, found)

    return slope


@row(*(_by_argument(lambda: elliprd, i, i == 2) for i in range(3)))
def elliprd(x: ArrayLike, y: ArrayLike, z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute Carlson's elliptic integral R_D.

    ``R_J(x, y, z, z)`` (DLMF 19.16.5). All arguments are differentiated numerically; at 0 the
    derivative is -inf. It is nan by an argument so small beside the others that the values do not
    tell its nodes apart, below 1e-30 or so.

    Parameters
    ----------
    x, y : array_like
        Symmetric arguments, real or complex, of which at most one is 0, in the plane cut along the
        negative real axis.
    z : array_like
        Argument, real or complex, that is not exchangeable with x and y; nonzero.
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
    This is `scipy.special.elliprd`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.elliprd(1.5, 0.7, 1.0).round(9),
    ...     grad(special.elliprd, 2)(1.5, 0.7, 1.0).round(9),
    ... )
    0.973313845 -0.874371535
    """
    ...


@row(*(_by_argument(lambda: elliprj, i, i == 3) for i in range(4)))
def elliprj(
    x: ArrayLike, y: ArrayLike, z: ArrayLike, p: ArrayLike, /, **options: Unpack[UfuncOptions]
) -> Array:
    """Compute Carlson's symmetric elliptic integral R_J.

    ``3/2 int_0^inf ((t + x)(t + y)(t + z))^(-1/2) dt/(t + p)`` (DLMF 19.16.2). All arguments are
    differentiated numerically.

    Parameters
    ----------
    x, y, z : array_like
        Symmetric arguments, real or complex, in the plane cut along the negative real axis, of
        which at most one is 0.
    p : array_like
        Argument, real or complex, that is not exchangeable with the others; nonzero. For real p < 0
        the value is Cauchy's principal value.
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
    This is `scipy.special.elliprj`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.elliprj(1.5, 0.7, 0.3, 0.9).round(9),
    ...     grad(special.elliprj, 3)(1.5, 0.7, 0.3, 0.9).round(9),
    ... )
    1.419711306 -0.994098747
    """
    ...


def _of_first(at: Array, b: Array, out: Array) -> Array:
    """Return the derivative in the first, a, where one of both is much less that of pi a/(2 log(4
    a/b)) for b near 0.
    """
    zero = out == 0
    a, b = np.where(zero, 1.0, np.abs(at)), np.where(zero, 1.0, np.abs(b))
    fixed, other = stop_gradient(a), stop_gradient(b)
    unlike = 1e10 * np.minimum(fixed, other) < np.maximum(fixed, other)
    unit = np.ldexp(1.0, np.frexp(fixed)[1])  # squares of what is divided by it are numbers
    mean, first, second = np.abs(out) / unit, a / unit, np.where(unlike, a, b) / unit
    slope = 2 / (3 * math.pi) * mean * mean * first * elliprd(0, second * second, first * first)
    beyond = unlike | zero
    if not holds_somewhere(beyond):
        return slope
    far = 1 / (math.log(4) + np.abs(np.log(a) - np.log(b)))
    of_far = math.pi / 2 * np.where(a > b, far - far * far, b * far * far / a)
    return np.where(zero, np.where(at == 0, np.inf, 0.0), np.where(unlike, of_far, slope))


@row(_of_first, lambda a, b, out: _of_first(b, a, out))
def agm(a: ArrayLike, b: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the arithmetic-geometric mean.

    ``pi/2 / R_F(0, a^2, b^2)`` (DLMF 19.8.5), with the sign of a and b, which is the same. The
    derivative in a is ``2/(3 pi) agm^2 |a| R_D(0, b^2, a^2)``, inf at a = 0, and 0 at b = 0.

    Parameters
    ----------
    a, b : array_like
        Numbers whose mean is taken. Of opposite signs they have none: nan.
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
    This is `scipy.special.agm`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.agm(1.5, 0.7).round(9), grad(special.agm)(1.5, 0.7).round(9))
    1.062013781 0.41950987
    """
    ...


__all__ = [
    "agm", "ellipe", "ellipeinc", "ellipj", "ellipk", "ellipkinc", "ellipkm1", "elliprc", "elliprd",
    "elliprf", "elliprg", "elliprj",
]  # fmt: skip
