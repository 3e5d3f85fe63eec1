"""cossin under transforms: its factors, and angles at which it has a kink."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

from scigrad import GaugeError, grad, jvp, linalg, vmap
from scigrad.testing import assert_close, make_array
from scigrad.testing.arrays import to_host

rng = np.random.default_rng(17)


@pytest.mark.parametrize("swap_sign", [False, True])
@pytest.mark.parametrize(("m", "p", "q"), [(5, 2, 3), (6, 3, 3), (5, 4, 2), (4, 1, 2), (6, 5, 5)])
def test_factors_under_vmap_multiply_to_the_matrix(m, p, q, swap_sign):
    x = np.linalg.qr(rng.standard_normal((3, m, m)) + 1j * rng.standard_normal((3, m, m)))[0]
    u, cs, vh = vmap(lambda x: linalg.cossin(x, p, q, swap_sign=swap_sign))(x)
    assert_close(u @ cs @ vh, x, 1e-12)
    for i in range(3):
        for found, expected in zip((u[i], cs[i], vh[i]), linalg.cossin(x[i], p, q, swap_sign=swap_sign), strict=True):
            assert_close(found, expected, 1e-12)


def test_the_unitary_factors_have_no_derivative():
    x = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    for i in (0, 2):
        with pytest.raises(GaugeError, match="compute_u=False"):
            grad(lambda x, i=i: np.sum(linalg.cossin(x, 2, 2)[i]))(x)
    assert np.isfinite(grad(lambda x: np.sum(linalg.cossin(x, 2, 2)[1]))(x)).all()


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


# -- on a device


def unitary(n, kind):
    return np.linalg.qr(rng.standard_normal((n, n)) + (1j * rng.standard_normal((n, n)) if kind in "FD" else 0))[0]


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


@pytest.mark.parametrize("kind", "fdFD")
@pytest.mark.parametrize(
    ("m", "p", "q"), [(2, 1, 1), (5, 2, 3), (6, 3, 3), (5, 4, 2), (4, 1, 2), (6, 5, 5), (8, 4, 4), (7, 3, 1)]
)
def test_angles_of_all_sizes_in_one_batch(kind, m, p, q):
    r = min(p, q, m - p, m - q)
    hard = np.array([0, 1e-9, 1e-5, 0.3, np.pi / 4, np.pi / 4 + 1e-9, 1.2, np.pi / 2 - 1e-7, np.pi / 2])
    theta = np.sort(rng.choice(hard, (20, r)), axis=-1)
    x = np.stack([with_angles(m, p, q, row, kind) for row in theta]).astype(kind)
    unit = m * np.finfo(kind).eps
    for swap_sign in (False, True):
        u, cs, vh = to_host(linalg.cossin(make_array(x, "device"), p, q, swap_sign=swap_sign))
        assert u.dtype == vh.dtype == kind
        assert np.abs(u @ cs @ vh - x).max() < 30 * unit
        assert max(np.abs(y @ np.conj(y.mT) - np.eye(m)).max() for y in (u, vh)) < 30 * unit
    found = to_host(linalg.cossin(make_array(x, "device"), p, q, True, compute_u=False))
    assert np.abs(found[1] - theta).max() < 30 * unit
    assert [part.size for part in found[0]] == [0, 0]
    assert found[2][0].shape == (20, q, q)
