"""Inverses, exponentials, powers and norms of sparse matrices."""

import functools

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from scigrad import sparse
from scigrad.testing import OpSpec

theirs, ours = scipy.sparse.linalg, sparse.linalg


def matrix(draw, form="csr", n=4, m=None):
    dense = np.where(
        np.add.outer(np.arange(n), 2 * np.arange(m or n)) % 3 == 2, 0, draw.array(n, m or n)
    ) + 2 * np.eye(n, m or n)
    return getattr(scipy.sparse, f"{form}_array")(dense.astype(draw.dtype))


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
]
