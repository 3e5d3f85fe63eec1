"""Elements along an axis reversed, shifted, repeated, inserted and deleted."""

import sys
from types import FrameType
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, TracedValueError, linear, shape_of
from scigrad.typing import Array, ArrayLike, Axes

from .composition import numpy_composition
from .devices import bring_home, on_host
from .indexing import getitem
from .joining import assemble, concatenate
from .shaping import axis_or_all, broadcast_to, moveaxis, ravel, reshape, transpose
from .taking import take
from .views import blank, mark_view, own_result

__all__ = [
    "delete",
    "flip",
    "fliplr",
    "flipud",
    "insert",
    "repeat",
    "resize",
    "roll",
    "rot90",
    "tile",
    "trim_zeros",
]


def _normalized_axes(axis: Any, rank: int) -> tuple[int, ...]:
    if axis is None:
        return tuple(range(rank))
    return np.lib.array_utils.normalize_axis_tuple(axis, rank)


# -- reversed


@numpy_composition(np.flip, linear=True)
def flip(m: ArrayLike, axis: Axes | None = None) -> Array:
    """Reverse the order of the elements along axes (None: all), see `numpy.flip`."""
    axes = _normalized_axes(axis, m.ndim)
    return getitem(
        m, tuple(slice(None, None, -1) if n in axes else slice(None) for n in range(m.ndim))
    )


@numpy_composition(np.fliplr, linear=True)
def fliplr(m: ArrayLike) -> Array:
    """Reverse the order of the columns, see `numpy.fliplr`."""
    np.fliplr(blank(m.shape))  # raises NumPy's error
    return flip(m, 1)


@numpy_composition(np.flipud, linear=True)
def flipud(m: ArrayLike) -> Array:
    """Reverse the order of the rows, see `numpy.flipud`."""
    np.flipud(blank(m.shape))
    return flip(m, 0)


@numpy_composition(np.rot90, linear=True)
def rot90(m: ArrayLike, k: int = 1, axes: Axes | None = (0, 1)) -> Array:
    """Rotate an array by 90 degrees in the plane of two axes, see `numpy.rot90`."""
    np.rot90(blank(m.shape), k, axes)
    first, second = _normalized_axes(tuple(axes), m.ndim)
    k %= 4
    if k in (0, 2):
        return getitem(m, Ellipsis) if k == 0 else flip(m, (first, second))
    order = list(range(m.ndim))
    order[first], order[second] = second, first
    return transpose(flip(m, second), order) if k == 1 else flip(transpose(m, order), second)


# -- shifted


@numpy_composition(np.roll, linear=True)
def roll(a: ArrayLike, shift: Axes, axis: Axes | None = None) -> Array:
    """Shift elements cyclically along axes (None: of the flattened array), see `numpy.roll`.

    Under vmap the shift along one axis may differ between the elements of the batch.
    """
    if axis is None:
        return own_result(reshape(roll(ravel(a), shift, 0), shape_of(a)))
    if isinstance(shift, Traced):
        n = shape_of(a)[axis]
        return take(a, np.remainder(np.arange(n) - shift, max(n, 1)), axis)
    return _roll(a, shift, axis)


@linear("a")
def _roll(a, shift, axis):
    return np.roll(a, shift, axis)


@_roll.adjoint
def _(call, g):
    shift = call.shift
    return _roll(
        g, tuple(-s for s in shift) if isinstance(shift, (tuple, list)) else -shift, call.axis
    )


_roll.batch_axis("a")


# -- repeated


@numpy_composition(np.tile, linear=True)
def tile(A: ArrayLike, reps: Axes) -> Array:
    """Repeat an array side by side with itself, see `numpy.tile`."""
    reps = tuple(int(r) for r in np.atleast_1d(reps))
    rank = max(A.ndim, len(reps))
    shape = (*(1,) * (rank - A.ndim), *A.shape)
    reps = (*(1,) * (rank - len(reps)), *reps)
    pairs = tuple(n for pair in zip((1,) * rank, shape, strict=True) for n in pair)
    full = tuple(n for pair in zip(reps, shape, strict=True) for n in pair)
    out = broadcast_to(reshape(A, pairs), full)
    return own_result(reshape(out, tuple(r * n for r, n in zip(reps, shape, strict=True))))


@numpy_composition(np.repeat, linear=True)
def repeat(a: ArrayLike, repeats: ArrayLike, axis: Axes | None = None) -> Array:
    """Repeat each element, see `numpy.repeat`."""
    if axis_or_all(axis, a) is None:
        a, axis = ravel(a), 0
    (axis,) = _normalized_axes(axis, a.ndim)
    if np.size(repeats) != 1:
        return take(a, np.repeat(np.arange(a.shape[axis]), repeats), axis)
    count = int(np.ravel(repeats)[0])
    if count < 0:
        raise ValueError("repeats may not contain negative values.")
    before, n, after = a.shape[:axis], a.shape[axis], a.shape[axis + 1 :]
    out = broadcast_to(reshape(a, (*before, n, 1, *after)), (*before, n, count, *after))
    return own_result(reshape(out, (*before, n * count, *after)))


