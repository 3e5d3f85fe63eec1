"""lfilter, sosfilt."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def taps(draw, count):
    """Coefficients of a stable denominator or of a numerator: small, behind a first one that is not
    1.
    """
    values = 0.3 * draw.array(count)
    values[0] += 2
    return values


def lfilter_samples(draw):
    x = draw.array(2, 6)
    yield "b and a of one length", (taps(draw, 3), taps(draw, 3), x[0]), {}
    yield "longer b", (taps(draw, 4), taps(draw, 2), x[0]), {}
    yield "longer a", (taps(draw, 1), taps(draw, 5), x[0]), {}
    yield "finite response", (taps(draw, 3), taps(draw, 1), x), {}
    yield "a[0] is 1", (taps(draw, 2), taps(draw, 3) / 2, x), {}
    yield "along axis 0", (taps(draw, 3), taps(draw, 3), draw.array(5, 2)), {"axis": 0}
    yield "along a middle axis", (taps(draw, 5), taps(draw, 3), draw.array(2, 5, 2)), {"axis": 1}
    yield "real filter", (draw.real(2), np.array([2.0, 0.5], draw.real_dtype), x[0]), {}
    yield "one sample", (taps(draw, 3), taps(draw, 3), draw.array(1)), {}


def lfilter_state_samples(draw):
    yield (
        "b and a of one length",
        (taps(draw, 3), taps(draw, 3), draw.array(5), -1, draw.array(2)),
        {},
    )
    yield "longer b", (taps(draw, 4), taps(draw, 2), draw.array(5), -1, draw.array(3)), {}
    yield "longer a", (taps(draw, 2), taps(draw, 4), draw.array(5), -1, draw.array(3)), {}
    yield (
        "finite response",
        (taps(draw, 3), np.array([2], np.int8), draw.array(2, 4), 1, draw.array(2, 2)),
        {},
    )
    yield "along axis 0", (taps(draw, 3), taps(draw, 3), draw.array(4, 2), 0, draw.array(2, 2)), {}
    yield (
        "one state for all",
        (taps(draw, 3), taps(draw, 2), draw.array(3, 4), -1, draw.array(1, 2)),
        {},
    )
    yield (
        "fewer samples than states",
        (taps(draw, 4), taps(draw, 5), draw.array(2), -1, draw.array(4)),
        {},
    )


def lfilter_errors(draw):
    x = draw.array(4)
    yield (
        "b is a matrix",
        (np.ones((2, 2)), np.ones(2), x),
        {},
        ValueError,
        "Parameter b is not a non-empty 1d array",
    )
    yield (
        "zi of another rank",
        (np.ones(2), np.ones(1), x, -1, np.ones((1, 1))),
        {},
        ValueError,
        "x and zi must match",
    )
    yield "a[0] is 0", (np.ones(2), np.array([0.0, 1.0]), x), {}, ValueError, r"a\[0\]"


def sosfilt_samples(draw):
    """Integer sections, which do not vary; the coefficients' derivatives are in
    tests/signal/test_filtering.py.
    """
    sos = np.array([[1, -2, 3, 1, -1, 1], [2, 1, 0, 1, 0, -1], [1, 1, 1, 1, 1, 0]], np.int8)
    yield "one section", (sos[:1], draw.array(5)), {}
    yield "three sections", (sos, draw.array(2, 4)), {}
    yield "along axis 0", (sos[:2], draw.array(4, 2)), {"axis": 0}
    yield "one section as a vector", (sos[0], draw.array(4)), {}
    yield "with states", (sos[:2], draw.array(4), -1, draw.array(2, 2)), {}
    yield "with states along axis 0", (sos[:2], draw.array(3, 2), 0, draw.array(2, 2, 2)), {}


def sosfilt_errors(draw):
    x = draw.array(4)
    yield "three axes", (np.ones((1, 1, 6)), x), {}, ValueError, "2D"
    yield "five columns", (np.ones((1, 5)), x), {}, ValueError, "n_sections, 6"
    yield "column 3 is not 1", (2 * np.ones((1, 6)), x), {}, ValueError, "should be all ones"
    yield (
        "zi of another shape",
        (np.ones((1, 6)), x, -1, np.ones((2, 2))),
        {},
        ValueError,
        "Invalid zi shape",
    )


SCALED = "SciPy's division of complex coefficients by a[0] under- and overflows"

specs = [
    OpSpec(
        function=signal.lfilter,
        reference=scipy.signal.lfilter,
        samples=lfilter_samples,
        error_samples=lfilter_errors,
        known_failures={("extreme", "numpy"): SCALED},
        size=lambda draw, n: ((taps(draw, 9), taps(draw, 9), draw.array(n)), {}),
    ),
    OpSpec(
        function=signal.lfilter,
        reference=scipy.signal.lfilter,
        samples=lfilter_state_samples,
        known_failures={
            ("extreme", "numpy"): SCALED,
            (
                "missing",
                "numpy",
            ): "a finite response takes NaN to those samples alone that it enters",
        },
    ),
    OpSpec(
        function=signal.sosfilt,
        reference=scipy.signal.sosfilt,
        samples=sosfilt_samples,
        error_samples=sosfilt_errors,
    ),
]
