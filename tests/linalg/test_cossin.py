"""cossin under transforms: its factors, and angles at which it has a kink."""

from __future__ import annotations

import numpy as np
import pytest

from scigrad import GaugeError, grad, jvp, linalg, vmap
from scigrad.testing import assert_close

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
