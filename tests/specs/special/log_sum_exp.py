"""logsumexp with every option, weights of both signs, -inf entries; softmax."""

import numpy as np
import scipy.special

from scigrad import special
from scigrad.testing import OpSpec

INF = np.inf


def samples(draw):
    a = draw.array(2, 3)
    yield "all", (a,), {}
    yield "axis", (a, 0), {}
    yield "axes, keepdims", (draw.array(2, 3, 2), (-1, 0)), {"keepdims": True}
    yield "number", (draw.array()[()],), {}
    yield "empty", (draw.array(0, 3), -1), {}
    yield "weights", (a, 1, draw.positive(2, 3)), {}
    yield "weights broadcast", (draw.array(3), 1, draw.positive(2, 3)), {}
    yield "a broadcast", (a, None, draw.positive(3)), {"keepdims": True}
    yield "sign", (a, 1, np.array([1.0, -2.0, 0.7], draw.real_dtype)), {"return_sign": True}
    yield (
        "sign, complex weights" if draw.is_complex else "sign, all",
        (a, None, draw.array(3)),
        {"return_sign": True},
    )
    yield "a weight of zero", (a, -1, np.array([1.0, 0.0, 2.0], draw.real_dtype)), {}
    yield "large", (a + 900,), {}


def values(draw):
    yield from samples(draw)
    if not draw.is_complex:  # derivatives there: tests/special/test_limits.py
        yield "-inf entries", (np.array([[-INF, 1.0, 2.0], [-INF, -INF, 0.5]], draw.dtype), 1), {}
        yield "only -inf", (np.full(3, -INF, draw.dtype),), {}
        yield "a negative sum", (draw.array(3), None, np.array([1.0, -9.0, -9.0])), {}


def softmax_samples(draw):
    yield "all", (draw.array(2, 3),), {}
    yield "axis", (draw.array(2, 3), 0), {}
    yield "axes", (draw.array(2, 2, 3), (0, -1)), {}
    if not draw.is_complex:
        yield "large", (np.array([900.0, 901.0, -900.0], draw.dtype),), {}


def softmax_values(draw):
    yield from softmax_samples(draw)
    if not draw.is_complex:
        yield "-inf", (np.array([[1.0, -INF], [0.5, 2.0]], draw.dtype), 1), {}


def bad(draw):
    yield "axis", (np.ones((2, 3)), 2), {}, ValueError, "axis 2 is out of bounds"
    yield "weights", (np.ones((2, 3)), None, np.ones(2)), {}, ValueError, "(?i)broadcast"


def size(draw, n):
    return (draw.real(n),), {}


specs = [
    OpSpec(
        function=special.logsumexp,
        reference=scipy.special.logsumexp,
        samples=values,
        gradient_samples=samples,
        error_samples=bad,
        size=size,
    ),
    OpSpec(
        function=special.softmax,
        reference=scipy.special.softmax,
        samples=softmax_values,
        gradient_samples=softmax_samples,
        size=size,
    ),
    OpSpec(
        function=special.log_softmax,
        reference=scipy.special.log_softmax,
        samples=softmax_samples,
        size=size,
    ),
]
