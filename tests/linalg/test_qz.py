"""qz, ordqz: derivatives of larger pairs, equal eigenvalues, what is left open, scale, failures."""

import sys
from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import GaugeError, grad, hvp, jvp, linalg, value_and_grad
from scigrad.autodiff_rules import raw
from scigrad.testing import assert_close
from scigrad.testing.draw import normal
from scigrad.testing.gradcheck import (
    check_forward,
    check_law,
    directional_difference,
    gradcheck,
    second_order_functions,
)

rng = np.random.default_rng(47)
random = partial(normal, rng)


@pytest.fixture(params=[False, True], ids=["real", "complex"])
def is_complex(request):
    return request.param


def test_derivatives_to_second_order(is_complex):
    a, b = random(4, 4, is_complex=is_complex), random(4, 4, is_complex=is_complex)

    def f(a, b):
        s, p, q, z = linalg.qz(a, b, "complex")
        return (
            np.abs(s) ** 2,
            np.abs(p) ** 2,
            np.abs(q) ** 2,
            np.abs(z) ** 2,
            np.real(np.diagonal(p)),
            q @ p @ np.conjugate(z).mT,
        )

    gradcheck(f, a, b, step=1e-4, rtol=1e-6)
    for rule in second_order_functions(f, (a, b)):
        check_forward(rule, (a, b), 1e-4, step=1e-4)
        check_law(rule, (a, b), 1e-8)


def with_block(first):
    """A pair with real output of which a 2 x 2 block comes first, or in the middle."""
    s, p = np.triu(random(5, 5)), np.triu(random(5, 5)) + 4 * np.eye(5)
    s[first : first + 2, first : first + 2] = [[1, 2], [-1.5, 1.2]]
    q, z = (np.linalg.qr(random(5, 5))[0] for _ in "qz")
    return q @ s @ z.T, q @ p @ z.T


@pytest.mark.parametrize("sort", ["iuc", "ouc"])
def test_blocks_of_the_real_form_to_second_order(sort):
    a, b = with_block(1)

    def f(a, b):
        s, p, alpha, beta, q, z = linalg.ordqz(a, b, sort)
        starts = [i for i in range(5) if i == 0 or raw(s)[i, i - 1] == 0]
        spans = [x[:, i:] @ x[:, i:].T for x in (q, z) for i in starts]
        volumes = [np.prod(np.diagonal(p)[i:]) for i in starts]
        whole = q @ s @ linalg.solve(p, s) @ z.T
        return *spans, *volumes, whole, alpha / beta, [np.sum(s[i:, i:] ** 2) for i in starts]

    assert (np.diagonal(linalg.ordqz(a, b, sort)[0], -1) != 0).any()
    gradcheck(f, a, b, step=1e-4, rtol=1e-6)
    for rule in second_order_functions(f, (a, b)):
        check_forward(rule, (a, b), 1e-4, step=1e-4)
        check_law(rule, (a, b), 1e-8)


def test_eigenvalues_of_a_block_of_negative_determinant():
    a = np.array([[-1.385, 1.942, -0.053], [1.942, 1.181, 0.232], [0, 0, 0.3]])
    b = np.array([[-1.15, 0, 0.086], [0, 0.869, -0.129], [0, 0, 1.0]])
    p = linalg.ordqz(a, b, "iuc")[1]
    assert p[1, 1] * p[2, 2] < 0

    def loss(a, b, output):
        _, _, alpha, beta, _, _ = linalg.ordqz(a, b, "iuc", output)
        return np.sum(np.real(alpha / beta) ** 3 + np.imag(alpha / beta) ** 2)

    found, expected = (
        grad(lambda a, b, o=output: loss(a, b, o), (0, 1))(a, b) for output in ("real", "complex")
    )
    assert_close(found, expected, 1e-12)


def test_the_two_outputs_agree():
    """A loss of the pair by way of the real form with blocks, and of the complex one."""
    a, b = with_block(0)

    def loss(a, b, output):
        s, p, q, z = linalg.qz(a, b, output)
        w = linalg.solve(p, s)
        return np.sum(
            np.real(h * (z @ w @ w @ np.conjugate(z).mT) + g * (q @ s @ w @ np.conjugate(z).mT))
        )

    g, h = random(2, 5, 5)
    found, expected = (
        grad(lambda a, b, o=output: loss(a, b, o), (0, 1))(a, b) for output in ("real", "complex")
    )
    assert_close(found, expected, 1e-9)
    t = random(2, 5, 5)
    for x, y in zip(
        *(hvp(lambda a, b, o=o: loss(a, b, o), (a, b), tuple(t)) for o in ("real", "complex")),
        strict=True,
    ):
        assert_close(x, y, 1e-8)


