"""orth, null_space and subspace_angles: any rank, equal singular values, gauges, angles from tiny
to right.
"""

from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import GaugeError, grad, hvp, jvp, linalg, value_and_grad, vmap
from scigrad.linalg.singular_values import any_rank
from scigrad.testing import assert_close
from scigrad.testing.draw import normal
from scigrad.testing.gradcheck import directional_difference

rng = np.random.default_rng(15)
random = partial(normal, rng)


@pytest.fixture(params=[False, True], ids=["real", "complex"])
def is_complex(request):
    return request.param


BASES = {"orth": linalg.orth, "null_space": linalg.null_space}


def projector(basis, a):
    q = BASES[basis](a)
    return q @ np.conjugate(q).mT


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("values", [(2.0, 2, 0), (3.0, 1, 0), (1.0, 0, 0)])
def test_projectors_of_deficient_matrices(basis, values, is_complex):
    """The truth is the projector by the pseudo-inverse, along a curve of constant rank."""
    u, v = (np.linalg.qr(random(n, n, is_complex=is_complex))[0][:, :3] for n in (5, 4))
    a = (u * np.array(values)) @ v.conj().T
    left, right = random(5, 5, is_complex=is_complex), random(4, 4, is_complex=is_complex)

    def along(x):
        moved = scipy.linalg.expm(x * left) @ a @ scipy.linalg.expm(x * right)
        inverse = np.linalg.pinv(moved, 1e-10)
        return moved @ inverse if basis == "orth" else np.eye(4) - inverse @ moved

    t = left @ a + a @ right
    expected = (along(1e-5) - along(-1e-5)) / 2e-5
    found = jvp(lambda a: projector(basis, a), (a,), (t,))[1]
    assert_close(found, expected, 1e-7)
    h = random(*found.shape, is_complex=is_complex)
    gradient = grad(lambda a: np.real(np.vdot(h, projector(basis, a))))(a)
    assert (
        abs(np.real(np.vdot(gradient, t)) - np.real(np.vdot(h, found)))
        <= 1e-11 * np.abs(t).sum() * 10
    )


@pytest.mark.parametrize("basis", BASES)
def test_losses_that_depend_on_the_basis_raise(basis):
    a = random(3, 5) if basis == "null_space" else random(5, 3)
    with pytest.raises(GaugeError, match=f"{basis}: the loss depends on which basis"):
        grad(lambda a: np.sum(BASES[basis](a)[0] ** 3))(a)
    assert np.isfinite(grad(lambda a: np.sum(BASES[basis](a, gauge="project")[0] ** 3))(a)).all()


@pytest.mark.parametrize("power", [-500, 500])
@pytest.mark.parametrize("basis", BASES)
def test_gradients_scale_exactly(basis, power):
    a, t = (random(3, 4) if basis == "null_space" else random(4, 3) for _ in "at")
    h, scale = random(4, 4), 2.0**power

    def loss(a):
        return np.sum(h * projector(basis, a)) ** 2

    assert_close(grad(loss)(a * scale) * scale, grad(loss)(a), 1e-12)
    assert_close(hvp(loss, (a * scale,), (t * scale,))[1] * scale, hvp(loss, (a,), (t,))[1], 1e-12)


def test_value_and_gradient_take_one_decomposition(monkeypatch):
    calls = []
    plain = any_rank._svd_kernel
    monkeypatch.setattr(any_rank, "_svd_kernel", lambda *args: calls.append(1) or plain(*args))
    a = random(3, 5)
    value_and_grad(lambda a: np.sum(projector("null_space", a)))(a)
    assert len(calls) == 1
    hvp(lambda a: np.sum(projector("orth", a) ** 2), (a.T,), (a.T,))
    assert len(calls) == 2


def test_ranks_have_to_agree_in_a_batch():
    batch = np.stack([np.eye(3), np.diag([1.0, 1, 0])])
    for function in BASES.values():
        with pytest.raises(ValueError, match="ranks from 2 to 3"):
            vmap(function)(batch)


# -- angles


@pytest.mark.parametrize(
    "angles", [(0.3,), (1.5, 1e-9), (1.2, 0.8, 1e-3), (np.pi / 4 + 1e-3, np.pi / 4 - 1e-3)]
)
def test_angles_and_their_derivatives(angles, is_complex):
    """Two subspaces with known angles, one of which turns: d angle / d theta = 1 for one, 0 for the
    others.
    """
    k = len(angles)
    q = np.linalg.qr(random(2 * k + 1, 2 * k + 1, is_complex=is_complex))[0]
    a, across = q[:, :k] @ random(k, k, is_complex=is_complex), q[:, k : 2 * k]
    mix = random(k, k, is_complex=is_complex)

    def of(theta):
        return linalg.subspace_angles(a, (q[:, :k] * np.cos(theta) + across * np.sin(theta)) @ mix)

    theta = np.array(angles)
    # also of 1e-9 beside 1.5, which a cosine alone cannot tell from 0
    assert np.abs(of(theta) - theta).max() <= 1e-14
    for i in range(k):
        tangent = jvp(of, (theta,), (np.eye(k)[i],))[1]
        assert_close(tangent, np.eye(k)[i], 1e-5 if min(angles) < 1e-6 else 1e-11)


@pytest.mark.parametrize(
    "b", [np.eye(4)[:, :2], np.eye(4)[:, 2:]], ids=["the same", "at right angles"]
)
def test_kinks_have_the_subgradient_of_smallest_norm(b):
    a = np.eye(4)[:, :2]
    assert_close(grad(lambda b: np.sum(linalg.subspace_angles(a, b)))(b), np.zeros((4, 2)), 1e-14)


def test_second_derivatives_of_angles(is_complex):
    a, b, t = (random(5, 2, is_complex=is_complex) for _ in "abt")

    def loss(b):
        return np.sum(linalg.subspace_angles(a, b) ** 2)

    assert_close(hvp(loss, (b,), (t,))[1], directional_difference(grad(loss), (b,), (t,)), 1e-7)
