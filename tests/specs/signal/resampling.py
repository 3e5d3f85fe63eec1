"""Changes of the sampling rate."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def between_zeros(draw):
    for up, down in ((1, 1), (2, 1), (1, 3), (3, 2)):
        yield f"{up}/{down}", (draw.array(4), draw.array(5), up, down), {}
    yield "along axis 0", (draw.array(2), draw.array(4, 2), 2, 3), {"axis": 0}
    for mode in (
        "wrap",
        "edge",
        "smooth",
        "symmetric",
        "reflect",
        "antisymmetric",
        "antireflect",
        "line",
    ):
        yield mode, (draw.array(6), draw.array(4), 2, 1), {"mode": mode}
    yield "a value", (draw.array(3), draw.array(4)), {"cval": 1.5}


def between_zeros_errors(draw):
    yield "no taps", (np.ones(0), np.ones(3)), {}, ValueError, "1-D with non-zero length"
    yield "factor", (np.ones(2), np.ones(3), 0), {}, ValueError, ">= 1"
    yield "mode", (np.ones(2), np.ones(3)), {"mode": "free"}, ValueError, "mode"


def rates(draw):
    for up, down in ((2, 1), (1, 2), (3, 2), (2, 2)):
        yield f"{up}/{down}", (draw.array(5), up, down), {}
    yield (
        "by taps",
        (draw.array(6), 3, 2),
        {"window": np.array([1.0, 2.0, 1.5, 0.5], draw.real_dtype)},
    )
    yield "along axis 1", (draw.array(2, 5), 2, 3), {"axis": 1, "window": "hamming"}
    if not draw.is_complex:
        yield "minimum", (draw.array(5), 2, 1), {"padtype": "minimum"}
    yield "mean", (draw.array(5), 2, 1), {"padtype": "mean"}
    yield "antireflect", (draw.array(5), 2, 1), {"padtype": "antireflect"}
    yield "a value", (draw.array(5), 2, 1), {"cval": 1.5}


def rate_errors(draw):
    yield "factor", (np.ones(3), 0, 1), {}, ValueError, ">= 1"
    yield "padtype", (np.ones(3), 2, 1), {"padtype": "free"}, ValueError, "padtype must be"


def fewer(draw):
    yield "window", (draw.array(9), 2, 6, "fir"), {}
    yield "window with delay", (draw.array(9), 3, 6, "fir"), {"zero_phase": False}
    yield "recursive with delay", (draw.array(9), 2, 3), {"zero_phase": False}
    yield "recursive", (draw.array(2, 17), 3, 2), {}


def fewer_errors(draw):
    yield "kind", (np.ones(9), 2, 3, "best"), {}, ValueError, "invalid ftype"


def periodic(draw):
    for n, num in ((4, 4), (4, 6), (5, 8), (6, 4), (5, 3), (8, 5)):
        yield f"{n} to {num}", (draw.array(n), num), {}
    yield "along axis 1", (draw.array(2, 4), 6), {"axis": 1}
    yield "weighted", (draw.array(6), 4), {"window": "hamming"}
    yield "transformed", (draw.array(6), 4), {"domain": "freq"}
    yield "times", (draw.array(4), 2, np.array([1.0, 3.0, 5.0, 7.0], draw.real_dtype)), {}


def periodic_errors(draw):
    yield "domain", (np.ones(4), 2), {"domain": "space"}, ValueError, "domain"


ZEROS = {("missing", "numpy"): "SciPy multiplies NaN with the zeros that fill up its taps"}


specs = [
    OpSpec(
        function=signal.upfirdn,
        reference=scipy.signal.upfirdn,
        samples=between_zeros,
        known_failures=ZEROS,
        error_samples=between_zeros_errors,
    ),
    OpSpec(
        function=signal.resample_poly,
        reference=scipy.signal.resample_poly,
        samples=rates,
        error_samples=rate_errors,
    ),
    OpSpec(
        function=signal.decimate,
        reference=scipy.signal.decimate,
        samples=fewer,
        error_samples=fewer_errors,
    ),
    OpSpec(
        function=signal.resample,
        reference=scipy.signal.resample,
        samples=periodic,
        error_samples=periodic_errors,
    ),
]
