"""Cotangents and tangents that are absent in some elements.

`where`, an index, `maximum` and other selections leave elements out. No derivative passes through
these, which is not the same as a derivative of 0: a rule multiplies 0 by its partial, and 0 times
infinity is NaN. A `Masked` value has zeros in the absent elements and knows where they are, so that
the rules of other calls are not applied there (docs/adr/0018-absent-elements.md).
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterable, Sequence
from threading import get_ident
from typing import Any

import numpy as np

from . import backends
from .containers import is_container, outputs
from .spaces import count_axis_from_end, embed, project, shape_of, sum_to
from .trace import ZERO, apart, array_functions, as_scalar, raw

# steps to a mask that has not been computed, at most: Python limits the depth of calls
_LONGEST = 50
_NUMBERS = (np.number, np.bool, int, float, complex)
# Thread of a reverse pass without masks -> whether one was left out: a result that is not finite
# may need it. No variable of the context: while one is set, NumPy finds its own more slowly, in
# every call.
left_out: dict[int, bool] = {}


class Presence:
    """A mask, true where an element is present, or anything else that is computed when it is first
    asked for.
    """

    depth: int
    compute: Callable[[], Any] | None
    found: Any

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
    """Cotangent or tangent with zeros where it is absent. It is added and multiplied; other rules
    receive plain arrays.
    """

    value: Any
    presence: Presence

    __slots__ = ("presence", "value")
    __array_ufunc__ = None  # array * Masked calls Masked.__rmul__

    def __init__(self, value: Any, presence: Presence) -> None:
        self.value = value
        self.presence = presence  # its mask broadcasts to the shape of the value

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
        with np.errstate(invalid="ignore"):  # 0 times infinity, where it is absent
            return mark_absent(self.value * other, presence)

    __rmul__ = __mul__

    def projected(self, x: Any) -> Masked:
        """Return the projection to the space of x, present where an element that is summed was."""
        summed = self.shape != x.shape
        counts = (
            Presence(lambda: sum_to(1.0 * mask(self), x.shape) != 0, self.presence)
            if summed
            else self.presence
        )
        return Masked(project(self.value, x), counts)

    def embedded(self, x: Any) -> Masked:
        return Masked(embed(self.value, x), self.presence)

    def conjugate(self) -> Masked:
        return Masked(self.value.conjugate(), self.presence)


def leaves_masks_out() -> bool:
    """Return whether no masks are made, and note that one was left out."""
    thread = get_ident()
    if thread not in left_out:
        return False
    left_out[thread] = True
    return True


def partly(value: Any, present: Callable[[], Any], *parts: Presence) -> Any:
    """Return a value with a mask, if masks are made."""
    return value if leaves_masks_out() else Masked(value, Presence(present, *parts))


def both(mine: Presence, others: Presence) -> Presence:
    return Presence(lambda: mine() & others(), mine, others)


def unbox_masked(x: Any, level: int) -> Any:
    """Return a cotangent that leaves a transform and remains masked."""
    return Masked(apart(x.value, level), x.presence) if type(x) is Masked else apart(x, level)


def fill_absent(x: Any) -> Any:
    """Return a value with zeros where it is absent."""
    return x.value if type(x) is Masked else x


def is_finite(x: Any, beside: Sequence[Any] = ()) -> Any:
    """Return whether a plain array of the host, or a list of such, is finite. On a device nobody
    looks but a pass that ends, once for all that it has found, and of a traced value derivatives
    count.
    """
    if isinstance(x, np.ndarray):
        # the product is quick, and may overflow
        return math.isfinite(np.vdot(x, x).real) or bool(np.isfinite(x).all())
    if isinstance(x, list):
        return all(is_finite(item, beside and x) for item in x)
    if getattr(x, "_is_sealed", False):
        return x._check(is_finite)
    if isinstance(x, _NUMBERS):
        return cmath.isfinite(x)
    arrays = [c for c in beside if backends.is_on_device(c)] if backends.is_on_device(x) else []
    return bool(arrays) and (x is not arrays[0] or array_functions["look"](*arrays))


def zero_absent(x: Any, presence: Presence) -> Any:
    """Return an array with zeros where it is absent."""
    return as_scalar(np.where(presence(), x, 0))


def mark_absent(c: Any, presence: Presence) -> Masked:
    """Return what a rule computed from zeros, which may be NaN where it is absent."""
    if type(c) is Masked:
        c, presence = c.value, both(c.presence, presence)
    return Masked(c if is_finite(c) else zero_absent(c, presence), presence)


def pattern(x: Any) -> Any:
    """Return an array like x with other numbers, 0 where x is absent: a linear map of it is 0 only
    where that of x is absent.

    The numbers have no linear relation that differences, sums or other maps with simple
    coefficients could meet.
    """
    xp = backends.namespace(backends.library(raw(fill_absent(x))))
    shape = getattr(x, "shape", ())
    numbers = as_scalar(xp.sqrt(xp.arange(2, int(np.prod(shape)) + 2, dtype=float)).reshape(shape))
    numbers = numbers * (1 + 0.5j) if getattr(x, "dtype", numbers.dtype).kind == "c" else numbers
    return zero_absent(numbers, x.presence) if type(x) is Masked else numbers


def patterns_of(values: Iterable[Any]) -> list[Any]:
    """Return the patterns of tangents or cotangents, ZERO for those that are."""
    return [x if x is ZERO else pattern(x) for x in values]


def mask(x: Masked) -> Any:
    """Return the mask of a value in its shape."""
    return np.broadcast_to(x.presence(), x.shape)


# -- the elements of a batch are independent: where nothing of one is present, none of its
# derivatives is
#
# A rule of a solver or of a decomposition receives zeros for an element that is absent, and returns
# NaN for it if the element is a matrix without an inverse. Here these are set to 0 again. A
# function of which no batch is known is one element.


def kept_apart(
    c: Any, primitive: Any, call: Any, name: str | None, parts: Sequence[tuple[Any, str | None]]
) -> Any:
    """Return what a rule found for an argument (None: for an output) from `parts`, cotangents or
    tangents with such names.

    It is absent in those elements of the batch in which all parts are.
    """
    parts = [(x, of) for x, of in parts if x is not ZERO]
    if any(type(x) is not Masked for x, _ in parts) or c is ZERO:
        return c
    if is_container(type(c)):
        return (
            type(c)(kept_apart(x, primitive, call, name, parts) for x in c)
            if type(c) in (list, tuple)
            else c
        )
    if callable(c):
        return lambda: kept_apart(c(), primitive, call, name, parts)

    def compute() -> Any:
        found: Any = np.False_
        for x, of in parts:
            found = found | _elements(mask(x), primitive, call, of)
        return _spread_mask(found, shape_of(c), primitive, call, name)

    return mark_absent(c, Presence(compute, *(x.presence for x, _ in parts)))


def _elements(present: Any, primitive: Any, call: Any, name: str | None) -> Any:
    """Return in which elements of the batch something is present."""
    if primitive.passes is not None:
        axes, rank = _core_axes(primitive, call)
        if name is not None:
            present = present.reshape((*(1,) * (rank - present.ndim), *present.shape))
        if present.ndim < rank:
            return np.expand_dims(present, axes)
        return np.any(present, axis=axes, keepdims=True)
    rows = primitive.rows and name is None
    count = present.ndim - 1 if rows else _core(primitive, call, name, present.ndim)
    return np.any(present, axis=tuple(range(-count, 0))) if count else present


def _spread_mask(
    found: Any, shape: tuple[int, ...], primitive: Any, call: Any, name: str | None
) -> Any:
    """Return the mask of an array of a shape from that of the elements of the batch."""
    if primitive.passes is not None:
        axes, rank = _core_axes(primitive, call)
        if name is not None:
            return _shared(found, shape)
        return found if len(shape) == rank else np.squeeze(found, axes)
    if primitive.rows:
        return found.reshape((*found.shape, *(1,) * (len(shape) - 1))) if found.ndim else found
    count = _core(primitive, call, name, len(shape))
    return _shared(found.reshape((*found.shape, *(1,) * count)), shape)


def _shared(found: Any, shape: tuple[int, ...]) -> Any:
    """Return a mask for an array that the elements of the batch may share."""
    lead = max(0, found.ndim - len(shape))
    ours = zip(reversed(range(found.ndim)), reversed(found.shape), reversed(shape), strict=False)
    summed = (*range(lead), *(i for i, m, n in ours if n == 1 != m))
    if not summed:
        return found
    found = np.any(found, axis=summed, keepdims=True)
    return found.reshape(found.shape[lead:])


def _core(primitive: Any, call: Any, name: str | None, rank: int) -> int:
    """Return the number of axes of an array of so many that are no axes of the batch: all, where no
    batch is known; of a vector among matrices its only one.
    """
    if primitive.core is None:
        return rank
    if name is not None:
        return min(primitive.core.get(name, rank), rank)
    given = [(getattr(call, of), count) for of, count in primitive.core.items()]
    return rank - max(
        len(shape_of(x)) - count for a, count in given for x in (a if type(a) is tuple else (a,))
    )


def _core_axes(primitive: Any, call: Any) -> tuple[Any, int]:
    """Return the axes along which a function works, counted from the end, and the number of axes of
    its arrays together.
    """
    *arrays, axis = primitive.passes
    rank = max(len(shape_of(x)) for x in (getattr(call, name) for name in arrays) if x is not None)
    axes = count_axis_from_end(getattr(call, axis), rank)
    return axes if isinstance(axes, tuple) else (axes,), rank


# -- masks of cotangents, with the rules that find them


def unmask(g: Any) -> tuple[Any, list[tuple[Any, None]]]:
    """Return a cotangent as plain arrays, and its leaves if some of them are masked."""
    if type(g) is Masked:
        return g.value, [(g, None)]
    if hasattr(g, "dtype"):
        return g, []
    leaves, rebuilt = outputs(g)
    return (
        (rebuilt(map(fill_absent, leaves)), [(x, None) for x in leaves])
        if Masked in map(type, leaves)
        else (g, [])
    )


def presences(parts: Iterable[Any]) -> list[Presence]:
    return [x.presence for x in parts if type(x) is Masked]


def call_if_callable(c: Any) -> Any:
    return c() if callable(c) else c


def mask_by_patterns(found: Any, patterns: Presence, masked: Callable[..., Any] = Masked) -> Any:
    """Return what a rule found, absent where the patterns of it are 0; `mark_absent` puts zeros
    there.
    """

    def paired(c: Any, own: Callable[[], Any]) -> Any:
        if type(c) is dict:
            return {name: paired(x, lambda name=name: own()[name]) for name, x in c.items()}
        if type(c) in (list, tuple):
            return [paired(x, lambda i=i: own()[i]) for i, x in enumerate(c)]
        if callable(c):
            return lambda: paired(c(), own)
        return (
            masked(c, Presence(lambda: call_if_callable(own()) != 0, patterns))
            if hasattr(c, "dtype") and c is not ZERO
            else c
        )

    return paired(found, patterns)
