"""Signals longer than memory: filters, spectra and resampling over an iterator of blocks, with the
state carried along.

    for y in stream.lfilter(b, a, blocks):
        ...

Blocks are arrays with time on the last axis, of any lengths: slices of a `numpy.memmap`, blocks of
a file (those that `soundfile.blocks` reads have time first: transpose them). What is returned,
joined, is what the function of that name in `scigrad.signal` returns for the whole signal. All of
it is differentiable. In place of blocks the functions take a Dask array and return one, which has
no derivative; tasks of the filters hand the state on. Nothing here prints: ``tqdm(blocks)`` of the
package tqdm in place of `blocks` shows the progress.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from importlib import import_module
from itertools import chain
from typing import Any

import scigrad.numpy as np
from scigrad.autodiff_rules import Space, eval_shape
from scigrad.fft.dask_arrays import is_dask
from scigrad.numpy.devices import place_beside
from scigrad.typing import ArrayLike

from .filters import filtering
from .foundation.composition import floating, refuse_if, vectors
from .resampling import anti_imaging, upfirdn
from .spectra import short_time, spectral
from .spectra.segments import overlap


def _lazily(function: Any, *arrays: Any) -> tuple[Any, ...]:
    """Return function(*arrays), a tuple; of Dask arrays, those that compute it when they are
    requested.
    """
    if not any(map(is_dask, arrays)):
        return function(*arrays)
    dask, da = import_module("dask"), import_module("dask.array")
    outs = eval_shape(function, *(Space(x.shape, x.dtype, "numpy") for x in arrays))
    values = dask.delayed(function, nout=len(outs))(*arrays)
    return tuple(
        da.from_delayed(value, out.shape, out.dtype)
        for value, out in zip(values, outs, strict=True)
    )


def _consecutive(blocks: Any) -> Iterable[Any]:
    """Return blocks as they come; those of a Dask array with all signals in each."""
    return (
        (blocks.blocks[..., i] for i in range(blocks.numblocks[-1])) if is_dask(blocks) else blocks
    )


def _join_blocks(blocks: Any, outputs: Iterator[Any]) -> Any:
    """Return outputs as they come, those of a Dask array as one."""
    return np.concatenate([*outputs], axis=-1) if is_dask(blocks) else outputs


def _filter_blocks(
    run: Any, lead: tuple[int, ...], order: int, coefficients: list[Any], blocks: Any, zi: Any
) -> Iterator[Any]:
    for block in _consecutive(blocks):
        *_, x = floating(*coefficients, block)
        if zi is None:
            zi = np.zeros_like(
                x, np.result_type(*coefficients, x), shape=(*lead, *x.shape[:-1], order)
            )
        y, zi = _lazily(lambda x, zi: run(*coefficients, x, -1, zi), x, zi)
        yield y


def lfilter(b: ArrayLike, a: ArrayLike, blocks: Any, zi: ArrayLike | None = None) -> Any:
    """Filter blocks with a rational transfer function.

    Parameters
    ----------
    b, a : (k,) array_like or float
        Numerator and denominator.
    blocks : iterable of (..., n) array_like, or (..., n) Dask array
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
    >>> print(
    ...     grad(lambda a: [*signal.stream.lfilter([1.0], [1.0, -a], blocks)][1][0])(0.5)
    ... )  # of 1 + a + a^2
    2.0
    """
    b, a = vectors(b, a)
    return _join_blocks(
        blocks,
        _filter_blocks(filtering.lfilter, (), max(b.shape[0], a.shape[0]) - 1, [b, a], blocks, zi),
    )


def sosfilt(sos: ArrayLike, blocks: Any, zi: ArrayLike | None = None) -> Any:
    """Filter blocks with a cascade of second-order sections.

    Parameters
    ----------
    sos : (n_sections, 6) array_like
        Sections, each (b0, b1, b2, 1, a1, a2).
    blocks : iterable of (..., n) array_like, or (..., n) Dask array
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
    sos = filtering.as_sections(sos)
    return _join_blocks(
        blocks, _filter_blocks(filtering.sosfilt, (sos.shape[0],), 2, [sos], blocks, zi)
    )


def _whole_segments(
    blocks: Any, nperseg: int, noverlap: Any, options: dict[str, Any]
) -> Iterator[tuple[Any, int, int]]:
    """Return signals that hold whole segments, each segment in one of them, with their numbers and
    the step between them.
    """
    other = sorted(options.keys() - {"nfft", "detrend", "return_onesided", "scaling"})
    refuse_if(other != [], f"Spectra of blocks have no option {other}.")
    step, kept = overlap(nperseg, noverlap, options.get("nfft"))[0], None
    for block in _consecutive(blocks):
        (x,) = floating(block)
        kept = x if kept is None else np.concatenate([kept, x], axis=-1)
        count = (kept.shape[-1] - nperseg) // step + 1
        if count > 0:
            yield kept[..., : (count - 1) * step + nperseg], count, step
            kept = kept[..., count * step :]


