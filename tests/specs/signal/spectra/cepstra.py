"""Cepstra, against the formulas that define them."""

import numpy as np

from scigrad import signal
from scigrad.testing import OpSpec


def real_cepstra(draw):
    yield "two signals", (draw.array(2, 5) + np.array([4, 0, 0, 0, 0], draw.dtype),), {}
    yield "along axis 0", (draw.array(4, 2) + np.array([[4], [0], [0], [0]], draw.dtype), 6, 0), {}


def real_reference(x, n=None, axis=-1):
    return np.real(np.fft.ifft(np.log(abs(np.fft.fft(x, n, axis))), axis=axis))


def minimal(draw):
    """Signals of minimum phase, whose phase does not wind around the origin."""
    if not draw.is_complex:
        yield (
            "minimum phase",
            (0.2 * draw.array(2, 6) + np.array([2, 0, 0, 0, 0, 0], draw.dtype),),
            {},
        )


def complex_reference(x, n=None, axis=-1):
    spectrum = np.fft.fft(x, n, axis)
    return np.real(np.fft.ifft(np.log(spectrum), axis=axis)), np.zeros((*np.shape(x)[:-1], 1))


def inverse(draw):
    if not draw.is_complex:
        yield "no delay", (0.3 * draw.array(2, 6), 0), {}


def inverse_reference(ceps, ndelay):
    return np.real(np.fft.ifft(np.exp(np.fft.fft(ceps))))


specs = [
    OpSpec(function=signal.real_cepstrum, reference=real_reference, samples=real_cepstra),
    OpSpec(function=signal.complex_cepstrum, reference=complex_reference, samples=minimal),
    OpSpec(function=signal.inverse_complex_cepstrum, reference=inverse_reference, samples=inverse),
]
