"""whittaker_henderson, against the dense system that defines it; savgol_filter, savgol_coeffs."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def smoothed(y, *, lamb, order=2, weights=None):
    y, w = np.asarray(y), np.ones(len(y)) if weights is None else np.asarray(weights)
    D = np.diff(np.eye(len(y)), order, axis=0)
    w = w.astype(np.result_type(y, w).type(0).real.dtype)
    x = np.linalg.solve(np.diag(w) + lamb * D.T @ D, np.where(w == 0, 0, w * y))
    return x.astype(np.result_type(y, w.dtype)), lamb


def samples(draw):
    yield "one penalty", (draw.array(7),), {"lamb": draw.positive()}
    yield "first order", (draw.array(5),), {"lamb": 2.5, "order": 1}
    yield "shortest signal", (draw.array(4),), {"lamb": draw.positive(), "order": 3}
    yield "weights", (draw.array(6),), {"lamb": draw.positive(), "weights": draw.positive(6)}


def missing_samples(draw):
    yield from samples(draw)
    gap = np.array([1.0, 0.5, 0.0, 0.0, 2.0, 1.0, 0.0])
    yield "weights of 0", (np.where(gap == 0, np.nan, draw.real(7)),), {"lamb": 3.0, "weights": gap}
    yield "no penalty", (draw.real(5),), {"lamb": 0.0}


def errors(draw):
    y = np.ones(4)
    yield "too short", (y,), {"lamb": 1.0, "order": 4}, ValueError, "at least 5 samples"
    yield "order", (y,), {"lamb": 1.0, "order": 0}, ValueError, "at least 1"
    yield "two axes", (np.ones((4, 4)),), {"lamb": 1.0}, ValueError, "must be a vector"
    yield "negative", (y,), {"lamb": -1.0}, ValueError, "not negative"
    yield (
        "shape of weights",
        (y,),
        {"lamb": 1.0, "weights": np.ones(3)},
        ValueError,
        "shape of signal",
    )
    yield "NaN", (np.array([1.0, np.nan, 1.0]),), {"lamb": 1.0}, ValueError, "finite"


def windows(draw):
    if not draw.is_complex:
        delta = np.array(0.7, draw.dtype)
        for mode in ("mirror", "constant", "nearest", "wrap", "interp"):
            yield mode, (draw.array(9), 5, 2), {"mode": mode}
        yield "derivative along axis 0", (draw.array(6, 2), 3, 2, 1, delta, 0), {}
        yield "even, with a value", (draw.array(8), 4, 1), {"mode": "constant", "cval": 1.5}
        yield "even, with polynomials at the ends", (draw.array(8), 4, 2), {}


def window_errors(draw):
    yield "mode", (np.ones(5), 3, 1), {"mode": "free"}, ValueError, "mode must be"
    yield "length", (np.ones(5), 7, 1), {}, ValueError, "window_length must be less"
    yield "order", (np.ones(5), 3, 4), {}, ValueError, "polyorder must be less"


def taps(draw):
    if not draw.is_complex:
        yield "derivative", (5, 3, 2, np.array(0.7, draw.dtype)), {}
        yield "at a place", (5, 3, 1, np.array(0.7, draw.dtype), 1, "dot"), {}


def tap_errors(draw):
    yield "order", (3, 4), {}, ValueError, "polyorder must be less"
    yield "place", (3, 1), {"pos": 3}, ValueError, "pos must be"


def spec(name, samples, **given):
    return OpSpec(
        function=getattr(signal, name),
        reference=getattr(scipy.signal, name),
        samples=samples,
        **given,
    )


SCALED = {
    (
        "extreme",
        "numpy",
    ): "SciPy's least squares lose the power of an extreme delta on its right side"
}


specs = [
    OpSpec(
        function=signal.whittaker_henderson,
        reference=smoothed,
        samples=missing_samples,
        gradient_samples=samples,
        error_samples=errors,
    ),
    spec("savgol_filter", windows, error_samples=window_errors, known_failures=SCALED),
    spec("savgol_coeffs", taps, error_samples=tap_errors),
]
