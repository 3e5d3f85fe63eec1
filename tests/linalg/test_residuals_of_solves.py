"""LAPACK's measure of a solve, |a x - b| / (n eps |a| |x|), below 30: of values, and of the
cotangents of b, a^H w = 1.
"""

from functools import partial

import numpy as np
import pytest

from scigrad import grad, linalg
from scigrad.linalg.foundation.bands import dense, hermitian_band
from scigrad.testing.draw import normal

rng = np.random.default_rng(41)
random = partial(normal, rng)


def _lu(a, b):
    return a, lambda b: linalg.lu_solve(linalg.lu_factor(a), b)


def _kept(assume_a):
    def case(a, b):
        if assume_a == "pos":
            a = a @ np.conj(a.mT)
        elif assume_a == "her":
            a = a + np.conj(a.mT)
        f = linalg.factorized(a, assume_a=assume_a)
        return a, f.solve

    return case


def _ldl(a, b):
    a = a + np.conj(a.mT)
    pair = linalg.ldl_factor(a, hermitian=True)
    return a, lambda b: linalg.ldl_solve(*pair, b, hermitian=True)


def _band(a, b):
    ab = a[..., :4, :]
    return dense(ab, 2, 1), lambda b: linalg.solve_banded((2, 1), ab, b)


def _half_band(a, b):
    ab = a[..., :3, :] + 12 * np.array([[1], [0], [0]])
    return dense(hermitian_band(ab, True), 2, 2), lambda b: linalg.solveh_banded(ab, b, lower=True)


def _band_factor(a, b):
    ab = a[..., :3, :] + 12 * np.array([[1], [0], [0]])
    c = linalg.cholesky_banded(ab, lower=True)
    return dense(hermitian_band(ab, True), 2, 2), lambda b: linalg.cho_solve_banded((c, True), b)


def _toeplitz(a, b):
    n = a.shape[-1]
    w = np.concatenate([a[..., 0, :0:-1], a[..., :, 0] + 4 * np.sqrt(n) * np.eye(1, n)[0]], axis=-1)
    whole = w[..., np.arange(n)[:, None] - np.arange(n) + n - 1]
    return whole, lambda b: linalg.solve_toeplitz((w[..., n - 1 :], w[..., n - 1 :: -1]), b)


def _circulant(a, b):
    n, c = a.shape[-1], a[..., 0, :]
    whole = c[..., (np.arange(n)[:, None] - np.arange(n)) % n]
    return whole, lambda b: linalg.solve_circulant(c[..., None, :], b.mT, baxis=-1, outaxis=-1).mT


CASES = {
    "lu": _lu,
    "ldl": _ldl,
    "banded": _band,
    "half a band": _half_band,
    "factor of a band": _band_factor,
    "toeplitz": _toeplitz,
    "circulant": _circulant,
    "kept LU": _kept("gen"),
    "kept Cholesky": _kept("pos"),
    "kept LDL": _kept("her"),
}


def ratio(a, x, b, kind):
    size = np.abs(a).sum(axis=-1).max(axis=-1) * np.abs(x).sum(axis=-1).max(axis=-1)
    return np.max(
        np.abs(a @ x - b).sum(axis=-1).max(axis=-1) / (a.shape[-1] * np.finfo(kind).eps * size)
    )


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("shape", [(40, 40), (30, 8, 8)])
def test_residuals(name, kind, shape):
    a, b = random(*shape, dtype=kind), random(*shape[:-1], 2, dtype=kind)
    a, solve = CASES[name](a, b)
    assert ratio(a, solve(b), b, kind) < 30
    w = grad(lambda b: np.sum(np.real(solve(b))))(b)
    assert ratio(np.conj(a.mT), w, np.ones_like(b), kind) < 30


@pytest.mark.parametrize("rank", [10, 30])
def test_moore_and_penrose(rank):
    v = random(30, rank, dtype=complex)
    a = v @ np.conj(v.T)
    x = linalg.pinvh(a, rtol=1e-10)
    unit = 30 * np.finfo(float).eps * np.linalg.cond(v) ** 2
    for found, expected in ((a @ x @ a, a), (x @ a @ x, x), (np.conj(a @ x).T, a @ x)):
        assert np.abs(found - expected).max() / (unit * np.abs(expected).max()) < 30
