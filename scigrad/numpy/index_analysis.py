"""Analysis of an index: the axes that integer arrays index, the places of their axes, and the
positions they stand for.
"""

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import (
    Traced,
    TracedValueError,
    backends,
    constant,
    namespace_of,
    shape_of,
    space,
)
from scigrad.autodiff_rules.declare import Linear
from scigrad.autodiff_rules.graph import needs_masks
from scigrad.autodiff_rules.masked import Masked, fill_absent, partly, pattern
from scigrad.autodiff_rules.vectorize import align_batches
from scigrad.typing import Array

from .shaping import reshape, transpose
from .views import blank

_BASIC = (int, slice, type(None), type(Ellipsis), np.integer)
_MANY = 1000  # values from which on it pays to look at an index before using it


def is_basic(parts: tuple[Any, ...]) -> bool:
    """Return whether an index consists of integers, slices, new axes and ellipsis only."""
    return _are_basic(tuple(map(type, parts)))


@functools.cache
def _are_basic(kinds: tuple[type, ...]) -> bool:
    return all(issubclass(kind, _BASIC) and kind is not bool for kind in kinds)


class Layout(NamedTuple):
    """Index x as two steps: x[basic], then integer arrays, broadcast against each other, at `axes`
    of that.
    """

    basic: tuple[Any, ...]
    axes: tuple[int, ...]
    arrays: tuple[Any, ...]
    # NumPy puts the axes of the arrays first if they do not stand side by side, otherwise in their
    # place
    first: bool

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(*(shape_of(a) for a in self.arrays))

    @property
    def start(self) -> int:
        """First axis of the arrays in the result."""
        return 0 if self.first else self.axes[0]

    def order(self, rank: int) -> tuple[int, ...]:
        """Return the axes of x[basic], with those that arrays index in front."""
        return (*self.axes, *(a for a in range(rank) if a not in self.axes))


def layout(parts: tuple[Any, ...], shape: tuple[int, ...]) -> Layout:
    """Return the layout of an index that has at least one array."""
    parts = tuple(np.asarray(p) if isinstance(p, (list, tuple)) else p for p in parts)
    basic: list[Any] = []
    axes: list[int] = []
    arrays: list[Any] = []
    runs, in_run, axis = 0, False, 0  # axis: of x, which the next part uses
    for p in parts:
        if p is Ellipsis:
            count = len(shape) - sum(_axes_used(q) for q in parts)
            basic.extend([slice(None)] * count)
            axis += count
        elif p is None or isinstance(p, slice):
            basic.append(p)
            axis += p is not None
        else:
            found = _integers(p, shape[axis : axis + _axes_used(p)])
            axis += _axes_used(p)
            axes.extend(range(len(basic), len(basic) + len(found)))
            basic.extend([slice(None) if _axes_used(p) else None] * len(found))
            arrays.extend(found)
        is_array = not (p is Ellipsis or p is None or isinstance(p, slice))
        runs += is_array and not in_run
        in_run = is_array
    return Layout(tuple(basic), tuple(axes), tuple(arrays), runs > 1)


def _axes_used(p: Any) -> int:
    if p is None or p is Ellipsis:
        return 0
    return len(shape_of(p)) if is_mask(p) else 1


def is_mask(p: Any) -> bool:
    return isinstance(p, (bool, np.bool)) or getattr(p, "dtype", None) == np.bool


def _integers(p: Any, own: tuple[int, ...]) -> list[Any]:
    """Return the integer arrays that a part of an index stands for: one, or one for each axis of a
    mask.
    """
    if not is_mask(p):
        return [p]
    if isinstance(p, Traced):
        raise TracedValueError(
            "x[mask] with a mask under vmap or jit selects a number of elements that depends on "
            "their values. Use scigrad.numpy.where(mask, x, other), or x[mask] = number."
        )
    if not shape_of(p):
        return [np.arange(int(p))]  # True: a new axis of length 1; False: one of length 0
    if shape_of(p) != own:
        raise IndexError(
            f"boolean index of shape {shape_of(p)} does not match the indexed axes, which have "
            f"shape {own}"
        )
    return list(np.nonzero(p))


def leading_axes(parts: tuple[Any, ...], shape: tuple[int, ...]) -> int:
    """Return the number of axes of index arrays in front of all others in x[parts], so also in
    front of a batch axis of x.
    """
    if is_basic(parts):
        return 0
    own = layout(parts, shape)
    return len(own.shape) if own.first else 0


def indexed_shape(shape: tuple[int, ...], parts: tuple[Any, ...]) -> tuple[int, ...]:
    """Return the shape of x[parts] for x of a shape."""
    if is_basic(parts):
        return blank(shape)[parts].shape
    own = layout(parts, shape)
    rest = [n for a, n in enumerate(blank(shape)[own.basic].shape) if a not in own.axes]
    return (*rest[: own.start], *own.shape, *rest[own.start :])


# -- positions


def merged_axes(y: Any, own: Layout) -> tuple[Any, Any]:
    """Return y with the axes that arrays index merged into axis 0, and the positions along it."""
    order = own.order(len(shape_of(y)))
    shape = tuple(shape_of(y)[a] for a in order)
    count = len(own.axes)
    y = reshape(transpose(y, order), (math.prod(shape[:count]), *shape[count:]))
    return y, positions(*own.arrays, shape=shape[:count])


def unmerged_axes(merged: Any, own: Layout, shape: tuple[int, ...]) -> Any:
    """Return the array of a shape from the result of `merged_axes`."""
    order = own.order(len(shape))
    y = reshape(merged, tuple(shape[a] for a in order))
    return transpose(y, sorted(range(len(order)), key=order.__getitem__))


