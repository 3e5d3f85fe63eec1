"""Splines: coefficients, smoothing and values."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def knots(draw):
    yield "through the values", (draw.array(6),), {}


def smooth_knots(draw):
    yield from knots(draw)
    if not draw.is_complex:
        yield "smoothing", (draw.array(6), 0.3), {}


def image_knots(draw):
    if not draw.is_complex:
        yield "through the values", (draw.array(12, 13),), {}


def smooth_image_knots(draw):
    yield from image_knots(draw)
    if draw.dtype == np.float64:  # in single precision SciPy ends its sums at 1e-3
        yield "smoothing", (draw.array(12, 13),), {"lamb": 0.1}


def smoothed(draw):
    if not draw.is_complex:
        yield "image", (draw.array(12, 13),), {"lmbda": 0.1}


def smoothing_errors(draw):
    yield "smoothing", (np.ones(5), 0.1), {}, ValueError, "[Ss]moothing|lambda"


def real_places(draw):
    if not draw.is_complex:
        yield "vector", (draw.array(4), 3), {}
        yield "number", (draw.array(), 2), {}


def evaluations(draw):
    if not draw.is_complex:
        at = np.array([-3.3, -0.7, 0.2, 1.2, 2.65, 3.9, 9.65], draw.dtype)
        yield "inside and outside", (draw.array(5), at), {}
        yield "other knots", (draw.array(5), at), {"dx": 0.7, "x0": 0.3}


def evaluation_errors(draw):
    yield "nothing", (np.ones(0), np.ones(2)), {}, ValueError, "must not be empty"


def spec(name, samples, **given):
    return OpSpec(
        function=getattr(signal, name),
        reference=getattr(scipy.signal, name),
        samples=samples,
        **given,
    )


COARSE = {("single_precision", "any"): "SciPy ends its sums at 1e-3 in single precision"}
DEEP = {("extreme", "numpy"): "SciPy reflects places far outside one by one, recursively"}


specs = [
    spec("cspline1d", smooth_knots),
    spec("qspline1d", knots, error_samples=smoothing_errors),
    spec("cspline2d", smooth_image_knots),
    spec("qspline2d", image_knots, error_samples=smoothing_errors),
    spec("spline_filter", smoothed, known_failures=COARSE),
    spec("gauss_spline", real_places),
    spec("cspline1d_eval", evaluations, error_samples=evaluation_errors, known_failures=DEEP),
    spec("qspline1d_eval", evaluations, error_samples=evaluation_errors, known_failures=DEEP),
]
