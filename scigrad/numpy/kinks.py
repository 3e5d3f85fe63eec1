"""Values with a kink where they are 0, |z|, hypot, norm and std, and their derivatives there.

The first derivative is 0 by convention, the subgradient of smallest norm (docs/adr/0007). The
second is no convention: f(|x|) is smooth at 0 if f is even, with the gradient f'(r) x / r, which is
f''(0) x near 0, the limit of a quotient both sides of which are 0. So a modulus r that is 0, of a
value that an outer transform differentiates, leaves its call as 0 + e with an infinitesimal e,
which is the value of sqrt(|x|^2 + e^2); that has the derivative x / e:

- in reverse mode the cotangent of r returns as c + e c', and that of x is c' x,
- in forward mode the tangent of r is (x t) / e, and e / e is 1 in what leaves the transform.

If f is not even, c is not 0 and there is no second derivative. One e stands for all moduli of a
transform, because |x| |x| is a square. But |x| |y| is none: a second e has another size for each
element and each modulus that was not computed in the same way, and where the two do not give the
same limit there is no second derivative either. Whoever asks for one is warned.
"""

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, Traced, namespace_of, raw, stop_gradient, warn
from scigrad.autodiff_rules.boxes import Batched, Dual, Recorded
from scigrad.autodiff_rules.declare import Differentiable
from scigrad.autodiff_rules.masked import fill_absent, kept_apart, pattern
from scigrad.autodiff_rules.partials import Elementwise, operands
from scigrad.autodiff_rules.spaces import project
from scigrad.autodiff_rules.trace import apart, interception
from scigrad.typing import Value

from .composition import read_lists
from .devices import on_host
from .infinitesimals import Infinitesimal, Named, component, differentiation_order
from .missing_derivatives import MISSING, mark_flaw, some, undecided_zero

Function = Callable[..., Any]
_BOXES = frozenset((Recorded, Dual, Batched))
_NAMES = {"absolute": "abs", "_euclidean": "norm", "_root": "std"}


