"""numpy.linalg's products, norms by axis and equations of tensors."""

import numpy as np

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
    yield "vector inside", ([draw.array(2, 2), draw.array(2), draw.array(2, 2)],), {}, LinAlgError, "two-dimensional"


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
    yield "does not fit", (draw.array(2, 3, 4), draw.array(2, 3)), {}, LinAlgError, "must satisfy the requirement"
    yield "singular", (np.zeros((2, 2)), np.ones(2)), {}, LinAlgError, "[Ss]ingular"


def inverse_samples(draw):
    yield "two axes", (tensor(draw, 2, 2, 4),), {}
    yield "one axis", (tensor(draw, 4, 2, 2),), {"ind": 1}


def inverse_errors(draw):
    yield "ind", (draw.array(2, 2),), {"ind": 0}, ValueError, "Invalid ind argument"
    yield "not square", (draw.array(2, 2, 3),), {}, LinAlgError, "square|as many elements"


def matrices(draw, n):
    return (draw.array(n, n), draw.array(n, n)), {}


def vectors(draw, n):
    return (draw.array(n), draw.array(n)), {}


def matrix(draw, n):
    return (draw.well_conditioned(n),), {}


specs = [
    OpSpec(function=linalg.matmul, reference=np.linalg.matmul, samples=product_samples, size=matrices),
    OpSpec(function=linalg.outer, reference=np.linalg.outer, samples=outer_samples, error_samples=outer_errors, size=vectors),
    OpSpec(function=linalg.vecdot, reference=np.linalg.vecdot, samples=vecdot_samples, size=vectors),
    OpSpec(function=linalg.cross, reference=np.linalg.cross, samples=cross_samples, error_samples=cross_errors,
           size=lambda draw, n: ((draw.array(n, 3), draw.array(n, 3)), {})),
    OpSpec(function=linalg.multi_dot, reference=np.linalg.multi_dot, samples=chain_samples, error_samples=chain_errors,
           size=lambda draw, n: (([draw.array(n, n), draw.array(n, n), draw.array(n)],), {})),
    OpSpec(function=linalg.diagonal, reference=np.linalg.diagonal, samples=diagonal_samples, size=matrix),
    OpSpec(function=linalg.trace, reference=np.linalg.trace, samples=diagonal_samples, size=matrix),
    OpSpec(function=linalg.matrix_norm, reference=np.linalg.matrix_norm, samples=matrix_norm_samples, size=matrix),
    OpSpec(function=linalg.vector_norm, reference=np.linalg.vector_norm, samples=vector_norm_samples,
           size=lambda draw, n: ((draw.array(n),), {})),
    OpSpec(function=linalg.tensorsolve, reference=np.linalg.tensorsolve, samples=solve_samples, error_samples=solve_errors,
           size=lambda draw, n: ((draw.well_conditioned(n), draw.array(n)), {})),
    OpSpec(function=linalg.tensorinv, reference=np.linalg.tensorinv, samples=inverse_samples, error_samples=inverse_errors,
           size=lambda draw, n: ((draw.well_conditioned(n),), {"ind": 1})),
]  # fmt: skip
