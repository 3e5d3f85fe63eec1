"""The same elements in another shape or order of axes."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def reshape_samples(draw):
    yield "matrix", (draw.array(2, 3), (3, 2)), {}
    yield "one unknown", (draw.array(2, 3, 2), (-1, 4)), {}
    yield "an int", (draw.array(2, 3), 6), {}
    yield "columns first", (draw.array(2, 3), (3, 2)), {"order": "F"}
    yield "columns first, flat", (draw.array(2, 3, 2), -1), {"order": "F"}
    yield "copy", (draw.array(4), (2, 2)), {"copy": True}
    yield "number", (draw.array(), (1, 1)), {}
    yield "to a number", (draw.array(1, 1), ()), {}
    yield "empty", (draw.array(0, 3), (3, 0)), {}


def reshape_errors(draw):
    yield "size", (np.ones(4), (3,)), {}, ValueError, "cannot reshape"


def ravel_samples(draw):
    yield "rows", (draw.array(2, 3),), {}
    yield "columns", (draw.array(2, 3),), {"order": "F"}
    yield "number", (draw.array(),), {}


def expand_samples(draw):
    yield "front", (draw.array(3), 0), {}
    yield "several", (draw.array(2, 3), (0, -1)), {}
    yield "number", (draw.array(), 0), {}


def expand_errors(draw):
    yield "axis", (np.ones(3), 2), {}, np.exceptions.AxisError, "out of bounds"


def squeeze_samples(draw):
    yield "all", (draw.array(1, 2, 1),), {}
    yield "one", (draw.array(1, 2, 1),), {"axis": -1}
    yield "two", (draw.array(1, 2, 1), (0, 2)), {}


def squeeze_errors(draw):
    yield "length 2", (np.ones((2, 1)), 0), {}, ValueError, "size not equal to one"


def transpose_samples(draw):
    yield "reversed", (draw.array(2, 3),), {}
    yield "order", (draw.array(2, 3, 2), (1, -1, 0)), {}
    yield "keyword", (draw.array(2, 3, 1),), {"axes": [2, 0, 1]}
    yield "vector", (draw.array(3),), {}


def transpose_errors(draw):
    yield "order", (np.ones((2, 3)), (0, 0)), {}, ValueError, "repeated axis"


def swapaxes_samples(draw):
    yield "first and last", (draw.array(2, 3, 2), 0, -1), {}
    yield "the same", (draw.array(2, 3), 1, 1), {}


def moveaxis_samples(draw):
    yield "one", (draw.array(2, 3, 2), 0, -1), {}
    yield "two", (draw.array(2, 3, 2), (0, 1), (-1, 0)), {}


def rollaxis_samples(draw):
    yield "to the front", (draw.array(2, 3, 2), 2), {}
    yield "before", (draw.array(2, 3, 2), 0, 2), {}


def matrix_transpose_samples(draw):
    yield "matrix", (draw.array(2, 3),), {}
    yield "batch", (draw.array(2, 3, 2),), {}


def matrix_transpose_errors(draw):
    yield "vector", (np.ones(3),), {}, ValueError, "at least 2-d"


def broadcast_samples(draw):
    yield "new axis", (draw.array(3), (2, 3)), {}
    yield "length 1", (draw.array(2, 1), (2, 3)), {}
    yield "both", (draw.array(1, 3), (2, 2, 3)), {}
    yield "number", (draw.array(), (2,)), {}
    yield "to nothing", (draw.array(1, 3), (0, 3)), {}
    yield "an int", (draw.array(1), 3), {}


def broadcast_errors(draw):
    yield "shape", (np.ones(2), (3,)), {}, ValueError, "could not be broadcast"


def broadcast_arrays_samples(draw):
    yield "two", (draw.array(2, 1), draw.array(3)), {}
    yield "three", (draw.array(), draw.array(2, 1), draw.array(1, 3)), {}


def spec(name, samples, errors=None):
    return OpSpec(
        function=getattr(snp, name),
        reference=getattr(np, name),
        samples=samples,
        error_samples=errors,
    )


specs = [
    spec("reshape", reshape_samples, reshape_errors),
    spec("ravel", ravel_samples),
    spec("expand_dims", expand_samples, expand_errors),
    spec("squeeze", squeeze_samples, squeeze_errors),
    spec("transpose", transpose_samples, transpose_errors),
    spec("swapaxes", swapaxes_samples),
    spec("moveaxis", moveaxis_samples),
    spec("rollaxis", rollaxis_samples),
    spec("matrix_transpose", matrix_transpose_samples, matrix_transpose_errors),
    spec("broadcast_to", broadcast_samples, broadcast_errors),
    spec("broadcast_arrays", broadcast_arrays_samples),
]
