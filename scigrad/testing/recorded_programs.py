"""The law of recorded programs: what `jit` makes of a function, its pullback and its pushforward
equals the function, at the point of the recording and beside it.
"""

import dataclasses
from typing import Any

import numpy as np

from scigrad.autodiff_rules import (
    DeviceMismatch,
    InPlaceError,
    MissingRule,
    TracedValueError,
    jvp,
    vjp,
    vmap,
)
from scigrad.autodiff_rules.containers import map_leaves
from scigrad.autodiff_rules.spaces import is_inexact
from scigrad.programs import jit

from .arrays import assert_close, to_host
from .cases import over_varying
from .draw import Draw
from .gradcheck import directions, largest
from .opspec import Case, OpSpec

_SHAPE = "the shape of what it computes depends on values"
_HOST = "SciPy computes numbers that steer it, such as an order"
_LIST = "it makes a plain array of values, one by one"
_SOLVER = "a solver of SciPy's steers by values"
# Functions that cannot be recorded, and why.
NOT_RECORDED = {
    "linalg.null_space": _SHAPE,
    "linalg.orth": _SHAPE,
    "linalg.subspace_angles": _SHAPE,
    "numpy.argwhere": _SHAPE,
    "numpy.flatnonzero": _SHAPE,
    "numpy.nonzero": _SHAPE,
    "numpy.polymul": _SHAPE,
    "numpy.trim_zeros": _SHAPE,
    "numpy.unique": _SHAPE,
    "numpy.unique_all": _SHAPE,
    "numpy.unique_counts": _SHAPE,
    "numpy.unique_inverse": _SHAPE,
    "numpy.unique_values": _SHAPE,
    "signal.buttord": _HOST,
    "signal.cheb1ord": _HOST,
    "signal.cheb2ord": _HOST,
    "signal.choose_conv_method": _HOST,
    "signal.ellipord": _HOST,
    "signal.find_peaks": _SHAPE,
    "signal.findfreqs": _HOST,
    "signal.iirdesign": _HOST,
    "signal.kaiserord": _HOST,
    "signal.residue": _HOST,
    "signal.residuez": _HOST,
    "signal.symiirorder1": _LIST,
    "signal.symiirorder2": _LIST,
    "optimize.bisect": _SOLVER,
    "optimize.brenth": _SOLVER,
    "optimize.brentq": _SOLVER,
    "optimize.curve_fit": _SOLVER,
    "optimize.fixed_point": _SOLVER,
    "optimize.fsolve": _SOLVER,
    "optimize.least_squares": _SOLVER,
    "optimize.linprog": _SOLVER,
    "optimize.minimize": _SOLVER,
    "optimize.minimize_scalar": _SOLVER,
    "optimize.newton": _SOLVER,
    "optimize.ridder": _SOLVER,
    "optimize.root": _SOLVER,
    "optimize.root_scalar": _SOLVER,
    "optimize.toms748": _SOLVER,
    "sparse.csgraph.breadth_first_tree": _SHAPE,
    "sparse.csgraph.depth_first_tree": _SHAPE,
    "sparse.csgraph.minimum_spanning_tree": _SHAPE,
    "sparse.find": _SHAPE,
    "sparse.linalg.expm": _SHAPE,
    "sparse.linalg.expm_multiply": "the number of its steps depends on values",
    "sparse.linalg.inv": _SHAPE,
}
_BESIDE = 1e-9  # relative distance of the second point: no branch changes there, digits do


def compiled(spec: OpSpec, backend: str) -> None:
    """Check that the program of a function, its pullback and its pushforward, and that of its
    batches, equal it, or that it is refused if it is among NOT_RECORDED; in one sample of each
    dtype.
    """
    refused = spec.name in NOT_RECORDED
    rtol = max(1e-9, spec.tolerance)
    raised = False

    def check(f: Any, x: Any) -> None:
        nonlocal raised
        try:
            check_program(f, x, rtol)
            check_batch_of_program(f, x, rtol)
        except (TracedValueError, InPlaceError):
            if not refused:
                raise
            raised = True

    over_varying(_first_of_each(spec), backend, check)
    assert raised or not refused, f"{spec.name} can be recorded: take it from NOT_RECORDED"


def check_program(f: Any, x: tuple[Any, ...], rtol: float) -> None:
    """Check one program of a function with several outputs and its derivatives: a tape that has all
    three is recorded and lowered in less time than three.
    """
    tangents, cotangents = directions("t", x), directions("g", f(*x))

    def with_derivatives(t: Any, g: Any, *x: Any) -> Any:
        return f(*x), vjp(f, *x)[1](g), jvp(f, x, t)[1]

    program = jit(with_derivatives)
    args = tangents, cotangents, *x
    for point in (args, map_leaves(_beside, args)):
        expected = with_derivatives(*point)
        parts = ("value", x), ("pullback", (cotangents, x)), ("pushforward", (tangents, x))
        for (what, given), found, wanted in zip(parts, program(*point), expected, strict=True):
            floor = 1e-13 * max(1.0, largest(wanted), largest(given))
            assert_close(to_host(found), to_host(wanted), rtol, f"{what} of the program", floor)


def check_batch_of_program(f: Any, x: tuple[Any, ...], rtol: float) -> None:
    """Check vmap of a program, unless the function has no batches, or they would lie on the host
    beside arrays on a device, as numbers do.
    """
    batch = map_leaves(lambda v: np.stack([v, _beside(v)]), x)
    try:
        expected = vmap(f)(*batch)
    except (DeviceMismatch, MissingRule, TracedValueError):
        return
    floor = 1e-13 * max(1.0, largest(expected), largest(x))
    found = to_host(vmap(jit(f))(*batch))
    assert_close(found, to_host(expected), rtol, "batch of the program", floor)


def _beside(x: Any) -> Any:
    return x * (1 + _BESIDE) if is_inexact(x) else x


def _first_of_each(spec: OpSpec) -> OpSpec:
    """Return the spec with one sample of each dtype."""

    def samples(draw: Draw) -> Any:
        cases: list[Case] = list(spec.cases(draw.dtype, gradient=True))
        yield from cases[:1]

    return dataclasses.replace(spec, gradient_samples=samples)
