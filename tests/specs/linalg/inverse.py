"""inv."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def dominant(draw, n, batch=()):
    """A full matrix whose every part is well-conditioned too; no symmetry."""
    return (0.4 * draw.array(*batch, n, n) + 3 * np.eye(n)).astype(draw.dtype)


def samples(draw):
    a = dominant(draw, 3)
    for structure in (
        None,
        "general",
        "gen",
        "diagonal",
        "upper triangular",
        "lower triangular",
        "pos",
        "sym",
        "her",
    ):
        yield f"assume_a={structure}", (a,), {"assume_a": structure}
    for structure in ("pos", "sym", "her"):
        yield f"lower, {structure}", (a,), {"assume_a": structure, "lower": True}
    yield "batch", (dominant(draw, 2, (2,)),), {}
    yield "batch, structure", (dominant(draw, 2, (2,)),), {"assume_a": "her", "lower": True}
    yield "one number", (dominant(draw, 1),), {"check_finite": False}


def value_samples(draw):
    yield from samples(draw)
    yield "detected: positive definite", (draw.positive_definite(3),), {}
    yield "detected: lower", (np.tril(dominant(draw, 3)),), {}
    yield "larger batch", (dominant(draw, 30, (2,)),), {}
    yield "empty", (draw.array(2, 0, 0),), {}


def gradient_samples(draw):
    yield from samples(draw)
    yield "on_fail=info", (dominant(draw, 2, (2,)),), {"on_fail": "info"}


def of_what_is_read(a, assume_a=None, **kwargs):
    """SciPy's inv of the matrix itself: where only a part is assumed to be read, it returns the
    other entries as they are.
    """
    part = {
        "diagonal": lambda x: np.tril(np.triu(x)),
        "upper triangular": np.triu,
        "lower triangular": np.tril,
    }.get(assume_a)
    return scipy.linalg.inv(part(a) if part else a, assume_a=assume_a, **kwargs)


def errors(draw):
    a = draw.well_conditioned(3)
    yield "not square", (draw.array(2, 3),), {}, ValueError, r"(?i)square.*\(2, 3\)"
    yield "vector", (draw.array(3),), {}, ValueError, "ndim=2|matrix"
    yield "NaN", (a * np.nan,), {}, ValueError, "infs or NaNs"
    yield (
        "singular",
        (np.ones((2, 2)),),
        {},
        LinAlgError,
        r"inv: .*'a' of shape \(2, 2\) is singular: pivot.* 2 is",
    )
    yield "in a batch", (np.stack([a, 0 * a]),), {}, LinAlgError, r"singular at batch index \(1,\)"
    yield "indefinite", (-a @ a.T,), {"assume_a": "pos"}, LinAlgError, "not positive definite"
    yield (
        "unknown structure",
        (a,),
        {"assume_a": "tridiagonal"},
        KeyError,
        "tridiagonal.*not a recognized",
    )


specs = [
    OpSpec(
        function=linalg.inv,
        reference=of_what_is_read,
        samples=value_samples,
        gradient_samples=gradient_samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.well_conditioned(n),), {}),
    ),
]
