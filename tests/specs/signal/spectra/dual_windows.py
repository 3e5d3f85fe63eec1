"""Dual windows of the short-time Fourier transform."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def windows(draw):
    win = draw.array(7) + np.array(3, draw.real_dtype)
    yield "closest to 1", (win, 3), {}
    yield "closest to a window", (win, 2, draw.array(7)), {}
    yield "not scaled", (win, 3, draw.array(7)), {"scaled": False}


def errors(draw):
    yield "hop", (np.ones(4), 5), {}, ValueError, "between 1 and"
    yield "shape", (np.ones(4), 2, np.ones(3)), {}, ValueError, "equal length"
    yield "no inverse", (np.array([1.0, 0.0, 0.0, 0.0]), 4), {}, ValueError, "invertible"


specs = [
    OpSpec(
        function=signal.closest_STFT_dual_window,
        reference=scipy.signal.closest_STFT_dual_window,
        samples=windows,
        error_samples=errors,
    ),
]
