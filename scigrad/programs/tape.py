"""The tape: what a function does to plain arrays, recorded below all transforms that run in it.

A `Staged` value is the box of the lowest level. It has the concrete value of the run that is
recorded, so that kernels run as always, and its slot on the tape. Transforms inside of the function
start later and take their own values out of the boxes first: what reaches a staged value is a call
of a kernel on plain arrays.
"""

from __future__ import annotations

import contextlib
import functools
import operator
import sys
from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from types import FrameType
from typing import Any, NoReturn

import numpy as np

from scigrad.autodiff_rules import TracedValueError
from scigrad.autodiff_rules.boxes import LOWEST, VARYING, Recorded
from scigrad.autodiff_rules.containers import Tree, flatten, outputs
from scigrad.autodiff_rules.declare import Linear
from scigrad.autodiff_rules.graph import ATOMS, guarded, is_settled, new_serial, protect
from scigrad.autodiff_rules.messages import callers, errors, explanations
from scigrad.autodiff_rules.primitive import OverLeaves
from scigrad.autodiff_rules.spaces import space
from scigrad.autodiff_rules.trace import ZERO, Traced, check_running, check_view, running
from scigrad.typing import Value

from .parts import parts_of

Function = Callable[..., Any]
_LIBRARIES = ("scigrad.", "numpy", "scipy")
_NUMBERS = (bool, int, float, complex)


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
        if hasattr(value, "dtype") or type(value) in _NUMBERS:
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
            elif isinstance(x, _Sealed):
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
        elif primitive is None or hasattr(out, "dtype") or type(out) in _NUMBERS:
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


class _Sealed(Traced):
    """Value whose program is recorded."""

    __slots__ = ()
    _slot: Slot
    _tape: Tape
    _is_sealed = True

    def __init__(self, slot: Slot, tape: Tape) -> None:
        self._slot, self._tape = slot, tape
        self._value, self._level, self._base = slot.value, tape.level, None

    def _interpret(
        self, primitive: Any, values: Sequence[Any], boxes: Sequence[int], writable: Any
    ) -> tuple[Any, Any]:
        check_running(self)
        if getattr(primitive, "data_dependent_shape", False):
            raise errors.data_dependent_shape(primitive.__name__.strip("_"))
        parts = parts_of(primitive, values)
        if parts is not None:
            return parts(*values), None
        key = _key_over_leaves(primitive) if type(primitive) is OverLeaves else primitive
        return self._tape.call(_with_keywords(primitive), key, values, primitive)

    def _check(self, condition: Function) -> Any:
        """Return a condition of the value; the program holds where it is the same."""
        return self._tape.check(condition, self._slot)

    def _record(self, function: Function, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Make and record the call of a function that is no primitive."""
        names = tuple(kwargs)
        values = [*args, *kwargs.values()]
        call = _by_name(function, names) if names else function
        return self._tape.call(call, (function, names), values)[0]


class Staged(_Sealed):
    """Array or number of a program that is recorded."""

    __slots__ = ("_slot", "_tape")

    def __bool__(self) -> bool:
        return self._tape.guard(self, bool)

    def __int__(self) -> int:
        return self._tape.guard(self, int)

    def __index__(self) -> int:
        if self.dtype.kind not in "iu":
            raise TypeError("only integers can be used as an index")
        return self._tape.guard(self, int)

    def __float__(self) -> NoReturn:
        raise self._tape.refuse("float")

    def __complex__(self) -> NoReturn:
        raise self._tape.refuse("complex")

    def __format__(self, specification: str) -> str:
        if specification:
            raise self._tape.refuse("format")
        return repr(self)


def _short(primitive: Any, values: Sequence[Any]) -> Any:
    """Return the output of most calls, of a function of a fixed number of such values and plain
    ones; None where it needs the general way.
    """
    own = None
    for x in values:
        kind = type(x)
        if kind is Staged:
            own = x if own is None or x._level > own._level else own
        elif kind is Recorded:
            return _pushed(primitive, x, values[1:]) if x is values[0] else None
        elif not (is_settled(x) or kind is np.float64 or (kind is np.ndarray and x.ndim)):
            return None
    if own is None or own._level not in running:
        return None
    return own._tape.call(primitive.kernel, primitive, values, primitive)[0]


def _pushed(primitive: Any, x: Any, rest: Sequence[Any]) -> Any:
    """Return the output of a function linear in a recorded value, which is recorded itself."""
    is_short = isinstance(primitive, Linear) and x._level in running and all(map(is_settled, rest))
    if not is_short:
        return None
    if x._base is not None:
        check_view(x)
    out = _short(primitive, (x._value, *rest))
    if type(out) is not Staged or out.dtype.kind not in "fc":
        return None
    kept = primitive.Call(space(x._value), *rest, space(out), None)
    kept = protect(x._level, kept) if guarded else kept
    return Recorded(out, x._level, (new_serial(), primitive, kept, ((0, x._node),)))


LOWEST[Staged] = _short
VARYING.add(Staged)


class StagedObject(_Sealed):
    """Object that a kernel saved for its rules, or another function made, as one value.

    Its attributes and items are read by steps of their own.
    """

    __slots__ = ("_slot", "_tape")

    @property
    def __class__(self) -> Any:  # isinstance asks it
        return type(self._value)

    def __bool__(self) -> bool:
        return self._tape.check(bool, self._slot)

    def __len__(self) -> int:
        return self._tape.check(len, self._slot)

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        return self._part(operator.getitem, index)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self._value, name)
        if callable(found) and getattr(found, "__self__", None) is self._value:
            return lambda *args, **kwargs: self._record(_call_method, (self, name, *args), kwargs)
        return self._part(getattr, name)

    def _part(self, function: Function, name: Any) -> Any:
        found = function(self._value, name)
        if found is None or isinstance(found, (str, bool, int)):
            return self._tape.check(function, self._slot, name)
        return self._tape.call(function, function, [self, name])[0]


def _call_method(owner: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    return getattr(owner, name)(*args, **kwargs)


def _key_over_leaves(primitive: OverLeaves) -> Any:
    trees = tuple([(repr(tree), count) for tree, count in primitive.trees])
    return primitive.inner, trees


def _with_keywords(primitive: Any) -> Function:
    """Return a function of all bound values, in order, that calls the kernel of a primitive."""
    kernel, names = primitive.kernel, primitive.keyword
    return _by_name(kernel, names) if names else kernel


@functools.lru_cache(10_000)
def _by_name(function: Function, names: tuple[str, ...]) -> Function:
    """Return a function whose last arguments are the named ones of another."""
    count = len(names)

    def call(*values: Any) -> Any:
        return function(*values[:-count], **dict(zip(names, values[-count:], strict=True)))

    return call
