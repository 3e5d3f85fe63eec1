"""The least order of a recursive filter for given edges and ripples, and the filter of that order.

The order N is constant. The critical frequency of Chebyshev's filters of type I and of elliptic
ones is the edge of the passband. The others have their ripple at that edge. In terms of the edges
tan(pi f / fs) of an analog filter, that of a low-pass filter is multiplied by

    (10^(gpass/10) - 1)^(-1/(2 N))                                             Butterworth
    cosh(arccosh(sqrt((10^(gstop/10) - 1) / (10^(gpass/10) - 1))) / N)         Chebyshev, type II

that of a high-pass filter divided by it, and a band becomes so much wider, that of a band-stop
filter so much narrower, with the same product of its two edges. A band-stop filter has the least
order if one edge of the passband moves towards the stopband until the edges of both have the same
product. SciPy searches for that edge; its five digits stand for the value.
"""

import math
from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules import kernel, stop_gradient
from scigrad.numpy.devices import on_host, place_beside
from scigrad.typing import Array, ArrayLike

from ..forms.analog_prototypes import decibel_power
from ..foundation.composition import floating, number, scipy_composition
from .recursive_design import iirfilter
from .window_method import beta_of

_ORDERS = {"butter": "buttord", "cheby1": "cheb1ord", "cheby2": "cheb2ord", "ellip": "ellipord"}


_STRETCH = {
    "buttord": lambda order, gpass, _: decibel_power(gpass) ** (-0.5 / order),
    "cheb2ord": lambda order, gpass, gstop: np.cosh(
        np.arccosh(np.sqrt(decibel_power(gstop) / decibel_power(gpass))) / order
    ),
}


def _least(
    name: str, wp: Any, ws: Any, gpass: Any, gstop: Any, analog: bool, fs: Any
) -> tuple[int, Any, str]:
    """Return the order, the critical frequency or frequencies, and the kind of the passband."""
    given = floating(wp, ws, gpass, gstop, 2 if fs is None else fs)
    values = [np.asarray(on_host(number(v, name))) for v in given]
    order, Wn = kernel(f"signal.{name}")(
        *values[:4], analog, None if fs is None else float(values[4])
    )
    wp, ws, gpass, gstop, rate = given
    wide, below = values[0].size == 2, np.ravel(values[0])[0] < np.ravel(values[1])[0]
    btype = ("bandstop" if below else "bandpass") if wide else "lowpass" if below else "highpass"
    wp = wp if wide else np.reshape(wp, ())
    if name not in _STRETCH and btype != "bandstop":
        return order, wp, btype
    edges, stops = (w if analog else np.tan(np.pi * w / rate) for w in (wp, ws))
    stretch = _STRETCH[name](order or math.inf, gpass, gstop) if name in _STRETCH else 1
    if not wide:
        found = edges * stretch if below else edges / stretch
    else:
        low, high, product = *edges, stops[0] * stops[1]
        if btype == "bandstop":
            low, high, stretch = (
                np.maximum(low, product / high),
                np.minimum(high, product / low),
                1 / stretch,
            )
        half = stretch * (high - low) / 2
        root = np.sqrt(half * half + low * high)
        found = np.stack([root - half, root + half])
    found = found if analog else np.arctan(found) * rate / np.pi
    return (
        order,
        place_beside(Wn, found) + (found - stop_gradient(found)) if btype == "bandstop" else found,
        btype,
    )


