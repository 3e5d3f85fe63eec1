"""solve_banded, solveh_banded, cholesky_banded, cho_solve_banded."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError
WIDTHS = ((1, 1), (2, 1), (0, 2), (1, 0), (0, 0))


def band(draw, below, above, n, batch=()):
    """A diagonally dominant band; what lies in the corners of the storage is not 0."""
    ab = 0.5 * draw.array(*batch, below + above + 1, n)
    ab[..., above, :] += 3
    return ab.astype(draw.dtype)


def samples(draw):
    for below, above in WIDTHS:
        yield (
            f"l={below}, u={above}",
            ((below, above), band(draw, below, above, 4), draw.array(4)),
            {},
        )
    yield (
        "matrix of right-hand sides",
        ((1, 2), band(draw, 1, 2, 4), draw.array(4, 2)),
        {"check_finite": False},
    )
    yield "one number, rows to spare", ((1, 1), band(draw, 1, 1, 1), draw.array(1)), {}
    yield "wider than the matrix", ((3, 3), band(draw, 3, 3, 2), draw.array(2)), {}
    yield "real matrix, any b", ((1, 1), band(draw, 1, 1, 3).real, draw.array(3)), {}
    yield "any matrix, real b", ((1, 1), band(draw, 1, 1, 3), draw.real(3)), {}
    yield "batch", ((1, 1), band(draw, 1, 1, 3, (2,)), draw.array(2, 3, 1)), {}
    yield "batch, two diagonals", ((0, 1), band(draw, 0, 1, 2, (2, 1)), draw.array(2, 1, 2, 2)), {}


def gradient_samples(draw):
    yield from samples(draw)
    yield "batches that broadcast", ((1, 0), band(draw, 1, 0, 2, (2, 1)), draw.array(2, 2, 1)), {}
    yield "one matrix, batch of b", ((1, 1), band(draw, 1, 1, 3), draw.array(2, 3, 1)), {}
    yield "batch, one vector", ((1, 1), band(draw, 1, 1, 3, (2,)), draw.array(3)), {}
    yield "on_fail=nan", ((1, 1), band(draw, 1, 1, 3, (2,)), draw.array(3)), {"on_fail": "nan"}
    yield "on_fail=info", ((1, 2), band(draw, 1, 2, 3), draw.array(3)), {"on_fail": "info"}


def values(draw):
    yield from samples(draw)
    yield "larger", ((3, 2), band(draw, 3, 2, 50), draw.array(50, 3)), {}
    yield "empty", ((1, 1), draw.array(3, 0), draw.array(0)), {}
    yield "no right-hand side", ((1, 1), band(draw, 1, 1, 3), draw.array(3, 0)), {}


def errors(draw):
    ab, b = band(draw, 1, 1, 3), draw.array(3)
    yield "rows do not fit", ((1, 1), ab, draw.array(2)), {}, ValueError, "(?i)compatible"
    yield (
        "in a batch",
        ((1, 1), band(draw, 1, 1, 3, (2,)), draw.array(2, 2, 1)),
        {},
        ValueError,
        "(?i)compatible",
    )
    yield (
        "widths do not fit",
        ((1, 2), ab, b),
        {},
        ValueError,
        "invalid values for the number of lower and upper diagonals",
    )
    yield (
        "in a batch, widths",
        ((0, 1), ab[None], b),
        {},
        ValueError,
        "invalid values for the number of lower and upper",
    )
    yield "NaN", ((1, 1), ab * np.nan, b), {}, ValueError, "infs or NaNs"
    yield from singular_errors(ab, b)
    yield (
        "unknown policy",
        ((1, 1), ab, b),
        {"on_fail": "ignore"},
        ValueError,
        "on_fail must be one of",
    )
    yield "vector", ((0, 0), b, b), {}, ValueError, "must be a matrix"


def singular_errors(ab, b):
    yield (
        "singular",
        ((1, 1), 0 * ab, b),
        {},
        LinAlgError,
        r"solve_banded: argument 'ab' of shape \(3, 3\) is singular: pivot",
    )
    pair = np.stack([ab, 0 * ab])
    yield (
        "singular in a batch",
        ((1, 1), pair, b),
        {},
        LinAlgError,
        r"\(2, 3, 3\) is singular at batch index \(1,\)",
    )


def half_band(draw, u, n, lower, batch=()):
    """One half of a positive definite band; the diagonal of a complex one has imaginary parts that
    are not read.
    """
    ab = 0.4 * draw.array(*batch, u + 1, n)
    ab[..., 0 if lower else u, :] += 3
    return ab.astype(draw.dtype)


def definite_samples(draw):
    for lower in (False, True):
        for u in (0, 1, 2):
            yield (
                f"u={u}, lower={lower}",
                (half_band(draw, u, 4, lower), draw.array(4)),
                {"lower": lower},
            )
        yield (
            f"matrix, lower={lower}",
            (half_band(draw, 2, 3, lower), draw.array(3, 2)),
            {"lower": lower, "check_finite": False},
        )
        yield (
            f"batch, lower={lower}",
            (half_band(draw, 1, 3, lower, (2,)), draw.array(2, 3, 1)),
            {"lower": lower},
        )
    yield "wider than the matrix", (half_band(draw, 3, 2, True), draw.array(2)), {"lower": True}
    yield "real matrix, any b", (half_band(draw, 1, 3, False).real, draw.array(3)), {}


def definite_gradient_samples(draw):
    yield from definite_samples(draw)
    yield "one number, two rows", (half_band(draw, 1, 1, False), draw.array(1)), {}
    yield "batch, one vector", (half_band(draw, 2, 3, False, (2,)), draw.array(3)), {}
    yield "on_fail=info", (half_band(draw, 1, 3, False, (2,)), draw.array(3)), {"on_fail": "info"}


def definite_values(draw):
    yield from definite_samples(draw)
    yield "larger", (half_band(draw, 3, 40, False), draw.array(40, 2)), {}
    yield "empty", (draw.array(2, 0), draw.array(0)), {}


def definite_errors(draw):
    ab, b = half_band(draw, 1, 3, False), draw.array(3)
    yield "rows do not fit", (ab, draw.array(2)), {}, ValueError, "(?i)compatible"
    yield "NaN", (ab * np.nan, b), {}, ValueError, "infs or NaNs"
    pattern = (
        r"solveh_banded: argument 'ab' of shape \(2, 3\) is not positive definite: its "
        r"leading minor of order 1"
    )
    yield "indefinite", (-ab, b), {}, LinAlgError, pattern
    yield (
        "in a batch",
        (np.stack([ab, -ab]), b),
        {},
        LinAlgError,
        r"not positive definite at batch index \(1,\)",
    )


def factor_samples(draw):
    for lower in (False, True):
        cb = half_band(draw, 2, 4, lower)
        yield f"vector, lower={lower}", ((cb, lower), draw.array(4)), {}
        yield f"matrix, lower={lower}", ((cb, lower), draw.array(4, 2)), {"check_finite": False}
    yield "batch", ((half_band(draw, 1, 3, True, (2,)), True), draw.array(2, 3, 1)), {}


def factor_gradient_samples(draw):
    yield from factor_samples(draw)
    yield "batch, one vector", ((half_band(draw, 1, 3, False, (2,)), False), draw.array(3)), {}


def factor_values(draw):
    yield from factor_samples(draw)
    yield "empty", ((draw.array(2, 0), True), draw.array(0)), {}


def factor_errors(draw):
    cb, b = half_band(draw, 1, 3, True), draw.array(3)
    yield "rows do not fit", ((cb, True), draw.array(2)), {}, ValueError, "(?i)compatible"
    yield "NaN", ((cb, True), b * np.nan), {}, ValueError, "infs or NaNs"


def without_policy(function):
    """SciPy's function, which knows no on_fail."""
    return lambda *args, on_fail=None, **kwargs: function(*args, **kwargs)


