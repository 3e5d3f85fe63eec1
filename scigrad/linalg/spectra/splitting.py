"""An infinitesimal that separates equal eigenvalues, so that a loss can say how it would treat different ones.

Where w_i = w_j, the cotangents of (w, v) alone do not determine the gradient. Take loss(a) = Re tr(g^H v f(w) v^H), which is
smooth there: its gradient has the off-diagonal elements f'(w) g_ij, but v_bar holds only f(w) g_ij. The missing number is the
limit of a divided difference, (v_i^H v_bar_j - conj(v_j^H v_bar_i)) / (w_j - w_i), in which both sides tend to 0: by l'Hopital's
rule the derivative of the numerator, as the eigenvalues separate. So in reverse mode equal eigenvalues leave `eigh` as w + e d
with an infinitesimal e and different numbers d. The loss is computed with it as forward mode would do, beneath the boxes of the
transform that records it, and the cotangent v_bar arrives with the derivative that is needed. Values do not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, Traced
from scigrad.autodiff_rules.boxes import Batched, Dual, Recorded, new_level, rebuild
from scigrad.autodiff_rules.trace import apart


class Split(Traced):
    """value + e * slope. It never leaves the transform inside which it was made: `apart`, which transforms ask of all that
    they return, gives the value alone."""

    __slots__ = ("slope",)

    def __init__(self, value: Any, level: int, slope: Any) -> None:
        self.value = value
        self.level = level
        self.slope = slope
        self.base = self.square = None

    def apart(self) -> Any:
        return apart(self.value)

    def interpret(self, primitive: Any, values: Sequence[Any]) -> tuple[Any, Any]:
        level = self.level
        inner, slopes = [], []
        for value in values:
            mine = type(value) is Split and value.level == level
            inner.append(value.value if mine else value)
            slopes.append(value.slope if mine else ZERO)
        out, saved = primitive.evaluate(inner)
        if primitive.is_constant:
            return out, saved
        slope = primitive.push(primitive.call(inner, out, saved), slopes)
        if isinstance(out, tuple):
            return rebuild(out, [o if s is ZERO else Split(o, level, s) for o, s in zip(out, slope, strict=True)]), saved
        return (out if slope is ZERO else Split(out, level, slope)), saved


def split(w: Any, level: int, offsets: Any) -> Any:
    """Recorded or dual eigenvalues with an infinitesimal beneath the box."""
    separated = Split(w.value, level, offsets)
    return Recorded(separated, w.level, w.node) if type(w) is Recorded else Dual(separated, w.level, w.tangent)


def parts(x: Any, level: int | None) -> tuple[Any, Any]:
    """Value and slope of what came back; vmap and another decomposition may have put their boxes around them. The slope is None
    if something else did."""
    if type(x) is Split:
        if x.level == level:
            return x.value, x.slope
        return _parts_of_another(x, level)
    if type(x) is Batched:
        value, slope = parts(x.value, level)
        return Batched(value, x.level, x.loop), slope if slope is ZERO or slope is None else Batched(slope, x.level, x.loop)
    return x, None if _holds_split(x, level) else ZERO


def _parts_of_another(x: Split, level: int | None) -> tuple[Any, Any]:
    """The parts of (v + e s) + e' (v' + e s'), where e' separates the eigenvalues of another matrix."""
    (value, slope), (other_value, other_slope) = parts(x.value, level), parts(x.slope, level)
    if slope is None or other_slope is None:
        return x, None
    if slope is ZERO and other_slope is not ZERO:
        slope = np.zeros_like(value)
    return _split_again(value, x.level, other_value), _split_again(slope, x.level, other_slope)


def _split_again(value: Any, level: int, slope: Any) -> Any:
    return value if slope is ZERO else Split(value, level, slope)


def _holds_split(x: Any, level: int | None) -> bool:
    while isinstance(x, Traced) and x is not ZERO:
        if type(x) is Split and x.level == level:
            return True
        x = x.value
    return False


__all__ = ["Split", "new_level", "parts", "split"]
