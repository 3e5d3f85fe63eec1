"""What the laws cannot say of Toeplitz and circulant matrices: against whole matrices, failures,
what is not read, scales.
"""

import numpy as np
import pytest
import scipy.linalg

from scigrad import grad, hvp, linalg, vmap
from scigrad.testing import assert_close, make_array
from scigrad.testing.arrays import to_host

LinAlgError = np.linalg.LinAlgError
rng = np.random.default_rng(17)


def dominant(*shape):
    c = 0.5 * rng.standard_normal(shape)
    c[..., 0] += 3
    return c


def whole(c, r):
    """The matrix, by indexing, so that it is differentiated by indexing too."""
    m, n = len(c), len(r)
    k = np.arange(m)[:, None] - np.arange(n)
    return np.where(k >= 0, c[np.maximum(k, 0)], r[np.maximum(-k, 0)])


@pytest.mark.parametrize("name", ["solve", "matmul"])
def test_the_derivatives_are_those_of_the_whole_matrix(name):
    c, r, b = dominant(5), rng.standard_normal(5), rng.standard_normal((5, 2))
    by_diagonals = {"solve": linalg.solve_toeplitz, "matmul": linalg.matmul_toeplitz}[name]
    by_matrix = {"solve": linalg.solve, "matmul": np.matmul}[name]
    t = tuple(rng.standard_normal(x.shape) for x in (c, r, b))

    def loss(f):
        return lambda c, r, b: np.sum(np.sin(f(c, r, b)))

    ours = loss(lambda c, r, b: by_diagonals((c, r), b))
    truth = loss(lambda c, r, b: by_matrix(whole(c, r), b))
    assert_close(grad(ours, (0, 1, 2))(c, r, b), grad(truth, (0, 1, 2))(c, r, b), 1e-10)
    assert_close(hvp(ours, (c, r, b), t), hvp(truth, (c, r, b), t), 1e-9)
    assert grad(ours, 1)(c, r, b)[0] == 0


def test_circulant_derivatives_are_those_of_the_whole_matrix():
    c, b = dominant(5), rng.standard_normal(5)
    k = (np.arange(5)[:, None] - np.arange(5)) % 5
    found = grad(lambda c, b: np.sum(linalg.solve_circulant(c, b) ** 3), (0, 1))(c, b)
    assert_close(found, grad(lambda c, b: np.sum(linalg.solve(c[k], b) ** 3), (0, 1))(c, b), 1e-10)


def test_least_squares_of_a_singular_circulant_matrix():
    c, b = np.array([1.0, 1, 0, 0]), rng.standard_normal(4)
    k = (np.arange(4)[:, None] - np.arange(4)) % 4

    def gradient(f):
        return grad(lambda c, b: np.sum(f(c, b) ** 3), (0, 1))(c, b)

    found = gradient(lambda c, b: linalg.solve_circulant(c, b, "lstsq"))
    expected = gradient(lambda c, b: linalg.lstsq(c[k], b, 1e-12)[0])
    assert_close(found[1], expected[1], 1e-10)
    along = np.array([1.0, -1, 1, -1])  # the null space stays where it is for c without this part
    assert_close(
        found[0] - along * (along @ found[0]) / 4,
        expected[0] - along * (along @ expected[0]) / 4,
        1e-10,
    )


@pytest.mark.parametrize("backend", ["numpy", "device"])
def test_failures_spare_their_neighbors(backend):
    c, b = dominant(4, 3), np.ones((3, 1))
    good = linalg.solve_toeplitz(c, b)
    c[1], c[2, 1] = 0, np.nan
    x, info = to_host(
        linalg.solve_toeplitz(make_array(c, backend), make_array(b, backend), on_fail="info")
    )
    assert (info != 0).tolist() == [False, True, True, False]
    assert_close(x[[0, 3]], good[[0, 3]], 1e-12)
    assert np.isnan(x[[1, 2]]).all()
    gradient = to_host(
        grad(lambda c: np.nansum(linalg.solve_toeplitz(c, make_array(b, backend), on_fail="nan")))(
            make_array(c, backend)
        )
    )
    assert_close(gradient[0], grad(lambda c: np.sum(linalg.solve_toeplitz(c, b)))(c[0]), 1e-10)
    pair, zero = make_array((c[:2], np.ones(3)), backend)
    y, code = to_host(linalg.solve_circulant(pair, zero, baxis=-1, outaxis=-1, on_fail="info"))
    assert code.tolist() == [0, 1]
    assert_close(y[0], scipy.linalg.solve_circulant(c[0], np.ones(3)), 1e-12)
    assert np.isnan(y[1]).all()


def test_info_under_vmap():
    c = np.stack([dominant(3), np.zeros(3)])
    assert vmap(lambda c: linalg.solve_toeplitz(c, np.ones(3), on_fail="info")[1])(c).tolist() == [
        0,
        1,
    ]
    assert vmap(lambda c: linalg.solve_circulant(c, np.ones(3), on_fail="info")[1])(c).tolist() == [
        0,
        1,
    ]


def test_a_regular_matrix_with_a_singular_minor_is_named():
    with pytest.raises(
        LinAlgError, match=r"Singular principal minor.*solve\(toeplitz\(c, r\), b\)"
    ):
        grad(lambda b: np.sum(linalg.solve_toeplitz(np.array([0.0, 1.0]), b)))(np.ones(2))


@pytest.mark.parametrize("exponent", [-500, 500])
def test_gradients_scale_exactly(exponent):
    c, r, b, scale = dominant(4), rng.standard_normal(4), rng.standard_normal(4), 2.0**exponent
    toeplitz = grad(lambda c: np.sum(linalg.solve_toeplitz((c[0], c[1]), b)))
    assert_close(
        toeplitz(np.stack([c, r]) * scale) * scale * scale, toeplitz(np.stack([c, r])), 1e-12
    )
    circulant = grad(lambda c: np.sum(linalg.solve_circulant(c, b)))
    assert_close(circulant(c * scale) * scale * scale, circulant(c), 1e-12)


def test_residuals():
    n = 200
    c, r, b = dominant(n) + 20 * np.eye(1, n)[0], rng.standard_normal(n), rng.standard_normal(n)
    a, x = scipy.linalg.toeplitz(c, r), linalg.solve_toeplitz((c, r), b)
    unit = n * np.finfo(float).eps * np.abs(a).sum(axis=1).max()
    assert np.abs(a @ x - b).max() / (unit * np.abs(x).max()) < 30
    assert np.abs(linalg.matmul_toeplitz((c, r), b) - a @ b).max() / (unit * np.abs(b).max()) < 30
    v = grad(lambda b: np.sum(linalg.solve_toeplitz((c, r), b)))(b)
    assert np.abs(a.T @ v - 1).max() / (unit * np.abs(v).max()) < 30


def test_lists():
    assert_close(linalg.solve_toeplitz([2, 1], [3, 3]), np.ones(2), 1e-14)
    assert_close(linalg.matmul_toeplitz(([2, 1], [2, 0]), [1, 1]), np.array([2.0, 3.0]), 1e-14)
    assert_close(linalg.solve_circulant([2, 1], [3, 3]), np.ones(2), 1e-14)


def test_a_singular_circulant_matrix_has_a_solution_of_smallest_norm():
    with pytest.raises(
        np.linalg.LinAlgError, match=r"solve_circulant: .* 2 of its eigenvalues .* singular='lstsq'"
    ):
        linalg.solve_circulant(np.ones(3), np.ones(3))
