"""Loops: stretches of a tape that repeat, found without a word of the user's.

A Python loop leaves the same calls on the tape again and again, and so do its pushforward and its
pullback, which reads the forward values backwards. Equal stretches are lowered for four of the
rounds. If their instructions differ by constants in their fields, round after round, one round and
these constants stand for all.
"""

from __future__ import annotations

import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from . import codes
from .lowering import Lowering
from .memory import is_small
from .reduction import key_of_constant
from .tape import Slot, Step

_FEWEST = 6  # rounds of a loop
_WARM_UP = 2  # rounds that are lowered before it: what they read may lie elsewhere
_LAST_START = 5  # a loop begins with this round at last
_CANDIDATES = 40  # periods that are tried at a step
_PROBE = 4  # steps that have to agree first


class Loop(NamedTuple):
    """Steps first to first + period * rounds, which repeat with a period."""

    first: int
    period: int
    rounds: int


def find_loops(steps: Sequence[Step]) -> list[Loop]:
    """Return stretches of a tape that repeat, in order."""
    signatures = _signatures(steps)
    text, width = signatures.tobytes(), signatures.itemsize
    places: dict[int, list[int]] = {}
    for i, signature in enumerate(signatures):
        places.setdefault(signature, []).append(i)
    rank = {i: k for found in places.values() for k, i in enumerate(found)}
    producers = _producers(steps)
    loops: list[Loop] = []
    i, count = 0, len(steps)
    while i < count:
        same = places[signatures[i]]
        best = None
        for other in same[rank[i] + 1 : rank[i] + 1 + _CANDIDATES]:
            period = other - i
            if i + _FEWEST * period > count:
                break
            end = (other + _PROBE) * width
            if text[i * width : (i + _PROBE) * width] != text[other * width : end]:
                continue
            rounds = 1 + _agreement(signatures, i, period) // period
            if rounds < _FEWEST:
                continue
            rounds = _regular_rounds(producers, i, period, rounds)
            if rounds >= _FEWEST and (best is None or rounds * period > best.period * best.rounds):
                best = Loop(i, period, rounds)
        if best is None:
            i += 1
        else:
            loops.append(best)
            i += best.period * best.rounds
    return loops


def _signatures(steps: Sequence[Step]) -> array.array[int]:
    """Return a number for each step, equal for calls that differ in the values of their inputs
    alone.
    """
    numbers: dict[Any, int] = {}
    found = array.array("l")
    for step in steps:
        key = (step.key, *map(_form, step.inputs), *map(_form, step.slots))
        found.append(numbers.setdefault(key, len(numbers)))
    return found


def _form(x: Any) -> Any:
    """Return what inputs of repeated calls have in common: a shape and a dtype, or the form of an
    index.
    """
    if type(x) is Slot:
        value = x.value
        return True, getattr(value, "shape", None), getattr(value, "dtype", type(value))
    if _may_vary(x):
        return False, np.shape(x), np.asarray(x).dtype
    if type(x) is int:
        return int
    if type(x) is tuple:
        return tuple(map(_form, x))
    if type(x) is slice:
        return slice, *map(_form, (x.start, x.stop, x.step))
    key = key_of_constant(x)
    return id(x) if key is None else key


def _may_vary(x: Any) -> bool:
    """Return whether a constant may be another in each round."""
    return is_small(x) and np.asarray(x).dtype.kind in "fc"


def _agreement(signatures: array.array[int], first: int, period: int) -> int:
    """Return how many steps agree with those a period later."""
    one = np.frombuffer(signatures, np.int64)[first:]
    same = one[: len(one) - period] == one[period:]
    end = np.argmin(same) if len(same) else 0
    return len(same) if len(same) and same[end] else int(end)


def _producers(steps: Sequence[Step]) -> tuple[np.ndarray, np.ndarray]:
    """Return for each step where its inputs begin in a list of the numbers of slots, and the list;
    slots are numbered in the order in which they are made, arguments by negative numbers.
    """
    numbers: dict[Slot, int] = {}
    starts, found = [0], []
    made = 0
    for step in steps:
        for x in step.inputs:
            if type(x) is Slot:
                found.append(numbers.setdefault(x, -len(numbers) - 1))
        starts.append(len(found))
        for slot in step.slots:
            numbers[slot] = made
            made += 1
    return np.array(starts), np.array(found, int)


