"""Numbers v + e s with an infinitesimal e, which stand for a value where a derivative is a limit.

A rule that would divide by a value which is 0 lets the value differ from 0 by an infinitesimal, and
finds the limit in what comes back, divided by that difference: moduli that are 0 (numpy/kinks.py),
differences of equal eigenvalues (linalg/eigenvalues/degenerate_eigenvalues.py).
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, Traced
from scigrad.autodiff_rules.boxes import Batched, Dual, Recorded
from scigrad.autodiff_rules.containers import outputs
from scigrad.autodiff_rules.masked import fill_absent
from scigrad.autodiff_rules.trace import apart


class Infinitesimal(Dual):
    """value + e s, for each of the slopes s in the tuple `_tangent`: as many independent e.

    It lies beneath the box of the transform in which it was created, and does not leave it:
    `_apart`, which transforms call for all results, returns the value alone where the level of the
    transform is beneath that of e.
    """

    __slots__ = ()

    def _apart(self, leaving: int = sys.maxsize) -> Any:
        value = apart(self._value, leaving)
        if self._level > leaving:
            return value
        return self._with(value, [apart(slope, leaving) for slope in self._tangent])

    def _with(self, value: Any, slopes: Sequence[Any]) -> Any:
        return type(self)(value, self._level, tuple(slopes))

    def _interpret(
        self, primitive: Any, values: Sequence[Any], boxes: Sequence[int], writable: Any
    ) -> tuple[Any, Any]:
        mine = [type(x) is type(self) and x._level == self._level for x in values]
        inner = [x._value if own else x for x, own in zip(values, mine, strict=True)]
        out, saved = primitive.evaluate(inner)
        if primitive.is_constant:
            return out, saved
        seen = values if primitive.sees_infinitesimals else inner
        call, found = primitive.call(seen, out, saved), []
        leaves, rebuilt = outputs(out)
        with np.errstate(all="ignore"):  # an infinite slope is no event in the user's computation
            for i in range(len(self._tangent)):
                given = zip(values, mine, strict=True)
                slope = primitive.push(call, [x._tangent[i] if own else ZERO for x, own in given])
                many = isinstance(slope, (tuple, list))
                found.append(list(map(fill_absent, slope if many else [slope] * len(leaves))))
        slopes = zip(*found, strict=True)
        return rebuilt(list(map(self._boxed, leaves, slopes))), saved

    def _boxed(self, value: Any, slopes: Sequence[Any]) -> Any:
        return value if all(s is ZERO for s in slopes) else self._with(value, slopes)


class Named(Infinitesimal):
    """Infinitesimal that knows what to tell if a derivative is missing."""

    __slots__ = ("_name",)

    def __init__(self, value: Any, level: int, tangent: Any, name: str) -> None:
        super().__init__(value, level, tangent)
        self._name = name

    def _with(self, value: Any, slopes: Sequence[Any]) -> Any:
        return type(self)(value, self._level, tuple(slopes), self._name)


def component(x: Any, kind: type, read: Callable[[Any], Any]) -> Any:
    """Return read(y) for the number y of a kind in x, and ZERO if there is none.

    vmap and other infinitesimals may have put their boxes around it.
    """
    if type(x) is kind:
        return read(x)
    if type(x) is Batched:
        inner = component(x._value, kind, read)
        return inner if inner is ZERO else Batched(inner, x._level, x._loop)
    if not isinstance(x, Infinitesimal):
        return ZERO
    value, *slopes = (component(part, kind, read) for part in (x._value, *x._tangent))
    if value is ZERO and any(s is not ZERO for s in slopes):
        value = np.zeros_like(x._value)
    return value if value is ZERO else x._boxed(value, slopes)


def drop_infinitesimals(x: Any) -> Any:
    """Return x, the same function of what is differentiated, without the e in its boxes."""
    if not isinstance(x, Traced) or x._is_sealed:
        return x
    value = drop_infinitesimals(x._value)
    if type(x) is Infinitesimal:
        return value
    if isinstance(x, Infinitesimal):
        return x._with(value, x._tangent)
    kept = x._node if type(x) is Recorded else x._tangent if type(x) is Dual else x._loop
    return type(x)(value, x._level, kept)


def differentiation_order(x: Any) -> int:
    """Return the number of transforms that differentiate a value."""
    count = 0
    while isinstance(x, Traced):
        count, x = count + (type(x) in (Recorded, Dual)), x._value
    return count
