"""Checks of random compositions: reverse mode against forward mode, differences, loops and other
orders of transforms.
"""

import collections
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import (
    GaugeError,
    MissingKernel,
    MissingRule,
    TracedValueError,
    grad,
    inner,
    jvp,
    vjp,
    vmap,
)  # fmt: skip
from scigrad.autodiff_rules.containers import flatten
from scigrad.programs import jit

from .arrays import assert_close
from .cases import batch_of, stacked
from .compositions import Composition, Example, draw_composition, examples_of
from .draw import Draw
from .gradcheck import check_adjoint, largest
from .random_programs import RandomProgram, draw_program

_REFUSALS = (MissingRule, MissingKernel, TracedValueError, GaugeError, np.linalg.LinAlgError)
_STEPS = 2.0**-7, 2.0**-8, 2.0**-9
Drawn = Composition | RandomProgram
Checked = Callable[[Any, Draw, float], None]


class Undetermined(Exception):
    """Raised where a composition has no value, or differences do not agree with themselves."""


# -- the checks of one composition


def _directions(f: Composition, draw: Draw) -> tuple[tuple[Any, ...], Any]:
    return tuple(draw.like(x) for x in f.point), draw.like(f(*f.point))


def modes(f: Composition, draw: Draw, rtol: float) -> None:
    """Check that values under transforms are those outside of them, and that reverse mode is the
    adjoint of forward mode.
    """
    t, g = _directions(f, draw)
    plain, (value, forward), (out, pullback) = f(*f.point), jvp(f, f.point, t), vjp(f, *f.point)
    assert_close((value, out), (plain, plain), rtol, "values under jvp and vjp")
    check_adjoint(g, forward, pullback(g), t, rtol, _rounding(f, g))


def _rounding(f: Composition, g: Any) -> float:
    """Return by how much a derivative that is exactly zero may be off, because terms as large as
    the value cancel.
    """
    return 1e3 * float(np.finfo(float).eps) * largest(f(*f.point)) * largest(g)


def differences(f: Composition, draw: Draw, rtol: float) -> None:
    """Check that forward mode agrees with differences of the values, where these agree with
    themselves.
    """
    t, _ = _directions(f, draw)
    _agrees_with_differences(f, f.point, t, rtol, "forward derivative")


def _agrees_with_differences(f: Any, point: Any, t: Any, rtol: float, what: str) -> None:
    first, second, third = (_difference_quotient(f, point, t, step) for step in _STEPS)
    coarse, fine = (
        [(4 * b - a) / 3 for a, b in zip(*pair, strict=True)]
        for pair in ((first, second), (second, third))
    )
    size, error = largest(fine), largest([a - b for a, b in zip(coarse, fine, strict=True)])
    value, slope = jvp(f, point, t)
    size = max(size, 1e-3 * largest(value))
    if not (np.isfinite(size) and error <= 1e-4 * size):
        raise Undetermined("differences")
    assert_close(_row(slope), fine, 0.0, what, 10 * error + max(1e-6, 100 * rtol) * size)


def _difference_quotient(f: Any, point: Any, t: Any, step: float) -> list[Any]:
    try:
        ahead, behind = (
            _row(f(*(x + s * d for x, d in zip(point, t, strict=True)))) for s in (step, -step)
        )
    except Exception as error:  # the function itself fails at another point
        raise Undetermined("differences") from error
    return [(a - b) / (2 * step) for a, b in zip(ahead, behind, strict=True)]


def _row(x: Any) -> list[Any]:
    return list(x) if isinstance(x, tuple) else [x]


