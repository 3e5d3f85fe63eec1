"""qr and rq where they have no derivative, at every scale, and what a gradient costs."""

import sys
from functools import partial

import mpmath
import numpy as np
import pytest
import scipy.linalg

from scigrad import GaugeError, grad, hvp, jvp, linalg, value_and_grad, vmap
from scigrad.testing import assert_close
from scigrad.testing.draw import normal
from scigrad.testing.gradcheck import directional_difference

rng = np.random.default_rng(13)
random = partial(normal, rng)


@pytest.fixture(params=[False, True], ids=["real", "complex"])
def is_complex(request):
    return request.param


# -- what has no derivative says so


def test_a_complete_q_raises_with_the_reason():
    a, t = random(4, 2), random(4, 2)
    for f, x in ((lambda a: np.sum(linalg.qr(a)[0]), a), (lambda a: np.sum(linalg.rq(a)[1]), a.T)):
        with pytest.raises(GaugeError, match=r"mode='full' completes q.*mode='economic'"):
            grad(f)(x)
        with pytest.raises(GaugeError, match="mode='economic'"):
            jvp(f, (x,), (t if x is a else t.T,))
    expected = grad(lambda a: np.sum(linalg.qr(a, mode="economic")[1]))(a)
    assert_close(grad(lambda a: np.sum(linalg.qr(a)[1]))(a), expected, 1e-14)
    assert_close(grad(lambda a: np.sum(linalg.qr(a, mode="raw")[1]))(a), expected, 1e-13)


@pytest.mark.parametrize("shape", [(5, 3), (3, 3), (3, 5), (2, 4, 3)])
def test_householder_vectors_have_no_derivative(shape, is_complex):
    a, t = random(*shape, is_complex=is_complex), random(*shape, is_complex=is_complex)
    for i in range(2):
        f = lambda a, i=i: np.sum(np.abs(linalg.qr(a, mode="raw")[0][i]))  # noqa: E731
        for derivative in (lambda f=f: grad(f)(a), lambda f=f: jvp(f, (a,), (t,))):
            with pytest.raises(GaugeError, match=r"qr: the Householder vectors .*mode='economic'"):
                derivative()
    of_r = lambda a, mode: np.sum(np.abs(linalg.qr(a, mode=mode)[1]) ** 3)  # noqa: E731
    assert_close(grad(lambda a: of_r(a, "raw"))(a), grad(lambda a: of_r(a, "economic"))(a), 1e-12)


@pytest.mark.parametrize(("shape", "c", "mode", "expected"), [
    ((3, 0), (2, 3), "right", (2, 0)), ((3, 0), (0, 2), "left", (0, 2)),
    ((0, 3), (2, 0), "right", (2, 0)), ((3, 2), (0, 3), "right", (0, 3)),
])  # fmt: skip
def test_products_with_nothing(shape, c, mode, expected):
    """As SciPy, where it does not fail: a c without elements comes back as it is."""
    a, c = np.ones(shape), np.ones(c)
    product, r = linalg.qr_multiply(a, c, mode)
    assert (product.shape, r.shape) == (expected, (min(shape), shape[1]))
    for found in (
        vmap(lambda a: linalg.qr_multiply(a, c, mode))(np.stack([a] * 2)),
        linalg.qr_multiply(np.stack([a] * 2), c, mode),
    ):
        assert [x.shape for x in found] == [(2, *expected), (2, *r.shape)]


def test_products_of_no_matrices():
    for mode, c, expected in (("right", (0, 2, 3), (0, 2, 2)), ("left", (0, 2, 4), (0, 3, 4))):
        assert linalg.qr_multiply(np.ones((0, 3, 2)), np.ones(c), mode)[0].shape == expected


def test_raw_batches():
    a = random(2, 4, 3)
    (packed, tau), r = linalg.qr(a, mode="raw")
    for i in range(2):
        assert_close(((packed[i], tau[i]), r[i]), scipy.linalg.qr(a[i], mode="raw"), 1e-14)


