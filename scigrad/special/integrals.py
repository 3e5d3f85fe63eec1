"""Fresnel, sine and cosine integrals, and integrals of Bessel and Airy functions, two or more at a
time.
"""

import functools
import math
from typing import Any, Unpack

import numpy as np

from scigrad.numpy.arithmetic import stated_derivative
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .airy import airy
from .bessel import j0
from .bessel_modified import i0
from .bessel_modified_orders import k0
from .bessel_orders import y0
from .convenience import exprel, gauss
from .error_functions import erfcx_slope
from .exponential_integrals import exp1
from .machinery.ufuncs import corrected_kernel, library_values, row


@row((lambda z, out: np.sin(math.pi / 2 * z * z),), (lambda z, out: np.cos(math.pi / 2 * z * z),))
def fresnel(z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute the Fresnel integrals.

    ``S(z), C(z) = int_0^z sin(pi t^2/2) dt, int_0^z cos(pi t^2/2) dt`` (DLMF 7.2.7), real or
    complex.

    Parameters
    ----------
    z : array_like
        Upper limit of the integrals, real or complex.
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
    This is `scipy.special.fresnel`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.fresnel(0.5)[0].round(9), grad(lambda z: special.fresnel(z)[0])(0.5).round(9))
    0.064732433 0.382683432
    """
    ...


def _modified(sign: int) -> Any:
    turn = complex(math.sqrt(0.5), -sign * math.sqrt(0.5))  # K(x) = erfcx(turn x)/2
    return (lambda x, out: -np.exp(1j * sign * x * x),), (
        lambda x, out: turn / 2 * erfcx_slope(turn * x, 2 * out[1]),
    )


def _of_negative(name: str) -> Any:
    """Return F(-x) = 2 F(0) - F(x), of which SciPy's has the wrong imaginary part."""
    f = functools.partial(library_values, name)
    return corrected_kernel(name, lambda x: x < 0, lambda x: (2 * f(0.0)[0] - f(-x)[0], f(x)[1]))


# SciPy's single precision is nan from about 3 on
@row(*_modified(1), in_double=True, instead=_of_negative("modfresnelp"))
def modfresnelp(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute the modified Fresnel integral F+ and its scaled form K+.

    ``F+(x) = int_x^inf exp(i t^2) dt``. Its derivative is ``-exp(i x^2)``, that of K+
    ``-2i x K+(x) - exp(-i pi/4)/sqrt(pi)``. SciPy's imaginary part of F+ is wrong for x < 0; on the
    host it is mended.

    Parameters
    ----------
    x : array_like
        Lower limit of the integral.
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
    This is `scipy.special.modfresnelp`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.modfresnelp(0.5)[0].real.round(9),
    ...     grad(lambda x: special.modfresnelp(x)[0].real)(0.5).round(9),
    ... )
    0.129773039 -0.968912422
    """
    ...


@row(*_modified(-1), in_double=True, instead=_of_negative("modfresnelm"))
def modfresnelm(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute the modified Fresnel integral F- and its scaled form K-.

    ``F-(x) = int_x^inf exp(-i t^2) dt``. Its derivative is ``-exp(-i x^2)``, that of K-
    ``2i x K-(x) - exp(i pi/4)/sqrt(pi)``. SciPy's imaginary part of F- is wrong for x < 0; on the
    host it is mended.

    Parameters
    ----------
    x : array_like
        Lower limit of the integral.
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
    This is `scipy.special.modfresnelm`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.modfresnelm(0.5)[0].real.round(9),
    ...     grad(lambda x: special.modfresnelm(x)[0].real)(0.5).round(9),
    ... )
    0.129773039 -0.968912422
    """
    ...


@row((lambda x, out: np.sinc(x / math.pi),), (lambda x, out: np.cos(x) / x,))
def sici(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute the sine and the cosine integral.

    ``Si(x), Ci(x)`` (DLMF 6.2.9 and 6.2.11), real or complex. Derivatives are ``sin(x)/x`` and
    ``cos(x)/x``, nan at infinity.

    Parameters
    ----------
    x : array_like
        Upper limit of the integrals, real or complex.
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
    This is `scipy.special.sici`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.sici(0.5)[0].round(9), grad(lambda x: special.sici(x)[0])(0.5).round(9))
    0.493107418 0.958851077
    """
    ...


def _slope_of_sinhc(x: Array, out: Array) -> Array:
    """Return the integral of t sinh(x t) from 0 to 1; by Gauss's rule where its closed form
    cancels.
    """
    far = np.abs(x) > 3
    u, near = np.where(far, x, 3.0), np.where(far, 0.0, x)
    nodes = [((t + 1) / 2, w / 2) for t, w in np.transpose(gauss(16)).tolist()]
    return np.where(
        far, np.cosh(u) * (1 - np.tanh(u) / u) / u, sum(w * t * np.sinh(near * t) for t, w in nodes)
    )


_sinhc = stated_derivative(lambda x: (exprel(x) + exprel(-x)) / 2, (_slope_of_sinhc,))
_coshc = stated_derivative(lambda x: np.cosh(x) / x, (lambda x, out: out * (np.tanh(x) - 1 / x),))


@row(
    (lambda x, out: np.sinc(1j * x / math.pi) if np.iscomplexobj(x) else _sinhc(x),),
    (lambda x, out: np.cosh(x) / x if np.iscomplexobj(x) else _coshc(x),),
)
def shichi(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute the hyperbolic sine and cosine integral.

    ``Shi(x), Chi(x)`` (DLMF 6.2.15), real or complex. Derivatives are ``sinh(x)/x`` and
    ``cosh(x)/x``.

    Parameters
    ----------
    x : array_like
        Upper limit of the integrals, real or complex.
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
    This is `scipy.special.shichi`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.shichi(0.5)[0].round(9), grad(lambda x: special.shichi(x)[0])(0.5).round(9))
    0.50699675 1.042190611
    """
    ...