def test_equal_eigenvalues(is_complex):
    """b = a: all eigenvalues are 1, and the loss is <h, a b^-1 a>, which needs no eigenvalue."""
    a, h = random(3, 3, is_complex=is_complex), random(3, 3, is_complex=is_complex)

    def loss(a, b):
        s, p, q, z = linalg.qz(a, b)
        whole = q @ s @ linalg.solve(p, s) @ np.conjugate(z).mT  # a b^-1 a
        return np.sum(np.real(np.conjugate(h) * whole))

    a_bar, b_bar = grad(loss, (0, 1))(a, a)
    assert_close(a_bar, 2 * h, 1e-9)
    assert_close(b_bar, -h, 1e-9)
    with pytest.raises(GaugeError, match="eigenvalues are equal"):
        grad(lambda b: np.sum(np.abs(linalg.qz(a, b)[0]) ** 4))(a)


@pytest.mark.parametrize("output", ["real", "complex"])
@pytest.mark.parametrize("exact", [False, True])
def test_infinite_eigenvalues(output, exact, is_complex):
    """The sum of beta / (alpha + c beta) is tr (a + c b)^-1 b, smooth where a beta is 0; to second
    order.
    """
    a, b = random(2, 4, 4, is_complex=is_complex)
    if exact:
        a, b = np.triu(a), np.triu(b)
        b[1, 1] = 0
    else:
        b[:, 1] = 2 * b[:, 0]
    t, c = random(2, 4, 4, is_complex=is_complex), 0.3 + 1j

    def loss(a, b):
        _, _, alpha, beta, _, _ = linalg.ordqz(a, b, "ouc", output)
        return np.real(np.sum(beta / (alpha + c * beta)))

    def expected(a, b):
        return np.real(np.trace(linalg.solve(a + c * b, b + 0j)))

    assert_close(grad(loss, (0, 1))(a, b), grad(expected, (0, 1))(a, b), 1e-9)
    assert_close(hvp(loss, (a, b), tuple(t)), hvp(expected, (a, b), tuple(t)), 1e-8)


