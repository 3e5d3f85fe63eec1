"""Waveforms."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def swept(draw):
    if draw.is_complex:
        return
    t = draw.uniform(0.1, 0.9, 3)
    one, two, end = (np.array(v, draw.dtype) for v in (1.5, 2.5, 1.0))
    for method in ("linear", "quadratic", "logarithmic", "hyperbolic"):
        yield f"{method}", (t, one, end, two, method), {}
    yield (
        "phase, from the other vertex",
        (t, one, end, two, "quadratic", np.array(30.0, draw.dtype), False),
        {},
    )
    yield "complex", (t, one, end, two), {"complex": True}


def swept_errors(draw):
    yield "method", (1.0, 1.0, 1.0, 2.0, "cubic"), {}, ValueError, "method must be"


def pulses(draw):
    if draw.is_complex:
        return
    t, (fc, bw, bwr, tpr) = (
        draw.uniform(-0.2, 0.2, 3),
        (np.array(v, draw.dtype) for v in (2.0, 0.5, -6.0, -60.0)),
    )
    yield "signal", (t, fc, bw, bwr), {}
    yield "all three", (t, fc, bw), {"retquad": True, "retenv": True}
    yield "envelope", (t, fc, bw), {"retenv": True}
    yield "cutoff", ("cutoff", fc, bw, bwr, tpr), {}


def pulse_errors(draw):
    yield "string", ("end",), {}, ValueError, "cutoff"


def periodic(draw):
    if not draw.is_complex:
        for share in (0.25, 0.7):
            yield (
                f"{share}",
                (np.array([-4.0, 0.5, 1.2, 5.0], draw.dtype), np.array(share, draw.dtype)),
                {},
            )


def polynomial(draw):
    if not draw.is_complex:
        yield "vector", (draw.uniform(0.1, 0.9, 3), draw.array(3)), {}
        yield "phase", (draw.uniform(0.1, 0.9, 2), draw.array(2)), {"phi": 20.0}


CHIRP = {
    (
        "extreme",
        "numpy",
    ): "SciPy's product of the frequencies, by which it compares their signs, underflows",
    ("narrow", "numpy"): "SciPy computes in half precision, in another order",
}
PULSE = {("extreme", "numpy"): "SciPy takes the logarithm of a level that rounds to 1"}

specs = [
    OpSpec(
        function=signal.chirp,
        reference=scipy.signal.chirp,
        samples=swept,
        known_failures=CHIRP,
        error_samples=swept_errors,
    ),
    OpSpec(
        function=signal.gausspulse,
        reference=scipy.signal.gausspulse,
        samples=pulses,
        known_failures=PULSE,
        error_samples=pulse_errors,
    ),
    OpSpec(function=signal.sawtooth, reference=scipy.signal.sawtooth, samples=periodic),
    OpSpec(function=signal.square, reference=scipy.signal.square, samples=periodic),
    OpSpec(function=signal.sweep_poly, reference=scipy.signal.sweep_poly, samples=polynomial),
]
