"""LAPACK's measure of a factorization, |a - product| / (n eps |a|), and of unitary factors, |1 -
q^H q| / (n eps): below 30, in every precision, for plain arrays and for what a transform computes,
one matrix or a batch.
"""

from functools import partial
from typing import Any

import numpy as np
import pytest

from scigrad import linalg as room
from scigrad import vjp
from scigrad.testing.draw import normal

linalg: Any = room
rng = np.random.default_rng(11)
random = partial(normal, rng)
LIMIT = 30


def mH(x):
    return np.conjugate(x).mT


def one_norm(x):
    return np.abs(x).sum(axis=-2).max(axis=-1)


def ratios(pairs, unitary):
    """Of each product with what it should be, and of the columns of unitary factors."""
    for product, a in pairs:
        yield one_norm(product - a) / (max(a.shape[-2:]) * np.finfo(a.dtype).eps * one_norm(a))
    for q in unitary:
        n = q.shape[-1]
        yield one_norm(mH(q) @ q - np.eye(n, dtype=q.dtype)) / (q.shape[-2] * np.finfo(q.dtype).eps)


def _schur(a, b, **options):
    t, z = linalg.schur(a, **options)[:2]
    return [(z @ t @ mH(z), a)], [z]


def _rsf2csf(a, b):
    t, z = linalg.rsf2csf(*linalg.schur(a))
    return [(z @ t @ mH(z), a.astype(z.dtype))], [z]


def _hessenberg(a, b):
    h, q = linalg.hessenberg(a, calc_q=True)
    return [(q @ h @ mH(q), a)], [q]


def _qz(a, b, **options):
    s, t, q, z = linalg.qz(a, b, **options)
    return [(q @ s @ mH(z), a.astype(s.dtype)), (q @ t @ mH(z), b.astype(s.dtype))], [q, z]


def _ordqz(a, b, sort="lhp"):
    s, t, _, _, q, z = linalg.ordqz(a, b, sort=sort)
    return [(q @ s @ mH(z), a), (q @ t @ mH(z), b)], [q, z]