@scipy_composition()
def buttord(
    wp: ArrayLike,
    ws: ArrayLike,
    gpass: float,
    gstop: float,
    analog: bool = False,
    fs: float | None = None,
) -> tuple[int, Array]:
    """Return the least order of a Butterworth filter for given edges and ripples.

    Parameters
    ----------
    wp, ws : float or (2,) array_like
        Edges of the passband and of the stopband.
    gpass, gstop : float
        Ripple in the passband and attenuation in the stopband in dB.
    analog : bool, optional
        Whether the filter is analog, of angular frequencies.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    ord : int
        Order.
    wn : float or (2,) ndarray
        Critical frequency or frequencies.

    Raises
    ------
    ValueError
        If the edges or the ripples are invalid.

    Notes
    -----
    The order, which is chosen by `ws`, is constant.

    This is `scipy.signal.buttord`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda wp: signal.buttord(wp, 0.6, 1.0, 40.0)[1])(0.3).round(6))
    1.063806
    """
    return _least("buttord", wp, ws, gpass, gstop, analog, fs)[:2]


@scipy_composition()
def cheb1ord(
    wp: ArrayLike,
    ws: ArrayLike,
    gpass: float,
    gstop: float,
    analog: bool = False,
    fs: float | None = None,
) -> tuple[int, Array]:
    """Return the least order of a Chebyshev (type I) filter for given edges and ripples.

    Parameters
    ----------
    wp, ws : float or (2,) array_like
        Edges of the passband and of the stopband.
    gpass, gstop : float
        Ripple in the passband and attenuation in the stopband in dB.
    analog : bool, optional
        Whether the filter is analog, of angular frequencies.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    ord : int
        Order.
    wn : float or (2,) ndarray
        Critical frequency or frequencies.

    Raises
    ------
    ValueError
        If the edges or the ripples are invalid.

    Notes
    -----
    The order, which is chosen by `ws`, is constant.

    This is `scipy.signal.cheb1ord`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda wp: signal.cheb1ord(wp, 0.6, 1.0, 40.0)[1])(0.3).round(6))
    1.0
    """
    return _least("cheb1ord", wp, ws, gpass, gstop, analog, fs)[:2]


@scipy_composition()
def cheb2ord(
    wp: ArrayLike,
    ws: ArrayLike,
    gpass: float,
    gstop: float,
    analog: bool = False,
    fs: float | None = None,
) -> tuple[int, Array]:
    """Return the least order of a Chebyshev (type II) filter for given edges and ripples.

    Parameters
    ----------
    wp, ws : float or (2,) array_like
        Edges of the passband and of the stopband.
    gpass, gstop : float
        Ripple in the passband and attenuation in the stopband in dB.
    analog : bool, optional
        Whether the filter is analog, of angular frequencies.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    ord : int
        Order.
    wn : float or (2,) ndarray
        Critical frequency or frequencies.

    Raises
    ------
    ValueError
        If the edges or the ripples are invalid.

    Notes
    -----
    The order, which is chosen by `ws`, is constant.

    This is `scipy.signal.cheb2ord`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda wp: signal.cheb2ord(wp, 0.6, 1.0, 40.0)[1])(0.3).round(6))
    1.217325
    """
    return _least("cheb2ord", wp, ws, gpass, gstop, analog, fs)[:2]


@scipy_composition()
def ellipord(
    wp: ArrayLike,
    ws: ArrayLike,
    gpass: float,
    gstop: float,
    analog: bool = False,
    fs: float | None = None,
) -> tuple[int, Array]:
    """Return the least order of an elliptic filter for given edges and ripples.

    Parameters
    ----------
    wp, ws : float or (2,) array_like
        Edges of the passband and of the stopband.
    gpass, gstop : float
        Ripple in the passband and attenuation in the stopband in dB.
    analog : bool, optional
        Whether the filter is analog, of angular frequencies.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    ord : int
        Order.
    wn : float or (2,) ndarray
        Critical frequency or frequencies.

    Raises
    ------
    ValueError
        If the edges or the ripples are invalid.

    Notes
    -----
    The order, which is chosen by `ws`, is constant.

    This is `scipy.signal.ellipord`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda wp: signal.ellipord(wp, 0.6, 1.0, 40.0)[1])(0.3).round(6))
    1.0
    """
    return _least("ellipord", wp, ws, gpass, gstop, analog, fs)[:2]


