"""Events and samples at irregular times."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def events(draw):
    if not draw.is_complex:
        yield "one period", (0.3 * draw.array(6), np.array(2.3, draw.dtype)), {}
        yield "two periods", (0.3 * draw.array(6), np.array([3.1, 2.3], draw.dtype)), {}


def event_errors(draw):
    yield "negative", (np.ones(3), -1.0), {}, ValueError, "positive"
    yield "matrix", (np.ones((2, 2)), 1.0), {}, ValueError, "dimensions"


def irregular(draw):
    if draw.is_complex:
        return
    t, y = np.array([0.1, 0.9, 1.7, 3.1, 4.0, 5.2]), draw.array(6)
    f = np.array([0.5, 1.3, 2.9])
    t, f = (v.astype(draw.dtype) for v in (t, f))
    for normalize in (False, True, "amplitude"):
        yield f"normalize={normalize}", (t, y, f), {"normalize": normalize}
        yield (
            f"constant term, normalize={normalize}",
            (t, y, f),
            {"normalize": normalize, "floating_mean": True},
        )
    yield "weights", (t, y, f), {"weights": np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.5], draw.dtype)}


def irregular_errors(draw):
    yield "lengths", (np.ones(3), np.ones(2), np.ones(1)), {}, ValueError, "equal non-zero length"
    yield "frequencies", (np.ones(3), np.ones(3), np.ones((1, 1))), {}, ValueError, "freqs"
    yield (
        "meaning",
        (np.ones(3), np.ones(3), np.ones(1)),
        {"normalize": "best"},
        ValueError,
        "[Nn]ormalize",
    )
    yield (
        "weights",
        (np.ones(3), np.ones(3), np.ones(1)),
        {"weights": -np.ones(3)},
        ValueError,
        "non-negative",
    )
    yield (
        "no weights",
        (np.ones(3), np.ones(3), np.ones(1)),
        {"weights": np.zeros(3)},
        ValueError,
        "positive",
    )


specs = [
    OpSpec(
        function=signal.vectorstrength,
        reference=scipy.signal.vectorstrength,
        samples=events,
        error_samples=event_errors,
    ),
    OpSpec(
        function=signal.lombscargle,
        reference=scipy.signal.lombscargle,
        samples=irregular,
        error_samples=irregular_errors,
    ),
]
