"""Lambert's W function on its branches, and the Wright omega function."""

import numpy as np
import scipy.special

from scigrad import special
from scigrad.testing import OpSpec
from scigrad.testing.domains import over


def branches(draw):
    z = (
        draw.uniform(0.3, 3, 4) + 1j * draw.uniform(-1, 1, 4)
        if draw.is_complex
        else draw.uniform(0.3, 3, 4)
    )
    z = z.astype(draw.dtype)
    yield "principal", (z,), {}
    yield "other", (z, -2), {}
    yield "of each", (z, np.int16([0, 1, -1, 3])), {}
    if draw.dtype in (np.float64, np.complex128):
        yield "tolerance", (z, 1), {"tol": 1e-10}
    yield "zero", (np.zeros(2, draw.dtype),), {}


specs = [
    OpSpec(function=special.lambertw, reference=scipy.special.lambertw, samples=branches),
    over(special.wrightomega, (-3, 3), plane=True),
]