class Kink:
    """Function r of arguments x with a kink where it is 0, and a smooth square.

    `pulled_half` and `pushed_half` are derivatives of r^2 / 2: the cotangent of an argument x for
    the cotangent q, and the tangent for the tangent t of x. For a modulus r^2 is |x|^2.
    """

    names: tuple[str, ...]
    __name__: str
    pulled_half: Function = staticmethod(lambda call, q, x: q * x)
    pushed_half: Function = staticmethod(lambda call, x, t: np.real(np.conjugate(x) * t))

    def evaluate(self, values: Any) -> Any:
        out, saved = super().evaluate(values)  # type: ignore[misc]
        if type(out) in (Recorded, Dual) and differentiation_order(out) > 1 and _vanishes(out):
            out = self._lifted(out, values)
        return out, saved

    def _lifted(self, out: Value, values: Any) -> Any:
        """Return out, which is 0 somewhere and has just been computed, with 0 + e there."""
        level, kind = out._level, type(out)
        if differentiation_order(out) > _HIGHEST:
            warn(TOO_HIGH.format(name=self._described(values)), RuntimeWarning)
        mine = [type(x) is kind and x._level == level for x in values]
        inner = [x._value if own else x for x, own in zip(values, mine, strict=True)]
        number = self._number(out._value, inner, level + 2)
        if kind is Recorded:
            serial, primitive, kept, parents = out._node
            return Recorded(number, level, (serial, primitive, self._with(kept, number), parents))
        tangents = [x._tangent if own else ZERO for x, own in zip(values, mine, strict=True)]
        return Dual(number, level, out._tangent + self._infinite((*inner, number), tangents))

    def _number(self, out: Value, inner: Any, level: int) -> Infinitesimal:
        """Return out + e where it is 0. Of arguments that are infinitesimal, e s, it is e r(s)."""
        value, slopes = (
            (out, (ZERO, ZERO)) if type(out) is not Infinitesimal else (out._value, out._tangent)
        )
        zero, found = value == 0, []
        small = [type(x) is Infinitesimal and x._level == level for x in inner]
        for i, size in enumerate((zero.astype(value.dtype), sizes_of(value, fingerprint(inner)))):
            if any(small):
                pairs = zip(inner, small, strict=True)
                own = [_value_and_slope(x, i)[1] if is_small else x for x, is_small in pairs]
                own = self.evaluate(own)[0]
                size = np.where(own == 0, size, own)
            found.append(np.where(zero, size, 0 if slopes[i] is ZERO else slopes[i]))
        return Infinitesimal(value, level, tuple(found))

    # -- the function's own rules, whose results are 0 where it is 0, and what is added to them

    def pull(self, kept: Any, parents: Any, g: Any) -> list[tuple[Any, Any]]:
        out = kept[len(self.names)]
        if type(out) is not Infinitesimal:
            return super().pull(kept, parents, g)  # type: ignore[misc]
        pulled = super().pull(self._with(kept, out._value), parents, g)  # type: ignore[misc]
        given, g = g, resolve_infinitesimal(fill_absent(g))
        call, name, zero = self._call(kept), self._described(kept), out._value == 0
        sizes = [np.where(zero, size, 1) for size in out._tangent]
        slopes = (_value_and_slope(g, i)[1] / size for i, size in enumerate(sizes))
        q, mixed = _agreed(*(np.where(zero, slope, 0) for slope in slopes))
        odd = zero & (g != 0) & ~mixed
        for position, parent in parents:
            x = kept[position]
            ones = np.ones_like(stop_gradient(x).real)

            def half(c: Any, x: Any, space: Any = x) -> Any:
                return project(self.pulled_half(call, c, x), space)

            c = mark_flaw(half(q, x), x, self.pulled_half(call, mixed, ones) != 0, name, out._level)
            if some(odd):  # c / e, which the cotangents of other moduli may cancel
                first = half(np.where(odd, _value_and_slope(g, 0)[0] / sizes[0], 0), x)
                numbers = (half(np.where(odd, g / size, 0), ones) for size in sizes)
                c = c + _pole(out._level + 1, name, first, *numbers)
                sign = half(np.where(odd, stop_gradient(g), 0), _without_slope(x))
                c = c + self._open(out, name, sign)
            c = kept_apart(c, self, call, self.names[position], [(given, None)])
            pulled.append((parent, c))
        return pulled

    def push(self, kept: Any, tangents: Any) -> Any:
        out = kept[len(self.names)]
        if type(out) is not Infinitesimal:
            return super().push(kept, tangents)  # type: ignore[misc]
        own = super().push(self._with(kept, out._value), tangents)  # type: ignore[misc]
        return own + self._infinite(kept, tangents)

    def _infinite(self, kept: Any, tangents: Any) -> Any:
        """Return the tangent x t / (e s) where the value is e s."""
        call, total, present, turn = self._call(kept), ZERO, ZERO, ZERO
        for x, t in zip(kept, map(fill_absent, tangents), strict=False):
            if t is not ZERO:
                total = total + self.pushed_half(call, x, t)
                present = present + self.pushed_half(call, 1.0, np.abs(stop_gradient(t)))
                turn = turn + resolve_infinitesimal(self.pushed_half(call, _without_slope(x), t))
        if total is ZERO:
            return ZERO
        zero, sizes = stop_gradient(call.out._value) == 0, call.out._tangent
        first, second = (np.where(zero & (s != 0), 1 / np.where(s == 0, 1, s), 0) for s in sizes)
        numbers = first * present, second * present
        name = self._described(kept)
        infinite = _pole(call.out._level + 1, name, first * resolve_infinitesimal(total), *numbers)
        if not differentiation_order(turn):
            return infinite
        return infinite + self._open(call.out, name, np.where(zero, turn - stop_gradient(turn), 0))

    def _open(self, out: Value, name: str, size: Any) -> Any:
        """Return the multiple of a size that the sign of an argument would tell, which is 0."""
        return undecided_zero(out._level - 1, MISSING.format(name=name)) * size

    def _with(self, kept: Any, out: Value) -> Any:
        place = len(self.names)
        changed = (*kept[:place], out, *kept[place + 1 :])
        return self.Call._make(changed) if type(kept) is self.Call else changed  # type: ignore[attr-defined]

    def _call(self, kept: Any) -> Any:
        return self.Call._make((*kept[: len(self.names) + 1], None))  # type: ignore[attr-defined]

    def _described(self, kept: Any) -> str:
        name = _NAMES.get(self.__name__, self.__name__)
        return "abs of complex numbers" if name == "abs" and kept[0].dtype.kind == "c" else name


class Pole(Named):
    """value + s / e: a tangent, or what a cotangent lacks for a limit.

    s is a multiple of x, which is 0 and shows by its derivatives only. So there are two more
    slopes, one for each of the two e, with a number in its place: they tell what s / e is not 0 by.
    """

    __slots__ = ()

    def _apart(self, leaving: int = sys.maxsize) -> Any:
        if self._level > leaving:
            return apart(resolve_infinitesimal(self), leaving)
        return super()._apart(leaving)


def _pole(level: int, name: str, *slopes: Any) -> Any:
    """Return s / e, of which vmap may have boxed the slopes."""
    units = ([1.0 if i == place else ZERO for i in range(3)] for place in range(3))
    return sum(
        (Pole(0.0, level, tuple(unit), name) * s for unit, s in zip(units, slopes, strict=True)),
        start=ZERO,
    )


def resolve_infinitesimal(x: Any) -> Any:
    """Return a tangent or cotangent with 1 in the place of e / e."""
    if type(x) is Batched:
        return Batched(resolve_infinitesimal(x._value), x._level, x._loop)
    if type(x) is not Pole:
        return (
            x._with(resolve_infinitesimal(x._value), map(resolve_infinitesimal, x._tangent))
            if isinstance(x, Infinitesimal)
            else x
        )
    infinite, limit = _value_and_slope(x._tangent[0], 0)
    (odd, first), (also_odd, second) = (
        _value_and_slope(s, i) for i, s in enumerate(x._tangent[1:])
    )
    size, mixed = _agreed(first, second)
    jumps = _jumps(np.abs(odd) + np.abs(also_odd) != 0, size, x._name)
    limit = mark_flaw(np.where(mixed, 0, limit), limit, mixed, x._name, x._level)
    return x._value + mark_flaw(limit, infinite, jumps, x._name, x._level)


