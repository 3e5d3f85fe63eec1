"""whittaker_henderson, against the dense system that defines it."""

import numpy as np

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


specs = [
    OpSpec(
        function=signal.whittaker_henderson,
        reference=smoothed,
        samples=missing_samples,
        gradient_samples=samples,
        error_samples=errors,
    )
]
