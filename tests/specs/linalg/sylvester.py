"""solve_sylvester. SciPy's answer for a real and a complex matrix together ignores what stands
below the diagonal of the real Schur form (1.17), so the reference is asked with both complex then.
"""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def right_half_plane(draw, n, batch=()):
    """Eigenvalues near 2, so that no two of them sum to 0."""
    return (0.5 * draw.array(*batch, n, n) + 2 * np.eye(n)).astype(draw.dtype)


def reference(a, b, q):
    if np.iscomplexobj(a) != np.iscomplexobj(b):
        a, b = a.astype(complex), b.astype(complex)
    if np.iscomplexobj(q) and not np.iscomplexobj(a):
        return scipy.linalg.solve_sylvester(a, b, q.real) + 1j * scipy.linalg.solve_sylvester(
            a, b, q.imag
        )
    return scipy.linalg.solve_sylvester(a, b, q)


def samples(draw):
    yield "wide", (right_half_plane(draw, 2), right_half_plane(draw, 3), draw.array(2, 3)), {}
    yield "tall", (right_half_plane(draw, 3), right_half_plane(draw, 1), draw.array(3, 1)), {}
    yield (
        "real matrices, any q",
        (right_half_plane(draw, 2).real, right_half_plane(draw, 2).real, draw.array(2, 2)),
        {},
    )
    yield "real a", (right_half_plane(draw, 2).real, right_half_plane(draw, 2), draw.real(2, 2)), {}
    rotation = np.array([[1.0, 2.0], [-2.0, 1.0]], draw.real_dtype)
    yield "complex eigenvalues", (rotation, right_half_plane(draw, 2), draw.array(2, 2)), {}
    yield (
        "batch",
        (right_half_plane(draw, 2, (2,)), right_half_plane(draw, 2, (2,)), draw.array(2, 2, 2)),
        {},
    )
    yield (
        "batches that broadcast",
        (right_half_plane(draw, 2, (2, 1)), right_half_plane(draw, 1), draw.array(2, 2, 1)),
        {},
    )


def gradient_samples(draw):
    yield from samples(draw)
    yield (
        "on_fail=nan",
        (right_half_plane(draw, 2), right_half_plane(draw, 2, (2,)), draw.array(2, 2)),
        {"on_fail": "nan"},
    )
    yield (
        "on_fail=info",
        (right_half_plane(draw, 2), right_half_plane(draw, 2), draw.array(2, 2)),
        {"on_fail": "info"},
    )


def values(draw):
    yield from samples(draw)
    a, b = right_half_plane(draw, 20) + 6 * np.eye(20), right_half_plane(draw, 15) + 6 * np.eye(15)
    yield "larger", (a, b, draw.array(20, 15)), {}
    yield "empty", (draw.array(0, 0), right_half_plane(draw, 2), draw.array(0, 2)), {}
    if not draw.is_complex:
        yield "integers", (np.array([[2, 1], [0, 3]]), np.array([[1]]), np.array([[1], [2]])), {}


def errors(draw):
    a, b, q = right_half_plane(draw, 2), right_half_plane(draw, 3), draw.array(2, 3)
    yield "not square", (q, b, q), {}, ValueError, "'a' must be square"
    yield (
        "q does not fit",
        (a, b, q.T),
        {},
        ValueError,
        r"incompatible shapes.*'q' must be \(\.\.\., 2, 3\)",
    )
    yield "a vector", (a, b, q[0]), {}, ValueError, "'q' must be a matrix"
    yield "NaN", (a * np.nan, b, q), {}, ValueError, "infs or NaNs"
    yield "unknown policy", (a, b, q), {"on_fail": "warn"}, ValueError, "on_fail must be one of"
    singular = np.diag([1.0, -2.0]), np.diag([3.0, 2.0]), np.ones((2, 2))
    yield "common eigenvalue", singular, {}, LinAlgError, "without a unique solution"
    pair = np.stack([np.eye(2), singular[0]])
    yield (
        "in a batch",
        (pair, *singular[1:]),
        {},
        LinAlgError,
        r"at batch index \(1,\): an eigenvalue of a is one of -b",
    )


specs = [
    OpSpec(
        function=linalg.solve_sylvester,
        reference=reference,
        samples=values,
        gradient_samples=gradient_samples,
        error_samples=errors,
        size=lambda draw, n: (
            (
                right_half_plane(draw, n) + n**0.5 * np.eye(n),
                np.eye(n) + 0 * draw.array(n, n),
                draw.array(n, n),
            ),
            {},
        ),
    ),
]
