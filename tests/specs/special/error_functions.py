"""Error functions, real and complex."""

import numpy as np
import scipy.special

from scigrad import special
from scigrad.testing import OpSpec


def samples(draw):
    yield "vector", (draw.array(4),), {}
    yield "matrix", (draw.array(2, 3),), {}
    yield "number", (draw.array()[()],), {}
    yield "empty", (draw.array(0),), {}
    if not draw.is_complex:
        yield "tails", (np.array([-30.0, -4.0, 0.0, 5.0, 30.0], draw.dtype),), {}


def size(draw, n):
    return (draw.real(n),), {}


specs = [
    OpSpec(function=special.erf, reference=scipy.special.erf, samples=samples, size=size),
    OpSpec(function=special.erfc, reference=scipy.special.erfc, samples=samples, size=size),
]
