"""Products of vectors and matrices under the names of numpy.linalg; khatri_rao; sketches, with
numbers as rng: every call makes the same sketch.
"""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def product_samples(draw):
    yield "matrices", (draw.array(2, 3), draw.array(3, 2)), {}
    yield "matrix and vector", (draw.array(2, 3), draw.array(3)), {}
    yield "mixed batches", (draw.real(2, 1, 2, 2), draw.array(3, 2, 1)), {}


def outer_samples(draw):
    yield "vectors", (draw.array(2), draw.array(3)), {}
    yield "mixed", (draw.real(2), draw.array(1)), {}


def outer_errors(draw):
    yield "matrix", (draw.array(2, 2), draw.array(2)), {}, ValueError, "one-dimensional"


def vecdot_samples(draw):
    yield "vectors", (draw.array(3), draw.array(3)), {}
    yield "batches that broadcast", (draw.array(2, 1, 3), draw.array(2, 3)), {}
    yield "axis", (draw.array(3, 2), draw.array(3, 2)), {"axis": 0}


def cross_samples(draw):
    yield "vectors", (draw.array(3), draw.array(3)), {}
    yield "batches that broadcast", (draw.array(2, 1, 3), draw.array(2, 3)), {}
    yield "axis", (draw.array(3, 2), draw.array(3, 2)), {"axis": 0}


def cross_errors(draw):
    yield "two elements", (draw.array(2), draw.array(2)), {}, ValueError, "3-dimensional vectors"


def chain_samples(draw):
    yield "two", ([draw.array(2, 3), draw.array(3, 2)],), {}
    yield "four", ([draw.array(2, 1), draw.array(1, 3), draw.array(3, 2), draw.array(2, 2)],), {}
    yield "vectors at the ends", ([draw.array(2), draw.array(2, 3), draw.array(3)],), {}
    yield "vector first, mixed", ([draw.real(2), draw.array(2, 2), draw.real(2, 2)],), {}


def chain_errors(draw):
    yield "one", ([draw.array(2, 2)],), {}, ValueError, "at least two"
    yield (
        "vector inside",
        ([draw.array(2, 2), draw.array(2), draw.array(2, 2)],),
        {},
        LinAlgError,
        "two-dimensional",
    )


def matrices(draw, n):
    return (draw.array(n, n), draw.array(n, n)), {}


def vectors(draw, n):
    return (draw.array(n), draw.array(n)), {}


def sketch_samples(draw):
    yield "rng", (draw.array(5, 3), 2), {"rng": 4}
    yield "seed", (draw.array(5, 2), 3), {"seed": 4}
    yield "batch", (draw.array(2, 4, 2), 3), {"rng": 1}
    yield "batch of batches", (draw.array(2, 2, 4, 1), 2), {"rng": 1}


def khatri_rao_samples(draw):
    yield "matrices", (draw.array(2, 3), draw.array(4, 3)), {}
    yield "mixed", (draw.real(2, 2), draw.array(1, 2)), {}
    yield "batches that broadcast", (draw.array(2, 1, 2, 2), draw.array(2, 1, 2)), {}


def khatri_rao_values(draw):
    yield from khatri_rao_samples(draw)
    yield "no rows", (draw.array(0, 2), draw.array(3, 2)), {}


def khatri_rao_errors(draw):
    yield (
        "columns differ",
        (draw.array(2, 3), draw.array(2, 2)),
        {},
        ValueError,
        "number of columns",
    )
    yield "a vector", (draw.array(3), draw.array(2, 3)), {}, ValueError, "2-dimensional"


specs = [
    OpSpec(
        function=linalg.matmul, reference=np.linalg.matmul, samples=product_samples, size=matrices
    ),
    OpSpec(
        function=linalg.outer,
        reference=np.linalg.outer,
        samples=outer_samples,
        error_samples=outer_errors,
        size=vectors,
    ),
    OpSpec(
        function=linalg.vecdot, reference=np.linalg.vecdot, samples=vecdot_samples, size=vectors
    ),
    OpSpec(
        function=linalg.cross,
        reference=np.linalg.cross,
        samples=cross_samples,
        error_samples=cross_errors,
        size=lambda draw, n: ((draw.array(n, 3), draw.array(n, 3)), {}),
    ),
    OpSpec(
        function=linalg.multi_dot,
        reference=np.linalg.multi_dot,
        samples=chain_samples,
        error_samples=chain_errors,
        size=lambda draw, n: (([draw.array(n, n), draw.array(n, n), draw.array(n)],), {}),
    ),
    OpSpec(
        function=linalg.clarkson_woodruff_transform,
        reference=scipy.linalg.clarkson_woodruff_transform,
        samples=sketch_samples,
        size=lambda draw, n: ((draw.array(n, n), n // 4 + 1), {"rng": 0}),
    ),
    OpSpec(
        function=linalg.khatri_rao,
        reference=scipy.linalg.khatri_rao,
        samples=khatri_rao_values,
        gradient_samples=khatri_rao_samples,
        error_samples=khatri_rao_errors,
        size=lambda draw, n: ((draw.array(n, n), draw.array(n, n)), {}),
    ),
]
