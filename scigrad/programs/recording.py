"""A run of a function with staged values, whose calls are left on a tape, and the program that they
become.
"""

import contextlib
import gc
import logging
import operator
import time
from cmath import isfinite
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import TracedValueError
from scigrad.autodiff_rules.boxes import Running
from scigrad.autodiff_rules.containers import flatten
from scigrad.autodiff_rules.recording import call_explained
from scigrad.autodiff_rules.trace import sealed

from .arguments import Call
from .captures import Captures
from .device import program_of
from .program import Doubt, Program
from .purity import Replay, draws_numbers, takes_items
from .tape import ClosesOverTraced, Slot, Tape

_LONG = 2.0  # seconds of recording that are worth a word
_log = logging.getLogger("scigrad")
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
def sealing(level: int) -> Iterator[None]:
    sealed.add(level)
    try:
        yield
    finally:
        sealed.discard(level)


def run(tape: Tape, f: Function, call: Call) -> Any:
    """Run a function with staged values in place of arguments that vary; return its result."""
    with Running() as level, sealing(level), np.errstate(all="ignore"):
        tape.level = level
        args, kwargs = call.with_values([tape.box(slot) for slot in tape.arguments])
        before = flatten((args, kwargs))
        try:
            out = call_explained(f, args, kwargs)
        except Exception as error:
            if tape.refusal not in (None, error):
                raise tape.refusal from error
            raise
        if tape.refusal is not None:
            raise tape.refusal
        _refuse_changes(before, flatten((args, kwargs)))
        tape.end(out)
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


class Recorded:
    """A program with the structure of its results, and what the function closed over."""

    def __init__(self, program: Program, captures: Captures, rebuild: Function) -> None:
        self.program, self.captures, self.rebuild = program, captures, rebuild
        self.seconds = 0.0  # recording and lowering took so long
        self.was_finite = True  # all results of the recorded run
        self.way = ""  # the line at which a value steered it last

    def __call__(self, leaves: Sequence[Any]) -> Any:
        found = self.program(*leaves)
        for i in self.program.unseen:
            if not _has_finite_numbers(found[i]):
                raise Doubt  # the function itself warns
        return self.rebuild(found)


@_without_collection()
def record(f: Function, call: Call, branches: str, captures: Captures) -> Recorded:
    """Return the program of a call of a function that uses some values."""
    start = time.perf_counter()
    if captures.holds_traced:
        raise ClosesOverTraced
    name = getattr(f, "__name__", repr(f))
    if captures.iterator:
        raise takes_items(name, captures.iterator)
    tape = Tape([Slot(x) for x in call.given], branches)
    out = run(tape, f, call)
    if drawn := captures.drew():
        raise draws_numbers(name, drawn)
    if captures.changed():  # work arrays and caches are filled; a second run leaves them so
        captures = Captures([f, *call.constants])
    _run_again(Replay(tape, name), f, call, captures)
    finite = [_has_finite_numbers(x.value) if type(x) is Slot else None for x in tape.results]
    program = program_of(tape, [i for i, known in enumerate(finite) if known])
    made = Recorded(program, captures, flatten(out)[1].unflatten)
    made.seconds = time.perf_counter() - start
    made.was_finite, made.way = False not in finite, tape.way
    if made.seconds > _LONG:
        _log.info("jit: recorded %s in %.1f s, %d steps", f, made.seconds, program.steps)
    return made


def _run_again(again: Replay, f: Function, call: Call, captures: Captures) -> None:
    """Refuse a function that does not do the same for the same arguments, or that changes what it
    uses.
    """
    error = None
    try:
        run(again, f, call)
    except Exception as raised:
        error = raised
    if changed := captures.changed():
        raise TracedValueError(
            f"jit: {again.name} is not a function of its arguments: it changes {changed}, which a"
            " recorded program does not. Return the new value instead."
        )
    if error is not None:
        raise error


def _has_finite_numbers(x: Any) -> bool:
    """Return whether a result has no NaN and no infinity; one without such numbers has none."""
    kind = type(x)
    if kind in (np.float64, float, complex):
        return isfinite(x)
    if kind is np.ndarray and x.dtype.kind in "fc":
        return isfinite(np.vdot(x, x).real) or bool(np.isfinite(x).all())
    return not (isinstance(x, np.generic) and x.dtype.kind in "fc") or bool(np.isfinite(x))
