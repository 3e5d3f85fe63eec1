"""Bessel functions of the first kind, through the origin and across the switch from series to
recurrence.
"""

import numpy as np
import scipy.special

from scigrad import special
from scigrad.testing import OpSpec


def samples(draw):
    if not draw.is_complex:
        yield (
            "through the origin",
            (np.array([-20.0, -3.0, -0.4, 0.0, 1e-4, 1.5, 4.1, 15.0], draw.dtype),),
            {},
        )
        yield "matrix", (draw.uniform(-6, 6, 2, 3),), {}
        yield "number", (draw.positive()[()],), {}
        yield "empty", (draw.real(0),), {}


def complex_input(draw):
    yield (
        "complex",
        (np.array([1.0 + 1.0j]),),
        {},
        TypeError,
        "is a function of real numbers.*numpy.real",
    )


def size(draw, n):
    return (draw.uniform(-50, 50, n),), {}


specs = [
    OpSpec(
        function=special.j0,
        reference=scipy.special.j0,
        samples=samples,
        error_samples=complex_input,
        size=size,
    ),
    OpSpec(
        function=special.j1,
        reference=scipy.special.j1,
        samples=samples,
        error_samples=complex_input,
        size=size,
    ),
]
