"""Balancing from array functions, for a batch on its device, in LAPACK's order: a permutation that isolates eigenvalues, and
powers of 2 that make the norms of rows and columns alike (James, Langou and Lowery 2014, On matrix balancing and eigenvector
computation, algorithm 3: the 2-norm, and no step that gains less than 5 %).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import namespace_of

from ..foundation.failures import to_host
from ..foundation.matrices import largest
from .bunch_kaufman import interchange

_GAIN = 0.95


def balancing(a: Any, permute: bool, scale: bool) -> tuple[Any, Any]:
    """The scaling, and the order of rows and columns. It waits for the device once in a round over all rows."""
    n, size = a.shape[-1], np.abs(a)
    place = np.arange(n, like=a)
    order = place + np.zeros(a.shape[:-1], place.dtype, like=a)
    first, last = np.zeros_like(order[..., :1]), np.zeros_like(order[..., :1]) + (n - 1)
    scaling = namespace_of(a).ones(a.shape[:-1], size.dtype)
    if permute:
        size, order, last = _rows_pushed_down(size, order, last)
        size, order, first = _columns_pushed_left(size, order, first, last)
    inside = (place >= first) & (place <= last)
    moved = scale and n > 1
    while moved:
        size, scaled = _scaled(size, scaling, inside)
        moved = bool(to_host((scaled != scaling).any()))
        scaling = scaled
    return scaling, order


def _rows_pushed_down(size: Any, order: Any, last: Any) -> tuple[Any, Any, Any]:
    """Rows without elements beside the diagonal, up to column `last`, come last."""
    place, moved = np.arange(size.shape[-1], like=size), size.shape[-1] > 1
    while moved:
        before = last
        for i in reversed(range(size.shape[-1])):
            alone = ((size[..., i, :] == 0) | (place == i) | (place > last)).all(axis=-1, keepdims=True) & (i <= last)
            size, order = _interchanged(size, order, np.where(alone, interchange(place, i, last), place))
            last = np.where(alone & (last > 0), last - 1, last)
        moved = bool(to_host((last != before).any()))
    return size, order, last


def _columns_pushed_left(size: Any, order: Any, first: Any, last: Any) -> tuple[Any, Any, Any]:
    """Columns without elements beside the diagonal, from row `first` to row `last`, come first."""
    place, moved = np.arange(size.shape[-1], like=size), size.shape[-1] > 1
    while moved:
        before = first
        for j in range(size.shape[-1]):
            outside = (place == j) | (place < first) | (place > last)
            alone = ((size[..., :, j] == 0) | outside).all(axis=-1, keepdims=True) & (first <= j) & (j <= last)
            size, order = _interchanged(size, order, np.where(alone, interchange(place, j, first), place))
            first = np.where(alone, first + 1, first)
        moved = bool(to_host((first != before).any()))
    return size, order, first


def _interchanged(size: Any, order: Any, swap: Any) -> tuple[Any, Any]:
    size = np.take_along_axis(np.take_along_axis(size, swap[..., :, None], -2), swap[..., None, :], -1)
    return size, np.take_along_axis(order, swap, -1)


def _scaled(size: Any, scaling: Any, inside: Any) -> tuple[Any, Any]:
    """One round: column i times f, row i divided by f, one i after the other."""
    scaling, size = scaling.copy(), size.copy()
    for i in range(size.shape[-1]):
        column, row = (_length(np.where(inside, x, 0)) for x in (size[..., :, i], size[..., i, :]))
        f = _factor(column, row, largest(size[..., :, i], -1), largest(size[..., i, :], -1))
        limits = np.finfo(size.dtype).tiny / np.finfo(size.dtype).eps
        new = scaling[..., i] * f
        f = np.where(inside[..., i] & (new > limits) & (new < 1 / limits), f, 1)
        scaling[..., i] *= f
        size[..., :, i] *= f[..., None]
        size[..., i, :] /= f[..., None]
    return size, scaling


def _factor(column: Any, row: Any, most_in_column: Any, most_in_row: Any) -> Any:
    """The power of 2 after which column and row differ least, or 1 where that gains little.

    Doubling f while column < row / 2 ends at the first e with 4^e >= row / (2 column); halving it while row <= column / 2 at the
    first with 4^e > column / (2 row).
    """
    kind = np.finfo(column.dtype)
    some = (column > 0) & (row > 0) & np.isfinite(column + row)
    c, r = np.where(some, column, 1), np.where(some, row, 1)
    ratio = (np.log2(r) - np.log2(c) - 1) / 2
    back = (np.log2(c) - np.log2(r) - 1) / 2
    tall, wide = (np.log2(np.where(some, x, 1)) for x in (most_in_column, most_in_row))
    most = kind.maxexp - kind.nmant - 2
    up = np.minimum(np.ceil(ratio), np.minimum(most - np.maximum(tall, 0), most + np.minimum(wide, 0)))
    down = np.minimum(np.floor(back) + 1, np.minimum(most - np.maximum(wide, 0), most + np.minimum(tall, 0)))
    exponent = np.where(ratio > 0, np.maximum(up, 0), np.where(back >= 0, -np.maximum(down, 0), 0))
    f = np.ldexp(np.ones_like(c), np.floor(exponent).astype(np.int32))
    return np.where(some & (c * f + r / f < _GAIN * (c + r)), f, 1).astype(column.dtype)


def _length(x: Any) -> Any:
    unit = largest(x, -1, True)
    unit = np.where(unit == 0, 1, unit)
    return unit[..., 0] * np.sqrt(((x / unit) ** 2).sum(axis=-1))


__all__ = ["balancing"]
