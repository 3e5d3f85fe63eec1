"""What the laws cannot say of ldl: LAPACK's storage, singular blocks, failures, what is not read,
scales, residuals.
"""

import numpy as np
import pytest
import scipy.linalg

from scigrad import grad, jvp, linalg, vmap
from scigrad.testing import assert_close

LinAlgError = np.linalg.LinAlgError
rng = np.random.default_rng(19)


def indefinite(n, batch=(), kind=float):
    a = rng.standard_normal((*batch, n, n)).astype(kind)
    if kind is complex:
        a = a + 1j * rng.standard_normal((*batch, n, n))
    return a + np.conj(np.swapaxes(a, -1, -2))


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("kind", [float, complex])
def test_a_traced_factorization_is_scipy_s(lower, kind):
    for n in (1, 2, 5, 9):
        a = indefinite(n, (), kind)
        found = jvp(lambda a, lower=lower: linalg.ldl(a, lower=lower), (a,), (a,))[0]
        assert_close(found, scipy.linalg.ldl(a, lower=lower), 1e-12)


def test_the_gradient_of_a_solve_is_that_of_solve():
    a, b = indefinite(6), rng.standard_normal(6)

    def loss(a, b):
        return np.sum(linalg.ldl_solve(*linalg.ldl_factor(a), b) ** 2)

    found = grad(loss, (0, 1))(a, b)
    assert_close(
        found,
        grad(lambda a, b: np.sum(linalg.solve(a, b, assume_a="sym", lower=True) ** 2), (0, 1))(
            a, b
        ),
        1e-8,
    )
    assert not np.triu(found[0], 1).any()


def test_singular_blocks():
    a = np.diag([2.0, 0.0, 0.0])
    ld, pivots, info = linalg.ldl_factor(
        np.stack([np.eye(3), a, np.full((3, 3), np.nan)]), on_fail="info"
    )
    assert info.tolist() == [0, 2, -1]
    assert np.isfinite(ld[:2]).all()
    assert np.isnan(ld[2]).all()
    assert vmap(lambda a: linalg.ldl_factor(a, on_fail="info")[2])(
        np.stack([np.eye(3), a])
    ).tolist() == [0, 2]
    with pytest.raises(LinAlgError, match=r"ldl_solve.*singular at batch index"):
        linalg.ldl_solve(ld[:2], pivots[:2], np.ones(3))
    x, codes = linalg.ldl_solve(ld, pivots, np.ones(3), on_fail="info")
    assert codes.tolist() == [0, 2, -1]
    assert_close(x[0], np.ones(3), 1e-15)
    assert np.isnan(x[1:]).all()
    with pytest.raises(LinAlgError, match="a block of d that is not the last is singular"):
        grad(lambda a: np.sum(linalg.ldl_factor(a)[0]))(a)
    last = np.diag([2.0, 3.0, 0.0])
    assert_close(grad(lambda a: linalg.ldl(a)[1][2, 2])(last), np.diag([0.0, 0, 1]), 1e-15)


def test_matrices_that_fail_spare_the_derivatives_of_their_neighbors():
    a = indefinite(3, (3,))
    bad = a.copy()
    bad[1, 2, 0] = np.nan
    found = grad(lambda a: np.nansum(linalg.ldl_factor(a, on_fail="nan")[0] ** 2))(bad)
    expected = grad(lambda a: np.sum(linalg.ldl_factor(a)[0] ** 2))(a)
    assert_close(found[[0, 2]], expected[[0, 2]], 1e-10)


def test_imaginary_parts_of_the_diagonal_warn_as_in_scipy():
    a = indefinite(2, (), complex) + 1j * np.eye(2)
    with pytest.warns(np.exceptions.ComplexWarning, match="imaginary parts of the diagonal"):
        gradient = grad(lambda a: np.sum(np.abs(linalg.ldl(a)[1]) ** 2))(a)
    assert not np.diagonal(gradient).imag.any()


@pytest.mark.parametrize("exponent", [-500, 500])
def test_gradients_scale_exactly(exponent):
    a, b, scale = indefinite(4), rng.standard_normal(4), 2.0**exponent
    gradient = grad(lambda a: np.sum(linalg.ldl_solve(*linalg.ldl_factor(a), b)))
    assert_close(gradient(a * scale) * scale * scale, gradient(a), 1e-11)
    blocks = grad(lambda a: np.sum(linalg.ldl(a)[1]))
    assert_close(blocks(a * scale), blocks(a), 1e-11)


@pytest.mark.parametrize("kind", [float, complex])
def test_residuals(kind):
    a, b = indefinite(40, (3,), kind), rng.standard_normal((3, 40, 2))
    factored = linalg.ldl_factor(a, hermitian=True)
    x = linalg.ldl_solve(*factored, b, hermitian=True)
    size = np.abs(a).sum(axis=-1).max() * np.abs(x).max()
    assert np.abs(a @ x - b).max() / (size * 40 * np.finfo(float).eps) < 30
    lu, d, _ = vmap(linalg.ldl)(a)
    assert (
        np.abs(lu @ d @ np.conj(lu.mT) - a).max()
        / (np.abs(a).sum(axis=-1).max() * 40 * np.finfo(float).eps)
        < 30
    )
