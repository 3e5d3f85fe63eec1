"""Legendre functions and spherical harmonics with their derivatives by number (DLMF chapter 14).

Values and the first two derivatives are SciPy's, and finite at the ends of the interval; further
derivatives come from the differential equation, which is singular there. Degrees and orders are
integers.
"""

import operator
from functools import partial
from typing import Any, Literal, Unpack

import numpy as np

from scigrad.autodiff_rules import elementwise, kernel
from scigrad.autodiff_rules.trace import raw
from scigrad.numpy.joining import assemble
from scigrad.numpy.selection import chosen
from scigrad.typing import Array, ArrayLike, Out, UfuncOptions

from .gamma import gamma
from .gamma_incomplete import poch
from .hypergeometric import hyp2f1
from .machinery.numerical_partial import numerical_partial
from .machinery.ufuncs import if_traced, like, row


def _slope(m: Array, v: Array, x: Array, out: Array) -> Array:
    """Return the derivative in x; at 1, and at -1 for integer v, that of (1 - x^2)^(m/2) times 2F1
    (DLMF 14.3.4).
    """
    end = (x == 1) | ((x == -1) & (v == np.rint(v)))
    y, n = np.where(end, x, 0.5), np.abs(m)
    # the parity has no derivative in v: the root is 0 for integers, and its slope infinite
    parity = 1 - 2 * np.mod(v + m, 2) + np.sqrt(np.abs(v - np.rint(v)))
    parity, sign = np.where(y < 0, parity, 1.0), np.sign(y)
    w, z = 1 - y * y, (1 - sign * y) / 2
    first, second = (hyp2f1(n + k - v, n + k + v + 1, n + k + 1.0, z) for k in (0, 1))
    size = (
        chosen(m < 0, 1.0, (1 - 2 * np.mod(n, 2)) * poch(v - n + 1, 2.0 * n))
        * parity
        / (2.0**n * gamma(n + 1.0))
    )
    of_root = chosen(n == 0, 0.0, -n * y * w ** (chosen(n == 0, 2, n) / 2 - 1) * first)
    limit = size * (of_root - sign * w ** (n / 2) * (n - v) * (n + v + 1) / (2 * n + 2) * second)
    x = np.where(end, 0.5, x)
    return np.where(end, limit, (v * x * out - (v + m) * lpmv(m, v - 1, x)) / (x * x - 1))


