"""Cotangents and tangents that are absent in some elements.

`where`, an index, `maximum` and other selections leave elements out. No derivative passes through these, which is not the same
as a derivative of 0: a rule multiplies 0 by its partial, and 0 times infinity is NaN. A `Masked` value has zeros in the absent
elements and knows where they are, so that the rules of other calls are not applied there (docs/adr/0018-absent-elements.md).
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterable
from threading import get_ident
from typing import Any

import numpy as np

from . import backends
from .absent import ZERO
from .trace import apart, raw, scalar

_LONGEST = 50  # steps to a mask that has not been computed, at most: Python limits the depth of calls
_NUMBERS = (np.number, np.bool, int, float, complex)
# Thread of a reverse pass without masks -> whether one was left out: a result that is not finite may need it. No variable of
# the context: while one is set, NumPy finds its own more slowly, in every call.
left_out: dict[int, bool] = {}


class Presence:
    """A mask, true where an element is present, or anything else that is computed when it is first asked for."""

    __slots__ = ("compute", "depth", "found")

    def __init__(self, compute: Callable[[], Any], *parts: Presence) -> None:
        self.compute = compute
        self.depth = depth = 1 + max([part.depth for part in parts]) if parts else 1
        if depth > _LONGEST:
            self()
            self.depth = 0

    def __call__(self) -> Any:
        if self.compute is not None:
            self.found, self.compute = self.compute(), None
        return self.found


class Masked:
    """Cotangent or tangent with zeros where it is absent. It is added and multiplied; other rules receive `plain` arrays."""

    __slots__ = ("presence", "value")
    __array_ufunc__ = None  # so that array * Masked calls Masked.__rmul__

    def __init__(self, value: Any, presence: Presence) -> None:
        self.value = value
        self.presence = presence  # of a mask that broadcasts to the shape of the value

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def dtype(self) -> Any:
        return self.value.dtype

    def __add__(self, other: Any) -> Any:
        if type(other) is not Masked:
            return self if other is ZERO else self.value + other
        mine, others = self.presence, other.presence
        either = mine if mine is others else Presence(lambda: mine() | others(), mine, others)
        return Masked(self.value + other.value, either)

    def __radd__(self, other: Any) -> Any:
        return other + self.value

    def __neg__(self) -> Masked:
        return Masked(-self.value, self.presence)

    def __mul__(self, other: Any) -> Masked:
        presence = self.presence
        if type(other) is Masked:
            presence, other = both(presence, other.presence), other.value
        if is_finite(other):
            return Masked(self.value * other, presence)
        with np.errstate(invalid="ignore"):  # 0 times infinity, where it is absent
            product = self.value * other
        return Masked(selected(product, presence), presence)

    __rmul__ = __mul__

    def conjugate(self) -> Masked:
        return Masked(self.value.conjugate(), self.presence)


def without_masks() -> bool:
    """Return whether no masks are made, and note that one was left out."""
    thread = get_ident()
    if thread in left_out:
        left_out[thread] = True
    return thread in left_out


def partly(value: Any, present: Callable[[], Any], *parts: Presence) -> Any:
    """Return a value with a mask, if masks are made."""
    return value if without_masks() else Masked(value, Presence(present, *parts))


def both(mine: Presence, others: Presence) -> Presence:
    return Presence(lambda: mine() & others(), mine, others)


def stripped(x: Any, level: int) -> Any:
    """Return a cotangent that leaves a transform and remains masked."""
    return Masked(apart(x.value, level), x.presence) if type(x) is Masked else apart(x, level)


def plain(x: Any) -> Any:
    """Return a value with zeros where it is absent."""
    return x.value if type(x) is Masked else x


def is_finite(x: Any) -> bool:
    """Return whether a plain array of the host is finite. On a device nobody looks, and of a traced value derivatives count."""
    if isinstance(x, np.ndarray):
        return math.isfinite(np.vdot(x, x).real) or bool(np.isfinite(x).all())  # the product is quick, and may overflow
    return isinstance(x, _NUMBERS) and cmath.isfinite(x)


def selected(x: Any, presence: Presence) -> Any:
    """Return an array with zeros where it is absent."""
    return scalar(np.where(presence(), x, 0))


def restored(c: Any, presence: Presence) -> Masked:
    """Return what a rule computed from zeros, which may be NaN where it is absent."""
    if type(c) is Masked:
        c, presence = c.value, both(c.presence, presence)
    return Masked(c if is_finite(c) else selected(c, presence), presence)


def pattern(x: Any) -> Any:
    """Return an array like x with other numbers, 0 where x is absent: a linear map of it is 0 only where that of x is absent.

    The numbers have no linear relation that differences, sums or other maps with simple coefficients could meet.
    """
    xp = backends.namespace(backends.library(raw(plain(x))))
    shape = getattr(x, "shape", ())
    numbers = scalar(xp.sqrt(xp.arange(2, int(np.prod(shape)) + 2, dtype=float)).reshape(shape))
    numbers = numbers * (1 + 0.5j) if getattr(x, "dtype", numbers.dtype).kind == "c" else numbers
    return selected(numbers, x.presence) if type(x) is Masked else numbers


def patterns_of(values: Iterable[Any]) -> list[Any]:
    """Return the patterns of tangents or cotangents, ZERO for those that are."""
    return [x if x is ZERO else pattern(x) for x in values]


def mask(x: Masked) -> Any:
    """Return the mask of a value in its shape."""
    return np.broadcast_to(x.presence(), x.shape)
