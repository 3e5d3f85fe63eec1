"""Signals longer than memory: filters, spectra and resampling over an iterator of blocks, with the state carried along.

    for y in stream.lfilter(b, a, blocks):
        ...

Blocks are arrays with time on the last axis, of any lengths: slices of a `numpy.memmap`, blocks of a file (those that
`soundfile.blocks` reads have time first: transpose them). What is returned, joined, is what the function of that name in
`scigrad.signal` returns for the whole signal. All of it is differentiable. The filters take a Dask array too and return one,
whose tasks hand the state on; such an array has no derivative.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import chain
from typing import Any

import scigrad.numpy as np
from scigrad.fft.dask_arrays import is_dask
from scigrad.numpy.devices import beside

from .filters import filtering
from .foundation.composition import floating, refuse, vectors
from .resampling import anti_imaging, upfirdn
from .spectra import short_time, spectral


def _filtered(run: Any, lead: tuple[int, ...], order: int, coefficients: list[Any], blocks: Any, zi: Any) -> Any:
    """Return the outputs of a filter: of the blocks as they come, or a Dask array of those of a Dask array."""

    def at_rest(x: Any) -> Any:
        return np.zeros_like(x, np.result_type(*(v.dtype for v in (*coefficients, x))), shape=(*lead, *x.shape[:-1], order))

    def outputs(zi: Any) -> Iterator[Any]:
        for block in blocks:
            *_, x = floating(*coefficients, block)
            y, zi = run(*coefficients, x, -1, at_rest(x) if zi is None else zi)
            yield y

    return _chained(run, at_rest, coefficients, blocks, zi) if is_dask(blocks) else outputs(zi)


def _chained(run: Any, at_rest: Any, coefficients: list[Any], x: Any, zi: Any) -> Any:
    """Filter the blocks of a Dask array; each task hands the state to the next one."""
    dask, da = import_module("dask"), import_module("dask.array")
    x = x.rechunk(dict.fromkeys(range(x.ndim - 1), -1))
    zi, parts = at_rest(np.zeros((*x.shape[:-1], 0), x.dtype)) if zi is None else zi, []
    for block, count in zip(x.to_delayed().ravel(), x.chunks[-1], strict=True):
        y, zi = dask.delayed(run, nout=2)(*coefficients, block, -1, zi)
        parts.append(da.from_delayed(y, (*x.shape[:-1], count), np.result_type(x.dtype, *(c.dtype for c in coefficients))))
    return da.concatenate(parts, axis=-1)


def lfilter(b: Any, a: Any, blocks: Iterable[Any], zi: Any = None) -> Iterator[Any]:
    """Filter blocks with a rational transfer function.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    blocks : iterable of (..., n) array_like
        Consecutive blocks of the signals.
    zi : (..., max(len(a), len(b)) - 1) array_like, optional
        Initial state; by default the filter is at rest.

    Yields
    ------
    (..., n) ndarray
        Filtered blocks.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, signal
    >>> blocks = [np.ones(2), np.ones(3)]
    >>> print(grad(lambda a: [*signal.stream.lfilter([1.0], [1.0, -a], blocks)][1][0])(0.5))  # of 1 + a + a^2
    2.0
    """
    b, a = vectors(b, a)
    return _filtered(filtering.lfilter, (), max(b.shape[0], a.shape[0]) - 1, [b, a], blocks, zi)


def sosfilt(sos: Any, blocks: Iterable[Any], zi: Any = None) -> Iterator[Any]:
    """Filter blocks with a cascade of second-order sections.

    Parameters
    ----------
    sos : (n_sections, 6) array_like
        Sections, each (b0, b1, b2, 1, a1, a2).
    blocks : iterable of (..., n) array_like
        Consecutive blocks of the signals.
    zi : (n_sections, ..., 2) array_like, optional
        Initial states; by default the filters are at rest.

    Yields
    ------
    (..., n) ndarray
        Filtered blocks.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import signal
    >>> print(*signal.stream.sosfilt([[1.0, 0.0, 0.0, 1.0, -0.5, 0.0]], [np.ones(2), np.ones(1)]))
    [1.  1.5] [1.75]
    """
    sos = filtering.sections(sos)
    return _filtered(filtering.sosfilt, (sos.shape[0],), 2, [sos], blocks, zi)


def _whole_segments(blocks: Iterable[Any], nperseg: int, noverlap: Any) -> Iterator[Any]:
    """Return signals that hold whole segments, each segment in one of them."""
    step, kept = nperseg - (nperseg // 2 if noverlap is None else noverlap), None
    for block in blocks:
        (x,) = floating(block)
        kept = x if kept is None else np.concatenate([kept, x], axis=-1)
        count = (kept.shape[-1] - nperseg) // step + 1
        if count > 0:
            yield kept[..., : (count - 1) * step + nperseg]
            kept = kept[..., count * step :]


def stft(blocks: Iterable[Any], fs: Any = 1.0, window: Any = "hann_periodic", nperseg: int = 256, noverlap: Any = None,
         **options: Any) -> Iterator[Any]:  # fmt: skip
    """Compute the short-time Fourier transform of blocks.

    Parameters
    ----------
    blocks : iterable of (..., n) array_like
        Consecutive blocks of the signals.
    fs, window, nperseg, noverlap, **options
        As in `scigrad.signal.stft`, but the signals are not continued, and no zeros are appended.

    Yields
    ------
    f : ndarray
        Frequencies.
    t : ndarray
        Times of the middles of the segments.
    Zxx : ndarray
        Spectra, with segments on the last axis.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import signal
    >>> for f, t, z in signal.stream.stft([np.ones(3), np.ones(4)], nperseg=4):
    ...     print(t, abs(z[0]))
    [2. 4.] [1. 1.]
    """
    done: Any = 0
    for x in _whole_segments(blocks, nperseg, noverlap):
        f, t, z = short_time.stft(x, fs, window, nperseg, noverlap, boundary=None, padded=False, **options)
        yield f, t + done, z
        done = done + t[-1] - t[0] + (nperseg - (nperseg // 2 if noverlap is None else noverlap)) / fs


def welch(blocks: Iterable[Any], fs: Any = 1.0, window: Any = "hann_periodic", nperseg: int = 256, noverlap: Any = None,
          **options: Any) -> tuple[Any, Any]:  # fmt: skip
    """Estimate the power spectral density of a signal that comes in blocks, by the mean over segments.

    Parameters
    ----------
    blocks : iterable of (..., n) array_like
        Consecutive blocks of the signals.
    fs, window, nperseg, noverlap, **options
        As in `scigrad.signal.welch`.

    Returns
    -------
    f : ndarray
        Frequencies.
    Pxx : ndarray
        Power spectrum.

    Raises
    ------
    ValueError
        If the blocks together are shorter than a segment.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import signal
    >>> print(signal.stream.welch([np.eye(6)[0], np.zeros(7)], nperseg=4, window="boxcar", detrend=False)[1])
    [0.05 0.1  0.05]
    """
    f, total, count = None, 0, 0
    for x in _whole_segments(blocks, nperseg, noverlap):
        f, power = spectral.welch(x, fs, window, nperseg, noverlap, **options)
        segments = (x.shape[-1] - nperseg) // (nperseg - (nperseg // 2 if noverlap is None else noverlap)) + 1
        total, count = total + power * segments, count + segments
    refuse(not count, f"The blocks together are shorter than a segment of {nperseg} samples.")
    return f, total / count


def resample_poly(blocks: Iterable[Any], up: int, down: int, window: Any = ("kaiser", 5.0)) -> Iterator[Any]:
    """Change the sampling rate of blocks by the factor ``up/down``, with a filter of zero phase.

    Parameters
    ----------
    blocks : iterable of (..., n) array_like
        Consecutive blocks of the signals, which are 0 before and after.
    up, down : int
        Factors of the sampling rates.
    window : str, tuple or (k,) array_like, optional
        Window by which the filter is designed, or its taps.

    Yields
    ------
    (..., m) ndarray
        Resampled blocks, later than the given ones by half of the taps.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import signal
    >>> print(np.concatenate([*signal.stream.resample_poly([np.ones(4), np.ones(2)], 1, 2)]).round(3))
    [0.771 1.033 1.033]
    """
    kept, first, done = None, 0, 0  # `kept` begins with sample `first`
    for block in chain(blocks, [None]):
        if block is not None:
            (x,) = floating(block)
            kept = x if kept is None else np.concatenate([kept, x], axis=-1)
        if kept is None:
            return
        p, q, h = anti_imaging(up, down, window, kept)
        half, received = (h.shape[0] - 1) // 2, (first + kept.shape[-1]) * p
        until = -(-received // q) if block is None else -(-(received - half) // q)
        if until > done:
            start = done * q + half - first * p
            h_later = np.concatenate([beside(np.zeros(-start % q), h), h])
            yield upfirdn(h_later, kept, p, q)[..., -(-start // q) :][..., : until - done]
            done = until
            unneeded = max(-(-(done * q + half - h.shape[0] + 1) // p) - first, 0)
            first, kept = first + unneeded, kept[..., unneeded:]


__all__ = ["lfilter", "resample_poly", "sosfilt", "stft", "welch"]
