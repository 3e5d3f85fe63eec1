"""Transforms of long lines in four steps, each with one pass through memory (D. H. Bailey, "FFTs in
external or hierarchical memory", J. Supercomputing 4 (1990) 23-35).

A line of n = p q points is a table x[a, b] = x[q a + b]. With w = exp(-2 pi i / n)

    X[c + p d] = sum_b w^(p b d) ( w^(b c) sum_a w^(q a c) x[a, b] ),

short transforms down the columns, a product with the table w^(b c), and short transforms along the
rows, written transposed. A library that transforms the line as a whole needs several more passes.
The table depends on n only and is kept.
"""

import functools
from math import isqrt
from typing import Any

import numpy as np

from scigrad.typing import Array

# from here on it measures faster: 0.9 of the time for 2^20 points, 0.65 for 2^21 and 2^22
SHORTEST = 900_000
LONGEST = 2**22  # the tables of longer lines, 16 bytes a point, are not worth their memory


@functools.lru_cache(64)
def split(library: Any, n: int) -> tuple[int, int] | None:
    """Return p, q with p q = n and 1 <= q / p <= 4, or None if n is too short, too long, or has
    only long factors.
    """
    if not SHORTEST <= n <= LONGEST or library.good_size(n) != n:
        return None
    p = next(p for p in range(isqrt(n), 0, -1) if n % p == 0)
    return (p, n // p) if n <= 4 * p * p else None


def roots(k: Any, n: int) -> Any:
    """Return exp(-2 pi i k / n) for integers k; the angle is reduced below pi / 4 before it is
    rounded.
    """
    quarter = (8 * k + n) // (2 * n)
    angle = (4 * k - quarter * n) * (np.pi / (2 * n))
    return (np.cos(angle) - 1j * np.sin(angle)) * np.array([1, -1j, -1, 1j])[quarter % 4]


@functools.lru_cache(2)
def _table(p: int, q: int, forward: bool, char: str) -> Any:
    table = roots(np.arange(p)[:, None] * np.arange(q), p * q).astype(char)
    table = table if forward else table.conj()
    table.flags.writeable = False
    return table


def transform_line(
    library: Any, x: Any, forward: bool, factor: int, threads: int, out: Array
) -> Any:
    """Compute fft or ifft of one line of any length, in four steps if it splits."""
    factors = split(library, x.size)
    if factors is None:
        return library.c2c(x, (0,), forward, factor, out, threads)
    return transform_in_steps(library, x, *factors, forward, factor, threads, out)


def transform_in_steps(
    library: Any,
    x: Any,
    p: int,
    q: int,
    forward: bool,
    factor: int,
    threads: int,
    out: Array | None = None,
) -> Any:
    """Compute fft or ifft along the last axis of x, of length p q; `factor` and `out` as in
    ducc0.
    """
    lead = x.shape[:-1]
    table = library.c2c(x.reshape(*lead, p, q), (-2,), forward, factor, None, threads)
    table *= _table(p, q, forward, table.dtype.char)
    out = np.empty((*lead, p * q), table.dtype) if out is None else out
    library.c2c(
        table, (-1,), forward, factor, np.swapaxes(out.reshape(*lead, q, p), -1, -2), threads
    )
    return out


__all__ = ["transform_line", "roots", "split", "transform_in_steps"]
