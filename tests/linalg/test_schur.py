"""schur, rsf2csf: equal eigenvalues, Jordan blocks, what is left open, scale, failures, cost."""

from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import GaugeError, grad, hvp, jvp, linalg, value_and_grad, vmap
from scigrad.testing import assert_close
from scigrad.testing.draw import normal
from scigrad.testing.gradcheck import directional_difference, gradcheck

rng = np.random.default_rng(41)
random = partial(normal, rng)


@pytest.fixture(params=[False, True], ids=["real", "complex"])
def is_complex(request):
    return request.param


CORES = {
    "identity": np.eye(3),
    "a pair": np.array([[1.0, 0, 2], [0, 1, 1], [0, 0, 3]]),
    "Jordan block": np.array([[1.0, 1, 0], [0, 1, 1], [0, 0, 1]]),
    "Jordan pair": np.array([[1.0, 1, 0], [0, 1, 0], [0, 0, 3]]),
    "equal blocks": np.kron(np.eye(2), np.array([[1.0, 2], [-2, 1]])),
    "a pair apart": np.array([[1.0, 1, 1], [0, 2, 1], [0, 0, 1]]),
    # the 0 in the corner joins the eigenvalues
    "Jordan pair apart": np.array([[1.0, 1, 0], [0, 2, 1], [0, 0, 1]]),
}


@pytest.mark.parametrize("rotated", [False, True])
@pytest.mark.parametrize("name", CORES)
def test_functions_of_the_matrix_have_their_gradient(name, rotated, is_complex):
    core = CORES[name]
    n = len(core)
    q = (
        np.linalg.qr(random(n, n, is_complex=is_complex))[0]
        if rotated
        else np.eye(n) * (1 + 0j if is_complex else 1)
    )
    a, h = q @ core @ q.conj().T, random(n, n, is_complex=is_complex)

    def loss(a):
        t, z = linalg.schur(a, gauge="trust" if "Jordan" in name else "check")
        return np.sum(np.real(np.conjugate(h) * (z @ (t @ t @ t) @ np.conjugate(z).mT)))

    powers = [a.conj().T @ a.conj().T @ h, a.conj().T @ h @ a.conj().T, h @ a.conj().T @ a.conj().T]
    assert_close(grad(loss)(a), sum(powers[1:], powers[0]), 1e-8)


@pytest.mark.parametrize("name", CORES)
def test_symmetric_functions_of_eigenvalues_have_their_gradient(name):
    """The sum of cubes of eigenvalues is the trace of a^3; off the diagonal of t it has no
    derivative at Jordan blocks, and where another eigenvalue stands between two equal ones the
    cotangent is not that of a full matrix.
    """
    core = CORES[name]

    def loss(a):
        t, _ = linalg.schur(a, "complex")
        return np.real(np.sum(np.diagonal(t) ** 3))

    if "Jordan" in name:
        with pytest.raises(GaugeError, match="Jordan block"):
            grad(loss)(core)
    elif "apart" in name:
        with pytest.raises(GaugeError, match="choice of columns 0 and 2"):
            grad(loss)(core)
    else:
        assert_close(grad(loss)(core), 3 * (core @ core).T, 1e-8)


def test_a_simple_eigenvalue_beside_equal_ones():
    a = CORES["a pair"]
    right = np.array([1, 0.5, 1])  # (a - 3) right = 0; the left vector is (0, 0, 1)
    assert_close(grad(lambda a: linalg.schur(a)[0][2, 2])(a), np.outer([0, 0, 1], right), 1e-12)
    a = CORES["a pair apart"]
    for i in range(3):
        with pytest.raises(GaugeError, match="choice of columns 0 and 2"):
            grad(lambda a, i=i: linalg.schur(a)[0][i, i] ** 2)(a)
    assert_close(
        grad(lambda a: (lambda t: np.trace(t @ t @ t))(linalg.schur(a)[0]))(a), 3 * (a @ a).T, 1e-10
    )


def test_losses_that_depend_on_the_choice_raise():
    simple, block = np.array([[1.0, 2], [0.5, 3]]), np.array([[1.0, 2], [-1, 1]])
    losses = {
        "the phase of column 0": (
            lambda a, **o: np.sum(np.real(linalg.schur(a, **o)[1])),
            simple + 1j * simple.T,
        ),
        "are equal or make one block": (lambda a, **o: linalg.schur(a, **o)[0][0, 0], block),
        "the choice of columns": (lambda a, **o: np.real(linalg.schur(a, **o)[0][0, 0]), np.eye(3)),
    }
    for pattern, (loss, a) in losses.items():
        with pytest.raises(GaugeError, match=pattern):
            grad(loss)(a)
        for gauge in ("project", "trust"):
            assert np.isfinite(
                grad(lambda a, loss=loss, gauge=gauge: loss(a, gauge=gauge))(a)
            ).all()
    with pytest.raises(GaugeError, match="not differentiable"):
        jvp(lambda a: linalg.schur(a)[0], (np.eye(2),), (random(2, 2),))


