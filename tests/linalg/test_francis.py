"""The Schur form on a device: residuals of hard matrices, blocks, sorting, failures, derivatives."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import GaugeError, grad, linalg
from scigrad.linalg.unitary.francis import schur_form
from scigrad.testing import assert_close, device, make_array
from scigrad.testing.arrays import to_host
from scigrad.testing.draw import normal

rng = np.random.default_rng(37)
random = partial(normal, rng)
KINDS = "fdFD"


def adjoint(x):
    return np.conj(x).mT


def hard(n, kind):
    """Matrices at which a shift stalls, and those whose eigenvalues are ill-conditioned or of wildly different size."""
    x = random(n, n, dtype=kind)
    q = np.linalg.qr(x)[0]
    return {
        "random": x, "hermitian": x + adjoint(x), "skew": x - adjoint(x), "unitary": q, "triangular": np.triu(x), "zero": 0 * x,
        "cyclic": np.roll(np.eye(n), 1, 0), "Jordan": q @ np.eye(n, k=1) @ adjoint(q), "low rank": x[:, :1] @ x[:1],
        "near to Jordan": q @ (np.eye(n) + np.eye(n, k=1)) @ adjoint(q), "graded": x * 10.0 ** -np.arange(n)[:, None],
        "companion": scipy.linalg.companion(np.arange(1.0, n + 2)), "integers": np.round(1.5 * x),
    }  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [2, 3, 4, 9])
@pytest.mark.parametrize("waits", [False, True])
def test_residuals(kind, n, waits):
    a = np.stack([x.astype(kind) for x in hard(n, kind).values()])
    t, z, failed = to_host(schur_form(make_array(a, "device"), waits))
    assert t.dtype == z.dtype == kind
    assert not failed.any()
    unit = n * np.finfo(kind).eps
    size = np.maximum(np.abs(a).sum(axis=-1).max(axis=-1), np.finfo(kind).tiny)[:, None, None]
    assert (np.abs(z @ t @ adjoint(z) - a) / size).max() < 30 * unit
    assert np.abs(z @ adjoint(z) - np.eye(n)).max() < 30 * unit
    below, above, own = (np.diagonal(t, k, -2, -1) for k in (-1, 1, 0))
    if kind in "FD":
        assert not np.tril(t, -1).any()
        return
    blocks = below != 0
    assert not np.tril(t, -2).any()
    assert not (blocks[:, 1:] & blocks[:, :-1]).any()
    assert (own[:, 1:] == own[:, :-1])[blocks].all()
    assert (np.sign(below) * np.sign(above) < 0)[blocks].all()


@pytest.mark.parametrize("kind", KINDS)
def test_eigenvalues_are_lapack_s(kind):
    a = random(4, 12, 12, dtype=kind)
    found = np.diagonal(to_host(linalg.schur(make_array(a, "device"), "complex"))[0], 0, -2, -1)
    for w, x in zip(found, a, strict=True):
        expected = np.linalg.eigvals(x)
        distance = np.abs(w[:, None] - expected)
        assert np.maximum(distance.min(axis=0), distance.min(axis=1)).max() < (1e-11 if kind in "dD" else 1e-3)


@pytest.mark.parametrize("power", [-900, -300, 300, 900])
def test_factors_scale_exactly(power):
    a = random(2, 5, 5, dtype="d")
    t, z = to_host(linalg.schur(make_array(a, "device")))
    scaled = to_host(linalg.schur(make_array(np.ldexp(a, power), "device")))
    assert np.array_equal(scaled[0], np.ldexp(t, power))
    assert np.array_equal(scaled[1], z)


@pytest.mark.parametrize("sort", ["lhp", "rhp", "iuc", "ouc", lambda w: w.imag > 0])
def test_sorted_forms(sort):
    a = random(5, 7, 7, dtype="D") / 2
    t, z, number = to_host(linalg.schur(make_array(a, "device"), sort=sort))
    assert np.abs(z @ t @ adjoint(z) - a).max() < 1e-13
    for i, x in enumerate(a):
        _, projector, expected = scipy.linalg.schur(x, sort=sort if isinstance(sort, str) else lambda w: w.imag > 0)
        assert number[i] == expected
        span, of_scipy = z[i, :, :expected], projector[:, :expected]
        assert_close(span @ adjoint(span), of_scipy @ adjoint(of_scipy), 1e-9)


@pytest.mark.parametrize("sort", ["lhp", "rhp", "iuc", "ouc", lambda x, y: np.abs(y) > np.abs(x)])
@pytest.mark.parametrize("kind", "fd")
def test_sorted_real_forms(sort, kind):
    a = random(20, 7, 7, dtype=kind) / 2
    before = device.sync_count
    t, z, number = linalg.schur(make_array(a, "device"), sort=sort, on_fail="nan")
    assert device.sync_count == before
    t, z, number = to_host((t, z, number))
    assert np.abs(z @ t @ z.mT - a).max() < 200 * np.finfo(kind).eps
    assert not np.tril(t, -2).any()
    blocks = np.diagonal(t, -1, -2, -1) != 0
    assert blocks.any()
    assert not (blocks[:, 1:] & blocks[:, :-1]).any()
    for i, x in enumerate(a):
        _, expected, count = scipy.linalg.schur(x, sort=sort)
        assert number[i] == count
        spans = z[i, :, :count], expected[:, :count]
        assert_close(*(y @ y.T for y in spans), 1e-9 if kind == "d" else 1e-2)


@pytest.mark.parametrize("gap", [1e-4, 1e-8, 1e-12, 1e-16])
def test_exchanges_of_nearly_equal_blocks_are_stable(gap):
    t = np.triu(10 * rng.standard_normal((10, 6, 6)), 1)
    for i in (0, 2, 4):
        t[:, i : i + 2, i : i + 2] = [[0, 1 + i * gap], [-1, 0]]
    t += np.diag(gap * np.array([1, 1, -1, -1, 1, 1]))
    found, z, _ = to_host(linalg.schur(make_array(t, "device"), sort="lhp"))
    assert np.abs(z @ found @ z.mT - t).max() < 30 * 6 * np.finfo(float).eps * np.abs(t).sum(axis=-1).max()


def test_failures_spare_their_neighbours_and_do_not_wait():
    a = random(3, 4, 4, dtype="d")
    a[1, 0, 0] = np.nan
    before = device.sync_count
    t, z, info = linalg.schur(make_array(a, "device"), on_fail="info")
    assert device.sync_count == before
    assert info.get().tolist() == [0, -1, 0]
    t, z = to_host((t, z))
    assert np.isnan(t[1]).all()
    assert_close((z @ t @ z.mT)[[0, 2]], a[[0, 2]], 1e-13)
    with pytest.raises(np.linalg.LinAlgError, match=r"schur.*did not converge at batch index \(1,\)"):
        linalg.schur(make_array(a, "device"))


@pytest.mark.parametrize("kind", "dD")
def test_the_gradient_of_a_function_of_the_matrix(kind):
    a, h = random(2, 5, 5, dtype=kind), random(5, 5, dtype=kind)

    def loss(a, h):
        t, z = linalg.schur(a)
        return np.sum(np.real(np.conjugate(h) * (z @ t @ t @ np.conjugate(z).mT)))

    found = grad(loss)(*make_array((a, h), "device")).get()
    assert_close(found, h @ adjoint(a) + adjoint(a) @ h, 1e-9)


def test_what_is_not_determined_is_refused():
    a = make_array(np.eye(3), "device")
    with pytest.raises(GaugeError, match="equal eigenvalues"):
        grad(lambda a: linalg.schur(a, gauge="check")[0][0, 0] ** 3)(a)
    assert_close(grad(lambda a: np.sum(linalg.schur(a, gauge="check")[0] ** 2))(a).get(), 2 * np.eye(3), 1e-14)


@pytest.mark.parametrize("kind", "fd")
def test_rsf2csf_is_scipy_s(kind):
    for n in (0, 1, 5, 8):
        a = random(3, n, n, dtype=kind)
        pairs = [scipy.linalg.schur(x) if n else (x, x) for x in a]
        t, z = (np.stack(x) for x in zip(*pairs, strict=True))
        found = to_host(linalg.rsf2csf(*make_array((t, z), "device")))
        for i in range(3 if n else 0):
            assert_close((found[0][i], found[1][i]), scipy.linalg.rsf2csf(t[i], z[i]), 1e-12 if kind == "d" else 1e-3)
