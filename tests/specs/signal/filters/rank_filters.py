"""Filters of neighborhoods: ranks, medians, and wiener."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec

CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]])


def ranks(draw):
    if not draw.is_complex:
        yield "largest of three", (draw.array(7),), {"domain": np.ones(3), "rank": 2}
        yield "in a cross", (draw.array(3, 4),), {"domain": CROSS, "rank": 1}
        yield "three axes", (draw.array(2, 3, 2),), {"domain": np.ones((1, 3, 1)), "rank": 0}


def rank_errors(draw):
    yield "even", (np.ones(4), np.ones(2), 1), {}, ValueError, "odd"
    yield "complex", (np.ones(4, complex), np.ones(3), 1), {}, ValueError, "not supported"


def medians(draw):
    if not draw.is_complex:
        yield "vector", (draw.array(7),), {}
        yield "five", (draw.array(8), 5), {}
        yield "matrix", (draw.array(4, 5), (3, 1)), {}


def images(draw):
    if not draw.is_complex:
        yield "three by three", (draw.array(4, 5),), {}
        yield "of two sizes", (draw.array(4, 5), (1, 5)), {}


def median_errors(draw):
    yield "even", (np.ones((4, 4)), 2), {}, ValueError, "odd"


def smoothed(draw):
    if not draw.is_complex:
        yield "vector", (draw.array(7),), {}
        yield "matrix, of even size", (draw.array(4, 5), (2, 3)), {}
        yield "with noise", (draw.array(7), 3, np.array(0.3, draw.dtype)), {}


def spec(name, samples, **given):
    return OpSpec(
        function=getattr(signal, name),
        reference=getattr(scipy.signal, name),
        samples=samples,
        **given,
    )


UNORDERED = {
    (
        "missing",
        "numpy",
    ): "SciPy's choice among NaN depends on its algorithm; ours sorts NaN behind all"
}


specs = [
    spec("order_filter", ranks, error_samples=rank_errors, known_failures=UNORDERED),
    spec("medfilt", medians, error_samples=median_errors, known_failures=UNORDERED),
    spec("medfilt2d", images, error_samples=median_errors, known_failures=UNORDERED),
    spec("wiener", smoothed),
]
