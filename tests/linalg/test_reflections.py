"""QR with pivoting and the Hessenberg form on a device: our own reflections against LAPACK's."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import linalg
from scigrad.linalg.on_device.reflections import reflection
from scigrad.testing import assert_close, make_array
from scigrad.testing.arrays import to_host
from scigrad.testing.draw import normal

rng = np.random.default_rng(29)
random = partial(normal, rng)


def ratio(difference, a, kind):
    """In units of n * eps * |a|."""
    if not a.size:
        return 0.0
    return np.abs(difference).max() / (max(a.shape[-2:]) * np.finfo(kind).eps * np.abs(a).sum(axis=-1).max())


def leaves(out):
    return [y for x in (out if isinstance(out, tuple) else (out,)) for y in (x if isinstance(x, tuple) else (x,))]


@pytest.mark.parametrize("kind", "fdFD")
@pytest.mark.parametrize("mode", ["full", "economic", "r", "raw"])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (1, 1), (3, 0), (0, 2), (30, 20)])
def test_pivoted_qr_is_lapack_s(kind, mode, shape):
    a = random(2, *shape, dtype=kind)
    found = leaves(to_host(linalg.qr(make_array(a, "device"), mode=mode, pivoting=True)))
    for i in range(2):
        for x, y in zip(found, leaves(scipy.linalg.qr(a[i], mode=mode, pivoting=True)), strict=True):
            assert x[i].shape == y.shape
            assert x.dtype == y.dtype or x.dtype.kind == "i" == y.dtype.kind
            assert_close(x[i], y, 1e-12 if kind in "dD" else 1e-4)


@pytest.mark.parametrize("kind", "fdFD")
def test_pivoted_qr_of_dependent_columns(kind):
    a = random(3, 12, 9, dtype=kind)
    a[1, :, 4], a[1, :, 7], a[2] = a[1, :, 0], 0, 0
    q, r, p = to_host(linalg.qr(make_array(a, "device"), mode="economic", pivoting=True))
    assert ratio(q @ r - np.take_along_axis(a, p[:, None], -1), a, kind) < 30
    assert ratio(np.conj(q.mT) @ q - np.eye(9), np.eye(9), kind) < 30
    assert (np.abs(np.diagonal(r[1]))[7:] <= 1e-5 * np.abs(r[1, 0, 0])).all()


@pytest.mark.parametrize("kind", "fdFD")
@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 20])
def test_the_hessenberg_form_is_lapack_s(kind, n):
    a = random(2, n, n, dtype=kind)
    if n > 4:
        a[1, 6:, :3] = 0
    h, q = to_host(linalg.hessenberg(make_array(a, "device"), True))
    assert h.dtype == q.dtype == kind
    assert ratio(q @ h @ np.conj(q.mT) - a, a, kind) < 30
    for i in range(2 if n else 0):
        assert_close((h[i], q[i]), scipy.linalg.hessenberg(a[i], True), 1e-12 if kind in "dD" else 2e-3)


def test_a_hessenberg_form_that_fails_spares_its_neighbours():
    a = random(3, 4, 4, dtype="d")
    a[1, 2, 2] = np.inf
    h, _, info = to_host(linalg.hessenberg(make_array(a, "device"), True, on_fail="info"))
    assert info.tolist() == [0, -1, 0]
    assert np.isnan(h[1]).all()
    assert_close(h[2], scipy.linalg.hessenberg(a[2]))


@pytest.mark.parametrize("power", [-500, 500])
def test_factors_scale_exactly(power):
    a, scale = random(6, 4, dtype="D"), 2.0**power
    for x in (a, np.triu(a, 2)):
        found, expected = (to_host(linalg.qr(make_array(y, "device"), pivoting=True)) for y in (x * scale, x))
        assert np.array_equal(found[0], expected[0])
        assert np.array_equal(found[1], expected[1] * scale)
    h, scaled = (to_host(linalg.hessenberg(make_array(y, "device"))) for y in (a[:4], a[:4] * scale))
    assert np.array_equal(h * scale, scaled)


def test_nothing_is_reflected_that_points_along_the_first_axis():
    v, tau, beta = reflection(np.array([[-2.0, 0, 0], [0, 0, 0], [-0.0, 3, 4]]))
    assert tau.tolist() == [0, 0, 1]
    assert beta.tolist() == [-2, 0, 5]
    assert_close(v[:2], np.eye(3)[:1] + np.zeros((2, 1)), 1e-15)
