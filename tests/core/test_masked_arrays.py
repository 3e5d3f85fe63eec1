"""Masked arrays and matrices beside traced values: refused, because their arithmetic is not that of
arrays. Linear algebra has no arithmetic of theirs, and takes the values where nothing is masked.
"""

import numpy as np
import pytest

from scigrad import TracedValueError, grad, linalg, special

X = np.array([1.0, 2.0, 3.0])
M = np.ma.array(X, mask=[False, True, False])

USES = {
    "x + m": lambda x: x + M,
    "m + x": lambda x: M + x,
    "m @ x": lambda x: M @ x,
    "x @ m": lambda x: x @ M,
    "x[m]": lambda x: x[M > 1.5],
    "x[:] = m": lambda x: x.__setitem__(slice(None), M),
    "where, condition": lambda x: np.where(M > 1.5, x, 0.0),
    "where, value": lambda x: np.where(x > 1.5, M, x),
    "select": lambda x: np.select([M > 1.5], [x]),
    "sum, where=": lambda x: np.sum(x, where=M > 1.5),
    "average": lambda x: np.average(x, weights=M),
    "stack": lambda x: np.stack([x, M]),
    "concatenate": lambda x: np.concatenate([M, x]),
    "dot": lambda x: np.dot(M, x),
    "outer": lambda x: np.outer(M, x),
    "einsum": lambda x: np.einsum("i,i", M, x),
    "take": lambda x: np.take(x, np.ma.array([0, 1], mask=[False, True])),
    "numpy.ma.sum": np.ma.sum,
    "numpy.ma.where": lambda x: np.ma.where(M > 1, x, M),
    "masked_where": lambda x: np.ma.masked_where(X > 1, x),
    "logsumexp": lambda x: special.logsumexp(x, b=M),
    "matrix @ x": lambda x: np.eye(3).view(np.matrix) @ x,
    "matrix ** x": lambda x: np.eye(3).view(np.matrix) ** x,
    "numpy.matrix": np.matrix,
    "numpy.asmatrix": np.asmatrix,
}


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("use", USES.values(), ids=USES.keys())
def test_what_has_an_arithmetic_of_its_own_is_refused(use):
    with pytest.raises(
        TracedValueError,
        match=r"a (MaskedArray|matrix) cannot be combined with traced values.*masked\.filled",
    ):
        grad(lambda x: np.sum(use(x * 1.0)))(X)


def test_the_mask_and_the_values_by_themselves_are_welcome():
    weights = grad(lambda x: np.sum(np.where(M.mask, 0.0, x * M.filled(0))))(X)
    np.testing.assert_array_equal(weights, [1, 0, 3])


def test_linear_algebra_takes_the_values_where_nothing_is_masked():
    def loss(x, mask):
        return np.sum(linalg.solve(np.ma.array(2 * np.eye(3), mask=mask), x))

    np.testing.assert_array_equal(grad(loss)(X, False), np.full(3, 0.5))
    with pytest.raises(ValueError, match=r"^solve: argument 'a' is a masked array with masked"):
        grad(loss)(X, np.eye(3) > 0)
