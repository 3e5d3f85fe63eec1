"""The Schur form from array functions, for a batch on its device: Francis' implicit double shift.

A matrix in Hessenberg form is swept by reflections of three rows. Each matrix of the batch has a window of its own, the lowest
block that is not yet of order 1 or 2, and a step outside of it is the identity; what has become negligible is set to 0 (Golub and
Van Loan, Matrix Computations, 4th ed., algorithms 7.5.1 and 7.5.2; the exceptional shifts of Wilkinson). Blocks of order 2 are
then split, or brought to equal diagonals (Bai and Demmel 1993, On swapping diagonal blocks in real Schur form, section 2).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..foundation.failures import to_host
from ..foundation.matrices import identity, is_complex, mH, power_of_two
from ..on_device.reflections import hessenberg_form, reflected, reflection
from .qr import householder_product


def schur_form(a: Any, waits: bool) -> tuple[Any, Any, Any]:
    """Return t, z and a mask of matrices that did not converge. With `waits` the device is synchronized before every sweep."""
    n, unit = a.shape[-1], power_of_two(a)
    h, z = _start(a / unit)
    state = deflated(h, None)
    # two sweeps for each row are usual, and up to 50 more where an eigenvalue has one Jordan block
    for _ in range((30 * max(10, n) if waits else 100 + 4 * n) if n > 2 and a.size else 0):
        begin, end = _bounds(state, n) if waits else (0, n - 1)
        if begin >= end:
            break
        h, z = _swept(h, z, state, begin, end)
        state = deflated(h, state)
    t, z = h[..., :n, :n], z[..., :n]
    split = triangular if is_complex(a) else standardized
    t, z = split(np.triu(t, -1), z)
    return t * unit, z, state.working


class Windows(NamedTuple):
    """Rows first..last of each matrix are worked on; for how many sweeps `last` has been the same."""

    working: Any
    first: Any
    last: Any
    count: Any


def _start(a: Any) -> tuple[Any, Any]:
    """h with a row and a column of zeros after the last, and q with a column of zeros."""
    n, z = a.shape[-1], np.zeros_like(a) + identity(a.shape[-1], a)
    if n > 2:
        a, *reflections = hessenberg_form(a)
        z[..., 1:, 1:] = householder_product(*reflections)
    return with_border(a), with_border(z)[..., :n, :]


def with_border(a: Any) -> Any:
    """With a row and a column of zeros after the last."""
    a = np.concatenate([a, np.zeros_like(a[..., :1])], axis=-1)
    return np.concatenate([a, np.zeros_like(a[..., :1, :])], axis=-2)


def deflated(h: Any, before: Windows | None) -> Windows:
    """Set negligible elements to 0, in place, and find the windows."""
    n = h.shape[-1] - 1
    nothing = np.zeros(h.shape[:-2], np.intp, like=h)
    if n < 3:
        return Windows(nothing != 0, nothing, nothing, nothing)
    eps, i = np.finfo(h.dtype).eps, np.arange(n - 1)
    size, below = np.abs(np.diagonal(h, 0, -2, -1)), np.diagonal(h, -1, -2, -1)[..., : n - 1]
    negligible = np.abs(below) <= np.maximum(eps * (size[..., : n - 1] + size[..., 1:n]), eps * eps)
    h[..., i + 1, i] = np.where(negligible, 0, below)
    place, coupled = np.arange(n, like=h), ~negligible
    pairs = coupled[..., :-1] & coupled[..., 1:]
    last = np.where(pairs, place[2:], 0).max(axis=-1)
    begins = ~np.concatenate([np.zeros_like(coupled[..., :1]), coupled], axis=-1) & (place <= last[..., None] - 2)
    first = np.where(begins, place, 0).max(axis=-1)
    count = nothing if before is None else np.where(before.last == last, before.count + 1, 0)
    return Windows(pairs.any(axis=-1), first, last, count)


def _bounds(state: Windows, n: int) -> tuple[int, int]:
    """The rows from which and to which some matrix is worked on, read back from the device."""
    begin, end = np.where(state.working, state.first, n).min(), np.where(state.working, state.last, 0).max()
    first, last = to_host(np.stack([begin, end]))
    return int(first), int(last)


def _swept(h: Any, z: Any, state: Windows, begin: int, end: int) -> tuple[Any, Any]:
    """One sweep with both eigenvalues of the last block as shifts."""
    x, y, w = _shifts(h, state)
    for k in range(begin, end):
        starts, inside = state.first == k, state.working & (state.first <= k) & (k < state.last)
        block = h[..., k : k + 3, k : k + 2]
        own, lower = block[..., 0, 0], block[..., 1, 0]
        p, q = x - own, y - own
        column = [
            (p * q - w) / np.where(lower == 0, 1, lower) + block[..., 0, 1],
            block[..., 1, 1] - own - p - q,
            block[..., 2, 1],
        ]
        column = np.stack(column, axis=-1)
        if k:
            column = np.where(starts[..., None], column, h[..., k : k + 3, k - 1])
        v, tau, beta = reflection(np.where(inside[..., None], column, 0))
        back, near, rows = np.conjugate(tau), slice(max(k - 1, 0), None), slice(0, k + 4)
        h[..., k : k + 3, near] = reflected(v, back, h[..., k : k + 3, near])
        h[..., rows, k : k + 3] = mH(reflected(v, back, mH(h[..., rows, k : k + 3])))
        z[..., k : k + 3] = mH(reflected(v, back, mH(z[..., k : k + 3])))
        if k:
            moved = inside & ~starts
            h[..., k, k - 1] = np.where(moved, beta, h[..., k, k - 1])
            h[..., k + 1 : k + 3, k - 1] = np.where(moved[..., None], 0, h[..., k + 1 : k + 3, k - 1])
    return h, z


def _shifts(h: Any, state: Windows) -> tuple[Any, Any, Any]:
    """The diagonal of the last block and the product beside it; every tenth time, and where that has not helped, others."""
    above, own, below = (np.diagonal(h, k, -2, -1) for k in (1, 0, -1))
    x, y = at(own, state.last), at(own, state.last - 1)
    w = at(below, state.last - 1) * at(above, state.last - 1)
    size = np.abs(at(below, state.last - 1)) + np.abs(at(below, state.last - 2))
    stuck = (state.count % 10 == 9) & state.working
    moved = 0.75 * size + x
    return np.where(stuck, moved, x), np.where(stuck, moved, y), np.where(stuck, -0.4375 * size * size, w)


def at(values: Any, index: Any) -> Any:
    """An element of each row, at a place of its own."""
    return np.take_along_axis(values, np.maximum(index, 0)[..., None], -1)[..., 0]


# -- blocks of order 2


def triangular(t: Any, z: Any) -> tuple[Any, Any]:
    """The complex form of a block triangular one: the eigenvector (mu, t_21), mu = lambda - t_22, of a block comes first."""
    n, eps = t.shape[-1], np.finfo(t.dtype).eps
    t, z = t.copy(), z.copy()
    for m in range(n - 1, 0, -1):
        (a, b), (c, d) = ((t[..., i, m - 1], t[..., i, m]) for i in (m - 1, m))
        coupled = np.abs(c) > eps * (np.abs(a) + np.abs(d))
        p = (a - d) / 2
        root = np.sqrt(p * p + b * c)
        mu = p + np.where(np.real(np.conjugate(p) * root) < 0, -root, root)
        r = np.hypot(np.abs(mu), np.abs(c))
        r = np.where(r == 0, 1, r)
        t, z = rotated(t, z, m, np.where(coupled, mu / r, 1), np.where(coupled, c / r, 0))
        t[..., m, m - 1] = 0
    return t, z


def rotated(t: Any, z: Any, m: int, cosine: Any, sine: Any) -> tuple[Any, Any]:
    """g t g^H and z g^H, where g turns the unit vector (cosine, sine) in rows m - 1 and m into (1, 0)."""
    rows = [np.stack(pair, axis=-1) for pair in ((np.conjugate(cosine), np.conjugate(sine)), (-sine, cosine))]
    g = np.stack(rows, axis=-2).astype(t.dtype)
    both = slice(m - 1, m + 1)
    t[..., both, m - 1 :] = g @ t[..., both, m - 1 :]
    t[..., : m + 1, both] = t[..., : m + 1, both] @ mH(g)
    z[..., both] = z[..., both] @ mH(g)
    return t, z


def standardized(t: Any, z: Any) -> tuple[Any, Any]:
    """Real blocks split where their eigenvalues are real, with equal diagonals where they are not."""
    t, z = t.copy(), z.copy()
    for m in range(1, t.shape[-1]):
        coupled = t[..., m, m - 1] != 0
        a, b, c, d = (np.where(coupled, t[..., i, j], 0) for i in (m - 1, m) for j in (m - 1, m))
        p = (a - d) / 2
        discriminant = p * p + b * c
        is_real = discriminant >= 0
        root = p + np.copysign(np.sqrt(np.abs(discriminant)), p)
        # the eigenvector (root, c), or half the angle at which p becomes 0: tan 2 phi = -(a - d) / (b + c)
        cosine, sine = _unit(np.where(is_real, root, 1), np.where(is_real, c, 0))
        half = np.where(p == 0, 0, np.arctan2(-p, (b + c) / 2) / 2)
        cosine, sine = np.where(is_real, cosine, np.cos(half)), np.where(is_real, sine, np.sin(half))
        t, z = rotated(t, z, m, np.where(coupled, cosine, 1), np.where(coupled, sine, 0))
        mean = (t[..., m - 1, m - 1] + t[..., m, m]) / 2
        t[..., m, m - 1] = np.where(is_real, 0, t[..., m, m - 1])
        for i in (m - 1, m):
            t[..., i, i] = np.where(coupled & ~is_real, mean, t[..., i, i])
    return t, z


def _unit(x: Any, y: Any) -> tuple[Any, Any]:
    r = np.hypot(x, y)
    return np.where(r == 0, 1, x / np.where(r == 0, 1, r)), np.where(r == 0, 0, y / np.where(r == 0, 1, r))


__all__ = ["Windows", "at", "deflated", "rotated", "schur_form", "standardized", "triangular", "with_border"]
