"""cond, matrix_rank."""

import numpy as np

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError
ORDERS = (None, 2, -2, "fro", "nuc", 1, -1, np.inf, -np.inf)


def samples(draw):
    for p in ORDERS:
        yield f"{p}", (draw.well_conditioned(3),), {"p": p}
    for p in (None, -2):
        yield f"tall, {p}", (draw.array(3, 2),), {"p": p}
    yield "wide", (draw.array(2, 3),), {}
    yield "batch", (draw.well_conditioned(2, (3,)),), {"p": "fro"}
    yield "batch of tall ones", (draw.array(2, 3, 2),), {"p": 2}


def value_samples(draw):
    yield from samples(draw)
    singular = np.ones((2, 2), draw.dtype)
    yield "singular", (np.stack([np.eye(2, dtype=draw.dtype), singular]),), {"p": 1}
    yield "zero", (0 * singular,), {}
    yield "zero in a batch", (np.stack([singular - singular, np.eye(2)]),), {"p": -2}
    yield "no matrices", (np.zeros((0, 2, 2), draw.dtype), "fro"), {}


def errors(draw):
    yield "a vector", (draw.array(2),), {}, LinAlgError, "1-dimensional"
    yield "empty", (draw.array(2, 0),), {}, LinAlgError, "not defined on empty"
    yield "not square", (draw.array(2, 3), 1), {}, LinAlgError, "(?i)square"
    yield "unknown norm", (draw.array(2, 2), 3), {}, ValueError, "(?i)invalid norm order"
    yield "a list", ([1.0, 2.0],), {}, LinAlgError, "not defined"
    yield "a list that is not square", ([[1.0, 2.0]], 1), {}, LinAlgError, "must be square"


def rank_samples(draw):
    a = draw.array(3, 2)
    yield "full", (a,), {}
    yield "deficient", (np.outer(a[:, 0], a[:, 1]),), {}
    yield "tol", (np.diag([1, 1e-3]).astype(draw.dtype), 1e-2), {}
    yield "rtol", (np.stack([np.eye(2), np.diag([1, 1e-3])]).astype(draw.dtype),), {"rtol": 1e-2}
    yield (
        "hermitian",
        (draw.hermitian(3) - 2 * np.eye(3, dtype=draw.real_dtype),),
        {"hermitian": True},
    )
    yield "vector", (a[0],), {}
    yield "empty", (a[:0],), {}


def rank_errors(draw):
    yield "two tolerances", (draw.array(2, 2), 0.1), {"rtol": 0.1}, ValueError, "can't be both set"


specs = [
    OpSpec(
        function=linalg.cond,
        reference=np.linalg.cond,
        samples=value_samples,
        gradient_samples=samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.array(n, n),), {}),
    ),
    OpSpec(
        function=linalg.matrix_rank,
        reference=np.linalg.matrix_rank,
        samples=rank_samples,
        error_samples=rank_errors,
        size=lambda draw, n: ((draw.array(n, n),), {}),
    ),
]
