"""Complex Fourier transforms: even and odd lengths, cropped, padded, every axis and norm."""

import numpy as np
import scipy.fft

from scigrad import fft
from scigrad.testing import OpSpec


def one_axis(draw):
    yield "even", (draw.array(6),), {}
    yield "odd, ortho", (draw.array(5),), {"norm": "ortho"}
    yield "cropped, forward", (draw.array(2, 5), 4), {"norm": "forward"}
    yield "padded, axis 0", (draw.array(3, 2), 4, 0, "backward"), {}
    yield "padded to odd, middle axis", (draw.array(2, 4, 2), 7), {"axis": -2, "norm": "ortho"}
    yield "length 1", (draw.array(3, 1),), {}
    yield "workers, overwrite_x", (draw.array(2, 4),), {"workers": 2, "overwrite_x": False}
    yield "empty batch", (draw.array(0, 4),), {}
    if draw.is_complex:
        yield "real input", (draw.real(5), 6), {}


def several_axes(draw):
    yield "all axes", (draw.array(3, 4),), {}
    yield "s, cropped and padded, ortho", (draw.array(3, 4), (4, 3)), {"norm": "ortho"}
    yield "axes, forward", (draw.array(3, 2, 4),), {"axes": (2, 0), "norm": "forward"}
    yield "s and axes", (draw.array(2, 3, 4), (5, 2), (0, -1)), {}
    yield "s without axes", (draw.array(2, 3), (5,)), {}
    yield "s = -1", (draw.array(3, 4), (-1, 2), (0, 1)), {}
    yield "one axis as a number", (draw.array(3, 4),), {"s": 5, "axes": 0}
    if draw.is_complex:
        yield "real input", (draw.real(3, 4),), {}


def two_axes(draw):
    yield "last two", (draw.array(2, 3, 4),), {}
    yield "s, axes, ortho", (draw.array(3, 2, 4), (2, 5), (0, 2), "ortho"), {}


def bad_one(draw):
    x = np.ones((2, 3))
    yield "axis", (x,), {"axis": 2}, IndexError, r"axis is out of range.*\(2, 3\)"
    yield "length 0", (x, 0), {}, ValueError, r"invalid number of data points \(0\).*\(2, 3\)"
    yield "norm", (x,), {"norm": "unit"}, ValueError, "Invalid norm value 'unit'.*ortho"
    yield "workers", (x,), {"workers": 0}, ValueError, "workers must not be zero"


def bad_several(draw):
    x = np.ones((2, 3))
    yield "axis twice", (x,), {"axes": (0, 0)}, ValueError, "all axes must be unique"
    yield "axis", (x,), {"axes": (0, 2)}, ValueError, "axes exceeds dimensionality.*shape"
    yield "s and axes", (x, (2, 2)), {"axes": 0}, ValueError, "same length"
    yield "s too long", (x, (2, 2, 2)), {}, ValueError, "more axes than are present"


def line(draw, n):
    return (draw.array(n),), {}


def square(draw, n):
    return (draw.array(int(n**0.5), int(n**0.5)),), {}


def spec(name, samples, errors, size):
    return OpSpec(
        function=getattr(fft, name),
        reference=getattr(scipy.fft, name),
        samples=samples,
        error_samples=errors,
        size=size,
    )


specs = [
    *(spec(name, one_axis, bad_one, line) for name in ("fft", "ifft")),
    *(spec(name, several_axes, bad_several, square) for name in ("fftn", "ifftn")),
    *(spec(name, two_axes, None, square) for name in ("fft2", "ifft2")),
]
