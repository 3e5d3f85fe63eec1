"""Blocks of order 2 on the diagonal of a pair, from array functions: split, or the one of p made diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import namespace_of

from ..foundation.matrices import identity, is_complex, mH
from ..spectra.gauge import frobenius

Forms = tuple[Any, Any, Any, Any]


def standardized_pair(s: Any, p: Any, q: Any, z: Any) -> Forms:
    """Blocks are split, those of a real pair only where their eigenvalues are real; else p is diag(x, y) there, x >= y >= 0."""
    s, p, q, z = (x.copy() for x in (s, p, q, z))
    for m in range(s.shape[-1] - 1, 0, -1):
        both = slice(m - 1, m + 1)
        coupled = s[..., m, m - 1] != 0
        g, w, splits = _turns(s[..., both, both], p[..., both, both])
        g, w = (np.where(coupled[..., None, None], x, identity(2, s)) for x in (g, w))
        for x in (s, p):
            x[..., both, m - 1 :] = g @ x[..., both, m - 1 :]
            x[..., : m + 1, both] = x[..., : m + 1, both] @ w
        q[..., both], z[..., both] = q[..., both] @ mH(g), z[..., both] @ w
        s[..., m, m - 1] = np.where(splits, 0, s[..., m, m - 1])
        p[..., m, m - 1] = 0
        p[..., m - 1, m] = np.where(coupled & ~splits, 0, p[..., m - 1, m])
    return s, p, q, z


def _turns(s: Any, p: Any) -> tuple[Any, Any, Any]:
    """g and w with g s w and g p w triangular, and where; with g p w diagonal where a real pair has complex eigenvalues."""
    size = np.stack([frobenius(x) for x in (s, p)], axis=-1)
    unit_s, unit_p = (np.where(x > 0, x, 1)[..., None, None] for x in (size[..., 0], size[..., 1]))
    f, h = _far_from_singular(s / unit_s, p / unit_p)
    (a, b), (c, d) = ((h[..., i, 0], h[..., i, 1]) for i in (0, 1))
    adjugate = np.stack([np.stack([d, -b], axis=-1), np.stack([-c, a], axis=-1)], axis=-2)
    product, determinant = f @ adjugate, a * d - b * c  # f h^-1 = product / determinant
    half = (product[..., 0, 0] - product[..., 1, 1]) / 2
    discriminant, splits = half * half + product[..., 0, 1] * product[..., 1, 0], namespace_of(s).ones(s.shape[:-2], bool)
    if not is_complex(half):  # a negative one that is but rounding is that of a double eigenvalue
        rounding = 4 * np.finfo(s.dtype).eps * (np.abs(half) + np.abs(product[..., 0, 1]) + np.abs(product[..., 1, 0]))
        splits, discriminant = discriminant >= -rounding, np.maximum(discriminant, 0)
    root = np.sqrt(discriminant)
    root = np.where(np.real(np.conjugate(half) * root) < 0, -root, root)
    singular = determinant[..., None, None] * f - (product[..., 1, 1] + half + root)[..., None, None] * h
    row = longer(singular[..., 0, :], singular[..., 1, :])
    w = _with_first_column(np.stack([-row[..., 1], row[..., 0]], axis=-1))
    image = longer(*((x @ w[..., :1])[..., 0] for x in (f, h)))
    g = mH(_with_first_column(image))
    if is_complex(half):
        return g, w, splits
    # p = (rotation by x) diag(.) (rotation by y), with x + y and x - y the angles of its two conformal parts
    (a, b), (c, d) = ((p[..., i, 0], p[..., i, 1]) for i in (0, 1))
    plus, minus = np.arctan2(c - b, a + d), np.arctan2(b + c, a - d)
    left, right = (plus + minus) / 2, (plus - minus) / 2
    g, w = (
        np.where(splits[..., None, None], x, _with_first_column(np.stack([np.cos(angle), -np.sin(angle)], axis=-1)))
        for x, angle in ((g, left), (w, right))
    )
    return g, w, splits


def _far_from_singular(s: Any, p: Any) -> tuple[Any, Any]:
    """Of the pairs (c s + d p, c p - d s), c^2 + d^2 = 1, which have the same vectors, one with a regular second matrix."""
    r = 0.5**0.5
    first, second = np.stack([s, p, r * (s + p), r * (s - p)]), np.stack([p, -s, r * (p - s), r * (p + s)])
    size = np.abs(second[..., 0, 0] * second[..., 1, 1] - second[..., 0, 1] * second[..., 1, 0])
    best = size.argmax(axis=0)[None, ..., None, None]
    return tuple(np.take_along_axis(x, best, 0)[0].astype(s.dtype) for x in (first, second))


def longer(x: Any, y: Any) -> Any:
    return np.where(((np.abs(x) ** 2).sum(axis=-1) >= (np.abs(y) ** 2).sum(axis=-1))[..., None], x, y)


def _with_first_column(x: Any) -> Any:
    """A unitary matrix whose first column is a multiple of x, e_1 if that is 0."""
    size = np.hypot(np.abs(x[..., 0]), np.abs(x[..., 1]))
    unit = np.where(size == 0, 1, size)
    c, s = np.where(size == 0, 1, x[..., 0] / unit), x[..., 1] / unit
    rows = [np.stack(pair, axis=-1) for pair in ((c, -np.conjugate(s)), (s, np.conjugate(c)))]
    return np.stack(rows, axis=-2).astype(x.dtype)


def with_positive_diagonal(s: Any, p: Any, q: Any, z: Any) -> Forms:
    """The columns of z turned so that the diagonal of p is real and not negative; what is negligible there, outside of blocks,
    becomes 0."""
    d, below = np.diagonal(p, axis1=-2, axis2=-1), np.tril(s, -1) != 0
    kept = below.any(axis=-1) | below.any(axis=-2)
    size, i = np.abs(d), np.arange(p.shape[-1])
    turn = np.where(size == 0, 1, np.conjugate(d) / np.where(size == 0, 1, size))[..., None, :].astype(p.dtype)
    s, p, z = s * turn, p * turn, z * turn
    p[..., i, i] = np.where(kept | (size > (np.finfo(p.dtype).eps * frobenius(p))[..., None]), size, 0)
    return s, p, q, z


__all__ = ["Forms", "longer", "standardized_pair", "with_positive_diagonal"]
