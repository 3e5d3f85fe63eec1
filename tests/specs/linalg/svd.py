"""svd, svdvals, diagsvd. Singular vectors are compared with canonical=True: without it their phases
are the algorithm's. What the laws cannot say (equal and zero singular values, gauges) is in
tests/linalg/test_svd.py.
"""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def spread(draw, m, n, batch=()):
    """A matrix with singular values 1, 2, ..."""
    k = min(m, n)
    u, v = draw.unitary(m, batch)[..., :k], draw.unitary(n, batch)[..., :k]
    return (u * np.arange(1, k + 1, dtype=draw.real_dtype)) @ np.conj(np.swapaxes(v, -1, -2))


def canonical_svd(a, *args, canonical=False, on_fail=None, **options):
    """SciPy's svd; the first of the largest components of each left vector, and of right ones
    without partner, is positive.
    """
    found = scipy.linalg.svd(a, *args, **options)
    if not canonical:
        return found
    u, s, vh = found
    k, left, right = s.shape[-1], phases(u), phases(np.conj(np.swapaxes(vh, -1, -2)))
    right[..., :k] = left[..., :k]
    return u * np.conj(left), s, np.swapaxes(right, -1, -2) * vh


def phases(v):
    size = np.abs(v)
    first = np.argmax(size >= 0.99 * size.max(axis=-2, keepdims=True), axis=-2)
    lead = np.take_along_axis(v, first[..., None, :], axis=-2)
    return lead / np.abs(lead)


def gradient_samples(draw):
    yield "values of a tall one", (spread(draw, 3, 2),), {"compute_uv": False}
    yield "values of a wide one", (spread(draw, 2, 3),), {"compute_uv": False}
    for m, n in ((3, 2), (2, 3), (3, 3)):
        yield f"{m} x {n}", (spread(draw, m, n),), {"full_matrices": False, "canonical": True}
    yield "full, tall", (spread(draw, 3, 2),), {"canonical": True}
    yield "full, wide", (spread(draw, 2, 3),), {"canonical": True}
    yield (
        "another driver",
        (spread(draw, 2, 2),),
        {"lapack_driver": "gesvd", "canonical": True, "check_finite": False},
    )
    yield "batch", (spread(draw, 3, 2, (2,)),), {"full_matrices": False, "canonical": True}
    yield "on_fail=info", (spread(draw, 2, 2),), {"compute_uv": False, "on_fail": "info"}


def value_samples(draw):
    yield from (row for row in gradient_samples(draw) if "on_fail" not in row[2])
    yield (
        "batch by another driver",
        (spread(draw, 3, 2, (2,)), False),
        {"lapack_driver": "gesvd", "canonical": True},
    )
    yield "equal singular values", (np.eye(3, dtype=draw.dtype),), {"compute_uv": False}
    yield "one number", (spread(draw, 1, 1),), {"canonical": True}
    yield "no columns", (draw.array(3, 0),), {}
    yield "no rows", (draw.array(0, 2), False), {}


def errors(draw):
    a = draw.array(3, 2)
    yield "a vector", (a[0],), {}, ValueError, "must be a matrix"
    yield "NaN", (a * np.nan,), {}, ValueError, "infs or NaNs"
    yield (
        "unknown driver",
        (a,),
        {"lapack_driver": "gesvj"},
        ValueError,
        'must be "gesdd" or "gesvd"',
    )
    yield "driver of another type", (a,), {"lapack_driver": 1}, TypeError, "must be a string"
    yield (
        "unknown gauge",
        (a,),
        {"gauge": "fix", "canonical": True},
        ValueError,
        "gauge must be one of",
    )
    yield "unknown policy", (a,), {"on_fail": "ignore"}, ValueError, "on_fail must be one of"


def svdvals_samples(draw):
    yield "tall", (spread(draw, 3, 2),), {}
    yield "wide", (spread(draw, 2, 3),), {"check_finite": False}
    yield "batch", (spread(draw, 2, 2, (2,)),), {}


def diagsvd_samples(draw):
    yield "tall", (draw.real(2), 3, 2), {}
    yield "wide", (draw.array(2), 2, 4), {}
    yield "square", (draw.array(2), 2, 2), {}
    yield "batch", (draw.array(3, 2), 3, 2), {}


def diagsvd_errors(draw):
    yield "neither", (draw.array(2), 3, 4), {}, ValueError, "Length of s must be M or N"
    yield "too many", (draw.array(3), 3, 2), {}, ValueError, "Length of s must be M or N"


specs = [
    OpSpec(
        function=linalg.svd,
        reference=canonical_svd,
        samples=value_samples,
        gradient_samples=gradient_samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.array(n, 2 * n // 3), False), {}),
    ),
    OpSpec(
        function=linalg.svdvals,
        reference=scipy.linalg.svdvals,
        samples=svdvals_samples,
        error_samples=lambda draw: (row for row in errors(draw) if not row[2]),
        size=lambda draw, n: ((draw.array(n, n),), {}),
    ),
    OpSpec(
        function=linalg.diagsvd,
        reference=scipy.linalg.diagsvd,
        samples=diagsvd_samples,
        error_samples=diagsvd_errors,
    ),
]
