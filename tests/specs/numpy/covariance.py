"""Covariance and correlation."""

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
    yield (
        "weights",
        (np.ones((2, 3)),),
        {"aweights": np.ones(2)},
        RuntimeError,
        "incompatible numbers",
    )
    yield (
        "frequencies",
        (np.ones((2, 3)),),
        {"fweights": np.array([0.5, 1, 1])},
        TypeError,
        "integer",
    )


def corrcoef_samples(draw):
    yield "rows", (draw.array(2, 4),), {}
    yield "two variables", (draw.array(4), draw.array(4)), {}
    yield "columns", (draw.array(4, 2),), {"rowvar": False}


def _double(name):
    return {
        ("single_precision", "any"): f"numpy.{name} computes in double precision, whatever comes in"
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
    spec("cov", cov_samples, cov_errors, known_failures=_double("cov")),
    spec("corrcoef", corrcoef_samples, known_failures=_double("corrcoef")),
]
