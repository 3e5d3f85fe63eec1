"""Cases of a spec on a backend, the function of the arguments that vary, and batches of them: what laws are checked on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import MissingKernel, space
from scigrad.autodiff_rules.primitive import Primitive
from scigrad.autodiff_rules.spaces import flatten, is_inexact

from .arrays import make_array
from .opspec import Case, OpSpec

DOUBLE = (np.float64, np.complex128)


class NothingShown(Exception):
    """Not a failure, but the law holds for want of a sample that it could fail on."""


class NoKernel(NothingShown):
    """The backend has no kernel for any sample."""


class NothingVaries(NothingShown):
    """No sample has a floating-point argument, which a function without rules of its own may do."""


def over_cases(spec: OpSpec, backend: str, check: Callable[[OpSpec, Case, str], None], gradient: bool = False,
                dtypes: Any = DOUBLE) -> None:  # fmt: skip
    ran = missing = 0
    for dtype in dtypes:
        for case in spec.cases(dtype, gradient):
            try:
                check(spec, Case(case.name, make_array(case.args, backend), make_array(case.kwargs, backend)), backend)
                ran += 1
            except Exception as error:
                if backend == "numpy" or not isinstance(error, MissingKernel):
                    error.add_note(f"in {spec.name}, case '{case.name}', {np.dtype(dtype)}")
                    raise
                missing += 1
    if not ran:
        if missing:
            raise NoKernel(f"{spec.name}: {backend} has no kernel")
        raise AssertionError(f"{spec.name}: the spec yields no sample at all")


def varying(spec: OpSpec, case: Case) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function of the floating leaves of a case's positional arguments alone, with its floating outputs."""
    leaves, tree = flatten(case.args)
    places = [i for i, x in enumerate(leaves) if is_inexact(x)]

    def f(*some: Any) -> Any:
        full = list(leaves)
        for i, x in zip(places, some, strict=True):
            full[i] = x
        outs = flatten(spec.function(*tree.unflatten(full), **case.kwargs))[0]
        return tuple(y for y in outs if is_inexact(y))

    return f, tuple(leaves[i] for i in places)


def over_varying(spec: OpSpec, backend: str, check: Callable[[Any, Any], None], dtypes: Any = DOUBLE) -> None:
    """check(f, x) for the floating leaves x of each case, of which there has to be one at least."""
    shown = False

    def check_case(spec: OpSpec, case: Case, _: str) -> None:
        nonlocal shown
        f, x = varying(spec, case)
        if x:
            check(f, x)
            shown = shown or any(space(v).size for v in x)

    over_cases(spec, backend, check_case, gradient=True, dtypes=dtypes)
    if not shown:
        unshown = AssertionError if isinstance(spec.function, Primitive) else NothingVaries
        raise unshown(f"{spec.name}: no sample has a floating-point argument that could vary")


SCALES = (1.0, 0.96, 1.03)  # keep structure (Hermitian, triangular) and stay near the sample


def batch_of(x: tuple[Any, ...], choice: tuple[bool, ...]) -> tuple[list[Any], list[list[Any]]]:
    """A batch of each chosen argument, and its elements one by one."""
    batch = [np.stack([s * v for s in SCALES]) if own else v for v, own in zip(x, choice, strict=True)]
    return batch, [[b[i] if own else b for b, own in zip(batch, choice, strict=True)] for i in range(len(SCALES))]


def stacked(rows: list[Any]) -> tuple[Any, ...]:
    return tuple(np.stack(column) for column in zip(*rows, strict=True))
