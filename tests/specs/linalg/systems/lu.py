"""lu_factor, lu_solve, lu."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def pivoted(draw, m, n, batch=()):
    """A matrix whose pivots are far from a tie, and not on the diagonal."""
    return (0.3 * draw.array(*batch, m, n) + 3 * np.eye(m, n)[::-1]).astype(draw.dtype)


def samples(draw):
    for m, n in ((3, 3), (4, 2), (2, 4), (1, 1)):
        yield f"{m} x {n}", (pivoted(draw, m, n),), {}
    yield "batch", (pivoted(draw, 3, 3, (2,)),), {}
    yield "not checked", (pivoted(draw, 2, 2),), {"check_finite": False}


def factor_samples(draw):
    yield from samples(draw)
    yield "on_fail=nan", (pivoted(draw, 3, 3),), {"on_fail": "nan"}
    yield "on_fail=info", (pivoted(draw, 3, 2, (2,)),), {"on_fail": "info"}
    yield (
        "singular in the last pivot",
        (pivoted(draw, 3, 3) * np.array([1, 1, 0]).astype(draw.dtype),),
        {"on_fail": "nan"},
    )


def factor_values(draw):
    yield from samples(draw)
    yield "on_fail=nan", (pivoted(draw, 3, 3),), {"on_fail": "nan"}
    yield "larger", (pivoted(draw, 40, 30),), {}
    yield "empty", (draw.array(0, 0),), {}


def lu_samples(draw):
    yield from samples(draw)
    for options in ({"permute_l": True}, {"p_indices": True}):
        yield f"square, {options}", (pivoted(draw, 3, 3),), options
        yield f"tall batch, {options}", (pivoted(draw, 4, 2, (2,)),), options


def lu_values(draw):
    yield from lu_samples(draw)
    for shape in ((0, 0), (0, 3), (3, 0), (0, 2, 2)):
        for options in ({}, {"permute_l": True}, {"p_indices": True}):
            yield f"empty {shape}, {options}", (draw.array(*shape),), options


def factor_errors(draw):
    yield "NaN", (draw.array(3, 3) * np.nan,), {}, ValueError, "infs or NaNs"
    yield "vector", (draw.array(3),), {"on_fail": "nan"}, ValueError, r"must be a matrix"
    yield (
        "unknown policy",
        (draw.array(3, 3),),
        {"on_fail": "ignore"},
        ValueError,
        "on_fail must be one of",
    )


def lu_errors(draw):
    yield "NaN", (draw.array(3, 3) * np.nan,), {}, ValueError, "infs or NaNs"
    yield "vector", (draw.array(3),), {}, ValueError, "two-dimensional"


def solve_samples(draw):
    pair = linalg.lu_factor(pivoted(draw, 3, 3))
    for trans in (0, 1, 2):
        yield f"vector, trans={trans}", (pair, draw.array(3)), {"trans": trans}
        yield f"matrix, trans={trans}", (pair, draw.array(3, 2)), {"trans": trans}
    yield (
        "real matrix, any b",
        (linalg.lu_factor(pivoted(draw, 3, 3).real), draw.array(3)),
        {"trans": 1},
    )
    yield "batch", (linalg.lu_factor(pivoted(draw, 2, 2, (2,))), draw.array(2, 2, 1)), {}
    yield (
        "batch, one vector",
        (linalg.lu_factor(pivoted(draw, 3, 3, (2,))), draw.array(3)),
        {"trans": 2},
    )
    yield "one matrix, batch of b", (pair, draw.array(2, 3, 1)), {"check_finite": False}


def solve_gradient_samples(draw):
    yield from solve_samples(draw)
    yield (
        "batches that broadcast",
        (linalg.lu_factor(pivoted(draw, 2, 2, (2, 1))), draw.array(2, 2, 1)),
        {"trans": 1},
    )
    yield (
        "on_fail=info",
        (linalg.lu_factor(pivoted(draw, 2, 2)), draw.array(2)),
        {"on_fail": "info"},
    )


def solve_values(draw):
    yield from solve_samples(draw)
    yield (
        "larger",
        (linalg.lu_factor(draw.well_conditioned(30, (2,))), draw.array(2, 30, 2)),
        {"trans": 2},
    )
    yield "no right-hand side", (linalg.lu_factor(pivoted(draw, 3, 3)), draw.array(3, 0)), {}


def solve_errors(draw):
    pair = linalg.lu_factor(draw.well_conditioned(3))
    yield (
        "rows do not fit",
        (pair, draw.array(2)),
        {},
        ValueError,
        "(?i)incompatible",
    )
    yield (
        "rows do not fit in a batch",
        (pair, draw.array(2, 2, 1)),
        {},
        ValueError,
        "(?i)incompatible",
    )
    yield "NaN", (pair, draw.array(3) * np.nan), {}, ValueError, "infs or NaNs"
    yield (
        "unknown trans",
        (pair, draw.array(3)),
        {"trans": 3, "on_fail": "nan"},
        ValueError,
        "trans must be",
    )
    singular = np.stack([pair[0], 0 * pair[0]]), np.stack([pair[1], pair[1]])
    yield (
        "singular",
        (singular, draw.array(3)),
        {},
        LinAlgError,
        r"lu_solve.*singular at batch index \(1,\)",
    )


def without_policy(function):
    """SciPy's function, which knows no on_fail."""
    return lambda *args, on_fail=None, **kwargs: function(*args, **kwargs)


specs = [
    OpSpec(
        function=linalg.lu_factor,
        reference=without_policy(scipy.linalg.lu_factor),
        samples=factor_values,
        gradient_samples=factor_samples,
        error_samples=factor_errors,
        size=lambda draw, n: ((draw.well_conditioned(n),), {}),
    ),
    OpSpec(
        function=linalg.lu_solve,
        reference=scipy.linalg.lu_solve,
        samples=solve_values,
        gradient_samples=solve_gradient_samples,
        error_samples=solve_errors,
        size=lambda draw, n: ((linalg.lu_factor(draw.well_conditioned(n)), draw.array(n)), {}),
    ),
    OpSpec(
        function=linalg.lu,
        reference=scipy.linalg.lu,
        samples=lu_values,
        gradient_samples=lu_samples,
        error_samples=lu_errors,
        size=lambda draw, n: ((draw.well_conditioned(n),), {}),
    ),
]
