"""Airy functions (DLMF chapter 9) and parabolic cylinder functions (chapter 12), with their
derivatives as outputs.
"""

import math
from typing import Any, Unpack

import numpy as np

from scigrad.typing import Array, ArrayLike, UfuncOptions

from .gamma import rgamma
from .hypergeometric import hyp1f1
from .machinery.numerical_partial import solutions
from .machinery.scaled import scaled_row
from .machinery.ufuncs import corrected_kernel, library_values, row


@row(
    (lambda z, out: out[1],),
    (lambda z, out: z * out[0],),
    (lambda z, out: out[3],),
    (lambda z, out: z * out[2],),
)
def airy(z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute the Airy functions and their derivatives.

    ``Ai(z), Ai'(z), Bi(z), Bi'(z)``, real or complex. ``Ai'' = z Ai``, and so for Bi (DLMF 9.2.1).

    Parameters
    ----------
    z : array_like
        Argument, real or complex.
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
    This is `scipy.special.airy`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.airy(0.5)[0].round(9), grad(lambda z: special.airy(z)[0])(0.5).round(9))
    0.231693606 -0.224910533
    """
    ...


def _growth(z: Any) -> Any:
    """Return |Re(2/3 z^(3/2))|, 0 for z < 0."""
    return (
        2
        / 3
        * (
            np.abs(np.real(z**1.5))
            if np.iscomplexobj(z)
            else np.where(z > 0, np.where(z > 0, z, 1.0) ** 1.5, 0.0)
        )
    )


@scaled_row(
    _growth,
    (lambda f, z, out: out[1] + np.sqrt(z) * out[0],),
    (lambda f, z, out: z * out[0] + np.sqrt(z) * out[1],),
    (lambda f, z, out: out[3],),
    (lambda f, z, out: z * out[2],),
    by_size=(False, False, True, True),
)
def airye(z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute the scaled Airy functions and their derivatives.

    ``Ai(z)`` and ``Ai'(z)`` times ``exp(2/3 z^(3/2))``, for z >= 0 if real, ``Bi(z)`` and
    ``Bi'(z)`` times ``exp(-|Re(2/3 z^(3/2))|)``, whose derivatives for complex z are those of a
    function of two real numbers. They are differences that lose digits in proportion to
    ``|z|^(3/2)``.

    Parameters
    ----------
    z : array_like
        Argument, real or complex.
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
    This is `scipy.special.airye`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.airye(0.5)[0].round(9), grad(lambda z: special.airye(z)[0])(0.5).round(9))
    0.293277159 -0.077312894
    """
    ...


def _by_series(v: Any, x: Any, of_even: Any, of_odd: Any) -> Any:
    """Return a sum of the even and the odd solution, which are confluent hypergeometric (DLMF
    12.2.7-9).
    """
    z = x * x / 2
    return np.exp(-z / 2) * (
        of_even * hyp1f1(-v / 2, 0.5, z) + 2**0.5 * x * of_odd * hyp1f1((1 - v) / 2, 1.5, z)
    )


def _d(v: Any, x: Any) -> Any:
    """Return D (DLMF 12.4.1)."""
    return math.pi**0.5 * np.exp2(v / 2) * _by_series(v, x, rgamma((1 - v) / 2), -rgamma(-v / 2))


def _v(v: Any, x: Any) -> Any:
    """Return V (DLMF 12.4.1), of negative x by connection with D where the series cancels
    (DLMF 12.2.16): D is all that is left of it for v = 1/2, 3/2, ...
    """
    even, odd, at = -v / 2, (1 - v) / 2, np.abs(x)
    of_even, of_odd = rgamma(1 - even) ** 2 * rgamma(even), rgamma(1 - odd) ** 2 * rgamma(odd)
    size = math.pi * np.exp2(even)
    found, right = (size * _by_series(v, y, of_even, of_odd) for y in (x, at))
    rest = v - 2 * np.rint(v / 2)  # the cosine is exactly 0 at 1/2
    cosine, sine = np.sin(math.pi * (0.5 - np.abs(rest))), np.sin(math.pi * rest)
    of_both = cosine * right + sine * rgamma(v + 1) * library_values("pbdv", v, at)[0]
    return np.where(np.abs(found) < 0.1 * np.abs(right), -of_both, found)