@constant
def positions(*indices, shape, mode="raise"):
    """Return positions in an array of a shape, flattened, from one integer array for each axis."""
    flat: Any = 0
    for axis, (index, n) in enumerate(zip(indices, shape, strict=True)):
        flat = flat * n + _wrapped(index, n, mode, axis)
    return flat


def _wrapped(index: Any, n: int, mode: str, axis: int) -> Any:
    """Return integers from 0 to n - 1. On a device they wrap, because a check of their range would
    synchronize.
    """
    kind = getattr(
        index, "dtype", np.result_type(index) if isinstance(index, float) else np.dtype(int)
    )
    if kind.kind not in "iu":
        raise IndexError(f"indices must be integers or booleans, not of dtype {kind}")
    if mode == "clip":
        return np.clip(index, 0, max(n - 1, 0))
    if mode == "raise" and isinstance(index, (int, np.integer, np.ndarray)):
        wrong = np.asarray(index)[(np.asarray(index) < -n) | (np.asarray(index) >= n)]
        if wrong.size:
            raise IndexError(
                f"index {wrong.flat[0]} is out of bounds for axis {axis} with size {n}"
            )
    return index % max(n, 1)


@positions.batched
def _(call, batched):
    return positions(
        *align_batches(call.indices, batched.indices), shape=call.shape, mode=call.mode
    )


# -- the adjoint of reading


def accumulate_at(x: Any, places: Any) -> Any:
    """Return the zero of the space of x with values added at places, pairs of an index and
    values.
    """
    out = backends.namespace(x.library).zeros(x.shape, x.dtype)
    for index, values in places:
        _accumulate(out, index, values)
    return out


def _accumulate(out: Array, index: Any, values: Any) -> None:
    """Add values at an index of out, each repetition counted, on the device of `out`."""
    if is_basic(index if type(index) is tuple else (index,)):
        out[index] += values
        return
    if type(out) is not np.ndarray:
        add_at = namespace_of(out).add.at
        parts = (
            [(out.real, values.real), (out.imag, values.imag)]
            if out.dtype.kind == "c"
            else [(out, values)]
        )
        for part, own in parts:  # CuPy adds no complex numbers
            add_at(part, index, own)
        return
    if out.ndim == 1 or np.size(values) < _MANY:
        np.add.at(out, index, values)
        return
    # numpy.add.at is slow with slices or several index arrays: assignment is four times faster
    # where no index repeats itself, and one index array into the flattened `out` three times
    # (measured on 10^5 and 10^6 elements).
    own = layout(index if type(index) is tuple else (index,), out.shape)
    indexed = indexed_shape(out.shape, own.basic)
    indexed = tuple(indexed[a] for a in own.axes)
    flat = positions(*own.arrays, shape=indexed)
    if _distinct(flat, math.prod(indexed)):
        out[index] += values
    elif (
        math.prod(indexed) == out.size
        and len(own.axes) == len(own.basic) == out.ndim
        and out.flags.c_contiguous
    ):
        np.add.at(out.reshape(-1), flat, values)
    else:
        np.add.at(out, index, values)


def _distinct(flat: Any, count: int) -> bool:
    """Return whether no position is repeated; by a table of all positions only if that is not much
    longer than the list.
    """
    if flat.size < count / 16:
        return len(np.unique(flat)) == flat.size
    return flat.size <= count and (
        flat.size == 0 or int(np.bincount(flat.reshape(-1), minlength=1).max()) == 1
    )


class Selection(Linear):
    """Function that takes elements of its first argument, at places that the others give.

    The cotangents of all such calls on one array wait in a list, and are added into one array of
    zeros when they are complete. Otherwise a loop over x[i] would make, and add, an array of the
    size of x for each i.
    """

    drops = True

    def __init__(self, kernel: Any) -> None:
        super().__init__(kernel, kernel.__code__.co_varnames[:1])

    def index(self, call: Any) -> Any:
        return call.index

    def record(self, values: Any, out: Array, saved: Any, parents: Any) -> Any:
        # elements have the dtype of the array
        return self.call((space(values[0]), *values[1:]), None, None)

    def push(self, call: Any, tangents: Any) -> Any:
        if type(tangents[0]) is Masked:
            return self.pushed(call, tangents)
        return self.evaluate((tangents[0], *call[1:-2]))[0]

    def pull(self, kept: Any, parents: Any, g: Any) -> Any:
        if isinstance(g.value if type(g) is Masked else g, Traced) or isinstance(kept[1], Traced):
            return super().pull(kept, parents, g)
        # serial numbers fall: the sum is computed behind all calls on the array, and before its own
        node = parents[0][1]
        return [
            ((node[0] - 0.5, _Places, kept[0], ((0, node),)), _Places(((self.index(kept), g),)))
        ]


class _Places(list[Any]):
    """Cotangents of elements of an array, each with its index. Sums are computed in place, see
    `graph.pull`.
    """

    def __add__(self, other: Any) -> Any:
        self.extend(other)
        return self

    @staticmethod
    def pull(x: Any, parents: Any, places: Any) -> list[tuple[Any, Any]]:
        own = [g.presence for _, g in places if type(g) is Masked]
        found = accumulate_at(
            x, [(index, fill_absent(g)) for index, g in places] if own else places
        )
        if needs_masks(parents):
            found = partly(
                found,
                lambda: accumulate_at(x, [(index, pattern(g)) for index, g in places]) != 0,
                *own,
            )
        return [(parents[0][1], found)]
