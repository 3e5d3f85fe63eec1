"""What the laws cannot say of banded systems: counted factorizations, failures in a batch, what is
not read.
"""

import numpy as np
import pytest
import scipy.linalg

from scigrad import grad, hvp, linalg, value_and_grad, vmap
from scigrad.testing import assert_close, make_array

LinAlgError = np.linalg.LinAlgError
rng = np.random.default_rng(11)


def band(below, above, n, batch=()):
    ab = 0.5 * rng.standard_normal((*batch, below + above + 1, n))
    ab[..., above, :] += 3
    return ab


def half_band(u, n, batch=()):
    """The lower half of a positive definite band."""
    ab = 0.4 * rng.standard_normal((*batch, u + 1, n))
    ab[..., 0, :] += 3
    return ab


@pytest.mark.parametrize(
    ("widths", "batch", "expected"),
    [((1, 1), (), "gttrf"), ((2, 1), (), "gbtrf"), ((2, 1), (7,), "gbtrf")],
)
def test_value_gradient_and_hessian_vector_product_take_one_factorization(
    counted, widths, batch, expected
):
    ab, b = band(*widths, 6, batch), rng.standard_normal((*batch, 6, 1))

    def loss(ab, b):
        return np.sum(linalg.solve_banded(widths, ab, b) ** 2)

    value_and_grad(loss, (0, 1))(ab, b)
    assert counted == [expected]
    counted.clear()
    hvp(loss, (ab, b), (ab, b))
    assert counted == [expected]
    counted.clear()
    if batch:
        vmap(grad(loss))(ab, b)
        assert counted == [expected]


def test_a_definite_band_takes_one_factorization(counted):
    ab, b = half_band(2, 6, (5,)), rng.standard_normal(6)
    hvp(lambda ab: np.sum(linalg.solveh_banded(ab, b, lower=True) ** 2), (ab,), (ab,))
    assert counted == ["pbtrf"]


def test_what_is_not_read_gets_exactly_zero_and_may_be_anything():
    ab, b = band(2, 1, 4), rng.standard_normal(4)
    outside = np.array([[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 1]], bool)
    anything = np.where(outside, np.nan, ab)
    gradient = grad(lambda ab: np.sum(linalg.solve_banded((2, 1), ab, b, check_finite=False)))
    assert not gradient(ab)[outside].any()
    assert np.array_equal(gradient(anything), gradient(ab))
    pair = linalg.solve_banded((2, 1), np.stack([anything, ab]), b, on_fail="info")
    assert pair[1].tolist() == [0, 0]
    assert_close(pair[0][0], linalg.solve_banded((2, 1), ab, b), 1e-13)
    half = grad(lambda ab: np.sum(linalg.solveh_banded(ab, b)))(half_band(2, 4)[::-1])
    assert not half[[0, 0, 1], [0, 1, 0]].any()
    complex_half = half_band(1, 4) + 0.1j
    assert not grad(lambda ab: np.abs(linalg.solveh_banded(ab, b, lower=True)[0]))(complex_half)[
        0
    ].imag.any()
    factor = grad(lambda cb: np.sum(linalg.cho_solve_banded((cb, True), b)))(half_band(2, 4))
    assert not factor[[1, 2, 2], [3, 2, 3]].any()


@pytest.mark.parametrize("widths", [(1, 1), (2, 1)])
@pytest.mark.parametrize("backend", ["numpy", "device"])
def test_a_failure_spares_its_neighbors(widths, backend):
    good, b = band(*widths, 5, (4,)), rng.standard_normal((5, 1))
    batch = good.copy()
    batch[1], batch[2, widths[1], 0] = 0, np.nan

    def solve(ab, **options):
        return linalg.solve_banded(
            widths, ab, make_array(b, backend) if not isinstance(ab, np.ndarray) else b, **options
        )

    x, info = (
        value if backend == "numpy" else value.get()
        for value in solve(make_array(batch, backend), on_fail="info")
    )
    assert (info != 0).tolist() == [False, True, True, False]
    assert_close(x[[0, 3]], solve(good)[[0, 3]], 1e-10)
    assert np.isnan(x[[1, 2]]).all()
    if backend == "numpy":
        assert info.tolist() == [0, 1, -1, 0]
        gradient = grad(lambda ab: np.nansum(solve(ab, on_fail="nan") ** 2))(batch)
        assert_close(gradient[[0, 3]], grad(lambda ab: np.sum(solve(ab) ** 2))(good)[[0, 3]], 1e-10)
        assert vmap(lambda ab: solve(ab, on_fail="info"))(batch)[1].tolist() == [0, 1, -1, 0]


def test_indefinite_bands_in_a_batch():
    good, b = half_band(1, 4, (3,)), np.ones(4)
    batch = good.copy()
    batch[1, 0, 2] = -5
    x, info = linalg.solveh_banded(batch, b, lower=True, on_fail="info")
    assert info.tolist() == [0, 3, 0]
    assert_close(x[[0, 2]], linalg.solveh_banded(good, b, lower=True)[[0, 2]], 1e-12)
    assert np.isnan(x[1]).all()


def test_infinite_right_hand_sides_stay_in_their_system():
    ab, b = band(1, 2, 4, (3,)), rng.standard_normal((3, 4, 1))
    expected = linalg.solve_banded((1, 2), ab, b)
    b[1, 2] = np.inf
    x = linalg.solve_banded((1, 2), ab, b, check_finite=False)
    assert_close(x[[0, 2]], expected[[0, 2]], 1e-13)
    assert not np.isfinite(x[1]).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("place", [0, 2, 4])
