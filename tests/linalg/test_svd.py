"""svd where singular values are equal, nearly so, or 0; gauges; scaling; the cost of a gradient."""

from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import GaugeError, grad, hvp, jacrev, jvp, linalg, linearize, value_and_grad, vmap
from scigrad.linalg.singular_values import any_rank
from scigrad.testing import assert_close, device, make_array
from scigrad.testing.draw import normal
from scigrad.testing.gradcheck import directional_difference

rng = np.random.default_rng(12)
random = partial(normal, rng)
SPECTRA = {
    "different": (3.0, 2, 1),
    "a pair": (2.0, 2, 1),
    "all": (2.0, 2, 2),
    "one zero": (3.0, 1, 0),
    "two zeros": (2.0, 0, 0),
    "zero and a pair": (1.0, 1, 0),
    "nothing": (0.0, 0, 0),
}
SHAPES = {"square": (3, 3), "tall": (4, 3), "wide": (3, 5)}
ODD = {
    "sinh": np.sinh,
    "sin": lambda s: np.sin(2 * s),
    "cube": lambda s: s**3,
    "itself": lambda s: 2 * s,
}


def with_values(s, shape, is_complex=False):
    k = len(s)
    u, v = (np.linalg.qr(random(n, n, is_complex=is_complex))[0][:, :k] for n in shape)
    return (u * np.array(s)) @ v.conj().T


def function_of(a, f, full=False, **options):
    """u f(s) v^H: smooth for odd f, whatever the singular values."""
    u, s, vh = linalg.svd(a, full_matrices=full, **options)
    k = s.shape[-1]
    return (u[..., :k] * f(s)[..., None, :]) @ vh[..., :k, :]


def inner_loss(h, f, full=False, **options):
    return lambda a: np.sum(np.real(np.conjugate(h) * function_of(a, f, full, **options)))


@pytest.fixture(params=[False, True], ids=["real", "complex"])
def is_complex(request):
    return request.param


# -- equal and zero singular values


