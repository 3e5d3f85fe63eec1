"""Recursive filters of least order, and their orders, which are constant; the edge of the stopband
enters the order alone. Kaiser windows by their attenuation.
"""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def of_passband(f):
    """The same function of the edges of the passband and of the ripples."""

    def call(wp, gpass, gstop, ws, *args, **kwargs):
        return f(wp, ws, gpass, gstop, *args, **kwargs)

    call.__name__, call.__module__ = f.__name__, "scigrad.signal"
    return call


def given(draw, wp, *ripples):
    return tuple(np.array(v, draw.dtype) for v in (wp, *ripples))


def edges(draw):
    if not draw.is_complex:
        yield "low pass", given(draw, 0.3, 1.0, 40.0), {"ws": 0.6}
        yield "high pass", given(draw, 0.3, 1.1, 35.0), {"ws": 0.12}
        yield "band pass", given(draw, [0.3, 0.6], 1.0, 40.0), {"ws": [0.1, 0.8]}
        yield "low pass in Hz", given(draw, 30.0, 1.0, 40.0), {"ws": 60.0, "fs": 200.0}
        yield "analog", given(draw, 30.0, 1.0, 40.0), {"ws": 60.0, "analog": True}


def designs(draw):
    if not draw.is_complex:
        yield "low pass", given(draw, 0.3, 1.0, 40.0), {"ws": 0.6}
        yield "high pass, Chebyshev", given(draw, 0.3, 1.1, 35.0), {"ws": 0.12, "ftype": "cheby1"}
        yield (
            "band pass, sections",
            given(draw, [0.3, 0.6], 1.1, 35.0),
            {"ws": [0.1, 0.8], "output": "sos"},
        )
        yield "Butterworth", given(draw, 0.3, 1.0, 20.0), {"ws": 0.7, "ftype": "butter"}
        yield (
            "Chebyshev of type II in Hz",
            given(draw, 30.0, 1.0, 40.0),
            {"ws": 60.0, "ftype": "cheby2", "fs": 200.0},
        )


def constant(draw):
    if not draw.is_complex:
        yield (
            "low pass",
            (),
            {"wp": np.array(0.3, draw.dtype), "ws": 0.5, "gpass": 1.0, "gstop": 40.0},
        )
        yield (
            "band stop",
            (),
            {"wp": np.array([0.1, 0.8], draw.dtype), "ws": [0.3, 0.6], "gpass": 1.0, "gstop": 40.0},
        )


def design_errors(draw):
    yield "family", (0.3, 1.0, 40.0, 0.5, False, "best"), {}, ValueError, "[Ii]nvalid"
    yield "ripples", (0.3, 40.0, 1.0, 0.5), {}, ValueError, "smaller"
    yield "edges", (0.3, 1.0, 40.0, [0.5, 0.6]), {}, ValueError, "same shape"


def kaiser(draw):
    if not draw.is_complex:
        yield "low ripple", (np.array(60.0, draw.dtype),), {"width": 0.1}
        yield "high ripple", (np.array(30.0, draw.dtype),), {"width": 0.2}


def kaiser_errors(draw):
    yield "ripple", (5.0, 0.1), {}, ValueError, "too small"


def spec(name, samples, wrapped=of_passband, **given):
    functions = (wrapped(getattr(module, name)) for module in (signal, scipy.signal))
    return OpSpec(
        **dict(zip(("function", "reference"), functions, strict=True)), samples=samples, **given
    )


BATCH = {
    (law, "any"): "the order may differ between the elements of a batch: refused"
    for law in ("batching", "shapes")
}
ORDERS = "buttord", "cheb1ord", "cheb2ord", "ellipord"


def attenuations(draw):
    if not draw.is_complex:
        for attenuation in (60.0, 30.0, 10.0):
            yield f"{attenuation} dB", (np.array(attenuation, draw.dtype),), {}


def widths(draw):
    if not draw.is_complex:
        yield "number", (21, np.array(0.1, draw.dtype)), {}


specs = [
    *(spec(name, constant, wrapped=lambda f: f) for name in (*ORDERS, "iirdesign")),
    *(spec(name, edges, known_failures=BATCH) for name in ORDERS),
    spec("iirdesign", designs, error_samples=design_errors, known_failures=BATCH),
    spec(
        "kaiserord", kaiser, wrapped=lambda f: f, error_samples=kaiser_errors, known_failures=BATCH
    ),
    spec("kaiser_beta", attenuations, wrapped=lambda f: f),
    spec("kaiser_atten", widths, wrapped=lambda f: f),
]
