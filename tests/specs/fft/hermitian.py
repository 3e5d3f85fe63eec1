"""Fourier transforms of Hermitian signals, with the samples of the real ones."""

import scipy.fft

from scigrad import fft
from scigrad.testing import OpSpec

from .real import (
    from_real,
    from_real_several,
    from_real_two,
    to_real,
    to_real_several,
    to_real_two,
    too_short,
)


def spec(name, samples, errors=None):
    return OpSpec(
        function=getattr(fft, name),
        reference=getattr(scipy.fft, name),
        samples=samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.real(n),), {}),
    )


specs = [
    spec("hfft", to_real, too_short),
    spec("ihfft", from_real),
    spec("hfftn", to_real_several),
    spec("ihfftn", from_real_several),
    spec("hfft2", to_real_two),
    spec("ihfft2", from_real_two),
]
