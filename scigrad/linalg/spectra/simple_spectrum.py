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

from ..foundation.gauge import refuse
from ..foundation.matrices import frobenius, is_complex, is_diagonal, mH, on_diagonal, restricted
from ..foundation.pieces import in_pieces, touched
from .gauge import REVERSE


def cotangent(gauge: str, w: Any, v: Any, w_bar: Any, v_bar: Any, read: bool | None) -> Any:
    """The cotangent of a = v diag(w) v^H, or a matrix with the same Hermitian part; `read` as in spectrum.decomposed."""
    w_bar = np.zeros_like(w) if w_bar is ZERO else w_bar
    if v_bar is ZERO or not v.size:
        return restricted((v * w_bar[..., None, :]) @ mH(v), read)
    if gauge == "check" and is_complex(v):
        refuse(on_diagonal(phase_moments(v, v_bar)), is_diagonal(w), frobenius(v_bar), REVERSE)
    columns = touched(v_bar)
    return in_pieces(lambda *arrays: _one_piece(*arrays, columns, read), v.ndim - 2, w, v, w_bar, v_bar)


def phase_moments(v: Any, v_bar: Any) -> Any:
    """The diagonal of (v^H v_bar - v_bar^H v) / 2, by which a loss depends on the phases of the vectors v."""
    return v_bar if v_bar is ZERO else 1j * (v.real * v_bar.imag - v.imag * v_bar.real).sum(axis=-2)


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


__all__ = ["cotangent", "phase_moments"]
