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

from .row_places import CHECKS, FACTORS, LONG_SUM, PRODUCTS, SOLUTIONS, SUMS, Part, Row
from .stretches import MOST_TERMS

BEFORE, LANES, ADDING, BEHIND = range(4)
_FEWEST_LANES = 128
_LEAST_WORK = 300  # rows and rounds in lanes that are worth three more launches
_NOT_ON_LANES = (*CHECKS, *FACTORS, *SOLUTIONS, *PRODUCTS)


def number_of_lanes(parts: Sequence[Part]) -> int:
    """Return the length of the common axis, 0 if there is none."""
    counts: Counter[int] = Counter()
    for part in parts:
        for row in part.rows:
            if row.elements >= _FEWEST_LANES and row.code not in _NOT_ON_LANES:
                counts[row.elements] += part.rounds
    least = min(counts, default=0)
    return least if least and all(count % least == 0 for count in counts) else 0


def phases_of(
    parts: Sequence[Part], needs: dict[int, dict[int, bool]], lanes: int
) -> dict[int, int] | None:
    """Return the phase of each row by its number; None if lanes do not pay."""
    rows = [row for part in parts for row in part.rows]
    phases = {row.number: BEFORE for row in rows}
    has_changed = True
    while has_changed:
        has_changed = False
        for row in rows:
            found = _phase(row, lanes, [(phases[n], own) for n, own in needs[row.number].items()])
            if found > phases[row.number]:
                phases[row.number], has_changed = found, True
    work = [0] * 4
    for part in parts:
        for row in part.rows:
            work[phases[row.number]] += part.rounds * (row.elements // lanes)
    return phases if work[LANES] > max(_LEAST_WORK, 4 * (work[BEFORE] + work[BEHIND])) else None


def _phase(row: Row, lanes: int, needs: Sequence[tuple[int, bool]]) -> int:
    """Return the first phase in which a row can be computed."""
    latest = max((phase for phase, _ in needs), default=BEFORE)
    if _is_on_lanes(row, lanes):
        return BEHIND if latest > LANES or (LANES, False) in needs else LANES
    if latest < LANES:
        return BEFORE
    is_sum = row.code in SUMS and row.reads[0].places.shape[1] > LONG_SUM
    return ADDING if is_sum and latest == LANES else BEHIND


def _is_on_lanes(row: Row, lanes: int) -> bool:
    """Return whether a thread for each lane may compute a row."""
    if row.code in _NOT_ON_LANES or row.elements < lanes or row.elements % lanes:
        return False
    return all(read.places.shape[1] <= MOST_TERMS for read in row.reads)


def split(parts: Sequence[Part], phases: dict[int, int], phase: int) -> list[Part]:
    """Return the rows of one phase."""
    found = [
        Part([row for row in part.rows if phases[row.number] == phase], part.rounds)
        for part in parts
    ]
    return [part for part in found if part.rows]
