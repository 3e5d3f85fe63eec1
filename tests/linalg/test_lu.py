"""What the laws cannot say of lu_factor, lu_solve and lu: singular matrices, on_fail, scales,
residuals, one factorization.
"""

import sys

import numpy as np
import pytest
import scipy.linalg

from scigrad import grad, hessian, jvp, linalg, value_and_grad, vjp, vmap
from scigrad.linalg.foundation import lapack
from scigrad.testing import assert_close

LinAlgError = np.linalg.LinAlgError
rng = np.random.default_rng(7)


def regular(*shape):
    return rng.standard_normal(shape) + 3 * np.eye(*shape[-2:])[::-1]


@pytest.fixture
def counted(monkeypatch):
    """How often LAPACK factors, by whatever way."""
    names, routine = [], lapack.routine

    def counting(name, char):
        if name.endswith("trf"):
            names.append(name)
        return routine(name, char)

    monkeypatch.setattr(lapack, "routine", counting)
    monkeypatch.setattr(sys.modules["scigrad.linalg.systems.lu"], "routine", counting)
    return names


def test_value_and_gradient_of_a_kept_factorization_take_one(counted):
    a, b = regular(30, 30), rng.standard_normal(30)

    def loss(a, b):
        pair = linalg.lu_factor(a)
        return np.sum(linalg.lu_solve(pair, b) ** 2) + np.sum(linalg.lu_solve(pair, b, trans=1))

    found = value_and_grad(loss, (0, 1))(a, b)
    assert counted == ["getrf"]
    assert_close(
        found,
        value_and_grad(
            lambda a, b: np.sum(linalg.solve(a, b) ** 2) + np.sum(linalg.solve(a.T, b)), (0, 1)
        )(a, b),
        1e-9,
    )


def test_cotangents_are_compact():
    pair, b = linalg.lu_factor(regular(4, 4)), rng.standard_normal(4)
    lu_bar = grad(lambda lu: np.sum(linalg.lu_solve((lu, pair[1]), b)))(pair[0])
    t = rng.standard_normal((4, 4))
    tangent = jvp(lambda lu: np.sum(linalg.lu_solve((lu, pair[1]), b)), (pair[0],), (t,))[1]
    assert_close(np.sum(lu_bar * t), tangent, 1e-12)
    unread = grad(lambda lu: np.sum(linalg.lu_solve((lu, pair[1]), b)))(np.triu(pair[0]))
    assert np.isfinite(unread).all()


def test_a_pivot_that_is_zero():
    a = np.array([[2.0, 1.0, 4.0], [4.0, 2.0, 6.0], [2.0, 1.0, 1.0]])
    with pytest.warns(
        scipy.linalg.LinAlgWarning, match=r"is exactly zero. Singular matrix at batch index"
    ):
        linalg.lu_factor(np.stack([np.eye(3), a]))
    with (
        pytest.warns(scipy.linalg.LinAlgWarning),
        pytest.raises(LinAlgError, match=r"lu_factor.*pivot 2"),
    ):
        grad(lambda a: np.sum(linalg.lu_factor(a)[0]))(a)
    lu, piv, info = linalg.lu_factor(np.stack([np.eye(3), a, a * np.nan]), on_fail="info")
    assert info.tolist() == [0, 2, -1]
    assert np.isfinite(lu[:2]).all()
    assert np.isnan(lu[2]).all()
    x, codes = linalg.lu_solve((lu[:2], piv[:2]), np.ones(3), on_fail="info")
    assert codes.tolist() == [0, 2]
    assert_close(x[0], np.ones(3), 1e-15)
    assert np.isnan(x[1]).all()


def test_a_singular_matrix_spares_the_derivatives_of_its_neighbors():
    batch = np.stack([regular(3, 3), np.zeros((3, 3)), regular(3, 3)])
    found = grad(lambda a: np.nansum(linalg.lu_factor(a, on_fail="nan")[0] ** 2))(batch)
    for i in (0, 2):
        assert_close(found[i], grad(lambda a: np.sum(linalg.lu_factor(a)[0] ** 2))(batch[i]), 1e-10)


@pytest.mark.parametrize(
    "function",
    [lambda a: linalg.lu_factor(a)[0], lambda a: linalg.lu(a)[2], lambda a: linalg.ldl(a)[1]],
)
@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0)])
def test_derivatives_of_nothing(function, shape):
    a = np.zeros(shape)
    assert jvp(function, (a,), (a,))[1].shape == shape
    assert vjp(function, a)[1](a)[0].shape == shape


def test_the_last_pivot_may_vanish():
    a = regular(4, 4)
    a[:, 3] = a[:, :3] @ [1, 2, 3]
    lu = linalg.lu_factor(a, on_fail="nan")[0]
    t = rng.standard_normal((4, 4))
    step = 1e-6
    forward = (linalg.lu_factor(a + step * t)[0] - linalg.lu_factor(a - step * t)[0]) / (2 * step)
    assert_close(jvp(lambda a: linalg.lu_factor(a, on_fail="nan")[0], (a,), (t,))[1], forward, 1e-7)
    assert abs(lu[3, 3]) < 1e-14


