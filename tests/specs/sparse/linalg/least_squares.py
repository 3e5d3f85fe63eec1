"""lsqr, lsmr."""

import functools

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from scigrad import sparse
from scigrad.testing import OpSpec

from .matrix_functions import matrix

theirs, ours = scipy.sparse.linalg, sparse.linalg


def is_single(draw):
    return draw.real_dtype == np.float32


def least_squares_samples(draw):
    tight = {"atol": 1e-6, "btol": 1e-6} if is_single(draw) else {"atol": 1e-13, "btol": 1e-13}
    yield "overdetermined", (matrix(draw, n=5, m=3), draw.array(5)), tight
    yield "underdetermined", (matrix(draw, n=3, m=5), draw.array(3)), tight
    yield "dense", (matrix(draw, n=5, m=3).toarray(), draw.array(5)), tight
    yield (
        "damped, near a guess",
        (matrix(draw, n=5, m=3), draw.array(5), draw.positive()),
        tight | {"x0": draw.array(3)},
    )


def least_squares_errors(draw):
    yield (
        "too short",
        (np.eye(3, dtype=np.float32), np.ones(2, np.float32)),
        {},
        ValueError,
        "incompatible",
    )


def least_squares(name, chosen):
    """Outputs that are no estimates of the method, without residuals that are 0."""
    run, reference = getattr(ours, name), getattr(theirs, name)

    @functools.wraps(run)
    def function(*args, **kwargs):
        found = run(*args, **kwargs)
        return tuple(
            found[i] for i in (chosen if args[0].shape[0] > args[0].shape[1] else (0, chosen[-1]))
        )

    def expected(*args, **kwargs):
        found = reference(*args, **kwargs)
        return tuple(
            found[i] for i in (chosen if args[0].shape[0] > args[0].shape[1] else (0, chosen[-1]))
        )

    return OpSpec(
        function=function,
        reference=expected,
        samples=least_squares_samples,
        error_samples=least_squares_errors,
    )


specs = [
    least_squares("lsqr", (0, 3, 4, 8)),
    least_squares("lsmr", (0, 3, 7)),
]
