"""Filters of one resonance or several: combs and the auditory filter; what a band-stop filter of
least order minimizes.
"""

import math
import warnings
from types import ModuleType
from typing import Any

import scigrad.numpy as np
from scigrad.numpy.devices import on_host, place_beside
from scigrad.special import ellipk
from scigrad.typing import Array, ArrayLike

from ..foundation.composition import constant_result, floating, number, refuse_if, scipy_composition


def _check_frequency(value: Any, fs: Any, name: str) -> None:
    refuse_if((value <= 0) | (value >= fs / 2), f"{name} must be between 0 and fs/2 (Nyquist).")


@scipy_composition()
def iircomb(w0: float, Q: float, ftype: str = "notch", fs: float = 2.0, *, pass_zero: bool = False,
    xp: ModuleType | None = None,  # noqa: ARG001
            device: object | None = None) -> tuple[Array, Array]:  # noqa: ARG001  # fmt: skip
    """Design a comb of notches or peaks.

    Parameters
    ----------
    w0 : float
        Frequency of the notch or peak in the unit of `fs`.
    Q : float
        Quality: `w0` over the width at -3 dB.
    ftype : {"notch", "peak"}, optional
        Kind of the comb.
    fs : float, optional
        Sampling frequency.
    pass_zero : bool, optional
        Whether frequency 0 passes: then peaks are at multiples of `w0` and notches between them,
        otherwise the other way round.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain arguments.

    Returns
    -------
    b : ndarray
        Numerator.
    a : ndarray
        Denominator.

    Raises
    ------
    ValueError
        If `fs` is not a multiple of `w0`, or the frequency or the kind is invalid.

    Notes
    -----
    This is `scipy.signal.iircomb`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda Q: signal.iircomb(0.5, Q)[0][0])(10.0).round(6))
    0.012
    """
    w0, Q, fs = floating(w0, Q, fs)
    ftype = ftype.lower()
    _check_frequency(w0, fs, "w0")
    refuse_if(ftype not in ("notch", "peak"), "ftype must be either notch or peak.")
    turns = fs / w0
    count = round(float(on_host(number(turns, "iircomb"))))
    refuse_if(
        abs(float(on_host(number(w0 / fs, "iircomb"))) - 1 / count) > 1e-14,
        "fs must be divisible by w0.",
    )
    beta = np.tan(count * (2 * np.pi * w0 / fs / Q) / 4)
    low, high = (
        (1 / (1 + beta), 1 / (1 + beta))
        if ftype == "notch"
        else (beta / (1 + beta), -beta / (1 + beta))
    )
    sign = -1.0 if (ftype == "peak") == bool(pass_zero) else 1.0
    between = place_beside(np.zeros(count - 1), beta)
    one = 1 + 0 * beta
    b = np.concatenate([low[None], between, (sign * high)[None]])
    return b, np.concatenate([one[None], between, (sign * (1 - beta) / (1 + beta))[None]])


@scipy_composition()
def gammatone(
    freq: float,
    ftype: str,
    order: int | None = None,
    numtaps: int | None = None,
    fs: float | None = None,
    *,
    xp: ModuleType | None = None,  # noqa: ARG001
    device: object | None = None,  # noqa: ARG001
) -> tuple[Array, Array]:
    """Design a gammatone filter, a model of hearing.

    Parameters
    ----------
    freq : float
        Center in the unit of `fs`.
    ftype : {"fir", "iir"}
        Kind of the filter.
    order : int, optional
        Order of a finite impulse response.
    numtaps : int, optional
        Number of its taps.
    fs : float, optional
        Sampling frequency.
    xp, device : optional
        Library and device of the result, as in SciPy, for plain arguments.

    Returns
    -------
    b : ndarray
        Numerator.
    a : ndarray
        Denominator.

    Raises
    ------
    ValueError
        If the frequency, the kind or the order is invalid.

    Notes
    -----
    This is `scipy.signal.gammatone`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda f: signal.gammatone(f, "iir", fs=16000.0)[1][1])(440.0).round(6))
    0.000855
    """
    freq, rate = floating(freq, 2.0 if fs is None else fs)
    ftype = ftype.lower()
    _check_frequency(freq, rate, "The frequency")
    refuse_if(ftype not in ("fir", "iir"), "ftype must be either fir or iir.")
    bandwidth = 1.019 * (24.7 + freq / 9.26449)  # on the scale of equivalent rectangular bandwidths
    if ftype == "fir":
        return _finite_gammatone(freq, rate, bandwidth, order, numtaps)
    if order is not None or numtaps is not None:
        warnings.warn("order and numtaps are not used for IIR gammatone filter.", stacklevel=3)
    return _recursive_gammatone(freq, rate, bandwidth)