def _regular_rounds(
    producers: tuple[np.ndarray, np.ndarray], first: int, period: int, rounds: int
) -> int:
    """Return in how many rounds, from the third on, inputs come from where constant distances say;
    fewer than asked for if the last ones read elsewhere.
    """
    starts, numbers = producers
    last = first + period * rounds
    inputs = numbers[starts[first] : starts[last]].reshape(rounds, -1)
    if inputs.shape[1] == 0:
        return rounds
    moved = np.diff(inputs[_WARM_UP - 1 :], axis=0)
    regular = (moved == moved[1 if len(moved) > 1 else 0]).all(axis=1)
    regular[0] = True
    return rounds if regular.all() else _WARM_UP + int(np.argmin(regular))


# -- lowering


def lower_steps(lowering: Lowering, steps: Sequence[Step]) -> list[Loop]:
    """Add all steps to a program, those that repeat as loops; return the loops."""
    made: list[Loop] = []
    done = 0
    loops = find_loops(steps) if lowering.uses_machine else []
    for loop in loops:
        for step in steps[done : loop.first]:
            lowering.lower(step)
        if _lower_loop(lowering, steps, loop):
            made.append(loop)
        done = loop.first + loop.period * loop.rounds
    for step in steps[done:]:
        lowering.lower(step)
    return made


def _as_array(rows: Sequence[Sequence[int]]) -> np.ndarray:
    return np.array(rows, int).reshape(-1, codes.WIDTH)


class _Irregular(Exception):
    """A stretch is no loop on the machine."""


def _lower_loop(lowering: Lowering, steps: Sequence[Step], loop: Loop) -> bool:
    """Add a loop to a program, by its rounds one after the other if their instructions do not
    advance by constants; return whether they do.
    """
    rounds = [
        steps[loop.first + k * loop.period : loop.first + (k + 1) * loop.period]
        for k in range(loop.rounds)
    ]
    state = lowering.state()
    try:
        _tabulate_constants(lowering, rounds)
        _Rounds(lowering, rounds).lower()
    except _Irregular:
        lowering.restore(state)
        for step in [step for part in rounds for step in part]:
            lowering.lower(step)
        return False
    return True


