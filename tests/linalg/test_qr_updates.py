"""qr_insert, qr_delete, qr_update: what the laws cannot see."""

from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import GaugeError, grad, jvp, linalg, vjp, vmap
from scigrad.testing import assert_close
from scigrad.testing.draw import normal
from scigrad.testing.gradcheck import directional_difference

rng = np.random.default_rng(16)
random = partial(normal, rng)


@pytest.fixture(params=[False, True], ids=["real", "complex"])
def is_complex(request):
    return request.param


@pytest.mark.parametrize(("m", "n", "p"), [(4, 3, 2), (5, 3, 3), (6, 4, 3), (5, 5, 3), (6, 3, 2)])
def test_full_updates_of_any_rank(m, n, p, is_complex):
    """SciPy refuses those whose rank exceeds the number of columns that the full q has beyond n."""
    a, u, v = (
        random(m, n, is_complex=is_complex),
        random(m, p, is_complex=is_complex),
        random(n, p, is_complex=is_complex),
    )
    for q, r in (
        linalg.qr_update(*linalg.qr(a), u, v),
        vmap(linalg.qr_update)(*linalg.qr(a[None]), u[None], v[None]),
    ):
        assert_close(q @ r, np.broadcast_to(a + u @ v.conj().T, (q @ r).shape), 1e-12)
        assert_close(np.conj(q).mT @ q, np.broadcast_to(np.eye(m), q.shape).astype(q.dtype), 1e-13)


@pytest.mark.parametrize("mode", ["full", "economic"])
def test_signs_are_those_of_scipy(mode, is_complex):
    """The laws compare factors with a positive diagonal."""
    given = scipy.linalg.qr(random(4, 3, is_complex=is_complex), mode=mode)
    u, v = random(4, is_complex=is_complex), random(3, is_complex=is_complex)
    for name, args in (("qr_insert", (v, 1)), ("qr_delete", (1,)), ("qr_update", (u, v))):
        expected = getattr(scipy.linalg, name)(*given, *args)
        assert_close(getattr(linalg, name)(*given, *args), expected, 1e-13)
        batch = vmap(lambda q, r, name=name, args=args: getattr(linalg, name)(q, r, *args))(
            *(x[None] for x in given)
        )
        assert_close([x[0] for x in batch], list(expected), 1e-13)


def test_least_squares_with_one_more_row(is_complex):
    """The loss by the updated factors and by lstsq of the longer matrix, and their derivatives in
    all of it.
    """
    a, row, b, t = (random(*shape, is_complex=is_complex) for shape in ((4, 3), (3,), (5,), (3,)))
    q, r = linalg.qr(a, mode="economic")

    def by_update(row):
        q1, r1 = linalg.qr_insert(q, r, row, 4)
        return np.sum(np.abs(linalg.solve_triangular(r1, np.conjugate(q1).mT @ b)) ** 2)

    def anew(row):
        return np.sum(np.abs(linalg.lstsq(np.concatenate([a, row[None]]), b)[0]) ** 2)

    assert abs(by_update(row) - anew(row)) <= 1e-12
    assert_close(grad(by_update)(row), grad(anew)(row), 1e-10)
    assert abs(jvp(by_update, (row,), (t,))[1] - directional_difference(anew, (row,), (t,))) <= 1e-7


def test_phases_of_complex_updates_are_open():
    q, r = linalg.qr(random(4, 3, is_complex=True), mode="economic")
    u, v = random(4, is_complex=True), random(3, is_complex=True)

    def loss(u, **options):
        return np.sum(np.real(linalg.qr_update(q, r, u, v, **options)[0]))

    with pytest.raises(GaugeError, match="qr_update: the loss depends on the phase of column"):
        grad(loss)(u)
    assert np.isfinite(grad(lambda u: loss(u, gauge="project"))(u)).all()


def test_the_full_q_of_a_tall_matrix_has_no_derivative():
    q, r = linalg.qr(random(4, 2))
    with pytest.raises(GaugeError, match=r"qr_insert: .*mode='economic'"):
        grad(lambda u: np.sum(linalg.qr_insert(q, r, u, 0)[0]))(random(2))
    expected = grad(
        lambda u: np.sum(np.abs(linalg.qr(np.concatenate([u[None], q @ r]), mode="r")[0]))
    )
    u = random(2)
    assert_close(
        grad(lambda u: np.sum(np.abs(linalg.qr_insert(q, r, u, 0)[1])))(u), expected(u), 1e-12
    )


@pytest.mark.parametrize("which", ["row", "col"])
def test_every_matrix_of_a_batch_has_its_own_place(which, is_complex):
    a, u = random(3, 4, 4, is_complex=is_complex), random(4, is_complex=is_complex)
    q, r = linalg.qr(a)
    k = np.array([0, 2, -1])

    def inserted(u, k):
        return np.matmul(*linalg.qr_insert(q, r, u, k, which))

    def deleted(q, r, k):
        return np.abs(linalg.qr_delete(q, r, k, 2, which)[1])

    found = vjp(lambda u: inserted(u, k), u)[0]
    for i in range(3):
        assert_close(found[i], np.matmul(*linalg.qr_insert(q[i], r[i], u, k[i], which)), 1e-12)
    k = np.array([0, 2, 1])
    for found in (vmap(deleted)(q, r, k), vjp(lambda r: deleted(q, r, k), r)[0]):
        for i in range(3):
            assert_close(found[i], np.abs(linalg.qr_delete(q[i], r[i], k[i], 2, which)[1]), 1e-12)


def test_updates_that_are_numbers_or_empty(capfd):
    q, r = linalg.qr(rng.standard_normal((4, 3)))
    for u, v in ((np.ones(()), np.ones(3)), (np.ones(4), np.ones(()))):
        for function in (
            linalg.qr_update,
            lambda q, r, u, v: jvp(lambda u: linalg.qr_update(q, r, u, v), (u,), (u,)),
        ):
            with pytest.raises(ValueError, match=r"\bu\b|\bv\b"):
                function(q, r, u, v)
    found = linalg.qr_update(q, r, np.ones((4, 0)), np.ones((3, 0)))
    assert_close(found, (q, r))
    assert not "".join(capfd.readouterr())  # LAPACK's complaint
