"""Solutions of systems of equations that close over their parameters."""

import numpy as np

from scigrad import numpy as snp
from scigrad import optimize
from scigrad.testing import OpSpec

from .scalar_roots import DOUBLE, STOPS_EARLY, problem


def systems(draw):
    if not draw.is_complex:
        yield "three unknowns", (draw.positive_definite(3), draw.array(3)), {}


def values(x, a, b):
    """The unknowns' gradient of a convex function, so that there is one solution."""
    return a @ x + x**3 - b


def reference(a, b):
    """Newton's method with the exact matrix, until it stands still."""
    x = np.zeros(3)
    for _ in range(50):
        x = x - np.linalg.solve(a + np.diag(3 * x**2), values(x, a, b))
    return x


def contraction(a, b):
    return optimize.fixed_point(
        lambda x, a, b: snp.tanh(a @ x / 8) + b, np.zeros(3), (a, b), xtol=1e-14
    )


def iterated(a, b):
    x = np.zeros(3)
    for _ in range(500):
        x = np.tanh(a @ x / 8) + b
    return x


specs = [
    OpSpec(
        function=problem(
            optimize.root, lambda a, b: optimize.root(values, np.zeros(3), (a, b), tol=1e-14).x
        ),
        samples=systems,
        reference=reference,
        known_failures=STOPS_EARLY,
    ),
    OpSpec(
        function=problem(
            optimize.fsolve,
            lambda a, b: optimize.fsolve(values, np.zeros(3), (a, b), xtol=1e-12),
        ),
        samples=systems,
        reference=reference,
        known_failures=STOPS_EARLY,
    ),
    OpSpec(
        function=problem(optimize.fixed_point, contraction),
        samples=systems,
        reference=iterated,
        known_failures=DOUBLE,
    ),
]
