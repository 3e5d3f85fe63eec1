"""lstsq, pinv, pinvh. Rank-deficient matrices are given by their factors, so that no direction
leaves their rank.
"""

import functools

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def spread(draw, m, n, batch=()):
    """Singular values 1, 2, ..., apart from each other."""
    k = min(m, n)
    left, right = draw.unitary(m, batch)[..., :k], draw.unitary(n, batch)[..., :k, :]
    return ((left * np.arange(1, k + 1)) @ right).astype(draw.dtype)


def lstsq_samples(draw):
    for m, n in ((4, 2), (2, 4), (3, 3)):
        yield f"{m} x {n}", (spread(draw, m, n), draw.array(m)), {}
        yield f"{m} x {n}, matrix", (spread(draw, m, n), draw.array(m, 2)), {}
    yield "real matrix, any b", (spread(draw, 4, 2).real, draw.array(4)), {}
    yield "batch", (spread(draw, 3, 2, (2,)), draw.array(2, 3, 1)), {}
    yield "batch, one vector", (spread(draw, 3, 2, (2,)), draw.array(3)), {}
    yield "one matrix, batch of b", (spread(draw, 3, 2), draw.array(2, 3, 1)), {}
    yield (
        "gelss",
        (spread(draw, 3, 2), draw.array(3)),
        {"lapack_driver": "gelss", "check_finite": False},
    )
    yield "gelsy", (spread(draw, 3, 2), draw.array(3)), {"lapack_driver": "gelsy"}
    yield "cut off", (spread(draw, 3, 4), draw.array(3, 2)), {"cond": 0.5}


def lstsq_value_samples(draw):
    yield from (row for row in lstsq_samples(draw) if "b" not in row[0])
    yield "rank 1", (draw.array(4, 1) @ draw.array(1, 3), draw.array(4)), {}
    yield "cut off, tall", (spread(draw, 4, 3), draw.array(4, 2)), {"cond": 0.5}
    yield "0", (np.zeros((3, 2), draw.dtype), draw.array(3)), {}


def lstsq_errors(draw):
    a, b = draw.array(4, 2), draw.array(4)
    yield (
        "rows do not fit",
        (a, draw.array(3)),
        {},
        ValueError,
        "(?i)shape mismatch|incompatible shapes",
    )
    yield "no matrix", (b, b), {}, ValueError, "2D|matrix"
    yield "NaN", (a * np.nan, b), {}, ValueError, "infs or NaNs"
    yield "unknown driver", (a, b), {"lapack_driver": "gels"}, ValueError, "gels.*not found"
    yield "unknown policy", (a, b), {"on_fail": "warn"}, ValueError, "on_fail must be one of"


def product_batch_samples(draw):
    yield from product_samples(draw)
    yield (
        "rank 1 of 3 x 3, batch",
        (draw.array(2, 3, 1), draw.array(2, 1, 3), draw.array(2, 3, 1)),
        {"cond": 1e-5},
    )


@functools.wraps(linalg.lstsq)
def lstsq_of_product(left, right, b, **options):
    # whether there are residues depends on the rank
    x, _, _, s = linalg.lstsq(left @ right, b, **options)
    return x, s


def scipy_lstsq_of_product(left, right, b, cond):
    x, _, _, s = scipy.linalg.lstsq(left @ right, b, cond)
    return x, s


def product_samples(draw):
    for name, b in (("vector", draw.array(4)), ("matrix", draw.array(4, 2))):
        yield (
            f"rank 2 of 4 x 3, {name}",
            (spread(draw, 4, 2), spread(draw, 2, 3), b),
            {"cond": 1e-5},
        )
    yield "rank 1 of 2 x 3", (draw.array(2, 1), draw.array(1, 3), draw.array(2)), {"cond": 1e-5}


def pinv_samples(draw):
    for m, n in ((3, 2), (2, 3), (3, 3)):
        yield f"{m} x {n}", (spread(draw, m, n),), {}
    yield (
        "cut off",
        (np.diag([3.0, 2.0, 0.0])[:, :2].astype(draw.dtype),),
        {"atol": 0.1, "rtol": 0.01, "check_finite": False},
    )
    yield "batch", (spread(draw, 3, 2, (2,)),), {}
    yield "regularized", (spread(draw, 3, 3),), {"rtol": 0.5}
    yield (
        "regularized, batch",
        (np.stack([spread(draw, 2, 3), 2 * spread(draw, 2, 3)]),),
        {"atol": 1.5},
    )