def _parabolic(name: str, lossy: Any, f: Any, rate: Any) -> Any:
    """Declare a function and its slope (DLMF 12.8.3, 12.8.6), where `lossy` by the series of f.

    SciPy takes the asymptotic series of growing solutions too early: for v = 12 nothing is left, at
    v = 60 the error is 1e50, and for negative x and integer v it is infinite.
    """
    return solutions(
        0,
        lambda v, x, out: out[1],
        lambda v, x, out: (x * x / 4 - v - 0.5) * out[0],
        instead=corrected_kernel(
            name, lossy, lambda v, x: (y := f(v, x), x / 2 * y - rate(v) * f(v + 1, x))
        ),
        in_double=True,
    )


@_parabolic("pbdv", lambda v, x: (x < -5.8) & (x > -36) & (np.abs(v) < 150), _d, np.ones_like)
def pbdv(v: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute the parabolic cylinder function D and its derivative.

    ``D_v(x), D_v'(x)``. ``D'' = (x^2/4 - v - 1/2) D`` (DLMF 12.2.2); v is differentiated
    numerically.

    Parameters
    ----------
    v : array_like
        Order of the parabolic cylinder function.
    x : array_like
        Argument, real.
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
    This is `scipy.special.pbdv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.pbdv(1.5, 0.5)[0].round(9),
    ...     grad(lambda x: special.pbdv(1.5, x)[0])(0.5).round(9),
    ... )
    -0.062125635 1.219584078
    """
    ...


@_parabolic(
    "pbvv",
    lambda v, x: (
        (np.abs(x) < 36)
        & (np.abs(v) < 150)
        & ((x < -5.8) | (x < -1) & (v < 0) | (x > 0) & (v > 10) | (x > 5.8) & (v > 0))
    ),
    _v,
    lambda v: v + 1,
)
def pbvv(v: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute the parabolic cylinder function V and its derivative.

    ``V_v(x), V_v'(x)``. ``V'' = (x^2/4 - v - 1/2) V`` (DLMF 12.2.2); v is differentiated
    numerically. On the host values keep their digits for |x| < 36 and |v| < 150, nine of them at
    v = 1/2, 3/2, ... beside x = -6. SciPy's lose them all beyond 5.8, at positive x and v from 50
    on, and for negative x and such v; they are infinite there for integers.

    Parameters
    ----------
    v : array_like
        Order of the parabolic cylinder function.
    x : array_like
        Argument, real.
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
    This is `scipy.special.pbvv`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.pbvv(1.5, 0.5)[0].round(9),
    ...     grad(lambda x: special.pbvv(1.5, x)[0])(0.5).round(9),
    ... )
    -0.649908252 -0.084776671
    """
    ...


@row((None, lambda a, x, out: out[1]), (None, lambda a, x, out: (a - x * x / 4) * out[0]))
def pbwa(a: ArrayLike, x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> tuple[Array, ...]:
    """Compute the parabolic cylinder function W and its derivative.

    ``W(a, x), W'(a, x)``. ``W'' = (a - x^2/4) W`` (DLMF 12.14.2). SciPy's values are too
    noisy for a numerical derivative in a, which has no rule.

    Parameters
    ----------
    a : array_like
        Parameter of the differential equation y'' + (x^2/4 - a) y = 0.
    x : array_like
        Argument, real.
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
    This is `scipy.special.pbwa`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Differentiable in x; the others have no derivative rule.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(
    ...     special.pbwa(1.5, 0.5)[0].round(9),
    ...     grad(lambda x: special.pbwa(1.5, x)[0])(0.5).round(9),
    ... )
    0.366458828 -0.40345524
    """
    ...


__all__ = ["airy", "airye", "pbdv", "pbvv", "pbwa"]
