"""Matrices that a program assembles element by element, from traced values."""

import numpy as np
import pytest

from scigrad import grad, hessian, sparse, vmap
from scigrad.sparse import linalg
from scigrad.testing import assert_close, gradcheck

K = np.array([1.0, 2.0, 3.0])
FORMATS = ["lil_array", "lil_matrix", "dok_array", "dok_matrix"]


def bar(k, name="lil_array"):
    """Displacements of four nodes with three springs between them."""
    stiffness = getattr(sparse, name)((4, 4))
    for e in range(3):
        element = k[e] * np.array([[1.0, -1.0], [-1.0, 1.0]])
        for a in range(2):
            for b in range(2):
                stiffness[e + a, e + b] += element[a, b]
    stiffness[0, 0] += 10.0
    return linalg.spsolve(stiffness.tocsr(), np.arange(4.0))


def blocks(k, name="lil_array"):
    stiffness = getattr(sparse, name)((6, 6))
    for e in range(0, 4, 2):
        places = np.ix_([e, e + 1, e + 2], [e, e + 1, e + 2])
        stiffness[places] += k[e // 2] * np.eye(3)
    stiffness[1, :] = 0
    stiffness[1, 1] = k[0] ** 2
    return (stiffness @ np.arange(6.0)).sum() + np.sum((stiffness.T @ stiffness).diagonal())


@pytest.mark.parametrize("name", FORMATS)
def test_elements_and_blocks_are_added(name):
    assert_close(bar(K, name), linalg.spsolve(bar_matrix(), np.arange(4.0)))
    gradcheck(lambda k: bar(k, name), K)
    gradcheck(lambda k: blocks(k, name), K[:2])
    assert_close(hessian(lambda k: blocks(k, name))(K[:2]), np.array([[18.0, 2.0], [2.0, 6.0]]))
    pairs = np.stack([K[:2], 2 * K[:2]])
    assert_close(
        vmap(grad(lambda k: blocks(k, name)))(pairs),
        np.stack([grad(lambda k: blocks(k, name))(pair) for pair in pairs]),
    )


def bar_matrix():
    spring = np.diff(np.eye(4), axis=0)
    return sparse.csr_array(spring.T @ np.diag(K) @ spring + np.diag([10.0, 0, 0, 0]))


@pytest.mark.parametrize("name", FORMATS)
def test_a_matrix_of_numbers_takes_a_traced_diagonal(name):
    def f(k):
        matrix = getattr(sparse, name)(np.eye(3))
        matrix[0, 1] = 2.0
        matrix.setdiag(k)
        return matrix.toarray()

    assert_close(f(K), np.array([[1.0, 2, 0], [0, 2, 0], [0, 0, 3]]))
    gradcheck(f, K)


def test_outside_of_transforms_arrays_are_scipy_s():
    assert type(sparse.lil_array((2, 2))).__module__.startswith("scipy.sparse")


def test_places_count_by_their_values():
    def f(x):
        matrix = sparse.csr_array((x, (x, np.arange(3))), shape=(3, 3))
        return np.sum(matrix @ np.array([1.0, 10.0, 100.0]))

    assert_close(grad(f)(np.array([0.0, 1.0, 2.0])), np.array([1.0, 10.0, 100.0]))
