"""Segments of signals and their spectra, on which all estimates of spectra are built."""

import warnings
from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules import linear
from scigrad.fft import fft, rfft
from scigrad.numpy.devices import constant_beside, windows_of

from ..foundation.composition import floating, pad_ends, refuse_if
from ..foundation.window_shapes import window_beside
from .detrending import detrend as subtract_trend


def window_samples(window: Any, nperseg: Any, length: int, like: Any) -> tuple[Any, int]:
    """Return the samples of a window and their number, not more than there are samples in the
    signal.
    """
    if isinstance(window, (str, tuple)):
        nperseg = 256 if nperseg is None else int(nperseg)
        if nperseg > length:
            warnings.warn(
                f"{nperseg = } is greater than the length of the signal, {length}, which is used "
                "instead",
                stacklevel=4,
            )
            nperseg = length
        return window_beside(window, nperseg, like), nperseg
    (window,) = floating(window)
    refuse_if(
        window.ndim != 1 or window.shape[0] > length,
        f"window must be 1-D and not longer than the signal: {window.shape}",
    )
    refuse_if(
        nperseg not in (None, window.shape[0]),
        f"value specified for nperseg is different from length of window: {nperseg}",
    )
    return window, window.shape[0]


# The two are adjoint to each other: segments of a signal, and the sum of segments where they
# overlap.


@linear("x", core={"x": 1})
def every(x: Any, nperseg: int, step: int) -> Any:
    """Return the segments of the last axis on a new axis before it, of plain arrays a view."""
    return windows_of(x, nperseg)[..., ::step, :]


@every.adjoint
def _(call: Any, g: Any) -> Any:
    x = overlap_add(g, call.step)
    return pad_ends(x, 0, call.x.shape[-1] - x.shape[-1])


@linear("pieces", core={"pieces": 2})
def overlap_add(pieces: Any, step: int) -> Any:
    """Return the sum of segments (..., segment, sample), each `step` behind the one before."""
    count, size = pieces.shape[-2:]
    parts = -(-size // step)
    total = np.zeros_like(pieces, shape=(*pieces.shape[:-2], count + parts - 1, step))
    for i in range(parts):
        part = pieces[..., i * step : (i + 1) * step]
        total[..., i : i + count, : part.shape[-1]] += part
    return total.reshape(*total.shape[:-2], (count + parts - 1) * step)[
        ..., : (count - 1) * step + size
    ]


@overlap_add.adjoint
def _(call: Any, g: Any) -> Any:
    return every(g, call.pieces.shape[-1], call.step)


def overlap(nperseg: int, noverlap: Any, nfft: Any) -> tuple[int, int]:
    """Return the step between segments and the length of the transforms."""
    refuse_if(
        nperseg < 1, f"Parameter {nperseg=} is not possible: nperseg must be a positive integer"
    )
    noverlap, nfft = (
        nperseg // 2 if noverlap is None else int(noverlap),
        nperseg if nfft is None else int(nfft),
    )
    refuse_if(nfft < nperseg, "nfft must be greater than or equal to nperseg.")
    refuse_if(noverlap >= nperseg, "noverlap must be less than nperseg.")
    return nperseg - noverlap, nfft


def spectra(xs: list[Any], fs: Any, window: Any, nperseg: Any, noverlap: Any, nfft: Any,
    detrend: Any, return_onesided: bool,
             scaling: str, boundary: Any = None, whole: bool = False) -> Any:  # fmt: skip
    """Return the frequencies, the middles of the segments and, for each signal, its spectra (...,
    segment, frequency).
    """
    length = max(x.shape[-1] for x in xs)
    if any(
        m != n and 1 not in (m, n)
        for m, n in zip(xs[0].shape[-2::-1], xs[-1].shape[-2::-1], strict=False)
    ):
        raise ValueError("x and y cannot be broadcast together.")
    xs = [pad_ends(x, 0, length - x.shape[-1]) if x.shape[-1] < length else x for x in xs]
    refuse_if(
        nperseg is not None and nperseg < 1,
        f"Parameter {nperseg=} is not possible: nperseg must be a positive integer",
    )
    win, nperseg = window_samples(window, nperseg, length, xs[0])
    step, nfft = overlap(nperseg, noverlap, nfft)
    if boundary is not None:
        xs = [pad_ends(x, nperseg // 2, nperseg // 2, boundary) for x in xs]
    if whole:
        missing = (-(xs[0].shape[-1] - nperseg) % step) % nperseg
        xs = [pad_ends(x, 0, missing) for x in xs]
    is_complex = any(x.dtype.kind == "c" for x in xs)
    if return_onesided and is_complex:
        warnings.warn("Input data is complex, switching to return_onesided=False", stacklevel=3)
    onesided = return_onesided and not is_complex
    scaled = win * np.sqrt(_spectrum_scale(win, fs, scaling))
    out = [
        (rfft if onesided else fft)(_trendless(every(x, nperseg, step), detrend) * scaled, nfft)
        for x in xs
    ]
    frequencies = (
        constant_beside((np.fft.rfftfreq if onesided else np.fft.fftfreq)(nfft), xs[0]) * fs
    )
    start = 0 if boundary is not None else nperseg / 2
    times = constant_beside(start + np.arange(out[0].shape[-2]) * step, xs[0]) / fs
    return frequencies, times, out, onesided, nfft


def _spectrum_scale(win: Any, fs: Any, scaling: str) -> Any:
    refuse_if(scaling not in ("density", "spectrum"), f"Unknown scaling: {scaling!r}")
    return 1 / (fs * np.sum(win * win)) if scaling == "density" else 1 / np.sum(win) ** 2


def two_sided_weights(x: Any, nfft: int, weight: float) -> Any:
    """Return the weights of nonnegative frequencies that stand for the negative ones too: 1 where
    there are none.
    """
    weights = np.full(x.shape[-1], weight)
    weights[[0, -1 if nfft % 2 == 0 else 0]] = 1
    return constant_beside(weights, x)


def _trendless(segments: Any, detrend: Any) -> Any:
    if not detrend:
        return segments
    return detrend(segments) if callable(detrend) else subtract_trend(segments, type=detrend)


def place_axes(spectra: Any, axis: int) -> Any:
    """Return (..., segment, frequency) with frequencies where the samples were and segments
    last.
    """
    return np.moveaxis(np.swapaxes(spectra, -1, -2), -2, axis - 1 if axis < 0 else axis)


__all__ = [
    "every",
    "two_sided_weights",
    "overlap",
    "overlap_add",
    "place_axes",
    "spectra",
    "window_samples",
]
