"""Fourier transforms of real signals: odd and even lengths, shorter and longer than the axis."""

import numpy as np
import scipy.fft

from scigrad import fft
from scigrad.testing import OpSpec


def from_real(draw):
    if not draw.is_complex:
        yield "even", (draw.real(6),), {}
        yield "odd", (draw.real(5),), {}
        yield "cropped to odd, ortho", (draw.real(2, 6), 5), {"norm": "ortho"}
        yield "cropped to even, forward", (draw.real(2, 5), 4), {"norm": "forward"}
        yield "padded to even, axis 0", (draw.real(3, 2), 4, 0, "backward"), {}
        yield "padded to odd", (draw.real(2, 4, 2), 7), {"axis": 1}
        yield "n = 1", (draw.real(3), 1), {}
        yield "n = 2", (draw.real(3), 2), {}
        yield "empty batch", (draw.real(0, 4),), {}


def to_real(draw):
    x = draw.array(4)
    yield "even", (x,), {}
    yield "odd", (x, 7), {}
    yield "even, cropped, ortho", (draw.array(2, 5), 6), {"norm": "ortho"}
    yield "odd, cropped, forward", (draw.array(2, 5), 5), {"norm": "forward"}
    yield "even, padded, axis 0", (draw.array(3, 2), 10, 0, "backward"), {}
    yield "odd, padded", (draw.array(2, 3, 2), 9), {"axis": 1}
    yield "n = 1", (x, 1), {}
    yield "n = 2", (x, 2), {}
    yield "empty batch", (draw.array(0, 4),), {}


def from_real_several(draw):
    if not draw.is_complex:
        yield "all axes", (draw.real(3, 4),), {}
        yield "odd last axis, ortho", (draw.real(2, 5),), {"norm": "ortho"}
        yield "s, padded and cropped", (draw.real(4, 3), (3, 4)), {"norm": "forward"}
        yield "s and axes", (draw.real(2, 3, 4), (3, 3), (2, 0)), {}
        yield "s without axes", (draw.real(2, 3), (5,)), {}
        yield "one axis", (draw.real(3, 4),), {"axes": 0}


def to_real_several(draw):
    yield "all axes", (draw.array(3, 3),), {}
    yield "odd last axis, ortho", (draw.array(2, 3), (2, 5)), {"norm": "ortho"}
    yield "s, padded and cropped", (draw.array(4, 5), (3, 4)), {"norm": "forward"}
    yield "s and axes", (draw.array(2, 3, 3), (4, 3), (2, 0)), {}
    yield "s without axes", (draw.array(2, 3), (7,)), {}
    yield "one axis", (draw.array(3, 4),), {"axes": 0}


def from_real_two(draw):
    if not draw.is_complex:
        yield "last two", (draw.real(2, 3, 4),), {}
        yield "s, axes, ortho", (draw.real(3, 2, 4), (2, 5), (0, 2), "ortho"), {}


def to_real_two(draw):
    yield "last two", (draw.array(2, 3, 3),), {}
    yield "s, axes, ortho", (draw.array(3, 2, 4), (2, 5), (0, 2), "ortho"), {}


def complex_input(draw):
    yield (
        "complex",
        (np.ones((2, 3), complex),),
        {},
        TypeError,
        r"x must be real, but is complex128 of shape \(2, 3\). Use fft",
    )


def too_short(draw):
    yield "one entry", (np.ones(1),), {}, ValueError, r"(?i)invalid number of data points \(0\)"
    yield "norm", (np.ones(4),), {"norm": 1}, ValueError, "Invalid norm value 1"


def spec(name, samples, errors=None):
    return OpSpec(
        function=getattr(fft, name),
        reference=getattr(scipy.fft, name),
        samples=samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.real(n),), {}),
    )


specs = [
    spec("rfft", from_real, complex_input),
    spec("irfft", to_real, too_short),
    spec("rfftn", from_real_several),
    spec("irfftn", to_real_several),
    spec("rfft2", from_real_two),
    spec("irfft2", to_real_two),
]
