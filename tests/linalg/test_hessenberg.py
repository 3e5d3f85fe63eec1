"""hessenberg, matrix_balance, cdf2rdf: what is left open, zeros on the subdiagonal, scale,
failures, cost.
"""

import sys
from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import GaugeError, grad, hvp, jvp, linalg, value_and_grad, vmap
from scigrad.testing import assert_close
from scigrad.testing.draw import normal
from scigrad.testing.gradcheck import check_forward, check_law, gradcheck, second_order_functions

rng = np.random.default_rng(43)
random = partial(normal, rng)


@pytest.fixture(params=[False, True], ids=["real", "complex"])
def is_complex(request):
    return request.param


def test_derivatives_to_second_order(is_complex):
    a = random(5, 5, is_complex=is_complex)

    def f(a):
        h, q = linalg.hessenberg(a, True)
        return (np.abs(h) ** 2, np.abs(q) ** 2) if is_complex else (h, q)

    gradcheck(f, a, step=1e-3)
    for rule in second_order_functions(f, (a,)):
        check_forward(rule, (a,), 1e-5, step=1e-3)
        check_law(rule, (a,), 1e-9)


@pytest.mark.parametrize("kind", "fdFD")
@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_q_is_of_the_precision_of_the_matrix(kind, n):
    """SciPy's is in double precision where nothing is to be reduced."""
    a = np.ones((n, n), kind)
    for x in (a, np.stack([a, a])):
        assert [y.dtype.char for y in linalg.hessenberg(x, calc_q=True)] == [kind, kind]
    assert [
        y.dtype.char for y in vmap(lambda x: linalg.hessenberg(x, calc_q=True))(np.stack([a, a]))
    ] == [kind, kind]


def test_the_phases_are_checked():
    a = random(4, 4, is_complex=True)
    with pytest.raises(GaugeError, match=r"the phase of column [12]"):
        grad(lambda a: np.sum(np.real(linalg.hessenberg(a, True)[1])))(a)
    for gauge in ("project", "trust"):
        assert np.isfinite(
            grad(lambda a, g=gauge: np.sum(np.real(linalg.hessenberg(a, True, gauge=g)[1])))(a)
        ).all()


def test_a_zero_on_the_subdiagonal(is_complex):
    a, h = np.triu(random(4, 4, is_complex=is_complex)), random(4, 4)
    for derivative in (
        lambda f: grad(lambda a: np.sum(np.abs(f(a)) ** 2))(a),
        lambda f: jvp(f, (a,), (a,)),
    ):
        with pytest.raises(GaugeError, match=r"element \(1, 0\) on the subdiagonal is 0"):
            derivative(linalg.hessenberg)

    def loss(a):
        form, q = linalg.hessenberg(a, True, gauge="trust")
        return np.sum(np.real(h * (q @ form @ form @ np.conjugate(q).mT)))

    assert_close(grad(loss)(a), a.conj().T @ h + h @ a.conj().T, 1e-12)


@pytest.mark.parametrize("k", [-500, 500])
def test_scaling(k, is_complex):
    a, t, scale = random(4, 4, is_complex=is_complex), random(4, 4, is_complex=is_complex), 2.0**k

    def loss(a):
        h, q = linalg.hessenberg(a, True)
        return np.abs(h[1, 2] / h[0, 0]) ** 2 + np.sum(np.abs(q) ** 4)

    assert_close(scale * grad(loss)(scale * a), grad(loss)(a), 1e-11)
    assert_close(scale * hvp(loss, (scale * a,), (scale * t,))[1], hvp(loss, (a,), (t,))[1], 1e-9)


def test_value_and_gradient_take_one_reduction(monkeypatch):
    module = sys.modules["scigrad.linalg.unitary.hessenberg"]
    calls = []
    original = module.host
    monkeypatch.setattr(module, "host", lambda name: calls.append(name) or original(name))
    value_and_grad(lambda a: np.sum(linalg.hessenberg(a) ** 4))(random(4, 4))
    assert calls == ["hessenberg"]


def test_failures_spare_their_neighbors():
    a = random(3, 3, 3)
    a[1, 0, 0] = np.nan
    h, q, info = linalg.hessenberg(a, True, on_fail="info")
    assert info.tolist() == [0, -1, 0]
    assert np.isnan(h[1]).all()
    assert_close((h[2], q[2]), scipy.linalg.hessenberg(a[2], True))
    assert vmap(lambda a: linalg.hessenberg(a, on_fail="info"))(a)[1].tolist() == [0, -1, 0]
    gradient = grad(lambda a: np.nansum(linalg.hessenberg(a, on_fail="nan") ** 2))(a)
    assert_close(gradient[[0, 2]], 2 * a[[0, 2]], 1e-10)


@pytest.mark.parametrize("permute", [False, True])
def test_a_balanced_matrix_is_similar(permute, is_complex):
    a = np.triu(random(5, 5, is_complex=is_complex), -2) * 10.0 ** np.arange(5)[:, None]
    (b, t), (db, dt) = jvp(lambda a: linalg.matrix_balance(a, permute), (a,), (a,))
    expected = scipy.linalg.matrix_balance(a, permute)
    assert np.array_equal(b, expected[0])
    assert np.array_equal(t, expected[1])
    assert_close(t @ b, a @ t)
    assert_close(db, b)
    assert not np.any(dt)


def test_real_blocks_of_an_eigenvalue_decomposition():
    a = random(5, 5)
    w, v = np.linalg.eig(a)
    (blocks, vectors), _ = jvp(linalg.cdf2rdf, (w.astype(complex), v.astype(complex)), (w, v))
    assert_close(a @ vectors, vectors @ blocks, 1e-12)
    with pytest.raises(ValueError, match="no partner"):
        grad(lambda w: np.sum(linalg.cdf2rdf(w, np.eye(2) + 0j)[0]))(np.array([1j, 1]))