def _finite_gammatone(freq: Any, rate: Any, bandwidth: Any, order: Any, numtaps: Any) -> Any:
    order = 4 if order is None else order
    taps = max(int(on_host(number(rate * 0.015, "gammatone"))), 15) if numtaps is None else numtaps
    refuse_if(not 0 < order <= 24, "Invalid order: order must be > 0 and <= 24.")
    t = place_beside(np.arange(taps), freq) / rate
    scale = 2 * (2 * np.pi * bandwidth) ** order / math.factorial(order - 1) / rate
    b = t ** (order - 1) * np.exp(-2 * np.pi * bandwidth * t) * np.cos(2 * np.pi * freq * t) * scale
    return b, place_beside(np.ones(1), freq)


def _recursive_gammatone(freq: Any, rate: Any, bandwidth: Any) -> Any:
    step, angle = 1 / rate, 2 * np.pi * freq / rate
    decay = np.exp(-2 * np.pi * bandwidth * step)
    turn, pole = np.exp(1j * angle), decay * np.exp(1j * angle)
    gain: Any = 1
    for root in (
        math.sqrt(3 + 2**1.5),
        -math.sqrt(3 + 2**1.5),
        math.sqrt(3 - 2**1.5),
        -math.sqrt(3 - 2**1.5),
    ):
        gain = gain * 2 * step * (pole * (np.cos(angle) + root * np.sin(angle)) - turn * turn)
    gain = abs(gain / (2 * (-decay * decay - turn * turn + (1 + turn * turn) * decay)) ** 4)
    powers = [decay**k * np.cos(k * angle) for k in range(5)]
    b = np.stack([weight * powers[k] for k, weight in enumerate((1, -4, 6, -4, 1))]) * (
        step**4 / gain
    )
    section = np.stack([1 + 0 * decay, -2 * powers[1], decay * decay])
    square = np.convolve(section, section)
    return b, np.convolve(square, square)


@scipy_composition(own=True)  # SciPy rounds the edge to an integer beside an edge that is one
def band_stop_obj(
    wp: float, ind: int, passb: ArrayLike, stopb: ArrayLike, gpass: float, gstop: float, type: str
) -> Array:
    """Return the order, not rounded, of a band-stop filter with a given edge of the passband.

    Parameters
    ----------
    wp : float
        Edge.
    ind : {0, 1}
        Number of the edge.
    passb, stopb : (2,) array_like
        Edges of the passband and of the stopband.
    gpass, gstop : float
        Ripple in the passband and attenuation in the stopband in dB.
    type : {"butter", "cheby", "ellip"}
        Family.

    Returns
    -------
    float
        Order.

    Raises
    ------
    ValueError
        If the ripples are invalid or the family is unknown.

    Notes
    -----
    This is `scipy.signal.band_stop_obj`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> edges = np.array([1.0, 4.0]), np.array([1.5, 3.0])
    >>> print(
    ...     grad(lambda wp: signal.band_stop_obj(wp, 0, *edges, 1.0, 40.0, "butter"))(1.1).round(6)
    ... )
    -6.823285
    """
    wp, passb, stopb, gpass, gstop = floating(wp, passb, stopb, gpass, gstop)
    refuse_if((gpass <= 0) | (gstop <= 0), "gpass and gstop should be larger than 0.0")
    refuse_if(gpass > gstop, "gpass should be smaller than gstop")
    low, high = (wp, passb[1]) if ind == 0 else (passb[0], wp)
    nat = np.min(abs(stopb * (low - high) / (stopb * stopb - low * high)))
    ratio = (10 ** (0.1 * gstop) - 1) / (10 ** (0.1 * gpass) - 1)
    if type == "butter":
        return np.log10(ratio) / (2 * np.log10(nat))
    if type == "cheby":
        return np.arccosh(np.sqrt(ratio)) / np.arccosh(nat)
    if type == "ellip":
        m, m1 = 1 / nat**2, 1 / ratio
        return ellipk(m) * ellipk(1 - m1) / (ellipk(1 - m) * ellipk(m1))
    raise ValueError(f"Incorrect type: {type}")


@constant_result
def findfreqs(num: ArrayLike, den: ArrayLike, N: int, kind: str = "ba") -> Array:
    """Return frequencies at which the response of an analog filter is interesting.

    Parameters
    ----------
    num, den : array_like
        Polynomials, or zeros and poles.
    N : int
        Number of frequencies.
    kind : {"ba", "zp"}, optional
        Meaning of the first arguments.

    Returns
    -------
    (N,) ndarray
        Angular frequencies, on a logarithmic scale.

    Raises
    ------
    ValueError
        If the kind is unknown.

    Notes
    -----
    This is `scipy.signal.findfreqs`. It is constant: no derivative passes.

    Examples
    --------
    >>> from scigrad import signal
    >>> print(signal.findfreqs([1.0], [1.0, 2.0], 3))
    [ 0.1  1.  10. ]
    """
    ...


__all__ = ["band_stop_obj", "findfreqs", "gammatone", "iircomb"]