def _cossin(a, b):
    x = np.linalg.qr(a)[0]
    n = a.shape[-1]
    u, cs, vh = linalg.cossin(x, n // 2, n // 3, separate=False)
    return [(u @ cs @ vh, x)], [u, mH(vh)]


def _banded(a, b, lower=False, select="a"):
    whole = np.triu(np.tril(a + mH(a), 2), -2)
    n = a.shape[-1]
    ab = np.stack(
        [
            np.pad(np.diagonal(whole, -k, -2, -1), [(0, 0)] * (a.ndim - 2) + [(0, k)])
            for k in range(3)
        ],
        axis=-2,
    )
    if not lower:
        ab = np.stack(
            [np.roll(np.conjugate(ab[..., k, :]), k, axis=-1) for k in (2, 1, 0)], axis=-2
        )
    bounds = None if select == "a" else (1, n // 2)
    w, v = linalg.eig_banded(ab, lower, select=select, select_range=bounds)
    return [(whole @ v, v * w[..., None, :])] if select == "i" else [
        (v * w[..., None, :] @ mH(v), whole)
    ], [v]


def _tridiagonal(a, b, select="a"):
    d, e = np.real(np.diagonal(a, 0, -2, -1)), np.real(np.diagonal(a, 1, -2, -1))
    eye = np.eye(a.shape[-1], dtype=d.dtype)
    above = np.pad(e, [(0, 0)] * (a.ndim - 2) + [(0, 1)])[..., None] * np.roll(eye, 1, axis=-1)
    whole = d[..., None] * eye + above + above.mT
    bounds = None if select == "a" else (0, a.shape[-1] // 3)
    w, v = linalg.eigh_tridiagonal(d, e, select=select, select_range=bounds)
    return [(whole @ v, v * w[..., None, :])] if select == "i" else [
        (v * w[..., None, :] @ v.mT, whole)
    ], [v]


def _rq(a, b, rows=None):
    a = a[..., :rows, :]
    r, q = linalg.rq(a, mode="economic")
    return [(r @ q, a)], [mH(q)]


def _qr(a, b, columns=None):
    a = a[..., :columns]
    q, r = linalg.qr(a, mode="economic")
    return [(q @ r, a)], [q]


def _polar(a, b, side="right", columns=None):
    a = a[..., :columns]
    u, p = linalg.polar(a, side)
    return [(u @ p if side == "right" else p @ u, a)], [u if u.shape[-2] >= u.shape[-1] else mH(u)]


def _ldl(a, b, lower=True, hermitian=True):
    a = a + (mH(a) if hermitian else a.mT)
    l, d, _ = linalg.ldl(a, lower, hermitian)  # noqa: E741
    return [(l @ d @ (mH(l) if hermitian else l.mT), a)], []


def _eigh(a, b):
    a = a + mH(a)
    w, v = linalg.eigh(a)
    return [(v * w[..., None, :] @ mH(v), a)], [v]


def _svd(a, b):
    u, s, vh = linalg.svd(a)
    return [(u * s[..., None, :] @ vh, a)], [u, mH(vh)]


def _lu(a, b):
    p, l, u = linalg.lu(a)  # noqa: E741
    return [(p.astype(a.dtype) @ l @ u, a)], []


def _cholesky(a, b):
    a = a @ mH(a) + np.eye(a.shape[-1], dtype=a.dtype)
    c = linalg.cholesky(a, lower=True)
    return [(c @ mH(c), a)], []


FORMS = {
    "schur": _schur,
    "schur, sorted": partial(_schur, sort="lhp"),
    "schur, complex": lambda a, b: _schur(
        a.astype("F" if a.dtype.char in "fF" else "D"), b, output="complex"
    ),
    "rsf2csf": _rsf2csf,
    "hessenberg": _hessenberg,
    "qz": _qz,
    "qz, complex": partial(_qz, output="complex"),
    "ordqz": _ordqz,
    "ordqz, iuc": partial(_ordqz, sort="iuc"),
    "cossin": _cossin,
    "eig_banded": _banded,
    "eig_banded, lower": partial(_banded, lower=True),
    "eig_banded, some": partial(_banded, select="i"),
    "eigh_tridiagonal": _tridiagonal,
    "eigh_tridiagonal, some": partial(_tridiagonal, select="i"),
    "rq": _rq,
    "rq, wide": partial(_rq, rows=5),
    "qr, tall": partial(_qr, columns=5),
    "polar": _polar,
    "polar, left": partial(_polar, side="left"),
    "polar, tall": partial(_polar, columns=5),
    "ldl": _ldl,
    "ldl, upper": partial(_ldl, lower=False),
    "ldl, symmetric": partial(_ldl, hermitian=False),
    "eigh": _eigh,
    "svd": _svd,
    "lu": _lu,
    "cholesky": _cholesky,
}


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("shape", [(40, 40), (6, 9, 9)])
def test_products_and_unitary_factors(shape, name, dtype):
    a, b = random(*shape, dtype=dtype), random(*shape, dtype=dtype)
    for pairs, unitary in (FORMS[name](a, b), vjp(FORMS[name], a, b)[0]):
        assert max(np.max(ratio) for ratio in ratios(pairs, unitary)) < LIMIT
        for product, expected in pairs:
            assert product.dtype.char.lower() == dtype.lower()
            assert product.shape == expected.shape


def graded(a):
    n = a.shape[-1]
    return (a * np.logspace(0, -4, n)).astype(a.dtype)


def of_low_rank(a):
    return (a[..., :3] @ a[..., :3, :]).astype(a.dtype)


# Made of a well-conditioned one; sorted by the sign of eigenvalues that are 0 but for rounding,
# which LAPACK refuses.
ELSEWHERE = {
    graded: {"cossin", "cholesky"},
    of_low_rank: {"cossin", "cholesky", "schur, sorted", "ordqz"},
}


@pytest.mark.parametrize("dtype", "fdFD")
@pytest.mark.parametrize(
    ("made", "name"),
    [(made, name) for made, others in ELSEWHERE.items() for name in FORMS if name not in others],
)
def test_graded_and_singular_matrices_under_a_transform(made, name, dtype):
    """Plain ones are SciPy's: of a graded matrix its eigh, by relatively robust representations,
    leaves ratios up to 80.
    """
    a, b = made(random(30, 30, dtype=dtype)), random(30, 30, dtype=dtype)
    pairs, unitary = vjp(FORMS[name], a, b)[0]
    assert max(np.max(ratio) for ratio in ratios(pairs, unitary)) < LIMIT
