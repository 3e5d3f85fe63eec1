"""Arrays joined along an axis and split again: concatenate, stack, block, split and their
relatives.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from scigrad.autodiff_rules import ZERO, Traced, linear, namespace_of, raw, shape_of
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.autodiff_rules.trace import as_scalar, is_labelled, take_off_labels
from scigrad.typing import Array, ArrayLike, Axes, DTypeLike, Out

from .composition import numpy_composition
from .conversion import astype, copy
from .devices import bring_home
from .indexing import getitem
from .shaping import broadcast_to, moveaxis, ravel, reshape, transpose
from .views import blank, own_result

__all__ = [
    "append", "array_split", "atleast_1d", "atleast_2d", "atleast_3d", "block", "c_",
    "column_stack", "concat", "concatenate", "dsplit", "dstack", "hsplit", "hstack", "meshgrid",
    "r_", "split", "stack", "unstack", "vsplit", "vstack",
]  # fmt: skip


def assemble(value: Any) -> Any:
    """Return an array of nested lists of numbers, arrays and traced values, as NumPy reads them; a
    number as NumPy's scalar.

    Arrays with labels and buffers become arrays as lists do; arrays of any library and traced ones
    are handed back.
    """
    if type(value) is np.ndarray:
        return value if value.ndim else value[()]
    if isinstance(value, (list, tuple)):
        return (
            stack(value)
            if holds_traced(value) or namespace_of(*value) is not np
            else np.asarray(value)
        )
    if isinstance(value, Traced):
        if value is ZERO or type(value._value) is np.ndarray:
            return value
        return astype(value, value.dtype) if type(raw(value)) in (float, complex) else value
    if is_labelled(type(value)):
        return assemble(take_off_labels(value))
    return as_scalar(value if hasattr(value, "dtype") else np.asarray(value))


def _cast(arrays: list[Any], dtype: Any, casting: str) -> list[Any]:
    if dtype is None:
        return arrays
    for a in arrays:
        if not np.can_cast(a.dtype, dtype, casting):
            raise TypeError(
                f"Cannot cast array data from {a.dtype!r} to {np.dtype(dtype)!r} according to the "
                f"rule '{casting}'"
            )
    return [a.astype(dtype) for a in arrays]


# -- concatenate


@numpy_composition(np.concatenate)
def concatenate(
    arrays: Sequence[ArrayLike],
    /,
    axis: Axes | None = 0,
    out: Out | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Array:
    """Join arrays along an axis that they have (None: flattened first), see `numpy.concatenate`."""
    items = _cast(bring_home([assemble(a) for a in arrays], arrays), dtype, casting)
    if axis is None:
        items, axis = [ravel(a) for a in items], 0
    return _concatenate(*items, axis=normalize_axis_index(axis, max(1, len(shape_of(items[0])))))


concat: Callable[..., Array] = concatenate


@linear("arrays")
def _concatenate(*arrays, axis):
    return np.concatenate(arrays, axis)


@_concatenate.adjoint
def _(call, g):
    before, cuts = (
        (slice(None),) * call.axis,
        accumulate((a.shape[call.axis] for a in call.arrays), initial=0),
    )
    return {"arrays": [getitem(g, (*before, slice(*cut))) for cut in pairwise(cuts)]}


@_concatenate.batched
def _(call, batched):
    return _concatenate(*_all_batched(call.arrays, batched.arrays), axis=call.axis + 1)


def _all_batched(arrays: Any, batched: Any) -> list[Any]:
    size = next(a.shape[0] for a, own in zip(arrays, batched, strict=True) if own)
    return [
        a if own else broadcast_to(a, (size, *shape_of(a)))
        for a, own in zip(arrays, batched, strict=True)
    ]


# -- stack


@numpy_composition(np.stack)
def stack(
    arrays: Sequence[ArrayLike],
    axis: Axes | None = 0,
    out: Out | None = None,
    *,
    dtype: DTypeLike | None = None,
    casting: str = "same_kind",
) -> Array:
    """Join arrays of one shape along a new axis, see `numpy.stack`."""
    items = _cast(bring_home([assemble(a) for a in arrays], arrays), dtype, casting)
    return _stack(*items, axis=normalize_axis_index(axis, len(shape_of(items[0])) + 1))


@linear("arrays")
def _stack(*arrays, axis):
    return np.stack(arrays, axis)


@_stack.adjoint
def _(call, g):
    g = moveaxis(g, call.axis, 0)
    return {"arrays": [getitem(g, i) for i in range(len(call.arrays))]}


@_stack.batched
def _(call, batched):
    return _stack(*_all_batched(call.arrays, batched.arrays), axis=call.axis + 1)


# -- joined along the first, second, third axis


def _each(function: Any, arrays: Any) -> Any:
    found = tuple(function(assemble(a)) for a in arrays)
    return found[0] if len(found) == 1 else found


@numpy_composition(np.atleast_1d)
def atleast_1d(*arys: ArrayLike) -> Any:
    """Return the arrays with at least one axis, see `numpy.atleast_1d`."""
    return _each(lambda a: a if a.ndim else reshape(a, 1), arys)


@numpy_composition(np.atleast_2d)
def atleast_2d(*arys: ArrayLike) -> Any:
    """Return the arrays with at least two axes, new ones in front, see `numpy.atleast_2d`."""
    return _each(lambda a: a if a.ndim > 1 else reshape(a, (1, a.size)), arys)


@numpy_composition(np.atleast_3d)
def atleast_3d(*arys: ArrayLike) -> Any:
    """Return the arrays with at least three axes, see `numpy.atleast_3d`."""
    return _each(lambda a: reshape(a, np.atleast_3d(blank(a.shape)).shape), arys)


@numpy_composition(np.vstack)
def vstack(
    tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: str = "same_kind"
) -> Array:
    """Join arrays below each other, see `numpy.vstack`."""
    return concatenate([atleast_2d(a) for a in tup], 0, dtype=dtype, casting=casting)


@numpy_composition(np.hstack)
def hstack(
    tup: Sequence[ArrayLike], *, dtype: DTypeLike | None = None, casting: str = "same_kind"
) -> Array:
    """Join arrays beside each other, see `numpy.hstack`."""
    arrays = [atleast_1d(a) for a in tup]
    return concatenate(arrays, 0 if arrays[0].ndim == 1 else 1, dtype=dtype, casting=casting)


@numpy_composition(np.dstack)
def dstack(tup: Sequence[ArrayLike]) -> Array:
    """Join arrays behind each other, see `numpy.dstack`."""
    return concatenate([atleast_3d(a) for a in tup], 2)


@numpy_composition(np.column_stack)
def column_stack(tup: Sequence[ArrayLike]) -> Array:
    """Join vectors and matrices beside each other, as columns, see `numpy.column_stack`."""
    arrays = [assemble(a) for a in tup]
    return concatenate([reshape(a, (-1, 1)) if a.ndim < 2 else a for a in arrays], 1)


@numpy_composition(np.append)
def append(arr: ArrayLike, values: ArrayLike, axis: Axes | None = None) -> Array:
    """Append values to the end of an array (axis None: both flattened), see `numpy.append`."""
    return concatenate((arr, values), axis)


@numpy_composition(np.block)
def block(arrays: Sequence[ArrayLike]) -> Array:
    """Return the block matrix of nested lists of blocks, see `numpy.block`."""
    depth = _depth(arrays)
    leaves = _leaves(arrays)
    found = map(atleast_1d, bring_home([assemble(a) for a in leaves], leaves))
    out = _block(
        _with_leaves(arrays, found), depth, max(depth, *(len(shape_of(a)) for a in leaves))
    )
    return out if depth else copy(out)


def _depth(arrays: Any) -> int:
    if isinstance(arrays, tuple):
        raise TypeError(
            "block: nest lists; a tuple is not accepted, because it could be meant as an array"
        )
    if not isinstance(arrays, list):
        return 0
    depths = {_depth(a) for a in arrays}
    if len(depths) != 1:
        raise ValueError(
            "block: lists must be nested to one depth, not "
            f"{f'to depths {sorted(depths)}' if depths else 'empty'}"
        )
    return 1 + depths.pop()


def _leaves(arrays: Any) -> list[Any]:
    return [leaf for a in arrays for leaf in _leaves(a)] if isinstance(arrays, list) else [arrays]


def _with_leaves(arrays: Any, leaves: Any) -> Any:
    return [_with_leaves(a, leaves) for a in arrays] if isinstance(arrays, list) else next(leaves)


def _block(arrays: Any, depth: int, rank: int) -> Any:
    if depth:
        return concatenate([_block(a, depth - 1, rank) for a in arrays], -depth)
    return (
        reshape(arrays, (*(1,) * (rank - arrays.ndim), *arrays.shape))
        if arrays.ndim < rank
        else arrays
    )


# -- split


@numpy_composition(np.array_split)
def array_split(
    ary: ArrayLike, indices_or_sections: ArrayLike, axis: Axes | None = 0
) -> list[Array]:
    """Split an array along an axis into parts of nearly one length, or between positions, see
    `numpy.array_split`.
    """
    axis = normalize_axis_index(axis, ary.ndim)
    n = ary.shape[axis]
    if np.ndim(indices_or_sections):
        cuts = [0, *(int(i) for i in indices_or_sections), n]
    else:
        sections = int(indices_or_sections)
        if sections <= 0:
            raise ValueError("number sections must be larger than 0.")
        cuts = [
            0,
            *np.cumsum([n // sections + (i < n % sections) for i in range(sections)]).tolist(),
        ]
    before = (slice(None),) * axis
    return [getitem(ary, (*before, slice(start, stop))) for start, stop in pairwise(cuts)]


@numpy_composition(np.split)
def split(ary: ArrayLike, indices_or_sections: ArrayLike, axis: Axes | None = 0) -> list[Array]:
    """Split an array along an axis into parts of one length, or between positions, see
    `numpy.split`.
    """
    if not np.ndim(indices_or_sections) and ary.shape[axis] % int(indices_or_sections):
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


@numpy_composition(np.hsplit)
def hsplit(ary: ArrayLike, indices_or_sections: ArrayLike) -> list[Array]:
    """Split an array along the second axis (a vector along its only one), see `numpy.hsplit`."""
    _need_axes("hsplit", ary, 1)
    return split(ary, indices_or_sections, 1 if ary.ndim > 1 else 0)


@numpy_composition(np.vsplit)
def vsplit(ary: ArrayLike, indices_or_sections: ArrayLike) -> list[Array]:
    """Split an array along the first axis, see `numpy.vsplit`."""
    _need_axes("vsplit", ary, 2)
    return split(ary, indices_or_sections, 0)


@numpy_composition(np.dsplit)
def dsplit(ary: ArrayLike, indices_or_sections: ArrayLike) -> list[Array]:
    """Split an array along the third axis, see `numpy.dsplit`."""
    _need_axes("dsplit", ary, 3)
    return split(ary, indices_or_sections, 2)


def _need_axes(function: str, ary: Any, count: int) -> None:
    if ary.ndim < count:
        raise ValueError(
            f"{function} only works on arrays of {count} or more dimensions, not on shape "
            f"{ary.shape}"
        )


@numpy_composition(np.unstack)
def unstack(x: ArrayLike, /, *, axis: Axes | None = 0) -> tuple[Array, ...]:
    """Return the slices along an axis, without it, see `numpy.unstack`."""
    if not x.ndim:
        raise ValueError("Input array must be at least 1-d.")
    x = moveaxis(x, axis, 0)
    return tuple(getitem(x, i) for i in range(x.shape[0]))


class _Joined:
    """Items in brackets joined along an axis, a slice as the range that NumPy makes of it."""

    def __init__(self, name: str, axis: int, item: Any) -> None:
        self._name, self._axis, self._item = name, axis, item

    def __getitem__(self, items: Any) -> Any:
        items = items if isinstance(items, tuple) else (items,)
        if not holds_traced(items):
            return getattr(namespace_of(*items), self._name)[items]
        if any(isinstance(x, str) for x in items):
            raise ValueError(
                f"{self._name} takes no directive beside traced values. Use numpy.concatenate, or "
                "numpy.stack"
            )
        return concatenate(
            [self._item(np.r_[x] if isinstance(x, slice) else assemble(x)) for x in items],
            self._axis,
        )


r_: Any = _Joined("r_", 0, atleast_1d)
c_: Any = _Joined("c_", -1, lambda x: reshape(x, (-1, 1)) if len(shape_of(x)) < 2 else x)


# -- grids


@numpy_composition(np.meshgrid)
def meshgrid(
    *xi: ArrayLike, copy: bool | None = True, sparse: bool = False, indexing: str = "xy"
) -> tuple[Array, ...]:
    """Return the coordinates of the points of a grid from its coordinates along each axis, see
    `numpy.meshgrid`.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Valid values for `indexing` are 'xy' and 'ij', not {indexing!r}.")
    rank = len(xi)
    grids = [
        reshape(assemble(x), (*(1,) * i, -1, *(1,) * (rank - 1 - i))) for i, x in enumerate(xi)
    ]
    if indexing == "xy" and rank > 1:
        grids = [transpose(x, (1, 0, *range(2, rank))) for x in grids]
    shape = np.broadcast_shapes(*(shape_of(x) for x in grids))
    grids = grids if sparse else [broadcast_to(x, shape) for x in grids]
    return tuple(own_result(x) for x in grids) if copy else tuple(grids)
