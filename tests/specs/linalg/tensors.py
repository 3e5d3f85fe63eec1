"""Diagonals, norms by axis and equations of tensors under the names of numpy.linalg."""

import numpy as np

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def diagonal_samples(draw):
    yield "matrix", (draw.array(3, 3),), {}
    yield "above, batch", (draw.array(2, 2, 3),), {"offset": 1}
    yield "below", (draw.array(3, 2),), {"offset": -1}


def matrix_norm_samples(draw):
    for order in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        yield f"ord={order}", (draw.array(3, 2),), {"ord": order}
    yield "batch, keepdims", (draw.array(2, 2, 2),), {"keepdims": True}


def vector_norm_samples(draw):
    for order in (1, 2, 3, 0.5, np.inf, -np.inf):
        yield f"ord={order}", (draw.array(4),), {"ord": order}
    yield "all axes", (draw.array(2, 2),), {}
    yield "all axes, keepdims", (draw.array(2, 2),), {"keepdims": True}
    yield "one axis", (draw.array(2, 3),), {"axis": 0, "keepdims": True}
    yield "two axes", (draw.array(2, 3, 2),), {"axis": (0, -1), "ord": 3}


def tensor(draw, *shape):
    """Well-conditioned as a matrix."""
    n = round(float(np.prod(shape)) ** 0.5)
    return draw.well_conditioned(n).reshape(shape)


def solve_samples(draw):
    yield "two axes", (tensor(draw, 2, 2, 4), draw.array(2, 2)), {}
    yield "vector", (tensor(draw, 4, 2, 2), draw.array(4)), {}
    yield "moved", (tensor(draw, 2, 3, 6).transpose(2, 0, 1), draw.array(2, 3)), {"axes": (0,)}


def solve_errors(draw):
    yield (
        "does not fit",
        (draw.array(2, 3, 4), draw.array(2, 3)),
        {},
        LinAlgError,
        "must satisfy the requirement",
    )
    yield "singular", (np.zeros((2, 2)), np.ones(2)), {}, LinAlgError, "[Ss]ingular"


def inverse_samples(draw):
    yield "two axes", (tensor(draw, 2, 2, 4),), {}
    yield "one axis", (tensor(draw, 4, 2, 2),), {"ind": 1}


def inverse_errors(draw):
    yield "ind", (draw.array(2, 2),), {"ind": 0}, ValueError, "Invalid ind argument"
    yield "not square", (draw.array(2, 2, 3),), {}, LinAlgError, "square|as many elements"


def matrix(draw, n):
    return (draw.well_conditioned(n),), {}


specs = [
    OpSpec(
        function=linalg.diagonal,
        reference=np.linalg.diagonal,
        samples=diagonal_samples,
        size=matrix,
    ),
    OpSpec(function=linalg.trace, reference=np.linalg.trace, samples=diagonal_samples, size=matrix),
    OpSpec(
        function=linalg.matrix_norm,
        reference=np.linalg.matrix_norm,
        samples=matrix_norm_samples,
        size=matrix,
    ),
    OpSpec(
        function=linalg.vector_norm,
        reference=np.linalg.vector_norm,
        samples=vector_norm_samples,
        size=lambda draw, n: ((draw.array(n),), {}),
    ),
    OpSpec(
        function=linalg.tensorsolve,
        reference=np.linalg.tensorsolve,
        samples=solve_samples,
        error_samples=solve_errors,
        size=lambda draw, n: ((draw.well_conditioned(n), draw.array(n)), {}),
    ),
    OpSpec(
        function=linalg.tensorinv,
        reference=np.linalg.tensorinv,
        samples=inverse_samples,
        error_samples=inverse_errors,
        size=lambda draw, n: ((draw.well_conditioned(n),), {"ind": 1}),
    ),
]
