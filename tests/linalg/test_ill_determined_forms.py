"""Schur, generalized Schur and Hessenberg forms near matrices whose form is not determined: second
derivatives of a function of the matrix, which does not depend on the choice, are right or refused.
"""

import numpy as np
import pytest

from scigrad import GaugeError, grad, jvp, linalg
from scigrad.testing import assert_close

rng = np.random.default_rng(5)
H, B, V = (
    rng.standard_normal((4, 4)),
    rng.standard_normal((4, 4)) + 2 * np.eye(4),
    rng.standard_normal((4, 4)) + 2 * np.eye(4),
)
Q = np.linalg.qr(rng.standard_normal((3, 3)))[0]


def with_gap(gap):
    return V @ np.diag([1.0, 1 + gap, 1 + 2 * gap, 2.0]) @ np.linalg.inv(V)


def with_small_subdiagonal(gap):
    h = np.triu(rng.standard_normal((4, 4)), -1)
    h[2, 1] = gap
    q = np.eye(4)
    q[1:, 1:] = Q
    return q @ h @ q.T


def by_schur(a, gauge):
    t, z = linalg.schur(a, "complex", gauge=gauge)
    return np.sum(np.real(z @ t @ t @ t @ np.conjugate(z).mT) * H)


def by_qz(a, gauge):
    s, p, _, z = linalg.qz(B @ a, B, "complex", gauge=gauge)
    w = linalg.solve(p, s)
    return np.sum(np.real(z @ w @ w @ w @ np.conjugate(z).mT) * H)


def by_hessenberg(a, gauge):
    h, q = linalg.hessenberg(a, calc_q=True, gauge=gauge)
    return np.sum(q @ h @ h @ h @ q.mT * H)


def second_derivatives(loss, a, t, u):
    yield lambda: jvp(lambda x: np.sum(grad(loss)(x) * u), (a,), (t,))[1]
    yield lambda: jvp(lambda x: jvp(loss, (x,), (u,))[1], (a,), (t,))[1]
    yield lambda: np.sum(grad(lambda x: np.sum(grad(loss)(x) * u))(a) * t)
    yield lambda: np.sum(grad(lambda x: jvp(loss, (x,), (u,))[1])(a) * t)


@pytest.mark.parametrize(
    ("cube", "matrix"),
    [(by_schur, with_gap), (by_qz, with_gap), (by_hessenberg, with_small_subdiagonal)],
)
@pytest.mark.parametrize("gap", [1e-3, 1e-8, 1e-10])
def test_second_derivatives_are_right_or_refused(cube, matrix, gap):
    a, t, u = matrix(gap), *rng.standard_normal((2, 4, 4))
    expected = sum(
        np.sum(x @ y @ z * H)
        for x, y, z in [(a, t, u), (t, a, u), (t, u, a), (a, u, t), (u, a, t), (u, t, a)]
    )
    for derivative in second_derivatives(lambda x: cube(x, "check"), a, t, u):
        if gap == 1e-3:
            assert_close(derivative(), expected, 1e-5)
        else:
            with pytest.raises(GaugeError, match="no digit left"):
                derivative()
    if gap < 1e-3:
        assert np.isfinite(next(second_derivatives(lambda x: cube(x, "trust"), a, t, u))())
