"""Sums of weights over bins."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def bincount_samples(draw):
    positions = np.array([0, 3, 1, 3, 0])
    if not draw.is_complex:
        yield "weights", (positions, draw.array(5)), {}
        yield "length", (positions, draw.array(5), 6), {}
        yield "truth values", (positions > 0, draw.array(5)), {}


def bincount_errors(draw):
    yield "weights", (np.array([0, 1]), np.ones(3)), {}, ValueError, "same length"
    yield "negative", (np.array([0, -1]), np.ones(2)), {}, ValueError, "no negative elements"
    yield (
        "matrix",
        (np.array([[0, 1]]), np.ones((1, 2))),
        {},
        ValueError,
        "too deep|1-D array of integers",
    )
    yield (
        "floats",
        (np.array([0.5, 1]), np.ones(2)),
        {},
        TypeError,
        "Cannot cast|1-D array of integers",
    )
    yield "length", (np.array([0, 1]), np.ones(2), -3), {}, ValueError, "must not be negative"


def histogram_samples(draw):
    if not draw.is_complex:
        a = np.array([0.3, 1.9, -1.2, 0.7, 3.0], draw.dtype)
        yield "number of bins", (a, 4), {}
        yield "edges", (a, np.array([-1.0, 0.0, 0.5, 1.9], draw.dtype)), {}
        yield "range", (a,), {"bins": 3, "range": (-1, 2)}
        yield "weights", (a, 3, None, None, draw.array(5)), {}
        yield "density", (a, 3, (-2, 4), True, draw.positive(5)), {}


def edges_samples(draw):
    if not draw.is_complex:
        a = np.array([0.3, 1.9, -1.2, 0.7, 3.0], draw.dtype)
        yield "number of bins", (a, 4), {}
        yield "range", (a, 2, (-1, 2)), {}


def histogram_errors(draw):
    yield "bins", (np.ones(3), 0), {}, ValueError, "positive"


def _double(name, *backends):
    return {
        (
            "single_precision",
            backend,
        ): f"numpy.{name} computes in double precision, whatever comes in"
        for backend in backends
    }


def spec(name, samples, errors=None, **options):
    return OpSpec(
        function=getattr(snp, name),
        reference=getattr(np, name),
        samples=samples,
        error_samples=errors,
        **options,
    )


specs = [
    spec("bincount", bincount_samples, bincount_errors, known_failures=_double("bincount", "any")),
    spec(
        "histogram",
        histogram_samples,
        histogram_errors,
        known_failures=_double("histogram", "numpy"),
    ),
    spec("histogram_bin_edges", edges_samples, histogram_errors),
]
