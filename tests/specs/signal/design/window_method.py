"""firwin."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def samples(draw):
    if draw.is_complex:
        return
    one, two = np.array(0.3, draw.dtype), np.array([0.2, 0.6], draw.dtype)
    yield "low pass", (7, one), {}
    yield "even number of taps", (6, one), {}
    yield "not scaled", (7, one), {"scale": False}
    yield "high pass", (7, one), {"pass_zero": False}
    yield "high pass by name", (7, one[None]), {"pass_zero": "highpass"}
    yield "band pass", (7, two), {"pass_zero": "bandpass"}
    yield "band stop", (7, two), {"pass_zero": "bandstop", "window": "hann"}
    yield "three edges", (9, np.array([0.2, 0.5, 0.7], draw.dtype)), {"pass_zero": False}
    yield "four edges", (9, np.array([0.2, 0.4, 0.5, 0.7], draw.dtype)), {}
    yield "in Hz", (7, np.array(60.0, draw.dtype)), {"fs": 400}
    yield "window with a parameter", (7, one), {"window": ("kaiser", 3.0)}
    yield "by width", (31, one), {"width": 0.2}


def errors(draw):
    yield "no edge", (5, np.array([])), {}, ValueError, "At least one cutoff"
    yield "edge outside", (5, 1.5), {}, ValueError, "greater than 0 and less than fs/2"
    yield "decreasing edges", (5, [0.6, 0.3]), {}, ValueError, "strictly increasing"
    yield "even and Nyquist passes", (6, 0.3), {"pass_zero": False}, ValueError, "Nyquist"
    yield "unknown band", (5, 0.3), {"pass_zero": "middle"}, ValueError, "pass_zero"


specs = [
    OpSpec(
        function=signal.firwin, reference=scipy.signal.firwin, samples=samples, error_samples=errors
    )
]
