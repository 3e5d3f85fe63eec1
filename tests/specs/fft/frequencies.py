"""Frequencies and the order of spectra."""

import numpy as np
import scipy.fft

from scigrad import fft
from scigrad.testing import OpSpec


def spacing(draw):
    yield "even", (6,), {}
    if draw.dtype == np.float64:  # the result has this precision whatever d has
        yield "odd, spacing", (5, float(draw.positive())), {}


def shifts(draw):
    yield "even", (draw.array(4),), {}
    yield "odd", (draw.array(5),), {}
    yield "all axes", (draw.array(2, 3),), {}
    yield "one axis", (draw.array(3, 2), 0), {}
    yield "two axes", (draw.array(3, 2, 3), (0, -1)), {}
    yield "empty", (draw.array(0, 3), 1), {}


def lengths(draw):
    yield "prime", (23,), {}
    yield "real", (97, True), {}


def bad_axis(draw):
    yield "axis", (np.ones(3), 1), {}, IndexError, r"axis is out of range.*\(3,\)"


def spec(name, samples, **more):
    return OpSpec(
        function=getattr(fft, name), reference=getattr(scipy.fft, name), samples=samples, **more
    )


specs = [
    *(spec(name, spacing) for name in ("fftfreq", "rfftfreq")),
    *(spec(name, shifts, error_samples=bad_axis) for name in ("fftshift", "ifftshift")),
    *(spec(name, lengths) for name in ("next_fast_len", "prev_fast_len")),
]
