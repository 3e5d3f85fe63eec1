"""Cutoffs that remove singular values that are not 0: the functions of what is left, and their
derivatives.
"""

from functools import partial

import numpy as np
import pytest

from scigrad import grad, hvp, jvp, linalg, vmap
from scigrad.linalg.singular_values import any_rank
from scigrad.testing import assert_close, make_array
from scigrad.testing.arrays import to_host
from scigrad.testing.draw import normal
from scigrad.testing.gradcheck import directional_difference

rng = np.random.default_rng(31)
random = partial(normal, rng)


@pytest.fixture(params=[False, True], ids=["real", "complex"])
def is_complex(request):
    return request.param


def projector(q):
    return q @ np.conjugate(q).mT


FUNCTIONS = {
    "pinv": lambda a: linalg.pinv(a, rtol=0.5),
    "lstsq": lambda a: linalg.lstsq(
        a, np.cos(np.arange(2.0 * a.shape[-2])).reshape(-1, 2), cond=0.5
    )[0],
    "pinvh": lambda a: linalg.pinvh(a @ np.conjugate(a).mT, atol=4.0),
    "orth": lambda a: projector(linalg.orth(a, rcond=0.5)),
    "null_space": lambda a: projector(linalg.null_space(a, rcond=0.5)),
    "numpy.linalg.pinv": lambda a: np.linalg.pinv(a, rcond=0.5),
    "numpy.linalg.lstsq": lambda a: np.linalg.lstsq(a, np.eye(a.shape[-2]), rcond=0.5)[0],
}
SHAPES = [(4, 4), (3, 5), (5, 3), (9, 3)]


def with_values(s, m, n, is_complex, batch=()):
    u, v = (np.linalg.qr(random(*batch, size, size, is_complex=is_complex))[0] for size in (m, n))
    k = len(s)
    return (u[..., :k] * np.array(s)) @ v[..., :k, :]


def check(loss, a, t):
    """Forward and reverse mode against finite differences; second derivatives against theirs, and
    reverse over reverse.
    """
    expected = directional_difference(loss, (a,), (t,))
    assert_close(jvp(loss, (a,), (t,))[1], expected, 1e-7)
    gradient = grad(loss)
    assert_close(np.real(np.vdot(gradient(a), t)), expected, 1e-7)
    second = hvp(loss, (a,), (t,))[1]
    assert_close(second, directional_difference(gradient, (a,), (t,)), 1e-6)
    assert_close(grad(lambda a: np.real(np.vdot(t, gradient(a))))(a), second, 1e-10)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize(
    "values",
    [(4.0, 3.0, 1.5), (3.0, 3, 1), (3.0, 1, 1)],
    ids=["apart", "kept equal", "dropped equal"],
)
def test_derivatives(name, shape, values, is_complex):
    a = with_values(values, *shape, is_complex)
    t = random(*shape, is_complex=is_complex) / 4
    # a value that is 0, beside what is dropped
    if name in ("orth", "null_space") and shape[0] == 4:
        a = with_values((*values, 0.0), *shape, is_complex)
    weights = random(*FUNCTIONS[name](a).shape, is_complex=is_complex)
    check(lambda a: np.sum(np.real(weights * FUNCTIONS[name](a))), a, t)


def test_singular_values_that_are_dropped_have_derivatives(is_complex):
    a, t = with_values((4.0, 3.0, 1.5), 5, 3, is_complex), random(5, 3, is_complex=is_complex) / 4
    check(lambda a: np.dot(linalg.lstsq(a, np.ones(5), cond=0.5)[3], np.arange(1.0, 4)), a, t)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("values", [(4.0, 3.0, 1.5), (3.0, 3, 1)], ids=["apart", "equal"])
def test_singular_values_of_lstsq_are_those_of_svdvals(values, is_complex):
    a, weights = with_values(values, 7, 3, is_complex), np.array([1.0, 1, 2])

    def of(function):
        return lambda a: np.sum(weights * function(a) ** 3)

    first, second = of(lambda a: linalg.lstsq(a, np.ones(7), cond=0.5)[3]), of(linalg.svdvals)
    assert_close(hvp(first, (a,), (a,))[1], hvp(second, (a,), (a,))[1], 1e-11)
    pair = np.stack([a, 2 * a])
    assert_close(vmap(grad(first))(pair), grad(lambda a: np.sum(vmap(second)(a)))(pair), 1e-12)


