"""fftconvolve."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def samples(draw):
    for mode in ("full", "same", "valid"):
        yield f"vectors, {mode}", (draw.array(6), draw.array(3), mode), {}
        yield f"matrices, {mode}", (draw.array(4, 5), draw.array(3, 2), mode), {}
        yield f"one axis, {mode}", (draw.array(2, 5), draw.array(2, 3), mode), {"axes": 1}
    yield "shorter first, valid", (draw.array(3), draw.array(5), "valid"), {}
    yield "shorter first, same", (draw.array(3), draw.array(5), "same"), {}
    yield "broadcast", (draw.array(1, 4), draw.array(3, 3), "full"), {"axes": [-1]}
    yield "length 1", (draw.array(4), draw.array(1)), {}
    yield "three axes, two transformed", (draw.array(3, 2, 3), draw.array(2, 2, 2), "full"), {"axes": (2, 0)}
    yield "numbers", (draw.array(), draw.array()), {}
    yield "real with it", (draw.array(5), draw.real(3), "same"), {}


def errors(draw):
    yield "ranks", (np.ones(3), np.ones((2, 2))), {}, ValueError, "same dimensionality"
    yield "mode", (np.ones(3), np.ones(2), "half"), {}, ValueError, "acceptable mode flags"
    yield "shapes", (np.ones((2, 3)), np.ones((3, 3))), {"axes": 1}, ValueError, "incompatible shapes"


specs = [
    OpSpec(function=signal.fftconvolve, reference=scipy.signal.fftconvolve, samples=samples, error_samples=errors,
           size=lambda draw, n: ((draw.array(n), draw.array(n)), {})),
]  # fmt: skip