def pinv_value_samples(draw):
    yield from pinv_samples(draw)
    yield "rank 1", (draw.array(3, 1) @ draw.array(1, 3),), {"return_rank": True}


def pinv_errors(draw):
    yield "vector", (draw.array(3),), {}, ValueError, "matrix"
    yield "negative tolerance", (draw.array(3, 2),), {"rtol": -1.0}, ValueError, "must be positive"
    yield "infinity", (draw.array(3, 2) * np.inf,), {}, ValueError, "infs or NaNs"


@functools.wraps(linalg.pinv)
def pinv_of_product(left, right, **options):
    return linalg.pinv(left @ right, **options)


def pinv_product_samples(draw):
    yield "rank 1 of 3 x 2", (draw.array(3, 1), draw.array(1, 2)), {"rtol": 1e-5}
    yield "rank 2 of 3 x 3", (spread(draw, 3, 2), spread(draw, 2, 3)), {"rtol": 1e-5}


def one_triangle(draw, a, lower):
    """A Hermitian matrix whose other triangle holds something else."""
    other = draw.array(*a.shape)
    return np.tril(a) + np.triu(other, 1) if lower else np.triu(a) + np.tril(other, -1)


def indefinite(draw, n, batch=()):
    return (draw.hermitian(n, batch) - 1.4 * np.eye(n)).astype(draw.dtype)


def hermitian_samples(draw):
    for lower in (True, False):
        yield f"lower={lower}", (one_triangle(draw, indefinite(draw, 3), lower),), {"lower": lower}
    yield "batch", (indefinite(draw, 2, (2,)),), {}
    yield "not checked", (indefinite(draw, 2),), {"check_finite": False}
    yield "with rank", (indefinite(draw, 3),), {"return_rank": True}
    yield "cut off", (indefinite(draw, 4),), {"atol": 0.5, "rtol": 0.1, "return_rank": True}


def deficient(draw, n):
    v = draw.array(n, n - 1)
    return v @ np.conj(v.T)


def hermitian_values(draw):
    yield from hermitian_samples(draw)
    yield (
        "deficient",
        (deficient(draw, 4),),
        {"rtol": 1e-5 if draw.real_dtype.itemsize == 4 else 1e-10, "return_rank": True},
    )
    yield "zero", (0 * draw.array(2, 2),), {"return_rank": True}


def hermitian_gradient_samples(draw):
    yield from hermitian_samples(draw)
    yield "on_fail=nan", (indefinite(draw, 2, (2,)),), {"on_fail": "nan"}
    yield "on_fail=info", (indefinite(draw, 2),), {"on_fail": "info"}


def hermitian_errors(draw):
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
        function=linalg.lstsq,
        reference=scipy.linalg.lstsq,
        samples=lstsq_value_samples,
        gradient_samples=lstsq_samples,
        error_samples=lstsq_errors,
        size=lambda draw, n: ((draw.array(2 * n, n), draw.array(2 * n)), {}),
    ),
    OpSpec(
        function=lstsq_of_product,
        reference=scipy_lstsq_of_product,
        samples=product_samples,
        gradient_samples=product_batch_samples,
    ),
    OpSpec(
        function=linalg.pinv,
        reference=scipy.linalg.pinv,
        samples=pinv_value_samples,
        gradient_samples=pinv_samples,
        error_samples=pinv_errors,
        size=lambda draw, n: ((draw.array(2 * n, n),), {}),
    ),
    OpSpec(
        function=pinv_of_product,
        reference=lambda left, right, **kw: scipy.linalg.pinv(left @ right, **kw),
        samples=pinv_product_samples,
    ),
    OpSpec(
        function=linalg.pinvh,
        reference=scipy.linalg.pinvh,
        samples=hermitian_values,
        gradient_samples=hermitian_gradient_samples,
        error_samples=hermitian_errors,
        size=lambda draw, n: ((indefinite(draw, n),), {}),
    ),
]
