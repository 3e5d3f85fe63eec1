"""Analytic signals and envelopes."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def analytic(draw):
    if draw.is_complex:
        return
    yield "odd", (draw.array(5),), {}
    yield "even", (draw.array(6),), {}
    yield "filled", (draw.array(3, 2), 5), {"axis": 0}


def analytic_errors(draw):
    yield "complex", (np.ones(3, complex),), {}, ValueError, "must be real"
    yield "no length", (np.ones(3), 0), {}, ValueError, "N must be positive"


def images(draw):
    if draw.is_complex:
        return
    yield "odd and even", (draw.array(3, 4),), {}
    yield "filled", (draw.array(2, 3), (4, 5)), {}
    yield "other axes", (draw.array(3, 2, 4),), {"axes": (0, 2)}


def image_errors(draw):
    yield "complex", (np.ones((3, 3), complex),), {}, ValueError, "must be real"


def bands(draw):
    for n in (8, 9):
        yield f"positive frequencies of {n}", (draw.array(n),), {}
        yield f"a band of {n}", (draw.array(n), (2, 4)), {}
        yield f"around 0, of {n}", (draw.array(n), (-1, 3)), {"residual": "all"}
        yield f"from 0, of {n}", (draw.array(n), (0, 3)), {}
        yield f"all of {n}", (draw.array(n), (None, None)), {"squared": True}
    yield "longer", (draw.array(6),), {"n_out": 8}
    yield "shorter", (draw.array(8), (1, 3)), {"n_out": 6, "residual": "all"}
    yield "alone, along axis 0", (draw.array(6, 2),), {"residual": None, "axis": 0}
    if draw.is_complex:
        yield "negative frequencies", (draw.array(9), (-3, -1)), {}


def band_errors(draw):
    yield "band", (np.ones(4), (1, 5)), {}, ValueError, "does not hold"
    yield "residual", (np.ones(4),), {"residual": "rest"}, ValueError, "residual"
    yield "axis", (np.ones(4),), {"axis": 2}, ValueError, "axis"


specs = [
    OpSpec(
        function=signal.hilbert,
        reference=scipy.signal.hilbert,
        samples=analytic,
        error_samples=analytic_errors,
    ),
    OpSpec(
        function=signal.hilbert2,
        reference=scipy.signal.hilbert2,
        samples=images,
        error_samples=image_errors,
    ),
    OpSpec(
        function=signal.envelope,
        reference=scipy.signal.envelope,
        samples=bands,
        error_samples=band_errors,
    ),
]
