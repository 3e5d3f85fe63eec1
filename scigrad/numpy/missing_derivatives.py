"""Second derivatives that do not exist or are not known: whoever asks for one is warned.

A mark on a value says what of it has no derivative. A sign or a share that is open at a kink is
a number with the infinitesimal `Undecided`: what does not depend on it in the end is right.
"""

import sys
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, Traced, differentiable, raw, warn
from scigrad.autodiff_rules.trace import apart
from scigrad.autodiff_rules.vectorize import align_batches
from scigrad.typing import Array, ArrayLike

from .devices import on_host
from .infinitesimals import Named


class Undecided(Named):
    """value + d s: d is some number that no first derivative determines, as the sign of 0.

    Where it leaves its transform d is 0, and s has no derivative: whoever asks for it is warned.
    """

    __slots__ = ()

    def _apart(self, leaving: int = sys.maxsize) -> Any:
        if self._level <= leaving:
            return super()._apart(leaving)
        value, slope = apart(self._value, leaving), apart(self._tangent[0], leaving)
        if not isinstance(slope, Traced):
            return value
        return add_flaw(value, slope, np.True_, self._level, self._name, 0)


class Missing(Undecided):
    """value + d s, a cotangent that should not have reached any value where s is not 0."""

    __slots__ = ()

    def _apart(self, leaving: int = sys.maxsize) -> Any:
        if self._level <= leaving:
            return super()._apart(leaving)
        if some(self._tangent[0] != 0):
            warn(self._name, RuntimeWarning)
        return apart(self._value, leaving)


def undecided_zero(level: int, text: str) -> Any:
    """Return d, of whose multiples vmap may box the sizes."""
    return Undecided(0.0, level, (1.0,), text)


def some(where: Any) -> bool:
    """Return whether something holds anywhere, which waits for a device."""
    return bool(on_host(raw(where).any()))


def mark_flaw(c: Any, x: Any, flaw: Any, name: str, level: int) -> Any:
    """Return c, whose second derivative through x is missing where there is a flaw."""
    return add_flaw(c, x, flaw, level, MISSING.format(name=name), 0) if some(flaw) else c


@differentiable("c", "x")
def add_flaw(
    c: ArrayLike, x: ArrayLike, flaw: ArrayLike, level: ArrayLike, text: ArrayLike, jump: ArrayLike
) -> Array:
    """Return c such that its part that depends on x has no derivative where there is a flaw.

    If c jumps (1), a cotangent of 0 does not help: it may be infinitesimal.
    """
    del x, flaw, level, text, jump
    return c


add_flaw.batched(lambda call, batched: add_flaw(*align_batches(call[:3], batched[:3]), *call[3:6]))


@add_flaw.jvp
def _(call, t):
    if t.x is not ZERO and some((t.x != 0) & call.flaw):
        warn(call.text, RuntimeWarning)
    return t.c


@add_flaw.vjp
def _(call, g):
    size = np.where(call.flaw, g + call.jump, 0)
    return {"c": g, "x": Missing(0.0, call.level, (1.0,), call.text) * size}


MISSING = (
    "{name}: a second derivative was asked for where {name} is 0 and the result is not smooth: it "
    "has a slope in {name} there, or the product of two that are 0. What is even in each was "
    "differentiated, the rest has no second derivative. With r = |x|, r**2, cos(r) and "
    "(1 + r) * exp(-r) are smooth, r and exp(-r) are not."
)
