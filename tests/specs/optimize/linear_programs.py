"""Linear programs at a vertex: inequalities, equations and bounds that are active."""

import numpy as np
import scipy.optimize

from scigrad import optimize
from scigrad.testing import OpSpec

from .scalar_roots import STOPS_EARLY, problem


def vertices(draw):
    if draw.is_complex:
        return
    costs = -1.0 - draw.positive(3)
    matrix, right = 0.5 + draw.positive(2, 3), 3.0 + draw.positive(2)
    yield "inequalities", (costs, matrix, right), {}
    yield "and an equation", (costs, matrix, right, draw.positive(1, 3), np.ones(1)), {}
    yield "bounds", (costs, matrix, right), {"bounds": [(-1.0, 2.0), (-3.0, 0.5), (0.1, None)]}


def solved(module):
    def solve(*args, **options):
        found = module.linprog(*args, **options)
        return found.x, found.fun

    return solve


specs = [
    OpSpec(
        function=problem(optimize.linprog, solved(optimize)),
        samples=vertices,
        reference=solved(scipy.optimize),
        known_failures={
            **STOPS_EARLY,
            ("narrow", "any"): "costs of 0 and 1 make the minimum degenerate",
        },
    ),
]
