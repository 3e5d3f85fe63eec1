"""Peaks of signals."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec

HILLS = [0.3, 1.2, 0.7, 2.5, 1.1, 1.4, 0.2, -0.6, 1.9, 0.4]


def hills(draw):
    if not draw.is_complex:
        yield "all", (np.array(HILLS, draw.dtype),), {"peaks": np.array([1, 3, 5, 8])}
        yield "in a window", (np.array(HILLS, draw.dtype),), {"peaks": [3, 8], "wlen": 4}


def widths(draw):
    yield from hills(draw)
    if not draw.is_complex:
        yield "lower", (np.array(HILLS, draw.dtype),), {"peaks": [3, 8], "rel_height": 0.8}


def properties(draw):
    if not draw.is_complex:
        x = np.array(HILLS, draw.dtype)
        yield "positions", (x,), {}
        yield (
            "all properties",
            (x,),
            {"height": 0, "threshold": 0, "prominence": 0.1, "width": 0, "plateau_size": 1},
        )
        yield "bounds", (x,), {"height": (1.3, 2), "distance": 2, "width": 0.1, "rel_height": 0.7}


def with_heights(draw):
    yield from list(properties(draw))[1:]


def errors(draw):
    yield "matrix", (np.ones((2, 2)), [1]), {}, ValueError, "1-D"
    yield "position", (np.ones(3), [5]), {}, ValueError, "valid index"


def find_errors(draw):
    yield "matrix", (np.ones((2, 2)),), {}, ValueError, "1-D"
    yield "distance", (np.ones(4),), {"distance": 0}, ValueError, "distance"


BATCH = {
    ("batching", "any"): "the elements of a batch may have different numbers of peaks: refused",
    ("shapes", "any"): "the number of peaks depends on the data",
}

specs = [
    OpSpec(
        function=signal.peak_prominences,
        reference=scipy.signal.peak_prominences,
        samples=hills,
        error_samples=errors,
    ),
    OpSpec(
        function=signal.peak_widths,
        reference=scipy.signal.peak_widths,
        samples=widths,
        error_samples=errors,
    ),
    OpSpec(
        function=signal.find_peaks,
        reference=scipy.signal.find_peaks,
        samples=properties,
        gradient_samples=with_heights,
        error_samples=find_errors,
        known_failures=BATCH,
    ),
]