PAIRS = {
    "one": np.eye(3),
    "apart": np.array([[1.0, 1, 1], [0, 2, 1], [0, 0, 1]]),
    "beside": np.diag([1.0, 1, 2]),
    "blocks": np.kron(np.eye(2), np.array([[1.0, 2], [-2, 1]])),
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("output", ["real", "complex"])
def test_losses_of_the_form_alone_are_symmetric_in_equal_eigenvalues(name, output):
    """tr (a b^-1)^2 has its gradient; one of the eigenvalues has none, and their sum none by way of
    two diagonals.
    """
    core = PAIRS[name]
    n = len(core)
    q, z, b = (
        np.linalg.qr(random(n, n))[0],
        np.linalg.qr(random(n, n))[0],
        np.triu(random(n, n)) + 3 * np.eye(n),
    )
    a, b = q @ core @ b @ z.T, q @ b @ z.T

    def loss(a):
        s, p, _, _ = linalg.qz(a, b, output)
        w = linalg.solve(p, s)
        return np.real(np.trace(w @ w))

    inverse = np.linalg.inv(b)
    assert_close(grad(loss)(a), 2 * (inverse @ a @ inverse).T, 1e-9)

    def quotients(a):
        _, _, alpha, beta, _, _ = linalg.ordqz(
            a, b, lambda alpha, beta: np.abs(alpha) < 1.5 * np.abs(beta), output
        )
        return np.real(alpha / beta)

    with pytest.raises(GaugeError, match="whose eigenvalues are equal"):
        grad(lambda a: quotients(a)[0] ** 2)(a)
    with pytest.raises(GaugeError, match="whose eigenvalues are equal"):
        grad(lambda a: np.sum(quotients(a)))(a)
    if name == "beside":  # and the one that is alone has its own
        w, left, right = scipy.linalg.eig(a, b, left=True)
        i = np.argmax(np.abs(w))
        expected = np.real(np.outer(left[:, i], right[:, i]) / (left[:, i] @ b @ right[:, i]))
        assert_close(grad(lambda a: quotients(a)[2])(a), expected, 1e-9)


@pytest.mark.parametrize("apart", [False, True])
def test_jordan_blocks_are_refused(apart):
    core = (
        np.array([[1.0, 1, 0], [0, 2, 1], [0, 0, 1]])
        if apart
        else np.array([[1.0, 1, 0], [0, 1, 0], [0, 0, 3]])
    )
    for loss in (
        lambda s, p: np.sum(np.diagonal(s) ** 3),
        lambda s, p: np.trace(linalg.solve(p, s)),
    ):
        with pytest.raises(
            GaugeError, match=r"Jordan block.*gauge='trust'|whose eigenvalues are equal"
        ):
            grad(lambda a, f=loss: f(*linalg.qz(a, np.eye(3))[:2]))(core)
    trusted = grad(
        lambda a: (lambda w: np.trace(w @ w @ w))(linalg.qz(a, np.eye(3), gauge="trust")[0])
    )(core)
    assert_close(trusted, 3 * (core @ core).T, 1e-10)


def test_what_is_open_is_checked():
    a, b = random(3, 3, is_complex=True), random(3, 3, is_complex=True)
    with pytest.raises(GaugeError, match="the phase of column"):
        grad(lambda a: np.sum(np.real(linalg.qz(a, b)[2])))(a)
    for gauge in ("project", "trust"):
        assert np.isfinite(
            grad(lambda a, g=gauge: np.sum(np.real(linalg.qz(a, b, gauge=g)[2])))(a)
        ).all()
    block, b = np.array([[1.0, 2], [-2, 1.5]]), np.array([[2.0, 1], [0.5, 1]])
    for loss in (
        lambda s, p, q, z: np.sum(s),
        lambda s, p, q, z: p[0, 1],
        lambda s, p, q, z: np.sum(q**4),
    ):
        with pytest.raises(GaugeError, match=r"columns 0 and 1.*make one block"):
            grad(lambda a, f=loss: f(*linalg.qz(a, b)))(block)
        assert np.isfinite(
            grad(lambda a, f=loss: f(*linalg.qz(a, b, gauge="project")))(block)
        ).all()
    for i in (2, 3):
        with pytest.raises(GaugeError, match=r"common scale.*output='complex'"):
            grad(lambda a, i=i: np.sum(np.abs(linalg.ordqz(a, b)[i])))(block)
        assert np.isfinite(
            grad(lambda a, i=i: np.sum(np.abs(linalg.ordqz(a, b, gauge="project")[i])))(block)
        ).all()


@pytest.mark.parametrize(
    "sort", ["lhp", "rhp", "iuc", "ouc", lambda alpha, beta: np.abs(alpha) < np.abs(beta)]
)
def test_sorted_forms(sort, is_complex):
    a, b = random(3, 3, is_complex=is_complex), random(3, 3, is_complex=is_complex)
    t = random(3, 3, is_complex=is_complex)
    expected = scipy.linalg.ordqz(a, b, sort, "complex")

    def first(a):
        _, _, alpha, beta, _, z = linalg.ordqz(a, b, sort, "complex")
        return alpha / beta, np.abs(z[:, :2]) ** 2

    found, tangent = jvp(first, (a,), (t,))
    assert_close(found, (expected[2] / expected[3], np.abs(expected[5][:, :2]) ** 2), 1e-10)
    assert_close(tangent, directional_difference(first, (a,), (t,), 1e-5), 1e-5)


@pytest.mark.parametrize("k", [-500, 500])
def test_scaling(k, is_complex):
    a, b, scale = random(3, 3, is_complex=is_complex), random(3, 3, is_complex=is_complex), 2.0**k

    def loss(a, b):
        s, p, q, z = linalg.qz(a, b, "complex")
        return (
            np.sum(np.abs(q) ** 4)
            + np.sum(np.abs(z) ** 4)
            + np.abs(s[0, 1] / s[0, 0])
            + np.abs(p[0, 1] / p[0, 0])
        )

    a_bar, b_bar = grad(loss, (0, 1))(a, b)
    found = grad(loss, (0, 1))(scale * a, scale * b)
    assert_close(scale * found[0], a_bar, 1e-10)
    assert_close(scale * found[1], b_bar, 1e-10)


def test_value_and_gradient_take_one_decomposition(monkeypatch):
    module = sys.modules["scigrad.linalg.schur_forms.qz"]
    calls = []
    original = module.host
    monkeypatch.setattr(module, "host", lambda name: calls.append(name) or original(name))
    a, b = random(3, 3), random(3, 3)
    value_and_grad(lambda a, b: np.sum(np.abs(linalg.qz(a, b, "complex")[0]) ** 4), (0, 1))(a, b)
    assert calls == ["qz"]


def test_failures_spare_their_neighbors():
    a, b = random(3, 2, 2), random(2, 2)
    a[1, 0, 0] = np.nan
    *parts, info = linalg.qz(a, b, on_fail="info")
    assert info.tolist() == [0, -1, 0]
    assert all(np.isnan(x[1]).all() for x in parts)
    assert_close(tuple(x[2] for x in parts), scipy.linalg.qz(a[2], b))
    assert linalg.ordqz(a, b, output="complex", on_fail="info")[-1].tolist() == [0, -1, 0]
    for output in ("real", "complex"):
        gradient = grad(
            lambda a, o=output: np.nansum(np.abs(linalg.qz(a, b, o, on_fail="nan")[0]) ** 2)
        )(a)
        assert_close(gradient[[0, 2]], 2 * a[[0, 2]], 1e-10)
