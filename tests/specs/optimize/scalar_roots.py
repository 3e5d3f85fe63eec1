"""Roots of functions that close over their parameters: in one variable, real and complex."""

import functools

import numpy as np

from scigrad import numpy as snp
from scigrad import optimize
from scigrad.testing import OpSpec

DOUBLE = {("single_precision", "any"): "SciPy's solvers compute in double precision"}
# by an absolute tolerance
STOPS_EARLY = {
    **DOUBLE,
    ("extreme", "any"): "the solver stops early at 1e-300, and then the derivative is refused",
}


def problem(function, solve):
    """A function of the parameters of a problem, under the name of what solves it."""
    return functools.wraps(function)(solve)


def cubic(x, p, q):
    return x**3 + snp.exp(q) * x - p


def parameters(draw):
    if not draw.is_complex:
        yield "numbers", (draw.positive()[()], draw.positive()[()]), {}


def closed_form(p, q):
    """Cardano's formula for x^3 + c x = p."""
    c, h = np.exp(q), p / 2
    root = np.sqrt(h**2 + (c / 3) ** 3)
    return np.cbrt(h + root) + np.cbrt(h - root)


def bracketed(function):
    return OpSpec(
        function=problem(function, lambda p, q: function(cubic, -10.0, 10.0, (p, q), xtol=1e-14)),
        samples=parameters,
        reference=closed_form,
        known_failures=DOUBLE,
    )


def near_three(draw):
    yield "vector", (3.0 + 0.3 * draw.array(3),), {}
    yield "number", (draw.positive()[()],), {}


def cube_roots(p):
    start = 1.1 * p ** (1 / 3)
    return optimize.newton(lambda x, p: x**3 - p, start, args=(p,), tol=1e-14)


specs = [
    *map(
        bracketed,
        (optimize.bisect, optimize.brenth, optimize.brentq, optimize.ridder, optimize.toms748),
    ),
    OpSpec(
        function=problem(optimize.newton, cube_roots),
        samples=near_three,
        reference=lambda p: p ** (1 / 3),
        known_failures={
            ("extreme", "any"): STOPS_EARLY["extreme", "any"],
            # On a device the vectors are refused, and numbers keep their type.
            ("single_precision", "numpy"): DOUBLE["single_precision", "any"],
        },
    ),
    OpSpec(
        function=problem(
            optimize.root_scalar,
            lambda p, q: optimize.root_scalar(cubic, (p, q), "newton", x0=1.0, xtol=1e-14).root,
        ),
        samples=parameters,
        reference=closed_form,
        known_failures=DOUBLE,
    ),
]
