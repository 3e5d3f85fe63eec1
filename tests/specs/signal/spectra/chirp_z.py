"""Chirp z-transforms."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def spirals(draw):
    w, a = np.array(0.9 + 0.3j), np.array(1.1 - 0.2j)
    yield "circle", (draw.array(5),), {}
    yield "fewer points, along axis 0", (draw.array(6, 2), 3), {"axis": 0}
    if draw.dtype in (np.float64, np.complex128):  # the points of SciPy are in double precision
        yield "spiral", (draw.array(4), 5, w, a), {}
        yield "real ratio", (draw.array(4), 3, np.array(0.8)), {}


def points(draw):
    if draw.is_complex:
        yield "circle", (3, None, np.array(1.1 - 0.2j, draw.dtype)), {}
        yield "spiral", (4, np.array(0.9 + 0.3j, draw.dtype), np.array(1.1 - 0.2j, draw.dtype)), {}


def bands(draw):
    band = np.array([0.3, 0.9], draw.real_dtype)
    yield "two bounds", (draw.array(5), band, 4), {}
    yield "one bound", (draw.array(5),), {"fn": 0.9, "m": 3, "fs": 3.0}
    yield "with its end, along axis 0", (draw.array(4, 2), band), {"endpoint": True, "axis": 0}


def errors(draw):
    yield "no samples", (np.ones(0),), {}, ValueError, "data points"
    yield "no points", (np.ones(3), 0), {}, ValueError, "output points"


def band_errors(draw):
    yield "three bounds", (np.ones(3), [0.1, 0.2, 0.3]), {}, ValueError, "2-length"


def point_errors(draw):
    yield "no points", (0,), {}, ValueError, "output points"


specs = [
    OpSpec(function=signal.czt, reference=scipy.signal.czt, samples=spirals, error_samples=errors),
    OpSpec(
        function=signal.zoom_fft,
        reference=scipy.signal.zoom_fft,
        samples=bands,
        error_samples=band_errors,
    ),
    OpSpec(
        function=signal.czt_points,
        reference=scipy.signal.czt_points,
        samples=points,
        error_samples=point_errors,
    ),
]
