"""Covariance, polynomials, histograms, and functions applied to parts of an array."""

from __future__ import annotations

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def cov_samples(draw):
    yield "rows", (draw.array(2, 4),), {}
    yield "columns", (draw.array(4, 2),), {"rowvar": False}
    yield "more variables", (draw.array(2, 3), draw.array(3)), {}
    yield "more columns", (draw.array(3, 2), draw.array(3), False), {}
    yield "a single variable", (draw.array(4),), {}
    yield "biased", (draw.array(2, 3),), {"bias": True}
    yield "degrees of freedom", (draw.array(2, 3),), {"ddof": 0}
    frequencies, weights = np.array([1, 2, 1]), draw.positive(3)
    yield "frequencies", (draw.array(2, 3),), {"fweights": frequencies}
    yield "weights", (draw.array(2, 3), None, True, False, None, None, weights), {}
    yield "both", (draw.array(2, 3), draw.array(3), True, False, None, frequencies, weights), {}
    yield "weights, biased", (draw.array(2, 3), None, True, True, None, None, weights), {}
    yield "dtype", (draw.array(2, 3),), {"dtype": np.complex128}


def cov_errors(draw):
    yield "axes", (np.ones((2, 2, 2)),), {}, ValueError, "more than 2 dimensions"
    yield "weights", (np.ones((2, 3)),), {"aweights": np.ones(2)}, RuntimeError, "incompatible numbers"
    yield "frequencies", (np.ones((2, 3)),), {"fweights": np.array([0.5, 1, 1])}, TypeError, "integer"


def corrcoef_samples(draw):
    yield "rows", (draw.array(2, 4),), {}
    yield "two variables", (draw.array(4), draw.array(4)), {}
    yield "columns", (draw.array(4, 2),), {"rowvar": False}


def polyval_samples(draw):
    yield "cubic", (draw.array(4), draw.array(2, 3)), {}
    yield "constant", (draw.array(1), draw.array(2)), {}
    yield "at a number", (draw.array(3), draw.array()), {}
    yield "no coefficients", (draw.array(0), draw.array(2)), {}
    if draw.is_complex:
        yield "real and complex", (draw.real(3), draw.array(2)), {}
        yield "complex and real", (draw.array(3), draw.real(2)), {}


def polyder_samples(draw):
    yield "once", (draw.array(4),), {}
    yield "twice", (draw.array(4), 2), {}
    yield "not at all", (draw.array(2), 0), {}
    yield "of a constant", (draw.array(1),), {}


def polyint_samples(draw):
    yield "once", (draw.array(3),), {}
    yield "constants", (draw.array(3), 2, draw.array(2)), {}
    yield "one constant for all", (draw.array(2), 2, draw.array()), {}


def order_errors(draw):
    yield "order", (np.ones(3), -1), {}, ValueError, "must be positive"


def two_polynomials(draw):
    yield "of one degree", (draw.array(3), draw.array(3)), {}
    yield "the first longer", (draw.array(4), draw.array(2)), {}
    yield "the second longer", (draw.array(1), draw.array(3)), {}


def leading_zeros(draw):
    yield from two_polynomials(draw)
    yield "leading zeros", (np.concatenate([np.zeros(2, draw.dtype), draw.array(2)]), draw.array(2)), {}


def polydiv_samples(draw):
    yield "with a remainder", (draw.array(4), draw.array(3)), {}
    yield "by a number", (draw.array(3), draw.array(1)), {}
    yield "by a longer one", (draw.array(2), draw.array(3)), {}


def from_zeros(draw):
    return np.poly(draw.array(3)).astype(draw.dtype)


def roots_samples(draw):
    yield "of given zeros", (from_zeros(draw),), {}
    yield "leading and trailing zeros", (np.concatenate([[0], from_zeros(draw), [0, 0]]).astype(draw.dtype),), {}
    yield from simple_roots(draw)


def simple_roots(draw):
    if draw.is_complex:
        yield "cubic", (draw.array(4),), {}
    else:  # two conjugate pairs: as many under vmap, where the zeros are always complex
        yield "quartic", (np.polymul([1.0, 0.4, 2.0], [1.5, -1.0, 0.8]).astype(draw.dtype),), {}


def roots_errors(draw):
    yield "matrix", (np.ones((2, 2)),), {}, ValueError, "rank-1"


def poly_samples(draw):
    yield "zeros", (draw.array(3),), {}
    yield "one", (draw.array(1),), {}


