"""The cosine-sine decomposition from SVD and QR of blocks, for a batch on its device.

The singular vectors of x11 do not determine the bases of small angles, whose cosines are all 1 up to rounding; these are taken
from x21 (Van
Loan 1985, Computing the CS and the generalized singular value decompositions, Numerische Mathematik 46, 479-491). Which angles
are small is a mask, so that matrices of one batch may differ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.matrices import mH


def decomposition(x: Any, p: int, q: int, swap_sign: bool) -> tuple[Any, Any, Any, Any, Any]:
    """u1, u2, theta, v1^H and v2^H. Columns of v1: angles that are 0 by shape, r ascending ones, and right ones by shape."""
    m = x.shape[-1]
    r = min(p, q, m - p, m - q)
    zeros, right_ones, others = min(p, q) - r, min(m - p, q) - r, min(m - p, m - q) - r
    x11, x12, x21, x22 = x[..., :p, :q], x[..., :p, q:], x[..., p:, :q], x[..., p:, q:]
    if swap_sign:
        x12, x21 = -x12, -x21
    _, c, vh = np.linalg.svd(x11)
    c = np.concatenate([c, np.zeros((*c.shape[:-1], right_ones), c.dtype, like=c)], axis=-1)
    v = _separated(x21, mH(vh)[..., ::-1], c[..., ::-1] < 0.5**0.5)
    u1, cosines = _columns(x11 @ v[..., ::-1][..., : zeros + r])  # the largest cosine first, then the largest sine: small
    u2, sines = _columns(x21 @ v[..., : right_ones + r])  # columns are made orthogonal to large ones, which loses nothing
    u2 = np.concatenate([u2[..., right_ones + r :], u2[..., : right_ones + r][..., ::-1]], axis=-1)
    c, s = cosines[..., zeros:], sines[..., right_ones:][..., ::-1]
    upper, lower = mH(u1) @ x12, mH(u2) @ x22
    both = c[..., None] * lower[..., others : others + r, :] - s[..., None] * upper[..., zeros : zeros + r, :]
    v2h = np.concatenate([lower[..., :others, :], both, -upper[..., zeros + r :, :]], axis=-2)
    return u1, u2, np.arctan2(s, c), mH(v[..., ::-1]), v2h


def _separated(x21: Any, v: Any, is_large: Any) -> Any:
    """v, in which the largest angle comes first, with another basis for the small ones: the singular vectors of x21 v there."""
    r = np.linalg.qr(x21 @ v, "complete")[1]
    rows, columns = r.shape[-2:]
    place, count = np.arange(max(rows, columns), like=r), is_large.sum(axis=-1)[..., None]
    row, column = (place[:rows] < count)[..., None], (place[:columns] < count)[..., None, :]
    order = (2.0 + rows - place[:rows])[:, None] * (place[:rows, None] == place[:columns])  # keeps large ones where they are
    parted = np.where(row & column, order, np.where(row | column, 0, r)).astype(r.dtype)
    return v @ mH(np.linalg.svd(parted)[2])


def _columns(x: Any) -> tuple[Any, Any]:
    """A unitary matrix whose first columns are those of x, divided by their lengths, and the lengths."""
    q, r = np.linalg.qr(x, "complete")
    d = np.diagonal(r, axis1=-2, axis2=-1)
    size = np.abs(d)
    phase = np.where(size == 0, 1, d / np.where(size == 0, 1, size))[..., None, :]
    return np.concatenate([q[..., : x.shape[-1]] * phase, q[..., x.shape[-1] :]], axis=-1), size


__all__ = ["decomposition"]
