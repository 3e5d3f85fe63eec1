"""filtfilt, sosfiltfilt, the states lfilter_zi, sosfilt_zi, lfiltic, and deconvolve."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def taps(draw, count):
    """Coefficients of a stable denominator or of a numerator: small, behind a first one that is not
    1.
    """
    values = 0.2 * draw.array(count)
    values[0] += 2
    return values


def states(draw):
    yield "of one length", (taps(draw, 3), taps(draw, 3)), {}
    yield "longer b", (taps(draw, 4), taps(draw, 2)), {}
    yield "longer a", (taps(draw, 1), taps(draw, 4)), {}


def state_errors(draw):
    yield "matrix", (np.ones((2, 2)), np.ones(2)), {}, ValueError, "1-D"


def of_coefficients(f):
    """Rows (b0, b1, b2, a1, a2) as sections: column 3 may not vary."""

    def call(rows, *args, **kwargs):
        return f(
            np.concatenate([rows[:, :3], rows[:, :1] * 0 + 1, rows[:, 3:]], axis=1), *args, **kwargs
        )

    call.__name__, call.__module__ = f.__name__, "scigrad.signal"
    return call


def section_states(draw):
    rows = 0.3 * draw.array(2, 6)
    rows[:, 3] += 2
    yield "two sections", (rows,), {}


def both_ways(draw):
    b, a = taps(draw, 3), taps(draw, 2)
    for padtype in ("odd", "even", "constant", None):
        yield f"{padtype}", (b, a, draw.array(11), -1, padtype), {}
    yield "along axis 0", (b, a, draw.array(6, 2), 0, "odd", 3), {}
    if draw.is_complex:  # of which SciPy drops a part
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


def past(draw):
    yield "outputs and inputs", (taps(draw, 3), taps(draw, 4), draw.array(3), draw.array(2)), {}
    yield "fewer than the order", (taps(draw, 2), taps(draw, 4), draw.array(2)), {}
    yield "more than the order", (taps(draw, 3), taps(draw, 2), draw.array(4), draw.array(4)), {}


def products(draw):
    yield "long division", (draw.array(6), taps(draw, 3)), {}
    yield "of one length", (draw.array(3), taps(draw, 3)), {}


SCALED = "SciPy's division of complex coefficients by a[0] under- and overflows"
WRAPS = "SciPy continues a signal of small integers in their dtype, where differences wrap"

specs = [
    OpSpec(
        function=signal.lfilter_zi,
        reference=scipy.signal.lfilter_zi,
        samples=states,
        error_samples=state_errors,
    ),
    OpSpec(function=signal.sosfilt_zi, reference=scipy.signal.sosfilt_zi, samples=section_states),
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
        known_failures={("narrow", "numpy"): WRAPS},
    ),
    OpSpec(
        function=signal.lfiltic,
        reference=scipy.signal.lfiltic,
        samples=past,
        known_failures={
            ("extreme", "numpy"): "SciPy's products underflow before they are divided by a[0]"
        },
    ),
    OpSpec(
        function=signal.deconvolve,
        reference=scipy.signal.deconvolve,
        samples=products,
        known_failures={("extreme", "numpy"): SCALED},
    ),
]
