"""signm."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def both_sides(draw, n, batch=()):
    """No symmetry, with eigenvalues near 2 and -2."""
    signs = np.array([1, -1] * n)[:n]
    return (0.2 * draw.array(*batch, n, n) + 2 * np.diag(signs)).astype(draw.dtype)


def samples(draw):
    yield "both sides", (both_sides(draw, 3),), {}
    yield (
        "badly scaled",
        (both_sides(draw, 2) * np.array([[1, 20], [0.05, 1]], draw.real_dtype),),
        {},
    )
    yield "equal eigenvalues", (np.diag([2.0, 2.0, -1.0]).astype(draw.dtype),), {}
    yield "batch", (both_sides(draw, 2, (2,)),), {}
    yield "on_fail=info", (both_sides(draw, 2),), {"on_fail": "info"}
    yield "on_fail=nan", (both_sides(draw, 2),), {"on_fail": "nan"}


def value_samples(draw):
    yield from (row for row in samples(draw) if row[2].get("on_fail") != "info")
    yield "one side", ((0.3 * draw.array(3, 3) - 2 * np.eye(3)).astype(draw.dtype),), {}
    yield "two batch axes", (both_sides(draw, 2, (2, 3)),), {}


def errors(draw):
    yield "not square", (draw.array(2, 3),), {}, ValueError, "expected square array_like input"
    yield (
        "unknown policy",
        (draw.array(2, 2),),
        {"on_fail": "ignore"},
        ValueError,
        "on_fail must be one of",
    )


def reference(a, on_fail="raise"):
    return scipy.linalg.signm(a)


specs = [
    OpSpec(
        function=linalg.signm,
        reference=reference,
        samples=value_samples,
        gradient_samples=samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.array(n, n),), {}),
    ),
]
