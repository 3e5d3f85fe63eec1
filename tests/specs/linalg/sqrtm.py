"""sqrtm."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def right_half(draw, n, batch=()):
    """No symmetry, eigenvalues well in the right half-plane; pairs of complex ones among them."""
    return (0.5 * draw.array(*batch, n, n) + 3 * np.eye(n)).astype(draw.dtype)


def rotation(draw):
    """Real with complex eigenvalues only."""
    return np.array([[1.0, 2.0], [-3.0, 1.5]]).astype(draw.dtype)


def samples(draw):
    yield "general", (right_half(draw, 3),), {}
    yield "complex pair of eigenvalues", (rotation(draw),), {}
    yield "triangular", (np.triu(right_half(draw, 3)),), {}
    yield "defective", (2 * np.eye(3, dtype=draw.dtype) + np.diag(np.ones(2, draw.dtype), 1),), {}
    yield "equal eigenvalues", (3 * np.eye(2, dtype=draw.dtype),), {}
    yield "batch", (right_half(draw, 2, (2,)),), {}
    yield "one number", (right_half(draw, 1),), {}
    yield "on_fail=info", (right_half(draw, 2),), {"on_fail": "info"}
    if draw.is_complex:
        yield (
            "left half-plane",
            (1j * right_half(draw, 3) - right_half(draw, 3),),
            {"on_fail": "nan"},
        )


def value_samples(draw):
    yield from (row for row in samples(draw) if row[2].get("on_fail") != "info")
    yield "empty", (draw.array(0, 0),), {}
    yield "two batch axes", (right_half(draw, 2, (2, 3)),), {}


def errors(draw):
    yield "not square", (draw.array(2, 3),), {}, LinAlgError, "must be square"
    yield "vector", (draw.array(3),), {}, LinAlgError, "at least two-dimensional"
    yield (
        "unknown policy",
        (draw.array(2, 2),),
        {"on_fail": "ignore"},
        ValueError,
        "on_fail must be one of",
    )


def reference(a, on_fail="raise"):
    return scipy.linalg.sqrtm(a)


specs = [
    OpSpec(
        function=linalg.sqrtm,
        reference=reference,
        samples=value_samples,
        gradient_samples=samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.array(n, n) + 3 * np.sqrt(n) * np.eye(n),), {}),
    ),
]
