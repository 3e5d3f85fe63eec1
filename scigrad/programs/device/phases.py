"""Programs of arrays with a long common axis: phases, each of which is a kernel of its own.

Element e of an array on n lanes belongs to lane e modulo n. What reads nothing but elements of its
own lane runs in a grid of threads, one for each lane, without a barrier and in registers. Before it
one block computes what no lane is needed for; behind it many blocks add up lanes, and one block
computes the rest. The rows of a round of a loop may belong to several phases: each of these has a
loop of its own, which is right because every place is written once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .row_places import CHECKS, FACTORS, LONG_SUM, PRODUCTS, SOLUTIONS, SUMS, Part, Read, Row
from .stretches import MOST_TERMS, Stretch

BEFORE, LANES, ADDING, BEHIND = range(4)
_FEWEST_LANES = 128
_LEAST_WORK = 300  # rows and rounds in lanes that are worth three more launches
_NOT_ON_LANES = (*CHECKS, *FACTORS, *SOLUTIONS, *PRODUCTS)


class _Need(NamedTuple):
    """A row that another one reads, and whether each lane reads its own elements."""

    stretch: int
    row: int
    is_own: bool


def number_of_lanes(parts: Sequence[Part]) -> int:
    """Return the length of the common axis, 0 if there is none."""
    counts: Counter[int] = Counter()
    for part in parts:
        for row in part.rows:
            if row.elements >= _FEWEST_LANES and row.code not in _NOT_ON_LANES:
                counts[row.elements] += part.rounds
    least = min(counts, default=0)
    return least if least and all(count % least == 0 for count in counts) else 0


def phases_of(stretches: Sequence[Stretch], lanes: int) -> list[list[int]] | None:
    """Return the phase of each row of each stretch; None if lanes do not pay."""
    needs = [[_needs(stretches, s, row, lanes) for row in s.rows] for s in stretches]
    phases = [[BEFORE] * len(s.rows) for s in stretches]
    has_changed = True
    while has_changed:
        has_changed = False
        for i, stretch in enumerate(stretches):
            for j, row in enumerate(stretch.rows):
                found = _phase(row, lanes, [(phases[n.stretch][n.row], n) for n in needs[i][j]])
                if found > phases[i][j]:
                    phases[i][j], has_changed = found, True
    work = [0] * 4
    for stretch, found in zip(stretches, phases, strict=True):
        for row, phase in zip(stretch.rows, found, strict=True):
            work[phase] += stretch.rounds * (row.elements // lanes)
    return phases if work[LANES] > max(_LEAST_WORK, 4 * (work[BEFORE] + work[BEHIND])) else None


def _phase(row: Row, lanes: int, needs: Sequence[tuple[int, _Need]]) -> int:
    """Return the first phase in which a row can be computed."""
    latest = max((phase for phase, _ in needs), default=BEFORE)
    if is_on_lanes(row, lanes):
        meets = any(phase == LANES and not need.is_own for phase, need in needs)
        return BEHIND if latest > LANES or meets else LANES
    if latest < LANES:
        return BEFORE
    is_sum = row.code in SUMS and row.reads[0].places.shape[1] > LONG_SUM
    return ADDING if is_sum and latest == LANES else BEHIND


def is_on_lanes(row: Row, lanes: int) -> bool:
    """Return whether a thread for each lane may compute a row."""
    if row.code in _NOT_ON_LANES or row.elements < lanes or row.elements % lanes:
        return False
    return all(read.places.shape[1] <= MOST_TERMS for read in row.reads)


def _needs(stretches: Sequence[Stretch], reader: Stretch, row: Row, lanes: int) -> set[_Need]:
    """Return the rows that a row reads."""
    found = set()
    for read in row.reads:
        doubles, advance, element = _doubles_of(read)
        for i, stretch in enumerate(stretches):
            which, owners, offsets = stretch.writers_of(doubles, advance, reader.rounds)
            for owner in np.unique(owners):
                chosen = owners == owner
                written = offsets[chosen] // stretch.rows[owner].width
                is_own = bool(((written - element[which[chosen]]) % lanes == 0).all())
                found.add(_Need(i, int(owner), is_own))
    return found


def _doubles_of(read: Read) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the doubles that an operand has, their advances, and the elements they belong to."""
    element = np.broadcast_to(np.arange(len(read.places))[:, None], read.places.shape)
    part = np.arange(read.width)
    doubles = (read.places.ravel()[:, None] * read.width + part).ravel()
    advance = np.repeat(read.advance.ravel() * read.width, read.width)
    return doubles, advance, np.repeat(element.ravel(), read.width)


def mark_reads_of_others(stretches: Sequence[Stretch]) -> None:
    """Let each stretch keep in memory what others read."""
    for reader in stretches:
        for row in reader.rows:
            for read in row.reads:
                doubles, advance, _ = _doubles_of(read)
                for stretch in stretches:
                    if stretch is not reader:
                        stretch.mark_stored(doubles, advance, reader.rounds)


def split(parts: Sequence[Part], phases: Sequence[Sequence[int]], phase: int) -> list[Part]:
    """Return the rows of one phase."""
    found = []
    for part, numbers in zip(parts, phases, strict=True):
        rows = [row for row, n in zip(part.rows, numbers, strict=True) if n == phase]
        if rows:
            found.append(Part(rows, part.rounds))
    return found
