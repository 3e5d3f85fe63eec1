"""Gamma function family: real line with both sides of the poles, complex plane with the reflected
half.
"""

import mpmath
import numpy as np
import scipy.special

from scigrad import special
from scigrad.testing import OpSpec

LEFT_AND_RIGHT = np.array([-3.3, -1.5, -0.4, 0.7, 2.0, 9.5])
PLANE = np.array([-2.6 + 0.8j, -0.5 - 1.5j, 0.3 + 0.2j, 2.0 - 3.0j, 12.0 + 1.0j])


def real(draw):
    if not draw.is_complex:
        yield "both sides of the poles", (LEFT_AND_RIGHT.astype(draw.dtype),), {}
        yield "matrix", (draw.uniform(0.3, 4, 2, 3),), {}
        yield "number", (draw.positive()[()],), {}
        yield "empty", (draw.positive(0, 2),), {}


def real_values(draw):
    yield from real(draw)
    if not draw.is_complex:
        yield "poles and infinity", (np.array([0.0, -1.0, -4.0, np.inf, np.nan], draw.dtype),), {}


def both(draw):
    yield from real(draw)
    if draw.is_complex:
        yield "plane", (PLANE.astype(draw.dtype),), {}


def right_half(draw):  # SciPy's real loggamma is nan on the left
    if draw.is_complex:
        yield "plane", (PLANE.astype(draw.dtype),), {}
    else:
        yield "right", (draw.uniform(0.3, 6, 5),), {}


def orders(draw):
    x = PLANE if draw.is_complex else LEFT_AND_RIGHT
    for n in (0, 1, 2, 5):
        yield f"n={n}", (n, x.astype(draw.dtype)), {}
    yield "orders broadcast", (np.array([[0], [1], [3]], np.int16), x[-2:].astype(draw.dtype)), {}


@np.vectorize
def polygamma_truth(n, x):
    if isinstance(x, complex):
        return complex(mpmath.psi(int(n), mpmath.mpc(x)))
    return float(mpmath.psi(int(n), mpmath.mpf(float(x))))


def multivariate(draw):
    if not draw.is_complex:
        for d in (1, 2, 4):
            yield f"d={d}", (draw.uniform(2, 5, 3), d), {}


def wrong_dimension(draw):
    yield "too large", (draw.uniform(0.5, 1, 2), 4), {}, ValueError, "condition a"
    yield "not an integer", (draw.uniform(2, 3, 2), 1.5), {}, ValueError, "positive integer"


def complex_input(draw):
    yield (
        "complex",
        (np.array([1.0 + 1.0j]),),
        {},
        TypeError,
        "gammaln is a function of real numbers.*complex128.*loggamma",
    )


def size(draw, n):
    return (draw.uniform(0.3, 30, n),), {}


specs = [
    OpSpec(
        function=special.gammasgn,
        reference=scipy.special.gammasgn,
        samples=real_values,
        gradient_samples=real,
    ),
    OpSpec(
        function=special.multigammaln,
        reference=scipy.special.multigammaln,
        samples=multivariate,
        error_samples=wrong_dimension,
    ),
    OpSpec(
        function=special.gammaln,
        reference=scipy.special.gammaln,
        samples=real_values,
        gradient_samples=real,
        error_samples=complex_input,
        size=size,
    ),
    OpSpec(
        function=special.loggamma, reference=scipy.special.loggamma, samples=right_half, size=size
    ),
    OpSpec(function=special.gamma, reference=scipy.special.gamma, samples=both, size=size),
    OpSpec(function=special.rgamma, reference=scipy.special.rgamma, samples=both, size=size),
    OpSpec(function=special.digamma, reference=scipy.special.digamma, samples=both, size=size),
    OpSpec(
        function=special.polygamma,
        reference=polygamma_truth,
        samples=orders,
        size=lambda draw, n: ((1, draw.uniform(0.3, 30, n)), {}),
    ),
]
