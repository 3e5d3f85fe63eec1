"""Functions applied to parts of an array."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def piecewise_samples(draw):
    x = np.array([[-1.5, -0.4, 0.3], [0.8, 1.3, 2.2]], draw.dtype)
    low, high = x.real < 0, x.real > 1
    yield "two and the rest", (x, [low, high], [np.square, lambda v: 3 * v, lambda v: v * 0.5]), {}
    yield "a number", (x, [low, high], [np.square, 7.0]), {}
    yield "one condition", (x[0], low[0], [np.square, lambda v: v]), {}
    yield "arguments", (x, [low], [lambda v, k: k * v], 3), {}


def piecewise_errors(draw):
    yield (
        "functions",
        (np.ones(2), [np.array([True, False])], [1, 2, 3]),
        {},
        ValueError,
        "functions are expected",
    )


def along_samples(draw):
    yield "vectors to vectors", (lambda v: v * v[0], 1, draw.array(2, 3)), {}
    yield "vectors to numbers", (np.sum, 0, draw.array(2, 2, 2)), {}
    yield "vectors to matrices", (lambda v: np.outer(v, v), 0, draw.array(2, 2)), {}
    yield "an argument", (lambda v, k: v * k, -1, draw.array(2, 2), 2), {}


def over_samples(draw):
    yield "two axes", (np.sum, draw.array(2, 3, 2), (0, -1)), {}
    yield "one", (np.sum, draw.array(2, 3), 0), {}


def spec(name, samples, errors=None, **options):
    return OpSpec(
        function=getattr(snp, name),
        reference=getattr(np, name),
        samples=samples,
        error_samples=errors,
        **options,
    )


specs = [
    spec("piecewise", piecewise_samples, piecewise_errors),
    spec("apply_along_axis", along_samples),
    spec("apply_over_axes", over_samples),
]
