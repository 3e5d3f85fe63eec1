"""Values at sizes where squares underflow, and of narrow dtypes: homogeneous functions keep their
digits, by identities.
"""

from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import grad, linalg, vjp, vmap
from scigrad.testing import assert_close, make_array, to_host

SIZE = 2.0**-996
A = np.array([[4.0, 1.0, 0.5], [0.3, 3.0, -1.0], [0.2, 0.7, 5.0]])
D, E = np.array([1.0, -0.4, 2.0, 0.3]), np.array([0.7, 1.1, -0.2])


def by_index(d, e, only):
    return linalg.eigh_tridiagonal(d, e, only, select="i", select_range=(1, 2))


def half_band(d, e):
    return np.stack([d, np.append(e, 0.0)])


@pytest.mark.parametrize("size", [SIZE, 1 / SIZE])
@pytest.mark.parametrize("only", [True, False])
def test_selected_eigenvalues_scale_with_the_matrix(size, only):
    expected = size * scipy.linalg.eigh_tridiagonal(D, E, True)[1:3]
    band = size * half_band(D, E)
    banded = linalg.eig_banded(band, True, only, select="i", select_range=(1, 2))
    tridiagonal = by_index(size * D, size * E, only)
    for found in (tridiagonal, banded):
        assert_close(found if only else found[0], expected, 1e-14)


def test_a_square_root_of_a_tiny_matrix_has_its_digits():
    expected = 2.0**-498 * scipy.linalg.sqrtm(A)
    assert_close(linalg.sqrtm(SIZE * A), expected, 1e-13)
    assert_close(vjp(linalg.sqrtm, SIZE * A)[0], expected, 1e-13)


def test_a_tiny_matrix_is_conditioned_as_its_norm():
    # exp is the identity, and so is the largest derivative
    expected = SIZE * np.linalg.norm(A) / np.sqrt(3)
    assert_close(linalg.expm_cond(SIZE * A), expected, 1e-13)


def test_powers_of_truth_values_are_those_of_numbers():
    a = np.array([[True, False], [True, True]])
    for narrow in (a, a.astype("i1"), a.astype("u1")):
        assert_close(
            linalg.fractional_matrix_power(narrow, 2.7), np.array([[1.0, 0.0], [2.7, 1.0]]), 1e-14
        )
        assert_close(
            linalg.fractional_matrix_power(narrow, 300), np.array([[1.0, 0.0], [300.0, 1.0]]), 1e-14
        )


def test_a_power_out_of_range_is_not_finite():
    with np.errstate(over="ignore", invalid="ignore"):
        found = vjp(lambda a: linalg.fractional_matrix_power(a, -1.5), SIZE * A)[0]
    assert not np.isfinite(np.diagonal(found)).any()


def test_one_nan_leaves_the_rest_of_a_batch_alone():
    batch = np.stack([A, A + 1, A.T])
    batch[1, 0, 0] = np.nan
    for function in (linalg.det, linalg.eigvalsh, linalg.svdvals):
        value, pull = vjp(vmap(lambda a, function=function: function(a, check_finite=False)), batch)
        cotangent = pull(np.ones_like(value))[0]
        assert np.isnan(value[1]).any()
        for i in (0, 2):
            alone, back = vjp(function, batch[i])
            assert_close(value[i], alone, 1e-13)
            assert_close(cotangent[i], back(np.ones_like(alone))[0], 1e-12)
    with np.errstate(invalid="ignore"):
        sign, size = vmap(linalg.slogdet)(batch)
    assert np.isnan([sign[1], size[1]]).all()
    assert abs(sign[0]) == abs(sign[2]) == 1


@pytest.mark.parametrize("size", [1e19, 1e150])
def test_rounding_does_not_end_in_zero(size):
    turns = np.random.default_rng(3).standard_normal((40, 3, 3))
    with np.errstate(over="ignore"):
        turns = linalg.expm(size * (turns - turns.mT))  # the determinants are 1: no digit is left
    assert (np.isnan(turns).any(axis=(-2, -1)) | (np.abs(turns).max(axis=(-2, -1)) > 0.1)).all()
    assert not linalg.expm(-size * (np.eye(3) + 0.1 * np.ones((3, 3)))[None]).any()


@pytest.mark.parametrize("backend", ["numpy", "device"])
@pytest.mark.parametrize("unit", [True, False])
def test_triangular_batches_are_solved_by_substitution_where_the_inverse_overflows(unit, backend):
    a, b = 1e150 * np.tril(np.ones((4, 4))), 1e150 * np.array([0.0, 0.0, 1.0, 2.0])
    expected = scipy.linalg.solve_triangular(a, b, lower=True, unit_diagonal=unit)
    for lead in ((), (1,), (2, 1)):
        batch = make_array(
            (np.broadcast_to(a, (*lead, 4, 4)), np.broadcast_to(b, (*lead, 4))[..., None]), backend
        )
        for policy in ("raise", "nan"):
            found = linalg.solve_triangular(*batch, lower=True, unit_diagonal=unit, on_fail=policy)
            assert_close(to_host(found), np.broadcast_to(expected, (*lead, 4))[..., None], 1e-13)


@pytest.mark.parametrize("backend", ["numpy", "device"])
def test_diagonal_batches_need_no_inverse_and_name_the_element_that_is_0(backend):
    d = np.array([[1e200, 1e-200], [1e-200, 0.0], [1e200j, 2e-200]])
    a, b = make_array((d[:, None] * np.eye(2), d), backend)
    for solve in (linalg.solve_triangular, partial(linalg.solve, assume_a="diagonal")):
        x, info = solve(a, b[..., None], on_fail="info")
        assert to_host(info).tolist() == [0, 2, 0]
        assert_close(to_host(x)[..., 0], np.array([[1, 1], [np.nan, np.nan], [1, 1]]), 1e-15)


@pytest.mark.parametrize("function", [linalg.det, lambda a: np.sum(linalg.ldl(a)[0])])
@pytest.mark.parametrize("lead", [(), (2,), (2, 2), (0,)])
def test_gradients_of_batches_of_empty_matrices_are_empty(function, lead):
    a = np.zeros((*lead, 0, 0))
    assert grad(lambda a: np.sum(function(a)))(a).shape == a.shape
    assert vmap(grad(lambda a: np.sum(function(a))))(np.zeros((3, *lead, 0, 0))).shape == (
        3,
        *lead,
        0,
        0,
    )
