"""polar and orthogonal_procrustes at equal and zero singular values, failures, scaling, the cost of
a gradient.
"""

from functools import partial

import numpy as np
import pytest

from scigrad import GaugeError, grad, hvp, jvp, linalg, value_and_grad, vmap
from scigrad.linalg.singular_values import any_rank
from scigrad.testing import assert_close, device, make_array
from scigrad.testing.draw import normal
from scigrad.testing.gradcheck import directional_difference

rng = np.random.default_rng(14)
random = partial(normal, rng)


def with_values(s, shape, is_complex=False):
    k = len(s)
    u, v = (np.linalg.qr(random(n, n, is_complex=is_complex))[0][:, :k] for n in shape)
    return (u * np.array(s)) @ v.conj().T


@pytest.fixture(params=[False, True], ids=["real", "complex"])
def is_complex(request):
    return request.param


@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 4)])
@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("spectrum", [(2.0, 2, 2), (2.0, 2, 1), (2.0, 2 + 1e-12, 1)])
def test_equal_singular_values_to_second_order(spectrum, side, shape, is_complex):
    a, t, h = (
        with_values(spectrum, shape, is_complex),
        random(*shape, is_complex=is_complex),
        random(4, 4, is_complex=is_complex),
    )

    def loss(a):
        u, p = linalg.polar(a, side)
        return (
            np.sum(np.real(h[: u.shape[0], : u.shape[1]] * u))
            + np.sum(np.real(h[: p.shape[0], : p.shape[1]] * p)) ** 2
        )

    expected = directional_difference(loss, (a,), (t,))
    assert abs(jvp(loss, (a,), (t,))[1] - expected) <= 1e-8 * max(1, abs(expected))
    assert abs(np.real(np.vdot(grad(loss)(a), t)) - expected) <= 1e-8 * max(1, abs(expected))
    assert_close(hvp(loss, (a,), (t,))[1], directional_difference(grad(loss), (a,), (t,)), 1e-7)


def test_p_of_a_singular_matrix_has_the_subgradient_of_smallest_norm(is_complex):
    a = with_values((3, 2, 0, 0), (5, 4), is_complex)
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    assert_close(grad(lambda a: np.real(np.trace(linalg.polar(a)[1])))(a), u[:, :2] @ vh[:2], 1e-11)
    t = a @ random(4, 4, is_complex=is_complex)  # keeps the rank
    expected = directional_difference(lambda a: linalg.polar(a)[1], (a,), (t,))
    assert_close(jvp(lambda a: linalg.polar(a)[1], (a,), (t,))[1], expected, 1e-5)


def test_an_undetermined_u_raises(is_complex):
    a, t, h = (
        with_values((3, 0, 0), (3, 3), is_complex),
        *(random(3, 3, is_complex=is_complex) for _ in "th"),
    )

    def loss(a, **options):
        return np.sum(np.real(h * linalg.polar(a, **options)[0]))

    with pytest.raises(GaugeError, match="does not determine"):
        grad(loss)(a)
    with pytest.raises(GaugeError, match="the rank changes"):
        jvp(loss, (a,), (t,))
    assert np.isfinite(grad(lambda a: loss(a, gauge="project"))(a)).all()
    # the factor u of a real square matrix is determined up to a sign
    one_zero = with_values((3, 1, 0), (3, 3))
    assert np.isfinite(grad(lambda a: np.sum(np.real(h) * linalg.polar(a)[0]))(one_zero)).all()


def test_procrustes_recovers_a_rotation_and_its_derivative(is_complex):
    a, t = random(6, 3, is_complex=is_complex), random(3, 3, is_complex=is_complex)
    r = np.linalg.qr(random(3, 3, is_complex=is_complex))[0]
    generator = t - t.conj().T
    found, tangent = jvp(
        lambda b: linalg.orthogonal_procrustes(a, b)[0], (a @ r,), (a @ r @ generator,)
    )
    assert_close(found, r, 1e-13)
    assert_close(tangent, r @ generator, 1e-12)


def test_a_bad_matrix_does_not_spoil_its_neighbors():
    a = np.stack([with_values((3, 2), (3, 2)), np.full((3, 2), np.nan)])
    u, p, info = linalg.polar(a, on_fail="info")
    assert info.tolist() == [0, -1]
    assert np.isnan(u[1]).all()
    assert np.isnan(p[1]).all()
    for x, y in zip((u[0], p[0]), linalg.polar(a[0]), strict=True):
        assert_close(x, y, 1e-13)
    assert np.isfinite(grad(lambda a: np.sum(linalg.polar(a, on_fail="nan")[0][0]))(a)[0]).all()


@pytest.mark.parametrize("power", [-500, 500])
def test_gradients_scale_exactly(power, is_complex):
    a, h, t = (random(4, 3, is_complex=is_complex) for _ in "aht")
    scale = 2.0**power

    def loss(a):
        return np.real(np.vdot(h, linalg.polar(a)[0])) ** 2

    assert_close(grad(loss)(a * scale) * scale, grad(loss)(a), 1e-12)
    assert_close(hvp(loss, (a * scale,), (t * scale,))[1] * scale, hvp(loss, (a,), (t,))[1], 1e-12)


def test_value_and_gradient_take_one_decomposition(monkeypatch):
    calls = []
    plain = any_rank._svd_kernel
    monkeypatch.setattr(any_rank, "_svd_kernel", lambda *args: calls.append(1) or plain(*args))
    a = random(4, 3)
    value_and_grad(lambda a: np.sum(linalg.polar(a)[0]))(a)
    assert len(calls) == 1
    hvp(lambda a: np.sum(linalg.polar(a)[0]), (a,), (a,))
    assert len(calls) == 2


def test_a_device_is_not_waited_for():
    before = device.sync_count
    grad(lambda a: np.sum(linalg.polar(a, gauge="project")[0]))(make_array(random(4, 3), "device"))
    assert device.sync_count == before


def test_vmap_of_gradients(is_complex):
    batch = random(3, 3, 2, is_complex=is_complex)
    gradient = grad(lambda a: np.sum(np.real(linalg.polar(a, "left")[1][0])))
    assert_close(vmap(gradient)(batch), np.stack([gradient(a) for a in batch]), 1e-12)
