"""A program: what a tape becomes, ready to run on values of the same types and shapes."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules.containers import outputs
from scigrad.typing import Value

from . import codes, repetitions
from .blocks import group_steps
from .instructions import check_result
from .lowering import Lowering
from .machine import machine
from .matrix_instructions import kept_on_machine
from .reduction import reduce_tape
from .tape import DifferentBranch, Slot, Tape

_VARIABLE = re.compile(r"\bt\d+\b")


class Doubt(Exception):
    """A check of the machine failed: the function itself says what to raise or to warn of."""


class Program:
    """Function of the leaves of the arguments, in order, that returns the leaves of the results.

    Each thread that runs it takes a memory of its own, kept for the next run.
    """

    def __init__(self, tape: Tape, finite: Sequence[int] = ()) -> None:
        arguments = tape.arguments
        steps, results = reduce_tape(tape.steps, tape.results)
        lowering = Lowering(arguments, machine() is not None)
        for slot in arguments if steps else ():
            if lowering.fits(slot):
                lowering.load(slot)  # a line of Python ends a stretch of the machine: all at first
        lowering.kept = kept_on_machine(steps, results, lowering.fits)
        grouped = group_steps(steps, results)
        self._block_bytes = sum(getattr(step.function, "block_bytes", 0) for step in grouped)
        self.loops = repetitions.lower_steps(lowering, grouped)
        # The machine does not look at these results, which have to be finite.
        self.unseen = [i for i in finite if not check_result(lowering, results[i])]
        self.steps = len(steps)
        self.instructions = len(lowering.rows)
        self.calls = lowering.calls
        found = [_result(lowering, x) for x in results]
        lowering.flush()
        shared = any(type(x) is not Slot or x not in lowering.places for x in results)
        self.source = _source(lowering, len(arguments), found, shared)
        self._rows = np.array(lowering.rows, np.int64).reshape(-1, codes.WIDTH)
        self._advances = np.array(lowering.advances, np.int64).reshape(-1, codes.WIDTH)
        self._index = np.array(lowering.memory.index or [0], np.int64)
        self._memory = lowering.memory.filled()
        self._scope = {
            **lowering.bound,
            "stop": self._stop,
            "leaves": leaves_of,
            "run": machine(),
            "truth": np.bool_,
            "unshared": unshared,
            "constants": frozenset(map(id, lowering.bound.values())),
        }
        exec(compile(self.source, "<program of jit>", "exec"), self._scope)
        self._branches = lowering.branches
        self._free: list[Callable[..., Any]] = []

    def __call__(self, *leaves: Any) -> list[Any]:
        try:
            run = self._free.pop()
        except IndexError:
            run = self._made()
        found = run(*leaves)
        self._free.append(run)  # not after an error: its memory may be of any state
        return found

    def _stop(self, line: int) -> None:
        raise DifferentBranch if line in self._branches else Doubt

    def _made(self) -> Callable[..., Any]:
        memory = self._memory.copy()
        return self._scope["make"](
            memory, memory.view(complex), self._rows.copy(), self._advances, self._index
        )

    @property
    def bytes(self) -> int:
        """Bytes of a memory of the machine, and of blocks that a run uses again and again."""
        return self._memory.nbytes + self._block_bytes


def _result(lowering: Lowering, x: Any) -> str:
    """Return an expression for a result; what the machine computed is copied from its memory."""
    if type(x) is not Slot:
        return lowering.bind(x)
    name = lowering.name(x)
    if x in lowering.places:  # a number, or a comparison, is no view of the memory
        return f"{name}.copy()" if np.ndim(x.value) and not name.startswith("(") else name
    return name


def _source(lowering: Lowering, count: int, results: Sequence[str], shared: bool) -> str:
    names = ", ".join(f"a{i}" for i in range(count))
    views = "".join(f"    {name} = {view}\n" for name, view in lowering.views.values())
    lines = free_unused(lowering.lines, results)
    body = "".join(f"        {line}\n" for line in lines)
    found = f"[{', '.join(results)}]"
    if shared:
        found = f"unshared({found}, [{names}], constants)"
    return (
        f"def make(v, z, code, steps, index):\n{views}    def call({names}):\n{body}"
        f"        return {found}\n    return call\n"
    )


def free_unused(lines: Sequence[str], results: Sequence[str]) -> list[str]:
    """Return lines that let go of values after their last use: memory that is given back is used
    again, and need not be cleared by the system.
    """
    last: dict[str, int] = {}
    for i, line in enumerate([*lines, " ".join(results)]):
        last.update(dict.fromkeys(_VARIABLE.findall(line), i))
    ending: dict[int, list[str]] = {}
    for name, i in last.items():
        ending.setdefault(i, []).append(name)
    return [
        f"{line}; del {', '.join(ending[i])}" if i in ending else line
        for i, line in enumerate(lines)
    ]


def leaves_of(out: Value, saves: bool, is_single: bool) -> list[Any]:
    """Return what a call made, in the order of the slots of its step."""
    out, saved = out if saves else (out, None)
    found = [out] if is_single else outputs(out)[0]
    return [*found, saved] if saves else found


def unshared(results: list[Any], arguments: Sequence[Any], constants: frozenset[int]) -> list[Any]:
    """Return results that share no memory with the program, its arguments or each other: a call may
    return what it is given, or a part of that.
    """
    known = set(map(id, arguments))
    for i, x in enumerate(results):
        if isinstance(x, np.ndarray) and x.ndim:
            if x.base is not None or id(x) in known or id(x) in constants:
                results[i] = x.copy()
            known.add(id(x))
    return results
