"""Changes of the sampling rate, by Fourier transforms and by filters between zeros."""

from collections.abc import Callable
from math import gcd
from typing import Any, Literal

import scigrad.numpy as np
from scigrad.autodiff_rules import kernel
from scigrad.fft import fft, ifft
from scigrad.numpy.devices import constant_beside, place_beside
from scigrad.typing import Array, ArrayLike, System, Value

from .design.window_method import firwin
from .filters.filtering import lfilter, sosfilt
from .filters.finite_response import fir
from .filters.zero_phase import filtfilt, sosfiltfilt
from .foundation.composition import (
    back,
    floating,
    is_long,
    last,
    pad_ends,
    refuse_if,
    scipy_composition,
    signals,
)
from .foundation.window_shapes import window_beside


# SciPy divides by zero to reflect one sample or none, which ends the process
@scipy_composition(own=lambda h, x, *_, **__: min(np.shape(x), default=0) < 2)
def upfirdn(
    h: ArrayLike,
    x: ArrayLike,
    up: int = 1,
    down: int = 1,
    axis: int = -1,
    mode: str = "constant",
    cval: float = 0,
) -> Array:
    """Insert zeros, filter, and keep every `down`-th sample.

    Parameters
    ----------
    h : (k,) array_like
        Taps.
    x : (..., n, ...) array_like
        Signals along `axis`.
    up, down : int
        Factors of the sampling rate.
    axis : int, optional
        Axis of time.
    mode : str, optional
        Continuation of the signal, as in SciPy.
    cval : float, optional
        Value of the continuation "constant".

    Returns
    -------
    (..., m, ...) ndarray
        Filtered signals.

    Raises
    ------
    ValueError
        If `h` is not a vector with elements, a factor is not positive or the mode is unknown.

    Notes
    -----
    This is `scipy.signal.upfirdn`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda h: signal.upfirdn(h, np.array([1.0, 2.0]), 2)[2])(np.array([1.0, 1.0, 1.0]))
    ... )
    [2. 0. 1.]
    """
    refuse_if(mode not in _MODES, f"mode must be one of {', '.join(_MODES)}, not {mode!r}")
    h, x = floating(h, x)
    refuse_if(h.ndim != 1 or h.shape[0] == 0, "h must be 1-D with non-zero length")
    refuse_if(up < 1 or down < 1, "Both up and down must be >= 1")
    refuse_if(
        x.shape[axis] == 0 and mode != "constant",
        f"upfirdn: x of shape {x.shape} has no samples that {mode=} could continue",
    )
    count = -(-((x.shape[axis] - 1) * up + h.shape[0]) // down)
    return back(_interpolated(h, last(x, axis), up, down, 0, count, mode, cval), axis)


_MODES = (
    "constant",
    "wrap",
    "edge",
    "smooth",
    "symmetric",
    "reflect",
    "antisymmetric",
    "antireflect",
    "line",
)


def _around(x: Any, length: int, mode: str, cval: Any) -> Any:
    """Return x with `length` more samples at both ends of the last axis."""
    n = x.shape[-1]
    if mode == "constant":
        return pad_ends(x - cval, length, length) + cval
    if mode in ("smooth", "line"):
        step = (x[..., -1:] - x[..., :1]) / max(n - 1, 1)
        before, after = (
            (step, step)
            if mode == "line" or n == 1
            else (x[..., 1:2] - x[..., :1], x[..., -1:] - x[..., -2:-1])
        )
        k = place_beside(np.arange(1, length + 1), x)
        return np.concatenate([x[..., :1] - before * k[::-1], x, x[..., -1:] + after * k], axis=-1)
    if mode == "antisymmetric":
        return pad_ends(x, length, length, "symmetric") * place_beside(
            (-1.0) ** (np.arange(-length, n + length) // n), x
        )
    return pad_ends(x, length, length, "odd" if mode == "antireflect" else mode)


def _interpolated(
    h: Any, x: Any, up: int, down: int, start: int, count: int, mode: str, cval: Any
) -> Any:
    """Return every `down`-th sample, from `start` on, of the convolution of h with x, `up` - 1
    zeros behind each sample.
    """
    if mode != "constant" or not (type(cval) in (int, float) and cval == 0):
        extra = -(-(h.shape[0] - 1) // up)
        x, start = _around(x, extra, mode, cval), start + extra * up
    first = -(-start // down)
    return fir(pad_ends(h, first * down - start, 0), x, first + count, up, down)[..., first:]


def anti_imaging(up: Any, down: Any, window: Any, x: Any) -> tuple[int, int, Any]:
    """Return the factors without common divisor, and the taps of the filter between them."""
    refuse_if(
        up != int(up) or down != int(down) or min(up, down) < 1,
        "up and down must be integers and must be >= 1",
    )
    up, down = int(up) // gcd(int(up), int(down)), int(down) // gcd(int(up), int(down))
    if not isinstance(window, (str, tuple)):
        refuse_if(np.ndim(window) != 1, "window must be 1-D")
        return up, down, floating(window)[0] * up
    rate = max(up, down)
    h = firwin(20 * rate + 1, 1 / rate, window=window) if rate > 1 else np.ones(1)
    # the taps of a traced window are on its device already
    return up, down, (constant_beside(h, x) if type(h) is np.ndarray else h) * up


_BACKGROUND = {"mean": np.mean, "median": np.median, "minimum": np.min, "maximum": np.max}


@scipy_composition(own=lambda x, *args, **kwargs: 1 in np.shape(x) or is_long(x, *args, **kwargs))
def resample_poly(
    x: ArrayLike,
    up: int,
    down: int,
    axis: int = 0,
    window: str | tuple[Any, ...] | ArrayLike = ("kaiser", 5.0),
    padtype: str = "constant",
    cval: float | None = None,
) -> Array:
    """Change the sampling rate by the factor ``up/down``, with a filter of zero phase.

    Parameters
    ----------
    x : (..., n, ...) array_like
        Signals along `axis`.
    up, down : int
        Factors of the sampling rate.
    axis : int, optional
        Axis of time.
    window : str, tuple or (k,) array_like, optional
        Window by which the filter is designed, or its taps.
    padtype : str, optional
        Continuation of the signal: a statistic ("mean", "median", "minimum", "maximum") or a mode
        of `upfirdn`.
    cval : float, optional
        Value of the continuation "constant".

    Returns
    -------
    (..., m, ...) ndarray
        Resampled signals.

    Raises
    ------
    ValueError
        If a factor is not a positive integer, `padtype` is unknown, or `cval` is given for another
        one than "constant".

    Notes
    -----
    This is `scipy.signal.resample_poly`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.resample_poly(x, 2, 1)[1])(np.array([1.0, 2.0])).round(6))
    [0.633401 0.633401]
    """
    refuse_if(
        padtype not in (*_MODES, *_BACKGROUND),
        f"padtype must be one of: {', '.join((*_BACKGROUND, *_MODES))}",
    )
    refuse_if(
        cval is not None and padtype != "constant",
        f"cval has no effect when padtype is {padtype!r}",
    )
    (x,) = floating(x)
    up, down, h = anti_imaging(up, down, window, x)
    if up == down == 1:
        return x * 1
    if padtype in _BACKGROUND:
        ground = _BACKGROUND[padtype](x, axis=axis, keepdims=True)
        return resample_poly(x - ground, up, down, axis, h / up) + ground
    half, count = (h.shape[0] - 1) // 2, -(-x.shape[axis] * up // down)
    return back(
        _interpolated(
            h, last(x, axis), up, down, half, count, padtype, 0 if cval is None else cval
        ),
        axis,
    )


@scipy_composition(
    own=lambda x, q, n=None, ftype="iir", *_, **__: type(ftype).__module__.startswith("scigrad.")
)
def decimate(
    x: ArrayLike,
    q: int,
    n: int | None = None,
    ftype: Literal["iir", "fir"] | System = "iir",
    axis: int = -1,
    zero_phase: bool = True,
) -> Array:
    """Filter a signal and keep every `q`-th sample.

    Parameters
    ----------
    x : (..., n, ...) array_like
        Signals along `axis`.
    q : int
        Factor by which the sampling rate falls.
    n : int, optional
        Order of the filter.
    ftype : {"iir", "fir"} or dlti, optional
        Filter: Chebyshev's of type I, a window, or a discrete system, differentiable in its
        coefficients.
    axis : int, optional
        Axis of time.
    zero_phase : bool, optional
        Whether to filter without delay.

    Returns
    -------
    (..., m, ...) ndarray
        Signals of the lower rate.

    Raises
    ------
    ValueError
        If `ftype` is unknown.

    Notes
    -----
    This is `scipy.signal.decimate`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.decimate(x, 2, 2, "fir")[1])(np.arange(4.0)).round(6))
    [0.       0.046221 0.907557 0.046221]
    """
    given: Any = ftype
    system, (x,) = given.to_tf() if hasattr(given, "to_tf") else None, signals(x)
    refuse_if(
        system is None and ftype not in ("iir", "fir"),
        f"invalid ftype: {ftype!r}; it must be 'iir', 'fir' or a dlti",
    )
    if system is not None and len(system.den) > 1:
        return back(
            last((filtfilt if zero_phase else lfilter)(system.num, system.den, x, axis), axis)[
                ..., ::q
            ],
            axis,
        )
    if ftype == "iir":
        sos = place_beside(
            kernel("signal.cheby1")(8 if n is None else n, 0.05, 0.8 / q, output="sos"), x
        )
        y = last(sosfiltfilt(sos, x, axis) if zero_phase else sosfilt(sos, x, axis), axis)
        return back(y[..., ::q], axis)
    h = (
        place_beside(firwin((20 * q if n is None else n) + 1, 1 / q), x)
        if system is None
        else system.num / system.den
    )
    if zero_phase:
        return resample_poly(x, 1, q, axis, h)
    return back(fir(h, last(x, axis), -(-x.shape[axis] // q), 1, q), axis)


@scipy_composition()
def resample(
    x: ArrayLike,
    num: int,
    t: ArrayLike | None = None,
    axis: int = 0,
    window: str | tuple[Any, ...] | Callable[..., Any] | ArrayLike | None = None,
    domain: str = "time",
) -> Array:
    """Change the number of samples of a periodic signal, by its Fourier coefficients.

    Parameters
    ----------
    x : (..., n, ...) array_like
        Signals along `axis`.
    num : int
        Number of samples of the result.
    t : array_like, optional
        Times of the samples, at equal distances.
    axis : int, optional
        Axis of time.
    window : str, tuple, callable or (n,) array_like, optional
        Weights of the Fourier coefficients. A window given by name is centered at frequency 0; an
        array or a callable follows the order of `fftfreq`.
    domain : {"time", "freq"}, optional
        Whether `x` is the signal or its Fourier transform.

    Returns
    -------
    x : (..., num, ...) ndarray
        Resampled signals.
    t : (num,) ndarray
        Their times, only if `t` was given.

    Raises
    ------
    ValueError
        If the domain is unknown.

    Notes
    -----
    This is `scipy.signal.resample`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.resample(x, 4)[1])(np.array([1.0, 2.0])).round(6))
    [0.5 0.5]
    """
    refuse_if(
        domain not in ("time", "freq"), f"Parameter domain={domain!r} not in ('time', 'freq')!"
    )
    (x,) = floating(x)
    values = last(x, axis)
    n, is_real = values.shape[-1], domain == "time" and x.dtype.kind == "f"
    spectrum = fft(values) if domain == "time" else values
    if window is not None:
        spectrum = spectrum * _window_weights(window, n, x)
    shared = min(n, num)
    low, high = spectrum[..., : (shared + 1) // 2], spectrum[..., n - (shared - 1) // 2 :]
    gap = np.zeros_like(low, shape=(*low.shape[:-1], num - shared))
    # the highest shared frequency is two: both of them, or half of each
    if shared % 2 == 0 and n != num:
        middle = spectrum[..., shared // 2 : shared // 2 + 1]
        if num < n:
            parts = [low, middle + spectrum[..., n - shared // 2 : n - shared // 2 + 1], high]
        else:
            parts = [low, middle / 2, gap[..., 1:], middle / 2, high]
    else:
        parts = (
            [low, spectrum[..., shared // 2 : shared // 2 + 1], high]
            if shared % 2 == 0
            else [low, gap, high]
        )
    y = ifft(np.concatenate(parts, axis=-1)) * (num / n)
    y = back(np.real(y) if is_real else y, axis)
    if t is None:
        return y
    (times,) = floating(t)
    spacing = (times[1] - times[0]) * (n / num)
    out: Value = y, times[0] + spacing * place_beside(np.arange(num), times)
    return out


def _window_weights(window: Any, n: int, x: Any) -> Any:
    if callable(window):
        return place_beside(window(np.fft.fftfreq(n)), x)
    if isinstance(window, tuple) or not np.ndim(window):
        return np.fft.fftshift(window_beside(window, n, x))
    (weights,) = floating(window)
    refuse_if(
        weights.shape != (n,),
        f"window.shape={weights.shape} != ({n},), the length is not the number of frequency bins!",
    )
    return weights


__all__ = ["decimate", "resample", "resample_poly", "upfirdn"]
