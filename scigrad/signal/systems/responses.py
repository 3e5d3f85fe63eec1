"""Frequency responses and group delays of filters."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules import kernel
from scigrad.numpy.devices import on_host, place_beside
from scigrad.typing import Array, ArrayLike

from ..filters.filtering import as_sections
from ..foundation.composition import (
    anywhere,
    floating,
    number,
    refuse_if,
    scipy_composition,
    vectors,
)

_TURN = 2 * np.pi


def _frequencies(
    worN: Any, whole: bool, fs: Any, like: Any, include_nyquist: bool = False, dtype: Any = float
) -> Any:
    """Return the frequencies in the unit of fs and as angles."""
    refuse_if(np.ndim(fs) > 0, "Sampling frequency fs must be a single scalar.")
    if worN is None or isinstance(worN, (int, np.integer)):
        count = 512 if worN is None else int(worN)
        refuse_if(count < 0, f"worN must be nonnegative, got {count}")
        w = place_beside(
            np.linspace(
                0, _TURN if whole else np.pi, count, endpoint=include_nyquist and not whole
            ),
            like,
        )
        return w * (fs / _TURN), w
    (f,) = vectors(worN)
    f = f.astype(np.result_type(f.dtype, dtype))  # complex for complex filters, as in SciPy
    return f, _TURN * f / fs


def _horner(coefficients: Any, z: Any) -> Any:
    """Return sum_k c[k] z^k, c along the first axis; its other axes broadcast with those of z."""
    total = coefficients[-1] + 0 * z
    for k in range(coefficients.shape[0] - 2, -1, -1):
        total = total * z + coefficients[k]
    return total


@scipy_composition()
def freqz(
    b: ArrayLike,
    a: ArrayLike = 1,
    worN: ArrayLike = 512,
    whole: bool = False,
    plot: Callable[..., Any] | None = None,
    fs: float = _TURN,
    include_nyquist: bool = False,
) -> tuple[Array, Array]:
    """Return the frequency response of a digital filter.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    worN : int or array_like, optional
        Number of frequencies, or the frequencies in the unit of `fs`.
    whole : bool, optional
        Whether frequencies go up to `fs` instead of half of it.
    plot : callable, optional
        Function that is called with the frequencies and the response.
    fs : float, optional
        Sampling frequency.
    include_nyquist : bool, optional
        Whether half of `fs` is among the frequencies.

    Returns
    -------
    w : ndarray
        Frequencies, in the unit of those of `worN`.
    h : ndarray
        Response.

    Raises
    ------
    ValueError
        If the number of frequencies is negative.

    Notes
    -----
    This is `scipy.signal.freqz`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda b: abs(signal.freqz(b, worN=[np.pi / 2])[1][0]))(
    ...         np.array([1.0, 1.0])
    ...     ).round(6)
    ... )
    [0.707107 0.707107]
    """
    b, a = vectors(b, a)
    f, w = _frequencies(worN, whole, fs, b, include_nyquist, np.result_type(b.dtype, a.dtype))
    z = np.exp(-1j * w)
    h = _horner(b, z) / _horner(a, z)
    if plot is not None:
        plot(f, h)
    return f, h


@scipy_composition()
def freqz_zpk(
    z: ArrayLike,
    p: ArrayLike,
    k: ArrayLike,
    worN: ArrayLike = 512,
    whole: bool = False,
    fs: float = _TURN,
) -> tuple[Array, Array]:
    """Return the frequency response of a digital filter given by zeros, poles and gain.

    Parameters
    ----------
    z, p : (k,) array_like
        Zeros and poles.
    k : float
        Gain.
    worN : int or array_like, optional
        Number of frequencies, or the frequencies in the unit of `fs`.
    whole : bool, optional
        Whether frequencies go up to `fs` instead of half of it.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    w : ndarray
        Frequencies, in the unit of those of `worN`.
    h : ndarray
        Response.

    Raises
    ------
    ValueError
        If the number of frequencies is negative.

    Notes
    -----
    This is `scipy.signal.freqz_zpk`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda z: abs(signal.freqz_zpk(z, [], 1.0, worN=[np.pi / 2])[1][0]))(
    ...         np.array([0.5])
    ...     ).round(6)
    ... )
    [0.447214]
    """
    z, p, k = floating(z, p, k)
    f, w = _frequencies(worN, whole, fs, k if k.ndim else z)
    return f, k * _factors(z, np.exp(1j * w)) / _factors(p, np.exp(1j * w))


def _factors(roots: Any, s: Any) -> Any:
    return np.prod(s[..., None] - (roots if roots.ndim else roots[None]), axis=-1)


@scipy_composition()
def freqz_sos(
    sos: ArrayLike, worN: ArrayLike = 512, whole: bool = False, fs: float = _TURN
) -> tuple[Array, Array]:
    """Return the frequency response of a cascade of second-order sections.

    Parameters
    ----------
    sos : (n_sections, 6) array_like
        Second-order sections, each (b0, b1, b2, 1, a1, a2).
    worN : int or array_like, optional
        Number of frequencies, or the frequencies in the unit of `fs`.
    whole : bool, optional
        Whether frequencies go up to `fs` instead of half of it.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    w : ndarray
        Frequencies, in the unit of those of `worN`.
    h : ndarray
        Response.

    Raises
    ------
    ValueError
        If the number of frequencies is negative.

    Notes
    -----
    This is `scipy.signal.freqz_sos`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> sos = np.array([[1.0, 1.0, 0.0, 1.0, 0.0, 0.0]])
    >>> print(grad(lambda sos: abs(signal.freqz_sos(sos, [np.pi / 2])[1][0]))(sos).round(6))
    [[ 0.707107  0.707107 -0.707107 -1.414214 -0.        1.414214]]
    """
    sos = as_sections(sos)
    refuse_if(sos.shape[0] == 0, "Cannot compute frequencies with no sections")
    f, w = _frequencies(worN, whole, fs, sos, dtype=sos.dtype)
    z = np.exp(-1j * w)
    h: Any = math.prod(_horner(section[:3], z) / _horner(section[3:], z) for section in sos)
    return f, h


@scipy_composition()
def sosfreqz(
    sos: ArrayLike, worN: ArrayLike = 512, whole: bool = False, fs: float = _TURN
) -> tuple[Array, Array]:
    """Return the frequency response of second-order sections, the old name of `freqz_sos`.

    Parameters
    ----------
    sos : (n_sections, 6) array_like
        Second-order sections, each (b0, b1, b2, 1, a1, a2).
    worN : int or array_like, optional
        Number of frequencies, or the frequencies in the unit of `fs`.
    whole : bool, optional
        Whether frequencies go up to `fs` instead of half of it.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    w : ndarray
        Frequencies, in the unit of those of `worN`.
    h : ndarray
        Response.

    Raises
    ------
    ValueError
        If the number of frequencies is negative.

    Notes
    -----
    This is `scipy.signal.sosfreqz`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> sos = np.array([[1.0, 1.0, 0.0, 1.0, 0.0, 0.0]])
    >>> print(grad(lambda sos: abs(signal.sosfreqz(sos, [np.pi / 2])[1][0]))(sos).round(6))
    [[ 0.707107  0.707107 -0.707107 -1.414214 -0.        1.414214]]
    """
    return freqz_sos(sos, worN, whole, fs)


@scipy_composition()
def freqs(
    b: ArrayLike, a: ArrayLike, worN: ArrayLike = 200, plot: Callable[..., Any] | None = None
) -> tuple[Array, Array]:
    """Return the frequency response of an analog filter.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    worN : int or array_like, optional
        Angular frequencies, or their number; then they are constants that lie around the zeros and
        poles.
    plot : callable, optional
        Function that is called with the frequencies and the response.

    Returns
    -------
    w : ndarray
        Frequencies, in the unit of those of `worN`.
    h : ndarray
        Response.

    Raises
    ------
    ValueError
        If the number of frequencies is negative.

    Notes
    -----
    This is `scipy.signal.freqs`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda w: abs(signal.freqs([1.0], [1.0, 1.0], w)[1][0]))(1.0).round(6))
    -0.353553
    """
    b, a = vectors(b, a)
    w = _analog_frequencies(worN, b, a, "ba")
    h = _horner(b[::-1], 1j * w) / _horner(a[::-1], 1j * w)
    if plot is not None:
        plot(w, h)
    return w, h


@scipy_composition()
def freqs_zpk(z: ArrayLike, p: ArrayLike, k: float, worN: ArrayLike = 200) -> tuple[Array, Array]:
    """Return the frequency response of an analog filter given by zeros, poles and gain.

    Parameters
    ----------
    z, p : (k,) array_like
        Zeros and poles.
    k : float
        Gain.
    worN : int or array_like, optional
        Angular frequencies, or their number; then they are constants that lie around the zeros and
        poles.

    Returns
    -------
    w : ndarray
        Frequencies, in the unit of those of `worN`.
    h : ndarray
        Response.

    Raises
    ------
    ValueError
        If the number of frequencies is negative.

    Notes
    -----
    This is `scipy.signal.freqs_zpk`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda w: abs(signal.freqs_zpk([], [-1.0], 1.0, w)[1][0]))(1.0).round(6))
    -0.353553
    """
    z, p, k = floating(z, p, k)
    w = _analog_frequencies(worN, z, p, "zp")
    return w, k * _factors(z, 1j * w) / _factors(p, 1j * w)


def _analog_frequencies(worN: Any, first: Any, second: Any, kind: str) -> Any:
    if worN is None or isinstance(worN, (int, np.integer)):
        around = (on_host(number(v, "The default of the frequencies")) for v in (first, second))
        return place_beside(
            kernel("signal.findfreqs")(*around, 200 if worN is None else worN, kind), second
        )
    return vectors(worN)[0]


@scipy_composition()
def group_delay(
    system: Any, w: ArrayLike = 512, whole: bool = False, fs: float = _TURN
) -> tuple[Array, Array]:
    """Return the group delay of a digital filter, in samples.

    Parameters
    ----------
    system : (b, a)
        Numerator and denominator.
    w : int or array_like, optional
        Number of frequencies, or the frequencies in the unit of `fs`.
    whole : bool, optional
        Whether frequencies go up to `fs` instead of half of it.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    w : ndarray
        Frequencies in the unit of `fs`.
    gd : ndarray
        Group delay, 0 where it is singular.

    Raises
    ------
    ValueError
        If the number of frequencies is negative.

    Notes
    -----
    This is `scipy.signal.group_delay`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda b: signal.group_delay((b, 1.0), [1.0])[1][0])(np.array([1.0, 0.5])).round(6)
    ... )
    [-0.261355  0.522709]
    """
    b, a = vectors(*system)
    f, angle = _frequencies(w, whole, fs, b)
    z = np.exp(-1j * angle)
    c = np.convolve(b, np.conj(a[::-1]))
    below = _horner(c, z)
    singular = below == 0
    if anywhere(abs(below) < 10 * np.finfo(float).eps):
        warnings.warn(
            "The group delay is singular or nearly so at some frequencies; 0 where it is singular",
            stacklevel=3,
        )
    delay = (
        np.real(
            _horner(c * place_beside(np.arange(c.shape[0]), c), z) / np.where(singular, 1, below)
        )
        - a.shape[0]
        + 1
    )
    return f, np.where(singular, 0, delay)


__all__ = ["freqs", "freqs_zpk", "freqz", "freqz_sos", "freqz_zpk", "group_delay", "sosfreqz"]
