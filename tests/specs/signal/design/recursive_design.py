"""Recursive filters from frequencies."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def designs(before, bands=("lowpass",)):
    """Samples of a family whose ripples stand before the frequencies."""

    def samples(draw):
        if draw.is_complex:
            return
        one, two = np.array(0.3, draw.dtype), np.array([0.25, 0.6], draw.dtype)
        ripples = [np.array(r, draw.dtype) for r in before]
        yield "low pass", (3, *ripples, one), {}
        yield "high pass", (2, *ripples, one, "highpass"), {}
        yield "band pass", (2, *ripples, two, "bandpass"), {}
        yield "band stop", (1, *ripples, two, "bandstop"), {}
        yield "zeros and poles", (3, *ripples, one), {"output": "zpk"}
        yield "sections", (3, *ripples, one), {"output": "sos"}
        yield "analog", (3, *ripples, one), {"analog": True}
        yield "in Hz", (4, *ripples, np.array(60.0, draw.dtype)), {"fs": 400.0}

    def errors(draw):
        yield "frequency outside", (2, *before, 1.5), {}, ValueError, "0 < Wn < 1"
        yield "band", (2, *before, 0.5, "middle"), {}, ValueError, "bandtype"
        yield "form", (2, *before, 0.5), {"output": "abc"}, ValueError, "output form"

    return {"samples": samples, "error_samples": errors}


def families(draw):
    if draw.is_complex:
        return
    one, rp, rs = (np.array(v, draw.dtype) for v in (0.3, 1.0, 30.0))
    yield "butter", (2, one), {"btype": "low"}
    yield "cheby1", (2, one, rp), {"btype": "low", "ftype": "cheby1"}
    yield "cheby2", (2, one, None, rs), {"btype": "low", "ftype": "cheby2"}
    yield "ellip", (2, one, rp, rs), {"btype": "high", "ftype": "ellip"}


def family_errors(draw):
    yield "family", (2, 0.3), {"btype": "low", "ftype": "best"}, ValueError, "basic IIR filter"
    yield "no ripple", (2, 0.3), {"btype": "low", "ftype": "cheby1"}, ValueError, "rp"


def resonances(draw):
    if not draw.is_complex:
        yield "of 2", (np.array(0.3, draw.dtype), np.array(5.0, draw.dtype)), {}
        yield "in Hz", (np.array(60.0, draw.dtype), np.array(5.0, draw.dtype)), {"fs": 400.0}


def resonance_errors(draw):
    yield "frequency", (1.5, 3.0), {}, ValueError, "0 < w0 < 1"


RAISED = {
    (
        "extreme",
        "numpy",
    ): "SciPy raises ZeroDivisionError or OverflowError where the ripple underflows or overflows"
}
SHORTER = {("extreme", "numpy"): "SciPy drops a pole that is NaN because the ripple underflows"}


def spec(name, **given):
    return OpSpec(function=getattr(signal, name), reference=getattr(scipy.signal, name), **given)


specs = [
    spec("butter", **designs(())),
    spec("bessel", **designs(())),
    spec("cheby1", **designs((1.0,))),
    spec("cheby2", **designs((30.0,)), known_failures=RAISED),
    spec("ellip", **designs((1.0, 30.0)), known_failures=SHORTER),
    spec("iirfilter", samples=families, error_samples=family_errors, known_failures=RAISED),
    spec("iirnotch", samples=resonances, error_samples=resonance_errors),
    spec("iirpeak", samples=resonances, error_samples=resonance_errors),
]
