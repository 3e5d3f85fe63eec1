"""cholesky_banded."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def half_band(draw, u, n, lower, batch=()):
    """One half of a positive definite band, with something in the corners, where nothing is
    read.
    """
    ab = 0.4 * draw.array(*batch, u + 1, n)
    ab[..., 0 if lower else u, :] += 3
    return ab.astype(draw.dtype)


def clean_factor(ab, lower=False, check_finite=True, on_fail="raise"):
    """SciPy's factor, without what it leaves outside the matrix."""
    c = scipy.linalg.cholesky_banded(ab, lower=lower, check_finite=check_finite)
    rows, n = c.shape[-2:]
    inside = np.arange(n) + np.arange(rows)[:, None] < n
    return np.where(inside if lower else inside[::-1, ::-1], c, 0)


def samples(draw):
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


def gradient_samples(draw):
    yield from samples(draw)
    yield "on_fail=nan", (half_band(draw, 1, 3, True, (2,)),), {"lower": True, "on_fail": "nan"}
    yield "on_fail=info", (half_band(draw, 1, 3, False),), {"on_fail": "info"}


def values(draw):
    yield from samples(draw)
    yield "larger", (half_band(draw, 3, 50, False),), {}
    yield "empty", (draw.array(2, 0),), {}


def errors(draw):
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
        function=linalg.cholesky_banded,
        reference=clean_factor,
        samples=values,
        gradient_samples=gradient_samples,
        error_samples=errors,
        size=lambda draw, n: ((half_band(draw, 2, n, True),), {"lower": True}),
    ),
]