def stft(blocks: Any, fs: Any = 1.0, window: Any = "hann_periodic", nperseg: int = 256,
    noverlap: Any = None,
         **options: Any) -> Any:  # fmt: skip
    """Compute the short-time Fourier transform of blocks.

    Parameters
    ----------
    blocks : iterable of (..., n) array_like, or (..., n) Dask array
        Consecutive blocks of the signals.
    fs, window, nperseg, noverlap, **options
        As in `scigrad.signal.stft`; of the options `nfft`, `detrend`, `return_onesided` and
        `scaling`. The signals are not continued, and no zeros are appended.

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

    def transformed(x: Any) -> tuple[Any, Any, Any]:
        return short_time.stft(
            x, fs, window, nperseg, noverlap, boundary=None, padded=False, **options
        )

    def parts() -> Iterator[tuple[Any, Any, Any]]:
        f, first, done = None, None, 0
        for x, count, step in _whole_segments(blocks, nperseg, noverlap, options):
            if f is None:
                f, first, _ = transformed(np.zeros(nperseg) if is_dask(x) else x[..., :nperseg])
            times = first + place_beside(np.arange(done, done + count) * step, first) / fs
            yield f, times, *_lazily(lambda x: transformed(x)[2:], x)
            done += count

    if not is_dask(blocks):
        return parts()
    f, t, z = zip(*parts(), strict=True)
    return f[0], np.concatenate(t), np.concatenate(z, axis=-1)


def welch(blocks: Any, fs: Any = 1.0, window: Any = "hann_periodic", nperseg: int = 256,
    noverlap: Any = None,
          **options: Any) -> tuple[Any, Any]:  # fmt: skip
    """Estimate the power spectral density of a signal that comes in blocks, by the mean over
    segments.

    Parameters
    ----------
    blocks : iterable of (..., n) array_like, or (..., n) Dask array
        Consecutive blocks of the signals.
    fs, window, nperseg, noverlap, **options
        As in `scigrad.signal.welch`; of the options `nfft`, `detrend`, `return_onesided` and
        `scaling`.

    Returns
    -------
    f : ndarray
        Frequencies.
    Pxx : ndarray
        Power spectrum.

    Raises
    ------
    ValueError
        If the blocks together are shorter than a segment, or for another option, such as the median
        of segments.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import signal
    >>> print(
    ...     signal.stream.welch(
    ...         [np.eye(6)[0], np.zeros(7)], nperseg=4, window="boxcar", detrend=False
    ...     )[1]
    ... )
    [0.05 0.1  0.05]
    """

    def estimate(x: Any) -> tuple[Any, Any]:
        return spectral.welch(x, fs, window, nperseg, noverlap, **options)

    f, total, number = None, 0, 0
    for x, count, _ in _whole_segments(blocks, nperseg, noverlap, options):
        f = estimate(np.zeros(nperseg) if is_dask(x) else x[..., :nperseg])[0] if f is None else f
        (power,) = _lazily(lambda x: estimate(x)[1:], x)
        total, number = total + power * count, number + count
    refuse_if(not number, f"The blocks together are shorter than a segment of {nperseg} samples.")
    return f, total / number


def resample_poly(
    blocks: Any, up: int, down: int, window: str | tuple[Any, ...] | ArrayLike = ("kaiser", 5.0)
) -> Any:
    """Change the sampling rate of blocks by the factor ``up/down``, with a filter of zero phase.

    Parameters
    ----------
    blocks : iterable of (..., n) array_like, or (..., n) Dask array
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
    >>> print(
    ...     np.concatenate([*signal.stream.resample_poly([np.ones(4), np.ones(2)], 1, 2)]).round(3)
    ... )
    [0.771 1.033 1.033]
    """
    return _join_blocks(blocks, _resampled(blocks, up, down, window))


def _resampled(blocks: Any, up: int, down: int, window: Any) -> Iterator[Any]:
    kept, first, done = None, 0, 0  # `kept` begins with sample `first`
    for block in chain(_consecutive(blocks), [None]):
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
            h_later, skipped = (
                np.concatenate([place_beside(np.zeros(-start % q), h), h]),
                -(-start // q),
            )
            yield from _lazily(
                partial(_piece, h_later, p, q, slice(skipped, skipped + until - done)), kept
            )
            done = until
            unneeded = max(-(-(done * q + half - h.shape[0] + 1) // p) - first, 0)
            first, kept = first + unneeded, kept[..., unneeded:]


def _piece(h: Any, up: int, down: int, wanted: slice, x: Any) -> tuple[Any]:
    return (upfirdn(h, x, up, down)[..., wanted],)


def __dir__() -> list[str]:
    return __all__


__all__ = ["lfilter", "resample_poly", "sosfilt", "stft", "welch"]
