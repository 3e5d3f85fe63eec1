"""Instructions for what one step keeps and others use: factors of a matrix, and what the derivative
of its exponential shares with the value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scigrad.linalg.foundation.factors import factorize
from scigrad.linalg.functions import expm_taylor

from . import codes as m
from .exponentials import KEPT, WORK
from .memory import kind_of
from .tape import Slot, Step

if TYPE_CHECKING:
    from .lowering import Lowering

_FACTORIZE = factorize.__wrapped__, ()  # type: ignore[attr-defined]
_BY_LU = ("general", "triangular", "diagonal")


def kept_on_machine(steps: Sequence[Step], results: Sequence[Any], fits: Any) -> set[Slot]:
    """Return the factorizations, and what exponentials save, that no call in Python needs."""
    found = {s.slots[0] for s in steps if s.key == _FACTORIZE}
    found |= {s.slots[1] for s in steps if s.saves and any(x is expm_taylor for x in s.inputs)}
    for step in steps:
        used = found.intersection(x for x in step.inputs if type(x) is Slot)
        uses = _USES.get(getattr(step.primitive, "__name__", ""))
        if used and not (uses is not None and uses(step, used, fits)):
            found -= used
    return found.difference(x for x in results if type(x) is Slot)


def _solves(step: Step, used: set[Slot], fits: Any) -> bool:
    a, b, out = _value(step.inputs[0]), _value(step.inputs[1]), step.slots[0]
    same = np.result_type(a, b) == a.dtype and np.ndim(a) == 2 and 0 < np.ndim(b) < 3
    return used == {step.inputs[2]} and same and fits(b) and fits(out) and np.size(b) > 0


def _differentiates(step: Step, used: set[Slot], fits: Any) -> bool:
    a, e = map(_value, step.inputs[:2])
    if used != {step.inputs[3]} or not all(map(fits, step.inputs[:2])):
        return False
    return np.shape(a) == np.shape(e) and np.asarray(a).dtype == np.asarray(e).dtype


_USES: dict[str, Callable[..., bool]] = {"linear_solve": _solves, "frechet": _differentiates}


def _value(x: Any) -> Any:
    return x.value if type(x) is Slot else x


def _is_small_matrix(program: Lowering, a: Any) -> bool:
    """Return whether an input is a matrix in double precision that varies, on the machine."""
    if type(a) is not Slot or not program.fits(a):
        return False
    value = a.value
    return value.dtype.char in "dD" and value.ndim == 2 and 0 < len(value) <= m.LARGEST_ORDER


# -- systems


def lower_factorization(program: Lowering, step: Step) -> bool:
    _, a, *options = step.inputs
    kind, _, policy = [*options, *["general", False, "raise"][len(options) :]][:3]
    if kind not in _BY_LU or policy != "raise" or step.slots[0] not in program.kept:
        return False
    if not _is_small_matrix(program, a):
        return False
    n, of = len(a.value), kind_of(a.value)
    first, down, along = program.grid_of(program.operand(step, 1), of)
    out, order = program.memory.take(n * n, of), program.memory.take(n, "f")
    program.emit(m.LU if of == "f" else m.Z_LU, n, out, first, down, 0, along, order)
    program.factors[step.slots[0]] = out, order, program.memory.take(n, of), n, of
    return True


def lower_solution(program: Lowering, step: Step) -> bool:
    _, b, factors, adjoint = step.inputs
    found = program.factors_of(factors) if type(factors) is Slot else None
    if found is None or not program.fits(b):
        return False
    lu, order, scratch, n, kind = found
    value = np.asarray(_value(b))
    p = program.operand(step, 1)
    if kind == "c":
        p = program.widened(p, kind_of(value))
    columns = p if p.ndim == 2 else p[:, None]
    first, down, along = program.grid_of(columns, kind)
    out = program.new_places(np.shape(step.slots[0].value), kind)
    program.places[step.slots[0]] = out
    program.emit(
        m.SUBSTITUTE if kind == "f" else m.Z_SUBSTITUTE,
        n, int(out.flat[0]), lu, columns.shape[1], first, down, order, along, int(adjoint), scratch,
    )  # fmt: skip
    return True


# -- exponentials


def lower_exponential(program: Lowering, step: Step) -> bool:
    a, method, known = step.inputs
    if method is not expm_taylor or known is not None or step.slots[1] not in program.kept:
        return False
    if not _is_small_matrix(program, a) or not _has_both_triangles(a.value):
        return False
    n, of = len(a.value), kind_of(a.value)
    first, down, along = program.grid_of(program.operand(step, 0), of)
    kept, count = program.memory.take(KEPT * n * n, of), program.memory.take(1, "f")
    program.places[step.slots[0]] = out = program.new_places((n, n), of)
    code = m.EXPM if of == "f" else m.Z_EXPM
    program.emit(code, n, int(out.flat[0]), first, down, 0, along, kept, count)
    program.factors[step.slots[1]] = kept, count, 0, n, of
    return True


def _has_both_triangles(a: np.ndarray) -> bool:
    """Return whether a matrix is not triangular: such are exponentiated in another way."""
    return bool(np.tril(a, -1).any() and np.triu(a, 1).any())


def lower_exponential_derivative(program: Lowering, step: Step) -> bool:
    factors = step.inputs[3]
    found = program.factors_of(factors) if type(factors) is Slot else None
    if found is None:
        return False
    kept, count, _, n, of = found
    first, down, along = program.grid_of(program.operand(step, 1, whole=True), of)
    work = program.memory.share(WORK * n * n, of)
    program.places[step.slots[0]] = out = program.new_places((n, n), of)
    code = m.FRECHET if of == "f" else m.Z_FRECHET
    program.emit(code, n, int(out.flat[0]), first, down, 0, along, kept, count, work)
    return True


BY_KEY: dict[Any, Callable[[Lowering, Step], bool]] = {
    _FACTORIZE: lower_factorization,
    "linear_solve": lower_solution,
    "matrix_function": lower_exponential,
    "frechet": lower_exponential_derivative,
}
