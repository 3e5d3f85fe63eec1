"""Radar and radio: channels of a receiver, compressed pulses, Doppler shifts, detection, beams;
finite filters.
"""

from collections.abc import Callable
from math import prod
from typing import Any, Literal

import scigrad.numpy as np
from scigrad.fft import fft, ifft
from scigrad.linalg import solve
from scigrad.numpy.call_stack import call_as_step
from scigrad.numpy.devices import place_beside
from scigrad.typing import Array, ArrayLike, Axes

from .convolution import convolve
from .filters.filtering import lfilter
from .filters.finite_response import fir
from .filters.zero_phase import filtfilt
from .foundation.composition import floating, own_function, refuse_if, vectors
from .foundation.window_shapes import window_beside


@own_function()
def firfilter(b: ArrayLike, x: ArrayLike, axis: int = -1, zi: ArrayLike | None = None) -> Array:
    """Filter a signal with a finite impulse response, as `lfilter`.

    Parameters
    ----------
    b : (k,) array_like
        Taps.
    x : (..., n, ...) array_like
        Signals along `axis`.
    axis : int, optional
        Axis of time.
    zi : (..., k - 1, ...) array_like, optional
        Initial state along `axis`; by default the filter is at rest.

    Returns
    -------
    y : (..., n, ...) ndarray
        Filtered signals.
    zf : ndarray
        Final state, only if `zi` was given.

    Notes
    -----
    This is `cupyx.signal.firfilter`, on NumPy arrays too, differentiable to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda b: signal.firfilter([b, 2.0], [1.0, 5.0])[1])(3.0))
    5.0
    """
    return lfilter(b, 1.0, x, axis, zi)


@own_function()
def firfilter2(
    b: ArrayLike,
    x: ArrayLike,
    axis: int = -1,
    padtype: Literal["odd", "even", "constant", None] = "odd",
    padlen: int | None = None,
    method: str = "pad",
    irlen: int | None = None,
) -> Array:
    """Filter a signal forward and backward with a finite impulse response, as `filtfilt`.

    Parameters
    ----------
    b : (k,) array_like
        Taps.
    x : (..., n, ...) array_like
        Signals along `axis`.
    axis : int, optional
        Axis of time.
    padtype : {"odd", "even", "constant", None}, optional
        Continuation of the signal at both ends.
    padlen : int, optional
        Length of the continuation, by default three times the number of taps.
    method : {"pad", "gust"}, optional
        Treatment of the ends, as in `filtfilt`.
    irlen : int, optional
        Length of the impulse response, for the method "gust".

    Returns
    -------
    (..., n, ...) ndarray
        Filtered signals.

    Notes
    -----
    This is `cupyx.signal.firfilter2`, on NumPy arrays too, differentiable to any order.

    Examples
    --------
    >>> from scigrad import grad, signal
    >>> print(grad(lambda b: signal.firfilter2([b, 2.0], [1.0, 5.0, 3.0], padlen=0)[1])(3.0))
    38.0
    """
    return filtfilt(b, 1.0, x, axis, padtype, padlen, method, irlen)


@own_function()
def freq_shift(x: ArrayLike, freq: float, fs: float) -> Array:
    """Shift the frequencies of a signal down by `freq`.

    Parameters
    ----------
    x : (..., n) array_like
        Signals.
    freq, fs : float
        Shift, and sampling frequency.

    Returns
    -------
    (..., n) ndarray
        Complex signals ``x exp(-2 pi i n freq / fs)``.

    Notes
    -----
    This is `cupyx.signal.freq_shift`, on NumPy arrays too, differentiable to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda f: signal.freq_shift(np.ones(3), f, 8.0)[1].real)(1.0).round(6))
    -0.55536
    """
    (x,) = floating(x)
    # in double precision: the phases of long signals are large
    turns = freq / fs * np.arange(x.shape[-1], like=x)
    return x * np.astype(np.exp(-2j * np.pi * turns), np.result_type(x.dtype, np.complex64))


