"""cossin. A unitary matrix cannot vary freely, so the derivative laws vary the matrix whose polar factor it is."""

import functools

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def of_polar(function, polar):
    """The angles and the middle factor of the polar factor of a matrix."""

    @functools.wraps(function)
    def of_a(a, p, q, *, separate=False, swap_sign=False):
        x = polar(a)[0]
        if isinstance(p, str):
            x, p, q = (x[..., :2, :1], x[..., :2, 1:], x[..., 2:, :1], x[..., 2:, 1:]), None, None
        return function(x, p, q, separate, swap_sign, compute_u=False, compute_vh=False)[1]

    return of_a


def matrix(draw, m, *batch):
    return draw.well_conditioned(m, batch)


def polar_samples(draw):
    for m, p, q in ((4, 2, 2), (3, 1, 2), (5, 3, 3), (5, 2, 3)):
        yield f"angles, {m}, {p}, {q}", (matrix(draw, m), p, q), {"separate": True}
        yield f"{m}, {p}, {q}", (matrix(draw, m), p, q), {"swap_sign": m == 5}
    yield "blocks", (matrix(draw, 4), "blocks", None), {}
    yield "batch", (matrix(draw, 4, 2), 2, 1), {}


def samples(draw):
    x = draw.unitary(5)
    yield "whole", (), {"X": x, "p": 2, "q": 3}
    yield "separate", (), {"X": x, "p": 3, "q": 3, "separate": True, "swap_sign": True}
    yield "without u", (), {"X": x, "p": 3, "q": 1, "compute_u": False}
    yield "without vh", (), {"X": x, "p": 1, "q": 1, "compute_vh": False}
    yield "batch", (), {"X": draw.unitary(4, (2,)), "p": 2, "q": 1}


def errors(draw):
    x, batch = draw.unitary(5), draw.unitary(5, (2,))
    yield "not square", (x[:3], 2, 2), {}, ValueError, "(?i)square"
    for where, given in (("", x), (" in a batch", batch)):
        yield "p" + where, (given, 5, 2), {}, ValueError, "invalid p=5, 0<p<5"
        yield "q" + where, (given, 2, -1), {}, ValueError, "invalid q=-1"
        yield "no partition" + where, (given,), {}, ValueError, "exactly four arrays"
    yield "NaN", (batch * np.nan, 2, 2), {}, ValueError, "infs or NaNs"
    yield "blocks", ((x[None, :2, :2], x[None, :2, 2:], x[None, 2:, :2], x[None, 2:, 2:3]),), {}, ValueError, "dimension|square"


@functools.wraps(linalg.cossin)
def products(X, p, q, *, swap_sign=False):
    """u cs vh, the middle factor alone, and u u^H, vh vh^H."""
    u, cs, vh = linalg.cossin(X, p, q, swap_sign=swap_sign)
    return u @ cs @ vh, cs, u @ np.conjugate(u).mT, vh @ np.conjugate(vh).mT


def plain_products(X, p, q, *, swap_sign=False):
    eye = np.zeros_like(X) + np.eye(X.shape[-1])
    return X, scipy.linalg.cossin(X, p, q, swap_sign=swap_sign)[1], eye, eye


def product_samples(draw):
    for m, p, q in ((5, 2, 3), (5, 4, 2), (4, 2, 2), (3, 1, 1), (6, 2, 5)):
        yield f"{m}, {p}, {q}", (), {"X": draw.unitary(m, (2,)), "p": p, "q": q, "swap_sign": m == 5}


@functools.wraps(linalg.cossin)
def of_factors(a, p, q, *, swap_sign=False, only=""):
    """What phases, and bases where blocks are not square, do not change of the factors of the polar factor of a matrix."""
    x = linalg.polar(a)[0]
    m = x.shape[-1]
    r = min(p, q, m - p, m - q)
    (u1, u2), theta, (v1, v2) = linalg.cossin(
        x, p, q, separate=True, swap_sign=swap_sign, compute_u=only != "vh", compute_vh=only != "u", gauge="check"
    )
    bases = (u1, u2) if only != "vh" else ()
    bases += tuple(np.conjugate(v).mT for v in (v1, v2)) if only != "u" else ()
    starts = [min(n, k) - r for n, k in ((p, q), (m - p, m - q), (p, q), (m - p, m - q))]
    starts = starts[2:] if only == "vh" else starts
    columns = [b[..., start : start + r] for b, start in zip(bases, starts, strict=False)]
    out = [theta, *(np.abs(c) ** 2 for c in columns)]
    out += [b[..., :start] @ np.conjugate(b[..., :start]).mT for b, start in zip(bases, starts, strict=False)]
    if not only:
        c, s = np.cos(theta)[..., None, :], np.sin(theta)[..., None, :]
        out += [
            (columns[i] * f) @ np.conjugate(columns[j]).mT for i, j, f in ((0, 2, c * c), (1, 3, s), (0, 3, c), (1, 2, s * c))
        ]
    return tuple(out)


def factor_samples(draw):
    for m, p, q in ((4, 2, 2), (3, 1, 2), (5, 3, 3), (5, 2, 3)):
        yield f"{m}, {p}, {q}", (matrix(draw, m), p, q), {"swap_sign": m == 5}
    yield "batch", (matrix(draw, 4, 2), 2, 1), {}
    yield "u alone", (matrix(draw, 3), 2, 1), {"only": "u"}
    yield "vh alone", (matrix(draw, 3), 2, 1), {"only": "vh"}


specs = [
    OpSpec(function=linalg.cossin, reference=scipy.linalg.cossin, samples=samples, error_samples=errors),
    OpSpec(function=products, reference=plain_products, samples=product_samples),
    OpSpec(function=of_polar(linalg.cossin, linalg.polar), reference=of_polar(scipy.linalg.cossin, scipy.linalg.polar),
           samples=polar_samples),
    OpSpec(function=of_factors, samples=factor_samples),
]  # fmt: skip
