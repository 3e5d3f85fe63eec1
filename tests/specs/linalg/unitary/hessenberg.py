"""hessenberg. Real matrices leave nothing open; complex ones are seen through |h| and |q|."""

import functools

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def matrix(draw, n, batch=()):
    """A Hessenberg matrix with a large subdiagonal, turned a little, so that signs stay."""
    return (
        np.triu(draw.array(*batch, n, n), -1)
        + 3 * np.eye(n, k=-1, dtype=draw.dtype)
        + 0.3 * draw.array(*batch, n, n)
    )


def gradient_samples(draw):
    if draw.is_complex:
        return
    yield "h and q", (matrix(draw, 4),), {"calc_q": True}
    yield "h", (matrix(draw, 3),), {"check_finite": False}
    yield "batch", (matrix(draw, 3, (2,)),), {"calc_q": True, "gauge": "project"}
    yield "two rows", (draw.array(2, 2),), {}
    yield "on_fail=info", (matrix(draw, 3),), {"on_fail": "info"}


def samples(draw):
    yield from (row for row in gradient_samples(draw) if "on_fail" not in row[2])
    yield "as it comes", (matrix(draw, 4),), {"calc_q": True}
    yield "two rows, with q", (draw.array(2, 2),), {"calc_q": True}
    yield "one number", (draw.array(1, 1),), {}
    yield "empty", (draw.array(0, 0),), {}


def errors(draw):
    a = draw.array(3, 3)
    yield "not square", (draw.array(2, 3),), {}, ValueError, "(?i)square"
    yield "NaN", (a * np.nan,), {}, ValueError, "infs or NaNs"
    yield "gauge", (a,), {"gauge": "fix", "on_fail": "nan"}, ValueError, "gauge must be one of"
    yield "unknown policy", (a,), {"on_fail": "skip"}, ValueError, "on_fail must be one of"


@functools.wraps(linalg.hessenberg)
def invariants(a):
    h, q = linalg.hessenberg(a, True)
    return np.abs(h) ** 2, np.abs(q) ** 2, q @ h @ h @ np.conjugate(q).mT


def invariant_samples(draw):
    yield "4 x 4", (matrix(draw, 4),), {}
    yield "batch", (matrix(draw, 3, (2,)),), {}


specs = [
    OpSpec(
        function=linalg.hessenberg,
        reference=lambda a, gauge=None, **options: scipy.linalg.hessenberg(a, **options),
        samples=samples,
        gradient_samples=gradient_samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.array(n, n),), {}),
    ),
    OpSpec(function=invariants, samples=invariant_samples),
]
