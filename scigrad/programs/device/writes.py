"""The rows that wrote a place: what rows read of each other, in all rounds of their loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .row_places import Part, Unsuitable

ELSEWHERE, IRREGULAR = -1, -2


class Writes:
    """The places that the rows of a part write: those of a round lie in a block of their own."""

    def __init__(self, part: Part) -> None:
        self.rows, self.rounds = part
        found = [
            (first, first + count, i, k)
            for i, row in enumerate(part.rows)
            for k, (first, count) in enumerate(row.writes)
        ]
        table = np.array(sorted(found) or [(0, 0, 0, 0)], np.int64)
        self._starts, self._ends, self._owners, self._parts = table.T
        self.first = int(self._starts[0]) // 2 * 2
        advances = {row.advance for row in part.rows if row.writes}
        if self.rounds > 1 and len(advances) != 1:
            raise Unsuitable("the rounds of a loop do not lie one after the other")
        self.size = advances.pop() if self.rounds > 1 else int(self._ends.max()) - self.first
        self.size = max(self.size + self.size % 2, 1)
        self._end = self.first + self.rounds * self.size

    def locate(self, doubles: np.ndarray, advance: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return how many rounds ago places were written, for rows of this part; by which row, at
        which double of its result, and of which of its results. The distance is negative where it
        was no row of this part.
        """
        moved = (doubles - self.first) // self.size
        offset = doubles - moved * self.size
        at = np.searchsorted(self._starts, offset, "right") - 1
        is_written = (at >= 0) & (offset < self._ends[at])
        follows = (advance == self.size) | (self.rounds == 1)
        distance = np.where(follows & is_written, -moved, ELSEWHERE)
        distance[(distance < 0) | (distance >= self.rounds)] = ELSEWHERE
        distance[~follows & self._meets(doubles, advance, self.rounds)] = IRREGULAR
        return distance, self._owners[at], offset - self._starts[at], self._parts[at]

    def find(self, doubles: np.ndarray, advance: np.ndarray, rounds: int) -> Any:
        """Return which of some places are written here, as they advance with the rounds of a
        reader, by which rows, and at which double of their results.
        """
        which = np.flatnonzero(self._meets(doubles, advance, rounds))
        doubles, advance = doubles[which], advance[which]
        if which.size and (self.rounds == 1 or (advance % self.size).any()):
            doubles = (doubles + np.arange(rounds)[:, None] * advance).ravel()
            which = np.tile(which, rounds)
            inside = (doubles >= self.first) & (doubles < self._end)
            doubles, which = doubles[inside], which[inside]
        offset = self.first + (doubles - self.first) % self.size
        at = np.searchsorted(self._starts, offset, "right") - 1
        inside = (at >= 0) & (offset < self._ends[at])
        at = at[inside]
        return which[inside], self._owners[at], offset[inside] - self._starts[at]

    def _meets(self, doubles: np.ndarray, advance: np.ndarray, rounds: int) -> np.ndarray:
        """Return which places may lie here in one of some rounds."""
        last = doubles + (rounds - 1) * advance
        low, high = np.minimum(doubles, last), np.maximum(doubles, last)
        return (low < self._end) & (high >= self.first)

    def writers(self, doubles: np.ndarray) -> set[int]:
        """Return the numbers of the rows that write some places."""
        owners = self.find(doubles, np.zeros_like(doubles), 1)[1]
        return {self.rows[i].number for i in np.unique(owners)}


def needs_of(parts: Sequence[Part], lanes: int) -> dict[int, dict[int, bool]]:
    """Return the numbers of the rows that each row reads, and whether it reads nothing of them but
    elements whose numbers are its own modulo `lanes`.
    """
    every = [Writes(part) for part in parts]
    found: dict[int, dict[int, bool]] = {}
    for part in parts:
        for row in part.rows:
            needs = found[row.number] = {}
            for read in row.reads:
                element = np.repeat(np.arange(len(read.places)), read.places.shape[1])
                doubles, advance = read.places.ravel() * read.width, read.advance.ravel()
                for writes in every:
                    which, owners, offsets = writes.find(doubles, advance * read.width, part.rounds)
                    for owner in np.unique(owners):
                        chosen = owners == owner
                        writer = writes.rows[owner]
                        at = offsets[chosen] // writer.width
                        own = bool(((at - element[which[chosen]]) % max(lanes, 1) == 0).all())
                        needs[writer.number] = own and needs.get(writer.number, True)
    return found
