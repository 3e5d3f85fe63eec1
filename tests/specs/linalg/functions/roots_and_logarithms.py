"""logm, fractional_matrix_power, matrix_power, sqrtm."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def right_half(draw, n, batch=()):
    """No symmetry, eigenvalues well in the right half-plane."""
    return (0.4 * draw.array(*batch, n, n) + 2 * np.eye(n)).astype(draw.dtype)


def logarithm_samples(draw):
    yield "general", (right_half(draw, 3),), {}
    yield (
        "complex pair of eigenvalues",
        (np.array([[1.0, 2.0], [-3.0, 1.5]]).astype(draw.dtype),),
        {},
    )
    yield "triangular", (np.triu(right_half(draw, 3)),), {}
    yield "defective", (2 * np.eye(3, dtype=draw.dtype) + np.diag(np.ones(2, draw.dtype), 1),), {}
    yield "equal eigenvalues", (3 * np.eye(2, dtype=draw.dtype),), {}
    yield "near 1", ((np.eye(2) + 0.01 * draw.array(2, 2)).astype(draw.dtype),), {}
    yield "batch", (right_half(draw, 2, (2,)),), {}
    yield "one number", (right_half(draw, 1),), {}
    yield "on_fail=info", (right_half(draw, 2),), {"on_fail": "info"}
    if draw.is_complex:
        yield (
            "left half-plane",
            (1j * right_half(draw, 3) - right_half(draw, 3),),
            {"on_fail": "nan"},
        )


def logarithm_value_samples(draw):
    yield from (row for row in logarithm_samples(draw) if row[2].get("on_fail") != "info")
    yield "two batch axes", (right_half(draw, 2, (2, 3)),), {}


def logarithm_errors(draw):
    yield "not square", (draw.array(2, 3),), {}, ValueError, "expected a square matrix"
    yield "vector", (draw.array(3),), {}, ValueError, "expected a square matrix"
    yield "NaN", (draw.array(2, 2) * np.nan,), {}, ValueError, "infs or NaNs"
    yield (
        "unknown policy",
        (draw.array(2, 2),),
        {"on_fail": "ignore"},
        ValueError,
        "on_fail must be one of",
    )


def positive(draw, n, batch=()):
    """No symmetry, eigenvalues 1, 2, ...: of a real matrix with other ones SciPy makes a complex
    result.
    """
    v = draw.well_conditioned(n, batch)
    return ((v * np.arange(1, n + 1)) @ np.linalg.inv(v)).astype(draw.dtype)


def power_samples(draw):
    for t in (0.5, -0.3, 2.7, -1.5):
        yield f"t={t}", (positive(draw, 3), t), {}
    yield "integer", (right_half(draw, 2),), {"t": 3}
    yield "negative integer", (right_half(draw, 2),), {"t": -2}
    yield "whole number", (right_half(draw, 2),), {"t": 2.0}
    yield "exponent fixed", (positive(draw, 3),), {"t": 0.4}
    yield "exponent fixed, large", (positive(draw, 3),), {"t": -3.6}
    yield "triangular", (np.triu(right_half(draw, 3)),), {"t": 1.5}
    yield "batch", (positive(draw, 2, (2,)),), {"t": 0.5}
    yield "on_fail=nan", (positive(draw, 2),), {"t": 0.5, "on_fail": "nan"}


def power_value_samples(draw):
    yield from power_samples(draw)
    yield (
        "complex eigenvalues",
        (np.array([[1.0, 2.0], [-3.0, 1.5]]).astype(draw.dtype),),
        {"t": 0.5},
    )


def power_errors(draw):
    yield "not square", (draw.array(2, 3), 0.5), {}, ValueError, "(?i)square"
    yield "NaN", (draw.array(2, 2) * np.nan, 0.5), {}, ValueError, "infs or NaNs"


def integer_samples(draw):
    for n in (0, 1, 2, 3, 5, -1, -3):
        yield f"n={n}", (right_half(draw, 3), n), {}
    yield "batch", (right_half(draw, 2, (2,)), 4), {}
    yield "singular", (np.ones((2, 2), draw.dtype), 3), {}


def integer_errors(draw):
    a = draw.array(2, 2)
    yield "not square", (draw.array(2, 3), 2), {}, LinAlgError, "square"
    yield (
        "no integer",
        (a, 0.5),
        {},
        TypeError,
        "exponent must be an integer.*fractional_matrix_power",
    )
    yield "singular", (np.ones((2, 2)), -1), {}, LinAlgError, "(?i)singular"


def reference_logarithm(a, on_fail="raise"):
    return scipy.linalg.logm(a)


def reference_power(a, t, on_fail="raise"):
    return scipy.linalg.fractional_matrix_power(a, t)


def far_right_half(draw, n, batch=()):
    """No symmetry, eigenvalues well in the right half-plane; pairs of complex ones among them."""
    return (0.5 * draw.array(*batch, n, n) + 3 * np.eye(n)).astype(draw.dtype)


def rotation(draw):
    """Real with complex eigenvalues only."""
    return np.array([[1.0, 2.0], [-3.0, 1.5]]).astype(draw.dtype)


def root_samples(draw):
    yield "general", (far_right_half(draw, 3),), {}
    yield "complex pair of eigenvalues", (rotation(draw),), {}
    yield "triangular", (np.triu(far_right_half(draw, 3)),), {}
    yield "defective", (2 * np.eye(3, dtype=draw.dtype) + np.diag(np.ones(2, draw.dtype), 1),), {}
    yield "equal eigenvalues", (3 * np.eye(2, dtype=draw.dtype),), {}
    yield "batch", (far_right_half(draw, 2, (2,)),), {}
    yield "one number", (far_right_half(draw, 1),), {}
    yield "on_fail=info", (far_right_half(draw, 2),), {"on_fail": "info"}
    if draw.is_complex:
        yield (
            "left half-plane",
            (1j * far_right_half(draw, 3) - far_right_half(draw, 3),),
            {"on_fail": "nan"},
        )


def root_value_samples(draw):
    yield from (row for row in root_samples(draw) if row[2].get("on_fail") != "info")
    yield "empty", (draw.array(0, 0),), {}
    yield "two batch axes", (far_right_half(draw, 2, (2, 3)),), {}


def root_errors(draw):
    yield "not square", (draw.array(2, 3),), {}, LinAlgError, "must be square"
    yield "vector", (draw.array(3),), {}, LinAlgError, "at least two-dimensional"
    yield (
        "unknown policy",
        (draw.array(2, 2),),
        {"on_fail": "ignore"},
        ValueError,
        "on_fail must be one of",
    )


def reference_root(a, on_fail="raise"):
    return scipy.linalg.sqrtm(a)


specs = [
    OpSpec(
        function=linalg.logm,
        reference=reference_logarithm,
        samples=logarithm_value_samples,
        gradient_samples=logarithm_samples,
        error_samples=logarithm_errors,
        size=lambda draw, n: ((draw.array(n, n) + 3 * np.sqrt(n) * np.eye(n),), {}),
    ),
    OpSpec(
        function=linalg.fractional_matrix_power,
        reference=reference_power,
        samples=power_value_samples,
        gradient_samples=power_samples,
        error_samples=power_errors,
    ),
    OpSpec(
        function=linalg.matrix_power,
        reference=np.linalg.matrix_power,
        samples=integer_samples,
        error_samples=integer_errors,
    ),
    OpSpec(
        function=linalg.sqrtm,
        reference=reference_root,
        samples=root_value_samples,
        gradient_samples=root_samples,
        error_samples=root_errors,
        size=lambda draw, n: ((draw.array(n, n) + 3 * np.sqrt(n) * np.eye(n),), {}),
    ),
]
