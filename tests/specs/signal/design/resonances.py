"""Combs, gammatone filters, orders of band-stop filters."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def combs(draw):
    if not draw.is_complex:
        Q = np.array(5.0, draw.dtype)
        yield "notches", (1, Q), {"fs": 6}
        yield "peaks", (1, Q, "peak"), {"fs": 5}
        yield "peaks and 0", (1, Q, "peak"), {"fs": 5, "pass_zero": True}
        yield "notches and 0", (1, Q), {"fs": 4, "pass_zero": True}


def comb_errors(draw):
    yield "frequency", (4.0, 3.0), {}, ValueError, "Nyquist"
    yield "multiple", (0.3, 3.0), {}, ValueError, "divisible"
    yield "kind", (0.5, 3.0, "best"), {}, ValueError, "notch or peak"


def tones(draw):
    if not draw.is_complex:
        freq = np.array(440.0, draw.dtype)
        yield "recursive", (freq, "iir"), {"fs": 16000.0}
        yield "finite", (freq, "fir"), {"fs": 16000.0, "numtaps": 20, "order": 3}


def tone_errors(draw):
    yield "frequency", (4.0, "iir"), {}, ValueError, "Nyquist"
    yield "kind", (0.3, "best"), {}, ValueError, "fir or iir"
    yield "order", (0.3, "fir", 30), {}, ValueError, "order"


def orders(draw):
    if not draw.is_complex:
        passband, stopband = np.array([1.0, 4.0], draw.dtype), np.array([1.5, 3.0], draw.dtype)
        for family in ("butter", "cheby", "ellip"):
            ripples = (np.array(v, draw.dtype) for v in (1.0, 40.0))
            yield family, (np.array(1.1, draw.dtype), 0, passband, stopband, *ripples, family), {}
        yield "upper edge", (np.array(3.7, draw.dtype), 1, passband, stopband, 1, 40, "butter"), {}


def order_errors(draw):
    edges = np.array([1.0, 4.0]), np.array([1.5, 3.0])
    yield "family", (1.1, 0, *edges, 1.0, 40.0, "best"), {}, ValueError, "Incorrect type"
    yield "ripple", (1.1, 0, *edges, -1.0, 40.0, "butter"), {}, ValueError, "gpass"


def polynomials(draw):
    yield "polynomials", (np.array([1.0, 2.0]), np.array([1.0, 2.0, 5.0]), 5), {}
    yield "zeros and poles", (np.array([-1.0]), np.array([-2.0, -3.0]), 4, "zp"), {}


def spec(name, samples, **given):
    return OpSpec(
        function=getattr(signal, name),
        reference=getattr(scipy.signal, name),
        samples=samples,
        **given,
    )


specs = [
    spec("iircomb", combs, error_samples=comb_errors),
    spec("gammatone", tones, error_samples=tone_errors),
    spec("band_stop_obj", orders, error_samples=order_errors),
    spec("findfreqs", polynomials),
]
