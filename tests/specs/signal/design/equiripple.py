"""Equiripple filters."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def designs(draw):
    """No finite differences here: tests/signal/test_equiripple.py."""
    if not draw.is_complex:
        bands, desired = np.array([0, 0.1, 0.2, 0.5], draw.dtype), np.array([1, 0], draw.dtype)
        yield "low pass", (9,), {"bands": bands, "desired": desired}
        yield "Hilbert", (12,), {"bands": bands[1::2], "desired": desired[:1], "type": "hilbert"}


def design_errors(draw):
    yield "kind", (9, [0, 0.1, 0.2, 0.5], [1, 0]), {"type": "best"}, ValueError, "[Tt]ype"


specs = [
    OpSpec(
        function=signal.remez,
        reference=scipy.signal.remez,
        samples=designs,
        error_samples=design_errors,
    ),
]
