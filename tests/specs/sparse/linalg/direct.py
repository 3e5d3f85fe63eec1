"""spsolve, spsolve_triangular. splu, whose value is an object, is in
tests/sparse/test_factorization.py.
"""

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from scigrad import sparse
from scigrad.testing import OpSpec

from .matrix_functions import matrix

PATTERN = np.array([[1, 1, 0, 0], [0, 1, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1]])
theirs, ours = scipy.sparse.linalg, sparse.linalg


def system_matrix(draw, form="csc", real=False):
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
        yield f"{form}, vector", (system_matrix(draw, form), draw.array(4)), {}
        yield f"{form}, column", (system_matrix(draw, form), draw.array(4, 1)), {}
        yield f"{form}, matrix", (system_matrix(draw, form), draw.array(4, 3)), {}
        yield (
            f"{form}, real with complex",
            (system_matrix(draw, form, real=True), draw.array(4, 2)),
            {},
        )
        yield f"{form}, real right-hand side", (system_matrix(draw, form), draw.real(4)), {}
    yield "older class", (scipy.sparse.csr_matrix(system_matrix(draw)), draw.array(4)), {}
    yield "unsorted, a place twice", (unsorted(draw), draw.array(4)), {}
    yield "natural ordering", (system_matrix(draw), draw.array(4), "NATURAL"), {}
    yield "silent on failure", (system_matrix(draw), draw.array(4)), {"on_fail": "nan"}


def spsolve_errors(draw):
    a, b = system_matrix(draw), draw.array(4)
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


def triangular_samples(draw):
    for form in ("csr", "csc"):
        lower, upper = (
            part(matrix(draw), format=form) for part in (scipy.sparse.tril, scipy.sparse.triu)
        )
        yield f"{form}, lower", (lower, draw.array(4)), {}
        yield f"{form}, upper", (upper, draw.array(4, 2)), {"lower": False}
        yield f"{form}, unit diagonal", (lower, draw.array(4)), {"unit_diagonal": True}
        yield f"{form}, column", (lower, draw.array(4, 1)), {}


def triangular_errors(draw):
    a = scipy.sparse.csc_array(np.eye(2, dtype=draw.dtype))
    yield "singular", (0 * a, np.ones(2)), {}, np.linalg.LinAlgError, "zero entry on diagonal"
    yield "not square", (a[:1], np.ones(1)), {}, ValueError, "must be a square matrix"
    yield "too short", (a, np.ones(3)), {}, ValueError, "The size of the dimensions"


specs = [
    OpSpec(
        function=sparse.linalg.spsolve,
        reference=spsolve_reference,
        samples=spsolve_samples,
        error_samples=spsolve_errors,
        size=poisson,
        known_failures={("narrow", "numpy"): "SciPy's sums of what shares a place wrap"},
    ),
    OpSpec(
        function=ours.spsolve_triangular,
        reference=theirs.spsolve_triangular,
        samples=triangular_samples,
        error_samples=triangular_errors,
    ),
]