def polyfit_samples(draw):
    x = np.array([0.0, 0.5, 1.0, 1.7, 2.0], draw.real_dtype)
    yield "line", (x, draw.array(5), 1), {}
    yield "several", (x, draw.array(5, 2), 2), {}
    yield "weights", (x, draw.array(5), 2, None, False, draw.positive(5)), {}
    if not draw.is_complex:
        yield "covariance", (x, draw.array(5), 1), {"cov": True}
        yield "unscaled", (x, draw.array(5, 2), 1), {"cov": "unscaled"}


def polyfit_errors(draw):
    yield "degree", (np.ones(3), np.ones(3), -1), {}, ValueError, "deg >= 0"
    yield "lengths", (np.ones(3), np.ones(2), 1), {}, TypeError, "same length"


def bincount_samples(draw):
    positions = np.array([0, 3, 1, 3, 0])
    if not draw.is_complex:
        yield "weights", (positions, draw.array(5)), {}
        yield "length", (positions, draw.array(5), 6), {}


def bincount_errors(draw):
    yield "weights", (np.array([0, 1]), np.ones(3)), {}, ValueError, "same length"


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


def piecewise_samples(draw):
    x = np.array([[-1.5, -0.4, 0.3], [0.8, 1.3, 2.2]], draw.dtype)
    low, high = x.real < 0, x.real > 1
    yield "two and the rest", (x, [low, high], [np.square, lambda v: 3 * v, lambda v: v * 0.5]), {}
    yield "a number", (x, [low, high], [np.square, 7.0]), {}
    yield "one condition", (x[0], low[0], [np.square, lambda v: v]), {}
    yield "arguments", (x, [low], [lambda v, k: k * v], 3), {}


def piecewise_errors(draw):
    yield "functions", (np.ones(2), [np.array([True, False])], [1, 2, 3]), {}, ValueError, "functions are expected"


def along_samples(draw):
    yield "vectors to vectors", (lambda v: v * v[0], 1, draw.array(2, 3)), {}
    yield "vectors to numbers", (np.sum, 0, draw.array(2, 2, 2)), {}
    yield "vectors to matrices", (lambda v: np.outer(v, v), 0, draw.array(2, 2)), {}
    yield "an argument", (lambda v, k: v * k, -1, draw.array(2, 2), 2), {}


def over_samples(draw):
    yield "two axes", (np.sum, draw.array(2, 3, 2), (0, -1)), {}
    yield "one", (np.sum, draw.array(2, 3), 0), {}


def _double(name):
    return {("single_precision", "numpy"): f"numpy.{name} computes in double precision, whatever comes in"}


def spec(name, samples, errors=None, **options):
    return OpSpec(function=getattr(snp, name), reference=getattr(np, name), samples=samples, error_samples=errors, **options)


_SHAPE = "the length of the remainder depends on the values: a batch has no single answer"
_VALUES_DECIDE = {
    ("batching", "numpy"): _SHAPE,
    ("shapes", "numpy"): _SHAPE,
    ("single_precision", "numpy"): "numpy.polydiv takes for a zero what double precision calls one",
}

specs = [
    spec("cov", cov_samples, cov_errors, known_failures=_double("cov")),
    spec("corrcoef", corrcoef_samples, known_failures=_double("corrcoef")),
    spec("polyval", polyval_samples),
    spec("polyder", polyder_samples, order_errors, known_failures=_double("polyder")),
    spec("polyint", polyint_samples, order_errors, known_failures=_double("polyint")),
    spec("polyadd", two_polynomials),
    spec("polysub", two_polynomials),
    spec("polymul", leading_zeros, gradient_samples=two_polynomials),
    spec("polydiv", polydiv_samples, known_failures=_VALUES_DECIDE),
    spec("roots", roots_samples, roots_errors, gradient_samples=simple_roots),
    spec("poly", poly_samples),
    spec("polyfit", polyfit_samples, polyfit_errors, known_failures=_double("polyfit")),
    spec("bincount", bincount_samples, bincount_errors, known_failures=_double("bincount")),
    spec("histogram", histogram_samples, histogram_errors, known_failures=_double("histogram")),
    spec("histogram_bin_edges", edges_samples, histogram_errors, known_failures=_double("histogram_bin_edges")),
    spec("piecewise", piecewise_samples, piecewise_errors),
    spec("apply_along_axis", along_samples),
    spec("apply_over_axes", over_samples),
]
