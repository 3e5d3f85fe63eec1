"""Ties of values that are 0: a modulus r = 0 + e is larger than 0, and smaller than 2 r.

A maximum that shares its derivative among equal values has wrong second derivatives where one of
them is a modulus: maximum(r, 0)**2 is r**2. The infinitesimals decide such ties. What they leave
open, of two moduli that have nothing to do with each other and of values equal to the first order,
is `Undecided`. A value that is 0 without a modulus and has a derivative, as 2 x in maximum(|x|, 2
x), is larger in one direction and smaller in another: what was decided is `add_flaw`. Comparisons
do not see infinitesimals: `where(r > 0, sin(r) / r, 1)` is meant to avoid the quotient.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, Traced, differentiable, stop_gradient
from scigrad.autodiff_rules.boxes import Batched
from scigrad.typing import Array, ArrayLike

from .infinitesimals import Infinitesimal, drop_infinitesimals
from .kinks import fingerprint, sizes_of
from .missing_derivatives import add_flaw, some, undecided_zero

TIED = (
    "{name}: a second derivative was asked for at a tie of values that are 0, whose order differs "
    "from one direction to another, or is one of second order. As the first derivative was shared "
    "among them or given to one, the second may be another."
)


def infinitesimal(*values: Any) -> Any:
    """Return the number with an infinitesimal in the boxes of one of the values, or None."""
    for x in values:
        while isinstance(x, Traced):
            if type(x) is Infinitesimal:
                return x
            x = x._value
    return None


def tie_slopes(x: Any) -> tuple[Any, Any]:
    """Return the slopes of a value along both infinitesimals, constant; 0 where it has none."""
    if not isinstance(x, Traced):
        return 0.0 * (x == x), 0.0 * (x == x)
    first, second = tie_slopes(x._value)
    if type(x) is Batched:
        return Batched(first, x._level, x._loop), Batched(second, x._level, x._loop)
    if type(x) is Infinitesimal:
        own = (0.0 if s is ZERO else stop_gradient(s) for s in x._tangent)
        return next(own) + first, next(own) + second
    return first, second


def same(x: Any, y: Any) -> Any:
    """Return whether two numbers are equal up to rounding."""
    return np.abs(x - y) <= 1e-6 * (np.abs(x) + np.abs(y))


def parts_of_equals(equal: Any, a: Any, seed: int, sign: int, axis: Any, name: str) -> Any:
    """Return the parts of the derivative of those elements that are equal to the extreme ones.

    `a` has an infinitesimal; the largest slope wins, for a minimum (sign -1) the smallest.
    The seed is the same whenever the same values are asked for.
    """
    size, other = (sign * s + np.zeros_like(stop_gradient(a)) for s in tie_slopes(a))
    best = np.max(np.where(equal, size, -np.inf), axis=axis, keepdims=True)
    best = np.where(np.any(equal, axis=axis, keepdims=True), best, 0.0)  # infinite without equals
    first = equal & (same(size, best) | (size >= best))
    count = np.sum(first, axis=axis, keepdims=True)
    beside = np.sum(np.where(first, other, 0), axis=axis, keepdims=True) / np.maximum(count, 1)
    one_sign = (size * best >= 0) | (other * beside >= 0)
    unordered = equal & one_sign & ~same(size * beside, other * best)
    open_ = np.any(unordered, axis=axis, keepdims=True)
    chosen = 1.0 * np.where(open_, equal, first)
    count = np.sum(chosen, axis=axis, keepdims=True)
    part = (chosen / np.maximum(count, 1)).astype(a.dtype)
    level, text = infinitesimal(a)._level - 1, TIED.format(name=name)
    smooth = drop_infinitesimals(a)  # its derivative turns the order round, where there is one
    others = np.where(equal, smooth - np.sum(part * smooth, axis=axis, keepdims=True), 0)
    part = add_flaw(part, others, equal & ~open_, level, text, 1)
    if not some(count > 1.5):
        return part
    weights = chosen * sizes_of(part, seed)
    weights = (count * weights - np.sum(weights, axis=axis, keepdims=True)) * chosen
    return part + undecided_zero(level, text) * weights.astype(a.dtype)


def parts_of_two(x: Any, y: Any, sign: int, name: str) -> Any:
    """Return both parts of the derivative where x and y are equal."""
    both = np.stack(np.broadcast_arrays(x, y))
    return parts_of_equals(both == both[::-1], both, fingerprint((x, y)), sign, 0, name)


def order_of(a: Any) -> Any:
    """Return the positions that sort along the last axis, equal values by their infinitesimals."""
    least = np.argsort(tie_slopes(a)[0], kind="stable")
    a = np.take_along_axis(stop_gradient(a), least, -1)
    return np.take_along_axis(least, np.argsort(a, kind="stable"), -1)


@differentiable("a")
def sort_with_ties(a: ArrayLike, name: ArrayLike) -> Array:
    """Return sorted values such that derivatives of neighbors whose order nothing decides are
    uncertain.
    """
    del name
    return a


sort_with_ties.sees_infinitesimals = True
sort_with_ties.batched(lambda call, batched: sort_with_ties(call.a, call.name))


@sort_with_ties.jvp
def _(call, t):
    found = infinitesimal(call.a)
    if found is None:
        return t.a
    t, a = t.a, call.a
    (x, y), (beside_x, beside_y) = ((s[..., :-1], s[..., 1:]) for s in tie_slopes(a))
    decided = ~same(x, y) & (same(x * beside_y, y * beside_x) | ((x < 0) & (y > 0)))
    tied, level, text = a[..., :-1] == a[..., 1:], found._level - 1, TIED.format(name=call.name)
    smooth = np.diff(drop_infinitesimals(a))
    steps = (_at_ends(x, 1, 0) for x in (smooth * tied, tied))
    t = t * add_flaw(np.ones_like(stop_gradient(a)), *steps, level, text, 1)
    unknown = tied & ~decided
    if some(unknown):
        sizes = unknown * sizes_of(x, fingerprint(a)) * np.diff(t)
        t = t + undecided_zero(level, text) * np.diff(_at_ends(sizes, 1, 1))
    return t


def _at_ends(x: Any, before: int, after: int) -> Any:
    """Return x with zeros at the ends of its last axis."""
    return np.pad(x, [(0, 0)] * (x.ndim - 1) + [(before, after)])
