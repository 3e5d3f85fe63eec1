"""Savings of memory in reverse rules: columns that are 0 are left out, and large batches are treated in pieces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO

_PIECE = 1 << 16  # elements: some arrays of so many stay in the second-level cache


def in_pieces(function: Callable[..., Any], depth: int, *arrays: Any) -> Any:
    """function(*arrays), which broadcasts over the first `depth` axes, for pieces of that batch that stay in the cache. All
    arrays have the whole batch; ZERO is handed on."""
    lead = arrays[0].shape[:depth]
    step = max(1, _PIECE // max(1, *(int(np.prod(x.shape[depth:])) for x in arrays if x is not ZERO)))
    if int(np.prod(lead)) <= step:
        return function(*arrays)
    flat = [x if x is ZERO else x.reshape(-1, *x.shape[depth:]) for x in arrays]
    out: Any = None
    for start in range(0, len(flat[0]), step):
        piece = slice(start, start + step)
        found = function(*(x if x is ZERO else x[piece] for x in flat))
        out = np.empty((len(flat[0]), *found.shape[1:]), found.dtype) if out is None else out
        out[piece] = found
    return out.reshape(*lead, *out.shape[1:])


def touched(x_bar: Any) -> slice:
    """The columns from the first to the last that is not 0, anywhere in the batch. A loss that looks at some vectors only
    leaves the others out."""
    if x_bar is ZERO or not x_bar.size:
        return slice(0, 0)
    found = np.flatnonzero(x_bar[(0,) * (x_bar.ndim - 2)].any(axis=0))  # of the first matrix
    first, end = (int(found[0]), int(found[-1]) + 1) if found.size else (0, 0)
    more = x_bar.ndim > 2 and (x_bar[..., :first].any() or x_bar[..., end:].any())
    return slice(0, x_bar.shape[-1]) if more else slice(first, end)


__all__ = ["in_pieces", "touched"]
