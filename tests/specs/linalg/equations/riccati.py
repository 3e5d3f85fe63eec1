"""solve_continuous_are, solve_discrete_are. q and r have to be Hermitian, which a finite difference
in one entry is not, so their Hermitian parts are taken inside the function that the laws
differentiate.
"""

import functools

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def of_hermitian_parts(function):
    @functools.wraps(function)
    def run(a, b, q, r, *others, **options):
        q, r = ((x + np.conjugate(x).mT) / 2 for x in (q, r))
        return function(a, b, q, r, *others, **options)

    return run


def system(draw, m, n, batch=()):
    return (
        draw.array(*batch, m, m),
        draw.array(*batch, m, n),
        draw.positive_definite(m, batch),
        draw.positive_definite(n, batch),
    )


def samples(draw):
    yield "one input", system(draw, 2, 1), {}
    yield "two inputs", system(draw, 3, 2), {"balanced": False}
    e, s = draw.well_conditioned(2), (0.2 * draw.array(2, 1)).astype(draw.dtype)
    yield "generalized", (*system(draw, 2, 1), e, s), {}
    if draw.is_complex:
        one = np.eye(2, dtype=draw.real_dtype)
        yield "only s", (*system(draw, 2, 1), None, s), {}
        yield "real weights", (*system(draw, 2, 1)[:2], 2 * one, one[:1, :1]), {}
    else:
        yield "one number", system(draw, 1, 1), {}
        yield "only e", (*system(draw, 2, 1), e, None), {}
    yield "batch", system(draw, 2, 1, (2,)), {}
    a, b, q, r = system(draw, 2, 1)
    yield "batches that broadcast", (a, np.stack([b, 2 * b]), q, np.stack([r, 2 * r])[:, None]), {}


def gradient_samples(draw):
    yield from samples(draw)
    if not draw.is_complex:
        yield "on_fail=nan", system(draw, 2, 1, (2,)), {"on_fail": "nan"}
        yield "on_fail=info", system(draw, 2, 1), {"on_fail": "info"}


def values(draw):
    yield from samples(draw)
    yield "larger", system(draw, 12, 4), {}
    if not draw.is_complex:
        yield (
            "integers",
            (np.eye(2, k=1, dtype=int), np.array([[0], [1]]), np.diag([1, 2]), np.array([[1]])),
            {},
        )


def errors(draw, name):
    a, b, q, r = system(draw, 2, 1)
    yield "a is not square", (b, b, q, r), {}, ValueError, "Matrix a should be square"
    yield (
        "r does not fit",
        (a[None], b, q, q),
        {},
        ValueError,
        r"'r' should be \(\.\.\., 1, 1\), not \(2, 2\)",
    )
    yield "NaN", (a[None], b, np.nan * q, r), {}, ValueError, "infs or NaNs"
    yield (
        "singular e",
        (a, b, q, r, np.zeros((2, 2))),
        {},
        ValueError,
        "Matrix e is numerically singular",
    )
    yield (
        "unknown policy",
        (a, b, q, r),
        {"on_fail": "ignore"},
        ValueError,
        "on_fail must be one of",
    )
    unreached = np.diag([2.0, 0.5]), np.array([[0.0], [1.0]]), np.eye(2), np.eye(1)
    yield (
        "unstable mode out of reach",
        unreached,
        {},
        LinAlgError,
        f"{name}: argument 'a' .* without a stabilizing solution",
    )


def spec(function, reference):
    def plain(a, b, q, r, e=None, s=None, balanced=True):
        return reference(a, b, q, r, e, s, balanced and e is None)  # SciPy's balancing forgets e

    return OpSpec(
        function=of_hermitian_parts(function),
        reference=plain,
        samples=values,
        gradient_samples=gradient_samples,
        error_samples=lambda draw: errors(draw, function.__name__),
        size=lambda draw, n: (system(draw, n, max(n // 4, 1)), {}),
    )


def with_constant_weights(draw):
    a, b, q, r = system(draw, 3, 2)
    yield "constant weights", (a, b), {"q": q, "r": r}
    a, b, q, r = system(draw, 2, 1, (2,))
    yield "batch, constant weights", (a, b), {"q": q, "r": r, "on_fail": "nan"}


def plain_values(draw):
    a, b, q, r = system(draw, 4, 2)
    yield "SciPy's own way to call it", (a, b), {"q": q, "r": r, "balanced": False}


specs = [
    spec(linalg.solve_continuous_are, scipy.linalg.solve_continuous_are),
    spec(linalg.solve_discrete_are, scipy.linalg.solve_discrete_are),
    OpSpec(
        function=linalg.solve_continuous_are,
        reference=scipy.linalg.solve_continuous_are,
        samples=plain_values,
        gradient_samples=with_constant_weights,
    ),
    OpSpec(
        function=linalg.solve_discrete_are,
        reference=scipy.linalg.solve_discrete_are,
        samples=plain_values,
        gradient_samples=with_constant_weights,
    ),
]
