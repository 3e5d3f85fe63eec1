"""spsolve. splu, whose value is an object, is in tests/sparse/test_factorization.py."""

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from scigrad import sparse
from scigrad.testing import OpSpec

PATTERN = np.array([[1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]])


def matrix(draw, form="csc", real=False):
    """Sparse, not symmetric, well conditioned."""
    values = draw.real(4, 4) if real else draw.array(4, 4)
    dense = np.asarray(PATTERN * (0.5 * values + 3 * np.eye(4)), values.dtype)
    return getattr(scipy.sparse, f"{form}_array")(dense)


def unsorted(draw):
    """By columns, with indices out of order and one place stored twice."""
    indices, indptr = np.array([2, 0, 3, 1, 1, 2, 1, 1, 3]), np.array([0, 2, 5, 7, 9])
    data = 0.4 * draw.array(9) + np.isin(np.arange(9), (1, 3, 5, 8)) * 3
    return scipy.sparse.csc_array((data.astype(draw.dtype), indices, indptr), shape=(4, 4))


def spsolve_samples(draw):
    for form in ("csc", "csr"):
        yield f"{form}, vector", (matrix(draw, form), draw.array(4)), {}
        yield f"{form}, column", (matrix(draw, form), draw.array(4, 1)), {}
        yield f"{form}, matrix", (matrix(draw, form), draw.array(4, 3)), {}
        yield f"{form}, real with complex", (matrix(draw, form, real=True), draw.array(4, 2)), {}
        yield f"{form}, real right-hand side", (matrix(draw, form), draw.real(4)), {}
    yield "older class", (scipy.sparse.csr_matrix(matrix(draw)), draw.array(4)), {}
    yield "unsorted, a place twice", (unsorted(draw), draw.array(4)), {}
    yield "natural ordering", (matrix(draw), draw.array(4), "NATURAL"), {}
    yield "silent on failure", (matrix(draw), draw.array(4)), {"on_fail": "nan"}


def spsolve_errors(draw):
    a, b = matrix(draw), draw.array(4)
    singular = scipy.sparse.csc_array(np.diag([1.0, 0.0]))
    yield "not square", (a[:3], b), {}, ValueError, "must be square"
    yield "too short", (a, b[:3]), {}, ValueError, "dimension mismatch"
    yield (
        "singular",
        (singular, np.ones(2)),
        {"on_fail": "raise"},
        np.linalg.LinAlgError,
        "exactly singular",
    )
    yield "unknown policy", (a, b), {"on_fail": "ignore"}, ValueError, "on_fail must be one of"


def spsolve_reference(a, b, permc_spec=None, on_fail=None):
    return scipy.sparse.linalg.spsolve(a, b, permc_spec)


def poisson(draw, n):
    line = scipy.sparse.diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    beside = scipy.sparse.diags_array([-1.0, -1.0], offsets=[-1, 1], shape=(n, n))
    both = scipy.sparse.kron(scipy.sparse.eye_array(n), line) + scipy.sparse.kron(
        beside, scipy.sparse.eye_array(n)
    )
    return (both.tocsc(), draw.array(n * n)), {}


specs = [
    OpSpec(
        function=sparse.linalg.spsolve,
        reference=spsolve_reference,
        samples=spsolve_samples,
        error_samples=spsolve_errors,
        size=poisson,
    ),
]
