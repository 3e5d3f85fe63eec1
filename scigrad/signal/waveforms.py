"""Waveforms: swept cosines, pulses, sawtooth and square waves."""

from typing import Any, Literal

import scigrad.numpy as np
from scigrad.special import exprel
from scigrad.typing import Array, ArrayLike

from .foundation.composition import floating, refuse_if, scipy_composition


@scipy_composition()
def chirp(
    t: ArrayLike,
    f0: float,
    t1: float,
    f1: float,
    method: str = "linear",
    phi: float = 0,
    vertex_zero: bool = True,
    *,
    complex: bool = False,
) -> Array:
    """Return a cosine of changing frequency.

    Parameters
    ----------
    t : array_like
        Times.
    f0 : float
        Frequency at time 0.
    t1 : float
        Time of the frequency `f1`.
    f1 : float
        Frequency at time `t1`.
    method : {"linear", "quadratic", "logarithmic", "hyperbolic"}, optional
        Course of the frequency.
    phi : float, optional
        Phase at time 0 in degrees.
    vertex_zero : bool, optional
        Whether the parabola of the quadratic course has its vertex at time 0, or at `t1`.
    complex : bool, optional
        Whether to return the analytic signal.

    Returns
    -------
    ndarray
        Signal at the times `t`.

    Raises
    ------
    ValueError
        If the method is unknown, or a frequency is 0 or has the other sign where the method does
        not allow it.

    Notes
    -----
    This is `scipy.signal.chirp`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda f1: signal.chirp(0.5, 1.0, 1.0, f1))(2.0).round(6))
    0.55536
    """
    t, f0, t1, f1, phi = floating(t, f0, t1, f1, phi)
    kind = next((kind for kind, names in _COURSES.items() if method in names), None)
    refuse_if(
        kind is None,
        f"method must be 'linear', 'quadratic', 'logarithmic', or 'hyperbolic', not {method!r}.",
    )
    product = np.sign(f0) * np.sign(f1)
    impossible = {"logarithmic": product <= 0, "hyperbolic": product == 0}.get(kind, False)
    refuse_if(
        impossible,
        f"For a {kind} chirp, f0 and f1 must be nonzero and, if it is logarithmic, have the same "
        "sign.",
    )
    if kind == "linear":
        turns = f0 * t + (f1 - f0) / t1 * t * t / 2
    elif kind == "quadratic":
        rest = t**3 if vertex_zero else (t1 - (t1 - t)) * ((t1 - t) ** 2 + (t1 - t) * t1 + t1 * t1)
        turns = (
            f0 * t + (f1 - f0) / t1**2 * rest / 3
            if vertex_zero
            else f1 * t - (f1 - f0) / t1**2 * rest / 3
        )
    elif kind == "logarithmic":
        turns = f0 * t * exprel(np.log(f1 / f0) * (t / t1))
    else:
        u = t * (f1 - f0) / (f1 * t1)  # the frequency is infinite at u = 1
        before = u < 1
        behind = np.log(abs(1 - np.where(before, 2, u))) / np.where(before, 2, u)
        turns = f0 * t * np.where(before, 1 / exprel(np.log1p(-np.where(before, u, 0))), -behind)
    phase = 2 * np.pi * turns + phi * (np.pi / 180)
    return np.exp(1j * phase) if complex else np.cos(phase)


_COURSES = {
    "linear": ("linear", "lin", "li"), "quadratic": ("quadratic", "quad", "q"),
    "logarithmic": ("logarithmic", "log", "lo"), "hyperbolic": ("hyperbolic", "hyp"),
}  # fmt: skip