@pytest.mark.parametrize("full", [False, True], ids=["thin", "full"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("f", ODD.values(), ids=ODD)
@pytest.mark.parametrize("spectrum", SPECTRA.values(), ids=SPECTRA)
def test_odd_functions_have_their_derivative(spectrum, f, shape, full, is_complex):
    a = with_values(spectrum, shape, is_complex)
    h, t = random(*shape, is_complex=is_complex), random(*shape, is_complex=is_complex)
    loss = inner_loss(h, f, full)
    expected = directional_difference(loss, (a,), (t,))
    gradient = grad(loss)(a)
    scale = np.abs(gradient).max() * np.abs(t).sum() + 1
    assert abs(np.real(np.vdot(gradient, t)) - expected) <= 1e-8 * scale
    assert abs(jvp(loss, (a,), (t,))[1] - expected) <= 1e-8 * scale


@pytest.mark.parametrize("gap", [0, *10.0 ** -np.arange(0, 17, 2)])
@pytest.mark.parametrize("where", ["between", "to zero", "both"])
def test_gradients_as_singular_values_approach(gap, where, is_complex):
    """sinh of a matrix in this sense is u sinh(s) v^H; its derivative is read off expm of [[0, a],
    [a^H, 0]].
    """
    s = {"between": (2, 1 + gap, 1), "to zero": (2, 1, gap), "both": (1, gap, gap / 2)}[where]
    a, h = with_values(s, (4, 3), is_complex), random(4, 3, is_complex=is_complex)
    whole, direction = np.zeros((2, 7, 7), a.dtype)
    for block, x in ((whole, a), (direction, h)):
        block[:4, 4:], block[4:, :4] = x, x.conj().T
    derivative = scipy.linalg.expm_frechet(whole, direction, compute_expm=False)[:4, 4:]
    assert_close(grad(inner_loss(h, np.sinh))(a), derivative, 1e-8)


@pytest.mark.parametrize("spectrum", [(3.0, 3, 2, 2), (3.0, 2, 0, 0), (2.0, 2, 1, 0)])
def test_low_rank_truncation(spectrum, is_complex):
    a, h, t = (
        with_values(spectrum, (5, 4), is_complex),
        *(random(5, 4, is_complex=is_complex) for _ in "ht"),
    )

    def loss(a):
        u, s, vh = linalg.svd(a, full_matrices=False)
        return np.sum(np.real(np.conjugate(h) * ((u[:, :2] * s[:2]) @ vh[:2])))

    expected = directional_difference(loss, (a,), (t,))
    assert abs(np.real(np.vdot(grad(loss)(a), t)) - expected) <= 1e-8 * np.abs(t).sum()
    assert abs(jvp(loss, (a,), (t,))[1] - expected) <= 1e-8 * np.abs(t).sum()
    if spectrum == (3.0, 2, 0, 0):  # nothing that is equal or 0 is looked at
        assert_close(hvp(loss, (a,), (t,))[1], directional_difference(grad(loss), (a,), (t,)), 1e-6)


@pytest.mark.parametrize("spectrum", [(3.0, 3, 2), (3.0, 2, 2)])
def test_nuclear_norm_to_second_order(spectrum, is_complex):
    a, t = with_values(spectrum, (4, 3), is_complex), random(4, 3, is_complex=is_complex)
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    for loss in (
        lambda a: np.sum(linalg.svd(a, full_matrices=False)[1]),
        lambda a: np.sum(linalg.svdvals(a)),
    ):
        assert_close(grad(loss)(a), u @ vh, 1e-12)
        assert_close(hvp(loss, (a,), (t,))[1], directional_difference(grad(loss), (a,), (t,)), 1e-7)


def test_values_that_are_zero_have_the_subgradient_of_smallest_norm(is_complex):
    a = with_values((3, 2, 0), (4, 3), is_complex)
    u, _, vh = np.linalg.svd(a, full_matrices=False)
    for loss in (lambda a: np.sum(linalg.svd(a)[1]), lambda a: np.sum(linalg.svdvals(a))):
        assert_close(grad(loss)(a), u[:, :2] @ vh[:2], 1e-12)


def test_directional_derivatives_of_values_are_one_sided(is_complex):
    a, t = with_values((2, 2, 0), (4, 3), is_complex), random(4, 3, is_complex=is_complex)
    found = jvp(lambda a: linalg.svd(a)[1], (a,), (t,))[1]
    step = 1e-6
    assert_close(found, (scipy.linalg.svdvals(a + step * t) - scipy.linalg.svdvals(a)) / step, 1e-5)


def test_projector_on_the_rest_of_the_space(is_complex):
    """u_2 u_2^H of full_matrices=True, to second order, also where singular values are equal."""
    a, h, t = (
        with_values((2, 2, 1), (5, 3), is_complex),
        random(5, 5, is_complex=is_complex),
        random(5, 3, is_complex=is_complex),
    )

    def loss(a):
        rest = linalg.svd(a)[0][:, 3:]
        return np.sum(np.real(np.conjugate(h) * (rest @ np.conjugate(rest).mT)))

    expected = directional_difference(loss, (a,), (t,))
    assert abs(np.real(np.vdot(grad(loss)(a), t)) - expected) <= 1e-9 * np.abs(t).sum()
    assert abs(jvp(loss, (a,), (t,))[1] - expected) <= 1e-9 * np.abs(t).sum()
    assert_close(hvp(loss, (a,), (t,))[1], directional_difference(grad(loss), (a,), (t,)), 1e-7)


def test_in_batches_and_other_transforms(is_complex):
    batch = np.stack(
        [with_values(s, (3, 3), is_complex) for s in ((2, 2, 1), (1, 0, 0), (3, 2, 1))]
    )
    h, t = random(3, 3, is_complex=is_complex), random(3, 3, is_complex=is_complex)
    loss = inner_loss(h, np.sinh)
    expected = np.stack([grad(loss)(a) for a in batch])
    assert_close(vmap(grad(loss))(batch), expected, 1e-11)
    assert_close(grad(lambda b: np.sum(vmap(loss)(b)))(batch), expected, 1e-11)
    assert_close(grad(loss)(batch), expected, 1e-11)
    slopes = np.stack([jvp(loss, (a,), (t,))[1] for a in batch])
    assert_close(vmap(lambda a: jvp(loss, (a,), (t,))[1])(batch), slopes, 1e-11)
    if not is_complex:
        matrix = jacrev(lambda a: function_of(a, np.sinh))(batch[0])
        assert_close(
            np.tensordot(matrix, t),
            jvp(lambda a: function_of(a, np.sinh), (batch[0],), (t,))[1],
            1e-11,
        )


# -- what has no derivative says so


LOSSES = {
    "phase": (
        (3, 2, 1),
        (3, 3),
        lambda u, s, vh: np.sum(np.real(u)),
        "common phase of singular vectors 0",
    ),
    "pair": (
        (2, 2, 1),
        (3, 3),
        lambda u, s, vh: u[0, 0] ** 2,
        "choice of singular vectors 0 and 1",
    ),
    "zero": (
        (2, 1, 0),
        (4, 3),
        lambda u, s, vh: u[0, 2] ** 2,
        "singular vectors 2, whose singular value is 0",
    ),
    "rest": (
        (3, 2, 1),
        (5, 3),
        lambda u, s, vh: u[0, 4] ** 2,
        "basis for what full_matrices=True adds",
    ),
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses_that_depend_on_the_choice_raise(name):
    spectrum, shape, of_factors, text = LOSSES[name]
    a = with_values(spectrum, shape, name == "phase")

    def gradient(gauge):
        return grad(lambda a: of_factors(*linalg.svd(a, gauge=gauge)))(a)

    with pytest.raises(GaugeError, match=text):
        gradient(None)
    assert np.isfinite(gradient("project")).all()
    gradient("trust")


def test_second_derivatives_at_equal_values_raise():
    a = with_values((2, 2, 1), (3, 3))
    loss = inner_loss(random(3, 3), np.sinh)
    with pytest.raises(GaugeError, match="second derivatives"):
        grad(lambda a: np.sum(grad(loss)(a) ** 2))(a)
    with pytest.raises(GaugeError):
        linearize(lambda a: linalg.svd(a)[0], a)[1](random(3, 3))


@pytest.mark.parametrize("gauge", [None, "project"])
def test_a_linearization_is_refused_in_a_direction_that_the_vectors_of_zeros_were_not_chosen_for(
    gauge, is_complex
):
    a, t = with_values((2, 0, 0), (4, 3), is_complex), random(4, 3, is_complex=is_complex)
    loss = inner_loss(random(4, 3, is_complex=is_complex), np.sinh, gauge=gauge)
    with pytest.raises(GaugeError, match=r"singular value is 0|singular values are equal"):
        linearize(loss, a)[1](t)
    assert_close(jvp(loss, (a,), (t,))[1], np.real(np.vdot(grad(loss)(a), t)), 1e-9)


def test_a_device_is_not_waited_for():
    a = make_array(with_values((2, 2, 1), (4, 3)), "device")
    h = make_array(random(4, 3), "device")
    before = device.sync_count
    gradients = [grad(inner_loss(h, np.sinh, gauge=gauge))(a) for gauge in ("project", "trust")]
    assert device.sync_count == before
    assert all(gradient.shape == (4, 3) for gradient in gradients)


# -- failures, scaling, cost


@pytest.mark.parametrize("vectors", [False, True])
def test_a_bad_matrix_does_not_spoil_its_neighbors(vectors):
    a = np.stack(
        [with_values((3, 2), (3, 2)), np.full((3, 2), np.nan), with_values((2, 1), (3, 2))]
    )
    with pytest.raises(ValueError, match="infs or NaNs"):
        linalg.svd(a)
    *found, info = linalg.svd(a, False, vectors, on_fail="info")
    assert info.tolist() == [0, -1, 0]
    for x, y in zip(
        found, linalg.svd(a[2], False) if vectors else [linalg.svdvals(a[2])], strict=True
    ):
        assert_close(np.abs(x[2]), np.abs(y), 1e-12)
        assert np.isnan(x[1]).all()
    gradient = grad(
        lambda a: np.nansum(
            linalg.svd(a, False, vectors, on_fail="nan")[1 if vectors else slice(None)][[0, 2]]
        )
    )(a)
    assert np.isfinite(gradient[[0, 2]]).all()


@pytest.mark.parametrize("power", [-500, 500])
@pytest.mark.parametrize("spectrum", [(3.0, 2, 1), (2.0, 2, 1), (2.0, 1, 0)])
def test_gradients_scale_exactly(spectrum, power):
    a, h, t, scale = with_values(spectrum, (4, 3)), random(4, 3), random(4, 3), 2.0**power

    def loss_of(unit):
        def loss(a):
            u, s, vh = linalg.svd(a, full_matrices=False)
            return np.sum(h * ((u[:, :2] * (s[:2] / unit)) @ vh[:2])) ** 2

        return loss

    assert_close(grad(loss_of(scale))(a * scale) * scale, grad(loss_of(1))(a), 1e-13)
    if spectrum != (2.0, 2, 1):
        assert_close(
            hvp(loss_of(scale), (a * scale,), (t * scale,))[1] * scale,
            hvp(loss_of(1), (a,), (t,))[1],
            1e-12,
        )


@pytest.mark.parametrize("vectors", [False, True])
def test_value_and_gradient_take_one_decomposition(monkeypatch, vectors):
    calls = []
    plain = any_rank._svd_kernel
    monkeypatch.setattr(any_rank, "_svd_kernel", lambda *args: calls.append(1) or plain(*args))
    a = with_values((3, 2, 1), (4, 3))
    value_and_grad(lambda a: np.sum(linalg.svd(a, False)[1] if vectors else linalg.svdvals(a)))(a)
    assert len(calls) == 1
    hvp(lambda a: np.sum(linalg.svd(a, False)[1]), (a,), (a,))
    assert len(calls) == 2


@pytest.mark.parametrize("shape", [(30, 20), (20, 30), (25, 25)])
def test_residuals(shape, is_complex):
    """As LAPACK tests itself: |a - u s v^H| / (|a| max(m, n) eps) < 30."""
    a = random(*shape, is_complex=is_complex)
    u, s, vh = linalg.svd(a)
    unit = max(shape) * np.finfo(float).eps
    assert np.linalg.norm(a - u @ linalg.diagsvd(s, *shape) @ vh) <= 30 * unit * np.linalg.norm(a)
    assert np.linalg.norm(u.conj().T @ u - np.eye(shape[0])) <= 30 * unit
    assert np.linalg.norm(vh @ vh.conj().T - np.eye(shape[1])) <= 30 * unit


def test_infinite_values_stay_on_the_diagonal():
    s, expected = np.array([np.inf, 1.0]), np.array([[np.inf, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(linalg.diagsvd(s, 2, 3), expected)
    np.testing.assert_array_equal(vmap(lambda s: linalg.diagsvd(s, 2, 3))(s[None])[0], expected)
