"""The short-time Fourier transform and its inverse."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec

from .spectral import errors


def short_time(draw):
    sided = {"return_onesided": not draw.is_complex}
    for boundary in ("zeros", "even", "odd", "constant", None):
        yield f"boundary {boundary}", (draw.array(9),), {"nperseg": 4, "boundary": boundary} | sided
    yield (
        "power",
        (draw.array(2, 9),),
        {"nperseg": 4, "scaling": "psd", "padded": False, "fs": 2.0, "nfft": 5} | sided,
    )
    yield (
        "along axis 0",
        (draw.array(9, 2),),
        {"nperseg": 4, "axis": 0, "detrend": "constant", "noverlap": 3} | sided,
    )
    yield "no samples", (draw.array(0),), sided


def inverse(draw):
    if not draw.is_complex:
        return
    yield "one-sided", (draw.array(3, 5),), {}
    yield "odd segments", (draw.array(3, 4),), {"nperseg": 5, "noverlap": 3}
    yield "two-sided", (draw.array(4, 4),), {"input_onesided": False, "scaling": "psd", "fs": 3.0}
    yield "without boundary", (draw.array(2, 3, 4),), {"boundary": False, "window": "hamming"}
    yield "axes", (draw.array(4, 2, 3),), {"time_axis": 0, "freq_axis": -1}


def inverse_errors(draw):
    yield "vector", (np.ones(3),), {}, ValueError, "at least 2d"
    yield "axes", (np.ones((3, 3)),), {"time_axis": 0, "freq_axis": 0}, ValueError, "differing"
    yield (
        "no segment",
        (np.ones((3, 3)),),
        {"nperseg": -4},
        ValueError,
        "nperseg must be a positive integer",
    )
    yield (
        "window",
        (np.ones((3, 3)),),
        {"window": np.ones((2, 2))},
        ValueError,
        "window must be 1-D",
    )


specs = [
    OpSpec(
        function=signal.stft, reference=scipy.signal.stft, samples=short_time, error_samples=errors
    ),
    OpSpec(
        function=signal.istft,
        reference=scipy.signal.istft,
        samples=inverse,
        error_samples=inverse_errors,
    ),
]