@pytest.mark.parametrize("name", ["pinv", "lstsq"])
def test_members_of_a_batch_drop_different_numbers(name, is_complex):
    a = np.stack(
        [
            with_values(s, 4, 3, is_complex)
            for s in ((3.0, 2.5, 2), (3.0, 2, 1), (3.0, 1, 0.5), (2.0, 2.0, 1e-17))
        ]
    )
    t = random(*a.shape, is_complex=is_complex) / 4
    t[3] = a[3] @ random(3, 3, is_complex=is_complex)  # at constant rank
    weights = random(*FUNCTIONS[name](a).shape, is_complex=is_complex)

    def loss(a):
        return np.sum(np.real(weights * FUNCTIONS[name](a)))

    check(loss, a, t)
    losses = [lambda a, w=w: np.sum(np.real(w * FUNCTIONS[name](a))) for w in weights]
    assert_close(
        grad(loss)(a), np.stack([grad(f)(x) for f, x in zip(losses, a, strict=True)]), 1e-12
    )
    assert_close(
        hvp(loss, (a,), (t,))[1],
        np.stack([hvp(f, (x,), (y,))[1] for f, x, y in zip(losses, a, t, strict=True)]),
        1e-11,
    )
    mapped = vmap(lambda a, w: grad(lambda a: np.sum(np.real(w * FUNCTIONS[name](a))))(a))(
        a, weights
    )
    assert_close(mapped, grad(loss)(a), 1e-13)


@pytest.mark.parametrize("backend", ["numpy", "device"])
def test_on_a_device(backend):
    a = with_values((4.0, 3.0, 1.5), 4, 3, True)
    t = random(4, 3, is_complex=True)

    def loss(a):
        return np.real(np.sum(FUNCTIONS["pinv"](a) ** 2)) + np.real(np.sum(FUNCTIONS["orth"](a)[0]))

    expected = directional_difference(grad(loss), (a,), (t,))
    a, t = (make_array(x, backend) for x in (a, t))
    assert_close(to_host(hvp(loss, (a,), (t,))[1]), expected, 1e-6)


def test_a_large_kept_condition_number_costs_the_others_nothing(is_complex):
    """The part of an ill-conditioned matrix that counts: its derivative is exact where all of it
    counts.
    """
    a, e = with_values((1.0, 1e-7), 3, 2, is_complex), random(3, 2, is_complex=is_complex)
    pair = np.stack([a, with_values((1.0, 1e-11), 3, 2, is_complex)])
    spectrum = any_rank.spectrum_of("pinv", pair, 1e-9, 0.0, "raise")
    moved = jvp(lambda a: any_rank.truncate(a, spectrum, 1e-9), (pair,), (np.stack([e, e]),))[1]
    assert_close(moved[0], e, 1e-14)


@pytest.mark.parametrize("power", [-400, 400])
@pytest.mark.parametrize("name", ["pinv", "lstsq", "orth", "null_space"])
def test_derivatives_scale_exactly(name, power):
    a, t = with_values((4.0, 3.0, 1.5), 4, 3, True), random(4, 3, is_complex=True)
    # pinv(2 a) = pinv(a) / 2
    scale, back = 2.0**power, 1.0 if name in ("orth", "null_space") else 2.0**power
    weights = random(*FUNCTIONS[name](a).shape, is_complex=True)

    def loss(a):
        return np.sum(np.real(weights * FUNCTIONS[name](a)))

    assert_close(grad(loss)(a * scale) * scale * back, grad(loss)(a), 1e-12)
    assert_close(
        hvp(loss, (a * scale,), (t * scale,))[1] * scale * back, hvp(loss, (a,), (t,))[1], 1e-11
    )


@pytest.mark.parametrize("power", [-400, 400])
def test_second_derivatives_of_deficient_matrices_scale_exactly(power):
    a, t, scale = with_values((4.0, 3.0, 0.0), 4, 3, False), random(4, 3), 2.0**power
    weights = random(3, 4)

    def loss(a):
        return np.sum(weights * linalg.pinv(a, rtol=1e-10))

    assert_close(
        hvp(loss, (a * scale,), (t * scale,))[1] * scale * scale, hvp(loss, (a,), (t,))[1], 1e-11
    )


def test_rounding_is_not_truncated_and_all_takes_one_decomposition(monkeypatch):
    calls = []
    plain = any_rank._svd_kernel
    monkeypatch.setattr(any_rank, "_svd_kernel", lambda *args: calls.append("svd") or plain(*args))
    apart = any_rank._truncate
    monkeypatch.setattr(
        any_rank, "_truncate", lambda *args: calls.append("truncated") or apart(*args)
    )
    deficient = with_values((3.0, 1.0, 0.0), 4, 3, False)
    hvp(lambda a: np.sum(linalg.pinv(a) ** 2), (deficient,), (deficient,))
    assert calls == ["svd"]
    grad(lambda a: np.sum(linalg.pinv(a, rtol=0.5) ** 2))(deficient)
    assert calls == ["svd", "svd", "truncated"]
