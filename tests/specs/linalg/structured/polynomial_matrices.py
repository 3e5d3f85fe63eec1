"""companion, fiedler_companion, leslie, fiedler."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def samples(draw):
    for n in (2, 3, 5, 6):
        yield f"{n} coefficients", (draw.array(n),), {}
    yield "batch", (draw.array(2, 4),), {}


def companion_errors(draw):
    yield "one coefficient", (draw.array(1),), {}, ValueError, "must be at least 2"
    yield "leading zero", (np.arange(3.0),), {}, ValueError, "must not be zero"


def fiedler_errors(draw):
    yield "leading zero", (np.arange(3.0),), {}, ValueError, "Leading coefficient is zero"


def leslie_samples(draw):
    yield "three ages", (draw.array(3), draw.array(2)), {}
    yield "mixed", (draw.real(2), draw.array(1)), {}
    yield "batches that broadcast", (draw.array(2, 1, 3), draw.array(2, 2)), {}


def leslie_errors(draw):
    yield "lengths", (draw.array(3), draw.array(3)), {}, ValueError, "Incorrect lengths"


def fiedler_samples(draw):
    yield "vector", (draw.array(4),), {}
    yield "batch", (draw.array(2, 3),), {}


def fiedler_values(draw):
    yield from fiedler_samples(draw)
    yield "equal elements", (np.array([1, 2, 1]).astype(draw.dtype),), {}
    if not draw.is_complex:
        yield "one element", (draw.array(1),), {}


specs = [
    OpSpec(
        function=linalg.companion,
        reference=scipy.linalg.companion,
        samples=samples,
        error_samples=companion_errors,
        size=lambda draw, n: ((draw.array(n),), {}),
    ),
    OpSpec(
        function=linalg.fiedler_companion,
        reference=scipy.linalg.fiedler_companion,
        samples=samples,
        error_samples=fiedler_errors,
        size=lambda draw, n: ((draw.array(n),), {}),
    ),
    OpSpec(
        function=linalg.leslie,
        reference=scipy.linalg.leslie,
        samples=leslie_samples,
        error_samples=leslie_errors,
        size=lambda draw, n: ((draw.array(n), draw.array(n - 1)), {}),
    ),
    OpSpec(
        function=linalg.fiedler,
        reference=scipy.linalg.fiedler,
        samples=fiedler_values,
        gradient_samples=fiedler_samples,
        size=lambda draw, n: ((draw.array(n),), {}),
    ),
]
