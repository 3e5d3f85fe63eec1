"""svd, svdvals, diagsvd; orth, null_space, subspace_angles. Singular vectors are compared with
canonical=True: without it their phases are the algorithm's. A basis is one of many, so the laws see
the projector on the subspace, and the basis itself, up to its sign, only where it is one real
vector. What the laws cannot say (equal and zero singular values, gauges) is in
tests/linalg/test_svd.py and tests/linalg/test_subspaces.py.
"""

import functools

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


def projector(function):
    """q q^H of the basis that a function finds."""

    @functools.wraps(function)
    def of_basis(*args, **options):
        q = function(*args, **options)
        return q @ np.conjugate(q).mT

    return of_basis


def with_sign(function):
    """The basis, a real vector, with a positive first component: its sign is free, and libraries
    choose it differently.
    """

    @functools.wraps(function)
    def of_basis(*args, **options):
        q = function(*args, **options)
        return q * np.sign(q[..., :1, :1])

    return of_basis


def of_rank(draw, rank, m, n, *batch):
    return draw.unitary(m, batch)[..., :rank] @ draw.unitary(n, batch)[..., :rank, :]


def parted(draw, m, n):
    """Singular values 3, 2, 1."""
    return ((draw.unitary(m)[:, :3] * np.array([3, 2, 1])) @ draw.unitary(n)[:3]).astype(draw.dtype)


def basis_samples(draw):
    yield "tall", (draw.array(4, 2),), {}
    yield "wide", (draw.array(2, 4),), {}
    yield "batch", (draw.array(2, 3, 2),), {}
    yield "regularized", (parted(draw, 3, 4),), {"rcond": 0.5}


def null_samples(draw):
    yield "wide", (draw.array(2, 4),), {}
    yield "batch", (draw.array(2, 2, 3),), {"check_finite": False}
    yield "another driver", (draw.array(2, 3),), {"rcond": 1e-6, "lapack_driver": "gesvd"}
    yield "regularized", (parted(draw, 4, 3),), {"rcond": 0.5}


def basis_value_samples(draw):
    yield from basis_samples(draw)
    yield "rank 1", (of_rank(draw, 1, 3, 3),), {}
    yield "cutoff", (np.diag([1, 1e-3, 1e-9]).astype(draw.dtype),), {"rcond": 1e-5}
    yield "equal singular values", (draw.unitary(3)[:, :2],), {}


def null_value_samples(draw):
    yield from null_samples(draw)
    yield "rank 1", (of_rank(draw, 1, 3, 3),), {}
    yield "nothing", (draw.well_conditioned(2),), {}


def line_samples(draw):
    if not draw.is_complex:
        yield "column", (draw.array(3, 1),), {}
        yield "batch", (draw.array(2, 3, 1),), {}


def null_line_samples(draw):
    if not draw.is_complex:
        yield "two rows", (draw.array(2, 3),), {}
        yield "batch", (draw.array(2, 1, 2),), {"check_finite": False}


def basis_errors(draw):
    yield "a vector", (draw.array(2),), {}, ValueError, "must be a matrix"
    yield "NaN", (draw.array(2, 2) * np.nan,), {}, ValueError, "infs or NaNs"
    ranks = np.stack([np.eye(2), np.ones((2, 2))])
    yield "ranks differ", (ranks,), {}, ValueError, "ranks from 1 to 2"
    yield "unknown gauge", (draw.array(2, 2),), {"gauge": "fix"}, ValueError, "gauge must be one of"


def angle_samples(draw):
    yield (
        "small and large",
        (
            np.eye(5, 2).astype(draw.dtype),
            np.eye(5, dtype=draw.dtype)[:, [0, 2]] + draw.array(5, 2) / 8,
        ),
        {},
    )
    yield "fewer columns in B", (draw.array(4, 2), draw.array(4, 1)), {}
    yield "fewer columns in A", (draw.array(4, 1), draw.array(4, 2)), {}
    yield "batch of B", (draw.array(4, 2), draw.array(2, 4, 1)), {}


def angle_errors(draw):
    yield "rows", (draw.array(3, 2), draw.array(2, 2)), {}, ValueError, "same number of rows"
    yield "a vector", (draw.array(3), draw.array(3, 2)), {}, ValueError, "must be a matrix"
    yield "NaN", (draw.array(3, 2) * np.nan, draw.array(3, 2)), {}, ValueError, "infs or NaNs"


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
    OpSpec(
        function=with_sign(linalg.orth),
        reference=with_sign(scipy.linalg.orth),
        samples=line_samples,
        error_samples=basis_errors,
        size=lambda draw, n: ((draw.array(n, n // 2),), {}),
    ),
    OpSpec(
        function=projector(linalg.orth),
        reference=projector(scipy.linalg.orth),
        samples=basis_value_samples,
        gradient_samples=basis_samples,
    ),
    OpSpec(
        function=with_sign(linalg.null_space),
        reference=with_sign(scipy.linalg.null_space),
        samples=null_line_samples,
        error_samples=basis_errors,
        size=lambda draw, n: ((draw.array(n // 2, n),), {}),
    ),
    OpSpec(
        function=projector(linalg.null_space),
        reference=projector(scipy.linalg.null_space),
        samples=null_value_samples,
        gradient_samples=null_samples,
    ),
    OpSpec(
        function=linalg.subspace_angles,
        reference=scipy.linalg.subspace_angles,
        samples=angle_samples,
        error_samples=angle_errors,
        size=lambda draw, n: ((draw.array(n, n // 4), draw.array(n, n // 4)), {}),
    ),
]