def clean_factor(ab, lower=False, check_finite=True, on_fail="raise"):
    """SciPy's factor, without what it leaves outside the matrix."""
    c = scipy.linalg.cholesky_banded(ab, lower=lower, check_finite=check_finite)
    rows, n = c.shape[-2:]
    inside = np.arange(n) + np.arange(rows)[:, None] < n
    return np.where(inside if lower else inside[::-1, ::-1], c, 0)


def cholesky_samples(draw):
    for lower in (False, True):
        for u, n in ((0, 3), (1, 4), (2, 4)):
            yield f"u={u}, lower={lower}", (half_band(draw, u, n, lower),), {"lower": lower}
        yield (
            f"batch, lower={lower}",
            (half_band(draw, 1, 3, lower, (2,)),),
            {"lower": lower, "check_finite": False},
        )
    yield "wider than the matrix", (half_band(draw, 3, 2, True),), {"lower": True}
    yield "one number", (half_band(draw, 0, 1, True),), {}


def cholesky_gradient_samples(draw):
    yield from cholesky_samples(draw)
    yield "on_fail=nan", (half_band(draw, 1, 3, True, (2,)),), {"lower": True, "on_fail": "nan"}
    yield "on_fail=info", (half_band(draw, 1, 3, False),), {"on_fail": "info"}


