"""Kelvin functions of order 0 and their derivatives (DLMF 10.61)."""

import math
from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import stop_gradient
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .bessel_modified_orders import kv
from .bessel_orders import jv
from .machinery.ufuncs import corrected_kernel, row

_ROOT = math.sqrt(0.5)


# SciPy's polynomials and short asymptotic series lose up to seven digits in the middle, and are
# accurate near 0.
def _kelvin_values(x: Any, second: bool, derivative: bool) -> Any:
    """Return ber + i bei or ker + i kei, or their derivatives, from the Bessel functions (DLMF
    10.61.1-2).
    """
    turn, f = (complex(_ROOT, _ROOT), kv) if second else (complex(-_ROOT, _ROOT), jv)
    found = f(float(derivative), np.abs(x) * turn)
    return -turn * np.where(x < 0, -1, 1) * found if derivative else found


def _kelvin_row(name: str, *partials: Any) -> Any:
    """Declare a Kelvin function."""
    second, derivative, part = (
        name[0] == "k",
        name.endswith("p"),
        np.imag if "ei" in name else np.real,
    )
    lossy = lambda x: (x >= 1 if second else np.abs(x) >= 10) & (np.abs(x) < 900)  # noqa: E731
    return row(
        *partials,
        instead=corrected_kernel(
            name, lossy, lambda x: [part(_kelvin_values(x, second, derivative))]
        ),
        in_double=True,
    )


def _bend(x: Array, term: Any, out: Array, part: Any) -> Array:
    """Return `term` - out/x, that part of ber'' + i bei'': near 0 by i (J_0 - J_2)/2, with the
    power series of -i J_2.
    """
    near = np.abs(stop_gradient(x)) < 0.5  # the quotient cancels near 0
    q = np.where(near, x, 0.0) ** 2 / 4
    real, imaginary = (
        -q * (1 / 2 - q * q / 48 + q**4 / 17280),
        -q * q * (1 / 6 - q * q / 720 + q**4 / 604800),
    )
    return np.where(near, (term + part(real, imaginary)) / 2, term - out / np.where(near, 1, x))


@_kelvin_row("ber", lambda x, out: berp(x))
def ber(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Kelvin function ber.

    The real part of J_0(x exp(3 pi i/4)) (DLMF 10.61.1). The derivative is ``berp(x)``.

    Parameters
    ----------
    x : array_like
        Argument, real.
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
    This is `scipy.special.ber`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.ber(1.5).round(9), grad(special.ber)(1.5).round(9))
    0.921072184 -0.210011017
    """
    ...


@_kelvin_row("bei", lambda x, out: beip(x))
def bei(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Kelvin function bei.

    The imaginary part of J_0(x exp(3 pi i/4)) (DLMF 10.61.1). The derivative is ``beip(x)``.

    Parameters
    ----------
    x : array_like
        Argument, real.
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
    This is `scipy.special.bei`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.bei(1.5).round(9), grad(special.bei)(1.5).round(9))
    0.557560062 0.730250674
    """
    ...


@_kelvin_row("ker", lambda x, out: kerp(x))
def ker(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Kelvin function ker.

    The real part of K_0(x exp(pi i/4)) (DLMF 10.61.2). The derivative is ``kerp(x)``.

    Parameters
    ----------
    x : array_like
        Argument, real; the functions ker and kei have a logarithmic singularity at 0.
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
    This is `scipy.special.ker`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.ker(1.5).round(9), grad(special.ker)(1.5).round(9))
    0.052934915 -0.294181597
    """
    ...


@_kelvin_row("kei", lambda x, out: keip(x))
def kei(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Kelvin function kei.

    The imaginary part of K_0(x exp(pi i/4)) (DLMF 10.61.2). The derivative is ``keip(x)``.

    Parameters
    ----------
    x : array_like
        Argument, real; the functions ker and kei have a logarithmic singularity at 0.
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
    This is `scipy.special.kei`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.kei(1.5).round(9), grad(special.kei)(1.5).round(9))
    -0.331395562 0.295608087
    """
    ...


@_kelvin_row("berp", lambda x, out: _bend(x, -bei(x), out, lambda real, _: real))
def berp(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the derivative of the Kelvin function ber.

    Its own derivative is ``-bei(x) - berp(x)/x``, by the differential equation (DLMF 10.61.3).

    Parameters
    ----------
    x : array_like
        Argument, real.
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
    This is `scipy.special.berp`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.berp(1.5).round(9), grad(special.berp)(1.5).round(9))
    -0.210011017 -0.417552717
    """
    ...


@_kelvin_row("beip", lambda x, out: _bend(x, ber(x), out, lambda _, imaginary: imaginary))
def beip(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the derivative of the Kelvin function bei.

    Its own derivative is ``ber(x) - beip(x)/x``, by the differential equation (DLMF 10.61.3).

    Parameters
    ----------
    x : array_like
        Argument, real.
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
    This is `scipy.special.beip`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.beip(1.5).round(9), grad(special.beip)(1.5).round(9))
    0.730250674 0.434238401
    """
    ...


@_kelvin_row("kerp", lambda x, out: -kei(x) - out / x)
def kerp(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the derivative of the Kelvin function ker.

    Its own derivative is ``-kei(x) - kerp(x)/x``, by the differential equation (DLMF 10.61.3).

    Parameters
    ----------
    x : array_like
        Argument, real; the functions ker and kei have a logarithmic singularity at 0.
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
    This is `scipy.special.kerp`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.kerp(1.5).round(9), grad(special.kerp)(1.5).round(9))
    -0.294181597 0.527516627
    """
    ...


@_kelvin_row("keip", lambda x, out: ker(x) - np.where(x == 0, 0.0, out / np.where(x == 0, 1, x)))
def keip(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the derivative of the Kelvin function kei.

    Its own derivative is ``ker(x) - keip(x)/x``, by the differential equation (DLMF 10.61.3).

    Parameters
    ----------
    x : array_like
        Argument, real; the functions ker and kei have a logarithmic singularity at 0.
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
    This is `scipy.special.keip`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.keip(1.5).round(9), grad(special.keip)(1.5).round(9))
    0.295608087 -0.144137143
    """
    ...


_PAIRS = (ber, bei), (ker, kei), (berp, beip), (kerp, keip)


@row(
    (lambda x, out: out[2],),
    (lambda x, out: out[3],),
    (lambda x, out: _bend(x, 1j * out[0], out[2], lambda real, imaginary: real + 1j * imaginary),),
    (lambda x, out: 1j * out[1] - out[3] / x,),
    instead=corrected_kernel(
        "kelvin", lambda x: x >= 1, lambda x: [f(x) + 1j * g(x) for f, g in _PAIRS]
    ),
    in_double=True,
)
def kelvin(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute the Kelvin functions and their derivatives as complex numbers.

    ``ber + i bei, ker + i kei`` and the derivatives of both (DLMF 10.61), for x > 0.

    Parameters
    ----------
    x : array_like
        Argument, real; the functions ker and kei have a logarithmic singularity at 0.
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
    This is `scipy.special.kelvin`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.kelvin(0.5)[0].real.round(9),
    ...     grad(lambda x: special.kelvin(x)[0].real)(0.5).round(9),
    ... )
    0.999023464 -0.007812076
    """
    ...


__all__ = ["bei", "beip", "ber", "berp", "kei", "keip", "kelvin", "ker", "kerp"]
