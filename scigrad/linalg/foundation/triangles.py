"""The triangle of a product, for cotangents of which only one triangle counts."""

from __future__ import annotations

import numpy as np

from scigrad.autodiff_rules import multilinear
from scigrad.autodiff_rules.backends import library

from .matrices import mH

_BLOCK = 128  # rows at a time: enough for a matrix product, and little is computed above the diagonal


@multilinear("left", "right")
def lower_of_product(left, right):
    """The lower triangle of left @ right (..., n, n)."""
    n = left.shape[-2]
    if left.ndim > 2 or right.ndim > 2 or n <= 2 * _BLOCK or library(left) != "numpy":
        return np.tril(left @ right)
    out = np.zeros((n, n), np.result_type(left, right))
    for i in range(0, n, _BLOCK):
        j = min(i + _BLOCK, n)
        out[i:j, :j] = left[i:j] @ right[:, :j]
        out[i:j, i:j] = np.tril(out[i:j, i:j])
    return out


lower_of_product.batch_leading(left=2, right=2)


# Re<tril(g), l' r> = Re<tril(g) r^H, l'>
@lower_of_product.vjp
def _(call, g):
    g = np.tril(g)
    return {"left": lambda: g @ mH(call.right), "right": lambda: mH(call.left) @ g}


__all__ = ["lower_of_product"]