def cholesky_values(draw):
    yield from cholesky_samples(draw)
    yield "larger", (half_band(draw, 3, 50, False),), {}
    yield "empty", (draw.array(2, 0),), {}


def cholesky_errors(draw):
    ab = half_band(draw, 1, 3, True)
    yield "vector", (ab[0],), {}, ValueError, "must be a matrix"
    yield "NaN", (ab * np.nan,), {}, ValueError, "infs or NaNs"
    indefinite = ab.copy()
    indefinite[0, 1] = -1
    pattern = (
        r"cholesky_banded: argument 'ab' of shape \(2, 3\) is not positive definite: its "
        r"leading minor of order 2"
    )
    yield "indefinite", (indefinite,), {"lower": True}, LinAlgError, pattern
    yield (
        "in a batch",
        (np.stack([ab, indefinite]),),
        {"lower": True},
        LinAlgError,
        r"at batch index \(1,\).* order 2",
    )
    yield "unknown policy", (ab,), {"on_fail": "ignore"}, ValueError, "on_fail must be one of"


specs = [
    OpSpec(
        function=linalg.solve_banded,
        reference=scipy.linalg.solve_banded,
        samples=values,
        gradient_samples=gradient_samples,
        error_samples=errors,
        size=lambda draw, n: (((2, 2), band(draw, 2, 2, n), draw.array(n)), {}),
    ),
    OpSpec(
        function=linalg.solveh_banded,
        reference=without_policy(scipy.linalg.solveh_banded),
        samples=definite_values,
        gradient_samples=definite_gradient_samples,
        error_samples=definite_errors,
        size=lambda draw, n: ((half_band(draw, 2, n, False), draw.array(n)), {}),
    ),
    OpSpec(
        function=linalg.cho_solve_banded,
        reference=scipy.linalg.cho_solve_banded,
        samples=factor_values,
        gradient_samples=factor_gradient_samples,
        error_samples=factor_errors,
        size=lambda draw, n: (((half_band(draw, 2, n, True), True), draw.array(n)), {}),
    ),
    OpSpec(
        function=linalg.cholesky_banded,
        reference=clean_factor,
        samples=cholesky_values,
        gradient_samples=cholesky_gradient_samples,
        error_samples=cholesky_errors,
        size=lambda draw, n: ((half_band(draw, 2, n, True),), {"lower": True}),
    ),
]
