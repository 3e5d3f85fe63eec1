"""What the laws cannot say of cholesky_banded: against whole matrices, several blocks, failures,
what is not read, scales.
"""

import sys

import numpy as np
import pytest

from scigrad import grad, hvp, jvp, linalg, value_and_grad, vmap
from scigrad.linalg.foundation import lapack
from scigrad.linalg.foundation.bands import dense, hermitian_band
from scigrad.testing import assert_close, make_array
from scigrad.testing.arrays import to_host

rng = np.random.default_rng(29)


def half_band(u, n, batch=(), kind=float):
    """The lower half of a positive definite band."""
    ab = 0.4 * rng.standard_normal((*batch, u + 1, n)).astype(kind)
    if kind is complex:
        ab = ab + 0.4j * rng.standard_normal((*batch, u + 1, n))
    ab[..., 0, :] += 2 * u + 2
    return ab


@pytest.mark.parametrize(("u", "n"), [(1, 70), (2, 33), (40, 90), (3, 3)])
@pytest.mark.parametrize("kind", [float, complex])
def test_derivatives_are_those_of_the_whole_matrix(u, n, kind):
    ab, t = half_band(u, n, (), kind), half_band(u, n, (), kind)
    g = half_band(u, n, (), kind)

    def ours(ab):
        return np.sum(np.real(np.conj(g) * linalg.cholesky_banded(ab, lower=True) ** 2))

    def truth(ab):
        l = linalg.cholesky(dense(hermitian_band(ab, True), u, u), lower=True)  # noqa: E741
        weights = dense(np.concatenate([np.zeros((u, n)), g]), u, u)
        return np.sum(np.real(np.conj(weights) * l**2))

    assert_close(grad(ours)(ab), grad(truth)(ab), 1e-10)
    assert_close(hvp(ours, (ab,), (t,)), hvp(truth, (ab,), (t,)), 1e-9)


def test_one_factorization(monkeypatch):
    names, routine = [], lapack.routine

    def counting(name, char):
        found = routine(name, char)
        return lambda *args, **options: names.append(name) or found(*args, **options)

    monkeypatch.setattr(sys.modules["scigrad.linalg.systems.banded"], "routine", counting)
    ab = half_band(2, 8, (3,))
    loss = lambda ab: np.sum(linalg.cholesky_banded(ab, lower=True) ** 3)  # noqa: E731
    value_and_grad(loss)(ab)
    assert names == ["pbtrf"]
    hvp(loss, (ab,), (ab,))
    vmap(grad(lambda ab: np.sum(linalg.cholesky_banded(ab, lower=True) ** 3)))(ab)
    assert names == ["pbtrf"] * 3


def test_a_solve_through_the_factor():
    ab, b = half_band(2, 6), rng.standard_normal(6)
    through = grad(
        lambda ab, b: np.sum(linalg.cho_solve_banded((linalg.cholesky_banded(ab), False), b)),
        (0, 1),
    )(ab[::-1], b)
    assert_close(
        through, grad(lambda ab, b: np.sum(linalg.solveh_banded(ab, b)), (0, 1))(ab[::-1], b), 1e-12
    )


def test_what_is_not_read_gets_exactly_zero_and_may_be_anything():
    ab = half_band(2, 4, (), complex)
    outside = ~(np.arange(4) + np.arange(3)[:, None] < 4)
    anything = np.where(outside, np.nan, ab)
    gradient = grad(
        lambda ab: np.sum(np.abs(linalg.cholesky_banded(ab, lower=True, check_finite=False)) ** 4)
    )
    assert not gradient(ab)[outside].any()
    assert not gradient(ab)[0].imag.any()
    assert np.array_equal(gradient(anything), gradient(ab))
    assert linalg.cholesky_banded(anything, lower=True, on_fail="info")[1] == 0
    assert not linalg.cholesky_banded(ab, lower=True)[outside].any()


@pytest.mark.parametrize("backend", ["numpy", "device"])
def test_failures_spare_their_neighbors(backend):
    good = half_band(1, 5, (4,))
    ab = good.copy()
    ab[1, 0, 2], ab[2, 1, 0] = -1, np.nan
    c, info = to_host(linalg.cholesky_banded(make_array(ab, backend), lower=True, on_fail="info"))
    assert info.tolist() == ([0, 3, -1, 0] if backend == "numpy" else [0, 1, 1, 0])
    assert_close(c[[0, 3]], linalg.cholesky_banded(good, lower=True)[[0, 3]], 1e-13)
    assert np.isnan(c[1]).any()
    gradient = to_host(
        grad(lambda ab: np.nansum(linalg.cholesky_banded(ab, lower=True, on_fail="nan")))(
            make_array(ab, backend)
        )
    )
    assert_close(
        gradient[[0, 3]],
        grad(lambda ab: np.sum(linalg.cholesky_banded(ab, lower=True)))(good)[[0, 3]],
        1e-12,
    )
    if backend == "numpy":
        assert vmap(lambda ab: linalg.cholesky_banded(ab, lower=True, on_fail="info")[1])(
            ab
        ).tolist() == [0, 3, -1, 0]


@pytest.mark.parametrize("exponent", [-500, 500])
def test_gradients_scale_exactly(exponent):
    ab, scale = half_band(2, 5), 2.0**exponent
    gradient = grad(lambda ab: np.sum(linalg.cholesky_banded(ab, lower=True)))
    assert_close(gradient(ab * scale) * 2.0 ** (exponent / 2), gradient(ab), 1e-13)


def test_residuals():
    ab = half_band(3, 80, (), complex)
    c = linalg.cholesky_banded(ab, lower=True)
    l = dense(np.concatenate([np.zeros((3, 80)), c]), 3, 3)  # noqa: E741
    a = dense(hermitian_band(ab, True), 3, 3)
    assert np.abs(l @ np.conj(l.T) - a).max() / (np.abs(a).max() * 80 * np.finfo(float).eps) < 30


@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (0, 0)])
def test_a_band_of_nothing(shape):
    ab = np.zeros(shape)
    for lower in (False, True):
        found = jvp(lambda ab: linalg.cholesky_banded(ab, lower=lower), (ab,), (ab,))  # noqa: B023
        assert [x.shape for x in found] == [shape, shape]