@row(None, lambda m, v, x, out: numerical_partial(lpmv, 1, m, v, x, constant=x == 1), _slope)
def lpmv(m: ArrayLike, v: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the associated Legendre function of the first kind.

    The order m is an integer, the degree v real, and -1 < x < 1.

    ``P_v^m(x)`` (DLMF 14.3.1). The derivative in x is ``(v x P_v^m - (v + m) P_{v-1}^m)/(x^2 - 1)``
    (DLMF 14.10.5); v is differentiated numerically.

    Parameters
    ----------
    m : array_like
        Order, an integer in value.
    v : array_like
        Degree, real.
    x : array_like
        Points of evaluation, -1 <= x <= 1.
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
    This is `scipy.special.lpmv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in v and x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.lpmv(1, 2.5, 0.3).round(9), grad(special.lpmv, 2)(1, 2.5, 0.3).round(9))
    -0.129229994 -4.29553038
    """
    ...


@elementwise(outputs=3)
def _plain_call(n, z):
    return _three("legendre_p", n, z)


@elementwise(outputs=3)
def _associated(n, m, z, branch_cut, norm):
    return _three("assoc_legendre_p", n, m, z, branch_cut=branch_cut, norm=norm)


@elementwise(outputs=3)
def _spherical(n, m, theta):
    return _three("sph_legendre_p", n, m, theta)


def _three(name: str, *args: Any, **options: Any) -> Any:
    """Return SciPy's values, first and second derivatives."""
    return like(args, tuple(kernel(f"special.{name}")(*args, diff_n=2, **options)))


# (1 - z^2) P'' = 2 z P' - (n (n + 1) - m^2/(1 - z^2)) P (DLMF 14.2.2), differentiated once
def _third(n: Array, m: Array, z: Array, out: Array) -> Array:
    w = 1 - z * z
    return (
        4 * z * out[2] + (2 - n * (n + 1) + m * m / w) * out[1] + 2 * z * m * m / (w * w) * out[0]
    ) / w


# The same in theta: P'' = -cot(theta) P' - (n (n + 1) - m^2/sin(theta)^2) P
def _third_by_angle(n: Array, m: Array, theta: Array, out: Array) -> Array:
    sine, cosine, m2 = np.sin(theta), np.cos(theta), m * m
    last = ((1 + m2) / (sine * sine) - n * (n + 1)) * out[1]
    return last - cosine / sine * out[2] - 2 * m2 * cosine / sine**3 * out[0]


def _output_partials(before: int, behind: int, call: Any, third: Any) -> Any:
    """Return the partials of three outputs in one argument, the others before and behind which have
    none.
    """
    slopes = (lambda: call.out[1], lambda: call.out[2], third)
    return tuple((*[None] * before, slope, *[None] * behind) for slope in slopes)


@_plain_call.partials
def _(call):
    degree = np.where(call.n < 0, 1, call.n)  # SciPy's values are z for negative degrees
    return _output_partials(1, 0, call, lambda: _third(degree, 0, call.z, call.out))


@_associated.partials
def _(call):
    return _output_partials(2, 2, call, lambda: _third(call.n, call.m, call.z, call.out))


@_spherical.partials
def _(call):
    return _output_partials(
        2, 0, call, lambda: _third_by_angle(call.n, call.m, call.theta, call.out)
    )


def _stack_orders(rows: Any, diff_n: Any) -> Any:
    return np.stack(rows[: _number(diff_n) + 1])


def _number(diff_n: Any) -> int:
    """Return diff_n, with SciPy's own refusals."""
    kernel("special.legendre_p_all")(0, 0.0, diff_n=diff_n)
    return int(diff_n)


def _grid(n: Any, m: Any, z: Any) -> tuple[Any, Any]:
    """Return the degrees 0 to n and the orders 0 to m, -m to -1, as the `_all` functions have them
    on their axes.
    """
    like = raw(z) if hasattr(raw(z), "__array_function__") else None
    orders = np.arange(operator.index(m) + 1, like=like)
    orders = np.concatenate([orders, -orders[:0:-1]]).reshape(1, -1, *[1] * np.ndim(z))
    return np.arange(operator.index(n) + 1, like=like).reshape(-1, 1, *[1] * np.ndim(z)), orders


@if_traced
def legendre_p(n: ArrayLike, z: ArrayLike, *, diff_n: Literal[0, 1, 2] = 0) -> Array:
    """Compute the Legendre polynomial and its derivatives.

    ``P_n(z)`` (DLMF 14.7.1), differentiable in z.

    Parameters
    ----------
    n : array_like of ints
        Degree and order.
    z : array_like
        Points of evaluation, real or complex.
    diff_n : {0, 1, 2}, optional
        Number of derivatives to return.

    Returns
    -------
    ndarray
        Values and derivatives, by number on the first axis; then degrees and orders where there are
        all of them, the negative orders last.

    Raises
    ------
    ValueError
        If diff_n is not 0, 1 or 2.

    Notes
    -----
    This is `scipy.special.legendre_p`.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(grad(lambda z: special.legendre_p(3, z)[0])(0.4).round(9))
    -0.3
    """
    return _stack_orders(_plain_call(n, z), diff_n)


@if_traced
def legendre_p_all(n: ArrayLike, z: ArrayLike, *, diff_n: Literal[0, 1, 2] = 0) -> Array:
    """Compute all Legendre polynomials to degree n and their derivatives.

    Differentiable in z.

    Parameters
    ----------
    n : array_like of ints
        Degree and order.
    z : array_like
        Points of evaluation, real or complex.
    diff_n : {0, 1, 2}, optional
        Number of derivatives to return.

    Returns
    -------
    ndarray
        Values and derivatives, by number on the first axis; then degrees and orders where there are
        all of them, the negative orders last.

    Raises
    ------
    ValueError
        If diff_n is not 0, 1 or 2.

    Notes
    -----
    This is `scipy.special.legendre_p_all`.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(grad(lambda z: special.legendre_p_all(3, z)[0, 3])(0.4).round(9))
    -0.3
    """
    return _stack_orders(_plain_call(_grid(n, 0, z)[0][:, 0], z), diff_n)


@if_traced
def assoc_legendre_p(
    n: ArrayLike,
    m: ArrayLike,
    z: ArrayLike,
    *,
    branch_cut: Literal[2, 3] = 2,
    norm: bool = False,
    diff_n: Literal[0, 1, 2] = 0,
) -> Array:
    """Compute the associated Legendre function and its derivatives.

    ``P_n^m(z)`` (DLMF 14.7.8), differentiable in z, real or complex.

    Parameters
    ----------
    n, m : array_like of ints
        Degree and order.
    z : array_like
        Points of evaluation, real or complex.
    branch_cut : {2, 3}, optional
        Whether the cut is where ``|z| > 1`` on the real axis (2) or where ``-1 < z < 1`` (3).
    norm : bool, optional
        Whether to normalize in the mean square on (-1, 1).
    diff_n : {0, 1, 2}, optional
        Number of derivatives to return.

    Returns
    -------
    ndarray
        Values and derivatives, by number on the first axis; then degrees and orders where there are
        all of them, the negative orders last.

    Raises
    ------
    ValueError
        If diff_n is not 0, 1 or 2.

    Notes
    -----
    This is `scipy.special.assoc_legendre_p`.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(grad(lambda z: special.assoc_legendre_p(3, 1, z)[0])(0.4).round(9))
    -5.630021568
    """
    return _stack_orders(_associated(n, m, z, branch_cut, norm), diff_n)


@if_traced
def assoc_legendre_p_all(
    n: ArrayLike,
    m: ArrayLike,
    z: ArrayLike,
    *,
    branch_cut: Literal[2, 3] = 2,
    norm: bool = False,
    diff_n: Literal[0, 1, 2] = 0,
) -> Array:
    """Compute all associated Legendre functions to degree n and order m, and their derivatives.

    Differentiable in z, real or complex.

    Parameters
    ----------
    n, m : array_like of ints
        Degree and order.
    z : array_like
        Points of evaluation, real or complex.
    branch_cut : {2, 3}, optional
        Whether the cut is where ``|z| > 1`` on the real axis (2) or where ``-1 < z < 1`` (3).
    norm : bool, optional
        Whether to normalize in the mean square on (-1, 1).
    diff_n : {0, 1, 2}, optional
        Number of derivatives to return.

    Returns
    -------
    ndarray
        Values and derivatives, by number on the first axis; then degrees and orders where there are
        all of them, the negative orders last.

    Raises
    ------
    ValueError
        If diff_n is not 0, 1 or 2.

    Notes
    -----
    This is `scipy.special.assoc_legendre_p_all`.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(grad(lambda z: special.assoc_legendre_p_all(3, 1, z)[0, 3, 1])(0.4).round(9))
    -5.630021568
    """
    return _stack_orders(_associated(*_grid(n, m, z), z, branch_cut, norm), diff_n)


@if_traced
def sph_legendre_p(
    n: ArrayLike, m: ArrayLike, theta: ArrayLike, *, diff_n: Literal[0, 1, 2] = 0
) -> Array:
    """Compute the spherical Legendre function and its derivatives.

    The spherical harmonic at the azimuthal angle 0, differentiable in theta.

    Parameters
    ----------
    n, m : array_like of ints
        Degree and order.
    theta : array_like
        Polar angle.
    diff_n : {0, 1, 2}, optional
        Number of derivatives to return.

    Returns
    -------
    ndarray
        Values and derivatives, by number on the first axis; then degrees and orders where there are
        all of them, the negative orders last.

    Raises
    ------
    ValueError
        If diff_n is not 0, 1 or 2.

    Notes
    -----
    This is `scipy.special.sph_legendre_p`.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(grad(lambda theta: special.sph_legendre_p(3, 1, theta)[0])(0.4).round(9))
    -0.513567837
    """
    return _stack_orders(_spherical(n, m, theta), diff_n)


@if_traced
def sph_legendre_p_all(
    n: ArrayLike, m: ArrayLike, theta: ArrayLike, *, diff_n: Literal[0, 1, 2] = 0
) -> Array:
    """Compute all spherical Legendre functions to degree n and order m, and their derivatives.

    Differentiable in theta.

    Parameters
    ----------
    n, m : array_like of ints
        Degree and order.
    theta : array_like
        Polar angle.
    diff_n : {0, 1, 2}, optional
        Number of derivatives to return.

    Returns
    -------
    ndarray
        Values and derivatives, by number on the first axis; then degrees and orders where there are
        all of them, the negative orders last.

    Raises
    ------
    ValueError
        If diff_n is not 0, 1 or 2.

    Notes
    -----
    This is `scipy.special.sph_legendre_p_all`.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(grad(lambda theta: special.sph_legendre_p_all(3, 1, theta)[0, 3, 1])(0.4).round(9))
    -0.513567837
    """
    return _stack_orders(_spherical(*_grid(n, m, theta), theta), diff_n)


def _harmonics(rows: Any, m: Any, phi: Any, diff_n: Any) -> Any:
    """Return the harmonics, gradients and Hessians in (theta, phi): each phi derivative multiplies
    by i m.
    """
    factor = 1j * assemble(m)
    factor = factor.astype(np.result_type(rows[0].dtype, np.complex64))
    turn = np.exp(factor * phi)
    value, first, second = (p * turn for p in rows)
    gradient = [first, factor * value]
    found = [value, np.stack(gradient, axis=-1)]
    hessian = [
        np.stack([second, factor * first], axis=-1),
        np.stack([factor * v for v in gradient], axis=-1),
    ]
    return value if _number(diff_n) == 0 else (*found, np.stack(hessian, axis=-2))[: diff_n + 1]


def _of_cupy(n: Any, m: Any, *angles: Any, **options: Any) -> Any:
    """Return CuPy's harmonics, which are nan for orders beyond the degree, with 0 there."""
    return chosen(
        (np.abs(m) > n) & (n >= 0), 0, kernel("special.sph_harm_y")(n, m, *angles, **options)
    )


@partial(if_traced, instead={"cupy": _of_cupy})
def sph_harm_y(
    n: ArrayLike, m: ArrayLike, theta: ArrayLike, phi: ArrayLike, *, diff_n: Literal[0, 1, 2] = 0
) -> Out:
    """Compute the spherical harmonic and its derivatives.

    ``Y_n^m(theta, phi)`` (DLMF 14.30.1), differentiable in both angles.

    Parameters
    ----------
    n, m : array_like of ints
        Degree and order.
    theta : array_like
        Polar angle.
    phi : array_like
        Azimuthal angle.
    diff_n : {0, 1, 2}, optional
        Number of derivatives to return.

    Returns
    -------
    ndarray or tuple of ndarrays
        Values, and with diff_n their gradients in (theta, phi) on a last axis of 2, and Hessians on
        two of them.

    Raises
    ------
    ValueError
        If diff_n is not 0, 1 or 2.

    Notes
    -----
    This is `scipy.special.sph_harm_y`.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(grad(lambda theta: special.sph_harm_y(3, 1, theta, 0.3).real)(0.4).round(9))
    -0.490630095
    """
    return _harmonics(_spherical(n, m, theta), m, phi, diff_n)


@if_traced
def sph_harm_y_all(
    n: ArrayLike, m: ArrayLike, theta: ArrayLike, phi: ArrayLike, *, diff_n: Literal[0, 1, 2] = 0
) -> Out:
    """Compute all spherical harmonics to degree n and order m, and their derivatives.

    Differentiable in both angles.

    Parameters
    ----------
    n, m : array_like of ints
        Degree and order.
    theta : array_like
        Polar angle.
    phi : array_like
        Azimuthal angle.
    diff_n : {0, 1, 2}, optional
        Number of derivatives to return.

    Returns
    -------
    ndarray or tuple of ndarrays
        Values, and with diff_n their gradients in (theta, phi) on a last axis of 2, and Hessians on
        two of them.

    Raises
    ------
    ValueError
        If diff_n is not 0, 1 or 2.

    Notes
    -----
    This is `scipy.special.sph_harm_y_all`.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(grad(lambda theta: special.sph_harm_y_all(3, 1, theta, 0.3)[3, 1].real)(0.4).round(9))
    -0.490630095
    """
    degrees, orders = _grid(n, m, theta + phi)
    return _harmonics(_spherical(degrees, orders, theta), orders, phi, diff_n)


__all__ = [
    "assoc_legendre_p", "assoc_legendre_p_all", "legendre_p", "legendre_p_all", "lpmv",
    "sph_harm_y", "sph_harm_y_all", "sph_legendre_p", "sph_legendre_p_all",
]  # fmt: skip
