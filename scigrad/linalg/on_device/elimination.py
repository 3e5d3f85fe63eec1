"""Gaussian elimination with row interchanges on a device: for a batch from array functions, with LAPACK's choice of pivots, where
a step is one operation over the whole batch; for one matrix by cuSOLVER.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..foundation.matrices import is_complex


def eliminated(a: Any) -> tuple[Any, Any]:
    """lu (..., m, n) and the interchanges (..., min(m, n)), as LAPACK's getrf gives them."""
    (m, n), lu, pivots = a.shape[-2:], a.copy(), []
    place = np.arange(m, like=a)
    for k in range(min(m, n)):
        column = lu[..., k:, k]
        size = np.abs(column.real) + np.abs(column.imag) if is_complex(a) else np.abs(column)  # as LAPACK compares
        there = k + size.argmax(axis=-1)
        order = np.where(place == k, there[..., None], np.where(place == there[..., None], k, place))
        lu = np.take_along_axis(lu, order[..., None], -2)
        pivot = lu[..., k, k, None]
        lu[..., k + 1 :, k] /= np.where(pivot == 0, 1, pivot)  # then the whole column is 0
        lu[..., k + 1 :, k + 1 :] -= lu[..., k + 1 :, k, None] * lu[..., k, None, k + 1 :]
        pivots.append(there)
    return lu, np.stack(pivots, axis=-1).astype(np.int32)


def factored_by_cusolver(a: Any, check_finite: bool = False) -> tuple[Any, Any]:
    """lu and the interchanges of one matrix of CuPy's. cupyx.scipy.linalg.lu_factor makes the same call and then waits, to read
    its status; a pivot that is 0 shows on the diagonal of lu too."""
    from cupy import cuda, empty
    from cupy_backends.cuda.libs import cusolver

    del check_finite
    (m, n), lu = a.shape, a.astype(a.dtype, order="F")
    prefix = {"f": "s", "d": "d", "F": "c", "D": "z"}[a.dtype.char] + "getrf"
    handle = cuda.device.get_cusolver_handle()
    work = empty(getattr(cusolver, prefix + "_bufferSize")(handle, m, n, lu.data.ptr, m), dtype=a.dtype)
    pivots, status = empty(min(m, n), dtype=np.int32), empty(1, dtype=np.int32)
    getattr(cusolver, prefix)(handle, m, n, lu.data.ptr, m, work.data.ptr, pivots.data.ptr, status.data.ptr)
    return lu, pivots - 1


__all__ = ["eliminated", "factored_by_cusolver"]
