"""Derivatives of Bessel functions by number, and integrals of powers times a Bessel function."""

import scipy.special

from scigrad import special
from scigrad.testing import OpSpec
from scigrad.testing.domains import over

NAMES = ("jvp", "yvp", "ivp", "kvp", "h1vp", "h2vp")


def numbers(draw):
    v, z = draw.uniform(0.2, 3, 3), draw.uniform(0.5, 6, 3)
    z = (z + 1j * draw.uniform(-1, 1, 3)).astype(draw.dtype) if draw.is_complex else z
    yield "first", (v, z), {}
    for n in (0, 2, 3):
        yield f"n={n}", (v, z, n), {}


def wrong_number(draw):
    yield "negative", (0.5, draw.positive(2), -1), {}, ValueError, "non-negative integer"
    yield "real", (0.5, draw.positive(2), 1.5), {}, TypeError, "non-negative integer"


specs = [
    *(
        OpSpec(
            function=getattr(special, name),
            reference=getattr(scipy.special, name),
            samples=numbers,
            error_samples=wrong_number,
        )
        for name in NAMES
    ),
    over(special.besselpoly, (0.3, 3), (0.3, 2), (1.2, 3)),
]
