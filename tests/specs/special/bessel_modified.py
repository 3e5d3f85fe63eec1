"""Modified Bessel functions of the first kind; the scaled ones have a kink at 0, so their
derivatives are taken beside it.
"""

import numpy as np
import scipy.special

from scigrad import special
from scigrad.testing import OpSpec


def through_zero(draw):
    if not draw.is_complex:
        yield "through the origin", (np.array([-5.0, -0.4, 0.0, 1e-4, 1.5, 4.1], draw.dtype),), {}
        yield "large", (np.array([-33.0, 29.5, 31.0], draw.dtype),), {}
        yield "matrix", (draw.uniform(-6, 6, 2, 3),), {}
        yield "number", (draw.positive()[()],), {}
        yield "empty", (draw.real(0),), {}


def scaled(draw):
    yield from through_zero(draw)
    if not draw.is_complex:
        yield "very large", (np.array([-1e6, 900.0, 1e30, np.inf], draw.dtype),), {}


def beside_zero(draw):
    if not draw.is_complex:
        yield "both signs", (np.array([-25.0, -5.0, -0.4, 0.1, 1.5, 8.0], draw.dtype),), {}
        yield (
            "across the switch to the series",
            (np.array([-40.0, 29.9, 30.2, 200.0], draw.dtype),),
            {},
        )
        yield "number", (draw.positive()[()],), {}


def complex_input(draw):
    yield (
        "complex",
        (np.array([1.0 + 1.0j]),),
        {},
        TypeError,
        "is a function of real numbers.*numpy.real",
    )


def spec(name, **samples):
    return OpSpec(
        function=getattr(special, name),
        reference=getattr(scipy.special, name),
        error_samples=complex_input,
        size=lambda draw, n: ((draw.uniform(-50, 50, n),), {}),
        **samples,
    )


specs = [
    *(spec(name, samples=through_zero) for name in ("i0", "i1")),
    *(spec(name, samples=scaled, gradient_samples=beside_zero) for name in ("i0e", "i1e")),
]
