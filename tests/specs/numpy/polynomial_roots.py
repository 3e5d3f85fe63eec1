"""Zeros of polynomials, polynomials of zeros, and fits."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec

from .polynomials import double_precision


def from_zeros(draw):
    return np.poly(draw.array(3)).astype(draw.dtype)


def roots_samples(draw):
    yield "of given zeros", (from_zeros(draw),), {}
    yield (
        "leading and trailing zeros",
        (np.concatenate([[0], from_zeros(draw), [0, 0]]).astype(draw.dtype),),
        {},
    )
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


def spec(name, samples, errors=None, **options):
    return OpSpec(
        function=getattr(snp, name),
        reference=getattr(np, name),
        samples=samples,
        error_samples=errors,
        **options,
    )


specs = [
    spec("roots", roots_samples, roots_errors, gradient_samples=simple_roots),
    spec("poly", poly_samples),
    spec("polyfit", polyfit_samples, polyfit_errors, known_failures=double_precision("polyfit")),
]
