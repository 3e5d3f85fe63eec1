"""A few eigenvalues and eigenvectors of a banded Hermitian matrix, with derivatives made of these alone.

From a v = v w and v^H v = 1 for one pair follow w' = v^H a' v and (w - a) v' = (a' - w') v with v^H v' = 0. So v' = s a' v with
s = (w - a)^+, the pseudo-inverse, which one banded system gives: instead of all other eigenvectors a derivative takes as many
factorisations of a band as there are pairs. (Nelson, Simplified calculation of eigenvector derivatives, AIAA Journal 14 (1976)
1201-1205.) All pairs have to be apart from each other and from the rest of the spectrum.

The band is that of the whole matrix: ab[u + i - j, j] = a[i, j] on both sides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, constant, differentiable, raw

from ..foundation.bands import band_of, band_product, factorize_band
from ..foundation.factors import apply
from .general_frames import along


def pairs(ab: Any, algorithm: Callable[[Any], Any]) -> tuple[Any, Any] | None:
    """Return w and v with their derivatives from the result (w, v, neighbours) of `algorithm`; None where an eigenvalue is near
    another. The neighbours are the eigenvalues w and the next ones on either side."""
    w, v, near = _found(ab, algorithm)
    return None if raw(near).any() else _attached(ab, w, v)


@constant
def _found(ab, algorithm):
    w, v, neighbours = algorithm(ab)
    size = np.abs(ab).sum(axis=-2).max(axis=-1)
    near = (np.diff(neighbours, axis=-1) <= nearness(ab) * size[..., None]).any(axis=-1)
    return w, v, near


_found.batch_leading(ab=2)


def nearness(ab: Any) -> float:
    """Relative to the matrix, as in eigh: from here on divided differences lose half of their digits."""
    eps = np.finfo(ab.dtype).eps
    return max(64 * ab.shape[-1] * eps, np.sqrt(eps))


def _widths(ab: Any) -> tuple[int, int]:
    return (ab.shape[-2] // 2,) * 2


@differentiable("ab")
def _attached(ab, w, v):
    lead = np.broadcast_shapes(ab.shape[:-2], w.shape[:-1], v.shape[:-2])
    return np.broadcast_to(w, (*lead, w.shape[-1])), np.broadcast_to(v, (*lead, *v.shape[-2:]))


_attached.batch_leading(ab=2, w=1, v=2)


@_attached.jvp
def _(call, t):
    w, v = call.out
    change = band_product(t.ab, v, *_widths(call.ab))
    return np.real(along(v, change)), _deflated(call.ab, change, w, v)


# -- s r for every column


@differentiable("ab", "r", "w", "v")
def _deflated(ab, r, w, v):
    """x_j with (w_j - a) x_j = r_j - v_j v_j^H r_j and v_j^H x_j = 0. It is singular up to rounding; what that does to x_j
    is along v_j and goes with the second projection."""
    u, dtype = ab.shape[-2] // 2, np.result_type(ab, r, v)
    lead = np.broadcast_shapes(ab.shape[:-2], r.shape[:-2], w.shape[:-1], v.shape[:-2])
    shifted = np.broadcast_to(-ab[..., None, :, :], (*lead, w.shape[-1], *ab.shape[-2:])).astype(dtype)
    shifted[..., u, :] += w[..., None]
    right = np.swapaxes(r - v * along(v, r)[..., None, :], -1, -2)[..., None]

    def factored(matrices: Any) -> Any:
        return factorize_band("eigh", matrices, u, u, "general", "nan")

    factors = factored(shifted)
    if factors.info is not None:  # a pivot is exactly 0: w_j is as right with a rounding error more
        size = np.abs(ab).sum(axis=-2).max(axis=-1)[..., None]
        size = np.finfo(dtype).eps * np.where(size > 0, size, 1)
        shifted[..., u, :] += np.where(factors.info > 0, size, 0)[..., None]
        factors = factored(shifted)
    x = np.swapaxes(apply(factors, shifted, right.astype(dtype), False)[..., 0], -1, -2)
    return x - v * along(v, x)[..., None, :]


_deflated.batch_leading(ab=2, r=2, w=1, v=2)


# (w - a) x = r - v v^H r  =>  x' = s (r' + a' x - w' x - v' v^H r) - v v'^H x
@_deflated.jvp
def _(call, t):
    x, v = call.out, call.v
    inner = t.r + band_product(t.ab, x, *_widths(call.ab))
    if t.w is not ZERO:
        inner = inner - t.w[..., None, :] * x
    if t.v is not ZERO:
        inner = inner - t.v * along(v, call.r)[..., None, :]
    out = _deflated(call.ab, inner, call.w, v)
    return out if t.v is ZERO else out - v * along(t.v, x)[..., None, :]


@_deflated.vjp  # with y = s g
def _(call, g):
    x, v, y = call.out, call.v, _deflated(call.ab, g, call.w, call.v)
    return {
        "r": y,
        "ab": lambda: band_of(y, np.conjugate(x), *_widths(call.ab)),
        "w": lambda: -np.real(along(y, x)),
        "v": lambda: -y * np.conjugate(along(v, call.r)[..., None, :]) - x * np.conjugate(along(v, g)[..., None, :]),
    }


__all__ = ["nearness", "pairs"]