@pytest.mark.parametrize("shape", [(4, 3), (3, 3), (3, 5)])
def test_dependent_columns_raise(shape, is_complex):
    a = random(*shape, is_complex=is_complex)
    a[:, 1] = 2 * a[:, 0]
    for make in (lambda a: a, lambda a: np.stack([np.eye(*a.shape), a])):
        with pytest.raises(
            np.linalg.LinAlgError, match=r"column 1 .* depends on the columns before it"
        ):
            grad(lambda a: np.sum(np.abs(linalg.qr(a, mode="r")[0])))(make(a))
    if shape == (3, 5):  # a wide matrix of full rank: pivoting chooses other columns
        h = random(3, 3, is_complex=is_complex)

        def loss(a):
            q = linalg.qr(a, mode="economic", pivoting=True)[0]
            return np.real(np.vdot(h, q))

        t = random(*shape, is_complex=is_complex)
        assert abs(jvp(loss, (a,), (t,))[1] - directional_difference(loss, (a,), (t,))) <= 1e-7


def test_graded_columns_do_not_count_as_dependent(is_complex):
    a, h = random(4, 3, is_complex=is_complex), random(4, 3, is_complex=is_complex)
    sizes = np.array([1.0, 1e-20, 1e-40])

    def loss(a):
        return np.real(np.vdot(h, linalg.qr(a, mode="economic")[0]))

    assert_close(grad(loss)(a * sizes) * sizes, grad(loss)(a), 1e-12)


# -- options, scaling, cost


@pytest.mark.parametrize("mode", ["full", "economic", "r", "raw"])
@pytest.mark.parametrize("pivoting", [False, True])
@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (3, 3)])
def test_values_under_a_transform_are_those_without(mode, pivoting, shape, is_complex):
    batch = random(2, *shape, is_complex=is_complex)

    def leaves(out):
        return [
            y
            for x in (out if isinstance(out, tuple) else (out,))
            for y in (x if isinstance(x, tuple) else (x,))
        ]

    found = vmap(lambda a: leaves(linalg.qr(a, mode=mode, pivoting=pivoting)))(batch)
    for i, a in enumerate(batch):
        for x, y in zip(
            found, leaves(scipy.linalg.qr(a, mode=mode, pivoting=pivoting)), strict=True
        ):
            assert_close(x[i], y, 1e-13)


@pytest.mark.parametrize("power", [-500, 500])
def test_gradients_scale_exactly(power, is_complex):
    a, h, t = (random(4, 3, is_complex=is_complex) for _ in "aht")
    scale = 2.0**power

    def loss(a):
        return np.real(np.vdot(h, linalg.qr(a, mode="economic")[0])) ** 2

    assert_close(grad(loss)(a * scale) * scale, grad(loss)(a), 1e-13)
    assert_close(hvp(loss, (a * scale,), (t * scale,))[1] * scale, hvp(loss, (a,), (t,))[1], 1e-12)


def test_value_and_gradient_take_one_factorization(monkeypatch):
    calls = []
    module = sys.modules["scigrad.linalg.unitary.qr"]
    plain = module._by_lapack
    monkeypatch.setattr(module, "_by_lapack", lambda *args: calls.append(1) or plain(*args))
    a = random(5, 3)
    for pivoting in (False, True):
        value_and_grad(lambda a, p=pivoting: np.sum(linalg.qr(a, mode="economic", pivoting=p)[0]))(
            a
        )
    assert len(calls) == 2
    hvp(lambda a: np.sum(linalg.qr(a, mode="economic")[1]), (a,), (a,))
    assert len(calls) == 3


