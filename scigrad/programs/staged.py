"""Staged values: what a function that is recorded computes with, in place of arrays and numbers."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from scigrad.autodiff_rules.boxes import LOWEST, VARYING, WEAK, Recorded
from scigrad.autodiff_rules.declare import Linear
from scigrad.autodiff_rules.graph import guarded, is_settled, new_serial, protect
from scigrad.autodiff_rules.messages import errors
from scigrad.autodiff_rules.primitive import OverLeaves
from scigrad.autodiff_rules.spaces import space
from scigrad.autodiff_rules.trace import Traced, check_running, check_view, running

from .parts import parts_of

if TYPE_CHECKING:
    from .tape import Slot, Tape

Function = Callable[..., Any]
NUMBERS = frozenset((bool, int, float, complex))


class Sealed(Traced):
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


class Staged(Sealed):
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


class StagedNumber(Staged):
    """Number of Python's own. With others of these its operators are Python's, so that an array of
    single precision that it meets stays one.
    """

    __slots__ = ("_slot", "_tape")

    def _interpret(
        self, primitive: Any, values: Sequence[Any], boxes: Sequence[int], writable: Any
    ) -> tuple[Any, Any]:
        if isinstance(primitive, Linear) and all(_is_weak(x) or is_settled(x) for x in values):
            # their kernels use methods of arrays
            values = [x._number(as_numpy, x) if _is_weak(x) else x for x in values]
        return super()._interpret(primitive, values, boxes, writable)

    def _number(self, function: Function, *values: Any) -> Any:
        """Make and record a call of numbers alone."""
        staged = [x for x in values if type(x) is StagedNumber]
        tape = max(staged, key=lambda x: x._level)._tape
        for x in staged:
            check_running(x)
        out = tape.call(function, function, values)[0]
        if function is operator.pow and type(values[1]) is not int:
            tape.check(type, out._slot)  # a root of a negative number is complex
        return out

    def __round__(self, digits: int | None = None) -> Any:
        return self._number(round, self, digits)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def conjugate(self) -> Any:
        return self._number(CONJUGATE, self)

    @property
    def real(self) -> Any:
        return self._number(REAL, self)

    @property
    def imag(self) -> Any:
        return self._number(IMAG, self)


def _is_weak(x: Any) -> bool:
    return type(x) is StagedNumber


def as_numpy(x: Any) -> Any:
    """Return a number as NumPy's."""
    return np.asarray(x)[()]


def choose(condition: Any, x: Any, y: Any) -> Any:
    """Return one of two numbers of Python's."""
    return x if condition else y


REAL, IMAG = operator.attrgetter("real"), operator.attrgetter("imag")
CONJUGATE = operator.methodcaller("conjugate")
_QUESTIONS = {name: getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")}
_BINARY = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
    "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor,
}  # fmt: skip
_UNARY = {"neg": operator.neg, "pos": operator.pos, "abs": abs, "invert": operator.invert}


def _operator(name: str, function: Function, is_reflected: bool = False) -> Function:
    """Return an operator of two numbers of Python's, of others Traced's of this name."""

    def operate(self: StagedNumber, other: Any) -> Any:
        if type(other) is not StagedNumber and type(other) not in NUMBERS:
            return getattr(Traced, name)(self, other)
        return self._number(function, *((other, self) if is_reflected else (self, other)))

    return operate


for _name, _function in (_QUESTIONS | _BINARY).items():
    setattr(StagedNumber, f"__{_name}__", _operator(f"__{_name}__", _function))
for _name, _function in _BINARY.items():
    setattr(StagedNumber, f"__r{_name}__", _operator(f"__r{_name}__", _function, True))
    setattr(StagedNumber, f"__i{_name}__", _operator(f"__{_name}__", _function))
for _name, _function in _UNARY.items():
    setattr(StagedNumber, f"__{_name}__", lambda self, call=_function: self._number(call, self))
StagedNumber.__hash__ = None  # type: ignore[assignment]
WEAK.add(StagedNumber)


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


class StagedObject(Sealed):
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
