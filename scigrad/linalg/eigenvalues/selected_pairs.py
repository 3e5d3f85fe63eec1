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

from scigrad.autodiff_rules import constant, differentiable, raw

from ..foundation.bands import band_product, band_solve, factorize_band
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


# x = s r for every column. Let b be w - a with d added to the diagonal element k where v is largest: b is regular, and a band.
# From b y = q with q = r - v v^H r follows d v_k^* y_k = v^H q = 0, so that (w - a) y = q too, and x = y - v v^H y.
def _deflated(ab: Any, r: Any, w: Any, v: Any) -> Any:
    u = _widths(ab)[0]
    row = (np.arange(2 * u + 1) == u)[:, None]
    shifted = row * (w[..., None] + _peaks(ab, v))[..., None, :] - ab[..., None, :, :]
    factors = factorize_band("eigh", raw(shifted), u, u, "general", "nan")
    right = np.swapaxes(r - v * along(v, r)[..., None, :], -1, -2)[..., None]
    y = np.swapaxes(band_solve(shifted, right, u, u, factors=factors)[..., 0], -1, -2)
    return y - v * along(v, y)[..., None, :]


@constant
def _peaks(ab, v):
    """For each column of v a row that holds a number of the size of the matrix, at the largest element of the column."""
    size = np.abs(ab).sum(axis=-2).max(axis=-1)[..., None, None]
    largest = np.argmax(np.abs(v), axis=-2)[..., None]
    return np.where(np.arange(v.shape[-2]) == largest, np.where(size > 0, size, 1), 0)


_peaks.batch_leading(ab=2, v=2)

__all__ = ["nearness", "pairs"]
