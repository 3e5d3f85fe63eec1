"""Transforms along axes whose length is a long prime, by Bluestein's algorithm on ducc0's
transforms of round lengths.

With w_j = exp(-i pi j^2 / n) the product in the exponent is split, 2 j k = j^2 + k^2 - (k - j)^2,
so that

    y_k = w_k sum_j (x_j w_j) conj(w_{k-j}),

a convolution (L. I. Bluestein, IEEE Trans. Audio Electroacoust. 18 (1970) 451-455) of inputs +
outputs - 1 points: 2 n between complex lines, 1.5 n where one side is the half spectrum of a real
line. The inverse is conj(y) of conj(x). Factors that depend on n only are kept, as plans are. The
functions have the names and arguments of ducc0's, and the engine uses this module in its place.
Times: docs/adr/0015-the-fft-engine.md.
"""

import functools
import math
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from scigrad.numpy.accelerators import accelerator
from scigrad.typing import Array

from . import long_lines

FIRST = 32_000  # prime lengths from here on take ducc0 1.1 to 2 times as long as SciPy
# SciPy transforms several lines at once in the registers of a processor: from so many lines on it
# is faster, up to this length.
_MANY = {"D": (2, 65_536), "F": (4, 150_000), "f": (4, 150_000), "d": (math.inf, 0)}
_KEPT = 2**21  # the longest for which the chirp is kept


def library_for(
    library: Any, name: str, x: Any, axes: Sequence[int], length: int, type: int = 2
) -> Any:
    """Return the module that transforms an array: `library`, or this one along long primes, or None
    where SciPy is faster.
    """
    lengths, kind = [x.shape[a] for a in axes], name.removesuffix("n")
    if kind in ("irfft", "hfft"):
        lengths[-1] = length
    # type 1 is computed with the even length 2 (n - 1) or 2 (n + 1)
    if not any(map(_is_long, lengths)) or type == 1:
        return library
    trigonometric = kind[-3:] in ("dct", "dst")
    if trigonometric and type == 4:
        return None
    one_side_real = kind not in ("fft", "ifft") or (len(axes) == 1 and x.dtype.kind != "c")
    for axis, n in zip(axes, lengths, strict=True):
        is_real = trigonometric or (one_side_real and axis == axes[-1])
        many, end = _MANY[x.dtype.char.lower() if is_real else x.dtype.char.upper()]
        if n < end and x.size >= many * n and _is_long(n):
            return None
    return sys.modules[__name__]


@functools.lru_cache(1024)
def _is_long(n: int) -> bool:
    return (
        FIRST <= n < 2**31
        and n % 2 != 0
        and all(n % divisor for divisor in range(3, math.isqrt(n) + 1, 2))
    )


def _ducc() -> Any:
    return accelerator("ducc0").fft


def _apart(x: Any, axes: Sequence[int]) -> tuple[list[int], list[int]]:
    """Return the axes that ducc0 transforms, and those of long primes."""
    long = [a for a in axes if _is_long(x.shape[a])]
    return [a for a in axes if a not in long], long


def _with_length(x: Any, axis: int, n: int) -> tuple[int, ...]:
    """Return the shape of x with another length on one axis."""
    axis %= x.ndim
    return (*x.shape[:axis], n, *x.shape[axis + 1 :])


def _into(out: Array, y: Any) -> Any:
    if out is None:
        return y
    out[...] = y
    return out


# -- ducc0's functions


def c2c(
    x: Any,
    axes: Sequence[int],
    forward: bool,
    inorm: int,
    out: Array | None = None,
    threads: int = 1,
) -> Any:
    """Transform between complex arrays."""
    if x.dtype.kind != "c":
        if len(axes) == 1:
            return _into(
                out, _whole(r2c(x, axes, forward, inorm, None, threads), axes[0], x.shape[axes[0]])
            )
        x = x + 0j
    rest, long = _apart(x, axes)
    y = _ducc().c2c(x, rest, forward, inorm, None, threads) if rest else x
    for a in long:
        y = _transform_lines(y, a, x.shape[a], np.empty(x.shape, x.dtype), forward, inorm, threads)
    return _into(out, y)