@pytest.mark.parametrize("shape", [(30, 20), (20, 30), (25, 25)])
def test_residuals(shape, is_complex):
    a = random(2, *shape, is_complex=is_complex)
    unit = max(shape) * np.finfo(float).eps
    for left, right, q in ((*linalg.qr(a), 0), (*linalg.rq(a), 1)):
        q = (left, right)[q]
        assert np.linalg.norm(a - left @ right) <= 30 * unit * np.linalg.norm(a)
        assert np.linalg.norm(np.conj(q).mT @ q - np.eye(q.shape[-1])) <= 30 * unit


def test_householder_product_gives_q_and_its_derivative(is_complex):
    a, h, t = (
        random(4, 3, is_complex=is_complex),
        random(4, 3, is_complex=is_complex),
        random(4, 3, is_complex=is_complex),
    )
    (v, tau), _ = linalg.qr(a, mode="raw")
    assert_close(linalg.householder_product(v, tau), linalg.qr(a, mode="economic")[0], 1e-14)

    def of_vectors(v):
        return np.real(np.vdot(h, linalg.householder_product(v, tau)))

    assert (
        abs(
            np.real(np.vdot(grad(of_vectors)(v), t))
            - directional_difference(of_vectors, (v,), (t,))
        )
        <= 1e-8
    )
    assert_close(np.triu(grad(of_vectors)(v)), np.zeros((4, 3)), 0)


def test_qr_multiply_with_room_for_all_of_q(is_complex):
    a, c = random(4, 2, is_complex=is_complex), random(4, 3, is_complex=is_complex)
    expected = scipy.linalg.qr_multiply(a, c.copy(), "left", overwrite_c=True)
    found = vmap(lambda a: linalg.qr_multiply(a, c, "left", overwrite_c=True))(a[None])
    for x, y in zip(found, expected, strict=True):
        assert_close(x[0], y, 1e-13)


@pytest.mark.parametrize("mode", ["left", "right"])
def test_a_complex_factor_of_a_real_matrix_keeps_its_imaginary_part(mode):
    a, c = (
        rng.standard_normal((3, 3)),
        rng.standard_normal((3, 3)) + 1j * rng.standard_normal((3, 3)),
    )
    q, r = scipy.linalg.qr(a)
    for found in (
        linalg.qr_multiply(a, c, mode),
        [x[0] for x in vmap(lambda a, c: linalg.qr_multiply(a, c, mode))(a[None], c[None])],
    ):
        assert_close(tuple(found), (q @ c if mode == "left" else c @ q, r), 1e-12)


@pytest.mark.parametrize("batch", [False, True])
@pytest.mark.parametrize(
    ("part", "is_complex"), [(0, False), (1, False), (1, True)], ids=["q", "r", "complex r"]
)
def test_a_small_last_element_of_r_costs_no_digits_where_it_does_not_enter(part, is_complex, batch):
    # a square q is determined by the columns before the last one, but for a sign, or a phase
    m = 3 + part
    a, t, w = random(m, 3, is_complex=is_complex), random(m, 3, is_complex=is_complex), random(3, 3)
    a[:, 2] = a[:, :2] @ [1.0, 2.0] + 1e-6 * a[:, 2]

    def loss(a):
        return np.sum(w * np.abs(linalg.qr(a, mode="economic")[part]) ** 2)

    def along(s):
        x = mpmath.qr(mpmath.matrix(a.tolist()) + s * mpmath.matrix(t.tolist()), mode="skinny")[
            part
        ]
        return sum(w[index] * abs(x[index]) ** 2 for index in np.ndindex(3, 3))

    with mpmath.workdps(40):
        first, second = (float(mpmath.diff(along, 0, k)) for k in (1, 2))
    g, h = jvp((lambda a: vmap(grad(loss))(a[None])[0]) if batch else grad(loss), (a,), (t,))
    assert_close(np.vdot(grad(loss)(a), t).real, first, 1e-12)
    assert_close(np.vdot(g, t).real, first, 1e-12)
    assert_close(np.vdot(h, t).real, second, 1e-12)
