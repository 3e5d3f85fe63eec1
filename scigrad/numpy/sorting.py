"""Sorting, searching and sets: positions are constant, values are gathered by them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant
from scigrad.autodiff_rules.spaces import count_axis_from_end
from scigrad.typing import Array, ArrayLike, Axes, Out

from .composition import intercepts, numpy_composition
from .conversion import astype
from .devices import on_host
from .indexing import getitem, take_along_axis
from .joining import assemble
from .shaping import axis_or_all, broadcast_to, moveaxis, ravel, reshape
from .taking import take
from .ties import infinitesimal, order_of, sort_with_ties

__all__ = [
    "argmax", "argmin", "argpartition", "argsort", "argwhere", "compress", "digitize", "extract",
    "flatnonzero", "isin", "lexsort", "nanargmax", "nanargmin", "nonzero", "partition",
    "searchsorted", "sort", "sort_complex", "unique", "unique_all", "unique_counts",
    "unique_inverse", "unique_values",
]  # fmt: skip


# -- order


def _flat(a: Any, axis: Any) -> tuple[Any, int]:
    return (ravel(a), 0) if axis is None else (a, axis)


@numpy_composition(np.argsort, constant=True)
def argsort(
    a: ArrayLike,
    axis: Axes | None = -1,
    kind: str | None = None,
    order: str | None = None,
    *,
    stable: bool | None = None,
) -> Array:
    """Return the positions that sort an array, see `numpy.argsort`."""
    _unstructured("argsort", order)
    a, axis = _flat(a, axis_or_all(axis, a))
    return _argsort(a, axis, _algorithm(kind, stable))


@constant
def _argsort(a, axis, kind):
    return np.argsort(a, axis=axis, kind=kind)


_argsort.batch_axis("a")


@numpy_composition(np.sort)
def sort(
    a: ArrayLike,
    axis: Axes | None = -1,
    kind: str | None = None,
    order: str | None = None,
    *,
    stable: bool | None = None,
) -> Array:
    """Return a copy sorted along an axis (None: of the flattened array), see `numpy.sort`."""
    _unstructured("sort", order)
    a, axis = _flat(a, axis)
    if infinitesimal(a) is not None:
        return _told_apart(a, axis, "sort")
    return take_along_axis(a, _argsort(a, axis, _algorithm(kind, stable)), axis)


def _told_apart(a: Any, axis: int, name: str) -> Any:
    a = moveaxis(a, axis, -1)
    return moveaxis(sort_with_ties(take_along_axis(a, order_of(a), -1), name), -1, axis)


def _algorithm(kind: Any, stable: Any) -> Any:
    return "stable" if stable or kind in ("stable", "mergesort") else None  # CuPy knows these two


def _unstructured(name: str, order: Any) -> None:
    if order is not None:
        raise ValueError(
            f"{name}: order= is for structured arrays; traced arrays are not structured"
        )


@numpy_composition(np.argpartition, constant=True)
def argpartition(
    a: ArrayLike,
    kth: Axes,
    axis: Axes | None = -1,
    kind: str | None = "introselect",
    order: str | None = None,
) -> Array:
    """Return the positions that partition an array, see `numpy.argpartition`."""
    a, axis = _flat(a, axis_or_all(axis, a))
    return _argpartition(a, kth, axis)


@constant
def _argpartition(a, kth, axis):
    return np.argpartition(a, kth, axis=axis)


_argpartition.batch_axis("a")


@numpy_composition(np.partition)
def partition(
    a: ArrayLike,
    kth: Axes,
    axis: Axes | None = -1,
    kind: str | None = "introselect",
    order: str | None = None,
) -> Array:
    """Return a partitioned copy: the kth element is where sorting would put it, see
    `numpy.partition`.
    """
    a, axis = _flat(a, axis)
    if infinitesimal(a) is not None:
        return _told_apart(a, axis, "partition")
    return take_along_axis(a, _argpartition(a, kth, axis), axis)


@numpy_composition(np.sort_complex)
def sort_complex(a: ArrayLike) -> Array:
    """Sort by real part, then by imaginary part, and return complex numbers."""
    a = sort(a)
    return a if a.dtype.kind == "c" else astype(a, np.sort_complex(np.zeros(0, a.dtype)).dtype)


@numpy_composition(np.lexsort, constant=True)
def lexsort(keys: ArrayLike, axis: Axes | None = -1) -> Any:
    """Return the positions that sort by several keys, the last one first, see `numpy.lexsort`."""
    order = None
    axis = count_axis_from_end(axis, keys.ndim - 1)
    for i in range(keys.shape[0]):  # stable sorts, from the least important key on
        key = getitem(keys, i)
        step = _argsort(key if order is None else take_along_axis(key, order, axis), axis, "stable")
        order = step if order is None else take_along_axis(order, step, axis)
    return order


# -- extreme positions


def _position(original: Any) -> Any:
    @numpy_composition(original, constant=True)
    def function(a, axis=None, out=None, *, keepdims=False):
        axis = axis_or_all(axis, a)
        found = position(*_flat(a, axis), keepdims)
        return reshape(found, (1,) * a.ndim) if axis is None and keepdims else found

    @constant
    def position(a, axis, keepdims):
        return original(a, axis=axis, keepdims=keepdims)

    position.batch_axis("a")
    function.__name__ = function.__qualname__ = original.__name__
    function.__doc__ = (
        "Return the position of the extreme along an axis (None: in the flattened array), see "
        f"`numpy.{original.__name__}`."
    )
    return function


argmax: Callable[..., Array]
argmin: Callable[..., Array]
nanargmax: Callable[..., Array]
nanargmin: Callable[..., Array]
argmax, argmin, nanargmax, nanargmin = (
    _position(f) for f in (np.argmax, np.argmin, np.nanargmax, np.nanargmin)
)


@numpy_composition(np.searchsorted, constant=True)
def searchsorted(
    a: ArrayLike, v: ArrayLike, side: str = "left", sorter: ArrayLike | None = None
) -> Array:
    """Return the positions at which values would be inserted into a sorted array, see
    `numpy.searchsorted`.
    """
    return _searchsorted(a if sorter is None else take(a, sorter), assemble(v), side)


@constant
def _searchsorted(a, v, side):
    return np.searchsorted(a, v, side=side)


@_searchsorted.batched
def _(call, batched):
    if not batched.a:
        return _searchsorted(call.a, call.v, call.side)
    # positions are counts: of the elements below v, and of those equal to v if they go to the left
    # of it
    v = call.v if batched.v else broadcast_to(call.v, (call.a.shape[0], *call.v.shape))
    a = reshape(call.a, (call.a.shape[0], *(1,) * (v.ndim - 1), call.a.shape[1]))
    v = reshape(v, (*v.shape, 1))
    return np.sum((a < v) if call.side == "left" else (a <= v), axis=-1)


@numpy_composition(np.digitize, constant=True)
def digitize(x: ArrayLike, bins: ArrayLike, right: bool = False) -> Array:
    """Return the bin of each value, see `numpy.digitize`."""
    bins = assemble(bins)
    steps = np.diff(bins)
    rising, falling = (bool(on_host(np.all(s))) for s in (steps >= 0, steps <= 0))
    if not (rising or falling):
        raise ValueError("bins must be monotonically increasing or decreasing")
    side = "left" if right else "right"
    if rising:
        return searchsorted(bins, x, side)
    return bins.shape[0] - searchsorted(getitem(bins, slice(None, None, -1)), x, side)


# -- what has a size that depends on the data


@constant(data_dependent_shape=True)
def _nonzero(a):
    return np.nonzero(a)


@numpy_composition(np.nonzero, constant=True)
def nonzero(a: ArrayLike) -> tuple[Array, ...]:
    """Return the indices of the elements that are not zero, an array for each axis."""
    return _nonzero(a)


@numpy_composition(np.flatnonzero, constant=True)
def flatnonzero(a: ArrayLike) -> Array:
    """Return the positions of the elements that are not zero in the flattened array."""
    return nonzero(ravel(assemble(a)))[0]


@numpy_composition(np.argwhere, constant=True)
def argwhere(a: ArrayLike) -> Array:
    """Return the indices of the elements that are not zero, a row for each."""
    return np.stack(nonzero(a), axis=-1) if a.ndim else np.zeros((int(a != 0), 0), int)


@numpy_composition(np.compress)
def compress(
    condition: ArrayLike, a: ArrayLike, axis: Axes | None = None, out: Out | None = None
) -> Array:
    """Return the slices along an axis (None: elements of the flattened array) for which a condition
    holds, see `numpy.compress`.
    """
    a, axis = _flat(a, axis_or_all(axis, a))
    return take(a, nonzero(assemble(condition))[0], axis=axis)


@numpy_composition(np.extract)
def extract(condition: ArrayLike, arr: ArrayLike) -> Array:
    """Return the elements of an array for which a condition holds, in one axis, see
    `numpy.extract`.
    """
    return compress(ravel(assemble(condition)), arr)


@constant(data_dependent_shape=True)
def _unique(a, axis, equal_nan):
    return np.unique(
        a,
        return_index=True,
        return_inverse=True,
        return_counts=True,
        axis=axis,
        equal_nan=equal_nan,
    )[1:]


@numpy_composition(np.unique)
def unique(
    ar: ArrayLike,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: Axes | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
) -> Any:
    """Return the sorted different elements, see `numpy.unique`. Their derivative is that of the
    first occurrence of each.
    """
    a, along = _flat(ar, axis)
    index, inverse, counts = _unique(ar, axis, equal_nan)
    values = take(a, index, axis=along)
    extra = [
        x
        for x, wanted in ((index, return_index), (inverse, return_inverse), (counts, return_counts))
        if wanted
    ]
    return (values, *extra) if extra else values


@numpy_composition(np.unique_all)
def unique_all(x: ArrayLike) -> tuple[Array, ...]:
    """Return the different elements, their first positions, the inverse and the counts, see
    `numpy.unique_all`.
    """
    return type(np.unique_all(np.zeros(0)))(*unique(x, True, True, True, equal_nan=False))


@numpy_composition(np.unique_counts)
def unique_counts(x: ArrayLike) -> tuple[Array, ...]:
    """Return the different elements and their counts, see `numpy.unique_counts`."""
    return type(np.unique_counts(np.zeros(0)))(*unique(x, return_counts=True, equal_nan=False))


@numpy_composition(np.unique_inverse)
def unique_inverse(x: ArrayLike) -> tuple[Array, ...]:
    """Return the different elements and the positions that rebuild the array, see
    `numpy.unique_inverse`.
    """
    return type(np.unique_inverse(np.zeros(0)))(*unique(x, return_inverse=True, equal_nan=False))


@intercepts(np.unique_values)
def unique_values(x: ArrayLike) -> Array:
    """Return the different elements, in ascending order (NumPy leaves the order open), see
    `numpy.unique_values`.
    """
    return unique(x, equal_nan=False)


@numpy_composition(np.isin, constant=True)
def isin(
    element: ArrayLike,
    test_elements: ArrayLike,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
) -> Array:
    """Return whether each element is among the test elements, see `numpy.isin`."""
    element = assemble(element)
    found = np.any(reshape(element, (*element.shape, 1)) == ravel(assemble(test_elements)), axis=-1)
    return ~found if invert else found
