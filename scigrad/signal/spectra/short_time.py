"""The short-time Fourier transform and its inverse."""

import warnings
from collections.abc import Callable
from typing import Any, Literal

import scigrad.numpy as np
from scigrad.autodiff_rules import namespace_of
from scigrad.fft import ifft, irfft
from scigrad.numpy.devices import place_beside, upload
from scigrad.typing import Array, ArrayLike

from ..foundation.composition import anywhere, floating, is_long, last, refuse_if, scipy_composition
from ..foundation.window_shapes import window_beside
from .segments import overlap, overlap_add, place_axes, spectra


@scipy_composition(own=is_long)
def stft(
    x: ArrayLike,
    fs: float = 1.0,
    window: str | tuple[Any, ...] | ArrayLike = "hann_periodic",
    nperseg: int = 256,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Literal["constant", "linear"] | Callable[..., Any] | Literal[False] = False,
    return_onesided: bool = True,
    boundary: str = "zeros",
    padded: bool = True,
    axis: int = -1,
    scaling: str = "spectrum",
) -> tuple[Array, Array, Array]:
    """Compute the short-time Fourier transform.

    Parameters
    ----------
    x : (..., n, ...) array_like
        Signals along `axis`.
    fs : float, optional
        Sampling frequency.
    window : str, float, tuple or (nperseg,) array_like, optional
        Window, as in `get_window`, or its samples.
    nperseg : int, optional
        Length of a segment, by default 256 or that of the window.
    noverlap : int, optional
        Samples that neighboring segments share, by default half of a segment.
    nfft : int, optional
        Length of the transforms, by default that of a segment.
    detrend : {"constant", "linear"}, callable or False, optional
        Trend to subtract from each segment.
    return_onesided : bool, optional
        Whether to return nonnegative frequencies only, for real signals.
    boundary : str, optional
        Continuation of the signal at its ends, as in SciPy.
    padded : bool, optional
        Whether to append zeros up to a whole number of segments.
    axis : int, optional
        Axis of time.
    scaling : str, optional
        Whether values are densities in frequency or powers of lines, as in SciPy.

    Returns
    -------
    f : ndarray
        Frequencies.
    t : ndarray
        Times of the middles of the segments.
    Zxx : ndarray
        Spectra, with segments on the last axis.

    Raises
    ------
    ValueError
        If the segments, the scaling or the boundary are invalid.

    Notes
    -----
    This is `scipy.signal.stft`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> x = np.array([1.0, 2.0, -1.0, 0.5])
    >>> print(grad(lambda x: np.sum(abs(signal.stft(x, nperseg=4)[2]) ** 2))(x).round(6))
    [ 1.5     1.5625 -1.5     0.625 ]
    """
    refuse_if(
        scaling not in ("spectrum", "psd"),
        f"Parameter scaling={scaling!r} not in ['spectrum', 'psd']!",
    )
    refuse_if(
        boundary not in ("even", "odd", "constant", "zeros", None),
        f"Unknown boundary option '{boundary}'",
    )
    (x,) = floating(x)
    if not x.size:
        return np.real(x), np.real(x), np.real(x)
    kind = "density" if scaling == "psd" else "spectrum"
    given = fs, window, nperseg, noverlap, nfft, detrend, return_onesided, kind, boundary, padded
    f, t, (values,), _, _ = spectra([last(x, axis)], *given)
    return f, t, place_axes(values, axis)