@own_function()
def channelize_poly(x: ArrayLike, h: ArrayLike, n_chans: int) -> Array:
    """Divide a signal into channels of equal width and lower rate, by a polyphase filter.

    Parameters
    ----------
    x : (n,) array_like
        Signal.
    h : (m,) array_like
        Taps of the lowpass filter of a channel.
    n_chans : int
        Number of channels.

    Returns
    -------
    (n_chans, n // n_chans) ndarray
        Complex signals of the channels.

    Notes
    -----
    This is `cupyx.signal.channelize_poly`, on NumPy arrays too, differentiable to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda h: signal.channelize_poly(np.arange(4.0), h, 2)[0, 1].real)(np.ones(4)))
    [3. 2. 1. 0.]
    """
    x, h = vectors(x, h)
    phases, steps = (np.reshape(v[: len(v) // n_chans * n_chans], (-1, n_chans)).T for v in (h, x))
    return ifft(fir(phases, steps[::-1], steps.shape[-1]), axis=0) * n_chans


def _windowed(x: Any, window: Any) -> Any:
    if window is None:
        return x
    if callable(window):
        return x * place_beside(window(np.fft.fftfreq(x.shape[-1])), x)
    named = isinstance(window, (str, tuple)) or not np.ndim(window)
    return x * (
        window_beside(window, x.shape[-1], x, fftbins=False) if named else floating(window)[0]
    )


@own_function()
def pulse_compression(
    x: ArrayLike,
    template: ArrayLike,
    normalize: bool = False,
    window: str | tuple[Any, ...] | Callable[..., Any] | ArrayLike | None = None,
    nfft: int | None = None,
) -> Array:
    """Correlate received pulses with the transmitted one, periodically.

    Parameters
    ----------
    x : (num_pulses, n) array_like
        Received pulses.
    template : (m,) array_like
        Transmitted pulse.
    normalize : bool, optional
        Whether to divide the template by its norm.
    window : str, tuple, callable or array_like, optional
        Window of the template, or of the pulses; a function takes the frequencies of `fft`.
    nfft : int, optional
        Length of the transforms, by default that of the data.

    Returns
    -------
    (num_pulses, nfft) ndarray
        Compressed pulses.

    Notes
    -----
    This is `cupyx.signal.pulse_compression`, on NumPy arrays too, differentiable to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(
    ...     grad(lambda t: signal.pulse_compression(np.array([[1.0, 2.0, 4.0]]), t)[0, 1])(
    ...         np.ones(2)
    ...     ).round(6)
    ... )
    [2. 4.]
    """
    x, template = floating(x, template)
    nfft, template = x.shape[-1] if nfft is None else nfft, _windowed(template, window)
    template = template / np.linalg.norm(template) if normalize else template
    out = ifft(fft(x, nfft) * np.conj(fft(template, nfft)))
    return out if "c" in (x.dtype.kind, template.dtype.kind) else np.real(out)


@own_function()
def pulse_doppler(
    x: ArrayLike,
    window: str | tuple[Any, ...] | Callable[..., Any] | ArrayLike | None = None,
    nfft: int | None = None,
) -> Array:
    """Return the Fourier transform over pulses, whose frequencies are Doppler shifts.

    Parameters
    ----------
    x : (num_pulses, n) array_like
        Received pulses.
    window : str, tuple, callable or array_like, optional
        Window of the template, or of the pulses; a function takes the frequencies of `fft`.
    nfft : int, optional
        Length of the transforms, by default that of the data.

    Returns
    -------
    (nfft, n) ndarray
        Complex amplitudes over shift and range.

    Notes
    -----
    This is `cupyx.signal.pulse_doppler`, on NumPy arrays too, differentiable to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.pulse_doppler(x)[1, 0].real)(np.ones((2, 1))).T)
    [[ 1. -1.]]
    """
    (x,) = floating(x)
    return fft(_windowed(x.T, window), nfft).T


@own_function()
def ca_cfar(
    array: Array, guard_cells: Axes, reference_cells: Axes, pfa: float = 1e-3
) -> tuple[Array, Array]:
    """Return the threshold of detection above the mean around each cell, and the detections.

    Parameters
    ----------
    array : ndarray
        Powers.
    guard_cells, reference_cells : int or sequence of ints
        Numbers of cells along each axis, on either side: of those that are left out, and beyond
        them of those in the mean.
    pfa : float, optional
        Probability of a false alarm in exponentially distributed noise.

    Returns
    -------
    threshold : ndarray
        Threshold; 0 at the border, where cells are missing.
    detections : ndarray of bool
        Whether the power is larger, which is constant.

    Raises
    ------
    ValueError
        If the array is too small.

    Notes
    -----
    This is `cupyx.signal.ca_cfar`, on NumPy arrays too, differentiable to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda x: signal.ca_cfar(x, 1, 1, 0.25)[0][2])(np.ones(5)).round(6) + 0.0)
    [1. 0. 0. 0. 1.]
    """
    (x,) = floating(array)
    guard, reference = (
        np.broadcast_to(np.asarray(v), (x.ndim,)).tolist() for v in (guard_cells, reference_cells)
    )
    outer = [g + r for g, r in zip(guard, reference, strict=True)]
    refuse_if(
        any(n <= 2 * o for n, o in zip(x.shape, outer, strict=True)),
        "Array too small for given parameters",
    )
    ring = np.ones([2 * o + 1 for o in outer])
    ring[tuple(slice(r, -r or None) for r in reference)] = 0
    cells = prod(ring.shape) - prod(2 * g + 1 for g in guard)
    total = convolve(x, place_beside(ring, x), "valid", "direct") * (pfa ** (-1 / cells) - 1)
    threshold = np.pad(total, [(o, o) for o in outer])
    return threshold, x > threshold


@own_function()
def mvdr(x: ArrayLike, sv: ArrayLike, calc_cov: bool = True) -> Array:
    """Return the weights of the beam of least variance that passes a direction unchanged.

    This is Capon's method (1969).

    Parameters
    ----------
    x : (m, n) array_like
        Signals of m sensors, or their covariance matrix.
    sv : (m,) array_like
        Steering vector.
    calc_cov : bool, optional
        Whether `x` holds signals.

    Returns
    -------
    (m,) ndarray
        Weights.

    Raises
    ------
    ValueError
        If there are more sensors than samples, or the shapes do not fit.

    Notes
    -----
    This is `cupyx.signal.mvdr`, on NumPy arrays too, differentiable to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> print(grad(lambda c: signal.mvdr(c, np.ones(2), False)[0])(np.diag([1.0, 3.0])))
    [[-0.1875 -0.0625]
     [ 0.1875  0.0625]]
    """
    x, sv = floating(x, sv)
    refuse_if(
        x.shape[0] > x.shape[1] or x.shape[0] != sv.shape[0],
        "x must have as sv as many rows, and at least as many columns",
    )
    weights = call_as_step(solve, np.cov(x) if calc_cov else x, sv)
    return weights / (np.conj(sv) @ weights)


__all__ = [
    "ca_cfar", "channelize_poly", "firfilter", "firfilter2", "freq_shift", "mvdr",
    "pulse_compression", "pulse_doppler",
]  # fmt: skip
