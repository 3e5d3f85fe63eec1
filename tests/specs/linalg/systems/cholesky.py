"""cholesky, cho_factor, cho_solve."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def lopsided(draw, n, lower, batch=()):
    """A positive definite matrix whose other triangle holds something else."""
    a = draw.positive_definite(n, batch)
    return (
        np.tril(a) + np.triu(draw.array(*batch, n, n), 1)
        if lower
        else np.triu(a) + np.tril(draw.array(*batch, n, n), -1)
    )


def factor_samples(draw):
    for lower in (False, True):
        yield f"lower={lower}", (lopsided(draw, 3, lower),), {"lower": lower}
        yield f"batch, lower={lower}", (lopsided(draw, 2, lower, (2,)),), {"lower": lower}
    yield "one number", (draw.positive_definite(1),), {}
    yield "not checked", (lopsided(draw, 2, False),), {"check_finite": False}
    yield "on_fail=nan", (lopsided(draw, 2, True),), {"lower": True, "on_fail": "nan"}


def without_policy(function):
    """SciPy's function, which knows no on_fail."""
    return lambda *args, on_fail=None, **kwargs: function(*args, **kwargs)


def value_samples(draw):
    yield from factor_samples(draw)
    yield "empty", (draw.array(0, 0),), {}
    yield "larger batch", (lopsided(draw, 30, True, (2,)),), {"lower": True}


def errors(draw):
    a = draw.positive_definite(3)
    yield "not square", (draw.array(2, 3),), {}, ValueError, r"square.*\(2, 3\)"
    yield "NaN", (a * np.nan,), {}, ValueError, "infs or NaNs"
    bad = a - 3 * np.diag([0, 1, 0])
    yield (
        "indefinite",
        (bad,),
        {},
        LinAlgError,
        r"'a' of shape \(3, 3\) is not positive definite.*minor of order 2",
    )
    yield (
        "in a batch",
        (np.stack([a, bad]),),
        {},
        LinAlgError,
        r"not positive definite at batch index \(1,\).*order 2",
    )
    yield "unknown policy", (a,), {"on_fail": "warn"}, ValueError, "on_fail must be one of"


def clean_factor(a, lower=False):
    """SciPy's cho_factor, without the rubbish that it leaves in the triangle that is not used."""
    c = scipy.linalg.cho_factor(a, lower)[0]
    return np.tril(c) if lower else np.triu(c), np.full(
        a.shape[:-2], lower
    ) if a.ndim > 2 else lower


def cho_factor_samples(draw):
    for lower in (False, True):
        yield f"lower={lower}", (lopsided(draw, 3, lower),), {"lower": lower}
    yield "batch", (lopsided(draw, 2, False, (2,)),), {}


def cho_solve_samples(draw):
    for lower in (False, True):
        rubbish = np.triu(draw.array(3, 3), 1) if lower else np.tril(draw.array(3, 3), -1)
        c = linalg.cholesky(draw.positive_definite(3), lower) + rubbish
        yield f"lower={lower}", ((c, lower), draw.array(3)), {}
        yield f"matrix, lower={lower}", ((c, lower), draw.array(3, 2)), {"check_finite": False}
    yield (
        "batch",
        ((linalg.cholesky(draw.positive_definite(2, (2,))), False), draw.array(2, 2, 1)),
        {},
    )


def cho_solve_errors(draw):
    yield (
        "rows do not fit",
        ((draw.positive_definite(3), True), draw.array(2)),
        {},
        ValueError,
        "(?i)incompatible",
    )
    yield (
        "NaN",
        ((draw.positive_definite(3), True), draw.array(3) * np.nan),
        {},
        ValueError,
        "infs or NaNs",
    )


specs = [
    OpSpec(
        function=linalg.cholesky,
        reference=without_policy(scipy.linalg.cholesky),
        samples=value_samples,
        gradient_samples=factor_samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.positive_definite(n),), {}),
    ),
    OpSpec(
        function=linalg.cho_factor,
        samples=cho_factor_samples,
        reference=clean_factor,
        error_samples=lambda draw: (row for row in errors(draw) if row[0] in ("NaN", "indefinite")),
        size=lambda draw, n: ((draw.positive_definite(n),), {}),
    ),
    OpSpec(
        function=linalg.cho_solve,
        reference=scipy.linalg.cho_solve,
        samples=cho_solve_samples,
        error_samples=cho_solve_errors,
        size=lambda draw, n: (((draw.positive_definite(n), True), draw.array(n)), {}),
    ),
]
