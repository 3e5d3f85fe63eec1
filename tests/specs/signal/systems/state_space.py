"""State space and its conversions."""

import numpy as np
import scipy.signal

from scigrad import signal
from scigrad.testing import OpSpec


def coefficients(draw, count):
    values = 0.5 * draw.array(count)
    values[0] += 2
    return values


def matrices(draw, n, p, q):
    return draw.array(n, n), draw.array(n, p), draw.array(q, n), draw.array(q, p)


def systems(draw):
    yield "two inputs, one output", matrices(draw, 3, 2, 1), {}
    yield "one state", matrices(draw, 1, 1, 2), {}


def one_to_one(draw):
    if not draw.is_complex:  # SciPy takes the real part
        A = np.array([[0.2, 1.0, -0.3], [-1.4, -0.6, 0.8], [0.3, 0.3, 0.9]], draw.dtype)
        B, C, D = np.array([[1.0], [0.5], [-0.7]]), np.array([[0.4, -1.2, 0.6]]), np.array([[1.5]])
        yield "three states", (A, *(M.astype(draw.dtype) for M in (B, C, D))), {}


def other_input(draw):
    yield from systems(draw)
    yield "second input", (*matrices(draw, 2, 2, 2), 1), {}


def incomplete(draw):
    A, B, C, D = matrices(draw, 2, 1, 3)
    yield "all", (A, B, C, D), {}
    yield "without A", (None, B, C, D), {}
    yield "without D", (A, B, C), {}
    yield "vectors", (A, B, C[0], D[0]), {}


def incomplete_errors(draw):
    yield "no state", (None, None, None, np.ones((1, 1))), {}, ValueError, "n is undefined"
    yield (
        "shapes",
        (np.eye(2), np.ones((3, 1)), np.ones((1, 2)), np.ones((1, 1))),
        {},
        ValueError,
        "B has shape",
    )


def fractions(draw):
    yield "proper", (draw.array(3), coefficients(draw, 4)), {}
    yield "two outputs", (draw.array(2, 3), coefficients(draw, 3)), {}
    yield "a number", (draw.array(1), coefficients(draw, 1)), {}


def fraction_errors(draw):
    yield "improper", (np.ones(3), np.ones(2)), {}, ValueError, "longer than"


def roots(draw):
    k = np.array(2.0, draw.real_dtype)
    yield "zeros and poles", (draw.array(2), draw.array(3), k), {}


def continuous(draw):
    dt = np.array(0.3, draw.real_dtype)
    for method in ("zoh", "foh", "bilinear", "euler", "backward_diff"):
        yield method, (matrices(draw, 2, 2, 1), dt), {"method": method}
    A, B, C, _ = matrices(draw, 2, 1, 1)
    yield "impulse", ((A, B, C, np.zeros((1, 1), int)), dt), {"method": "impulse"}
    yield "generalized", (matrices(draw, 2, 1, 1), dt, "gbt"), {"alpha": 0.3}
    if not draw.is_complex:
        yield "polynomials", ((draw.array(2), coefficients(draw, 3)), dt), {}


def continuous_errors(draw):
    yield "form", ((1.0,), 0.1), {}, ValueError, "tuple"
    yield "method", (matrices(draw, 1, 1, 1), 0.1, "best"), {}, ValueError, "Unknown transformation"
    yield "alpha", (matrices(draw, 1, 1, 1), 0.1, "gbt"), {}, ValueError, "[Aa]lpha"


def spec(name, samples, **given):
    return OpSpec(
        function=getattr(signal, name),
        reference=getattr(scipy.signal, name),
        samples=samples,
        **given,
    )


LOST = (
    "the difference of two characteristic polynomials, by which SciPy computes the "
    "numerator, loses small values"
)
OVERFLOWS = "scipy.linalg.expm overflows where the exponential itself is 0"

specs = [
    spec("abcd_normalize", incomplete, error_samples=incomplete_errors),
    spec("tf2ss", fractions, error_samples=fraction_errors),
    spec(
        "ss2tf",
        other_input,
        known_failures={("extreme", "numpy"): LOST},
    ),
    spec("zpk2ss", roots),
    spec("ss2zpk", one_to_one),
    spec(
        "cont2discrete",
        continuous,
        error_samples=continuous_errors,
        known_failures={("extreme", "numpy"): OVERFLOWS},
    ),
]
