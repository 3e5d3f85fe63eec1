"""The classes of all formats. What their methods and operators do is in
tests/sparse/test_methods.py.
"""

import numpy as np
import scipy.sparse

from scigrad import sparse
from scigrad.testing import OpSpec

SHAPE = (3, 4)
PLACES = np.array([2, 0, 0, 1, 2]), np.array([1, 3, 0, 2, 3])  # unsorted
TWICE = np.array([2, 0, 0, 0, 2]), np.array([1, 3, 0, 3, 1])  # two places stored twice
ROWS = np.array([3, 0, 2, 1, 3]), np.array([0, 2, 3, 5])  # (indices, indptr) of csr, unsorted
COLUMNS = np.array([1, 0, 2, 2, 0]), np.array([0, 1, 2, 3, 5])  # of csc


def samples(index):
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


def errors(draw):
    data = draw.array(5)
    yield (
        "index beyond the shape",
        ((data, (PLACES[0], PLACES[1] + 3)), SHAPE),
        {},
        ValueError,
        "exceeds matrix dimension|index",
    )
    yield "too few values", ((data[:3], PLACES), SHAPE), {}, ValueError, "same length|length"


def block_samples(draw):
    yield "blocks", ((draw.array(2, 2, 2), np.array([1, 0]), np.array([0, 1, 2])), (4, 4)), {}
    yield "places", ((draw.array(5), PLACES), SHAPE), {"blocksize": (1, 2)}
    yield "sparse", (scipy.sparse.csr_array((draw.array(5), *ROWS), SHAPE),), {"blocksize": (3, 2)}


def diagonal_samples(draw):
    yield "diagonals", ((draw.array(2, 4), np.array([0, -1])), SHAPE), {}
    yield "sparse", (scipy.sparse.csr_array((draw.array(5), *ROWS), SHAPE),), {}


def converted_samples(draw):
    yield "sparse", (scipy.sparse.csr_array((draw.array(5), *ROWS), SHAPE),), {}
    yield "places twice", (scipy.sparse.coo_array((draw.array(5), TWICE), SHAPE),), {}


CORE = {(form, "array") for form in ("csr", "csc", "coo")}  # below, with what they refuse
OTHERS = {
    "bsr": block_samples,
    "dia": diagonal_samples,
    "lil": converted_samples,
    "dok": converted_samples,
    "csr": samples(ROWS),
    "csc": samples(COLUMNS),
    "coo": samples(None),
}


def spec(name):
    made, scipys = getattr(sparse, name), getattr(scipy.sparse, name)
    return OpSpec(function=made, reference=scipys, samples=OTHERS[name[:3]])


specs = [
    *(
        spec(f"{form}_{family}")
        for form in OTHERS
        for family in ("array", "matrix")
        if (form, family) not in CORE
    ),
    OpSpec(
        function=sparse.csr_array,
        reference=scipy.sparse.csr_array,
        samples=samples(ROWS),
        error_samples=errors,
    ),
    OpSpec(
        function=sparse.csc_array,
        reference=scipy.sparse.csc_array,
        samples=samples(COLUMNS),
        error_samples=errors,
    ),
    OpSpec(
        function=sparse.coo_array,
        reference=scipy.sparse.coo_array,
        samples=samples(None),
        error_samples=errors,
    ),
]
