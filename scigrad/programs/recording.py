"""One run of a function with staged values, whose calls are left on a tape."""

import contextlib
import gc
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import TracedValueError
from scigrad.autodiff_rules.boxes import Running
from scigrad.autodiff_rules.containers import flatten
from scigrad.autodiff_rules.trace import sealed

from .tape import Tape

Function = Callable[..., Any]


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Look for no garbage: what a tape holds lives as long as it, and to go through it again and
    again takes as long as the recording.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextlib.contextmanager
def _sealing(level: int) -> Iterator[None]:
    sealed.add(level)
    try:
        yield
    finally:
        sealed.discard(level)


def record(
    tape: Tape, f: Function, leaves: Sequence[Any], varying: Sequence[int], rebuild: Function
) -> Any:
    """Run a function with staged values in place of some leaves of its arguments; return what the
    function returned.
    """
    with Running() as level, _sealing(level), _without_collection(), np.errstate(all="ignore"):
        tape.level = level
        given = list(leaves)
        for i, slot in zip(varying, tape.arguments, strict=True):
            given[i] = tape.box(slot)
        args, kwargs = rebuild(given)
        before = flatten((args, kwargs))
        try:
            out = f(*args, **kwargs)
        except Exception as error:
            if tape.refusal not in (None, error):
                raise tape.refusal from error
            raise
        if tape.refusal is not None:
            raise tape.refusal
        _refuse_changes(before, flatten((args, kwargs)))
    return out


def _refuse_changes(before: tuple[list[Any], Any], after: tuple[list[Any], Any]) -> None:
    """Refuse a function that puts something into a container among its arguments, or takes it out:
    the caller's stays as it is.
    """
    same = len(before[0]) == len(after[0]) and all(map(operator.is_, before[0], after[0]))
    if not same or before[1] != after[1]:
        raise TracedValueError(
            "jit: the function changes a list, a dict or an object among its arguments, which a"
            " recorded program does not. Return the new one instead."
        )
