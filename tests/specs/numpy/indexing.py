"""Indexing in every form, and taking along an axis."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec

ROWS = np.array([0, 1, 0, 1, 1])
MASK = np.array([[True, False, True], [True, True, False]])
MATRIX = {
    "integer": 1,
    "negative": -1,
    "element": (1, 2),
    "slice": slice(None, None, -1),
    "step": (slice(None), slice(0, 3, 2)),
    "nothing": slice(2, 2),
    "column": (Ellipsis, 1),
    "new axes": (None, Ellipsis, None),
    "integers": ROWS,
    "list": [1, 0, 1],
    "pairs": (ROWS, ROWS),
    "columns": (slice(None), np.array([[0, 2], [1, 1]])),
    "broadcast": (np.array([[0], [1]]), np.array([0, 2, 2])),
    "integer and integers": (0, ROWS),
    "mask": MASK,
    "mask of rows": np.array([True, False]),
    "mask of columns": (slice(None), np.array([True, False, True])),
    "mask of nothing": MASK & False,
    "mask and integers": (np.array([True, True]), np.array([2, 0])),
    "zero-dimensional": (np.array(1), slice(None, 2)),
    "everything": Ellipsis,
    "true": True,
    "false": (slice(None), False),
    "no index": (),
}
CUBE = {
    "separated": (ROWS, slice(None), ROWS),
    "separated by a new axis": (ROWS, None, ROWS),
    "integer first": (0, slice(None), ROWS),
    "together": (slice(None), ROWS, ROWS),
    "together behind a new axis": (None, slice(None), ROWS, ROWS % 2),
    "separated by an empty ellipsis": (ROWS, ROWS, Ellipsis, ROWS),
    "mask and slice": (MASK, slice(None, None, -1)),
    "slice and mask": (slice(None), np.array([[True, False], [False, True], [True, True]])),
    "three slices": (slice(1, None), slice(None), slice(None, None, -1)),
    "integer between slices": (slice(None), -1, slice(1, 2)),
}


def getitem_samples(draw):
    for name, index in MATRIX.items():
        yield name, (draw.array(2, 3), index), {}
    for name, index in CUBE.items():
        yield name, (draw.array(2, 3, 2), index), {}


def getitem_errors(draw):
    yield "beyond", (np.ones(3), 3), {}, IndexError, "out of bounds"
    yield "too many", (np.ones(3), (0, 0)), {}, IndexError, "too many indices"
    yield "mask", (np.ones(3), np.array([True])), {}, IndexError, "boolean index did not match"
    yield "float", (np.ones(3), 1.5), {}, IndexError, "valid indices"


def along_samples(draw):
    yield "columns", (draw.array(2, 3), np.array([[0, 2], [1, 1]])), {}
    yield "rows", (draw.array(2, 3), np.array([[0, 1, 1], [1, 0, -1], [0, 0, 0]]), 0), {}
    yield "one for all", (draw.array(2, 3), np.array([[2, 0]])), {"axis": -1}
    yield "array broadcast", (draw.array(1, 3), np.array([[0, 0], [1, 2]]), 1), {}
    yield "flattened", (draw.array(2, 3), np.array([5, 0, 5])), {"axis": None}


def along_errors(draw):
    yield "axes", (np.ones((2, 2)), np.array([0])), {}, ValueError, "same number of dimensions"


specs = [
    OpSpec(
        function=snp.getitem,
        reference=lambda x, i: x[i],
        samples=getitem_samples,
        error_samples=getitem_errors,
    ),
    OpSpec(
        function=snp.take_along_axis,
        reference=np.take_along_axis,
        samples=along_samples,
        error_samples=along_errors,
    ),
]
