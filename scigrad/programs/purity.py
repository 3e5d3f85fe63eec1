"""The check that a function is one of its arguments: two recordings have to be the same tape."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import TracedValueError

from .reduction import key_of_constant
from .tape import Slot, Step

_COMPARED = (int, float, complex, str, bytes, bool, type(None), np.generic, slice)


def first_difference(one: Sequence[Step], other: Sequence[Step]) -> int | None:
    """Return the number of the first step in which two tapes of one function differ, None if they
    do not.
    """
    numbers: dict[Slot, int] = {}
    others: dict[Slot, int] = {}
    for i, (mine, its) in enumerate(zip(one, other, strict=False)):
        if len(mine.inputs) != len(its.inputs) or _name(mine) != _name(its):
            return i
        for x, y in zip(mine.inputs, its.inputs, strict=True):
            if not _agrees(x, y, numbers, others):
                return i
        for slots, known in ((mine.slots, numbers), (its.slots, others)):
            for slot in slots:
                known[slot] = len(known)
    return None if len(one) == len(other) else min(len(one), len(other)) - 1


def _agrees(x: Any, y: Any, numbers: dict[Slot, int], others: dict[Slot, int]) -> bool:
    if type(x) is Slot or type(y) is Slot:
        if type(x) is not type(y):
            return False
        return numbers.setdefault(x, -len(numbers)) == others.setdefault(y, -len(others))
    if isinstance(x, (list, tuple)) and type(x) is type(y) and len(x) == len(y):
        return all(_agrees(a, b, numbers, others) for a, b in zip(x, y, strict=True))
    if isinstance(x, np.ndarray) and isinstance(y, np.ndarray):
        return x.shape == y.shape and x.dtype == y.dtype and x.tobytes() == y.tobytes()
    if isinstance(x, _COMPARED):
        return key_of_constant(x) == key_of_constant(y)
    return type(x) is type(y)  # objects of other libraries' or of ours are made in each run


def _name(step: Step) -> str:
    return getattr(step.primitive or step.function, "__name__", "")


def draws_numbers(name: str, generator: str) -> TracedValueError:
    return TracedValueError(
        f"jit: {name} is not a function of its arguments: it draws from {generator}, which a"
        " recorded program would not do again. Draw the numbers outside, and pass them as an"
        " argument."
    )


def not_a_function(name: str, line: str) -> TracedValueError:
    return TracedValueError(
        f"jit: {name} is not a function of its arguments: two runs with the same ones differ in"
        f" what is computed {line}. A program is recorded once: draw random numbers, read clocks"
        " and count calls outside, and pass the results as arguments."
    )
