"""qr, rq, qr_multiply, householder_product. What the laws cannot say (rank deficiency, scaling) is
in tests/linalg/test_qr.py.
"""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def graded(draw, m, n, batch=()):
    """Its columns descend in size, so that pivoting keeps their order under small changes."""
    return draw.array(*batch, m, n) + np.diag(np.arange(9.0, 1, -1))[:m, :n].astype(draw.real_dtype)


def qr_gradient_samples(draw):
    for m, n in ((3, 2), (2, 3), (3, 3)):
        yield f"economic, {m} x {n}", (draw.array(m, n),), {"mode": "economic"}
    yield "r, tall", (draw.array(3, 2),), {"mode": "r"}
    yield "r, wide", (draw.array(2, 3),), {"mode": "r", "check_finite": False}
    yield "full, wide", (draw.array(2, 3),), {}
    yield "full, square", (draw.array(2, 2),), {"mode": "full"}
    yield "economic, pivoting", (graded(draw, 3, 2),), {"mode": "economic", "pivoting": True}
    yield "batch", (draw.array(2, 3, 2),), {"mode": "economic"}
    yield "batch, r", (draw.array(2, 3, 2),), {"mode": "r"}


def qr_value_samples(draw):
    yield from qr_gradient_samples(draw)
    yield "raw, tall", (draw.array(4, 2),), {"mode": "raw"}
    yield "raw, wide", (draw.array(2, 3),), {"mode": "raw"}
    yield "raw, square", (draw.array(3, 3),), {"mode": "raw"}
    yield "full, tall", (draw.array(4, 2),), {}
    yield "batch, full", (draw.array(2, 3, 2),), {}
    yield "batch, pivoting", (draw.array(2, 3, 2),), {"mode": "r", "pivoting": True}
    yield "pivoting, wide", (draw.array(2, 4),), {"pivoting": True}
    yield "no columns", (draw.array(3, 0),), {}
    yield "no rows", (draw.array(0, 2),), {"mode": "economic"}


def qr_errors(draw):
    a = draw.array(3, 2)
    yield "a vector", (a[0],), {}, ValueError, "(?i)expected .*2-D array"
    yield "NaN", (a * np.nan,), {}, ValueError, "infs or NaNs"
    yield "unknown mode", (a,), {"mode": "reduced"}, ValueError, "Mode argument should be one of"


def rq_gradient_samples(draw):
    for m, n in ((3, 2), (2, 3), (3, 3)):
        yield f"economic, {m} x {n}", (draw.array(m, n),), {"mode": "economic"}
    yield "r, wide", (draw.array(2, 3),), {"mode": "r"}
    yield "full, tall", (draw.array(3, 2),), {}
    yield "full, square", (draw.array(2, 2),), {"check_finite": False}
    yield "batch", (draw.array(2, 2, 3),), {"mode": "economic"}


def rq_value_samples(draw):
    yield from rq_gradient_samples(draw)
    yield "full, wide", (draw.array(2, 4),), {}
    yield "batch, full, wide", (draw.array(2, 2, 4),), {}
    yield "no columns", (draw.array(3, 0),), {}


def rq_errors(draw):
    a = draw.array(3, 2)
    yield "a vector", (a[0],), {}, ValueError, "expected matrix"
    yield "NaN", (a * np.nan,), {}, ValueError, "infs or NaNs"
    yield "unknown mode", (a,), {"mode": "raw"}, ValueError, "Mode argument should be one of"


def multiply_samples(draw):
    for m, n in ((3, 2), (2, 3)):
        yield f"right, {m} x {n}", (draw.array(m, n), draw.array(2, m)), {}
        yield f"left, {m} x {n}", (draw.array(m, n), draw.array(2, 3)), {"mode": "left"}
    yield "vector from the right", (draw.array(3, 2), draw.array(3)), {"conjugate": True}
    yield (
        "vector from the left",
        (draw.array(3, 2), draw.array(2)),
        {"mode": "left", "conjugate": True},
    )
    yield "pivoting", (graded(draw, 3, 2), draw.array(2, 3)), {"pivoting": True}
    yield "batch of a", (draw.array(2, 3, 2), draw.array(2, 3)), {}
    yield "both batches", (draw.array(2, 3, 2), draw.array(2, 2, 1)), {"mode": "left"}


def multiply_errors(draw):
    a = draw.array(3, 2)
    yield "unknown mode", (a, a), {"mode": "both"}, ValueError, "can only be 'left' or 'right'"
    yield (
        "left, wrong rows",
        (a, draw.array(3, 1)),
        {"mode": "left"},
        ValueError,
        "not compatible for Q @ c",
    )
    yield (
        "right, wrong columns, batch",
        (draw.array(2, 3, 2), draw.array(1, 2)),
        {},
        ValueError,
        "not compatible for c @ Q",
    )
    yield "NaN", (a * np.nan, a.T), {}, ValueError, "infs or NaNs"


def product_of_reflections(a, tau):
    """One reflection after the other, from the last."""
    *lead, m, n = a.shape
    k = tau.shape[-1]
    lead = np.broadcast_shapes(tuple(lead), tau.shape[:-1])
    q = np.broadcast_to(np.eye(m, n), (*lead, m, n)).astype(a.dtype)
    for i in range(k - 1, -1, -1):
        v = np.where(np.arange(m) == i, 1, np.where(np.arange(m) > i, a[..., :, i], 0))[..., None]
        q = q - tau[..., i, None, None] * v @ (np.conj(np.swapaxes(v, -1, -2)) @ q)
    return q


def product_samples(draw):
    yield "tall", (draw.array(4, 3), draw.array(3)), {}
    yield "fewer reflections", (draw.array(3, 3), draw.array(2)), {}
    yield "no reflections", (draw.array(3, 2), draw.array(0)), {}
    yield (
        "one that is none",
        (draw.array(3, 2), draw.array(2) * np.array([0, 1], draw.real_dtype)),
        {},
    )
    yield "batch", (draw.array(2, 3, 2), draw.array(2, 2)), {}


def product_errors(draw):
    yield "wide", (draw.array(2, 3), draw.array(2)), {}, ValueError, "m >= n"
    yield "too many", (draw.array(3, 2), draw.array(3)), {}, ValueError, "k <= n"


specs = [
    OpSpec(
        function=linalg.qr,
        reference=scipy.linalg.qr,
        samples=qr_value_samples,
        gradient_samples=qr_gradient_samples,
        error_samples=qr_errors,
        size=lambda draw, n: ((draw.array(n, n * 2 // 5),), {"mode": "economic"}),
    ),
    OpSpec(
        function=linalg.rq,
        reference=scipy.linalg.rq,
        samples=rq_value_samples,
        gradient_samples=rq_gradient_samples,
        error_samples=rq_errors,
        size=lambda draw, n: ((draw.array(n, n),), {}),
    ),
    OpSpec(
        function=linalg.qr_multiply,
        reference=scipy.linalg.qr_multiply,
        samples=multiply_samples,
        error_samples=multiply_errors,
        size=lambda draw, n: ((draw.array(n, n), draw.array(1, n)), {}),
    ),
    OpSpec(
        function=linalg.householder_product,
        reference=product_of_reflections,
        samples=product_samples,
        error_samples=product_errors,
        size=lambda draw, n: ((draw.array(n, n // 2), draw.array(n // 2)), {}),
    ),
]
