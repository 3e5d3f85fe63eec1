"""Rows of the machine as kernels see them: the places that a row reads and writes, and by what
these advance with the rounds of a loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import codes as c

FACTORS = (c.LU, c.Z_LU)
SOLUTIONS = (c.SUBSTITUTE, c.Z_SUBSTITUTE)
SUMS = (c.SUM, c.Z_SUM)
PRODUCTS = (c.MATMUL, c.Z_MATMUL)
GATHERS = (c.GATHER, c.Z_GATHER)
CHECKS = (c.FINITE, c.Z_FINITE)
_COMPLEX = {*range(c.Z_ADD, c.Z_ISFINITE + 1), c.Z_FINITE, *range(c.Z_GATHER, c.Z_SUBSTITUTE + 1)}
LONG_SUM = 64  # terms of a sum that a warp adds
_LEFT_OUT = (c.EXPM, c.FRECHET, c.Z_EXPM, c.Z_FRECHET)
_REAL_RESULTS = {c.Z_ABSOLUTE, c.Z_ISFINITE}


class Unsuitable(Exception):
    """A program is none that one kernel computes."""


class Read(NamedTuple):
    """Places of an operand in the first round, (elements, terms) of them, counted in numbers of
    `width` doubles, and their advance.
    """

    places: np.ndarray
    advance: np.ndarray
    width: int


class Row(NamedTuple):
    """An instruction: `elements` results, each a function of one element of each operand, or of
    the terms of one.
    """

    number: int
    code: int
    n: int
    fields: list[int]
    elements: int
    width: int  # doubles of a result
    reads: list[Read]
    writes: list[tuple[int, int]]  # first double and number of doubles
    advance: int  # doubles by which the writes advance

    @property
    def columns(self) -> int:
        """Number of columns of a product of matrices."""
        return self.fields[8] if self.code in PRODUCTS else 1


def _parsed(number: int, fields: Sequence[int], advance: Sequence[int], index: np.ndarray) -> Row:
    """Return a row that advances by some fields in each round."""
    fields = list(fields)
    code, n = fields[0], fields[1]
    if code in _LEFT_OUT:
        raise Unsuitable("an exponential of a matrix")
    of = 2 if code in _COMPLEX else 1
    width = 1 if code in _REAL_RESULTS else 2 if code == c.WIDEN else of
    elements = n * fields[8] if code in PRODUCTS else 1 if code in FACTORS else n
    reads = [
        Read(places, np.broadcast_to(steps, places.shape), width_of_read)
        for places, steps, width_of_read in _reads(fields, advance, index, of)
    ]
    writes = [(fields[2] * width, elements * width)]
    if code in CHECKS:
        writes = []
    elif code in FACTORS:
        writes = [(fields[2] * width, n * n * width), (fields[7], n)]
    elif code in SOLUTIONS:
        writes = [(fields[2] * width, n * fields[4] * width)]
        elements = fields[4]
    return Row(number, code, n, fields, elements, width, reads, writes, advance[2] * width)


def _reads(f: list[int], advance: Sequence[int], index: np.ndarray, of: int):
    """Yield places, advance and width of the operands."""
    code, n = f[0], f[1]
    i = np.arange(n)[:, None]
    if code in GATHERS:
        places = index[f[3] : f[3] + n][:, None]
        moved = index[f[3] + n : f[3] + 2 * n][:, None] - places if advance[3] else 0
        yield places, moved, of
    elif code in SUMS:
        yield f[3] + i * f[4] + np.arange(f[7]) * f[6], advance[3], of
    elif code in PRODUCTS:
        element = np.arange(n * f[8])[:, None]
        row, column, term = element // f[8], element % f[8], np.arange(f[7])
        yield f[3] + row * f[4] + term * f[9], advance[3], of
        yield f[5] + column * f[10] + term * f[6], advance[5], of
    elif code in FACTORS:
        yield (f[3] + i * f[4] + np.arange(n) * f[6]).reshape(1, -1), advance[3], of
    elif code in SOLUTIONS:
        yield (f[3] + np.arange(n * n)).reshape(1, -1), advance[3], of
        yield f[5] + np.arange(f[4])[:, None] * f[8] + i.T * f[6], advance[5], of
        yield (f[7] + np.arange(n)).reshape(1, -1), advance[7], 1
    else:
        for first in _operands_of(code):
            yield f[first] + i * f[first + 1], advance[first], of


def _operands_of(code: int) -> tuple[int, ...]:
    """Return the fields in which the first places of operands stand, element by element."""
    if code == c.SELECT:
        return 3, 5, 7
    two = c.ADD <= code <= c.COPYSIGN or c.Z_ADD <= code <= c.Z_DIVIDE
    return (3, 5) if two else (3,)


class Part(NamedTuple):
    """Rows that run once, or that are a round of a loop."""

    rows: list[Row]
    rounds: int


def parts_of(lowering: Any) -> list[Part]:
    """Return the rows of a program, straight ones and those of loops."""
    index = np.array(lowering.memory.index, np.int64)
    rows, nothing = lowering.rows, [0] * c.WIDTH
    found: list[Part] = []
    done = 0

    def add(first: int, last: int, advances: Any, rounds: int) -> None:
        if last > first:
            parsed = [
                _parsed(i, rows[i], advances[i - first] if advances else nothing, index)
                for i in range(first, last)
            ]
            found.append(Part(parsed, rounds))

    for i, row in enumerate(rows):
        if row[0] == c.REPEAT:
            add(done, row[2], None, 1)
            add(row[2], i, lowering.advances[row[3] :], row[1] + 1)
            done = i + 1
    add(done, len(rows), None, 1)
    return found


def block_size(parts: Sequence[Part]) -> int:
    """Return as many threads as the widest row has elements, in whole warps."""
    widest = max((_threads_of(row) for part in parts for row in part.rows), default=1)
    return min(1024, max(32, -(-widest // 32) * 32))


def _threads_of(row: Row) -> int:
    if row.code in SUMS and row.reads[0].places.shape[1] > LONG_SUM:
        return 32 * row.elements
    return row.elements


class Constants:
    """Numbers of the memory that no row writes."""

    def __init__(self, constants: Sequence[tuple[int, np.ndarray]]) -> None:
        found = sorted([(0, np.array([0.0, 0.0, 1.0, 0.0])), *constants[1:]], key=lambda x: x[0])
        self._starts = np.array([first for first, _ in found])
        self._values = [values for _, values in found]

    def text(self, place: int, width: int) -> str:
        """Return a literal of the number at a place, "" if it is none."""
        at = int(np.searchsorted(self._starts, place * width, "right")) - 1
        offset = int(place) * width - int(self._starts[at])
        values = self._values[at][offset : offset + width]
        if len(values) < width or not np.isfinite(values).all():
            return ""
        numbers = [repr(float(x)) for x in values]
        return f"({numbers[0]})" if width == 1 else f"Z{{{', '.join(numbers)}}}"
