"""Loops of a program that take as many rounds as values say: condition and body are programs of
their own.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules.boxes import Running
from scigrad.autodiff_rules.containers import Tree
from scigrad.autodiff_rules.spaces import is_number
from scigrad.autodiff_rules.trace import Traced, as_scalar

from .device import program_of
from .purity import are_alike, differs, name_of_call
from .recording import sealing
from .staged import NUMBERS, Staged, StagedNumber
from .tape import ClosesOverTraced, Slot, Tape, line_of_user

Function = Callable[..., Any]


class _Part(Tape):
    """Tape of a function that a program calls again and again, with the values of the program that
    it uses.
    """

    def __init__(self, leaves: Sequence[Any]) -> None:
        values = [x._value if isinstance(x, Staged) else as_scalar(x) for x in leaves]
        super().__init__(list(map(Slot, values)), "guard")
        self.captured: dict[Slot, Any] = {}

    def call(
        self, function: Function, key: Any, values: Sequence[Any], primitive: Any = None
    ) -> tuple[Any, Any]:
        for x in values:
            self._capture(x)
        return super().call(function, key, values, primitive)

    def slot_of(self, x: Any) -> Any:
        return x._slot if self._capture(x) else super().slot_of(x)

    def _capture(self, x: Any) -> bool:
        is_outer = getattr(x, "_is_sealed", False) and x._tape is not self
        if is_outer:
            self.captured[x._slot] = x
        return is_outer

    @property
    def is_steered(self) -> bool:
        """Return whether a value steers what the function computes: an index, a caught error."""
        return any(
            step.key[0] in (bool, int) or name_of_call(step.function) == "check_raises"
            for step in self.steps
            if not step.slots
        )

    @property
    def keeps_dtypes(self) -> bool:
        """Return whether the results have the dtypes of the values that the function was given."""
        return self.dtypes == [_dtype(slot) for slot in self.arguments]

    @property
    def dtypes(self) -> list[Any]:
        return list(map(_dtype, self.results))


def _dtype(x: Any) -> Any:
    """Return the dtype of a value, of a number of Python's its type."""
    value = x.value if type(x) is Slot else x
    return type(value) if type(value) in NUMBERS else value.dtype


def _part_of(f: Function, tree: Tree, leaves: Sequence[Any]) -> _Part:
    """Return the tape of a function of leaves, which has to do the same in a second run."""
    parts = _Part(leaves), _Part(leaves)
    for part in parts:
        with Running() as level, sealing(level):
            part.level = level
            part.end(f(tree.unflatten([part.box(slot) for slot in part.arguments])))
        if part.refusal is not None:
            raise part.refusal
    if not are_alike(*[part.steps for part in parts]):
        raise differs("a function of while_loop", line_of_user())
    return parts[0]


def record_while(cond: Function, body: Function, leaves: Sequence[Any], tree: Tree) -> Any:
    """Add a loop to a program as one call; return the last leaves, None where it is no call: a
    derivative or a batch is computed, values steer its rounds, or these change dtypes.
    """
    if not all(
        isinstance(x, Staged) or (is_number(x) and not isinstance(x, Traced)) for x in leaves
    ):
        return None
    try:
        rounds = _part_of(body, tree, leaves)
        if not rounds.keeps_dtypes:  # 0 becomes a float in the first
            leaves = [_with_dtype(x, dtype) for x, dtype in zip(leaves, rounds.dtypes, strict=True)]
            rounds = _part_of(body, tree, leaves)
        condition = _part_of(cond, tree, leaves)
    except ClosesOverTraced:
        return None
    is_steered = rounds.is_steered or condition.is_steered
    if is_steered or not rounds.keeps_dtypes:
        return None
    return _looped(condition, rounds, leaves)


def _with_dtype(x: Any, dtype: Any) -> Any:
    if isinstance(dtype, type):
        return x._number(dtype, x) if type(x) is StagedNumber else dtype(x)
    return x.astype(dtype) if isinstance(x, Staged) else np.asarray(x, dtype)[()]


def _looped(condition: _Part, rounds: _Part, leaves: Sequence[Any]) -> list[Any]:
    captured = {**condition.captured, **rounds.captured}
    count = len(leaves)
    for part in (condition, rounds):
        part.arguments = [*part.arguments, *captured]
    goes_on, after = program_of(condition, ()), program_of(rounds, ())

    def while_loop(*values: Any) -> tuple[Any, ...]:
        carry, rest = values[:count], values[count:]
        while goes_on(*carry, *rest)[0]:
            carry = after(*carry, *rest)
        return tuple(carry)

    given = [*leaves, *captured.values()]
    tape = max((x._tape for x in given if isinstance(x, Traced)), key=lambda tape: tape.level)
    found = tape.call(while_loop, (while_loop, ()), given)[0]
    return [found[i] for i in range(count)]
