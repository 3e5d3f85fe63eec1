"""Entropy and relative entropies."""

import numpy as np
import scipy.special

from scigrad import special
from scigrad.testing import OpSpec
from scigrad.testing.domains import over


def positive(draw):
    if not draw.is_complex:
        yield "matrix", (draw.positive(2, 3),), {}
        yield "small and large", (np.array([0.05, 0.36787944, 1e3], draw.dtype),), {}
        yield "number", (draw.positive()[()],), {}
        yield "empty", (draw.real(0),), {}


def line(draw):
    yield from positive(draw)
    if not draw.is_complex:
        yield (
            "0 and both sides, infinity",
            (np.array([-np.inf, -2.0, -0.0, 0.0, 1e-30, np.inf], draw.dtype),),
            {},
        )


def complex_input(draw):
    yield (
        "complex",
        (np.array([1.0 + 1.0j]),),
        {},
        TypeError,
        "is a function of real numbers.*numpy.real",
    )


P, ENDS = (0.3, 3), ([0.0, 1.0, -1.0], [1.0, 0.0, 1.0])

specs = [
    OpSpec(
        function=special.entr,
        reference=scipy.special.entr,
        samples=line,
        gradient_samples=positive,
        error_samples=complex_input,
        size=lambda draw, n: ((draw.positive(n),), {}),
    ),
    over(special.rel_entr, P, P, ends=ENDS),
    over(special.kl_div, P, P, ends=ENDS),
]