@scipy_composition()
def gausspulse(
    t: ArrayLike | Literal["cutoff"],
    fc: float = 1000,
    bw: float = 0.5,
    bwr: float = -6,
    tpr: float = -60,
    retquad: bool = False,
    retenv: bool = False,
) -> Array:
    """Return a cosine with a Gaussian envelope.

    Parameters
    ----------
    t : array_like or "cutoff"
        Times; "cutoff" for the time after which the envelope stays below `tpr`.
    fc : float, optional
        Center frequency.
    bw : float, optional
        Bandwidth over the center frequency.
    bwr, tpr : float, optional
        Levels in dB that the bandwidth and the cutoff are measured at.
    retquad, retenv : bool, optional
        Whether to return the quadrature and the envelope too.

    Returns
    -------
    yI : ndarray
        Signal, or the cutoff.
    yQ : ndarray
        Quadrature, only with `retquad`.
    yenv : ndarray
        Envelope, only with `retenv`.

    Raises
    ------
    ValueError
        If `t` is another string, or a frequency, bandwidth or level has the wrong sign.

    Notes
    -----
    This is `scipy.signal.gausspulse`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda bw: signal.gausspulse(0.1, 1.0, bw))(0.5).round(6))
    -0.028641
    """
    cutoff = isinstance(t, str)
    refuse_if(cutoff and t != "cutoff", "If `t` is a string, it must be 'cutoff'")
    fc, bw, bwr, tpr, *times = floating(fc, bw, bwr, tpr, *([] if cutoff else [t]))
    refuse_if(
        (fc < 0) | (bw <= 0) | (bwr >= 0) | (cutoff & (tpr >= 0)),
        "fc must be >= 0, bw > 0, bwr < 0 dB and tpr < 0 dB",
    )
    decay = -((np.pi * fc * bw) ** 2) / (4 * np.log(10.0) * bwr / 20)
    if cutoff:
        return np.sqrt(-np.log(10.0) * tpr / 20 / decay)
    t = times[0]
    envelope, angle = np.exp(-decay * t * t), 2 * np.pi * fc * t
    out = [
        envelope * np.cos(angle),
        *([envelope * np.sin(angle)] if retquad else []),
        *([envelope] if retenv else []),
    ]
    found: Any = tuple(out) if len(out) > 1 else out[0]
    return found


@scipy_composition()
def sawtooth(t: ArrayLike, width: ArrayLike = 1) -> Array:
    """Return a sawtooth or triangle wave of period 2 pi.

    It rises from -1 to 1 in the part `width` of the period, and falls in the rest.

    Parameters
    ----------
    t : array_like
        Times.
    width : array_like, optional
        Part of the period in which the wave rises.

    Returns
    -------
    ndarray
        Wave; NaN where `width` is not between 0 and 1.

    Notes
    -----
    At its jumps and corners the derivative is one of the two slopes beside.

    This is `scipy.signal.sawtooth`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda t: signal.sawtooth(t, 0.5))(1.0).round(6))
    0.63662
    """
    t, width = floating(t, width)
    phase = t - 2 * np.pi * np.floor(t / (2 * np.pi))
    rising = phase < 2 * np.pi * width
    up, down = np.where(rising, width, 1), np.where(rising, 0, width)
    slope = np.where(
        rising, phase / (np.pi * up) - 1, (np.pi * (down + 1) - phase) / (np.pi * (1 - down))
    )
    return np.where((width >= 0) & (width <= 1), slope, np.nan)


@scipy_composition()
def square(t: ArrayLike, duty: ArrayLike = 0.5) -> Array:
    """Return a square wave of period 2 pi.

    It is 1 in the part `duty` of the period, and -1 in the rest.

    Parameters
    ----------
    t : array_like
        Times.
    duty : array_like, optional
        Part of the period in which the wave is 1.

    Returns
    -------
    ndarray
        Wave; NaN where `duty` is not between 0 and 1.

    Notes
    -----
    The derivative is 0 wherever it exists.

    This is `scipy.signal.square`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda t: signal.square(t))(1.0))
    0.0
    """
    t, duty = floating(t, duty)
    phase = t - 2 * np.pi * np.floor(t / (2 * np.pi))
    return np.where(
        (duty >= 0) & (duty <= 1), np.where(phase < 2 * np.pi * duty, 1.0, -1.0), np.nan
    ) + 0 * (t + duty)


@scipy_composition()
def sweep_poly(t: ArrayLike, poly: Any, phi: float = 0) -> Array:
    """Return a cosine whose frequency is a polynomial of time.

    Parameters
    ----------
    t : array_like
        Times.
    poly : (k,) array_like or poly1d
        Coefficients of the frequency, highest power first.
    phi : float, optional
        Phase at time 0 in degrees.

    Returns
    -------
    ndarray
        Signal at the times `t`.

    Notes
    -----
    This is `scipy.signal.sweep_poly`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda poly: signal.sweep_poly(0.5, poly))(np.array([1.0, 2.0])).round(6))
    [-0.55536  -2.221441]
    """
    t, poly, phi = floating(t, poly, phi)
    return np.cos(2 * np.pi * np.polyval(np.polyint(poly), t) + phi * (np.pi / 180))


__all__ = ["chirp", "gausspulse", "sawtooth", "square", "sweep_poly"]