@row((lambda x, out: j0(x),), (lambda x, out: y0(x),))
def itj0y0(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute the integrals of the Bessel functions ``J_0`` and ``Y_0`` from 0 to x.

    The derivatives are ``j0(x)`` and ``y0(x)``.

    Parameters
    ----------
    x : array_like
        Upper limit of the integrals; of those from x to infinity the lower one.
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
    This is `scipy.special.itj0y0`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.itj0y0(0.5)[0].round(9), grad(lambda x: special.itj0y0(x)[0])(0.5).round(9))
    0.489680507 0.938469807
    """
    ...


def _less_one(x: Any, sign: int, direct: Any) -> Any:
    """Return (1 - J_0(x))/x for the sign -1, (I_0(x) - 1)/x for 1; for small x by the power series,
    where that cancels.
    """
    far = np.abs(x) > 1
    near, beyond, series = np.where(far, 0.0, x), np.where(far, x, 1.0), 1.0
    for k in range(9, 1, -1):
        series = 1 + sign * (near / (2 * k)) ** 2 * series
    return np.where(far, direct(beyond) / beyond, near / 4 * series)


@row((lambda x, out: _less_one(x, -1, lambda x: 1 - j0(x)),), (lambda x, out: -y0(x) / x,))
def it2j0y0(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute integrals of Bessel functions of order 0 over t.

    They are those of ``(1 - J_0(t))/t`` from 0 to x and of ``Y_0(t)/t`` from x to infinity.

    The derivatives are ``(1 - j0(x))/x`` and ``-y0(x)/x``, for x > 0.

    Parameters
    ----------
    x : array_like
        Upper limit of the integrals; of those from x to infinity the lower one.
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
    This is `scipy.special.it2j0y0`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.it2j0y0(0.5)[0].round(9), grad(lambda x: special.it2j0y0(x)[0])(0.5).round(9))
    0.031006986 0.123060386
    """
    ...


@row((lambda x, out: i0(x),), (lambda x, out: k0(x),))
def iti0k0(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute the integrals of the modified Bessel functions ``I_0`` and ``K_0`` from 0 to x.

    The derivatives are ``i0(x)`` and ``k0(x)``.

    Parameters
    ----------
    x : array_like
        Upper limit of the integrals; of those from x to infinity the lower one.
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
    This is `scipy.special.iti0k0`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.iti0k0(0.5)[0].round(9), grad(lambda x: special.iti0k0(x)[0])(0.5).round(9))
    0.510514809 1.063483371
    """
    ...


def _far(x: Any) -> tuple[Any, Any]:
    """Return both integrals, that of K_0(t)/t by those of exp(-t cosh(u))/t: the trapezoidal rule
    in u.
    """
    step = 0.7 / np.sqrt(x)
    return library_values("it2i0k0", x)[0], step * (
        exp1(x) / 2 + sum(exp1(x * np.cosh(k * step)) for k in range(1, 14))
    )


# SciPy's second one is 13 times too large at 12.5, x times beyond
_CORRECTED = corrected_kernel("it2i0k0", lambda x: x > 9, _far)


@row(
    (lambda x, out: _less_one(x, 1, lambda x: i0(x) - 1),),
    (lambda x, out: -k0(x) / x,),
    instead=_CORRECTED,
)
def it2i0k0(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute integrals of modified Bessel functions of order 0 over t.

    They are those of ``(I_0(t) - 1)/t`` from 0 to x and of ``K_0(t)/t`` from x to infinity.

    The derivatives are ``(i0(x) - 1)/x`` and ``-k0(x)/x``, for x > 0. SciPy's second value is about
    x times too large for x > 12; on the host it is mended.

    Parameters
    ----------
    x : array_like
        Upper limit of the integrals; of those from x to infinity the lower one.
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
    This is `scipy.special.it2i0k0`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.it2i0k0(0.5)[0].round(9), grad(lambda x: special.it2i0k0(x)[0])(0.5).round(9))
    0.031495274 0.126966741
    """
    ...


@row(
    (lambda x, out: airy(x)[0],),
    (lambda x, out: airy(x)[2],),
    (lambda x, out: airy(-x)[0],),
    (lambda x, out: airy(-x)[2],),
)
def itairy(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute the integrals of the Airy functions.

    Those of ``Ai(t), Bi(t), Ai(-t), Bi(-t)`` from 0 to x, whose derivatives they are.

    Parameters
    ----------
    x : array_like
        Upper limit of the integrals; of those from x to infinity the lower one.
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
    This is `scipy.special.itairy`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.itairy(0.5)[0].round(9), grad(lambda x: special.itairy(x)[0])(0.5).round(9))
    0.145953305 0.231693606
    """
    ...


__all__ = [
    "fresnel", "it2i0k0", "it2j0y0", "itairy", "iti0k0", "itj0y0", "modfresnelm", "modfresnelp",
    "shichi", "sici",
]  # fmt: skip
