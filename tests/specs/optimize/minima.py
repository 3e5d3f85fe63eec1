"""Minima of functions that close over their parameters, some of them at a bound."""

import numpy as np

from scigrad import numpy as snp
from scigrad import optimize
from scigrad.testing import OpSpec

from .scalar_roots import DOUBLE, STOPS_EARLY, problem
from .systems import reference, systems


def convex(x, a, b):
    return x @ a @ x / 2 + snp.sum(x**4) / 4 - b @ x


def minimum(a, b):
    symmetric = (a + a.T) / 2
    return optimize.minimize(
        convex, np.zeros(3), (symmetric, b), "trust-exact", options={"gtol": 1e-13}
    ).x


def bounded(draw):
    for _, (a, b), _ in systems(draw):
        yield "an active bound", (a, b, b[0] - 20.0), {}


def below(a, b, upper):
    symmetric = (a + a.T) / 2
    options = {"ftol": 1e-15, "gtol": 1e-12}
    bounds = [(None, upper), (None, None), (None, None)]
    start = np.full(3, -30.0)
    return optimize.minimize(
        convex, start, (symmetric, b), "L-BFGS-B", bounds=bounds, options=options
    ).x


def lowest(p):
    return optimize.minimize_scalar(lambda x, p: snp.exp(x) - p * x, args=(p,), tol=1e-12).x


def numbers(draw):
    if not draw.is_complex:
        yield "number", (draw.positive()[()],), {}


specs = [
    OpSpec(
        function=problem(optimize.minimize, minimum),
        samples=systems,
        reference=lambda a, b: reference((a + a.T) / 2, b),
        tolerance=1e-8,
        known_failures=STOPS_EARLY,
    ),
    OpSpec(
        function=problem(optimize.minimize, below),
        samples=bounded,
        tolerance=1e-6,  # L-BFGS-B stops where the value does not change
        known_failures=STOPS_EARLY,
    ),
    OpSpec(
        function=problem(optimize.minimize_scalar, lowest),
        samples=numbers,
        reference=np.log,
        tolerance=1e-7,  # the square root of the rounding of the value
        known_failures=DOUBLE,
    ),
]
