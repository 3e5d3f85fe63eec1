"""The reverse rule of eigh for plain arrays of the host whose eigenvalues are all simple: what most losses take.

a_bar = v (diag(w_bar) + q) v^H, and q_ij = k_ij / (w_j - w_i) with k = (s - s^H) / 2, s = v^H v_bar, as in spectrum.py. Of
a_bar only the Hermitian part counts, as a is Hermitian, so any x with x + x^H = 2 q may stand in the place of q. Losses often
look at some eigenvectors only, the first or the last ones: then v_bar is 0 but for columns t, k but for rows and columns t, and
x_tt = q_tt, x_ut = 2 q_ut = s_ut / (w_t - w_u), 0 elsewhere, makes two of three products smaller.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO

from ..foundation.matrices import folded, hermitian, is_complex, mH
from .gauge import REVERSE, frobenius, is_diagonal, on_diagonal, refuse

_PIECE = 1 << 16  # elements: some arrays of so many stay in the second-level cache


def cotangent(gauge: str, w: Any, v: Any, w_bar: Any, v_bar: Any, read: bool | None) -> Any:
    """The cotangent of a = v diag(w) v^H, or a matrix with the same Hermitian part; `read` as in spectrum.decomposed."""
    w_bar = np.zeros_like(w) if w_bar is ZERO else w_bar
    if v_bar is ZERO or not v.size:
        return restricted((v * w_bar[..., None, :]) @ mH(v), read)
    if gauge == "check" and is_complex(v):
        phases = 1j * (v.real * v_bar.imag - v.imag * v_bar.real).sum(axis=-2)
        refuse(on_diagonal(phases), is_diagonal(w), frobenius(v_bar), REVERSE)
    columns, lead, n = _touched(v_bar), v.shape[:-2], v.shape[-1]
    if not lead:
        return _one_piece(w, v, w_bar, v_bar, columns, read)
    out = np.empty(v.shape, np.result_type(v, v_bar, w_bar))
    *arrays, flat = (x.reshape(-1, *x.shape[len(lead) :]) for x in (w, v, w_bar, v_bar, out))
    step = max(1, _PIECE // n**2)
    for start in range(0, len(flat), step):
        piece = slice(start, start + step)
        flat[piece] = _one_piece(*(x[piece] for x in arrays), columns, read)
    return out


def _one_piece(w: Any, v: Any, w_bar: Any, v_bar: Any, columns: slice, read: bool | None) -> Any:
    adjoint = mH(v)
    x = adjoint @ v_bar[..., columns]
    inner = x[..., columns, :]
    inner -= mH(inner)
    inner *= 0.5
    gaps = w[..., None, columns] - w[..., :, None]
    j = np.arange(inner.shape[-1])
    i = j + columns.start
    gaps[..., i, j] = np.inf
    x /= gaps
    x[..., i, j] = w_bar[..., columns]
    y = v * w_bar[..., None, :]
    y[..., columns] = v @ x
    return restricted(y @ adjoint, read)


def completed(t: Any, read: bool | None) -> Any:
    """The tangent of the whole matrix."""
    return t if read is None else hermitian(t, read)


def restricted(a_bar: Any, read: bool | None) -> Any:
    """The cotangent of what is read of the matrix, from that of the whole."""
    return a_bar if read is None else folded(a_bar, read)


def _touched(v_bar: Any) -> slice:
    """The columns from the first to the last that is not 0, anywhere in the batch."""
    n = v_bar.shape[-1]
    found = np.flatnonzero(v_bar.reshape(-1, n)[:n].any(axis=0))  # of the first matrix
    columns = slice(int(found[0]), int(found[-1]) + 1) if found.size else slice(0, 0)
    more = v_bar.ndim > 2 and (v_bar[..., : columns.start].any() or v_bar[..., columns.stop :].any())
    return slice(0, n) if more else columns


__all__ = ["completed", "cotangent", "restricted"]
