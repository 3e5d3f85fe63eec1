"""block_array, bmat, hstack, vstack, block_diag: with None; of other formats in
tests/sparse/test_structure.py. kron, kronsum.
"""

import numpy as np
import scipy.sparse

from scigrad import sparse
from scigrad.testing import OpSpec

TWICE = np.array([1, 0, 0, 1]), np.array([0, 1, 1, 2])  # a place stored twice
SQUARE_TWICE = np.array([1, 0, 0, 1]), np.array([0, 1, 1, 1])


def array(draw, form="csr", shape=(2, 3), family="array"):
    values = draw.array(*shape) * (np.arange(np.prod(shape)).reshape(shape) % 3 != 1)
    return getattr(scipy.sparse, f"{form}_{family}")(values.astype(draw.dtype))


def twice(draw):
    return scipy.sparse.coo_array((draw.array(4), TWICE), shape=(2, 3))


def rows_of(make):
    def samples(draw):
        yield "two", (make([array(draw), array(draw, "csc")]),), {"format": "csr"}
        yield "a place twice", (make([twice(draw), array(draw, "coo")]),), {"format": "csc"}
        yield (
            "older class",
            (make([array(draw, family="matrix"), array(draw, "coo", family="matrix")]),),
            {"format": "csr"},
        )

    return samples


def grid(draw):
    yield "grid", ([[array(draw), None], [None, array(draw, "coo")]],), {"format": "csr"}
    if draw.dtype == np.float64:
        yield "dtype", ([[array(draw), array(draw)]],), {"format": "csr", "dtype": np.complex128}


def misfit(make):
    def errors(draw):
        yield (
            "shapes",
            (make([array(draw), array(draw, shape=(3, 2))]),),
            {},
            ValueError,
            "[Ii]ncompatible|mismatching|dimension",
        )

    return errors


LIST = list


def upper(draw, form="csr", family="array", n=2):
    return getattr(scipy.sparse, f"{form}_{family}")(np.triu(draw.array(n, n)))


def kronecker_products(draw):
    yield "by blocks", (upper(draw), upper(draw, "csc")), {}
    yield "scattered", (upper(draw), upper(draw, "csc")), {"format": "csr"}
    yield (
        "a place twice",
        (scipy.sparse.coo_array((draw.array(4), SQUARE_TWICE), shape=(2, 2)), upper(draw)),
        {"format": "coo"},
    )
    yield "older class", (upper(draw, family="matrix"), upper(draw, "coo", "matrix")), {}


def kronecker_sums(draw):
    yield "two orders", (upper(draw), upper(draw, "csc", n=3)), {}
    yield "format", (upper(draw), upper(draw, "coo")), {"format": "csc"}
    yield (
        "older class",
        (upper(draw, family="matrix"), upper(draw, "coo", "matrix")),
        {"format": "csr"},
    )


def sum_errors(draw):
    yield "not square", (upper(draw)[:1], upper(draw)), {}, ValueError, "not square"


specs = [
    OpSpec(
        function=sparse.hstack,
        reference=scipy.sparse.hstack,
        samples=rows_of(LIST),
        error_samples=misfit(LIST),
    ),
    OpSpec(
        function=sparse.vstack,
        reference=scipy.sparse.vstack,
        samples=rows_of(LIST),
        error_samples=misfit(LIST),
    ),
    OpSpec(function=sparse.block_diag, reference=scipy.sparse.block_diag, samples=rows_of(LIST)),
    OpSpec(function=sparse.block_array, reference=scipy.sparse.block_array, samples=grid),
    OpSpec(function=sparse.bmat, reference=scipy.sparse.bmat, samples=grid),
    OpSpec(function=sparse.kron, reference=scipy.sparse.kron, samples=kronecker_products),
    OpSpec(
        function=sparse.kronsum,
        reference=scipy.sparse.kronsum,
        samples=kronecker_sums,
        error_samples=sum_errors,
        known_failures={("narrow", "numpy"): "SciPy drops zeros from a sum"},
    ),
]
