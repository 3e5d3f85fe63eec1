"""The classes of the other formats, and the older classes. What their methods and operators do is
in tests/sparse/test_methods.py.
"""

import numpy as np
import scipy.sparse

from scigrad import sparse
from scigrad.testing import OpSpec

from .construction import COLUMNS, PLACES, ROWS, SHAPE, TWICE, class_samples


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


# These are in construction.py, with what they refuse.
CORE = {(form, "array") for form in ("csr", "csc", "coo")}
OTHERS = {
    "bsr": block_samples,
    "dia": diagonal_samples,
    "lil": converted_samples,
    "dok": converted_samples,
    "csr": class_samples(ROWS),
    "csc": class_samples(COLUMNS),
    "coo": class_samples(None),
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
]