@pytest.mark.parametrize("exponent", [-500, -30, 30, 500])
def test_gradients_scale_exactly(exponent):
    a, scale = regular(3, 3), 2.0**exponent
    l_sum, u_sum = (lambda a, i=i: np.sum(linalg.lu(a)[i]) for i in (1, 2))
    assert np.array_equal(grad(u_sum)(a * scale), grad(u_sum)(a))
    assert np.array_equal(grad(l_sum)(a * scale) * scale, grad(l_sum)(a))
    if abs(exponent) <= 500:
        assert_close(hessian(u_sum)(a * scale) * scale, hessian(u_sum)(a), 1e-14)


@pytest.mark.parametrize("shape", [(50, 50), (60, 30), (30, 60)])
def test_residuals(shape):
    a = rng.standard_normal((2, *shape))
    p, l, u = vmap(linalg.lu)(a)  # noqa: E741
    error = np.abs(p @ l @ u - a).max() / (np.abs(a).max() * max(shape) * np.finfo(float).eps)
    assert error < 30
    x = linalg.lu_solve(linalg.lu_factor(regular(50, 50)), np.ones((50, 1)))
    assert x.shape == (50, 1)


def test_lists_and_numbers_of_other_kinds():
    lu, piv = linalg.lu_factor([[1, 2], [3, 4]])
    assert_close(
        linalg.lu_solve((lu, piv), [1, 2]), scipy.linalg.solve([[1, 2], [3, 4]], [1, 2]), 1e-14
    )
    assert_close(
        linalg.lu_solve((lu, list(piv)), np.ones(2)),
        scipy.linalg.solve([[1, 2], [3, 4]], np.ones(2)),
        1e-14,
    )
    assert_close(linalg.lu([[1, 2], [3, 4]])[2], scipy.linalg.lu([[1, 2], [3, 4]])[2], 1e-14)


def test_permutations_under_vmap_are_those_of_each_matrix():
    a = rng.standard_normal((5, 4, 4))
    p, l, u = vmap(lambda a: linalg.lu(a, p_indices=True))(a)  # noqa: E741
    for i in range(5):
        assert_close(l[i][p[i]] @ u[i], a[i], 1e-13)
        assert np.array_equal(p[i], scipy.linalg.lu(a[i], p_indices=True)[0])


def test_a_batch_of_matrices_and_one_right_hand_side():
    a, b = rng.standard_normal((2, 3, 3)), np.arange(3.0)
    found = vmap(lambda a: linalg.lu_solve(linalg.lu_factor(a), b))(a)
    assert_close(found, np.linalg.solve(a, b[:, None])[..., 0], 1e-10)


def test_lu_of_a_singular_matrix_has_a_value_and_no_derivative():
    a = np.ones((3, 3))
    assert_close(linalg.lu(a)[2], np.triu(np.ones((3, 3))) * [[1], [0], [0]], 1e-15)
    with pytest.raises(LinAlgError, match="singular"):
        grad(lambda a: np.sum(linalg.lu(a)[2]))(a)


def test_errors_speak_of_the_matrix_that_was_given():
    a = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
    with (
        pytest.warns(scipy.linalg.LinAlgWarning),
        pytest.raises(LinAlgError, match=r"'a' of shape \(3, 2\) .*: pivot 2 is exactly 0"),
    ):
        grad(lambda a: np.sum(linalg.lu_factor(a)[0]))(a)
    pairs = np.stack([np.eye(2), np.diag([1.0, 0.0])]), np.tile(np.arange(2), (2, 1))
    with pytest.raises(
        LinAlgError,
        match=r"lu_solve: argument 'lu' of shape \(2, 2, 2\) .* at batch index \(1,\): pivot 2",
    ):
        linalg.lu_solve(pairs, np.ones((2, 2, 1)))


@pytest.mark.parametrize("wrong", [linalg.lu(np.eye(2)), np.eye(2), [np.eye(2)]])
def test_what_lu_solve_takes_is_a_pair(wrong):
    with pytest.raises(
        ValueError,
        match=r"lu_solve: .* must be the pair \(lu, piv\) that lu_factor, and not lu, returns, "
        r"not a",
    ):
        linalg.lu_solve(wrong, np.ones(2))


def test_other_pairs():
    with pytest.raises(
        ValueError, match=r"solve_banded\(\(l, u\), ab, b\): .*, not an array of shape \(3, 4\)"
    ):
        linalg.solve_banded(np.ones((3, 4)), (1, 1), np.ones(4))
    with pytest.raises(ValueError, match=r"cho_solve: .* must be \(c, lower\)"):
        linalg.cho_solve(np.eye(2), np.ones(2))
    with pytest.raises(ValueError, match=r"cho_solve_banded: .* must be \(cb, lower\)"):
        linalg.cho_solve_banded(np.eye(2), np.ones(2))
