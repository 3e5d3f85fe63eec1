"""The triangle of a product, for cotangents of which only one triangle counts."""

from __future__ import annotations

import numpy as np

from scigrad.autodiff_rules import multilinear
from scigrad.autodiff_rules.backends import library

from .matrices import mH

_BLOCK = 128  # rows at a time: enough for a matrix product, and little is computed above the diagonal


@multilinear("left", "right")
def lower_of_product(left, right, upper_left=False):
    """The lower triangle of left @ right (..., n, n). `upper_left` says that left is an upper triangular matrix and the rest of
    it not to be read: then a sixth of the work of a full product does."""
    n = left.shape[-2]
    if left.ndim > 2 or right.ndim > 2 or n <= 2 * _BLOCK or library(left) != "numpy":
        return np.tril((np.triu(left) if upper_left else left) @ right)
    out = np.zeros((n, n), np.result_type(left, right))
    for i in range(0, n, _BLOCK):
        j = min(i + _BLOCK, n)
        rows, first = (left[i:j, i:], i) if upper_left else (left[i:j], 0)
        if upper_left:
            rows = np.concatenate([np.triu(rows[:, : j - i]), rows[:, j - i :]], axis=1)
        out[i:j, :j] = rows @ right[first:, :j]
        out[i:j, i:j] = np.tril(out[i:j, i:j])
    return out


lower_of_product.batch_leading(left=2, right=2)


# Re<tril(g), l' r> = Re<tril(g) r^H, l'>, of which only the triangle of l counts that is read
@lower_of_product.vjp
def _(call, g):
    g = np.tril(g)

    def left():
        bar = g @ mH(call.right)
        return np.triu(bar) if call.upper_left else bar

    return {"left": left, "right": lambda: mH(np.triu(call.left) if call.upper_left else call.left) @ g}


__all__ = ["lower_of_product"]