def test_derivatives_of_a_real_form_with_blocks():
    a, t, h = random(6, 6), random(6, 6), random(6, 6)
    assert np.diagonal(scipy.linalg.schur(a)[0], -1).any()

    def loss(a):
        form, z = linalg.schur(a)
        return np.sum(h * (z @ form @ form @ z.T)) + np.sum(form**2) + np.trace(form @ form @ form)

    def truth(a):
        return np.sum(h * (a @ a)) + np.sum(a**2) + np.trace(a @ a @ a)

    for of in (loss, truth):
        assert_close(grad(of)(a), grad(truth)(a), 1e-9)
        assert_close(hvp(of, (a,), (t,))[1], hvp(truth, (a,), (t,))[1], 1e-8)
    assert_close(jvp(loss, (a,), (t,))[1], jvp(truth, (a,), (t,))[1], 1e-9)


def test_leading_columns_span_the_sorted_subspace(is_complex):
    """The projector on the stable subspace, against the matrix sign function."""
    a, t = random(4, 4, is_complex=is_complex), random(4, 4, is_complex=is_complex)
    a = a - np.median(np.linalg.eigvals(a).real) * np.eye(4)  # eigenvalues on both sides

    def projector(a):
        _, z, count = linalg.schur(a, sort="lhp")
        return z[:, : int(count)] @ np.conjugate(z[:, : int(count)]).mT

    def by_sign(a):
        basis = scipy.linalg.orth(np.eye(4) - scipy.linalg.signm(a), 1e-8)
        return basis @ basis.conj().T

    assert_close(projector(a), by_sign(a), 1e-10)
    assert_close(
        jvp(projector, (a,), (t,))[1], directional_difference(by_sign, (a,), (t,), 1e-4), 1e-6
    )


@pytest.mark.parametrize("k", [-500, 500])
def test_blocks_at_every_scale(k):
    """SciPy's rsf2csf splits blocks of this size wrongly."""
    a, b, scale = random(4, 4), random(4, 4), 2.0**k
    a[:2, :2] += [[0, 9], [-9, 0]]
    t, z = linalg.schur(a)
    form, u = linalg.rsf2csf(scale * t, z)
    assert_close(u @ (form / scale) @ np.conj(u.T), a.astype(complex), 1e-13)
    for f in (
        lambda a: linalg.schur(a, gauge="project"),
        lambda a: linalg.rsf2csf(a, np.eye(4), gauge="project"),
    ):
        expected, found = (jvp(f, (s * t,), (s * b,))[1] for s in (1, scale))
        assert_close((found[0] / scale, found[1]), expected, 1e-11)


@pytest.mark.parametrize("k", [-500, 500])
def test_scaling(k, is_complex):
    a, scale, h = random(4, 4, is_complex=is_complex), 2.0**k, random(4, 4)

    def loss(a):
        t, z = linalg.schur(a, "complex")
        return np.sum(np.abs(z) ** 2 * h) + np.abs(t[0, 1] / t[0, 0])

    assert_close(scale * grad(loss)(scale * a), grad(loss)(a), 1e-11)


def test_value_and_gradient_take_one_decomposition(monkeypatch):
    from scigrad.linalg.schur_forms import schur as module

    calls = []
    original = module.host
    monkeypatch.setattr(module, "host", lambda name: calls.append(name) or original(name))
    value_and_grad(lambda a: np.sum(linalg.schur(a)[0] ** 2))(random(4, 4))
    assert calls == ["schur"]


def test_failures_spare_their_neighbors():
    a = random(3, 3, 3)
    a[1, 0, 0] = np.nan
    t, z, info = linalg.schur(a, on_fail="info")
    assert info.tolist() == [0, -1, 0]
    assert np.isnan(t[1]).all()
    assert np.isnan(z[1]).all()
    assert_close((t[2], z[2]), scipy.linalg.schur(a[2]))
    gradient = grad(lambda a: np.nansum(linalg.schur(a, on_fail="nan")[0] ** 2))(a)
    assert_close(gradient[[0, 2]], 2 * a[[0, 2]], 1e-10)
    assert vmap(lambda a: linalg.schur(a, on_fail="info"))(a)[2].tolist() == [0, -1, 0]


def test_rsf2csf_of_a_schur_form_is_the_complex_schur_form():
    a, h = random(4, 4), random(4, 4)

    def loss(a):
        t, z = linalg.rsf2csf(*linalg.schur(a))
        return np.sum(np.real(h * (z @ t @ t @ np.conjugate(z).mT)))

    assert_close(grad(loss)(a), a.T @ h + h @ a.T, 1e-9)
    t, z = scipy.linalg.schur(a)
    assert_close(jvp(linalg.rsf2csf, (t, z), (t, z))[0], scipy.linalg.rsf2csf(t, z), 1e-12)


def test_rsf2csf_of_several_blocks():
    t = np.triu(random(5, 5))
    t[1, 0], t[0, 1], t[4, 3], t[3, 4] = -1, 2, 1.5, -0.5
    read = np.triu(np.ones((5, 5))) + (t != 0) > 0

    def invariants(t, z):
        t, z = linalg.rsf2csf(np.where(read, t, 0), z)
        return np.abs(t) ** 2, np.abs(z) ** 2

    z = np.linalg.qr(random(5, 5))[0]
    gradcheck(invariants, t, z, step=1e-3)
    assert not grad(lambda t: np.sum(invariants(t, z)[0]))(t)[~read].any()


def test_the_number_of_sorted_eigenvalues_of_an_empty_matrix_is_an_int():
    assert (
        type(linalg.schur(np.zeros((0, 0)), sort="lhp")[2])
        is type(scipy.linalg.schur(np.zeros((0, 0)), sort="lhp")[2])
        is int
    )
