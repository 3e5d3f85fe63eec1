"""solve_sylvester, solve_continuous_lyapunov, solve_discrete_lyapunov. SciPy's answer to the first
for a real and a complex matrix together ignores what stands below the diagonal of the real Schur
form (1.17), so the reference is asked with both complex then.
"""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def right_half_plane(draw, n, batch=()):
    """Eigenvalues near 2, so that no two of them sum to 0."""
    return (0.5 * draw.array(*batch, n, n) + 2 * np.eye(n)).astype(draw.dtype)


def sylvester_reference(a, b, q):
    if np.iscomplexobj(a) != np.iscomplexobj(b):
        a, b = a.astype(complex), b.astype(complex)
    if np.iscomplexobj(q) and not np.iscomplexobj(a):
        return scipy.linalg.solve_sylvester(a, b, q.real) + 1j * scipy.linalg.solve_sylvester(
            a, b, q.imag
        )
    return scipy.linalg.solve_sylvester(a, b, q)


def sylvester_samples(draw):
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


def sylvester_gradients(draw):
    yield from sylvester_samples(draw)
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


def sylvester_values(draw):
    yield from sylvester_samples(draw)
    a, b = right_half_plane(draw, 20) + 6 * np.eye(20), right_half_plane(draw, 15) + 6 * np.eye(15)
    yield "larger", (a, b, draw.array(20, 15)), {}
    yield "empty", (draw.array(0, 0), right_half_plane(draw, 2), draw.array(0, 2)), {}
    if not draw.is_complex:
        yield "integers", (np.array([[2, 1], [0, 3]]), np.array([[1]]), np.array([[1], [2]])), {}


def sylvester_errors(draw):
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


def stable(draw, n, batch=()):
    """Eigenvalues to the left of the imaginary axis."""
    return (0.4 * draw.array(*batch, n, n) - 1.5 * np.eye(n)).astype(draw.dtype)


def contraction(draw, n, batch=()):
    """Eigenvalues inside the unit circle."""
    return (0.6 * draw.unitary(n, batch) * np.linspace(1, 0.5, n)).astype(draw.dtype)


def continuous_reference(a, q):
    """SciPy's answer is wrong for a real matrix with complex eigenvalues and a complex q (1.17)."""
    a = np.asarray(a)
    return scipy.linalg.solve_continuous_lyapunov(a.astype(complex) if np.iscomplexobj(q) else a, q)


def discrete_reference(a, q, method=None):
    a = np.asarray(a)
    return scipy.linalg.solve_discrete_lyapunov(
        a.astype(complex) if np.iscomplexobj(q) else a, q, method
    )


def lyapunov_samples(draw, make=stable):
    yield "any q", (make(draw, 3), draw.array(3, 3)), {}
    yield "Hermitian q", (make(draw, 3), draw.hermitian(3)), {}
    yield "one number", (make(draw, 1), draw.array(1, 1)), {}
    yield "batch", (make(draw, 2, (2,)), draw.array(2, 2, 2)), {}
    yield "batches that broadcast", (make(draw, 2, (2, 1)), draw.array(2, 2, 2)), {}


def mixed(draw, make=stable):
    yield "real a, any q", (make(draw, 3).real, draw.array(3, 3)), {}
    yield "real q", (make(draw, 2), draw.real(2, 2)), {}


def on_fail(draw, make=stable):
    yield "on_fail=nan", (make(draw, 2, (2,)), draw.array(2, 2)), {"on_fail": "nan"}
    yield "on_fail=info", (make(draw, 2), draw.array(2, 2)), {"on_fail": "info"}


def continuous_gradients(draw):
    yield from lyapunov_samples(draw)
    yield from mixed(draw)
    yield from on_fail(draw)


def continuous_values(draw):
    yield from lyapunov_samples(draw)
    yield from mixed(draw)
    yield "vectors of one number", (draw.array(1) - 3, draw.array(1)), {}
    yield "larger", (stable(draw, 30) - 5 * np.eye(30), draw.array(30, 30)), {}
    yield "empty", (draw.array(0, 0), draw.array(0, 0)), {}


def discrete_samples(draw):
    yield from lyapunov_samples(draw, contraction)
    yield from mixed(draw, contraction)
    yield "direct", (contraction(draw, 2), draw.array(2, 2)), {"method": "direct"}
    yield "bilinear", (contraction(draw, 2), draw.array(2, 2)), {"method": "Bilinear"}
    yield "bilinear, batch", (contraction(draw, 2, (2,)), draw.array(2, 2)), {"method": "bilinear"}


def discrete_gradients(draw):
    yield from discrete_samples(draw)
    yield from on_fail(draw, contraction)
    yield (
        "bilinear, on_fail=nan",
        (contraction(draw, 2, (2,)), draw.array(2, 2)),
        {"on_fail": "nan", "method": "bilinear"},
    )


def discrete_values(draw):
    yield from discrete_samples(draw)
    yield "larger", (contraction(draw, 12), draw.array(12, 12)), {}


def lyapunov_errors(draw, name):
    square, tall = draw.array(2, 2), draw.array(3, 2)
    yield "a is not square", (tall, square), {}, ValueError, "Matrix a should be square"
    yield "q is not square", (square, tall), {}, ValueError, "Matrix q should be square"
    yield "shapes differ", (square, np.eye(3)), {}, ValueError, "should have the same shape"
    yield (
        "NaN",
        (square, square * np.nan),
        {},
        ValueError,
        f"{name}: array must not contain infs or NaNs",
    )
    yield (
        "unknown policy",
        (square, square),
        {"on_fail": "warn"},
        ValueError,
        "on_fail must be one of",
    )


def discrete_errors(draw):
    yield from lyapunov_errors(draw, "solve_discrete_lyapunov")
    yield (
        "unknown method",
        (np.eye(2), np.eye(2)),
        {"method": "schur"},
        ValueError,
        "Unknown solver schur",
    )
    text = r"solve_discrete_lyapunov: argument 'a' .* product of an eigenvalue"
    yield "unit circle", (np.diag([1.0, 0.5]), np.eye(2)), {}, LinAlgError, text


specs = [
    OpSpec(
        function=linalg.solve_sylvester,
        reference=sylvester_reference,
        samples=sylvester_values,
        gradient_samples=sylvester_gradients,
        error_samples=sylvester_errors,
        size=lambda draw, n: (
            (
                right_half_plane(draw, n) + n**0.5 * np.eye(n),
                np.eye(n) + 0 * draw.array(n, n),
                draw.array(n, n),
            ),
            {},
        ),
    ),
    OpSpec(
        function=linalg.solve_continuous_lyapunov,
        reference=continuous_reference,
        samples=continuous_values,
        gradient_samples=continuous_gradients,
        error_samples=lambda draw: lyapunov_errors(draw, "solve_continuous_lyapunov"),
        size=lambda draw, n: ((stable(draw, n) - n**0.5 * np.eye(n), draw.array(n, n)), {}),
    ),
    OpSpec(
        function=linalg.solve_discrete_lyapunov,
        reference=discrete_reference,
        samples=discrete_values,
        gradient_samples=discrete_gradients,
        error_samples=discrete_errors,
        size=lambda draw, n: ((contraction(draw, n), draw.array(n, n)), {}),
    ),
]
