"""The tape: what a function does to plain arrays, recorded below all transforms that run in it.

A `Staged` value (staged.py) is the box of the lowest level. It has the concrete value of the run
that is recorded, so that kernels run as always, and its slot on the tape. Transforms inside of the
function start later and take their own values out of the boxes first: what reaches a staged value
is a call of a kernel on plain arrays.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from types import FrameType
from typing import Any

import numpy as np

from scigrad.autodiff_rules import TracedValueError
from scigrad.autodiff_rules.containers import Tree, flatten, outputs
from scigrad.autodiff_rules.graph import ATOMS
from scigrad.autodiff_rules.messages import callers, errors, explanations
from scigrad.autodiff_rules.trace import ZERO, Traced, check_view, running
from scigrad.typing import Value

from .staged import NUMBERS, Sealed, Staged, StagedNumber, StagedObject

Function = Callable[..., Any]
_LIBRARIES = ("scigrad.", "numpy", "scipy")


class DifferentBranch(Exception):
    """A value steers the program to where the recorded run did not come."""


class ClosesOverTraced(Exception):
    """The function meets a traced value that is no argument of its own."""


class Slot:
    """Place of a value on the tape, with the value that it had in the recorded run."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


class Step:
    """A call: function(*inputs) makes the values of `slots`. An input is a slot or a constant.

    Functions of equal keys are equal. One with `saves` returns its output and what it saved; one
    without slots is a check, which raises where the program does not hold.
    """

    __slots__ = ("function", "inputs", "is_single", "key", "primitive", "rebuild", "saves", "slots")

    def __init__(
        self, function: Function, key: Any, inputs: Sequence[Any], primitive: Any = None
    ) -> None:
        self.function, self.key, self.primitive = function, key, primitive
        self.inputs = inputs
        self.slots: list[Slot] = []
        self.saves = self.is_single = False
        self.rebuild: Function | None = None


