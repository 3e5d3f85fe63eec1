"""diags_array and diags. What they make where no format is asked for is in
tests/sparse/test_diagonals.py.
"""

import numpy as np
import scipy.sparse

from scigrad import sparse
from scigrad.testing import OpSpec


def samples(draw):
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


def errors(draw):
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

specs = [
    OpSpec(
        function=sparse.diags_array,
        reference=reference,
        samples=samples,
        error_samples=errors,
        known_failures=DROPPED,
    ),
    OpSpec(
        function=sparse.diags,
        reference=older_reference,
        samples=samples,
        error_samples=errors,
        known_failures=DROPPED,
    ),
]
