"""lfilter_zi, sosfilt_zi, lfiltic: the states from which filters begin."""

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


def section_states(draw):
    rows = 0.3 * draw.array(2, 6)
    rows[:, 3] += 2
    yield "two sections", (rows,), {}


def past(draw):
    yield "outputs and inputs", (taps(draw, 3), taps(draw, 4), draw.array(3), draw.array(2)), {}
    yield "fewer than the order", (taps(draw, 2), taps(draw, 4), draw.array(2)), {}
    yield "more than the order", (taps(draw, 3), taps(draw, 2), draw.array(4), draw.array(4)), {}


specs = [
    OpSpec(
        function=signal.lfilter_zi,
        reference=scipy.signal.lfilter_zi,
        samples=states,
        error_samples=state_errors,
    ),
    OpSpec(function=signal.sosfilt_zi, reference=scipy.signal.sosfilt_zi, samples=section_states),
    OpSpec(
        function=signal.lfiltic,
        reference=scipy.signal.lfiltic,
        samples=past,
        known_failures={
            ("extreme", "numpy"): "SciPy's products underflow before they are divided by a[0]"
        },
    ),
]
