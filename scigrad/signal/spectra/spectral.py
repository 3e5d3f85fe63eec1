"""Estimates of power and cross spectra: periodograms, averages over segments, coherence,
spectrograms.
"""

from collections.abc import Callable
from typing import Any, Literal

import scigrad.numpy as np
from scigrad.typing import Array, ArrayLike

from ..foundation.composition import floating, last, refuse_if, scipy_composition
from .segments import place_axes, spectra, two_sided_weights, window_samples


def _one_sided_power(out: list[Any], onesided: bool, nfft: int) -> Any:
    """Return powers; one-sided ones with those of the negative frequencies, which 0 and the highest
    one of even nfft lack.
    """
    first, second = out[0], out[-1]
    power = np.real(first) ** 2 + np.imag(first) ** 2 if len(out) == 1 else np.conj(first) * second
    return power * two_sided_weights(power, nfft, 2.0) if onesided else power


_MODES = ["psd", "complex", "magnitude", "angle", "phase"]


def _averaged(power: Any, average: str) -> Any:
    """Return the average of (..., segment, frequency) over segments."""
    if average == "mean":
        return np.mean(power, axis=-2)
    refuse_if(average != "median", f'average must be "median" or "mean", got {average}')
    even = 2 * np.arange(1, (power.shape[-2] - 1) // 2 + 1)
    # the bias of the median of exponentially distributed numbers
    bias = 1 + np.sum(1 / (even + 1) - 1 / even)
    if power.dtype.kind == "c":
        return (np.median(np.real(power), axis=-2) + 1j * np.median(np.imag(power), axis=-2)) / bias
    return np.median(power, axis=-2) / bias


@scipy_composition(own=True)
def csd(
    x: ArrayLike,
    y: ArrayLike,
    fs: float = 1.0,
    window: str | tuple[Any, ...] | ArrayLike = "hann_periodic",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Literal["constant", "linear"] | Callable[..., Any] | Literal[False] = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[Array, Array]:
    """Estimate the cross power spectral density by Welch's method.

    Parameters
    ----------
    x, y : (..., n, ...) array_like
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
    scaling : str, optional
        Whether values are densities in frequency or powers of lines, as in SciPy.
    axis : int, optional
        Axis of time.
    average : {"mean", "median"}, optional
        Average over segments.

    Returns
    -------
    f : ndarray
        Frequencies.
    Pxy : ndarray
        Cross spectrum, real if `y` is `x`.

    Raises
    ------
    ValueError
        If the segments, the scaling or the average are invalid.

    Notes
    -----
    This is `scipy.signal.csd`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> x = np.array([1.0, 2.0, -1.0, 0.5])
    >>> print(grad(lambda y: signal.csd(x, y, nperseg=4)[1].real[1])(x).round(6))
    [ 0.541667  1.041667 -1.625     0.041667]
    """
    alone = y is x
    x, y = floating(x, y)
    xs = [last(v, axis) for v in ([x] if alone else [x, y])]
    if not (x.size and y.size):
        shared = sum(v[..., : min(w.shape[-1] for w in xs)] for v in xs)
        empty = np.moveaxis(np.real(shared), -1, axis)
        return empty, empty
    f, _, out, onesided, nfft = spectra(
        xs, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling
    )
    return f, np.moveaxis(_averaged(_one_sided_power(out, onesided, nfft), average), -1, axis)


@scipy_composition(own=True)
def welch(
    x: ArrayLike,
    fs: float = 1.0,
    window: str | tuple[Any, ...] | ArrayLike = "hann_periodic",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Literal["constant", "linear"] | Callable[..., Any] | Literal[False] = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    average: str = "mean",
) -> tuple[Array, Array]:
    """Estimate the power spectral density by Welch's method, an average over segments.

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
    scaling : str, optional
        Whether values are densities in frequency or powers of lines, as in SciPy.
    axis : int, optional
        Axis of time.
    average : {"mean", "median"}, optional
        Average over segments.

    Returns
    -------
    f : ndarray
        Frequencies.
    Pxx : ndarray
        Power spectrum.

    Raises
    ------
    ValueError
        If the segments, the scaling or the average are invalid.

    Notes
    -----
    This is `scipy.signal.welch`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> x = np.array([1.0, 2.0, -1.0, 0.5])
    >>> print(grad(lambda x: signal.welch(x, nperseg=4)[1][1])(x).round(6))
    [ 1.083333  2.083333 -3.25      0.083333]
    """
    return csd(
        x, x, fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling, axis, average
    )


@scipy_composition()
def periodogram(
    x: ArrayLike,
    fs: float = 1.0,
    window: str | tuple[Any, ...] | ArrayLike = "boxcar",
    nfft: int | None = None,
    detrend: Literal["constant", "linear"] | Callable[..., Any] | Literal[False] = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
) -> tuple[Array, Array]:
    """Estimate the power spectral density of a whole signal.

    Parameters
    ----------
    x : (..., n, ...) array_like
        Signals along `axis`.
    fs : float, optional
        Sampling frequency.
    window : str, float, tuple or (nperseg,) array_like, optional
        Window, as in `get_window`, or its samples.
    nfft : int, optional
        Length of the transforms, by default that of a segment.
    detrend : {"constant", "linear"}, callable or False, optional
        Trend to subtract from each segment.
    return_onesided : bool, optional
        Whether to return nonnegative frequencies only, for real signals.
    scaling : str, optional
        Whether values are densities in frequency or powers of lines, as in SciPy.
    axis : int, optional
        Axis of time.

    Returns
    -------
    f : ndarray
        Frequencies.
    Pxx : ndarray
        Power spectrum.

    Raises
    ------
    ValueError
        If the window has another length than the signal, or the scaling is unknown.

    Notes
    -----
    This is `scipy.signal.periodogram`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> x = np.array([1.0, 2.0, -1.0, 0.5])
    >>> print(grad(lambda x: signal.periodogram(x)[1][1])(x).round(6))
    [ 2.   1.5 -2.  -1.5]
    """
    (x,) = floating(x)
    if not x.size:
        return 0 * np.real(x), 0 * np.real(x)
    x = last(x, axis)[..., :nfft]
    window = "boxcar" if window is None else window
    refuse_if(
        not isinstance(window, (str, tuple)) and np.shape(window) != x.shape[-1:],
        "the size of the window must be the same size of the input on the specified axis, "
        f"{x.shape[-1]}",
    )
    f, _, out, onesided, nfft = spectra(
        [x], fs, window, x.shape[-1], 0, nfft, detrend, return_onesided, scaling
    )
    return f, np.moveaxis(_one_sided_power(out, onesided, nfft)[..., 0, :], -1, axis)


@scipy_composition(own=True)
def coherence(
    x: ArrayLike,
    y: ArrayLike,
    fs: float = 1.0,
    window: str | tuple[Any, ...] | ArrayLike = "hann_periodic",
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Literal["constant", "linear"] | Callable[..., Any] | Literal[False] = "constant",
    axis: int = -1,
) -> tuple[Array, Array]:
    """Estimate the squared coherence of two signals by Welch's method.

    ``|Pxy|^2 / (Pxx Pyy)``, between 0 and 1.

    Parameters
    ----------
    x, y : (..., n, ...) array_like
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
    axis : int, optional
        Axis of time.

    Returns
    -------
    f : ndarray
        Frequencies.
    Cxy : ndarray
        Squared coherence.

    Raises
    ------
    ValueError
        If the segments are invalid.

    Notes
    -----
    This is `scipy.signal.coherence`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> x, y = np.array([1.0, 2.0, -1.0, 0.5, 3.0]), np.array([2.0, 0.0, 1.0, 1.5, -1.0])
    >>> print(grad(lambda x: signal.coherence(x, y, nperseg=2)[1][1])(x).round(6))
    [-0.141392  0.07203   0.20275  -0.240099  0.106711]
    """
    xs = [last(x, axis) for x in floating(x, y)]
    options = fs, window, nperseg, noverlap, nfft, detrend, True, "density"
    f, _, out, _, _ = spectra(xs, *options)
    # The cross spectrum is that of the shorter signal with zeros appended, its power that of the
    # signal without them.
    alone = (
        out if xs[0].shape[-1] == xs[1].shape[-1] else [spectra([x], *options)[2][0] for x in xs]
    )
    own = [np.mean(np.real(v) ** 2 + np.imag(v) ** 2, axis=-2) for v in alone]
    cross = np.mean(np.conj(out[0]) * out[1], axis=-2)
    return f, np.moveaxis((np.real(cross) ** 2 + np.imag(cross) ** 2) / own[0] / own[1], -1, axis)


@scipy_composition()
def spectrogram(
    x: ArrayLike,
    fs: float = 1.0,
    window: str | tuple[Any, ...] | ArrayLike = ("tukey_periodic", 0.25),
    nperseg: int | None = None,
    noverlap: int | None = None,
    nfft: int | None = None,
    detrend: Literal["constant", "linear"] | Callable[..., Any] | Literal[False] = "constant",
    return_onesided: bool = True,
    scaling: str = "density",
    axis: int = -1,
    mode: str = "psd",
) -> tuple[Array, Array, Array]:
    """Return the spectra of consecutive segments.

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
    scaling : str, optional
        Whether values are densities in frequency or powers of lines, as in SciPy.
    axis : int, optional
        Axis of time.
    mode : {"psd", "complex", "magnitude", "angle", "phase"}, optional
        Power, or the complex spectrum, its magnitude, its angle, or its angle without jumps.

    Returns
    -------
    f : ndarray
        Frequencies.
    t : ndarray
        Times of the middles of the segments.
    Sxx : ndarray
        Spectra, with segments on the last axis.

    Raises
    ------
    ValueError
        If the segments, the scaling or the mode are invalid.

    Notes
    -----
    This is `scipy.signal.spectrogram`, differentiable in all float arguments, to any order.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> x = np.array([1.0, 2.0, -1.0, 0.5])
    >>> print(grad(lambda x: signal.spectrogram(x, nperseg=4)[2][1, 0])(x).round(6))
    [ 0.541667  2.541667 -1.625    -1.458333]
    """
    refuse_if(mode not in _MODES, f"unknown value for mode {mode}, must be one of {_MODES}")
    (x,) = floating(x)
    if noverlap is None:
        size = window_samples(window, nperseg, x.shape[axis], x)[1]
        noverlap, nperseg = size // 8, size
    given = fs, window, nperseg, noverlap, nfft, detrend, return_onesided, scaling
    f, t, out, onesided, nfft = spectra([last(x, axis)], *given)
    if mode == "psd":
        return f, t, place_axes(_one_sided_power(out, onesided, nfft), axis)
    values = place_axes(out[0], axis)
    if mode in ("complex", "magnitude"):
        return f, t, values if mode == "complex" else abs(values)
    angle = np.angle(values)
    return f, t, np.unwrap(angle, axis=axis - 1 if axis < 0 else axis) if mode == "phase" else angle


__all__ = ["coherence", "csd", "periodogram", "spectrogram", "welch"]
