"""Periodograms, cross spectra, coherence and spectrograms."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def options(draw):
    """Options of Welch's method; spectra of complex signals are two-sided."""
    sided = {"return_onesided": not draw.is_complex}
    yield "all defaults but the length", {"nperseg": 4} | sided
    yield (
        "no trend, longer transform",
        {"nperseg": 5, "nfft": 8, "detrend": False, "fs": 10.0} | sided,
    )
    yield (
        "lines of spectra",
        {"nperseg": 4, "noverlap": 1, "detrend": "linear", "scaling": "spectrum"} | sided,
    )
    yield (
        "window of samples",
        {"window": np.array([1.0, 2.0, 2.5, 1.0], draw.real_dtype), "return_onesided": False},
    )
    yield (
        "median",
        {"nperseg": 4, "average": "median", "window": ("kaiser", 2.0), "noverlap": 0} | sided,
    )


def one(draw):
    for name, given in options(draw):
        yield name, (draw.array(11),), given
    yield "along axis 0", (draw.array(7, 2),), {"nperseg": 4, "axis": 0, "return_onesided": False}
    yield (
        "sampling frequency",
        (draw.array(9), np.array(3.0, draw.real_dtype)),
        {"nperseg": 4, "return_onesided": False},
    )


def two(draw):
    for name, given in options(draw):
        yield name, (draw.array(9), draw.array(9)), given
    yield "one shorter", (draw.array(9), draw.array(7)), {"nperseg": 4, "return_onesided": False}
    yield (
        "broadcast",
        (draw.array(2, 6), draw.array(1, 6)),
        {"nperseg": 4, "return_onesided": False},
    )


def coherent(draw):
    if draw.is_complex:
        return
    yield "three segments", (draw.array(8), draw.array(8)), {"nperseg": 4}
    yield (
        "along axis 0",
        (draw.array(8, 2), draw.array(8, 2)),
        {"nperseg": 4, "axis": 0, "detrend": False},
    )
    yield "a shorter signal", (draw.array(16), draw.array(11)), {"nperseg": 4}
    yield "a longer signal", (draw.array(9), draw.array(12)), {"nperseg": 4}


def whole(draw):
    sided = {"return_onesided": not draw.is_complex}
    yield "plain", (draw.array(7),), sided
    yield (
        "longer transform",
        (draw.array(2, 6),),
        {"nfft": 8, "window": "hann", "scaling": "spectrum"} | sided,
    )
    yield "shorter transform", (draw.array(6, 2),), {"nfft": 4, "axis": 0, "detrend": False} | sided


def consecutive(draw):
    sided = {"return_onesided": not draw.is_complex}
    for mode in ("psd", "complex", "magnitude"):
        yield f"{mode}", (draw.array(11),), {"nperseg": 8, "mode": mode} | sided
    yield (
        "angle",
        (3 + draw.array(11),),
        {"nperseg": 5, "mode": "angle", "return_onesided": False, "detrend": False},
    )
    yield (
        "phase",
        (3 + draw.array(11),),
        {"nperseg": 5, "mode": "phase", "return_onesided": False, "detrend": False},
    )
    yield "along axis 0", (draw.array(9, 2),), {"nperseg": 4, "noverlap": 1, "axis": 0} | sided


def errors(draw):
    x = np.ones(9)
    yield "no segment", (x,), {"nperseg": 0}, ValueError, "positive integer"
    yield "overlap", (x,), {"nperseg": 4, "noverlap": 4}, ValueError, "noverlap.* must be less"
    yield "short transform", (x,), {"nperseg": 4, "nfft": 3}, ValueError, "nfft.* must be greater"


def whole_errors(draw):
    yield (
        "window",
        (np.ones(9),),
        {"window": np.ones(4)},
        ValueError,
        "size of the window must be the same size of the input",
    )


specs = [
    OpSpec(function=signal.welch, reference=scipy.signal.welch, samples=one, error_samples=errors),
    OpSpec(function=signal.csd, reference=scipy.signal.csd, samples=two),
    OpSpec(function=signal.coherence, reference=scipy.signal.coherence, samples=coherent),
    OpSpec(
        function=signal.periodogram,
        reference=scipy.signal.periodogram,
        samples=whole,
        error_samples=whole_errors,
    ),
    OpSpec(
        function=signal.spectrogram,
        reference=scipy.signal.spectrogram,
        samples=consecutive,
        error_samples=errors,
    ),
]
