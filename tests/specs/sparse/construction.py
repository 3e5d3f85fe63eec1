"""The arrays csr, csc and coo; diags_array, diags, spdiags. What methods and operators do is in
tests/sparse/test_methods.py, and what diags_array makes where no format is asked for in
tests/sparse/test_diagonals.py.
"""

import numpy as np
import scipy.sparse

from scigrad import sparse
from scigrad.testing import OpSpec

SHAPE = (3, 4)
PLACES = np.array([2, 0, 0, 1, 2]), np.array([1, 3, 0, 2, 3])  # unsorted
TWICE = np.array([2, 0, 0, 0, 2]), np.array([1, 3, 0, 3, 1])  # two places stored twice
ROWS = np.array([3, 0, 2, 1, 3]), np.array([0, 2, 3, 5])  # (indices, indptr) of csr, unsorted
COLUMNS = np.array([1, 0, 2, 2, 0]), np.array([0, 1, 2, 3, 5])  # (indices, indptr) of csc


def diagonal_samples(draw):
    three = [draw.array(2), draw.array(3), draw.array(2)]
    yield "tridiagonal", (three,), {"offsets": [-1, 0, 1], "format": "csr"}
    yield "one", (draw.array(3),), {"offsets": 1, "format": "csc"}
    yield "one below", (draw.array(2),), {"offsets": -2, "format": "coo"}
    yield (
        "numbers",
        ([draw.array()[()], draw.array(1)],),
        {"offsets": [0, 2], "shape": (3, 4), "format": "csr"},
    )
    yield (
        "longer than its place",
        ([draw.array(4), draw.array(4)],),
        {"offsets": [0, -1], "shape": (3, 2), "format": "csr"},
    )
    yield (
        "rows of an array",
        (draw.array(2, 3),),
        {"offsets": (0, 1), "shape": (3, 4), "format": "csc"},
    )
    if draw.dtype == np.float64:
        yield "dtype", (draw.array(3),), {"format": "csr", "dtype": np.complex128}


def diagonal_errors(draw):
    yield (
        "too short",
        ([draw.array(2)],),
        {"offsets": [0], "shape": (4, 4)},
        ValueError,
        "does not agree with array size",
    )
    yield (
        "beyond the shape",
        ([draw.array(1)],),
        {"offsets": [5], "shape": (2, 2)},
        ValueError,
        "out of bounds",
    )
    yield (
        "numbers differ",
        ([draw.array(2)],),
        {"offsets": [0, 1]},
        ValueError,
        "Different number of diagonals and offsets",
    )
    yield (
        "one offset for two",
        ([draw.array(2), draw.array(2)],),
        {},
        ValueError,
        "Different number of diagonals and offsets",
    )
    yield (
        "offset twice",
        ([draw.array(2), draw.array(2)],),
        {"offsets": [0, 0]},
        ValueError,
        "duplicate values",
    )


def reference(diagonals, dtype=None, **options):
    return scipy.sparse.diags_array(diagonals, dtype=dtype, **options)


def older_reference(diagonals, dtype=None, **options):
    return scipy.sparse.diags(diagonals, dtype=dtype, **options)


DROPPED = {("narrow", "numpy"): "SciPy drops the zeros of a constant diagonal from the pattern"}


def class_samples(index):
    def draw_samples(draw):
        if index:
            yield "compressed", ((draw.array(5), *index), SHAPE), {}
            yield "shape from the indices", ((draw.array(5), *index),), {}
        yield "places", ((draw.array(5), PLACES), SHAPE), {}
        yield "places stored twice", ((draw.array(5), TWICE), SHAPE), {}
        yield "explicit zeros", ((draw.array(5) * 0, PLACES), SHAPE), {}
        if draw.dtype in (np.float64, np.complex128):
            yield "no values", ((draw.array(0), (PLACES[0][:0], PLACES[0][:0])), SHAPE), {}

    return draw_samples


def class_errors(draw):
    data = draw.array(5)
    yield (
        "index beyond the shape",
        ((data, (PLACES[0], PLACES[1] + 3)), SHAPE),
        {},
        ValueError,
        "exceeds matrix dimension|index",
    )
    yield "too few values", ((data[:3], PLACES), SHAPE), {}, ValueError, "same length|length"


def from_rows(draw):
    yield "square", (draw.array(2, 4), [0, -1]), {}
    yield "wide", (draw.array(3, 4), [0, -1, 2], 3, 4), {"format": "csr"}
    yield "one", (draw.array(3), 0, 3, 3), {"format": "coo"}


specs = [
    OpSpec(
        function=sparse.diags_array,
        reference=reference,
        samples=diagonal_samples,
        error_samples=diagonal_errors,
        known_failures=DROPPED,
    ),
    OpSpec(
        function=sparse.diags,
        reference=older_reference,
        samples=diagonal_samples,
        error_samples=diagonal_errors,
        known_failures=DROPPED,
    ),
    OpSpec(
        function=sparse.csr_array,
        reference=scipy.sparse.csr_array,
        samples=class_samples(ROWS),
        error_samples=class_errors,
    ),
    OpSpec(
        function=sparse.csc_array,
        reference=scipy.sparse.csc_array,
        samples=class_samples(COLUMNS),
        error_samples=class_errors,
    ),
    OpSpec(
        function=sparse.coo_array,
        reference=scipy.sparse.coo_array,
        samples=class_samples(None),
        error_samples=class_errors,
    ),
    OpSpec(function=sparse.spdiags, reference=scipy.sparse.spdiags, samples=from_rows),
]
