"""Least squares, triangular systems, inverses, powers, norms, exponentials, Krylov functions of
sparse matrices.
"""

import functools

import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.sparse.linalg

from scigrad import linalg, sparse
from scigrad.testing import OpSpec

theirs, ours = scipy.sparse.linalg, sparse.linalg


def matrix(draw, form="csr", n=4, m=None):
    dense = np.where(
        np.add.outer(np.arange(n), 2 * np.arange(m or n)) % 3 == 2, 0, draw.array(n, m or n)
    ) + 2 * np.eye(n, m or n)
    return getattr(scipy.sparse, f"{form}_array")(dense.astype(draw.dtype))


def is_single(draw):
    return draw.real_dtype == np.float32


# -- least squares

LOST = "SciPy's norms are updated, not computed, and lose digits where their squares underflow"


def least_squares_samples(draw):
    tight = {"atol": 1e-6, "btol": 1e-6} if is_single(draw) else {"atol": 1e-13, "btol": 1e-13}
    yield "overdetermined", (matrix(draw, n=5, m=3), draw.array(5)), tight
    yield "underdetermined", (matrix(draw, n=3, m=5), draw.array(3)), tight
    yield "dense", (matrix(draw, n=5, m=3).toarray(), draw.array(5)), tight
    yield (
        "damped, near a guess",
        (matrix(draw, n=5, m=3), draw.array(5), draw.positive()),
        tight | {"x0": draw.array(3)},
    )


def least_squares_errors(draw):
    yield (
        "too short",
        (np.eye(3, dtype=np.float32), np.ones(2, np.float32)),
        {},
        ValueError,
        "incompatible",
    )


def least_squares(name, chosen):
    """Outputs that are no estimates of the method, without residuals that are 0."""
    run, reference = getattr(ours, name), getattr(theirs, name)

    @functools.wraps(run)
    def function(*args, **kwargs):
        found = run(*args, **kwargs)
        return tuple(
            found[i] for i in (chosen if args[0].shape[0] > args[0].shape[1] else (0, chosen[-1]))
        )

    def expected(*args, **kwargs):
        found = reference(*args, **kwargs)
        return tuple(
            found[i] for i in (chosen if args[0].shape[0] > args[0].shape[1] else (0, chosen[-1]))
        )

    return OpSpec(
        function=function,
        reference=expected,
        samples=least_squares_samples,
        error_samples=least_squares_errors,
        known_failures={("extreme", "numpy"): LOST} if name == "lsqr" else {},
    )


# -- triangular systems


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


# -- functions of matrices


def square_samples(draw):
    yield "csc", (matrix(draw, "csc"),), {}
    yield "older class", (scipy.sparse.csc_matrix(matrix(draw)),), {}


def power_samples(draw):
    for exponent in (0, 1, 2, 5):
        yield f"power {exponent}", (matrix(draw), exponent), {}


def norm_samples(draw):
    for order in (None, "fro", 1, np.inf, -1, -np.inf):
        yield f"{order}", (matrix(draw, n=4, m=3),), {"ord": order}
    yield "axes", (matrix(draw, n=4, m=3),), {"ord": 1, "axis": (1, 0)}
    for order in (None, 1, np.inf, 3, -1):
        yield f"columns, {order}", (matrix(draw, n=4, m=3),), {"ord": order, "axis": 0}
        yield f"rows, {order}", (matrix(draw, "csc", n=4, m=3),), {"ord": order, "axis": 1}


def norm_errors(draw):
    yield "dense", (np.eye(2),), {}, TypeError, "not sparse"
    yield "axis", (matrix(draw), None, (0, 0)), {}, ValueError, "[Aa]xis|axes"


def estimate_samples(draw):
    yield "sparse", (matrix(draw),), {"t": 4}  # fewer columns are chosen at random
    yield "dense, with vectors", (draw.array(4, 4),), {"t": 4, "compute_v": True, "compute_w": True}


def exponential_samples(draw):
    """Of matrices with a small norm, as each order of the polynomial is one product more. Two
    steps: tests/sparse.
    """

    def small(form="csr", scale=2.0**-6):
        return scale * matrix(draw, form, n=3)

    yield "vector", (small(), draw.array(3)), {}
    yield "matrix", (small("csc", 2.0**-12), draw.array(3, 2)), {}
    yield "dense", (small(scale=2.0**-12).toarray(), draw.array(3)), {}
    yield "range", (small(scale=2.0**-12), draw.array(3)), {"start": 0.1, "stop": 0.7, "num": 2}
    # in this order, without which SciPy's values are wrong
    ends = draw.positive(), draw.positive() + 2
    yield "range of variable ends", (small(scale=2.0**-12), draw.array(3), *ends, 2, False), {}


def krylov_samples(draw):
    tight = {"rtol": 1e-5 if is_single(draw) else 1e-13}
    yield "exponential", (linalg.expm, matrix(draw), draw.array(4)), tight
    yield "dense, cosine", (linalg.cosm, matrix(draw).toarray(), draw.array(4)), tight
    if not draw.is_complex:
        yield "scaled", (linalg.expm, matrix(draw), draw.array(4)), tight | {"t": 0.3}


def with_entries(name, **options):
    """For sparse results: SciPy and we store the zeros that arise differently."""
    run, reference = getattr(ours, name), getattr(theirs, name)

    @functools.wraps(run)
    def function(*args, **kwargs):
        return run(*args, **kwargs).toarray()

    return OpSpec(
        function=function,
        reference=lambda *args, **kwargs: reference(*args, **kwargs).toarray(),
        **options,
    )


PATTERN = {("shapes", "any"): "the pattern of the result is that of the current values"}

specs = [
    least_squares("lsqr", (0, 3, 4, 8)),
    least_squares("lsmr", (0, 3, 7)),
    OpSpec(
        function=ours.spsolve_triangular,
        reference=theirs.spsolve_triangular,
        samples=triangular_samples,
        error_samples=triangular_errors,
    ),
    with_entries("inv", samples=square_samples, known_failures=PATTERN),
    with_entries("expm", samples=square_samples, known_failures=PATTERN),
    with_entries("matrix_power", samples=power_samples),
    OpSpec(
        function=ours.norm,
        reference=theirs.norm,
        samples=norm_samples,
        error_samples=norm_errors,
        known_failures={("extreme", "numpy"): "the squares in SciPy's underflow"},
    ),
    OpSpec(function=ours.onenormest, reference=theirs.onenormest, samples=estimate_samples),
    OpSpec(
        function=ours.expm_multiply, reference=theirs.expm_multiply, samples=exponential_samples
    ),
    OpSpec(
        function=ours.funm_multiply_krylov,
        reference=theirs.funm_multiply_krylov,
        samples=krylov_samples,
        known_failures={
            ("extreme", "numpy"): "SciPy's raises IndexError where the matrix is nearly 0"
        },
    ),
]
