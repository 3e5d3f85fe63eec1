"""cossin under transforms: its factors, and angles at which it has a kink."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import scipy.linalg

from scigrad import GaugeError, grad, jvp, linalg, value_and_grad, vmap
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
        for found, expected in zip((u[i], cs[i], vh[i]), linalg.cossin(x[i], p, q, swap_sign=swap_sign), strict=True):
            assert_close(found, expected, 1e-12)


def near(x, t):
    """The curve exp(t s) x of unitary matrices, for an antihermitian s of x's size."""
    s = normal(rng, *x.shape, dtype=x.dtype)
    s = s - np.conj(s.mT)
    return lambda t: scipy.linalg.expm(t * s) @ x, s @ x


@pytest.mark.parametrize("is_complex", [False, True])
@pytest.mark.parametrize(("m", "p", "q"), [(4, 2, 2), (7, 3, 4), (7, 5, 2), (6, 4, 4)])
def test_tangents_of_the_factors_are_those_of_the_algorithm(m, p, q, is_complex):
    """|u|, |vh| and u f(theta) v^H along a curve of unitary matrices, by central differences of LAPACK's factors."""
    x = np.linalg.qr(normal(rng, m, m, is_complex=is_complex))[0]
    curve, tangent = near(x, 0)

    def f(x):
        u, cs, vh = linalg.cossin(x, p, q, gauge="check")
        r = min(p, q, m - p, m - q)
        i = min(p, q) - r + np.arange(r)
        (u1, _), theta, (v1h, _) = linalg.cossin(x, p, q, separate=True)
        return np.abs(u[:, i]), np.abs(vh[i]), u1[:, i] * np.exp(theta) @ v1h[i], cs, u1[:, i] * theta @ np.conjugate(u1[:, i]).T

    found = jvp(f, (x,), (tangent,))[1]
    for y, low, high in zip(found, f(curve(-1e-5)), f(curve(1e-5)), strict=True):
        assert_close(y, (high - low) / 2e-5, 1e-6)


@pytest.mark.parametrize(("p", "q"), [(2, 2), (1, 2), (3, 1)])
def test_separate_factors_of_a_batch(p, q):
    x = np.linalg.qr(normal(rng, 3, 4, 4, is_complex=True))[0]
    found = linalg.cossin(x, p, q, separate=True)
    for i in range(3):
        assert_close(
            [[y[i] for y in found[0]], found[1][i], [y[i] for y in found[2]]], scipy.linalg.cossin(x[i], p, q, True), 1e-12
        )


def test_a_direction_counts_for_the_part_that_keeps_the_matrix_unitary():
    x, t = np.linalg.qr(rng.standard_normal((4, 4)))[0], rng.standard_normal((4, 4))
    t[0] *= 1e3
    f = lambda x: linalg.cossin(x, 2, 2, gauge="trust")  # noqa: E731
    kept = (t - x @ t.T @ x) / 2
    assert_close(jvp(f, (x,), (t,))[1], jvp(f, (x,), (kept,))[1], 1e-12)
    h = rng.standard_normal((4, 4))
    gradient = grad(lambda x: np.sum(h * (lambda u, cs, vh: u @ cs @ vh)(*f(x))))(x)
    assert_close(gradient, (h - x @ h.T @ x) / 2, 1e-12)


def test_what_is_open_is_checked():
    x = np.linalg.qr(normal(rng, 4, 4, is_complex=True))[0]
    for i in (0, 2):
        with pytest.raises(GaugeError, match="common phase of columns"):
            grad(lambda x, i=i: np.sum(np.real(linalg.cossin(x, 2, 2)[i])))(x)
        assert np.isfinite(grad(lambda x, i=i: np.sum(np.real(linalg.cossin(x, 2, 2, gauge="project")[i])))(x)).all()
    with pytest.raises(ValueError, match="gauge must be one of"):
        grad(lambda x: np.sum(linalg.cossin(x, 2, 2, gauge="fix")[1]))(x)
    wide = np.linalg.qr(rng.standard_normal((5, 5)))[0]  # u1 has columns without partners
    with pytest.raises(GaugeError, match="choice of a basis for angles 0 and 1"):
        grad(lambda x: linalg.cossin(x, 4, 3)[0][0, 0] ** 3)(wide)


