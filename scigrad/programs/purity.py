"""The check that a function is one of its arguments: a second run has to make the calls of the
first.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import TracedValueError
from scigrad.typing import Value

from .reduction import key_of_constant
from .tape import Slot, Step, Tape, line_of_user

_COMPARED = (int, float, complex, str, bytes, bool, type(None), np.generic, slice)


class Replay(Tape):
    """Tape of a second run: its calls are those of the first, and are given their results, so that
    nothing is computed twice.
    """

    def __init__(self, first: Tape, name: str) -> None:
        super().__init__(first.arguments, first.branches)
        self.name, self._first = name, first
        self._expected = iter(first.steps)

    def constant(self, x: Any) -> Any:
        return x

    def made(self, step: Step, concrete: Sequence[Any]) -> Step:
        known = self._next(step.inputs)
        if _name(known) == "check_raises":
            step.function(*concrete)
            raise self._difference(line_of_user())
        if known.key is not step.key and _name(known) != _name(step):
            raise self._difference(line_of_user())
        return known

    def check(self, part: Callable[..., Any], *inputs: Any) -> Any:
        known = self._next(inputs)
        if _name(known) != "check_equal" or name_of_call(known.key[0]) != name_of_call(part):
            raise self._difference(line_of_user())
        return known.key[1]

    def _next(self, inputs: Sequence[Any]) -> Step:
        """Return the call that the first run made here, with the same inputs."""
        known = next(self._expected, None)
        if known is None or not _agrees(inputs, known.inputs):
            raise self._difference(line_of_user())
        return known

    def end(self, out: Value) -> None:
        """Check that both runs return the same, and that the second made as many calls."""
        if next(self._expected, None) is not None:
            raise self._difference("before it returns")
        super().end(out)
        if self.tree != self._first.tree or not _agrees(self.results, self._first.results):
            raise self._difference("and returned")

    def _difference(self, line: str) -> TracedValueError:
        self.refusal = differs(self.name, line)
        return self.refusal


def differs(name: str, line: str) -> TracedValueError:
    return TracedValueError(
        f"jit: {name} is not a function of its arguments: two runs with the same ones"
        f" differ in what is computed {line}. A program is recorded once: draw random numbers,"
        " read clocks and count calls outside, and pass the results as arguments."
    )


def are_alike(steps: Sequence[Step], others: Sequence[Step]) -> bool:
    """Return whether two runs made the same calls with the same constants."""
    return len(steps) == len(others) and all(
        _name(one) == _name(other)
        and all(
            type(x) is type(y) is Slot or _agrees(x, y)
            for x, y in zip(one.inputs, other.inputs, strict=True)
        )
        for one, other in zip(steps, others, strict=True)
    )


def _agrees(x: Any, y: Any) -> bool:
    """Return whether two runs used the same."""
    if x is y:
        return True
    if type(x) is Slot or type(y) is Slot:
        return False
    if isinstance(x, (list, tuple)) and type(x) is type(y) and len(x) == len(y):
        return all(map(_agrees, x, y))
    if isinstance(x, np.ndarray) and isinstance(y, np.ndarray):
        return x.shape == y.shape and x.dtype == y.dtype and x.tobytes() == y.tobytes()
    if isinstance(x, _COMPARED):
        return key_of_constant(x) == key_of_constant(y)
    return type(x) is type(y)  # objects of other libraries' or of ours are made in each run


def _name(step: Step) -> str:
    return name_of_call(step.primitive or step.function)


def name_of_call(function: Any) -> str:
    return getattr(function, "__name__", "")


def draws_numbers(name: str, generator: str) -> TracedValueError:
    return TracedValueError(
        f"jit: {name} is not a function of its arguments: it draws from {generator}, which a"
        " recorded program would not do again. Draw the numbers outside, and pass them as an"
        " argument."
    )


def takes_items(name: str, iterator: str) -> TracedValueError:
    return TracedValueError(
        f"jit: {name} is not a function of its arguments: it uses {iterator}, an iterator, whose"
        " next item a recorded program would not take. Make a list of it, or pass the item as an"
        " argument."
    )
