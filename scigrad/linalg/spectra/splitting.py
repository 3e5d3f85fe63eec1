"""An infinitesimal that separates equal eigenvalues, and so gives the limits of divided differences.

Where w_i = w_j, the cotangents of (w, v) alone do not determine the gradient. Take loss(a) = Re tr(g^H v f(w) v^H), which is
smooth there: its gradient has the off-diagonal elements f'(w) g_ij, but v_bar holds only f(w) g_ij. The missing number is the
limit of a divided difference, (v_i^H v_bar_j - conj(v_j^H v_bar_i)) / (w_j - w_i), in which both sides tend to 0: by l'Hopital's
rule the derivative of the numerator, as the eigenvalues separate. Therefore `eigh` returns equal eigenvalues in reverse mode as w
+ e d with an infinitesimal e and different numbers d. The loss is computed with it as in forward mode, beneath the boxes of the
transform that records it, and the cotangent v_bar carries the derivative that is needed. Values do not change.

A second infinitesimal, a trial, turns the vectors of equal eigenvalues, v' = v z. The numerators s of a loss that does not depend
on the basis turn with it, s' = z^H s - s z^H, whether they are 0 (among equal eigenvalues) or not; those of a loss that depends
on it, but has a maximum in the basis at hand (as v_00^2 has at the identity), or is linear around it (as v_00), do not.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, MissingRule, Traced, constant, namespace_of
from scigrad.autodiff_rules.boxes import Batched, Dual, Recorded, new_level
from scigrad.autodiff_rules.spaces import outputs
from scigrad.autodiff_rules.trace import apart

from ..foundation.matrices import mH
from .gauge import above_rounding, inverse

# Levels above that of a splitting, and below the next whole one, where nothing else lies: of the trial that goes with it, and of
# what else belongs to it, a second splitting or tangents that it leaves in two parts.
TRIAL, BESIDE = 0.25, 0.5


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
        return value if self.level > leaving else type(self)(value, self.level, apart(self.slope, leaving))

    def interpret(self, primitive: Any, values: Sequence[Any], boxes: Sequence[int]) -> tuple[Any, Any]:
        level = self.level
        inner, slopes = [], []
        for value in values:
            mine = type(value) is type(self) and value.level == level
            inner.append(value.value if mine else value)
            slopes.append(value.slope if mine else ZERO)
        out, saved = primitive.evaluate(inner)
        if primitive.is_constant:
            return out, saved
        slope = self.push(primitive, inner, out, saved, slopes)
        if isinstance(out, tuple):
            slope = (slope,) * len(out) if slope is ZERO or slope is None else slope
            return outputs(out)[1]([o if s is ZERO else type(self)(o, level, s) for o, s in zip(out, slope, strict=True)]), saved
        return (out if slope is ZERO else type(self)(out, level, slope)), saved

    def push(self, primitive: Any, inner: Sequence[Any], out: Any, saved: Any, slopes: Sequence[Any]) -> Any:
        return primitive.push(primitive.call(inner, out, saved), slopes)


class Trial(Split):
    """value + e * slope, which propagates the slope: None, not known, for the result of a function without a forward rule."""

    __slots__ = ()

    def push(self, primitive: Any, inner: Sequence[Any], out: Any, saved: Any, slopes: Sequence[Any]) -> Any:
        if any(slope is None for slope in slopes):
            return None
        inner, slopes = ([_unsplit(x) for x in values] for values in (inner, slopes))  # a trial of what is split costs too much
        out = outputs(out)[1]([_unsplit(x) for x in out]) if isinstance(out, tuple) else _unsplit(out)
        try:
            return primitive.push(primitive.call(inner, out, saved), slopes)
        except (MissingRule, GaugeError):
            return None


def _unsplit(x: Any) -> Any:
    while type(x) is Split:
        x = x.value
    return x


def split(w: Any, level: int, offsets: Any) -> Any:
    """Recorded or dual eigenvalues with an infinitesimal beneath the box."""
    separated = Split(w.value, level, offsets)
    return Recorded(separated, w.level, w.node) if type(w) is Recorded else Dual(separated, w.level, w.tangent)


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
    again = [v if s is ZERO else type(x)(v, x.level, s) for v, s in ((value, other_value), (slope, other_slope))]
    return again[0], again[1]


def on_trial(v: Any, level: int, slope: Any) -> Any:
    """Recorded vectors with an infinitesimal turn beneath the box, at a level of its own above the one given."""
    return Recorded(Trial(v.value, level + TRIAL, slope), v.level, v.node)


def outcome(x: Any, level: int | None) -> tuple[Any, Any]:
    """Return a value without its infinitesimal, and its slope: ZERO if it is constant, None if the slope is not known."""
    return (x, None) if level is None else parts(x, level + TRIAL)


def beyond_turning(slope: Any, s: Any, z: Any) -> Any:
    """Return the part of the slope of numerators s along v' = v z that the change of basis does not explain."""
    return slope - mH(z) @ s + s @ mH(z)


def along(f: Any, values: Sequence[Any], slopes: Sequence[Any]) -> list[Any]:
    """The slopes of all that f returns, of those of its arguments."""
    level = new_level()
    found = f(*(x if slope is ZERO else Split(x, level, slope) for x, slope in zip(values, slopes, strict=True)))
    return [ZERO if x is ZERO else parts(x, level)[1] for x in found]


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


@constant
def turn(same, is_complex):
    """An antihermitian matrix without a symmetry, with elements among equal eigenvalues only; its diagonal is 0."""
    place = np.cumsum(namespace_of(same).ones(same.shape[-1]))
    x = np.sin(np.sqrt(2) * place[:, None] ** 2 + 3 * place)
    x = x - x.mT + (1j * np.cos(place[:, None] * place) if is_complex else 0)
    return np.where(same & ~namespace_of(same).eye(same.shape[-1], dtype=bool), x, 0)


turn.batch_leading(same=2)


def _holds_split(x: Any, level: int | None) -> bool:
    while isinstance(x, Traced) and x is not ZERO:
        if isinstance(x, Split) and x.level == level:
            return True
        x = x.value
    return False


__all__ = [
    "BESIDE", "Split", "Trial", "along", "beyond_turning", "new_level", "on_trial", "outcome", "parts", "quotient", "split",
    "turn",
]  # fmt: skip
