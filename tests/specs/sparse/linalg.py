"""spsolve, cg. splu, whose value is an object, is in tests/sparse/test_factorization.py."""

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
    yield "singular", (singular, np.ones(2)), {"on_fail": "raise"}, np.linalg.LinAlgError, "exactly singular"
    yield "unknown policy", (a, b), {"on_fail": "ignore"}, ValueError, "on_fail must be one of"


def spsolve_reference(a, b, permc_spec=None, on_fail=None):
    return scipy.sparse.linalg.spsolve(a, b, permc_spec)


def poisson(draw, n):
    line = scipy.sparse.diags_array([-1.0, 4.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    beside = scipy.sparse.diags_array([-1.0, -1.0], offsets=[-1, 1], shape=(n, n))
    both = scipy.sparse.kron(scipy.sparse.eye_array(n), line) + scipy.sparse.kron(beside, scipy.sparse.eye_array(n))
    return (both.tocsc(), draw.array(n * n)), {}


def cg_samples(draw):
    tight = {"rtol": 1e-6 if draw.dtype.itemsize == 4 * (1 + draw.is_complex) else 1e-14}
    b = draw.array(4)
    yield "dense", (draw.positive_definite(4), b), tight
    yield "sparse", (scipy.sparse.csr_array(draw.positive_definite(4)), b), tight
    yield "first guess", (draw.positive_definite(4), b, draw.array(4)), tight
    yield "preconditioned", (draw.positive_definite(4), b), tight | {"M": np.diag(draw.positive(4))}
    yield "column", (draw.positive_definite(3), draw.array(3, 1)), tight
    yield "right-hand side 0", (draw.positive_definite(3), 0 * draw.array(3)), tight


def cg_errors(draw):
    yield "not square", (np.ones((3, 2)), np.ones(3)), {}, ValueError, "expected square matrix"
    yield "too short", (np.eye(3), np.ones(2)), {}, ValueError, "incompatible"
    yield "tolerance", (np.eye(3), np.ones(3)), {"atol": -1.0}, ValueError, "invalid atol"


specs = [
    OpSpec(function=sparse.linalg.spsolve, reference=spsolve_reference, samples=spsolve_samples, error_samples=spsolve_errors,
           size=poisson),
    OpSpec(function=sparse.linalg.cg, reference=scipy.sparse.linalg.cg, samples=cg_samples, error_samples=cg_errors,
           size=poisson, known_failures={
               ("extreme", "numpy"): "squares of residuals under- and overflow, in SciPy's cg too",
               ("narrow", "numpy"): "where the method breaks down SciPy's x is NaN, ours is the last one before",
           }),
]  # fmt: skip
