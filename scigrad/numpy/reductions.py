"""Sums, products and means along axes, with `where`, `initial`, `dtype` and `keepdims` as in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, linear, shape_of

from .comparison import step
from .composition import composed, intercepts
from .selection import where as choose
from .shaping import broadcast_to, expand_dims, moveaxis, reshape

__all__ = ["sum"]


def spread(g: Any, axis: Any, keepdims: bool, shape: tuple[int, ...]) -> Any:
    """What was reduced along axes, repeated along them: the adjoint of the sum."""
    if not keepdims:
        g = expand_dims(g, tuple(range(len(shape))) if axis is None else axis)
    return broadcast_to(g, shape)


@linear("a")
def _sum(a, axis, keepdims):
    return np.sum(a, axis=axis, keepdims=keepdims)


_sum.adjoint(lambda call, g: spread(g, call.axis, call.keepdims, call.a.shape))
_sum.batch_axis("a")


@composed(np.sum)
def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=None):
    """Sum along axes (None: all)."""
    out = _sum(_masked(a, dtype, where, 0), axis, keepdims)
    return out if initial is None else out + initial


def _masked(a: Any, dtype: Any, where: Any, neutral: Any) -> Any:
    a = a if hasattr(a, "dtype") else np.asarray(a)
    a = a if dtype is None or a.dtype == dtype else a.astype(dtype)
    return a if where is None or where is True else choose(where, a, neutral)
