"""Instructions of the machine for the calls that it computes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scigrad.autodiff_rules.masked import is_finite
from scigrad.linalg.foundation.matrices import finite

from . import codes as m
from . import matrix_instructions, staged
from .memory import ONE, WIDEST, ZERO, has_known_zeros, is_small, kind_of
from .tape import Slot, Step

if TYPE_CHECKING:
    from .lowering import Lowering


def lower(program: Lowering, step: Step) -> bool:
    """Add the instructions of a step, if the machine has some; return whether it has."""
    rule = _BY_KEY.get(step.key) or _BY_KEY.get(getattr(step.key, "__name__", None))
    if rule is not None and (step.primitive is None or step.saves):
        return rule(program, step)
    if not step.is_single or step.saves or not is_small(step.slots[0].value, WIDEST):
        return False
    if np.asarray(step.slots[0].value).dtype.kind in "iu":
        return False
    if rule is not None and _is_ours(step.primitive):
        return is_small(step.slots[0].value, program.largest) and rule(program, step)
    kernel = getattr(step.primitive, "kernel", None)
    if not isinstance(kernel, np.ufunc) or not all(map(program.fits, step.inputs)):
        return False
    return _elementwise(program, step, kernel.__name__)


def _is_ours(primitive: Any) -> bool:
    kernel, home = primitive.kernel, primitive.__module__ or ""
    return isinstance(kernel, np.ufunc) or home.startswith("scigrad.")


def _value(x: Any) -> Any:
    return x.value if type(x) is Slot else x


# -- element by element

_SAME_FOR_TRUTH = {
    "bitwise_and": "logical_and",
    "bitwise_or": "logical_or",
    "invert": "logical_not",
    "bitwise_xor": "not_equal",
}


def _elementwise(program: Lowering, step: Step, name: str) -> bool:
    out = step.slots[0]
    values = [_value(x) for x in step.inputs]
    shape, kind = np.shape(out.value), kind_of(out.value)
    if name in _SAME_FOR_TRUTH:
        if any(np.asarray(v).dtype != bool for v in values):
            return False
        name = _SAME_FOR_TRUTH[name]
    if name == "power" and type(step.inputs[1]) is not Slot and np.ndim(values[1]) == 0:
        return _power(program, step, values[1])
    is_complex = "c" in map(kind_of, values)
    if name == "conjugate" and not is_complex:
        program.places[out] = program.operand(step, 0)
        return True
    if name == "positive":
        program.places[out] = program.operand(step, 0)
        return True
    known = m.COMPLEX if is_complex else m.UNARY if len(values) == 1 else m.BINARY
    if name not in known:
        return False
    places = [program.operand(step, i) for i in range(len(values))]
    if is_complex:
        places = [program.widened(p, kind_of(v)) for p, v in zip(places, values, strict=True)]
    found = emit_elementwise(program, name, places, shape, kind, is_complex)
    if found is not None:
        program.places[out] = found
    return found is not None


def _power(program: Lowering, step: Step, exponent: Any) -> bool:
    base, out = step.inputs[0], step.slots[0]
    kind, shape = kind_of(out.value), np.shape(out.value)
    if type(base) is not Slot or kind_of(base.value) != kind:
        return False
    places = program.operand(step, 0)
    if np.size(out.value) > program.largest:
        return False
    if exponent in (1, 2, 3):
        power = places
        for _ in range(int(exponent) - 1):
            power = emit_elementwise(program, "multiply", [power, places], shape, kind, kind == "c")
        program.places[out] = power
        return True
    if kind == "c" or kind_of(exponent) == "c":
        return False
    program.places[out] = emit_elementwise(
        program, "power", [places, program.operand(step, 1)], shape, "f", False
    )
    return True


def emit_elementwise(
    program: Lowering,
    name: str,
    places: Sequence[np.ndarray],
    shape: tuple[int, ...],
    kind: str,
    is_complex: bool,
) -> Any:
    """Append an elementwise operation and return the places of its results, None if it is too
    large.

    Sums with 0 and products with 0 and 1 are no instruction. What is multiplied by 0 has to be
    finite.
    """
    operands = [np.broadcast_to(p, shape).ravel() for p in places]
    of = "c" if is_complex else "f"
    known = _known(name, operands, of)
    if name == "multiply":
        for p, q in (operands, operands[::-1]):
            vanishes = (p == ZERO) & (known < 0)
            if vanishes.any():
                _check_finite(program, q[vanishes], of)
                known[vanishes] = ZERO
    rest = np.flatnonzero(known < 0)
    most = program.largest
    if rest.size > most or (known.size > most and not has_known_zeros(known)):
        return None
    if rest.size:
        chosen = operands if rest.size == known.size else [p[rest] for p in operands]
        code = (m.COMPLEX if is_complex else m.UNARY if len(places) == 1 else m.BINARY)[name]
        runs = [field for p in chosen for field in program.run_of(p, of)]
        first = program.memory.take(rest.size, kind)
        program.emit(code, rest.size, first, *runs)
        known[rest] = first + np.arange(rest.size)
    return known.reshape(shape)


def _check_finite(program: Lowering, places: np.ndarray, kind: str) -> None:
    """Append a check that numbers are finite, once."""
    unique = np.unique(places)
    unique = unique[(unique != ZERO) & (unique != ONE[kind])]
    key = "finite", kind, unique.tobytes()
    if unique.size and key not in program.scratch:
        program.scratch[key] = True
        code = m.FINITE if kind == "f" else m.Z_FINITE
        program.emit(code, unique.size, 0, *program.run_of(unique, kind))


def check_result(program: Lowering, x: Any) -> bool:
    """Append a check that a result is finite; return whether it lies on the machine."""
    if type(x) is not Slot or x not in program.places:
        return False
    _check_finite(program, program.places[x].ravel(), kind_of(x.value))
    return True


def _known(name: str, operands: Sequence[np.ndarray], kind: str) -> np.ndarray:
    """Return the places of results that are one of the operands, -1 for others."""
    known = np.full(operands[0].shape, -1)
    one = ONE[kind]
    if name in ("add", "subtract"):
        np.copyto(known, operands[0], where=operands[1] == ZERO)
    if name == "add":
        np.copyto(known, operands[1], where=operands[0] == ZERO)
    if name in ("multiply", "divide"):
        np.copyto(known, operands[0], where=operands[1] == one)
    if name == "multiply":
        np.copyto(known, operands[1], where=operands[0] == one)
    if name == "negative":
        np.copyto(known, ZERO, where=operands[0] == ZERO)
    return known


def _part_of_complex(imaginary: int) -> Callable[[Lowering, Step], bool]:
    def rule(program: Lowering, step: Step) -> bool:
        if kind_of(_value(step.inputs[0])) != "c":
            return False
        program.places[step.slots[0]] = 2 * program.operand(step, 0) + imaginary
        return True

    return rule


def _constant(program: Lowering, step: Step) -> bool:
    value = step.inputs[1]
    if type(value) is Slot or not program.fits(value):
        return False
    program.places[step.slots[0]] = program.operand(step, 1)
    return True


def _select(program: Lowering, step: Step) -> bool:
    values = [_value(x) for x in step.inputs]
    out = step.slots[0]
    if len(values) != 3 or not all(map(program.fits, step.inputs)) or kind_of(out.value) == "c":
        return False
    if np.asarray(values[0]).dtype != bool:
        return False
    shape = np.shape(out.value)
    operands = [np.broadcast_to(program.operand(step, i), shape) for i in range(3)]
    runs = [field for p in operands for field in program.run_of(p, "f")]
    program.places[out] = found = program.new_places(shape, "f")
    program.emit(m.SELECT, found.size, int(found.flat[0]) if found.size else 0, *runs)
    return True


def _of_numbers(name: str) -> Callable[[Lowering, Step], bool]:
    """Return a rule for an operator of Python's numbers that is a function of NumPy's; where its
    result is not finite, Python may raise.
    """

    def rule(program: Lowering, step: Step) -> bool:
        out = step.slots[0]
        varying = [x.value for x in (out, *step.inputs) if type(x) is Slot]
        if any(type(x) is int for x in varying) or not all(map(program.fits, step.inputs)):
            return False
        if name == "power" and type(step.inputs[1]) is not int:
            return False
        if not _elementwise(program, step, name):
            return False
        if name in ("divide", "power"):
            _check_finite(program, program.places[out].ravel(), kind_of(out.value))
        return True

    return rule


# -- sums and products


def _sum(program: Lowering, step: Step) -> bool:
    x, axis = step.inputs[0], step.inputs[1]
    out = step.slots[0]
    value = np.asarray(_value(x))
    if not program.fits(x) or value.dtype.kind not in "fc" or not value.size:
        return False
    p, kind = program.operand(step, 0, whole=True), kind_of(value)
    axes = range(p.ndim) if axis is None else np.atleast_1d(axis) % p.ndim
    axes = [int(i) for i in axes]
    rest = [i for i in range(p.ndim) if i not in axes]
    count = int(np.prod([p.shape[i] for i in rest]))
    p = p.transpose(*rest, *axes).reshape(count, -1)
    if p.shape[1] == 1:
        program.places[out] = p.reshape(np.shape(out.value))
        return True
    first, down, along = program.grid_of(p, kind)
    program.places[out] = found = program.new_places(np.shape(out.value), kind)
    code = m.SUM if kind == "f" else m.Z_SUM
    program.emit(code, count, int(found.flat[0]), first, down, 0, along, p.shape[1])
    return True


def _euclidean(program: Lowering, step: Step) -> bool:
    """Append hypotenuses of halves until one is left, which neither overflow nor underflow."""
    x, axes = step.inputs
    if not program.fits(x) or not np.size(_value(x)):
        return False
    p, is_complex = program.operand(step, 0, whole=True), kind_of(_value(x)) == "c"
    p = np.moveaxis(p, axes, np.arange(-np.size(axes), 0))
    p = p.reshape(*p.shape[: p.ndim - np.size(axes)], -1)
    if is_complex or p.shape[-1] == 1:
        p = emit_elementwise(program, "absolute", [p], p.shape, "f", is_complex)
    while (count := p.shape[-1]) > 1:
        halves = p[..., : count // 2], p[..., -(count // 2) :]
        found = emit_elementwise(program, "hypot", halves, halves[0].shape, "f", False)
        p = np.concatenate([found, p[..., count // 2 : -(count // 2)]], axis=-1)
    program.places[step.slots[0]] = p[..., 0]
    return True


def _matmul(program: Lowering, step: Step) -> bool:
    values = [np.asarray(_value(x)) for x in step.inputs]
    out = step.slots[0]
    if not all(map(program.fits, step.inputs)):
        return False
    if any(v.dtype.kind not in "fc" or v.ndim > 2 or not v.size for v in values):
        return False
    a, b = (program.operand(step, i, whole=True) for i in (0, 1))
    a, b = a if a.ndim == 2 else a[None, :], b if b.ndim == 2 else b[:, None]
    if a.size * b.shape[1] > program.most_products:
        return False
    kind = kind_of(out.value)
    if kind == "c":
        a, b = (program.widened(p, kind_of(v)) for p, v in zip((a, b), values, strict=True))
    rows, columns = program.grid_of(a, kind), program.grid_of(b, kind)
    program.places[out] = found = program.new_places(np.shape(out.value), kind)
    program.emit(
        m.MATMUL if kind == "f" else m.Z_MATMUL,
        a.shape[0], int(found.flat[0]), rows[0], rows[1], columns[0], columns[1],
        a.shape[1], b.shape[1], rows[2], columns[2],
    )  # fmt: skip
    return True


# -- checks


def _lower_check(program: Lowering, step: Step) -> bool:
    i = len(step.inputs) - 1
    x = step.inputs[i]
    if type(x) is not Slot or not program.fits(x):
        return False
    p, kind = program.operand(step, i), kind_of(x.value)
    code = m.FINITE if kind == "f" else m.Z_FINITE
    if step.key[0] is is_finite:
        program.branches.add(len(program.rows))
    program.emit(code, p.size, 0, *program.run_of(p, kind))
    return True


_OPERATORS = {
    operator.add: "add", operator.sub: "subtract", operator.mul: "multiply",
    operator.truediv: "divide", operator.pow: "power", operator.neg: "negative", abs: "absolute",
    operator.pos: "positive", operator.eq: "equal", operator.ne: "not_equal",
    operator.lt: "less", operator.le: "less_equal", operator.gt: "greater",
    operator.ge: "greater_equal", staged.as_numpy: "positive",
}  # fmt: skip
Rule = Callable[["Lowering", Step], bool]
_BY_KEY: dict[Any, Rule] = {
    **matrix_instructions.BY_KEY,
    (finite.__wrapped__, ()): _lower_check,  # type: ignore[attr-defined]
    (is_finite, True): _lower_check,
    "_sum": _sum,
    "_euclidean": _euclidean,
    "matmul": _matmul,
    "where": _select,
    "_trace_like": _constant,
    "_real": _part_of_complex(0),
    "_imag": _part_of_complex(1),
    (staged.choose, ()): _select,
    staged.REAL: _part_of_complex(0),
    staged.IMAG: _part_of_complex(1),
    **{function: _of_numbers(name) for function, name in _OPERATORS.items()},
}
