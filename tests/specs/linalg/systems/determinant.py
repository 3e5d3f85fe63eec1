"""det, slogdet. Derivatives at singular matrices, to third order:
tests/linalg/test_determinant.py.
"""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import BACKENDS, OpSpec

DOUBLE = "SciPy answers single precision with double: the determinant overflows too soon otherwise"


def without_last_row(a):
    """Of rank n - 1, exactly."""
    return np.concatenate([a[:-1], 0 * a[-1:]])


def det_samples(draw):
    yield "2 x 2", (draw.array(2, 2),), {}
    yield "4 x 4", (draw.array(4, 4),), {"check_finite": False}
    yield "one number", (draw.array(1, 1),), {}
    yield "rank n - 1", (without_last_row(draw.array(4, 4)),), {}
    yield "graded", (draw.array(3, 3) * np.array([1, 1e-3, 1e-6], draw.real_dtype),), {}
    yield (
        "batch of several ranks",
        (np.stack([draw.array(3, 3), without_last_row(draw.array(3, 3))]),),
        {},
    )


def det_value_samples(draw):
    yield from det_samples(draw)
    yield "empty", (draw.array(0, 0),), {}
    yield "batch of empty ones", (draw.array(2, 0, 0),), {}
    yield "larger", (draw.well_conditioned(30),), {}


def errors(draw):
    yield "not square", (draw.array(2, 3),), {}, ValueError, r"(?i)square.*\(2, 3\)"
    yield "vector", (draw.array(3),), {}, ValueError, "two-dimensional|matrix"


def det_errors(draw):
    yield from errors(draw)
    yield "NaN", (draw.array(2, 2) * np.nan,), {}, ValueError, "infs or NaNs"


def slogdet_samples(draw):
    yield "3 x 3", (draw.array(3, 3),), {}
    yield "negative", (-draw.positive_definite(3),), {}
    yield "batch", (draw.well_conditioned(2, (3,)),), {}


def slogdet_value_samples(draw):
    yield from slogdet_samples(draw)
    yield "singular", (0 * draw.array(2, 2),), {}
    yield "empty", (draw.array(0, 0),), {}
    yield "beyond the range of det", (1e200 * draw.well_conditioned(3),), {}


specs = [
    OpSpec(
        function=linalg.det,
        reference=scipy.linalg.det,
        samples=det_value_samples,
        gradient_samples=det_samples,
        error_samples=det_errors,
        size=lambda draw, n: ((draw.well_conditioned(n),), {}),
        known_failures={
            **{("single_precision", backend): DOUBLE for backend in BACKENDS},
        },
    ),
    OpSpec(
        function=linalg.slogdet,
        reference=lambda a: tuple(np.linalg.slogdet(a)),
        samples=slogdet_value_samples,
        gradient_samples=slogdet_samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.well_conditioned(n),), {}),
    ),
]
