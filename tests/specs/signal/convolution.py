"""Convolutions and correlations, and deconvolve."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec

from .filters.initial_states import taps
from .filters.zero_phase import SCALED


def samples(draw):
    for mode in ("full", "same", "valid"):
        yield f"vectors, {mode}", (draw.array(6), draw.array(3), mode), {}
        yield f"matrices, {mode}", (draw.array(4, 5), draw.array(3, 2), mode), {}
        yield f"one axis, {mode}", (draw.array(2, 5), draw.array(2, 3), mode), {"axes": 1}
    yield "shorter first, valid", (draw.array(3), draw.array(5), "valid"), {}
    yield "shorter first, same", (draw.array(3), draw.array(5), "same"), {}
    yield "broadcast", (draw.array(1, 4), draw.array(3, 3), "full"), {"axes": [-1]}
    yield "length 1", (draw.array(4), draw.array(1)), {}
    yield (
        "three axes, two transformed",
        (draw.array(3, 2, 3), draw.array(2, 2, 2), "full"),
        {"axes": (2, 0)},
    )
    yield "numbers", (draw.array(), draw.array()), {}
    yield "real with it", (draw.array(5), draw.real(3), "same"), {}


def errors(draw):
    yield "ranks", (np.ones(3), np.ones((2, 2))), {}, ValueError, "same dimensionality"
    yield "mode", (np.ones(3), np.ones(2), "half"), {}, ValueError, "acceptable mode flags"
    yield (
        "shapes",
        (np.ones((2, 3)), np.ones((3, 3))),
        {"axes": 1},
        ValueError,
        "incompatible shapes",
    )


def sequences(draw):
    yield "numbers", (draw.array(), draw.array()), {}
    for mode in ("full", "same", "valid"):
        yield f"vectors, {mode}", (draw.array(5), draw.array(2), mode), {}
        yield f"vectors by transform, {mode}", (draw.array(5), draw.array(3), mode, "fft"), {}
        yield f"shorter first, {mode}", (draw.array(2), draw.array(5), mode, "direct"), {}
        yield f"matrices, {mode}", (draw.array(3, 4), draw.array(2, 3), mode), {}
    yield "three axes", (draw.array(2, 3, 2), draw.array(2, 1, 2)), {}


def sequence_errors(draw):
    yield "ranks", (np.ones(3), np.ones((2, 2))), {}, ValueError, "same dimensionality"
    yield "mode", (np.ones(3), np.ones(2), "half"), {}, ValueError, "mode flags"
    yield "method", (np.ones(3), np.ones(2), "full", "slow"), {}, ValueError, "method flags"


def overlapping(draw):
    for mode in ("full", "same", "valid"):
        yield f"vectors, {mode}", (draw.array(40), draw.array(3), mode), {}
    yield "one axis", (draw.array(2, 9), draw.array(2, 3)), {"axes": 1}


def images(draw):
    for mode in ("full", "same", "valid"):
        for boundary in ("fill", "wrap", "symm"):
            yield f"{mode}, {boundary}", (draw.array(4, 3), draw.array(2, 3), mode, boundary), {}
    yield "of even size", (draw.array(4, 5), draw.array(2, 4), "same"), {}
    yield "filled with a number", (draw.array(4, 3), draw.array(2, 3), "full", "fill", 2.5), {}
    yield "shorter first", (draw.array(2, 2), draw.array(3, 4), "valid"), {}


def image_errors(draw):
    yield "vectors", (np.ones(3), np.ones(3)), {}, ValueError, "2-D arrays"
    yield "mode", (np.ones((3, 3)), np.ones((2, 2)), "half"), {}, ValueError, "mode"
    yield "boundary", (np.ones((3, 3)), np.ones((2, 2)), "full", "open"), {}, ValueError, "boundary"


def lengths(draw):
    yield "short", (draw.array(5), draw.array(3)), {}
    yield "long", (np.ones(100000), np.ones(10000)), {}


def products(draw):
    yield "long division", (draw.array(6), taps(draw, 3)), {}
    yield "of one length", (draw.array(3), taps(draw, 3)), {}


specs = [
    OpSpec(
        function=signal.fftconvolve,
        reference=scipy.signal.fftconvolve,
        samples=samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.array(n), draw.array(n)), {}),
    ),
    OpSpec(
        function=signal.convolve,
        reference=scipy.signal.convolve,
        samples=sequences,
        error_samples=sequence_errors,
    ),
    OpSpec(
        function=signal.correlate,
        reference=scipy.signal.correlate,
        samples=sequences,
        error_samples=sequence_errors,
    ),
    OpSpec(
        function=signal.oaconvolve,
        reference=scipy.signal.oaconvolve,
        samples=overlapping,
        error_samples=errors,
    ),
    OpSpec(
        function=signal.convolve2d,
        reference=scipy.signal.convolve2d,
        samples=images,
        error_samples=image_errors,
    ),
    OpSpec(
        function=signal.correlate2d,
        reference=scipy.signal.correlate2d,
        samples=images,
        error_samples=image_errors,
    ),
    OpSpec(
        function=signal.choose_conv_method,
        reference=scipy.signal.choose_conv_method,
        samples=lengths,
    ),
    OpSpec(
        function=signal.deconvolve,
        reference=scipy.signal.deconvolve,
        samples=products,
        known_failures={("extreme", "numpy"): SCALED},
    ),
]
