"""Rounds that stand beside their loop.

Loops are lowered with some rounds before and behind them, which may differ from the others. Where
their rows read and write what the advance of the loop says, they are rounds of it: the source of a
program is shorter, and takes less time to compile.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .row_places import FACTORS, Part, Row


def take_in_rounds(parts: Sequence[Part]) -> list[Part]:
    """Return the parts of a program, with rounds as many as can be in loops."""
    found = list(parts)
    for i, part in enumerate(found):
        if part.rounds == 1:
            continue
        count = len(part.rows)
        while i and _is_round(part, found[i - 1].rows[-count:], -1):
            found[i - 1] = found[i - 1]._replace(rows=found[i - 1].rows[:-count])
            part = Part([_in_round(row, -1) for row in part.rows], part.rounds + 1)
        while i + 1 < len(found) and _is_round(part, found[i + 1].rows[:count], part.rounds):
            found[i + 1] = found[i + 1]._replace(rows=found[i + 1].rows[count:])
            part = part._replace(rounds=part.rounds + 1)
        found[i] = part
    return [part for part in found if part.rows]


def _is_round(part: Part, rows: Sequence[Row], k: int) -> bool:
    """Return whether some rows are round k of a loop."""
    if len(rows) != len(part.rows):
        return False
    return all(_are_equal(_in_round(a, k), b) for a, b in zip(part.rows, rows, strict=True))


def _are_equal(a: Row, b: Row) -> bool:
    if (a.code, a.n, a.elements, a.writes) != (b.code, b.n, b.elements, b.writes):
        return False
    return all(np.array_equal(x.places, y.places) for x, y in zip(a.reads, b.reads, strict=True))


def _in_round(row: Row, k: int) -> Row:
    """Return a row of a loop as it is k rounds later."""
    fields = list(row.fields)
    fields[2] += k * row.advance // row.width
    if row.code in FACTORS:
        fields[7] += k * row.advance
    return row._replace(
        fields=fields,
        reads=[read._replace(places=read.places + k * read.advance) for read in row.reads],
        writes=[(first + k * row.advance, count) for first, count in row.writes],
    )