def batches(f: Composition, draw: Draw, rtol: float) -> None:
    """Check that a batch of values and of pullbacks equals the loop, and so does the pullback of a
    batch.
    """
    choice = tuple(bool(draw.rng.integers(2)) for _ in f.point[1:])
    batch, rows = batch_of(f.point, (True, *choice))
    axes = tuple(0 if own else None for own in (True, *choice))
    outs = stacked([(f(*row),) for row in rows])
    g = draw.like(outs[0])
    loops = stacked([vjp(f, *row)[1](c) for row, c in zip(rows, g, strict=True)])
    summed = tuple(c if axis == 0 else c.sum(axis=0) for c, axis in zip(loops, axes, strict=True))
    floor = _rounding(f, g)
    assert_close((vmap(f, axes)(*batch),), outs, rtol, "vmap")
    assert_close(
        vmap(lambda g, *x: vjp(f, *x)[1](g), (0, *axes))(g, *batch),
        loops,
        10 * rtol,
        "vmap of vjp",
        floor,
    )
    assert_close(vjp(vmap(f, axes), *batch)[1](g), summed, 10 * rtol, "vjp of vmap", floor)


def second_order(f: Composition, draw: Draw, rtol: float) -> None:
    """Check that the Hessian is symmetric, that one order of modes gives what another gives, and
    both the differences of the gradient.
    """
    t, g = _directions(f, draw)
    other, numbers = _directions(f, draw)[0], tuple(range(len(f.point)))
    slopes = grad(lambda *x: inner(g, f(*x)), numbers)
    product, back = jvp(slopes, f.point, t)[1], t
    order = draw.rng.integers(3)
    if order == 0:
        found = jvp(slopes, f.point, other)[1]
    elif order == 1:
        found = vjp(slopes, *f.point)[1](other)
    else:
        found, back = grad(lambda *x: inner(g, jvp(f, x, t)[1]), numbers)(*f.point), other
    check_adjoint(other, product, found, back, 10 * rtol, _rounding(f, g))
    _agrees_with_differences(slopes, f.point, t, 10 * rtol, "derivative of the gradient")


def program(f: Drawn, draw: Draw, rtol: float) -> None:
    """Check that what `jit` records of the function, in one program of four by itself, and of its
    value with the pullback equals these: at the point, at another, and at one of halves, where
    numbers are equal or 0.
    """
    g = _directions(f, draw)[1]
    other = tuple(_as(x, draw.like(x)) for x in f.point)
    points = f.point, other, tuple(_as(x, np.round(2 * x) / 2) for x in other)
    epsilon = getattr(f, "epsilon", float(np.finfo(float).eps))

    def both(*x: Any) -> Any:
        value, pullback = vjp(f.__call__, *x)
        return value, pullback(g)

    functions = [("value and pullback", both), ("value", f.__call__)]
    for what, function in functions if draw.rng.integers(4) == 0 else functions[:1]:
        recorded = jit(function)
        for x in points:
            expected, found = _outcome(function, x), _outcome(recorded, x)
            if isinstance(expected, Exception) or isinstance(found, Exception):
                if type(found) is type(expected):
                    continue
                if isinstance(found, Exception):
                    raise found
                raise AssertionError(f"the program does not raise {expected!r}")
            floor = epsilon * (1e3 * largest(f(*f.point)) * largest(g) + 5e3 * largest(expected))
            assert_close(found, expected, rtol, f"{what} of the program", floor)
            if _types(found) != _types(expected):
                raise AssertionError(f"{_types(found)} instead of {_types(expected)}")


def _as(x: Any, y: Any) -> Any:
    """Return y as a number of Python's if x is one."""
    return float(y) if type(x) is float else y


def _types(out: Any) -> list[Any]:
    return [getattr(leaf, "dtype", type(leaf)) for leaf in flatten(out)[0]]


def _outcome(f: Callable[..., Any], x: tuple[Any, ...]) -> Any:
    try:
        return f(*x)
    except Exception as error:  # the function fails at this point, and so has the program
        return error


CHECKS: dict[str, Checked] = {
    check.__name__: check for check in (modes, differences, batches, second_order, program)
}


# -- runs


class Outcome(NamedTuple):
    """Outcome of the checks of some compositions.

    Parameters
    ----------
    passed : int
        Number of checks that held.
    undetermined : int
        Number of checks of compositions without a finite value, or where differences do not agree
        with themselves.
    refused : int
        Number of checks that met a clear error, as MissingRule.

    Examples
    --------
    >>> from scigrad.testing import Outcome
    >>> Outcome(3, 1, 0).passed
    3
    """

    passed: int
    undetermined: int
    refused: int


