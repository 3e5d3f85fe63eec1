"""The reverse rule of svd for plain arrays of the host whose singular values all differ from each other and from 0.

As in singular_vectors.py, a_bar = u p_bar v^H + c_u / s v^H + u (c_v / s)^H with c_u = u_bar - u (u^H u_bar), which is 0 where u
is square. So a_bar = (u x + u_bar / s) v^H with x = p_bar - (u^H u_bar) / s for tall matrices, the adjoint of that for wide ones,
and u p_bar v^H for square ones. Columns of u_bar and v_bar that are 0 are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO

from ..foundation.matrices import mH
from ..foundation.pieces import in_pieces, touched


def cotangent(u: Any, s: Any, vh: Any, u_bar: Any, s_bar: Any, vh_bar: Any) -> Any:
    """The cotangent of a = u diag(s) v^H, where u and v^H hold no vectors beyond the singular ones."""
    s_bar = np.zeros_like(s) if s_bar is ZERO else s_bar
    columns = touched(u_bar), touched(mH(vh_bar))
    return in_pieces(lambda *arrays: _one_piece(*arrays, *columns), s.ndim - 1, u, s, vh, u_bar, s_bar, vh_bar)


def _one_piece(u: Any, s: Any, vh: Any, u_bar: Any, s_bar: Any, vh_bar: Any, of_u: slice, of_v: slice) -> Any:
    v, v_bar, i = mH(vh), mH(vh_bar), np.arange(s.shape[-1])
    inner_u, inner_v = _inner(u, u_bar, of_u), _inner(v, v_bar, of_v)
    k_u, k_v = inner_u - mH(inner_u), inner_v - mH(inner_v)
    gaps = s[..., None, :] - s[..., :, None]
    gaps[..., i, i] = np.inf
    x = (k_u + k_v) / gaps
    x += (k_u - k_v) / (s[..., None, :] + s[..., :, None])
    x *= 0.5
    x[..., i, i] += s_bar
    if u.shape[-2] > v.shape[-2]:
        return _with_rest(u, x, s, inner_u, u_bar, of_u) @ vh
    if u.shape[-2] < v.shape[-2]:
        return u @ mH(_with_rest(v, mH(x), s, inner_v, v_bar, of_v))
    return u @ x @ vh


def _inner(v: Any, v_bar: Any, columns: slice) -> Any:
    """v^H v_bar."""
    k = v.shape[-1]
    out = np.zeros((*v.shape[:-2], k, k), v.dtype)
    if columns.stop:
        out[..., columns] = mH(v) @ v_bar[..., columns]
    return out


def _with_rest(v: Any, x: Any, s: Any, inner: Any, v_bar: Any, columns: slice) -> Any:
    """v (x - inner / s) + v_bar / s."""
    out = v @ (x - inner / s[..., None, :])
    if columns.stop:
        out[..., columns] += v_bar[..., columns] / s[..., None, columns]
    return out


__all__ = ["cotangent"]