class _Rounds:
    """Rounds of a loop that are lowered, each in a block of the memory of its own.

    After two rounds that may differ, a third and a fourth are lowered: if instructions are the same
    but for their fields, the difference of these is the advance in each round. It is that of all
    later rounds if the places of all operands advance by constants. They do where an instruction
    made them, in its block, and where elements of such are moved in the same way. All other
    operands are looked at round by round, and what only moves elements in another way each time
    (an index that counts, a sum of scattered parts) is lowered for each.
    """

    def __init__(self, lowering: Lowering, rounds: Sequence[Sequence[Step]]) -> None:
        self.lowering, self.rounds = lowering, rounds
        self.start = _WARM_UP  # the round from which on all are alike
        self.moving: set[int] = set()
        self._sizes: list[int] = []  # blocks of the rounds that were lowered

    def lower(self) -> None:
        lowering, memory = self.lowering, self.lowering.memory
        made = {slot for steps in self.rounds for step in steps for slot in step.slots}
        for x in [x for steps in self.rounds for step in steps for x in step.inputs]:
            if type(x) is Slot and x not in made and x not in lowering.factors and lowering.fits(x):
                lowering.load(x)  # arguments are copied before the loop
        for k in range(_WARM_UP):
            lowering.rows.extend(self._rows(k)[0])
        begin = memory.size
        (body, emits), (following, again) = self._rows(self.start), self._rows(self.start + 1)
        while not self._are_alike(body, following, emits, again):
            if self.start in (_LAST_START, len(self.rounds) - 2):
                raise _Irregular
            self.start += 1
            lowering.rows.extend(body)
            begin = memory.size - self._sizes[-1]
            body, emits = following, again
            following, again = self._rows(self.start + 1)
        end = self._follow(emits)
        times = end - self.start
        if times < _FEWEST - _WARM_UP:
            raise _Irregular
        advance = _as_array(following) - _as_array(body)
        for row, following_row, step in zip(body, following, advance, strict=True):
            if row[0] in (codes.GATHER, codes.Z_GATHER):
                row[3], step[3] = self._table(row, following_row, times)
        start = len(lowering.rows)
        lowering.rows.extend(body)
        lowering.emit(codes.REPEAT, times - 1, start, len(lowering.advances))
        lowering.advances.extend(advance.tolist())
        memory.size = begin + times * self._sizes[-1]
        for k in range(end, len(self.rounds)):
            lowering.rows.extend(self._rows(k)[0])
        lowering.scratch.clear()

    def _are_alike(self, body: Any, following: Any, emits: Any, again: Any) -> bool:
        """Return whether two rounds have the same instructions in blocks of the same layout, and
        the first reads of the round before it what the second reads of the first.
        """
        if emits != again or self._sizes[-1] != self._sizes[-2]:
            return False
        if (_as_array(following) - _as_array(body))[:, :2].any():  # codes and counts
            return False
        self.moving = self._moving_anew(emits)
        before = {
            slot: (j, i)
            for j, step in enumerate(self.rounds[self.start - 1])
            for i, slot in enumerate(step.slots)
        }
        for j, step in enumerate(self.rounds[self.start]):
            for i, x in enumerate(step.inputs):
                if type(x) is not Slot or x not in before or before[x][0] in self.moving:
                    continue
                made_by, output = before[x]
                known = [
                    self.lowering.all_places(slot)
                    for slot in (
                        x,
                        self.rounds[self.start + 1][j].inputs[i],
                        self.rounds[self.start + 1][made_by].slots[output],
                    )
                ]
                if not (known[1] - known[0] == known[2] - known[1]).all():
                    return False
        return True

    def _rows(self, k: int) -> tuple[list[list[int]], list[int]]:
        """Return the instructions of a round, and how many belong to each step."""
        lowering = self.lowering
        lowering.scratch.clear()
        lowering.memory.align()
        size = lowering.memory.size
        start, lines = len(lowering.rows), len(lowering.lines)
        counts = []
        for step in self.rounds[k]:
            before = len(lowering.rows)
            lowering.lower(step)
            if len(lowering.lines) != lines:
                raise _Irregular
            counts.append(len(lowering.rows) - before)
        rows = lowering.rows[start:]
        del lowering.rows[start:]
        lowering.memory.align()
        self._sizes.append(lowering.memory.size - size)
        return rows, counts

    def _follow(self, emits: Sequence[int]) -> int:
        """Find where the values of all further rounds lie; return the number of the first round
        that does not advance as those before it.
        """
        moving = self.moving
        looked_at = [
            (j, i)
            for j, count in enumerate(emits)
            for i in self._inputs_to_look_at(j, moving)
            if count or j not in moving
        ]
        for k in range(self.start + 2, len(self.rounds)):
            rows = len(self.lowering.rows)
            for j, step in enumerate(self.rounds[k]):
                if j in moving:
                    self.lowering.lower(step)
                else:
                    self._roll(j, k)
            follows = all(self._advances(j, i, k) for j, i in looked_at)
            if len(self.lowering.rows) != rows or not follows:
                del self.lowering.rows[rows:]
                for step in self.rounds[k]:
                    for slot in step.slots:
                        self.lowering.forget(slot)
                return k
        return len(self.rounds)

    def _moving_anew(self, emits: Sequence[int]) -> set[int]:
        """Return the steps without instructions that may move elements in another way each time."""
        place = self._places_in_round()
        steps = self.rounds[self.start]
        moving: set[int] = set()
        before = -1
        while len(moving) != before:
            before = len(moving)
            for j, step in enumerate(steps):
                if emits[j] or j in moving:
                    continue
                inputs = [x for x in step.inputs if type(x) is Slot]
                if (
                    not self._is_constant(j)
                    or any(place.get(x) in moving for x in inputs)
                    or any(self._is_from_outside(j, i) for i in range(len(step.inputs)))
                ):
                    moving.add(j)
        return moving

    def _places_in_round(self) -> dict[Slot, int]:
        """Return which step makes each value of the third round and of the one before it."""
        found = {}
        for k in (self.start - 1, self.start):
            for j, step in enumerate(self.rounds[k]):
                found.update(dict.fromkeys(step.slots, j))
        return found

    def _is_constant(self, j: int) -> bool:
        """Return whether the integers among the inputs of a step are the same in all rounds."""
        inputs = [self.rounds[k][j].inputs for k in range(self.start, len(self.rounds))]
        for i, x in enumerate(inputs[0]):
            if type(x) is not Slot and not _may_vary(x):
                first = _integers_in(x)
                if any(other[i] is not x and _integers_in(other[i]) != first for other in inputs):
                    return False
        return True

    def _is_from_outside(self, j: int, i: int) -> bool:
        """Return whether an input is another value, of no round, each time."""
        first, second = (self.rounds[k][j].inputs[i] for k in (self.start, self.start + 1))
        if type(first) is not Slot or first is second:
            return False
        return first not in self._places_in_round()

    def _inputs_to_look_at(self, j: int, moving: set[int]) -> list[int]:
        """Return the inputs of a step of which it is not known that they advance by constants."""
        place = self._places_in_round()
        found = []
        for i, x in enumerate(self.rounds[self.start][j].inputs):
            if type(x) is Slot and (place.get(x) in moving or self._is_from_outside(j, i)):
                found.append(i)
        return found

    def _advances(self, j: int, i: int, k: int) -> bool:
        """Return whether an input of a round lies where the advance says."""
        lowering = self.lowering
        first, second, now = (self.rounds[n][j].inputs[i] for n in (self.start, self.start + 1, k))
        start, following, found = (lowering.all_places(x) for x in (first, second, now))
        return bool((found == start + (k - self.start) * (following - start)).all())

    def _roll(self, j: int, k: int) -> None:
        """Let the results of a step lie where the advance says."""
        first, second = self.rounds[self.start][j], self.rounds[self.start + 1][j]
        for triple in zip(self.rounds[k][j].slots, first.slots, second.slots, strict=True):
            self.lowering.rolled[triple[0]] = *triple[1:], k - self.start

    def _table(self, row: list[int], following: list[int], times: int) -> tuple[int, int]:
        """Return where the indices of an instruction begin, and their advance with the rounds."""
        index, count = self.lowering.memory.index, row[1]
        first, second = (np.array(index[r[3] : r[3] + count]) for r in (row, following))
        start, moved = len(index), second - first
        if not moved.any():
            index.extend(first.tolist())
            return start, 0
        index.extend((first + np.arange(times)[:, None] * moved).ravel().tolist())
        return start, count


