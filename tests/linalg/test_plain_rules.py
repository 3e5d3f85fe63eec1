"""The reverse rules of plain arrays, where work is left out, a batch is cut into pieces and
LAPACK's blocks are used: matrices and batches larger than those of the laws. The forward rules know
nothing of that.
"""

from functools import partial
from typing import Any

import numpy as np
import pytest
import scipy.linalg

from scigrad import GaugeError, grad, jvp, linalg
from scigrad.linalg.eigenvalues import eigensystem
from scigrad.testing import assert_close
from scigrad.testing.draw import normal

rng = np.random.default_rng(31)
random = partial(normal, rng)
COLUMNS = {
    "all": slice(None),
    "first": slice(3),
    "last": slice(-3, None),
    "between": slice(1, 3),
    "none": slice(0),
}


@pytest.fixture(params=[False, True], ids=["real", "complex"])
def is_complex(request):
    return request.param


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch):
    # elements: eight matrices of order 5, the last piece is shorter
    monkeypatch.setattr(eigensystem, "_PIECE", 200)


def projector(v):
    return v @ np.conjugate(v).mT


def agrees_with_forward_mode(loss, a, tolerance=1e-10):
    t = random(*a.shape, is_complex=np.iscomplexobj(a))
    gradient = grad(loss)(a)
    terms = np.real(np.conjugate(gradient) * t)
    assert_close(
        terms.sum(), jvp(loss, (a,), (t,))[1], tolerance, floor=tolerance * np.abs(terms).sum()
    )
    return gradient


# -- eigh


@pytest.mark.parametrize("columns", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize("shape", [(6, 6), (21, 5, 5), (3, 4, 5, 5)], ids=str)
@pytest.mark.parametrize("lower", [True, False], ids=["lower", "upper"])
def test_eigh(shape, lower, columns, is_complex):
    h, c = random(*shape, is_complex=is_complex), rng.standard_normal(shape[:-1])

    def loss(a):
        w, v = linalg.eigh(a, lower=lower)
        return np.sum(np.real(h * projector(v[..., columns]))) + np.sum(c * w)

    a = random(*shape, is_complex=is_complex)
    gradient = agrees_with_forward_mode(loss, a, 1e-9)
    assert not (np.triu(gradient, 1) if lower else np.tril(gradient, -1)).any()


def test_matrices_of_a_batch_may_have_different_columns_of_zeros():
    weights = np.zeros((30, 5))
    weights[1:, 1] = weights[17, 4] = 1  # the first matrix has none
    h = random(30, 5, 5)

    def loss(a, h, weights):
        v = linalg.eigh(a)[1]
        return np.sum(h * ((v * weights[..., None, :]) @ v.mT))

    a = random(30, 5, 5)
    found = grad(loss)(a, h, weights)
    assert_close(found, np.stack([grad(loss)(*x) for x in zip(a, h, weights, strict=True)]), 1e-12)
    assert not found[0].any()


def test_the_other_triangle_is_not_read(is_complex):
    a, h = random(9, 5, 5, is_complex=is_complex), random(9, 5, 5, is_complex=is_complex)

    def gradient(a):
        def loss(a):
            w, v = linalg.eigh(a, check_finite=False)
            return np.sum(np.real(h * ((v * np.sin(w)[..., None, :]) @ np.conjugate(v).mT)))

        return grad(loss)(a)

    expected = gradient(a)
    a[..., *np.triu_indices(5, 1)] = np.nan
    if is_complex:
        a[..., range(5), range(5)] += 3j  # nor is the imaginary part of the diagonal
    assert_close(gradient(a), expected, 1e-13)


def test_a_loss_that_depends_on_phases_raises():
    a = random(20, 5, 5, is_complex=True)
    with pytest.raises(GaugeError, match="the phase of eigenvector 2"):
        grad(lambda a: np.sum(np.imag(linalg.eigh(a)[1][-1, :, 2])))(a)
    with pytest.raises(GaugeError, match="the common phase of singular vectors 1"):
        grad(lambda a: np.sum(np.imag(linalg.svd(a)[0][-1, :, 1])))(a)


# -- svd


@pytest.mark.parametrize("columns", COLUMNS.values(), ids=COLUMNS)
@pytest.mark.parametrize(
    "shape", [(6, 6), (8, 5), (5, 8), (21, 5, 5), (19, 7, 5), (19, 5, 7)], ids=str
)
@pytest.mark.parametrize("part", ["u", "v", "both"])
def test_svd(shape, part, columns, is_complex):
    h, c = (
        random(*shape, is_complex=is_complex),
        rng.standard_normal((*shape[:-2], min(shape[-2:]))),
    )

    def loss(a):
        u, s, vh = linalg.svd(a, full_matrices=False)
        first = projector(u[..., columns]) @ h if part != "v" else h
        second = first @ projector(np.conjugate(vh[..., columns, :]).mT) if part != "u" else first
        return np.sum(np.real(second)) + np.sum(c * s)

    agrees_with_forward_mode(loss, random(*shape, is_complex=is_complex), 1e-9)


# -- qr


@pytest.mark.parametrize("shape", [(150, 110), (110, 110), (110, 150), (7, 4), (4, 4)], ids=str)
@pytest.mark.parametrize("used", ["q", "r", "both"])
def test_qr(shape, used, is_complex):
    a, k = random(*shape, is_complex=is_complex), min(shape)
    g, h = random(shape[0], k, is_complex=is_complex), random(k, shape[1], is_complex=is_complex)

    def loss(a):
        q, r = linalg.qr(a, mode="economic")
        of_q = np.sum(np.real(g * q)) if used != "r" else 0
        return of_q + np.sum(np.real(h * r)) if used != "q" else of_q

    agrees_with_forward_mode(loss, a)


def test_recursive_panels_give_what_scipy_gives(is_complex):
    for shape in ((150, 110), (110, 150)):
        a = random(*shape, is_complex=is_complex)
        q, r = jvp(partial(linalg.qr, mode="economic"), (a,), (a,))[0]
        expected: Any = scipy.linalg.qr(a, mode="economic")
        assert_close(q, expected[0], 1e-12)
        assert_close(r, expected[1], 1e-12)
