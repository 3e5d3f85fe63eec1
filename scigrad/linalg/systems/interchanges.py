"""Interchanges of rows, as LAPACK records them."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, constant, shape_of
from scigrad.autodiff_rules.backends import library

from ..foundation.lapack import routine


@constant
def row_order(piv, m):
    """Return the order of the rows after the interchanges, a[row_order] = l u."""
    if library(piv) != "numpy" or piv.size == 0:
        return _interchanged(piv, m)
    laswp, start = routine("laswp", "d"), np.arange(m, dtype=float)[:, None]
    order = np.empty((*piv.shape[:-1], m), np.intp)
    for index in np.ndindex(piv.shape[:-1]):
        order[index] = laswp(start, piv[index])[:, 0]
    return order


def _interchanged(piv: Any, m: int) -> Any:
    """Apply one interchange after the other, for a whole batch on its device."""
    place = np.arange(m, like=piv)
    order = np.zeros((*piv.shape[:-1], 1), place.dtype, like=piv) + place
    for i in range(piv.shape[-1]):
        j = piv[..., i : i + 1].astype(place.dtype)
        first, second = order[..., i : i + 1], np.take_along_axis(order, j, -1)
        order = np.where(place == i, second, np.where(place == j, first, order))
    return order


row_order.batch_leading(piv=1)


def rows_of(x: Any, order: Any) -> Any:
    """Return the rows of matrices in another order; batch axes broadcast."""
    if len(shape_of(order)) == 1 and not isinstance(order, Traced):
        return x[..., order, :]
    lead = np.broadcast_shapes(shape_of(x)[:-2], shape_of(order)[:-1])
    wide = np.broadcast_to(x, (*lead, *shape_of(x)[-2:]))
    return np.take_along_axis(wide, np.broadcast_to(order, (*lead, shape_of(order)[-1]))[..., None], -2)
