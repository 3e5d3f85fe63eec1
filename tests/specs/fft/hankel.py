"""Fast Hankel transforms: odd and even lengths, biased and not, at ordinary points and where
1/Gamma vanishes.
"""

import numpy as np
import scipy.fft

from scigrad import fft
from scigrad.testing import OpSpec


def samples(draw):
    yield "even", (draw.array(6), 0.3, 0.5, 0.2), {}
    yield "odd, offset", (draw.array(5), 0.4, 1.25, 0.2), {}
    yield "biased, batch", (draw.array(2, 4), 0.5, 0.75, -0.1, 0.4), {}
    yield "negative bias", (draw.array(5), 0.25, 1.5, 0.3, -0.6), {}
    yield "one entry", (draw.array(1), 0.5, 0.5, 0.3, 0.4), {}
    yield "empty batch", (draw.array(0, 4), 0.5, 0.5), {}


def zero_of_the_coefficient(first):
    """Gamma(x) / Gamma(y) with y at a pole: 0, but not its derivative."""

    def with_zero(draw):
        yield from samples(draw)
        yield "1/Gamma at a pole", (draw.array(3), 0.5, 1.0, 0.1, first), {}

    return with_zero


def by_parts(function):
    """SciPy takes real samples only; the transform is linear."""

    def reference(a, *args):
        return (
            function(a.real, *args) + 1j * function(a.imag, *args)
            if np.iscomplexobj(a)
            else function(a, *args)
        )

    return reference


def offsets(draw):
    yield "integers", (1, 2), {}
    if draw.dtype == np.float64:  # numbers in, a number out, as in SciPy
        yield "default", (0.7, 2.0), {}
        yield "near a given one", (0.9, 0.5, 0.3), {}
        yield "biased", (0.8, 1.5, -0.4, 0.3), {}


specs = [
    # finite differences of biased transforms lose digits
    OpSpec(
        function=fft.fht,
        reference=by_parts(scipy.fft.fht),
        samples=zero_of_the_coefficient(2.0),
        tolerance=1e-8,
    ),
    OpSpec(
        function=fft.ifht,
        reference=by_parts(scipy.fft.ifht),
        samples=zero_of_the_coefficient(-2.0),
        tolerance=1e-8,
    ),
    OpSpec(function=fft.fhtoffset, reference=scipy.fft.fhtoffset, samples=offsets),
]
