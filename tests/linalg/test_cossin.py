"""cossin under transforms: its factors, and angles at which it has a kink."""

import numpy as np
import pytest
import scipy.linalg

from scigrad import GaugeError, grad, jvp, linalg, vmap
from scigrad.testing import assert_close
from scigrad.testing.draw import normal

rng = np.random.default_rng(17)


@pytest.mark.parametrize("swap_sign", [False, True])
@pytest.mark.parametrize(("m", "p", "q"), [(5, 2, 3), (6, 3, 3), (5, 4, 2), (4, 1, 2), (6, 5, 5)])
def test_factors_under_vmap_multiply_to_the_matrix(m, p, q, swap_sign):
    x = np.linalg.qr(rng.standard_normal((3, m, m)) + 1j * rng.standard_normal((3, m, m)))[0]
    u, cs, vh = vmap(lambda x: linalg.cossin(x, p, q, swap_sign=swap_sign))(x)
    assert_close(u @ cs @ vh, x, 1e-12)
    for i in range(3):
        for found, expected in zip(
            (u[i], cs[i], vh[i]), linalg.cossin(x[i], p, q, swap_sign=swap_sign), strict=True
        ):
            assert_close(found, expected, 1e-12)


@pytest.mark.parametrize(("p", "q"), [(2, 2), (1, 2), (3, 1)])
def test_separate_factors_of_a_batch(p, q):
    x = np.linalg.qr(normal(rng, 3, 4, 4, is_complex=True))[0]
    found = linalg.cossin(x, p, q, separate=True)
    for i in range(3):
        assert_close(
            [[y[i] for y in found[0]], found[1][i], [y[i] for y in found[2]]],
            scipy.linalg.cossin(x[i], p, q, True),
            1e-12,
        )


def test_a_direction_counts_for_the_part_that_keeps_the_matrix_unitary():
    x, t = np.linalg.qr(rng.standard_normal((4, 4)))[0], rng.standard_normal((4, 4))
    t[0] *= 1e3
    f = lambda x: linalg.cossin(x, 2, 2, compute_u=False, compute_vh=False)[1]  # noqa: E731
    assert_close(jvp(f, (x,), (t,))[1], jvp(f, (x,), ((t - x @ t.T @ x) / 2,))[1], 1e-12)


def test_the_unitary_factors_have_no_derivative():
    x = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    for i in (0, 2):
        with pytest.raises(GaugeError, match=r"cossin: the unitary factors.*compute_u=False"):
            grad(lambda x, i=i: np.sum(linalg.cossin(x, 2, 2)[i] ** 4))(x)
    expected = grad(
        lambda x: np.sum(linalg.cossin(x, 2, 2, compute_u=False, compute_vh=False)[1] ** 3)
    )(x)
    assert_close(grad(lambda x: np.sum(linalg.cossin(x, 2, 2)[1] ** 3))(x), expected)


@pytest.mark.parametrize("theta", [(0.4, 0.4), (0.0, 0.0), (np.pi / 2, np.pi / 2)])
def test_equal_angles(theta):
    x = with_angles(4, 2, 2, np.array(theta), "d")
    assert np.isfinite(grad(lambda x: np.sum(linalg.cossin(x, 2, 2)[1] ** 3))(x)).all()


@pytest.mark.parametrize("theta", [(0.3, 0.8), (1e-9, 1.5)])
def test_the_angle_of_a_rotation_has_the_derivative_1(theta):
    left, right = (np.linalg.qr(rng.standard_normal((2, 2)))[0] for _ in "lr")

    def rotation(theta):
        c, s = left @ (np.cos(theta)[:, None] * right), left @ (np.sin(theta)[:, None] * right)
        return np.concatenate([np.concatenate([c, -s], 1), np.concatenate([s, c], 1)], 0)

    def angles(theta):
        return linalg.cossin(rotation(theta), 2, 2, True, compute_u=False, compute_vh=False)[1]

    found, tangent = jvp(angles, (np.array(theta),), (np.array([1.0, -1.0]),))
    assert np.abs(found - theta).max() <= 1e-14
    assert_close(tangent, np.array([1.0, -1.0]), 1e-6)


def test_an_angle_that_is_0_has_the_subgradient_of_smallest_norm():
    found = grad(lambda x: np.sum(linalg.cossin(x, 2, 2, True)[1]))(np.eye(4))
    assert_close(found, np.zeros((4, 4)), 1e-15)


def unitary(n, kind):
    return np.linalg.qr(
        rng.standard_normal((n, n)) + (1j * rng.standard_normal((n, n)) if kind in "FD" else 0)
    )[0]


def with_angles(m, p, q, theta, kind):
    """u cs v^H with given angles, as many as there are."""
    x = scipy.linalg.cossin(unitary(m, "d"), p, q)[1]
    r = min(p, q, m - p, m - q)
    first, other, columns = min(p, q) - r, p + min(m - p, m - q) - r, q + min(m - p, m - q) - r
    i = np.arange(r)
    x[first + i, first + i] = x[other + i, columns + i] = np.cos(theta)
    x[first + i, columns + i], x[other + i, first + i] = -np.sin(theta), np.sin(theta)
    u, v = (scipy.linalg.block_diag(unitary(k, kind), unitary(m - k, kind)) for k in (p, q))
    return u @ x @ v