@pytest.mark.parametrize("theta", [(0.4, 0.4), (0.0, 0.0), (np.pi / 2, np.pi / 2)])
def test_equal_angles(theta):
    """Angles that may separate: columns by themselves, and losses that look at them with their angles, are refused."""
    x = with_angles(4, 2, 2, np.array(theta), "d")
    with pytest.raises(GaugeError, match="angles 0 and 1"):
        grad(lambda x: np.sum(linalg.cossin(x, 2, 2)[0] ** 4))(x)
    h = rng.standard_normal((4, 4))
    with pytest.raises(GaugeError, match=r"angles 0 and 1.*compute_u=False"):
        grad(lambda x: np.sum(h * (lambda u, cs, vh: u @ cs @ vh)(*linalg.cossin(x, 2, 2))))(x)
    with pytest.raises(GaugeError, match="separates them"):
        jvp(lambda x: linalg.cossin(x, 2, 2), (x,), (near(x, 0)[1],))
    with pytest.raises(GaugeError, match="no digit left"):
        grad(lambda x: np.sum(grad(lambda x: np.sum(linalg.cossin(x, 2, 2)[1] ** 3))(x) ** 2))(x)
    u1v1 = grad(lambda x: np.sum(h[:2, :2] * (lambda u, t, v: u[0] @ v[0])(*linalg.cossin(x, 2, 2, True, gauge="project"))))(x)
    if 0.1 < theta[0] < 1.5:  # u1 v1^H is the polar factor of x11
        polar = grad(lambda x: np.sum(h[:2, :2] * linalg.polar(x[:2, :2])[0]))(x)
        assert_close(u1v1, (polar - x @ polar.T @ x) / 2, 1e-10)
    assert np.isfinite(grad(lambda x: np.sum(linalg.cossin(x, 2, 2)[1] ** 3))(x)).all()


def test_an_angle_that_is_0_by_its_value():
    x = with_angles(4, 2, 2, np.array([0.0, 0.7]), "d")
    with pytest.raises(GaugeError, match=r"angle 0, which is 0 or pi / 2"):
        grad(lambda x: (lambda u, t, v: np.sum(u[1] * np.sin(t) @ v[0]))(*linalg.cossin(x, 2, 2, True)))(x)
    second = lambda x: (lambda u, t, v: np.sum(np.outer(u[0][:, 1], v[0][1]) * [[1, 2], [3, 5]]))(*linalg.cossin(x, 2, 2, True))  # noqa: E731
    curve, tangent = near(x, 0)
    assert_close(np.sum(grad(second)(x) * tangent), (second(curve(1e-5)) - second(curve(-1e-5))) / 2e-5, 1e-7)


def test_small_angles_keep_their_digits():
    """Gaps of 1e-6 between angles of 1e-6: quotients by c_j^2 - c_i^2 would leave four digits."""
    x = with_angles(6, 3, 3, np.array([1e-6, 2e-6, 0.9]), "d")
    t, h = near(x, 0)[1], rng.standard_normal((3, 3))

    def f(x):
        u, _, v = linalg.cossin(x, 3, 3, True)
        return u[0][:, :2] ** 2, h * (u[0] @ v[0])

    exact = jvp(lambda x: h * linalg.polar(x[:3, :3])[0], (x,), (t,))[1]
    found = jvp(f, (x,), (t,))[1]
    assert_close(found[1], exact, 1e-9)
    assert np.abs(found[0]).max() > 1e4


def test_value_and_gradient_take_one_decomposition(monkeypatch):
    module = sys.modules["scigrad.linalg.unitary.cossin"]
    calls, original = [], module.host
    monkeypatch.setattr(module, "host", lambda name: calls.append(name) or original(name))
    x = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    value_and_grad(lambda x: np.sum(linalg.cossin(x, 2, 2)[0] ** 4))(x)
    assert calls == ["cossin"]


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