@numpy_composition(np.resize, linear=True)
def resize(a: ArrayLike, new_shape: ArrayLike) -> Array:
    """Return the elements, over and over, in another shape, see `numpy.resize`."""
    flat = ravel(assemble(a))
    if flat.size == 0:
        return np.zeros(new_shape, flat.dtype)
    return take(flat, np.resize(np.arange(flat.size), new_shape))


@numpy_composition(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(
    x: ArrayLike,
    window_shape: ArrayLike,
    axis: Axes | None = None,
    *,
    subok: bool = False,
    writeable: bool = False,
) -> Array:
    """Return all windows of a shape, as new last axes, see
    `numpy.lib.stride_tricks.sliding_window_view`.
    """
    lengths = tuple(int(n) for n in np.atleast_1d(window_shape))
    axes = _normalized_axes(axis, x.ndim)
    sliding, out = np.lib.stride_tricks.sliding_window_view, x
    sliding(blank(x.shape), window_shape, axis)  # raises NumPy's errors
    for n, length in zip(axes, lengths, strict=True):
        out = moveaxis(take(out, sliding(np.arange(x.shape[n]), length), n), n + 1, -1)
    return mark_view(own_result(out), x, sliding_window_view, (window_shape, axis), overlaps=True)


# -- inserted and deleted


@numpy_composition(np.insert)
def insert(arr: ArrayLike, obj: ArrayLike, values: ArrayLike, axis: Axes | None = None) -> Array:
    """Insert values before positions along an axis (None: of the flattened array), see
    `numpy.insert`.
    """
    (arr, values), obj = bring_home([assemble(arr), assemble(values)], (arr, values)), on_host(obj)
    if axis is None:
        arr, axis = ravel(arr), 0
    (axis,) = _normalized_axes(axis, arr.ndim)
    values = reshape(values, (*(1,) * (arr.ndim - values.ndim), *values.shape)).astype(arr.dtype)
    places = np.arange(arr.shape[axis])[obj] if isinstance(obj, slice) else np.asarray(obj)
    places = np.flatnonzero(places) if places.dtype == bool else places
    values = values if places.ndim else moveaxis(values, 0, axis)
    count = values.shape[axis] if places.size == 1 else places.size
    shape = (*arr.shape[:axis], count, *arr.shape[axis + 1 :])
    n = arr.shape[axis]
    source = np.insert(np.arange(n), obj, np.arange(n, n + count))
    return take(concatenate([arr, broadcast_to(values, shape)], axis), source, axis)


@numpy_composition(np.delete, linear=True)
def delete(arr: ArrayLike, obj: ArrayLike, axis: Axes | None = None) -> Array:
    """Return an array without the elements at positions along an axis (None: of the flattened
    array), see `numpy.delete`.
    """
    if axis is None:
        arr, axis = ravel(arr), 0
    (axis,) = _normalized_axes(axis, arr.ndim)
    return take(arr, np.delete(np.arange(arr.shape[axis]), on_host(obj)), axis)


def _of_polynomial(frame: FrameType | None) -> bool:
    """Return whether the caller is a polynomial, which keeps a leading coefficient that is 0
    now.
    """
    names = ("numpy.lib._polynomial_impl", "scigrad.numpy.polynomials")
    return frame is not None and (
        frame.f_globals.get("__name__") in names or _of_polynomial(frame.f_back)
    )


@numpy_composition(np.trim_zeros)
def trim_zeros(filt: ArrayLike, trim: str = "fb", axis: Axes | None = None) -> Array:
    """Return an array without leading ("f") and trailing ("b") zeros, see `numpy.trim_zeros`; its
    current values decide.
    """
    if set(trim.lower()) - {"f", "b"}:
        raise ValueError(f"unexpected character(s) in `trim`: {trim!r}")
    places = [on_host(place) for place in np.nonzero(filt)]
    index = [slice(None)] * filt.ndim
    for n in _normalized_axes(axis, filt.ndim):
        some = places[n].size > 0
        start = int(places[n].min()) if some else filt.shape[n]
        stop = int(places[n].max()) + 1 if some else filt.shape[n]
        if start and isinstance(filt, Traced) and _of_polynomial(sys._getframe(1)):  # pyright: ignore[reportPrivateUsage]
            raise TracedValueError(
                "a leading coefficient of a traced polynomial is 0: numpy.poly1d and polymul drop "
                "it because of its value, and its derivative would be lost. scigrad.numpy.polyval "
                "and convolve keep it."
            )
        index[n] = slice(
            start if "f" in trim.lower() else None, stop if "b" in trim.lower() else None
        )
    return getitem(filt, tuple(index))
