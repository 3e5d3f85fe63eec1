"""The QR factorisation of one plain matrix on the host and its reverse rule, by the quickest routines of LAPACK and BLAS.

With p = q^H q_bar - r_bar r^H and s as in triangularization.py, s - p = -h, where h is the Hermitian matrix whose upper triangle
is that of p, so a_bar = (q_bar - q h) r^-H. It is computed transposed: BLAS solves from the right quicker than from the left,
but for matrices stored by columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO

from ..foundation.lapack import routine
from ..foundation.matrices import hermitian, is_complex, mH

_BLOCK = 32
WORTH_BLOCKS = 100  # columns from which on the recursive panels of geqrt win


def in_blocks(a: Any) -> tuple[Any, Any]:
    """The economic q and r, with Householder's panels factored recursively (Elmroth and Gustavson, IBM Journal of Research and
    Development 44 (2000) 605-624), for which geqrf takes a column at a time."""
    char, k = a.dtype.char, min(a.shape)
    packed, blocks, _ = routine("geqrt", char)(_BLOCK, np.array(a, order="F"), overwrite_a=True)
    j = np.arange(k)
    r = np.triu(packed[:k])
    form = routine("ungqr" if is_complex(a) else "orgqr", char)
    return form(packed[:, :k], blocks[j % _BLOCK, j], lwork=_BLOCK * k, overwrite_a=True)[0], r


def cotangent(q: Any, r: Any, q_bar: Any, r_bar: Any) -> Any:
    """The cotangent of a = q r with a square r."""
    char = r.dtype.char
    p = 0 if q_bar is ZERO else mH(q) @ q_bar
    if r_bar is not ZERO:
        p = p - mH(routine("trmm", char)(1.0, r, mH(np.triu(r_bar))))
    y = hermitian(p, False) @ mH(q)  # -y^H
    np.subtract(0 if q_bar is ZERO else mH(q_bar), y, out=y)
    x = routine("trsm", char)(1.0, r, y.T, side=1, trans_a=1, overwrite_b=True)
    return np.conjugate(x) if is_complex(x) else x


__all__ = ["WORTH_BLOCKS", "cotangent", "in_blocks"]