@pytest.mark.parametrize("widths", [(0, 1), (1, 0), (1, 1), (2, 1), "definite"])
def test_what_is_not_finite_and_not_looked_for_stays_in_its_matrix(widths, place, bad):
    if widths == "definite":
        ab, solve = (
            half_band(1, 5, (3,)),
            lambda ab, b: linalg.solveh_banded(ab, b, lower=True, check_finite=False),
        )
        ab[1, 0, place] = bad
    else:
        ab, solve = (
            band(*widths, 5, (3,)),
            lambda ab, b: linalg.solve_banded(widths, ab, b, check_finite=False),
        )
        ab[1, widths[1], place] = bad
    b = rng.standard_normal((3, 5, 1))
    expected = np.stack([solve(x, y) for x, y in zip(ab, b, strict=True)])
    for found in (solve(ab, b), vmap(solve)(ab, b), grad(lambda b: np.sum(solve(ab, b)))(b)):
        assert np.isfinite(found).all(axis=(-2, -1)).tolist() == [
            True,
            np.isfinite(expected[1]).all(),
            True,
        ]
    assert_close(solve(ab, b), expected, 1e-12)


@pytest.mark.parametrize("exponent", [-500, 500])
def test_gradients_scale_exactly(exponent):
    ab, b, scale = band(1, 2, 5), rng.standard_normal(5), 2.0**exponent

    def gradient(ab):
        return grad(lambda ab: np.sum(linalg.solve_banded((1, 2), ab, b)))(ab)

    assert np.array_equal(gradient(ab * scale) * scale * scale, gradient(ab))


def test_residuals():
    for below, above in ((1, 1), (5, 3)):
        ab, b = rng.standard_normal((20, below + above + 1, 60)), rng.standard_normal((20, 60, 2))
        x = linalg.solve_banded((below, above), ab, b)
        for i in range(20):
            a = sum(
                np.diag(ab[i, above - k, max(k, 0) : 60 + min(k, 0)], k)
                for k in range(-below, above + 1)
            )
            size = np.abs(a).sum(axis=1).max() * np.abs(x[i]).max()
            assert np.abs(a @ x[i] - b[i]).max() / (size * 60 * np.finfo(float).eps) < 30
            assert_close(x[i], scipy.linalg.solve_banded((below, above), ab[i], b[i]), 1e-6)


def test_lists_and_overwriting():
    assert_close(linalg.solve_banded((0, 0), [[2, 4]], [2, 4]), np.ones(2), 1e-15)
    ab, b = band(1, 1, 4), rng.standard_normal(4)
    before = ab.copy(), b.copy()
    grad(lambda b: np.sum(linalg.solve_banded((1, 1), ab, b, overwrite_ab=True, overwrite_b=True)))(
        b
    )
    assert np.array_equal(ab, before[0])
    assert np.array_equal(b, before[1])
    with pytest.raises(LinAlgError):
        linalg.solve_banded((1, 1), 0 * ab, b, overwrite_ab=True)


def test_widths_may_vary_over_a_batch():
    below, above = [2, 1, 0, 1], [0, 1, 2, 1]
    ab, b = rng.standard_normal((2, 4, 3, 5)) + 4, rng.standard_normal((4, 5, 1))

    def one(ab, i):
        return linalg.solve_banded((below[i], above[i]), ab, b[i])

    x, info = linalg.solve_banded((below, above), ab, b, on_fail="info")
    assert info.shape == (2, 4)
    assert not info.any()
    gradient = grad(lambda ab: np.sum(linalg.solve_banded((below, above), ab, b) ** 2))(ab)
    for i in range(4):
        assert_close(x[1, i], one(ab[1, i], i), 1e-10)
        assert_close(gradient[1, i], grad(lambda ab, i=i: np.sum(one(ab, i) ** 2))(ab[1, i]), 1e-8)
    found = vmap(lambda ab: linalg.solve_banded((below, above), ab, b))(ab)
    assert_close(found, x, 1e-13)


@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("u", [1, 2])
def test_the_last_digits_are_scipy_s_in_single_precision(u, lower):
    ab, b = half_band(u, 5, (3,)).astype("f"), rng.standard_normal(5).astype("f")
    ab = ab if lower else ab[:, ::-1]
    x = linalg.solveh_banded(ab, b, lower=lower)
    for i in range(3):
        # A BLAS may round the last digit of a batch and of one matrix in different ways: MKL does,
        # by 1.03e-7.
        assert_close(x[i], scipy.linalg.solveh_banded(ab[i], b, lower=lower), 2 * np.finfo("f").eps)


def test_a_factor_with_a_zero_on_its_diagonal_spares_its_neighbors():
    cb, b = np.stack([half_band(1, 4), 0 * half_band(1, 4)]), rng.standard_normal(4)
    x = linalg.cho_solve_banded((cb, True), b)
    assert_close(x[0], scipy.linalg.cho_solve_banded((cb[0], True), b), 1e-13)
    assert not np.isfinite(x[1]).any()
    gradient = grad(lambda cb: np.nansum(linalg.cho_solve_banded((cb, True), b)))(cb)
    assert_close(
        gradient[0], grad(lambda cb: np.sum(linalg.cho_solve_banded((cb, True), b)))(cb[0]), 1e-13
    )
