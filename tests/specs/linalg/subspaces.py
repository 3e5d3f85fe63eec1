"""orth, null_space, subspace_angles. A basis is one of many, so the laws see the projector on the
subspace, and the basis itself, up to its sign, only where it is one real vector; gauges are in
tests/linalg/test_subspaces.py.
"""

import functools

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


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


def samples(draw):
    yield "tall", (draw.array(4, 2),), {}
    yield "wide", (draw.array(2, 4),), {}
    yield "batch", (draw.array(2, 3, 2),), {}
    yield "regularized", (parted(draw, 3, 4),), {"rcond": 0.5}


def null_samples(draw):
    yield "wide", (draw.array(2, 4),), {}
    yield "batch", (draw.array(2, 2, 3),), {"check_finite": False}
    yield "another driver", (draw.array(2, 3),), {"rcond": 1e-6, "lapack_driver": "gesvd"}
    yield "regularized", (parted(draw, 4, 3),), {"rcond": 0.5}


def value_samples(draw):
    yield from samples(draw)
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


def errors(draw):
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
        function=with_sign(linalg.orth),
        reference=with_sign(scipy.linalg.orth),
        samples=line_samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.array(n, n // 2),), {}),
    ),
    OpSpec(
        function=projector(linalg.orth),
        reference=projector(scipy.linalg.orth),
        samples=value_samples,
        gradient_samples=samples,
    ),
    OpSpec(
        function=with_sign(linalg.null_space),
        reference=with_sign(scipy.linalg.null_space),
        samples=null_line_samples,
        error_samples=errors,
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
