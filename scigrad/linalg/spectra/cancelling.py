"""Tangents of eigenvectors at nearly equal eigenvalues, whose large parts cancel if the loss does not depend on the basis.

v' = v z has the elements z_ij = x_ij / (w_j - w_i). In the derivative of v f(w) v^H, two products of the size |x| / gap have a
difference of the size f' |x|, and lose eps / gap. For such a loss, with the derivative L[v'] in the direction of v', L[v z] = 0
where the eigenvalues meet; with w + e d, and z'_ij = x_ij / (d_j - d_i), the derivative of L[v z'] in e is the limit of L[v z],
without large terms. Therefore forward mode carries three tangents in place of one:

    value    the terms that are not large
    limit    v z', pushed on beneath eigenvalues that are split (splitting.py), as its slope in e is wanted
    large    v z

When the transform ends, value + slope(limit) is the derivative if large agrees with it within rounding, else value + large: then
the loss does depend on the single vectors. The rounding error is measured by a fourth tangent, noise of the size of v z, which
does not cancel for any loss. All this costs time only where eigenvalues are nearly equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, GaugeError, Traced, constant, namespace_of
from scigrad.autodiff_rules.boxes import Batched
from scigrad.autodiff_rules.spaces import outputs
from scigrad.autodiff_rules.trace import apart, innermost

from ..foundation.matrices import largest
from .lost_digits import Nearness
from .splitting import BESIDE, Split


class Cancelling(Traced):
    """A tangent value + large, with parts = (limit, large, noise)."""

    __slots__ = ("nearness", "parts")

    def __init__(self, value: Any, level: Any, parts: Sequence[Any], nearness: Nearness) -> None:
        self.value = value
        self.level = level
        self.parts = parts
        self.nearness = nearness
        self.base = self.square = None

    def interpret(self, primitive: Any, values: Sequence[Any], boxes: Sequence[int]) -> tuple[Any, Any]:
        own = [type(value) is Cancelling and value.level == self.level for value in values]
        if primitive.is_constant:
            return primitive.evaluate([v.value + v.parts[1] if mine else v for v, mine in zip(values, own, strict=True)])
        inner = [v.value if mine else v for v, mine in zip(values, own, strict=True)]
        out, saved = primitive.evaluate(inner)
        call = primitive.call(inner, out, saved)
        parts = [v.parts if mine else (ZERO,) * 3 for v, mine in zip(values, own, strict=True)]
        try:
            shares = [_pushed(primitive, call, part) for part in zip(*parts, strict=True)]
        except GaugeError:  # a direction that only `large` does not have
            return primitive.evaluate([apart(v, 0) if mine else v for v, mine in zip(values, own, strict=True)])
        if isinstance(out, tuple):
            shares = [(ZERO,) * len(out) if share is ZERO else share for share in shares]
            return outputs(out)[1]([self._like(o, parts) for o, *parts in zip(out, *shares, strict=True)]), saved
        return self._like(out, shares), saved

    def _like(self, out: Any, parts: Sequence[Any]) -> Any:
        return out if all(p is ZERO for p in parts) else Cancelling(out, self.level, parts, self.nearness)

    def apart(self, leaving: int = 0) -> Any:
        """Return the tangent itself, at the end of a transform."""
        limit, large, noise = self.parts
        limit, large, noise, value = _slope(limit, self.level - BESIDE), apart(large, 0), apart(noise, 0), apart(self.value, 0)
        if self.nearness.gap is None:
            self.nearness.warn_of_rounding(noise, value)
            return value
        if large is ZERO and limit is ZERO:
            return value
        limit, large = (np.zeros_like(other) if x is ZERO else x for x, other in ((limit, large), (large, limit)))
        rounding = 0 if noise is ZERO else 100 * np.finfo(large.dtype).eps * _size(noise)
        depends = np.abs(large - limit) > rounding
        self.nearness.warn(np.where(depends, large - limit, 0), value + large)
        return value + np.where(depends, large, limit)


def _pushed(primitive: Any, call: Any, tangents: Sequence[Any]) -> Any:
    return ZERO if all(t is ZERO for t in tangents) else primitive.push(call, tangents)


def cancelling(value: Any, limit: Any, large: Any, sizes: Any, level: int, nearness: Nearness) -> Any:
    """value + large as such a tangent, for eigenvalues that were split at a level; `sizes` are those of the terms of which the
    columns of large are made."""
    return _boxed((value, limit, large, _noise(large, sizes)), level, nearness)


def weighed(value: Any, sizes: Any, level: int, nearness: Nearness) -> Any:
    """A tangent of which nothing is apart, with noise that shows what becomes of its rounding."""
    return _boxed((value, ZERO, ZERO, _noise(value, sizes)), level, nearness)


def _boxed(parts: Sequence[Any], level: int, nearness: Nearness) -> Any:
    top = innermost([x for x in parts if x is not ZERO])
    if top is None or top.level < level:
        return Cancelling(parts[0], level + BESIDE, parts[1:], nearness)
    if any(x is not ZERO and (type(x) is not Batched or x.level != top.level) for x in parts):
        return parts[0] + parts[2]  # for a transform that began later
    assert isinstance(top, Batched)
    return Batched(_boxed([x if x is ZERO else x.value for x in parts], level, nearness), top.level, top.loop)


def _slope(x: Any, level: Any) -> Any:
    """The slope at a level, beneath those of other eigenvalues."""
    while type(x) is Split:
        if x.level == level:
            return apart(x.slope, 0)
        x = x.value
    return ZERO


@constant
def _noise(x, sizes):
    """Columns of these sizes, of random phases, the same in every run."""
    rows, columns = (np.cumsum(namespace_of(sizes).ones(n)) for n in x.shape[-2:])
    angle = 1e3 * np.sin(rows[:, None] ** 2 + np.sqrt(2) * columns * rows[:, None])
    phase = np.exp(1j * angle) if x.dtype.kind == "c" else np.sign(np.sin(angle))
    return (sizes[..., None, :] * phase).astype(x.dtype)


_noise.batch_leading(x=2, sizes=1)


@constant
def _size(x, batch=0):
    return largest(x, tuple(range(batch, np.ndim(x))), True)


@_size.batched
def _(call, batched):
    return _size(call.x, call.batch + 1)


__all__ = ["cancelling", "weighed"]
