"""pinvh."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def one_triangle(draw, a, lower):
    """A Hermitian matrix whose other triangle holds something else."""
    other = draw.array(*a.shape)
    return np.tril(a) + np.triu(other, 1) if lower else np.triu(a) + np.tril(other, -1)


def indefinite(draw, n, batch=()):
    return (draw.hermitian(n, batch) - 1.4 * np.eye(n)).astype(draw.dtype)


def samples(draw):
    for lower in (True, False):
        yield f"lower={lower}", (one_triangle(draw, indefinite(draw, 3), lower),), {"lower": lower}
    yield "batch", (indefinite(draw, 2, (2,)),), {}
    yield "not checked", (indefinite(draw, 2),), {"check_finite": False}
    yield "with rank", (indefinite(draw, 3),), {"return_rank": True}
    yield "cut off", (indefinite(draw, 4),), {"atol": 0.5, "rtol": 0.1, "return_rank": True}


def deficient(draw, n):
    v = draw.array(n, n - 1)
    return v @ np.conj(v.T)


def values(draw):
    yield from samples(draw)
    yield (
        "deficient",
        (deficient(draw, 4),),
        {"rtol": 1e-5 if draw.real_dtype.itemsize == 4 else 1e-10, "return_rank": True},
    )
    yield "zero", (0 * draw.array(2, 2),), {"return_rank": True}


def gradient_samples(draw):
    yield from samples(draw)
    yield "on_fail=nan", (indefinite(draw, 2, (2,)),), {"on_fail": "nan"}
    yield "on_fail=info", (indefinite(draw, 2),), {"on_fail": "info"}


def errors(draw):
    a = indefinite(draw, 3)
    yield "not square", (draw.array(2, 2, 3),), {}, ValueError, "square"
    yield "NaN", (a * np.nan,), {}, ValueError, "infs or NaNs"
    yield (
        "negative tolerance",
        (a,),
        {"atol": -1.0},
        ValueError,
        "atol and rtol values must be positive",
    )
    yield "unknown policy", (a,), {"on_fail": "warn"}, ValueError, "on_fail must be one of"


specs = [
    OpSpec(
        function=linalg.pinvh,
        reference=scipy.linalg.pinvh,
        samples=values,
        gradient_samples=gradient_samples,
        error_samples=errors,
        size=lambda draw, n: ((indefinite(draw, n),), {}),
    ),
]
