"""Transforms of one line whose length is a long prime, by Bluestein's algorithm on ducc0's transforms of round lengths.

With w_j = exp(-i pi j^2 / n) the product in the exponent is taken apart, 2 j k = j^2 + k^2 - (k - j)^2, so that

    y_k = w_k sum_j (x_j w_j) conj(w_{k-j}),

a convolution (L. I. Bluestein, IEEE Trans. Audio Electroacoust. 18 (1970) 451-455). What depends on n alone is kept, as plans
are. SciPy and ducc0 do the same in 1.6 times the time, for 1,000,003 points (docs/adr/0015-the-fft-engine.md).
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np


@functools.lru_cache(4)
def _chirp(library: Any, n: int) -> tuple[Any, Any]:
    """w, and the transform of conj(w) on -n < j < n, divided by its length."""
    j = np.arange(n, dtype=np.int64)
    w = np.exp(-1j * np.pi / n * (j * j % (2 * n)))  # reduced while it is an integer: j^2 pi / n would lose digits
    size = library.good_size(2 * n - 1)
    kernel = np.zeros(size, complex)
    kernel[:n] = w.conj()
    kernel[size - n + 1 :] = kernel[n - 1 : 0 : -1]
    w.flags.writeable = False
    return w, library.c2c(kernel, (0,), True, 2, kernel)


def transform(library: Any, x: Any, n: int, forward: bool, factor: int, threads: int) -> Any:
    """fft or ifft of a line in double precision, cropped or padded to n; `factor` as the engine's."""
    w, kernel = _chirp(library, n)
    if not forward:  # conj(fft(conj(x)))
        x = np.conj(x)
    line = np.zeros(kernel.size, complex)
    count = min(n, x.size)
    np.multiply(x[:count], w[:count], out=line[:count])
    library.c2c(line, (0,), True, 0, line, threads)
    np.multiply(line, kernel, out=line)
    library.c2c(line, (0,), False, 0, line, threads)
    y = line[:n] * w
    if factor:
        y *= 1 / n if factor == 2 else 1 / np.sqrt(n)
    return y if forward else np.conj(y, out=y)


__all__ = ["transform"]
