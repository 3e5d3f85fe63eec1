"""filtfilt, sosfiltfilt."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec

from .initial_states import taps


def of_coefficients(f):
    """Rows (b0, b1, b2, a1, a2) as sections: column 3 may not vary."""

    def call(rows, *args, **kwargs):
        return f(
            np.concatenate([rows[:, :3], rows[:, :1] * 0 + 1, rows[:, 3:]], axis=1), *args, **kwargs
        )

    call.__name__, call.__module__ = f.__name__, "scigrad.signal"
    return call


def both_ways(draw):
    b, a = taps(draw, 3), taps(draw, 2)
    for padtype in ("odd", "even", "constant", None):
        yield f"{padtype}", (b, a, draw.array(11), -1, padtype), {}
    yield "along axis 0", (b, a, draw.array(6, 2), 0, "odd", 3), {}
    if draw.is_complex:  # SciPy drops the imaginary part
        return
    yield "states that match", (b, a, draw.array(2, 9)), {"method": "gust"}
    yield "states that reach 4 samples", (b, a, draw.array(2, 9)), {"method": "gust", "irlen": 4}
    yield "a factor", (b[:1], a[:1], draw.array(5)), {"method": "gust"}


def both_ways_errors(draw):
    yield "too short", (np.ones(3), np.ones(2), np.ones(9)), {}, ValueError, "greater than padlen"
    yield "padtype", (np.ones(3), np.ones(2), np.ones(19), -1, "free"), {}, ValueError, "padtype"
    yield "method", (np.ones(3), np.ones(2), np.ones(19)), {"method": "best"}, ValueError, "method"


def sections_both_ways(draw):
    rows = np.concatenate([draw.array(2, 3), 0.3 * draw.array(2, 2)], axis=1).astype(draw.dtype)
    for padtype in ("odd", "even", "constant", None):
        yield f"{padtype}", (rows, draw.array(17), -1, padtype), {}
    yield "along axis 0", (rows, draw.array(5, 2), 0, "odd", 3), {}


def whole_sections_both_ways(draw):
    sos = np.array([[1, -2, 3, 1, 0, 0], [2, 1, 0, 1, 0, 0], [1, 1, 1, 1, 0, 0]], np.int8)
    yield "three sections", (sos, draw.array(2, 23)), {}


SCALED = "SciPy's division of complex coefficients by a[0] under- and overflows"


specs = [
    OpSpec(
        function=signal.filtfilt,
        reference=scipy.signal.filtfilt,
        samples=both_ways,
        error_samples=both_ways_errors,
        known_failures={("extreme", "numpy"): SCALED},
    ),
    OpSpec(
        function=signal.sosfiltfilt,
        reference=scipy.signal.sosfiltfilt,
        samples=whole_sections_both_ways,
    ),
    OpSpec(
        function=of_coefficients(signal.sosfiltfilt),
        reference=of_coefficients(scipy.signal.sosfiltfilt),
        samples=sections_both_ways,
    ),
]
