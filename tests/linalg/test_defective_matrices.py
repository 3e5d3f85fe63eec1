"""Matrices without all their eigenvectors: what has no derivative says so, and what is nearly
one of them warns.
"""

import warnings
from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import grad, jvp, linalg
from scigrad.testing import assert_close
from scigrad.testing.draw import normal

rng = np.random.default_rng(23)
random = partial(normal, rng)
LinAlgError = np.linalg.LinAlgError

JORDAN = {
    "triangular": np.array([[1.0, 1], [0, 1]]),
    "nilpotent": np.array([[0.0, 1], [0, 0]]),
    "rotated": (lambda q: q @ np.array([[1.0, 1, 0], [0, 1, 1], [0, 0, 1]]) @ q.T)(
        np.linalg.qr(random(3, 3))[0]
    ),
    "tiny": 1e-200 * np.array([[1.0, 1], [0, 1]]),
}


@pytest.mark.parametrize("a", JORDAN.values(), ids=JORDAN)
def test_a_jordan_block_has_no_derivative(a):
    for loss in (
        lambda a: np.real(np.sum(linalg.eigvals(a))),
        lambda a: np.sum(np.abs(linalg.eig(a)[1]) ** 2),
    ):
        with pytest.raises(LinAlgError, match="defective"):
            grad(loss)(a)
        with pytest.raises(LinAlgError, match="defective"):
            jvp(loss, (a,), (a,))
    assert_close(linalg.eigvals(a), np.linalg.eigvals(a).astype(complex))


def test_a_direction_that_makes_a_jordan_block():
    with pytest.raises(LinAlgError, match="defective"):
        jvp(lambda a: linalg.eig(a)[1], (np.eye(2),), (np.array([[0.0, 1], [0, 0]]),))


def test_bad_scaling_is_no_defect():
    a = np.array([[1.0, 1e10], [0, 2]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_close(
            grad(lambda a: np.real(linalg.eigvals(a)[0]))(a),
            np.array([[1.0, 0], [-1e10, 0]]),
            1e-12,
        )


def test_nearly_defective_matrices_warn():
    q = np.array([[0.8, 0.6], [-0.6, 0.8]])
    a = q @ np.array([[1.0, 1], [0, 1 + 1e-5]]) @ q.T
    with pytest.warns(scipy.linalg.LinAlgWarning, match="nearly defective.*e\\+05"):
        gradient = grad(lambda a: np.max(np.real(linalg.eigvals(a))))(a)
    assert_close(gradient, q @ np.array([[0, 0], [1e5, 1.0]]) @ q.T, 1e-4)
