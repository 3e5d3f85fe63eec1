"""The generalised Schur form on a device: residuals, infinite eigenvalues, blocks, sorting, failures, derivatives."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import grad, linalg
from scigrad.linalg.unitary.moler_stewart import generalized_schur_form
from scigrad.testing import assert_close, device, make_array
from scigrad.testing.arrays import to_host
from scigrad.testing.draw import normal

rng = np.random.default_rng(53)
random = partial(normal, rng)
KINDS = "fdFD"


def adjoint(x):
    return np.conj(x).mT


def hard(n, kind):
    """Pairs that are singular, have infinite or equal eigenvalues, or stall the shifts."""
    x, y = random(2, n, n, dtype=kind)
    q, w, one, step = np.linalg.qr(x)[0], np.linalg.qr(y)[0], np.eye(n), np.eye(n, k=1)
    low, half = y[:, :1] @ y[:1], np.diag(np.arange(n) % 2 * 1.0)
    return {
        "random": (x, y), "b is 1": (x, one), "a is 1": (one, x), "equal": (x, x), "b is 0": (x, 0 * x), "a is 0": (0 * x, x),
        "both are 0": (0 * x, 0 * x), "b of rank 1": (x, low), "a of rank 1": (low, x), "both of rank 1": (low, x[:, :1] @ x[:1]),
        "half infinite": (q @ w, q @ half @ w), "infinite Jordan block": (q @ w, q @ step @ w), "unitary": (q, w),
        "Jordan block": (q @ step @ w, q @ w), "near to one": (q @ (one + step) @ w, q @ w), "skew": (x - adjoint(x), one),
        "triangular": (np.triu(x), y), "definite": (x @ adjoint(x), y @ adjoint(y)), "cyclic": (np.roll(one, 1, 0), one),
        "cyclic, infinite": (np.roll(one, 1, 0), half),
        "graded": (x * 10.0 ** -np.arange(n)[:, None], y * 10.0 ** -np.arange(n)), "integers": (np.round(1.5 * x), np.round(y)),
        "singular pencil": (q @ np.diag(np.arange(n) * half.diagonal()) @ w, q @ half @ w), "both nilpotent": (step.T, step),
    }  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "waits"), [(1, True), (2, True), (3, True), (4, True), (9, True), (3, False)])
def test_residuals(kind, n, waits):
    a, b = (np.stack([x.astype(kind) for x in side]) for side in zip(*hard(n, kind).values(), strict=True))
    (s, p, q, z), failed = to_host(generalized_schur_form(*make_array((a, b), "device"), waits))
    assert {x.dtype.char for x in (s, p, q, z)} == {kind}
    assert not failed.any()
    unit = n * np.finfo(kind).eps
    for form, given in ((s, a), (p, b)):
        size = np.maximum(np.abs(given).sum(axis=-1).max(axis=-1), np.finfo(kind).tiny)[:, None, None]
        assert (np.abs(q @ form @ adjoint(z) - given) / size).max() < 30 * unit
    for x in (q, z):
        assert np.abs(x @ adjoint(x) - np.eye(n)).max() < 30 * unit
    own = np.diagonal(p, 0, -2, -1)
    assert not np.tril(p, -1).any()
    assert not own.imag.any()
    assert (own.real >= 0).all()
    if kind in "FD":
        assert not np.tril(s, -1).any()
        return
    blocks = np.diagonal(s, -1, -2, -1) != 0
    assert not np.tril(s, -2).any()
    assert not (blocks[:, 1:] & blocks[:, :-1]).any()
    assert not np.diagonal(p, 1, -2, -1)[blocks].any()
    for i, j in np.argwhere(blocks):  # eigenvalues of blocks are complex
        w = scipy.linalg.eigvals(s[i, j : j + 2, j : j + 2], p[i, j : j + 2, j : j + 2])
        assert (np.abs(w.imag) > 0).all()


@pytest.mark.parametrize("kind", "dD")
@pytest.mark.parametrize("name", ["random", "half infinite", "b of rank 1", "both nilpotent", "definite"])
def test_eigenvalues_are_lapack_s(kind, name):
    a, b = (x.astype(kind) for x in hard(8, kind)[name])
    s, p, *_ = to_host(linalg.qz(*make_array((a, b), "device"), "complex"))
    expected = scipy.linalg.qz(a, b, "complex")
    assert (np.diagonal(p) == 0).sum() == (np.diagonal(expected[1]) == 0).sum()
    found, truth = (np.sort_complex(np.diagonal(y) / (np.diagonal(x) + 1j * np.diagonal(y))) for x, y in ((s, p), expected[:2]))
    assert_close(np.abs(found), np.abs(truth), 1e-9)


@pytest.mark.parametrize("power", [-900, -300, 300, 900])
def test_factors_scale_exactly(power):
    a, b = random(2, 2, 5, 5, dtype="d")
    s, p, q, z = to_host(linalg.qz(*make_array((a, b), "device")))
    scaled = to_host(linalg.qz(*make_array((np.ldexp(a, power), np.ldexp(b, -power)), "device")))
    for x, y in zip(scaled, (np.ldexp(s, power), np.ldexp(p, -power), q, z), strict=True):
        assert np.array_equal(x, y)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sort", ["lhp", "rhp", "iuc", "ouc", lambda alpha, beta: np.abs(alpha) > 1.5 * np.abs(beta)])
def test_sorted_forms(kind, sort):
    a, b = random(2, 6, 7, 7, dtype=kind)
    b[:, :, 2] = 0  # an infinite eigenvalue
    s, p, alpha, beta, q, z = to_host(linalg.ordqz(*make_array((a, b), "device"), sort))
    unit = 7 * np.finfo(kind).eps
    for form, given in ((s, a), (p, b)):
        assert np.abs(q @ form @ adjoint(z) - given).max() < 100 * unit
    for i in range(6):
        expected = scipy.linalg.ordqz(a[i], b[i], sort)
        chosen = np.array(_chosen(sort, alpha[i], beta[i]))
        count = _chosen(sort, expected[2], expected[3]).sum()
        assert chosen[:count].all()
        assert not chosen[count:].any()
        spans = z[i, :, :count], expected[5][:, :count]
        assert_close(*(x @ adjoint(x) for x in spans), 1e-8 if kind in "dD" else 0.05)
        values = [np.sort_complex(x / (x + 1j * y)) for x, y in ((alpha[i], beta[i]), expected[2:4])]
        assert_close(*(np.sort(np.abs(x)) for x in values), 1e-8 if kind in "dD" else 0.01)


def _chosen(sort, alpha, beta):
    if callable(sort):
        return sort(alpha, beta)
    finite = beta != 0
    w = alpha / np.where(finite, beta, 1)
    inside = {"lhp": w.real < 0, "rhp": w.real > 0, "iuc": np.abs(w) < 1, "ouc": np.abs(w) > 1}[sort]
    return np.where(finite, inside, sort == "ouc")


def test_equal_eigenvalues_are_left_where_they_are():
    """A sort that tells equal eigenvalues apart asks for exchanges that no basis has; the form stays one."""
    block = np.array([[0.0, 1], [-1, 0]])
    a = np.zeros((1, 6, 6))
    a[0, :2, :2] = a[0, 2:4, 2:4] = block
    a[0, 4, 4] = a[0, 5, 5] = 1
    a += np.triu(rng.standard_normal((6, 6)), 4)
    odd = make_array(np.array([[False, False, True, True, False, True]]), "device")
    t, z, _ = to_host(linalg.schur(make_array(a, "device"), sort=lambda x, y: odd))
    assert np.abs(z @ t @ z.mT - a).max() < 1e-13
    s, p, _, _, q, z = to_host(linalg.ordqz(*make_array((a, np.eye(6) + 0 * a), "device"), lambda alpha, beta: odd))
    assert np.abs(q @ s @ z.mT - a).max() < 1e-13
    assert np.abs(q @ p @ z.mT - np.eye(6)).max() < 1e-13


@pytest.mark.parametrize("function", [linalg.qz, linalg.ordqz])
def test_failures_spare_their_neighbours_and_do_not_wait(function):
    a, b = random(3, 3, 3, dtype="d"), random(3, 3, dtype="d")
    a[1, 0, 0] = np.nan
    before = device.sync_count
    *parts, info = function(*make_array((a, b), "device"), on_fail="info")
    assert device.sync_count == before
    assert info.get().tolist() == [0, -1, 0]
    s, p, *_, q, z = to_host(tuple(parts))
    assert np.isnan(s[1]).all()
    assert_close((q @ s @ z.mT)[[0, 2]], a[[0, 2]], 1e-13)
    assert_close((q @ p @ z.mT)[[0, 2]], np.stack([b, b]), 1e-13)
    with pytest.raises(np.linalg.LinAlgError, match=rf"{function.__name__}.*did not converge at batch index \(1,\)"):
        function(*make_array((a, b), "device"), check_finite=False)


@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("output", ["real", "complex"])
def test_no_matrices(n, output):
    """As eval_shape asks."""
    a = make_array(np.zeros((0, n, n)), "device")
    for function in (linalg.qz, linalg.ordqz):
        assert {x.shape for x in function(a, a, output=output) if x.ndim > 2} == {(0, n, n)}
    for sort in (None, "lhp"):
        assert linalg.schur(a, output, sort=sort)[1].shape == (0, n, n)


def test_one_wait_for_each_sweep():
    a, b = make_array(random(2, 20, 8, 8, dtype="d"), "device")
    before = device.sync_count
    linalg.ordqz(a, b)
    assert device.sync_count - before <= 8 * 3 + 1


@pytest.mark.parametrize("kind", "dD")
def test_the_gradient_of_a_function_of_the_pair(kind):
    a, b, h = random(2, 5, 5, dtype=kind), random(2, 5, 5, dtype=kind), random(5, 5, dtype=kind)

    def loss(a, b):
        s, p, q, z = linalg.qz(a, b)
        return np.sum(np.real(np.conjugate(h_) * (q @ s @ linalg.solve(p, s, on_fail="nan") @ np.conjugate(z).mT)))  # a b^-1 a

    h_ = make_array(h, "device")
    a_bar, b_bar = to_host(grad(loss, (0, 1))(*make_array((a, b), "device")))
    left, right = a @ np.linalg.inv(b), np.linalg.inv(b) @ a
    assert_close(a_bar, h @ adjoint(right) + adjoint(left) @ h, 1e-8)
    assert_close(b_bar, -adjoint(left) @ h @ adjoint(right), 1e-8)


@pytest.mark.parametrize("output", ["real", "complex"])
def test_derivatives_of_eigenvalues_are_those_of_the_host(output):
    a, b = random(2, 6, 6, dtype="d")

    def loss(a, b):
        _, _, alpha, beta, _, z = linalg.ordqz(a, b, "lhp", output)
        return np.sum(np.abs(alpha / beta) ** 2) + np.abs(z[0, 0]) ** 2 * 0

    found = to_host(grad(loss, (0, 1))(*make_array((a, b), "device")))
    assert_close(found, grad(loss, (0, 1))(a, b), 1e-9)
