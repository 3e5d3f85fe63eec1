"""Sums of squares and fits: robust losses, weights, covariances, a bound."""

import numpy as np
import scipy.optimize

from scigrad import numpy as snp
from scigrad import optimize
from scigrad.testing import OpSpec

from .scalar_roots import STOPS_EARLY, problem

TIMES = np.linspace(0.0, 2.0, 4)
EXACT = {"xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15}


def decay(t, a, b):
    return a * snp.exp(-b * t)


def data(draw):
    if not draw.is_complex:
        y = decay(TIMES, 2.0, 0.7) + 0.05 * draw.array(4)
        yield "a robust loss", (y,), {"loss": "soft_l1"}
        yield "an active bound", (y,), {"bounds": ([0, 1.5], np.inf)}


def fitted(module):
    def fit(y, **options):
        return module.least_squares(
            lambda x, y: decay(TIMES, *x) - y,
            [2.0, 1.6],
            args=(y,),
            f_scale=0.1,
            **EXACT,
            **options,
        ).x

    return fit


def weighted(draw):
    if not draw.is_complex:
        y = decay(TIMES, 2.0, 0.7) + 0.05 * draw.array(4)
        yield "deviations", (y, draw.positive(4)), {}
        yield "covariance", (y, draw.positive_definite(4)), {"absolute_sigma": True}


def curve(module):
    def fit(y, sigma=None, **options):
        if sigma is not None and sigma.ndim == 2:
            sigma = (sigma + sigma.T) / 2
        return module.curve_fit(
            decay, TIMES, y, [2.0, 1.0], sigma, method="trf", **EXACT, **options
        )

    return fit


specs = [
    OpSpec(
        function=problem(optimize.least_squares, fitted(optimize)),
        samples=data,
        reference=fitted(scipy.optimize),
        tolerance=1e-7,  # the reference has its Jacobian by differences
        known_failures=STOPS_EARLY,
    ),
    OpSpec(
        function=problem(optimize.curve_fit, curve(optimize)),
        samples=weighted,
        reference=curve(scipy.optimize),
        tolerance=1e-6,
        known_failures=STOPS_EARLY,
    ),
]