def _tabulate_constants(lowering: Lowering, rounds: Sequence[Sequence[Step]]) -> None:
    """Write constants that differ between the rounds one after the other; check that integers in
    indices advance.
    """
    for same in zip(*rounds, strict=True):
        for i, x in enumerate(same[0].inputs):
            if type(x) is Slot:
                continue
            values = [step.inputs[i] for step in same]
            if all(value is x for value in values):
                continue
            if _may_vary(x):
                keys = {key_of_constant(value) for value in values}
                if len(keys) > 1:
                    table = lowering.memory.tabulate(values)
                    for step, places in zip(same, table, strict=True):
                        lowering.tables[step, i] = places
            else:
                _check_integers(same[0], values)


def _check_integers(step: Step, values: Sequence[Any]) -> None:
    """Refuse integers that do not advance by a constant, and those that are no index."""
    found = np.array([_integers_in(x) for x in values])
    if (found == found[0]).all():
        return
    if getattr(step.primitive, "__name__", "") not in ("_getitem", "scatter"):
        raise _Irregular
    moved = np.diff(found[_WARM_UP:], axis=0)
    if (
        not (moved == moved[0]).all()
        or not ((found >= 0).all(axis=0) | (found < 0).all(axis=0)).all()
    ):
        raise _Irregular


def _integers_in(x: Any) -> list[int]:
    if type(x) is int:
        return [x]
    if type(x) is slice:
        return _integers_in((x.start, x.stop, x.step))
    return [i for part in x for i in _integers_in(part)] if type(x) is tuple else []
