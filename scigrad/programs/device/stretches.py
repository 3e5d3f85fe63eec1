"""Stretches of a program of rows, straight ones and loops, and where each operand comes from.

Each place of the memory is written once in a run, and those of a round of a loop lie in a block of
their own. An operand is therefore the value of one row, of this round or of another one, and a
barrier stands only where a thread reads what another thread has written in the same round.

A row of at most four numbers is computed by every thread, one of more than the block has threads
by a loop over its elements in memory; of all others a thread holds the element of its number.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .row_places import (
    FACTORS,
    LONG_SUM,
    SOLUTIONS,
    SUMS,
    Constants,
    Part,
    Read,
    Row,
)
from .writes import ELSEWHERE, IRREGULAR, Writes

EVERY, ONE, NONE = range(3)  # threads that hold a result: all of it, an element each, none
MOST_SHARED = 20_000  # doubles of a block's own memory
FEW = 4  # numbers of a result that every thread computes
MOST_TERMS = 16  # terms of a sum that are written out


class Operand(NamedTuple):
    """Where the elements of an operand that a thread reads come from.

    `kind` is "value" (a variable of this round), "carried" (one of the round before), "literal",
    "shared" (this block's memory) or "memory".
    """

    kind: str
    name: str
    places: np.ndarray
    advance: np.ndarray
    width: int
    distance: int  # rounds since it was written, -1 if it was not in this stretch
    waits: tuple[int, ...]  # rows that other threads have computed, in the same round


class Stretch:
    """Rows that run once, or as many times as a loop has rounds.

    Of `lanes` a thread computes every element whose number modulo the number of threads is its
    own, and needs nothing of another thread.
    """

    def __init__(
        self,
        part: Part,
        threads: int,
        constants: Constants,
        few: int = FEW,
        lanes: bool = False,
    ) -> None:
        rows, rounds = part
        self.rows, self.rounds, self.threads, self.lanes = rows, rounds, threads, lanes
        self.constants = constants
        self.holding = [ONE if lanes else _holding(row, threads, few) for row in rows]
        self._writes = Writes(part)
        self.first, self.size = self._writes.first, self._writes.size
        self.is_stored = [False] * len(rows)  # in memory
        self.is_shared = [False] * len(rows)
        self.waits_at_end = False
        self.mirrors = 0 < 2 * self.size <= MOST_SHARED and not lanes
        self.operands = [self._operands_of(i, row) for i, row in enumerate(rows)]
        self.levels = self._levels()

    def count_held(self, row: Row) -> int:
        """Return how many elements of a row a thread holds."""
        return row.elements // self.threads if self.lanes else 1

    def _operands_of(self, i: int, row: Row) -> list[list[Operand]]:
        """Return the operands of a row: for each read a list over elements and terms if every
        thread computes it, over terms if a thread computes an element.
        """
        found = []
        for read in row.reads:
            where = self._writes.locate(read.places * read.width, read.advance * read.width)
            count = read.places.shape[1]
            if self.holding[i] == EVERY:
                spots: Any = np.ndindex(read.places.shape)
            elif self.holding[i] == ONE and count <= MOST_TERMS:
                size = row.elements // self.count_held(row)
                spots = [
                    (slice(k, k + size), j)
                    for k in range(0, row.elements, size or 1)
                    for j in range(count)
                ]
            else:
                found.append([self._operand(read, where, in_memory=True)])
                continue
            found.append(
                [
                    self._operand(
                        read._replace(
                            places=np.atleast_1d(read.places[at]),
                            advance=np.atleast_1d(read.advance[at]),
                        ),
                        [np.atleast_1d(x[at]) for x in where],
                    )
                    for at in spots
                ]
            )
        return found

    def _operand(self, read: Read, where: Any, in_memory: bool = False) -> Operand:
        places, advance, width = read
        distance, owners = where[0], where[1]
        here = distance == 0
        found = None if in_memory else self._variable(places, advance, where, width)
        if found is not None:
            return found
        is_one_round = distance.flat[0] in (0, 1) and bool((distance == distance.flat[0]).all())
        is_shared = self.mirrors and is_one_round and not in_memory
        is_shared = is_shared and all(self.holding[o] != NONE for o in set(owners.tolist()))
        waits = tuple(set(owners[here].tolist()))
        if (distance == IRREGULAR).any():
            waits = tuple(range(len(self.rows)))
        if distance.max() > 0 or (distance == IRREGULAR).any():
            self.waits_at_end = True
        for o in set(owners[distance >= 0].tolist()):
            (self.is_shared if is_shared else self.is_stored)[o] = True
        if (distance == IRREGULAR).any():
            self.is_stored = [True] * len(self.rows)
        kind = "shared" if is_shared else "memory"
        nearest = int(distance.max())
        return Operand(kind, "", places, advance, width, nearest, waits)

    def _variable(
        self, places: np.ndarray, advance: np.ndarray, where: Any, width: int
    ) -> Operand | None:
        """Return an operand that a thread holds, or a literal; None if it holds none."""
        distance, owners, offsets, parts = where
        is_one = bool((places == places[0]).all() and (advance == advance[0]).all())
        if is_one and advance[0] == 0 and (literal := self.constants.text(places[0], width)):
            return Operand("literal", literal, places, advance, width, ELSEWHERE, ())
        age, owner, part = int(distance[0]), int(owners[0]), int(parts[0])
        if age not in (0, 1) or not (distance == age).all() or not (owners == owner).all():
            return None
        of = 1 if part else self.rows[owner].width
        if width > of or not (parts == part).all():
            return None
        elements, components = offsets // of, offsets % of
        holds = self.holding[owner]
        if holds == EVERY and is_one:
            element = int(elements[0])
        elif holds == ONE and len(places) > 1 and _are_own(elements, self.threads):
            element = int(elements[0]) // self.threads
        else:
            return None
        if not (components == components[0]).all():
            return None
        name = name_of(self.rows[owner], element, part)
        if of == 2 and width == 1:
            name += ".xy"[0] + "xy"[int(components[0])]
        kind = "value" if age == 0 else "carried"
        waits = (-1 - owner,) if age == 0 else ()  # the row itself, by the same thread
        return Operand(kind, name, places, advance, width, age, waits)

    # -- order

    def _levels(self) -> list[int]:
        """Return the number of barriers of the round that stand before each row."""
        levels: list[int] = []
        for i in range(len(self.rows)):
            level = 0
            for operand in (x for operands in self.operands[i] for x in operands):
                for other in operand.waits:
                    if other < 0:
                        level = max(level, levels[-1 - other])
                    elif other < i:
                        level = max(level, levels[other] + 1)
            levels.append(level)
        return levels


def name_of(row: Row, element: int, part: int = 0) -> str:
    """Return the variable of an element of a result; part 1 are the numbers of exchanged rows."""
    if row.code in FACTORS:
        return f"{'p' if part else 'r'}{row.number}[{element}]"
    if row.code in SOLUTIONS:
        return f"r{row.number}[{element}]"
    return f"r{row.number}_{element}"


def _are_own(elements: np.ndarray, threads: int) -> bool:
    """Return whether each thread reads an element of its own number."""
    return elements[0] % threads == 0 and bool(
        (elements - elements[0] == np.arange(len(elements))).all()
    )


def _holding(row: Row, threads: int, few: int) -> int:
    terms = max(read.places.shape[1] for read in row.reads)
    if row.code in FACTORS:
        return EVERY if row.n <= few else NONE
    if row.code in SOLUTIONS:
        return EVERY if row.n <= few and row.n * row.elements <= 2 * few else NONE
    if row.code in SUMS and terms > LONG_SUM:
        return NONE
    if row.elements <= few and terms <= MOST_TERMS:
        return EVERY
    return ONE if row.elements <= threads else NONE
