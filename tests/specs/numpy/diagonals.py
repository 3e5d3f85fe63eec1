"""Diagonals and triangles."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec


def triangle_samples(draw):
    yield "square", (draw.array(3, 3),), {}
    yield "above", (draw.array(2, 3), 1), {}
    yield "batch", (draw.array(2, 3, 2),), {"k": -1}
    yield "vector", (draw.array(3),), {}


def diag_samples(draw):
    yield "matrix of", (draw.array(3),), {}
    yield "above", (draw.array(2),), {"k": 1}
    yield "of a matrix", (draw.array(2, 3), -1), {}
    yield "of a matrix, outside", (draw.array(2, 2), 3), {}


def diag_errors(draw):
    yield "axes", (np.ones((1, 1, 1)),), {}, ValueError, "1- or 2-d"


def diagflat_samples(draw):
    yield "matrix", (draw.array(2, 2),), {}
    yield "below", (draw.array(2),), {"k": -1}


def diagonal_samples(draw):
    yield "matrix", (draw.array(2, 3),), {}
    yield "above", (draw.array(3, 3), 1), {}
    yield "batch", (draw.array(2, 3, 2),), {"offset": -1, "axis1": -2, "axis2": -1}
    yield "first and last", (draw.array(2, 2, 3), 0, 2, 0), {}


def axis_errors(draw):
    yield "axes", (np.ones(3),), {}, ValueError, "at least two dimensions"
    yield (
        "the same axis",
        (np.ones((2, 2)),),
        {"axis1": 1, "axis2": 1},
        ValueError,
        "cannot be the same",
    )


def trace_samples(draw):
    yield from diagonal_samples(draw)
    yield "dtype", (draw.array(2, 2),), {"dtype": np.result_type(draw.dtype, np.complex64)}


def vander_samples(draw):
    yield "square", (draw.array(3),), {}
    yield "columns", (draw.array(2), 4), {}
    yield "increasing", (draw.array(3),), {"N": 2, "increasing": True}
    yield "one column", (draw.array(3), 1), {}


def vander_errors(draw):
    yield "matrix", (np.ones((2, 2)),), {}, ValueError, "one-dimensional"


def square_samples(draw):
    yield "square", (draw.array(3, 3),), {}


def indices_samples(draw):
    yield "matrix", (draw.array(2, 3),), {}
    yield "above", (draw.array(3, 3), 1), {}


def spec(name, samples, errors=None, **options):
    return OpSpec(
        function=getattr(snp, name),
        reference=getattr(np, name),
        samples=samples,
        error_samples=errors,
        **options,
    )


_DOUBLE = {
    (
        "single_precision",
        "any",
    ): "numpy.vander multiplies in the type that also holds integers: double"
}


specs = [
    spec("tril", triangle_samples),
    spec("triu", triangle_samples),
    spec("diag", diag_samples, diag_errors),
    spec("diagflat", diagflat_samples),
    spec("diagonal", diagonal_samples, axis_errors),
    spec("trace", trace_samples, axis_errors),
    spec("tril_indices_from", indices_samples),
    spec("triu_indices_from", indices_samples),
    spec("diag_indices_from", square_samples),
    spec("vander", vander_samples, vander_errors, known_failures=_DOUBLE),
]
