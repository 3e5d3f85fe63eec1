"""Gaussian elimination with row interchanges from array functions, for a batch on its device, with LAPACK's choice of pivots.

CuPy's lu_factor takes one matrix at a time and waits for each; here a step is one operation over the whole batch.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .bunch_kaufman import interchange, size


def eliminated(a: Any) -> tuple[Any, Any]:
    """lu (..., m, n) and the interchanges (..., min(m, n)), as LAPACK's getrf gives them."""
    (m, n), lu, pivots = a.shape[-2:], a.copy(), []
    place = np.arange(m, like=a)
    for k in range(min(m, n)):
        there = k + size(lu[..., k:, k]).argmax(axis=-1)
        lu = np.take_along_axis(lu, interchange(place, k, there[..., None])[..., None], -2)
        pivot = lu[..., k, k, None]
        lu[..., k + 1 :, k] /= np.where(pivot == 0, 1, pivot)  # then the whole column is 0
        lu[..., k + 1 :, k + 1 :] -= lu[..., k + 1 :, k, None] * lu[..., k, None, k + 1 :]
        pivots.append(there)
    return lu, np.stack(pivots, axis=-1).astype(np.int32)


__all__ = ["eliminated"]