def _value_and_slope(x: Any, i: int) -> tuple[Any, Any]:
    """Return the value of a number and its i-th slope."""
    value = component(x, Infinitesimal, lambda y: y._value)
    slope = component(x, Infinitesimal, lambda y: y._tangent[i])
    value = x if value is ZERO else value
    return value, np.zeros_like(value) if slope is ZERO else slope


def _without_slope(x: Any) -> Any:
    """Return numbers like x, 0 where an infinitesimal tells its sign."""
    return np.where(_value_and_slope(x, 0)[1] == 0, pattern(x), 0)


def _agreed(first: Any, second: Any) -> tuple[Any, Any]:
    """Return the limit that is the same for both e, and where there is none."""
    a, b = stop_gradient(first), stop_gradient(second)
    with np.errstate(invalid="ignore"):
        sizes = raw(np.abs(np.where(np.isfinite(a), a, 0)))
        scale = sizes.max() if sizes.size else 0
        flaw = ~(np.abs(a - b) <= np.sqrt(np.finfo(a.dtype).eps) * scale)
    return np.where(flaw, 0, first), flaw


# A multiple of |x| alone has the second derivative 0 on both sides of 0: no number is wrong there.
def _jumps(odd: Any, q: Any, name: str) -> Any:
    return odd & (q != 0) if name == "abs" else odd


# -- the sizes of the second e


def sizes_of(value: Any, seed: int) -> Any:
    """Return powers of two, which round nothing, that differ among elements, and between seeds."""
    array = raw(value)
    home, dtype = namespace_of(array), array.dtype
    count = 2 * (np.finfo(dtype).maxexp // 4) - 3  # 509 in double precision, a prime number
    powers = (7 * home.arange(array.size).reshape(array.shape) + seed % count) % count - count // 2
    return _beneath(value, home.exp2(powers.astype(dtype)))


def _beneath(x: Any, array: Any) -> Any:
    if not isinstance(x, Traced):
        return array
    inner = _beneath(x._value, array)
    return Batched(inner, x._level, x._loop) if type(x) is Batched else inner


def fingerprint(x: Any, depth: int = 6, known: dict[int, int] | None = None) -> int:
    """Return a number that is the same for values computed in the same way in their last calls."""
    known = {} if known is None else known
    if type(x) is Recorded:
        return _of_node(x._node, depth, known)
    if isinstance(x, Dual):
        return fingerprint((x._value, fill_absent(x._tangent)), depth, known)
    if type(x) is Batched:
        return fingerprint(x._value, depth, known)
    if isinstance(x, (tuple, list)):
        return hash(tuple(fingerprint(part, depth, known) for part in x))
    if isinstance(x, slice):
        return fingerprint((x.start, x.stop, x.step), depth, known)
    if isinstance(x, (np.ndarray, np.generic)):
        return hash((x.shape, x.dtype, x.tobytes()))
    return hash(x) if isinstance(x, (int, float, complex, str, np.dtype)) else id(x)


def _of_node(node: Any, depth: int, known: dict[int, int]) -> int:
    serial, primitive, kept, parents = node
    if primitive is None or not depth:
        return serial
    if serial not in known:
        above = tuple((i, _of_node(parent, depth - 1, known)) for i, parent in parents)
        known[serial] = hash((id(primitive), above, fingerprint(kept, depth - 1, known)))
    return known[serial]


# -- orders that are not promised


def _vanishes(out: Value) -> bool:
    return bool(on_host((raw(out) == 0).any()))


# The limit of f'(r) / r has a third of the second derivative of f''(r), which is taken for it.
_HIGHEST = 3
TOO_HIGH = (
    "{name}: where {name} is 0, derivatives of a function of it are right to the third order, "
    "from the fourth on only for multiples of its square. linalg.radial(f, x) has those of f(|x|) "
    "of every order."
)


# -- declarations


class Kinked(Kink, Differentiable):
    """Kinked function of the general form."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args = read_lists(args)
        if kwargs or len(args) != self.arity or not any(isinstance(x, Traced) for x in args):
            return super().__call__(*args, **kwargs)
        return self.evaluate(args)[0]


def kinked_at_zero(
    argument: str, core: Mapping[str, int] | None = None
) -> Callable[[Function], Kinked]:
    """Declare a function that is differentiable in an argument, up to a kink where it is 0."""
    return lambda kernel: Kinked(kernel, (argument,)).over_leading(core)


class ElementwiseKinked(Kink, Elementwise):
    """Kinked function of the elementwise form."""

    def __init__(self, kernel: Any) -> None:
        super().__init__(kernel)
        # the short way does not see zeros: it serves values that are not traced once more
        plain = self.short

        def without_zeros(*args: Any) -> Any:
            if any(type(x) in _BOXES and isinstance(x._value, Traced) for x in args):
                return self.evaluate(operands(args))[0]
            return plain(*args)

        self.short = interception[kernel] = without_zeros
