"""Functions of large arrays that a program takes apart: their parts are computed in blocks, and
those that several of them have in common once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules.trace import concrete

LARGE = 1 << 15  # elements, from which on memory costs more than calls of Python's


def is_large(x: Any) -> bool:
    """Return whether x is an array of the host that is computed in blocks."""
    return type(x) is np.ndarray and x.size >= LARGE


def parts_of(primitive: Any, values: Sequence[Any]) -> Callable[..., Any] | None:
    """Return a function of the same values that calls what a primitive consists of, if programs
    take it apart.
    """
    x = getattr(values[0], "_value", None) if values else None
    if x is None or not is_large(x) or x.dtype.char not in "fd":
        return None
    if primitive.__name__ == "logsumexp" and (values[2] is not None or values[4]):
        return None  # weights, or a sign
    return _PARTS.get((primitive.__module__, primitive.__name__))


def _softmax(x: Any, axis: Any) -> Any:
    terms = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return terms * (1 / np.sum(terms, axis=axis, keepdims=True))


def _terms(x: Any, axis: Any) -> tuple[Any, Any, Any]:
    """Return the largest element, 0 if it is infinite, exp(x - it), and the sum of these."""
    top = np.max(x, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0)
    terms = np.exp(x - top)
    return top, terms, np.sum(terms, axis=axis, keepdims=True)


@concrete
def _without_one(total: Any, x: Any, top: Any, axis: Any) -> Any:
    """Return the sum of exp(x - top) without one term that is 1, beside which the digits of the
    others would be lost.
    """
    if (total >= 2).all():
        return total - 1
    terms = np.exp(x - top)
    is_one = terms == 1
    count = np.sum(is_one, axis=axis, keepdims=True)
    others = np.sum(terms, axis=axis, keepdims=True, where=~is_one)
    return others + (count - 1).astype(x.dtype)


def _logsumexp(a: Any, axis: Any, b: Any, keepdims: bool, return_sign: bool) -> Any:
    del b, return_sign
    top, _, total = _terms(a, axis)
    return np.sum(top + np.log1p(_without_one(total, a, top, axis)), axis=axis, keepdims=keepdims)


def _shares(a: Any, log_sum: Any, axis: Any) -> Any:
    del log_sum  # known by the same parts
    _, terms, total = _terms(a, axis)
    return terms * (1 / np.where(total == 0, 1, total))


_ROOM = "scigrad.special.log_sum_exp"
_PARTS = {
    (_ROOM, "softmax"): _softmax,
    (_ROOM, "logsumexp"): _logsumexp,
    (_ROOM, "_shares"): _shares,
}
