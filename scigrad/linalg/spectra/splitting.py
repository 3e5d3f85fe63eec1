"""An infinitesimal that separates equal eigenvalues, so that a loss can say how it would treat different ones.

Where w_i = w_j, the cotangents of (w, v) alone do not determine the gradient. Take loss(a) = Re tr(g^H v f(w) v^H), which is
smooth there: its gradient has the off-diagonal elements f'(w) g_ij, but v_bar holds only f(w) g_ij. The missing number is the
limit of a divided difference, (v_i^H v_bar_j - conj(v_j^H v_bar_i)) / (w_j - w_i), in which both sides tend to 0: by l'Hopital's
rule the derivative of the numerator, as the eigenvalues separate. So in reverse mode equal eigenvalues leave `eigh` as w + e d
with an infinitesimal e and different numbers d. The loss is computed with it as forward mode would do, beneath the boxes of the
transform that records it, and the cotangent v_bar arrives with the derivative that is needed. Values do not change.

A second infinitesimal, a trial, turns the vectors of equal eigenvalues: a loss that does not depend on the basis has a numerator
of zero in all of them, so that its derivative is zero as well; that of a loss that depends on it, but has a maximum in the basis
at hand (as v_00^2 has at the identity), is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, MissingRule, Traced, constant
from scigrad.autodiff_rules.boxes import Batched, Dual, Recorded, new_level, rebuild
from scigrad.autodiff_rules.trace import apart

TRIAL = 0.25  # from the level of a splitting up to that of a trial: nothing else lies there


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
            mine = type(value) is type(self) and value.level == level
            inner.append(value.value if mine else value)
            slopes.append(value.slope if mine else ZERO)
        out, saved = primitive.evaluate(inner)
        if primitive.is_constant:
            return out, saved
        slope = self.push(primitive, inner, out, saved, slopes)
        if isinstance(out, tuple):
            slope = (ZERO,) * len(out) if slope is ZERO else slope
            return rebuild(out, [o if s is ZERO else type(self)(o, level, s) for o, s in zip(out, slope, strict=True)]), saved
        return (out if slope is ZERO else type(self)(out, level, slope)), saved

    def push(self, primitive: Any, inner: Sequence[Any], out: Any, saved: Any, slopes: Sequence[Any]) -> Any:
        return primitive.push(primitive.call(inner, out, saved), slopes)


class Trial(Split):
    """value + e * slope, to see what becomes of the slope: it ends where a function has no forward rule."""

    __slots__ = ()

    def push(self, primitive: Any, inner: Sequence[Any], out: Any, saved: Any, slopes: Sequence[Any]) -> Any:
        inner, slopes = ([_unsplit(x) for x in values] for values in (inner, slopes))  # a trial of what is split costs too much
        out = rebuild(out, [_unsplit(x) for x in out]) if isinstance(out, tuple) else _unsplit(out)
        try:
            return primitive.push(primitive.call(inner, out, saved), slopes)
        except (MissingRule, GaugeError):
            return ZERO


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
    """What came back, without the trial, and its slope; ZERO if there is none."""
    value, slope = (x, ZERO) if level is None else parts(x, level + TRIAL)
    return value, ZERO if slope is None else slope


@constant
def turn(same, is_complex):
    """An antihermitian matrix without a symmetry, with elements among equal eigenvalues only; its diagonal is 0."""
    place = np.cumsum(np.ones(same.shape[-1], like=same))
    x = np.sin(np.sqrt(2) * place[:, None] ** 2 + 3 * place)
    x = x - x.mT + (1j * np.cos(place[:, None] * place) if is_complex else 0)
    return np.where(same & ~np.eye(same.shape[-1], dtype=bool, like=same), x, 0)


turn.batch_leading(same=2)


def _holds_split(x: Any, level: int | None) -> bool:
    while isinstance(x, Traced) and x is not ZERO:
        if isinstance(x, Split) and x.level == level:
            return True
        x = x.value
    return False


__all__ = ["Split", "Trial", "new_level", "on_trial", "outcome", "parts", "split", "turn"]
