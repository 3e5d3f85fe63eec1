"""Exponentials and other functions of sparse matrices, times arrays."""

import scipy.sparse
import scipy.sparse.linalg

from scigrad import linalg, sparse
from scigrad.testing import OpSpec

from .least_squares import is_single
from .matrix_functions import matrix

theirs, ours = scipy.sparse.linalg, sparse.linalg


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


specs = [
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
