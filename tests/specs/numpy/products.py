"""Products: matmul and its relatives."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec

PAIRS = {
    "vectors": ((3,), (3,)),
    "vector and matrix": ((3,), (3, 2)),
    "matrix and vector": ((2, 3), (3,)),
    "matrices": ((2, 3), (3, 2)),
    "batch and matrix": ((2, 2, 3), (3, 2)),
    "batch and vector": ((2, 2, 3), (3,)),
    "matrix and batch": ((2, 3), (2, 3, 2)),
    "vector and batch": ((3,), (2, 3, 2)),
    "batches": ((2, 2, 3), (2, 3, 1)),
    "no inner axis": ((2, 0), (0, 3)),
}
BROADCAST = {
    "batch of one": ((1, 2, 3), (2, 3, 2)),
    "two batch axes": ((2, 1, 2, 3), (2, 3, 1)),
}


def pairs(*tables):
    def samples(draw):
        for table in tables:
            for name, (left, right) in table.items():
                yield name, (draw.array(*left), draw.array(*right)), {}
        if draw.is_complex:
            yield "real and complex", (draw.real(2, 3), draw.array(3, 2)), {}
            yield "complex and real", (draw.array(2, 3), draw.real(3)), {}

    return samples


def matmul_errors(draw):
    yield "shapes", (np.ones((2, 3)), np.ones((2, 3))), {}, ValueError, "mismatch"
    yield "numbers", (np.ones(()), np.ones(2)), {}, ValueError, "matmul"


def dot_samples(draw):
    yield from pairs(PAIRS)(draw)
    yield "number and array", (draw.array(), draw.array(2, 2)), {}
    yield "array and number", (draw.array(3), draw.array()), {}


def dot_errors(draw):
    yield "shapes", (np.ones((2, 3)), np.ones((2, 3))), {}, ValueError, "not aligned"


def inner_samples(draw):
    yield "vectors", (draw.array(3), draw.array(3)), {}
    yield "matrices", (draw.array(2, 3), draw.array(1, 2, 3)), {}
    yield "number", (draw.array(), draw.array(3)), {}


def vdot_samples(draw):
    yield "vectors", (draw.array(3), draw.array(3)), {}
    yield "matrices", (draw.array(2, 2), draw.array(2, 2)), {}


def outer_samples(draw):
    yield "vectors", (draw.array(2), draw.array(3)), {}
    yield "flattened", (draw.array(2, 2), draw.array()), {}


def tensordot_samples(draw):
    yield "two axes", (draw.array(2, 2, 3), draw.array(2, 3, 2)), {}
    yield "one axis", (draw.array(2, 3), draw.array(3, 2)), {"axes": 1}
    yield "no axis", (draw.array(2), draw.array(3)), {"axes": 0}
    yield "pairs", (draw.array(2, 3, 2), draw.array(2, 2, 3)), {"axes": ([0, -2], [1, 2])}
    yield "a pair", (draw.array(2, 3), draw.array(2, 2)), {"axes": (0, 1)}


def tensordot_errors(draw):
    yield "shapes", (np.ones((2, 3)), np.ones((2, 3))), {"axes": 1}, ValueError, "shape-mismatch"


def kron_samples(draw):
    yield "matrices", (draw.array(2, 1), draw.array(2, 3)), {}
    yield "vector and matrix", (draw.array(2), draw.array(2, 2)), {}
    yield "matrix and number", (draw.array(2, 2), draw.array()), {}


def cross_samples(draw):
    yield "vectors", (draw.array(3), draw.array(3)), {}
    yield "rows", (draw.array(2, 3), draw.array(1, 3)), {}
    yield "columns", (draw.array(3, 2), draw.array(3, 2)), {"axis": 0}
    yield "axes", (draw.array(3, 2), draw.array(2, 3)), {"axisa": 0, "axisb": 1, "axisc": 0}


def cross_errors(draw):
    yield "length", (np.ones(4), np.ones(4)), {}, ValueError, "dimension"


def vecdot_samples(draw):
    yield "vectors", (draw.array(3), draw.array(3)), {}
    yield "broadcast", (draw.array(2, 3), draw.array(2, 1, 3)), {}
    yield "axis", (draw.array(3, 2), draw.array(3, 2)), {"axis": 0}


def matvec_samples(draw):
    yield "one", (draw.array(2, 3), draw.array(3)), {}
    yield "broadcast", (draw.array(2, 2, 3), draw.array(2, 1, 3)), {}


def vecmat_samples(draw):
    yield "one", (draw.array(2), draw.array(2, 3)), {}
    yield "broadcast", (draw.array(2, 1, 2), draw.array(2, 2, 3)), {}


def spec(name, samples, errors=None):
    return OpSpec(
        function=getattr(snp, name),
        reference=getattr(np, name),
        samples=samples,
        error_samples=errors,
    )


specs = [
    spec("matmul", pairs(PAIRS, BROADCAST), matmul_errors),
    spec("dot", dot_samples, dot_errors),
    spec("inner", inner_samples),
    spec("vdot", vdot_samples),
    spec("outer", outer_samples),
    spec("tensordot", tensordot_samples, tensordot_errors),
    spec("kron", kron_samples),
    spec("cross", cross_samples, cross_errors),
    spec("vecdot", vecdot_samples),
    spec("matvec", matvec_samples),
    spec("vecmat", vecmat_samples),
]
