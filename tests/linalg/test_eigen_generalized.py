"""eigh of pairs: equal eigenvalues in both matrices' derivatives, the triangles that are read,
scale, cost.
"""

from functools import partial

import numpy as np
import pytest
import scipy.linalg

from scigrad import GaugeError, grad, hvp, jvp, linalg, value_and_grad
from scigrad.testing import assert_close
from scigrad.testing.draw import normal
from scigrad.testing.gradcheck import directional_difference

rng = np.random.default_rng(29)
random = partial(normal, rng)
# what replaces w in v f(w) v^H so that a function of (a, b) comes out that needs no eigenvector:
# type -> truth for f = square
TRUTH = {
    # v^H b v = 1: v w^2 v^H
    1: lambda a, b: np.linalg.inv(b) @ a @ np.linalg.inv(b) @ a @ np.linalg.inv(b),
    2: lambda a, b: a @ b @ a,  # v^H b v = 1, a b v = v w: v w^2 v^H
    3: lambda a, b: b @ a @ b @ a @ b,  # v^H b^-1 v = 1, b a v = v w: v w^2 v^H
}


def hermitian(x):
    return (x + x.conj().T) / 2


def pair(w, kind, is_complex):
    """Matrices with the eigenvalues w in the sense of `kind`."""
    n = len(w)
    q = np.linalg.qr(random(n, n, is_complex=is_complex))[0]
    b = hermitian((q * np.linspace(1, 2, n)) @ q.conj().T)
    factor = np.linalg.cholesky(b)
    p = np.linalg.qr(random(n, n, is_complex=is_complex))[0]
    c = hermitian((p * np.array(w)) @ p.conj().T)
    inverse = np.linalg.inv(factor)
    a = factor @ c @ factor.conj().T if kind == 1 else inverse.conj().T @ c @ inverse
    return hermitian(a), b


@pytest.fixture(params=[False, True], ids=["real", "complex"])
def is_complex(request):
    return request.param


@pytest.mark.parametrize(
    "spectrum", [(1.0, 2, 3), (1.0, 1, 3), (2.0, 2, 2)], ids=["simple", "a pair", "all"]
)
@pytest.mark.parametrize("kind", [1, 2, 3])
def test_functions_of_the_pair_with_equal_eigenvalues(kind, spectrum, is_complex):
    a, b = pair(spectrum, kind, is_complex)
    h = random(3, 3, is_complex=is_complex)
    s, t = (hermitian(random(3, 3, is_complex=is_complex)) for _ in range(2))
    np.testing.assert_allclose(scipy.linalg.eigvalsh(a, b, type=kind), spectrum, rtol=1e-12)

    def loss(a, b):
        w, v = linalg.eigh(a, b, type=kind)
        return np.sum(np.real(np.conjugate(h) * ((v * w**2) @ np.conjugate(v).mT)))

    expected = directional_difference(
        lambda a, b: np.sum(np.real(np.conj(h) * TRUTH[kind](a, b))), (a, b), (s, t)
    )
    a_bar, b_bar = grad(loss, (0, 1))(a, b)
    reverse = np.real(np.vdot(a_bar, s) + np.vdot(b_bar, t))
    scale = max(np.abs(a_bar).max(), np.abs(b_bar).max()) * 10
    assert abs(reverse - expected) <= 1e-9 * scale
    assert abs(jvp(loss, (a, b), (s, t))[1] - expected) <= 1e-9 * scale
    assert not np.triu(a_bar, 1).any()
    assert not np.triu(b_bar, 1).any()
    assert not np.diagonal(b_bar).imag.any()


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_eigenvalues_to_second_order_with_equal_ones(kind, is_complex):
    a, b = pair((1.0, 1, 3), kind, is_complex)
    s, t = (hermitian(random(3, 3, is_complex=is_complex)) for _ in range(2))

    def loss(a, b):
        return np.sum(linalg.eigvalsh(a, b, type=kind) ** 3)

    found = hvp(loss, (a, b), (s, t))[1]
    expected = directional_difference(grad(loss, (0, 1)), (a, b), (s, t))
    assert_close(found, expected, 1e-7)


def test_the_phase_is_checked():
    a, b = pair((1.0, 2, 3), 1, True)
    with pytest.raises(GaugeError, match="the phase of eigenvector"):
        grad(lambda b: np.real(linalg.eigh(a, b)[1][0, 0]))(b)


@pytest.mark.parametrize("k", [-500, 500])
def test_scaling(k):
    a, b = pair((1.0, 2, 3), 1, False)
    scale = 2.0**k

    def loss(a, b):
        w, v = linalg.eigh(a, b)
        return np.abs(w[0] / w[1]) + np.sum((v[0] / v[1]) ** 2 * np.arange(3))

    a_bar, b_bar = grad(loss, (0, 1))(a, b)
    assert_close(scale * grad(loss)(scale * a, b), a_bar, 1e-12)
    assert_close(scale * grad(loss, 1)(a, scale * b), b_bar, 1e-11)


@pytest.mark.parametrize(
    "options", [{"subset_by_index": (1, 2)}, {"subset_by_value": (1.5, 9)}, {"driver": "gvx"}]
)
def test_options_under_transforms(options):
    a, b = pair((1.0, 2, 3), 1, False)
    expected = scipy.linalg.eigh(a, b, **options)
    (w, v), _ = jvp(lambda a, b: linalg.eigh(a, b, **options), (a, b), (a, 0 * b))
    assert_close(w, expected[0], 1e-12)
    assert_close(np.abs(v), np.abs(expected[1]), 1e-12)


def test_value_and_gradient_take_one_decomposition(monkeypatch):
    from scigrad.linalg.eigenvalues import hermitian as spectrum

    calls = []
    original = spectrum._eigh_kernel
    monkeypatch.setattr(spectrum, "_eigh_kernel", lambda *args: calls.append(1) or original(*args))
    a, b = pair((1.0, 2, 3), 1, False)
    value_and_grad(lambda a, b: np.sum(linalg.eigh(a, b)[1] ** 4), (0, 1))(a, b)
    assert len(calls) == 1