@scipy_composition(own=is_long)
def istft(
    Zxx: ArrayLike,
    fs: float = 1.0,
    window: str | tuple[Any, ...] | ArrayLike = "hann_periodic",
    nperseg: Any = None,
    noverlap: Any = None,
    nfft: int | None = None,
    input_onesided: bool = True,
    boundary: bool = True,
    time_axis: int = -1,
    freq_axis: int = -2,
    scaling: str = "spectrum",
) -> tuple[Array, Array]:
    """Invert the short-time Fourier transform, by overlapping segments in least squares.

    Parameters
    ----------
    Zxx : (..., n_frequencies, n_segments) array_like
        Short-time Fourier transform.
    fs : float, optional
        Sampling frequency.
    window : str, float, tuple or (nperseg,) array_like, optional
        Window, as in `get_window`, or its samples.
    nperseg : int, optional
        Length of a segment, by default 256 or that of the window.
    noverlap : int, optional
        Samples that neighboring segments share, by default half of a segment.
    nfft : int, optional
        Length of the transforms, by default that of a segment.
    input_onesided : bool, optional
        Whether there are nonnegative frequencies only.
    boundary : bool, optional
        Whether the signal was continued at its ends.
    time_axis, freq_axis : int, optional
        Axes of the segments and of the frequencies.
    scaling : str, optional
        Whether values are densities in frequency or powers of lines, as in SciPy.

    Returns
    -------
    t : ndarray
        Times.
    x : ndarray
        Signal.

    Raises
    ------
    ValueError
        If the segments or the scaling are invalid.

    Warns
    -----
    UserWarning
        If squares of windows sum to 0 somewhere, unless the window is an array on a device: that
        would wait for it.

    Notes
    -----
    This is `scipy.signal.istft`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> z = np.ones((3, 3), complex)
    >>> print(grad(lambda z: signal.istft(z)[1][1])(z).round(6))
    [[ 0.5+0.j  0.5+0.j  0. +0.j]
     [ 0. +1.j  0. -1.j  0. +0.j]
     [-0.5+0.j -0.5+0.j  0. +0.j]]
    """
    (z,) = floating(Zxx)
    refuse_if(z.ndim < 2, "Input stft must be at least 2d!")
    refuse_if(
        freq_axis % z.ndim == time_axis % z.ndim, "Must specify differing time and frequency axes!"
    )
    refuse_if(
        scaling not in ("spectrum", "psd"),
        f"Parameter scaling={scaling!r} not in ['spectrum', 'psd']!",
    )
    z = np.moveaxis(z, (time_axis, freq_axis), (-2, -1))
    default = 2 * (z.shape[-1] - 1) if input_onesided else z.shape[-1]
    nperseg = default if nperseg is None else int(nperseg)
    if nfft is None:
        nfft = nperseg if input_onesided and nperseg == default + 1 else default
    step, nfft = overlap(nperseg, noverlap, nfft)
    # on the host, where its sums are tested: z may be on a device
    win = _window_of_segments(window, nperseg, z.dtype)
    pieces = (irfft if input_onesided else ifft)(z, nfft)[..., :nperseg]
    gain = np.sum(win) if scaling == "spectrum" else np.sqrt(fs * np.sum(win * win))
    count = z.shape[-2]
    x = overlap_add(pieces * upload(win, z), step)
    parts = -(-nperseg // step)
    ends = overlap_add((win * win) * place_beside(np.ones((min(count, 2 * parts), 1)), win), step)
    cut = nperseg // 2 if boundary else 0
    if namespace_of(ends) is namespace_of() and anywhere(
        ~(ends[cut : ends.shape[0] - cut] > 1e-10)
    ):
        warnings.warn("NOLA condition failed, STFT may not be invertible.", stacklevel=3)
    ends = gain / np.where(ends > 1e-10, ends, 1.0)
    # then a period, segments on both sides of it
    first, between = ends[: parts * step], ends[parts * step : (parts + 1) * step]
    x = x * upload(
        np.concatenate([first, np.tile(between, max(count - 2 * parts, 0)), ends[parts * step :]]),
        x,
    )
    x = x[..., cut : x.shape[-1] - cut]
    place = [time_axis % z.ndim, freq_axis % z.ndim]
    x = np.moveaxis(x, -1, place[0] - (place[1] < place[0]))
    # SciPy counts along the first axis, which is time for one signal alone
    return place_beside(np.arange(x.shape[0]), x) / fs, x


def _window_of_segments(window: Any, nperseg: int, dtype: Any) -> Any:
    if isinstance(window, (str, tuple)):
        return window_beside(window, nperseg, np.empty(0, dtype))
    (win,) = floating(window)
    refuse_if(win.ndim != 1, f"window must be 1-D, not of shape {win.shape}")
    refuse_if(
        win.shape != (nperseg,),
        f"window must have length of {nperseg}, not the shape {win.shape}",
    )
    return win


__all__ = ["istft", "stft"]