def r2c(
    x: Any,
    axes: Sequence[int],
    forward: bool,
    inorm: int,
    out: Array | None = None,
    threads: int = 1,
) -> Any:
    """Transform a real array to half of its spectrum."""
    *others, last = axes
    n = x.shape[last]
    if _is_long(n):
        y = np.empty(_with_length(x, last, n // 2 + 1), np.result_type(x.dtype, np.complex64))
        _transform_lines(x, last, n, y, forward, inorm, threads)
    else:
        y = _ducc().r2c(x, (last,), forward, inorm, None, threads)
    return _into(out, c2c(y, others, forward, inorm, None, threads) if others else y)


def c2r(
    x: Any,
    axes: Sequence[int],
    length: int,
    forward: bool,
    inorm: int,
    out: Array | None = None,
    threads: int = 1,
) -> Any:
    """Transform half of a spectrum to a real array of `length` along the last axis."""
    *others, last = axes
    y = c2c(x, others, forward, inorm, None, threads) if others else x
    if not _is_long(length):
        return _ducc().c2r(y, (last,), length, forward, inorm, out, threads)
    y = _transform_lines(
        y,
        last,
        length,
        np.empty(_with_length(x, last, length), x.dtype.char.lower()),
        forward,
        inorm,
        threads,
    )
    return _into(out, y)


def dct(
    x: Any, type: int, axes: Sequence[int], inorm: int, out: Array | None = None, threads: int = 1
) -> Any:
    """Compute cosine transforms of types 2 and 3, by those of a reordered real line (J. Makhoul,
    IEEE Trans. Acoust. Speech Signal Processing 28 (1980) 27-34).
    """
    return _into(out, _trigonometric("dct", x, type, axes, inorm, threads))


def dst(
    x: Any, type: int, axes: Sequence[int], inorm: int, out: Array | None = None, threads: int = 1
) -> Any:
    """Compute sine transforms of types 2 and 3: cosine transforms with alternating signs on one
    side, reversed on the other.
    """
    return _into(out, _trigonometric("dst", x, type, axes, inorm, threads))


# -- one line by Bluestein's algorithm


def _new_chirp(n: int, inputs: int, outputs: int, dtype: Any) -> tuple[Any, Any]:
    """Return w, and the transform of conj(w) on -inputs < j < outputs, divided by its length;
    computed in double precision.
    """
    j = np.arange(max(inputs, outputs), dtype=np.int64)
    w = long_lines.roots(j * j % (2 * n), 2 * n)
    # 16: up to 15 percent faster than the next round length
    size = 16 * _ducc().good_size(-(-(inputs + outputs - 1) // 16))
    kernel = np.zeros(size, complex)
    kernel[:outputs] = w[:outputs].conj()
    kernel[size - inputs + 1 :] = w[inputs - 1 : 0 : -1].conj()
    kernel = _ducc().c2c(kernel, (0,), True, 2, kernel).astype(dtype, copy=False)
    w = w.astype(dtype, copy=False)
    w.flags.writeable = kernel.flags.writeable = False
    return w, kernel


_kept_chirp = functools.lru_cache(4)(_new_chirp)


def _transform_lines(
    x: Any, axis: int, n: int, out: Array, forward: bool, inorm: int, threads: int
) -> Any:
    """Transform each line of x of length n along an axis, into `out`."""
    sources, targets = np.moveaxis(x, axis, -1), np.moveaxis(out, axis, -1)
    lengths = n, sources.shape[-1], targets.shape[-1]
    chirp = (_kept_chirp if n <= _KEPT else _new_chirp)(
        *lengths, np.result_type(x.dtype, np.complex64)
    )
    scale = (1.0, n**-0.5, 1 / n)[inorm]

    def run(lines: Sequence[Any], threads: int) -> None:
        scratch = np.empty_like(chirp[1])
        for i in lines:
            _transform_line(sources[i], targets[i], *chirp, scratch, forward, scale, threads)

    _by_line(sources.shape[:-1], threads, run)
    return out


def _by_line(
    shape: tuple[int, ...], threads: int, run: Callable[[Sequence[Any], int], Any]
) -> None:
    """Call run(lines, threads) for all lines of an array: one line by several threads, several
    lines by one each.
    """
    lines = list(np.ndindex(shape))
    if threads == 1 or len(lines) == 1:
        run(lines, threads)
        return
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(lambda start: run(lines[start::threads], 1), range(min(threads, len(lines)))))


def _transform_line(
    source: Any,
    target: Any,
    w: Any,
    kernel: Any,
    scratch: Any,
    forward: bool,
    scale: float,
    threads: int,
) -> None:
    """Assign a line; its real part, twice except for entry 0, if the target is real."""
    head, tail = scratch[: source.size], scratch[: target.size]
    if forward or source.dtype.kind != "c":
        np.multiply(source, w[: head.size], out=head)
    else:
        np.multiply(np.conj(source, out=head), w[: head.size], out=head)
    scratch[head.size :] = 0
    if target.dtype.kind != "c":
        head[0] *= 0.5
    long_lines.transform_line(_ducc(), scratch, True, 0, threads, scratch)
    np.multiply(scratch, kernel, out=scratch)
    long_lines.transform_line(_ducc(), scratch, False, 0, threads, scratch)
    np.multiply(tail, w[: tail.size], out=tail)
    if target.dtype.kind != "c":
        np.multiply(tail.real, 2 * scale, out=target)
    else:
        np.multiply(tail if forward else np.conj(tail, out=tail), scale, out=target)


def _whole(half: Any, axis: int, n: int) -> Any:
    """Return the spectrum of real lines from its half."""
    out = np.empty(_with_length(half, axis, n), half.dtype)
    source, target = np.moveaxis(half, axis, -1), np.moveaxis(out, axis, -1)
    target[..., : source.shape[-1]] = source
    np.conj(source[..., 1:], out=target[..., : source.shape[-1] - 1 : -1])
    return out


# -- cosine and sine transforms


@functools.lru_cache(4)
def _quarter_turns(n: int, dtype: Any) -> Any:
    return long_lines.roots(np.arange(n // 2 + 1), 4 * n).astype(dtype)


def _trigonometric(
    family: str, x: Any, type: int, axes: Sequence[int], inorm: int, threads: int
) -> Any:
    rest, long = _apart(x, axes)
    y = getattr(_ducc(), family)(x, type, rest, inorm, None, threads) if rest else x
    transform, sign = _type_2 if type == 2 else _type_3, 1 if family == "dct" else -1
    for a in long:
        source, y = np.moveaxis(y, a, -1), np.empty_like(y)
        target = np.moveaxis(y, a, -1)
        _by_line(source.shape[:-1], threads, lambda lines, own, x=source, y=target: [
            transform(x[i], y[i], sign, inorm, own) for i in lines
        ])  # fmt: skip
    return y


def _type_2(x: Any, y: Any, sign: int, inorm: int, threads: int) -> None:
    n = x.size
    half, y = n // 2 + 1, y[::sign]
    ordered = np.concatenate((x[::2], sign * x[n - 2 :: -2]))
    z = r2c(ordered, (0,), True, 0, None, threads)
    z *= _quarter_turns(n, z.dtype)
    z *= (2.0, math.sqrt(2 / n), 1 / n)[inorm]
    y[:half] = z.real
    y[: half - 1 : -1] = -z.imag[1:]  # NumPy 2.4's negative(out=) misreads singles every 16 bytes
    if inorm == 1:
        y[0] *= math.sqrt(0.5)


def _type_3(x: Any, y: Any, sign: int, inorm: int, threads: int) -> None:
    n = x.size
    half, x = n // 2 + 1, x[::sign]
    z: Any = np.empty(half, np.result_type(x.dtype, np.complex64))
    z.real = x[:half]
    z.imag[0] = 0
    z.imag[1:] = -x[: half - 1 : -1]
    z *= np.conj(_quarter_turns(n, z.dtype))
    z *= (1.0, math.sqrt(0.5 / n), 0.5 / n)[inorm]
    if inorm == 1:
        z[0] *= math.sqrt(2.0)
    ordered = c2r(z, (0,), n, False, 0, None, threads)
    y[::2] = ordered[:half]
    np.multiply(ordered[half:], sign, out=y[n - 2 :: -2])


__all__ = ["FIRST", "c2c", "c2r", "dct", "dst", "library_for", "r2c"]