def verdict(f: Drawn, name: str, key: str) -> str | Exception:
    """Return "passed", "undetermined" or "refused", or the error that shows a fault."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if not np.all(np.isfinite(f(*f.point))):
                return "undetermined"
        except Exception:  # the function itself fails, and no transform has seen it
            return "undetermined"
        try:
            CHECKS[name](f, Draw(key), max(1e-8, 100 * f.tolerance))
        except Undetermined:
            return "undetermined"
        except _REFUSALS:
            return "refused"
        except Exception as error:
            return error
    return "passed"


def reduced(f: Drawn, name: str, key: str, error: Exception) -> tuple[Drawn, Exception]:
    """Return the smallest part of a composition that still fails in this way, and how it fails."""
    for part in f.smaller():
        found = verdict(part, name, key)
        if type(found) is type(error):
            return reduced(part, name, key, found)
    return f, error


def runs(
    examples: Sequence[Example], numbers: Iterable[int], seed: int, steps: int
) -> Iterator[tuple[int, str, Any]]:
    """Yield (number, check, verdict) for all checks of compositions; a fault comes with its
    smallest part.
    """
    for number in numbers:
        f = draw_composition(examples, seed, number, steps)
        for name in ("modes", ("differences", "batches", "second_order", "program")[number % 4]):
            yield number, name, _checked(f, name, f"{name} {number} {seed}")


def _checked(f: Drawn, name: str, key: str) -> Any:
    """Return the verdict of a check, a fault with its smallest part."""
    found = verdict(f, name, key)
    return reduced(f, name, key, found) if isinstance(found, Exception) else found


def runs_of_programs(numbers: Iterable[int], seed: int) -> Iterator[tuple[int, str, Any]]:
    """Yield what `runs` yields, for random programs with loops and what `jit` makes of them."""
    for number in numbers:
        found = _checked(draw_program(seed, number), "program", f"program {number} {seed}")
        yield number, "program", found


def fuzz(
    functions: Sequence[Any],
    count: int = 100,
    seed: int = 0,
    *,
    steps: int = 3,
    only: int | None = None,
) -> Outcome:
    """Check derivatives of random compositions of functions.

    Values under transforms and forward against reverse mode, and in turn finite differences,
    batches against loops, second derivatives (their symmetry, the orders of modes, and differences
    of the gradient), or what `jit` makes of the composition and of its pullback.

    Parameters
    ----------
    functions : sequence of (callable, tuple) or OpSpec
        Functions, each with arguments where it is defined: containers of arrays, whose
        floating-point numbers are moved by a tenth at most, or specs with such arguments.
    count : int, optional
        Number of compositions.
    seed : int, optional
        Seed of the compositions.
    steps : int, optional
        Largest number of calls in a composition.
    only : int, optional
        Number of the one composition to check, from the message of a failure.

    Returns
    -------
    Outcome
        Numbers of checks that passed, that nothing can be said of, and that ended with a refusal
        such as MissingRule.

    Raises
    ------
    AssertionError
        If a check fails; with the smallest part of the composition that fails, as a program.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import linalg
    >>> from scigrad.testing import fuzz
    >>> a = np.array([[2.0, 1.0], [0.5, 3.0]])
    >>> fuzz(
    ...     [(linalg.expm, (a,)), (linalg.solve, (a, np.ones(2))), (np.sin, (np.ones(3),))],
    ...     count=10,
    ... ).passed
    20
    """
    found: collections.Counter[str] = collections.Counter()
    for number, name, result in runs(
        examples_of(functions), range(count) if only is None else (only,), seed, steps
    ):
        if isinstance(result, tuple):
            raise AssertionError(report(number, seed, name, *result)) from result[1]
        found[result] += 1
    return Outcome(found["passed"], found["undetermined"], found["refused"])


def report(number: int, seed: int, name: str, f: Drawn, error: Exception) -> str:
    """Return what failed as text."""
    return (
        f"composition {number} of seed {seed} fails the check of {name}: "
        f"{type(error).__name__}: {error}\n"
        "in\n"
        f"{f}"
    )
