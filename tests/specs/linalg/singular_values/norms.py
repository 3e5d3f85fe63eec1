"""norm, cond, matrix_rank."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError
ORDERS = (None, 2, -2, "fro", "nuc", 1, -1, np.inf, -np.inf)


def norm_samples(draw):
    for order in (None, 1, 2, 3, 2.5, -1, np.inf, -np.inf):
        yield f"vector, {order}", (draw.array(4),), {"ord": order}
    for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        yield f"matrix, {order}", (draw.array(3, 2),), {"ord": order}
    yield "rows", (draw.array(2, 3), None, 1), {"keepdims": True}
    yield "columns", (draw.array(2, 3), 3, 0), {"check_finite": False}
    yield "matrices", (draw.array(2, 3, 2), "nuc", (1, 0)), {"keepdims": True}
    yield "all of a batch", (draw.array(2, 3, 2),), {"keepdims": True}


def norm_value_samples(draw):
    yield from norm_samples(draw)
    yield "0", (0 * draw.array(3),), {}
    yield "count", (np.array([0.0, 1.0, 2.0]).astype(draw.dtype), 0), {}
    yield "large", (1e200 * draw.array(3).real.astype(np.float64),), {}


def norm_errors(draw):
    yield "unknown", (draw.array(2, 2), "sum"), {}, ValueError, "(?i)invalid norm order"
    yield (
        "three axes",
        (draw.array(2, 2, 2), 2),
        {},
        ValueError,
        "(?i)improper number of dimensions",
    )
    yield "NaN", (draw.array(2) * np.nan,), {}, ValueError, "infs or NaNs"


def condition_samples(draw):
    for p in ORDERS:
        yield f"{p}", (draw.well_conditioned(3),), {"p": p}
    for p in (None, -2):
        yield f"tall, {p}", (draw.array(3, 2),), {"p": p}
    yield "wide", (draw.array(2, 3),), {}
    yield "batch", (draw.well_conditioned(2, (3,)),), {"p": "fro"}
    yield "batch of tall ones", (draw.array(2, 3, 2),), {"p": 2}


def condition_value_samples(draw):
    yield from condition_samples(draw)
    singular = np.ones((2, 2), draw.dtype)
    yield "singular", (np.stack([np.eye(2, dtype=draw.dtype), singular]),), {"p": 1}
    yield "zero", (0 * singular,), {}
    yield "zero in a batch", (np.stack([singular - singular, np.eye(2)]),), {"p": -2}
    yield "no matrices", (np.zeros((0, 2, 2), draw.dtype), "fro"), {}


def condition_errors(draw):
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
        function=linalg.norm,
        reference=scipy.linalg.norm,
        samples=norm_value_samples,
        gradient_samples=norm_samples,
        error_samples=norm_errors,
        size=lambda draw, n: ((draw.array(n, n),), {}),
    ),
    OpSpec(
        function=linalg.cond,
        reference=np.linalg.cond,
        samples=condition_value_samples,
        gradient_samples=condition_samples,
        error_samples=condition_errors,
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
