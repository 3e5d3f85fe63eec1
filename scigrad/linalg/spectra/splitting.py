"""An infinitesimal that separates equal eigenvalues, and so gives the limits of divided differences.

Where w_i = w_j, the cotangents of (w, v) alone do not determine the gradient. Take loss(a) = Re tr(g^H v f(w) v^H), which is
smooth there: its gradient has the off-diagonal elements f'(w) g_ij, but v_bar holds only f(w) g_ij. The missing number is the
limit of a divided difference, (v_i^H v_bar_j - conj(v_j^H v_bar_i)) / (w_j - w_i), in which both sides tend to 0: by l'Hopital's
rule the derivative of the numerator, as the eigenvalues separate. Therefore `eigh` returns equal eigenvalues in reverse mode as w
+ e d with an infinitesimal e and different numbers d. The loss is computed with it as in forward mode, beneath the boxes of the
transform that records it, and the cotangent v_bar carries the derivative that is needed. Values do not change.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, Traced
from scigrad.autodiff_rules.boxes import Batched, Recorded, new_level
from scigrad.autodiff_rules.spaces import outputs
from scigrad.autodiff_rules.trace import apart

from ..foundation.gauge import above_rounding
from .gauge import inverse


class Split(Traced):
    """value + e * slope. It never leaves the transform in which it was created: `apart`, which transforms call for all results,
    returns the value alone where the level of the transform is beneath that of e."""

    __slots__ = ("slope",)

    def __init__(self, value: Any, level: int, slope: Any) -> None:
        self.value = value
        self.level = level
        self.slope = slope
        self.base = self.square = None

    def apart(self, leaving: int = sys.maxsize) -> Any:
        value = apart(self.value, leaving)
        return value if self.level > leaving else Split(value, self.level, apart(self.slope, leaving))

    def interpret(self, primitive: Any, values: Sequence[Any], boxes: Sequence[int]) -> tuple[Any, Any]:
        level = self.level
        mine = [type(value) is Split and value.level == level for value in values]
        inner = [value.value if own else value for value, own in zip(values, mine, strict=True)]
        out, saved = primitive.evaluate(inner)
        if primitive.is_constant:
            return out, saved
        slopes = [value.slope if own else ZERO for value, own in zip(values, mine, strict=True)]
        slope = primitive.push(primitive.call(inner, out, saved), slopes)
        if isinstance(out, tuple):
            slope = (slope,) * len(out) if slope is ZERO else slope
            return outputs(out)[1]([o if s is ZERO else Split(o, level, s) for o, s in zip(out, slope, strict=True)]), saved
        return (out if slope is ZERO else Split(out, level, slope)), saved


def split(w: Any, level: int, offsets: Any) -> Any:
    """Recorded eigenvalues with an infinitesimal beneath the box."""
    return Recorded(Split(w.value, level, offsets), w.level, w.node)


def parts(x: Any, level: int | None) -> tuple[Any, Any]:
    """Value and slope of what came back; vmap and another decomposition may have put their boxes around them. The slope is None
    if something else did."""
    if isinstance(x, Split):
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
    again = [v if s is ZERO else Split(v, x.level, s) for v, s in ((value, other_value), (slope, other_slope))]
    return again[0], again[1]


def _holds_split(x: Any, level: int | None) -> bool:
    while isinstance(x, Traced) and x is not ZERO:
        if isinstance(x, Split) and x.level == level:
            return True
        x = x.value
    return False


# A loss that does not depend on the basis has k = l gap + rounding among near eigenvalues, with the limit l given by the slopes
# of k and of the gap along the splitting (ZERO: k does not vary, and l is 0). What k holds beyond that comes from a loss that
# does depend on the vectors, and is divided by the gap as anywhere.
def quotient(k: Any, slope: Any, gap: Any, step: Any, same: Any, near: Any, norm: Any) -> tuple[Any, Any]:
    """k / gap, and what of it was divided; the slope is None where none is known, the step is that of the gap."""
    if slope is None:
        q = k * inverse(gap, same)
        return q, q
    limit = slope * inverse(step, ~near)
    rest = k - limit * gap
    divided = np.where(same | (near & ~above_rounding(rest, norm, 4)), 0, rest) * inverse(gap, same)
    return limit + divided, divided


__all__ = ["Split", "new_level", "parts", "quotient", "split"]
