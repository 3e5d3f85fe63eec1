"""Measure derivatives over the whole range of numbers against mpmath: docs/tail_accuracy.md.

python -P docs/generate/tail_accuracy.py

The truth is reference_data/<room>/tails.npz. tests/core/test_tails.py holds the functions to the
page.
"""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import scigrad
from scigrad import grad, jvp
from scigrad.testing.reference import Reference, load

PAGE = Path(__file__).resolve().parents[1] / "tail_accuracy.md"
ROOMS = ("numpy", "special")
LARGE = 1e-10  # what a function may lose without a reason in this table
REASONS = {
    "exp2": "infinite at 1024, as the value, where the derivative is 1.25e308",
    "sinc": "the product pi x is rounded, in NumPy's values too",
    **dict.fromkeys(("agm", "elliprg"), "second derivatives are those of R_D, which are numerical"),
    "binom": "the values of SciPy have that error",
    "fresnel[0]": "the phase pi x^2 / 2 is rounded, in SciPy's values too",
    "fresnel[1]": "the phase pi x^2 / 2 is rounded, in SciPy's values too",
}
HEAD = """# Derivatives over the whole range of numbers

Written by `docs/generate/tail_accuracy.py` from `reference_data/*/tails.npz` (mpmath; the generators have the points, from
1e-300 to 1e300 in both signs, in the tails, and beside what is singular). Of several outputs the number is in brackets. The
largest relative errors of first and second partial derivatives, by forward and by reverse mode, rounded up to a power of ten from
three times the error; 1e-307 is added to what is below the range of double precision. A test holds the functions to the page,
and to a reason for what is above 1e-10.

| function | argument | first | second | why |
| --- | ---: | ---: | ---: | --- |
"""


def relative(found: np.ndarray, truth: np.ndarray) -> float:
    """Return the largest relative error."""
    error = np.abs(found - truth) / np.maximum(np.abs(truth), 1e-307)
    return float(
        np.max(
            np.where(
                (found == truth) | np.isnan(truth), 0, np.where(np.isnan(error), np.inf, error)
            )
        )
    )


def of_both_modes(f: Callable[[Any], Any], x: np.ndarray) -> list[list[np.ndarray]]:
    """Return first and second derivatives, each by forward and by reverse mode."""
    forward = lambda f: lambda x: jvp(f, (x,), (np.ones_like(x),))[1]  # noqa: E731
    reverse = lambda f: grad(lambda x: np.sum(f(x)))  # noqa: E731
    return [[forward(f)(x), reverse(f)(x)], [forward(forward(f))(x), reverse(reverse(f))(x)]]


def function(room: str, record: Reference) -> Callable[..., Any]:
    """Return the function of a record, or the one output of several that its name has in
    brackets.
    """
    name, _, output = record.function.partition("[")
    f = getattr(getattr(scigrad, room), name)
    return (lambda *args: f(*args)[int(output[:-1])]) if output else f


def measured(room: str, record: Reference, i: int) -> list[float]:
    """Return the largest error of first and of second derivatives in one argument."""
    f, args = function(room, record), record.arguments
    with np.errstate(all="ignore"):
        found = of_both_modes(lambda x: f(*args[:i], x, *args[i + 1 :]), args[i])
        return [
            max(relative(y, truth) for y in both)
            for both, truth in zip(found, (record.first[i], record.second[i]), strict=True)
        ]


def bound(error: float) -> float:
    """Return a power of ten that is at least three times the error, which another processor may not
    exceed.
    """
    return (
        10.0 ** max(math.ceil(math.log10(3 * error)), -14)
        if 0 < error < math.inf
        else max(error, 1e-14)
    )


def line(room: str, record: Reference, i: int) -> str:
    first, second = (f"{bound(error):.0e}" for error in measured(room, record, i))
    return (
        f"| `{room}.{record.function}` | {i} | {first} | {second} | "
        f"{REASONS.get(record.function, '')} |\n"
    )


def cases() -> list[tuple[str, Reference, int]]:
    """Return all functions and their arguments, but those by which no derivative is recorded."""
    return [
        (room, record, i)
        for room in ROOMS
        for record in load(f"{room}/tails")
        for i in range(len(record.arguments))
        if not np.isnan(record.first[i]).all()
    ]


if __name__ == "__main__":
    PAGE.write_text("".join([HEAD, *(line(*case) for case in cases())]))