class Tape:
    """Calls of one run, in order, with the slots of the arguments."""

    level = 0
    tree: Tree
    results: list[Any]  # slots, and constants

    def __init__(self, arguments: Sequence[Slot], branches: str) -> None:
        self.arguments, self.branches = arguments, branches
        self.refusal: TracedValueError | None = None  # the function may have caught it
        self.steps: list[Step] = []
        self.way = ""  # the line of the last value that steered the function
        self._constants: dict[int, tuple[Any, Any]] = {}
        self._context: Context | None = None  # the last one whose error state was looked at

    def box(self, slot: Slot) -> Any:
        value = slot.value
        if type(value) in NUMBERS:
            return StagedNumber(slot, self)
        if hasattr(value, "dtype"):
            return Staged(slot, self)
        return StagedObject(slot, self) if value is not None else None

    def call(
        self, function: Function, key: Any, values: Sequence[Any], primitive: Any = None
    ) -> tuple[Any, Any]:
        """Compute and record a call; return the output and what was saved, in boxes."""
        inputs: list[Any] = []
        concrete: list[Any] = []
        for x in values:
            if type(x) in ATOMS:
                inputs.append(x)
                concrete.append(x)
            elif isinstance(x, Sealed):
                if x._base is not None:
                    check_view(x)
                inputs.append(x._slot)
                concrete.append(x._value)
            elif isinstance(x, Traced):
                raise ClosesOverTraced
            else:
                inputs.append(self.constant(x))
                concrete.append(x)
        step = self.made(Step(function, key, inputs, primitive), concrete)
        slots = step.slots
        if step.is_single and not step.saves:
            return self.box(slots[0]), None
        boxes = [self.box(slot) for slot in slots]
        saved = boxes.pop() if step.saves else None
        if step.rebuild is not None:
            return step.rebuild(boxes), saved
        return boxes[0] if boxes else None, saved

    def made(self, step: Step, concrete: Sequence[Any]) -> Step:
        """Return a step whose call has been made."""
        primitive = step.primitive
        self._check_error_state()
        try:
            out = step.function(*concrete)
        except Exception as error:
            self._check_error(step.function, step.inputs, type(error))
            raise
        step.saves = primitive is not None and primitive.saves
        out, saved = out if step.saves else (out, None)
        if out is None and primitive is None:
            pass  # a check, which raises or not
        elif primitive is None or hasattr(out, "dtype") or type(out) in NUMBERS:
            step.is_single = True
            step.slots.append(Slot(out))
        else:
            leaves, step.rebuild = outputs(out)
            step.slots.extend([Slot(x) for x in leaves])
        if step.saves:
            step.slots.append(Slot(saved))
        self.steps.append(step)
        return step

    def _check_error_state(self) -> None:
        context = copy_context()  # It has NumPy's error state; to compare contexts is quicker.
        if context != self._context and "raise" in np.geterr().values():
            raise TracedValueError(
                f'jit: numpy.errstate with "raise" {line_of_user()}: a recorded program does not'
                " raise where numbers are not finite. Ask numpy.isfinite instead."
            )
        self._context = context

    def _check_error(self, function: Function, inputs: Sequence[Any], kind: type) -> None:
        """Append a check that a call raises an error, which the recorded function may catch."""

        def check_raises(*values: Any) -> None:
            with contextlib.suppress(kind):
                function(*values)
                raise DifferentBranch

        self.steps.append(Step(check_raises, (function, kind), inputs))

    def end(self, out: Value) -> None:
        """Set what the function returned as results."""
        leaves, self.tree = flatten(out)
        self.results = [self.slot_of(x) for x in leaves]

    def slot_of(self, x: Any) -> Any:
        """Return the slot of a result, or a constant."""
        if isinstance(x, Staged) and x._level == self.level:
            check_view(x)
            return x._slot
        if isinstance(x, StagedObject):
            raise TracedValueError("jit: a function has to return arrays, numbers and containers")
        if isinstance(x, Traced) and x is not ZERO:
            raise ClosesOverTraced
        return self.constant(x)

    def constant(self, x: Any) -> Any:
        """Return a constant as it is now: the copy of an array, made once for the same numbers."""
        if type(x) in (list, tuple):
            return type(x)([self.constant(item) for item in x])
        if not isinstance(x, np.ndarray):
            return x
        known = self._constants.get(id(x))
        if known is None or not np.array_equal(known[1], x, equal_nan=x.dtype.kind in "fc"):
            known = self._constants[id(x)] = x, x.copy()
            known[1].flags.writeable = False
        return known[1]

    def check(self, part: Function, *inputs: Any) -> Any:
        """Return part(*inputs), and record that the program holds only where it is equal."""
        self._check_running()
        expected = part(*[x.value if isinstance(x, Slot) else x for x in inputs])

        def check_equal(*values: Any) -> None:
            if part(*values) != expected:
                raise DifferentBranch

        self.steps.append(Step(check_equal, (part, expected), inputs))
        return expected

    def refuse(self, kind: str) -> TracedValueError:
        """Return the error of a conversion, which is raised even if the function catches it: it
        would not have been raised without jit.
        """
        self._check_running()
        called = callers.find_called_function()
        self.refusal = TracedValueError(
            explanations.not_for_traced(called)
            if called
            else f"jit: {kind}() of a traced value {line_of_user()}: a recorded program is used for"
            f" other values too. Leave {kind}() out: the value can be used as a number."
        )
        return self.refusal

    def _check_running(self) -> None:
        """Refuse what is asked of a value that has outlived its recording."""
        if self.level not in running:
            raise errors.escaped_value()

    def guard(self, x: Staged, kind: type) -> Any:
        """Return a value that steers the program, and record that it did."""
        check_view(x)
        self.way = line_of_user()
        if self.branches == "refuse":
            raise TracedValueError(
                f"jit: {kind.__name__}() of a traced value {self.way}: the program would"
                " depend on the data. Use numpy.where or scigrad.cond, or pass"
                ' branches="guard", which records each branch when it is first taken.'
            )
        return self.check(kind, x._slot)


def line_of_user() -> str:
    """Return the file and line of the caller's code outside of this package."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(_LIBRARIES):
        frame = frame.f_back
    return f"at {frame.f_code.co_filename}:{frame.f_lineno}"