@scipy_composition()
def iirdesign(
    wp: ArrayLike,
    ws: ArrayLike,
    gpass: float,
    gstop: float,
    analog: bool = False,
    ftype: str = "ellip",
    output: str = "ba",
    fs: float | None = None,
) -> Any:
    """Design a recursive filter of least order for given edges and ripples.

    Parameters
    ----------
    wp, ws : float or (2,) array_like
        Edges of the passband and of the stopband.
    gpass, gstop : float
        Ripple in the passband and attenuation in the stopband in dB.
    analog : bool, optional
        Whether the filter is analog, of angular frequencies.
    ftype : str, optional
        Family of the filter, as in SciPy.
    output : {"ba", "zpk", "sos"}, optional
        Form of the result: polynomials; zeros, poles and gain; second-order sections.
    fs : float, optional
        Sampling frequency.

    Returns
    -------
    ndarray or tuple of ndarray
        Filter, in the form of `output`.

    Raises
    ------
    ValueError
        If the edges or the ripples are invalid.

    Notes
    -----
    The order, which is chosen by `ws`, is constant.

    This is `scipy.signal.iirdesign`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda w: signal.iirdesign(w, 0.6, 1.0, 40.0)[0][0])(0.3).round(6))
    0.347354
    """
    values = (np.asarray(on_host(number(v, "iirdesign"))) for v in floating(wp, ws, gpass, gstop))
    # SciPy's own call raises its errors for wrong arguments
    kernel("signal.iirdesign")(*values, analog, ftype, output, number(fs, "iirdesign"))
    order, Wn, btype = _least(_ORDERS[ftype], wp, ws, gpass, gstop, analog, fs)
    return iirfilter(order, Wn, gpass, gstop, btype, analog, ftype, output, fs)


__all__ = [
    "buttord",
    "cheb1ord",
    "cheb2ord",
    "ellipord",
    "iirdesign",
    "kaiser_atten",
    "kaiser_beta",
    "kaiserord",
]


@scipy_composition()
def kaiser_beta(a: float) -> float:
    """Return the shape parameter of the Kaiser window with a given attenuation.

    Parameters
    ----------
    a : float
        Attenuation in dB.

    Returns
    -------
    float
        Shape parameter beta.

    Notes
    -----
    Where the ranges of the formula meet, at 21 and 50 dB, the derivative is that of the lower
    range.

    This is `scipy.signal.kaiser_beta`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(signal.kaiser_beta)(60.0))
    0.1102
    """
    return beta_of(floating(a)[0])


@scipy_composition()
def kaiser_atten(numtaps: int, width: float) -> float:
    """Return the attenuation of a filter designed by the Kaiser window.

    Parameters
    ----------
    numtaps : int
        Number of taps.
    width : float
        Width of the transition in units of fs/2.

    Returns
    -------
    float
        Attenuation in dB.

    Notes
    -----
    This is `scipy.signal.kaiser_atten`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda width: signal.kaiser_atten(11, width))(0.1).round(6))
    71.785392
    """
    return 2.285 * (numtaps - 1) * np.pi * width + 7.95


@scipy_composition()
def kaiserord(ripple: float, width: float) -> tuple[int, float]:
    """Return the length and the shape parameter of a filter designed by the Kaiser window.

    Parameters
    ----------
    ripple : float
        Attenuation in dB.
    width : float
        Width of the transition in units of fs/2.

    Returns
    -------
    numtaps : int
        Number of taps, which is constant.
    beta : float
        Shape parameter.

    Raises
    ------
    ValueError
        If the attenuation is less than 8 dB.

    Notes
    -----
    This is `scipy.signal.kaiserord`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda ripple: signal.kaiserord(ripple, 0.1)[1])(60.0))
    0.1102
    """
    numtaps, _ = kernel("signal.kaiserord")(
        *(on_host(number(v, "kaiserord")) for v in floating(ripple, width))
    )
    return numtaps, kaiser_beta(abs(ripple))
