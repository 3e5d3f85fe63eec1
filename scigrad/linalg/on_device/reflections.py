"""Householder reflections from array functions, for a batch on its device, with LAPACK's signs.

1 - tau v v^H, v_0 = 1, where no library has a kernel: QR with pivoting and the Hessenberg form.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.matrices import is_complex, largest, mH
from .bunch_kaufman import interchange


def reflection(x: Any) -> tuple[Any, Any, Any]:
    """v, tau and the real beta with (1 - tau v v^H)^H x = beta e_1; tau = 0 where x is such a vector already (LAPACK's larfg)."""
    first, rest = x[..., :1], x[..., 1:]
    size = largest(x, -1, True)
    unit = np.where(size == 0, 1, size)  # squares neither over- nor underflow
    norm = size * np.sqrt((np.abs(x / unit) ** 2).sum(axis=-1, keepdims=True))
    needed = (rest != 0).any(axis=-1, keepdims=True) | (np.imag(first) != 0)
    beta = np.where(needed, -np.copysign(norm, np.real(first)), np.real(first))
    tau = np.where(needed, (beta - first) / np.where(needed, beta, 1), 0)
    v = np.concatenate([np.ones_like(first), rest / np.where(needed, first - beta, 1)], axis=-1)
    return v, tau[..., 0].astype(x.dtype), beta[..., 0]


def reflected(v: Any, tau: Any, x: Any) -> Any:
    """(1 - tau v v^H) x; with conj(tau) its inverse."""
    v = v[..., None]
    return x - (tau[..., None, None] * v) @ (mH(v) @ x)


def pivoted_triangularization(a: Any) -> tuple[Any, Any, Any]:
    """v below r in one array, tau, and the order of the columns: each step takes the largest of those that remain."""
    n, k = a.shape[-1], min(a.shape[-2:])
    packed, taus = a.copy(), []
    place = np.arange(n, like=a)
    order = place + np.zeros((*a.shape[:-2], n), place.dtype, like=a)
    for j in range(k):
        rest = packed[..., j:, j:]
        unit = largest(rest, (-2, -1), True)
        lengths = (np.abs(rest / np.where(unit == 0, 1, unit)) ** 2).sum(axis=-2)
        swap = interchange(place, j, j + lengths.argmax(axis=-1)[..., None])
        packed, order = np.take_along_axis(packed, swap[..., None, :], -1), np.take_along_axis(order, swap, -1)
        v, tau, beta = reflection(packed[..., j:, j])
        packed[..., j:, j + 1 :] = reflected(v, np.conjugate(tau), packed[..., j:, j + 1 :])
        packed[..., j, j], packed[..., j + 1 :, j] = beta, v[..., 1:]
        taus.append(tau)
    return packed, _stacked(taus, a), order


def hessenberg_form(a: Any) -> tuple[Any, Any, Any]:
    """h, zero below the subdiagonal, and v and tau whose product is q without its first row and column, a = q h q^H."""
    n, h, v, taus = a.shape[-1], a.copy(), np.zeros_like(a[..., 1:, 1:]), []
    for j in range(n - 1 if is_complex(a) else n - 2):  # the last one makes the subdiagonal real
        v[..., j:, j], tau, beta = reflection(h[..., j + 1 :, j])
        back = np.conjugate(tau)
        h[..., j + 1, j], h[..., j + 2 :, j] = beta, 0
        h[..., :, j + 1 :] = mH(reflected(v[..., j:, j], back, mH(h[..., :, j + 1 :])))
        h[..., j + 1 :, j + 1 :] = reflected(v[..., j:, j], back, h[..., j + 1 :, j + 1 :])
        taus.append(tau)
    return h, v, _stacked(taus, a)


def _stacked(taus: list[Any], like: Any) -> Any:
    return np.stack(taus, axis=-1) if taus else np.zeros((*like.shape[:-2], 0), like.dtype, like=like)


__all__ = ["hessenberg_form", "pivoted_triangularization", "reflected", "reflection"]
