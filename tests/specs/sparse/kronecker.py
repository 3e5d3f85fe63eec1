"""kron, kronsum."""

import numpy as np
import scipy.sparse

from scigrad import sparse
from scigrad.testing import OpSpec

TWICE = np.array([1, 0, 0, 1]), np.array([0, 1, 1, 1])


def array(draw, form="csr", family="array", n=2):
    return getattr(scipy.sparse, f"{form}_{family}")(np.triu(draw.array(n, n)))


def products(draw):
    yield "by blocks", (array(draw), array(draw, "csc")), {}
    yield "scattered", (array(draw), array(draw, "csc")), {"format": "csr"}
    yield (
        "a place twice",
        (scipy.sparse.coo_array((draw.array(4), TWICE), shape=(2, 2)), array(draw)),
        {"format": "coo"},
    )
    yield "older class", (array(draw, family="matrix"), array(draw, "coo", "matrix")), {}


def sums(draw):
    yield "two orders", (array(draw), array(draw, "csc", n=3)), {}
    yield "format", (array(draw), array(draw, "coo")), {"format": "csc"}
    yield (
        "older class",
        (array(draw, family="matrix"), array(draw, "coo", "matrix")),
        {"format": "csr"},
    )


def errors(draw):
    yield "not square", (array(draw)[:1], array(draw)), {}, ValueError, "not square"


specs = [
    OpSpec(function=sparse.kron, reference=scipy.sparse.kron, samples=products),
    OpSpec(
        function=sparse.kronsum,
        reference=scipy.sparse.kronsum,
        samples=sums,
        error_samples=errors,
        known_failures={("narrow", "numpy"): "SciPy drops zeros from a sum"},
    ),
]
