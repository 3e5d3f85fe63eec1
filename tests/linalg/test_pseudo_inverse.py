"""What the laws cannot say of pinvh: deficient matrices, equal eigenvalues, failures, scales."""

import numpy as np
import pytest

from scigrad import grad, jvp, linalg, vmap
from scigrad.testing import assert_close, make_array
from scigrad.testing.arrays import to_host

rng = np.random.default_rng(13)


def deficient(n, rank):
    v = rng.standard_normal((n, rank))
    return v @ np.diag(rng.choice([-1.0, 1.0], rank)) @ v.T


@pytest.mark.parametrize("rank", [0, 1, 2, 4])
def test_at_constant_rank_it_is_the_derivative_of_pinv(rank):
    a = deficient(4, rank)
    g = rng.standard_normal((4, 4))
    found = grad(lambda a: np.sum(g * linalg.pinvh(a, rtol=1e-10)))(a)
    whole = grad(lambda a: np.sum(g * linalg.pinv(a, rtol=1e-10)))(a)
    assert_close(found, np.tril(whole + whole.T, -1) + np.diag(np.diag(whole)), 1e-8)
    assert not np.triu(found, 1).any()


def test_along_matrices_of_one_rank():
    v, w, step = rng.standard_normal((4, 2)), rng.standard_normal((4, 2)), 1e-6

    def at(s):
        x = v + s * w
        return linalg.pinvh(x @ x.T, rtol=1e-10)

    tangent = v @ w.T + w @ v.T
    found = jvp(lambda a: linalg.pinvh(a, rtol=1e-10), (v @ v.T,), (tangent,))[1]
    assert_close(found, (at(step) - at(-step)) / (2 * step), 1e-7)


def test_equal_eigenvalues_divide_by_nothing():
    found = grad(lambda a: np.sum(linalg.pinvh(a) ** 2))(2 * np.eye(3))
    assert_close(found, -0.25 * np.eye(3), 1e-14)


@pytest.mark.parametrize("backend", ["numpy", "device"])
def test_failures_spare_their_neighbors(backend):
    a = np.stack([deficient(3, 3), np.full((3, 3), np.nan), deficient(3, 2)])
    inverse, rank, info = to_host(
        linalg.pinvh(make_array(a, backend), rtol=1e-10, return_rank=True, on_fail="info")
    )
    assert info.tolist() == [0, -1, 0]
    assert rank[[0, 2]].tolist() == [3, 2]
    assert np.isnan(inverse[1]).all()
    assert_close(inverse[2], np.linalg.pinv(a[2], rtol=1e-10), 1e-9)
    assert vmap(lambda a: linalg.pinvh(a, on_fail="info")[1])(a).tolist() == [0, -1, 0]


@pytest.mark.parametrize("exponent", [-500, 500])
def test_gradients_scale_exactly(exponent):
    a, scale = np.diag([1.0, -2.0, 3.0]) + 0.1, 2.0**exponent
    gradient = grad(lambda a: np.sum(linalg.pinvh(a)))
    assert_close(gradient(a * scale) * scale * scale, gradient(a), 1e-12)
