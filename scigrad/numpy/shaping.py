"""The same elements in another shape or order of axes: reshape, transpose, broadcast and what is
built from them.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, count_axis_from_end, shape_of
from scigrad.typing import Array, ArrayLike, Axes

from .composition import intercepts, numpy_composition
from .views import blank, by_layout, new_shape, permutation, view

__all__ = [
    "broadcast_arrays", "broadcast_to", "expand_dims", "matrix_transpose", "moveaxis",
    "permute_dims", "ravel", "reshape", "rollaxis", "squeeze", "swapaxes", "transpose",
]  # fmt: skip


def axis_or_all(axis: Any, x: Any) -> Any:
    """Return an axis of x; None for the axis 0 that NumPy's reductions and searches allow for an
    array without axes.
    """
    if axis is None or x.ndim:
        return axis
    return None if isinstance(axis, (int, np.integer)) and axis in (0, -1) else axis


# -- reshape


@numpy_composition(np.reshape, linear=True)
def reshape(a: ArrayLike, shape: Axes, order: str = "C", *, copy: bool | None = None) -> Array:
    """Return the elements of an array in another shape, see `numpy.reshape`.

    A traced array has no memory layout, so `order` must be "C" or "F" there.
    """
    lengths: Any = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    if order not in ("C", "F"):
        raise ValueError(
            f"reshape: order={order!r} depends on the memory layout, and a traced array has none. "
            'Use "C" or "F".'
        )
    # settled here, because an empty batch has no elements from which NumPy could infer it
    if -1 in lengths:
        lengths = new_shape(np.reshape, a.shape, lengths)
    return _reshape(a.copy() if copy else a, lengths, order)


@view("a")
def _reshape(a, shape, order):
    return a.reshape(shape, order=order) if type(a) is np.ndarray else np.reshape(a, shape, order)


by_layout.add(_reshape)


@_reshape.adjoint
def _(call, g):
    return reshape(g, call.a.shape, call.order)


@_reshape.batched
def _(call, batched):
    size, *own = call.a.shape
    np.reshape(blank(tuple(own)), call.shape)  # raises NumPy's error
    if call.order == "F":  # the batch varies slowest: it is the last axis in this order
        return moveaxis(reshape(moveaxis(call.a, 0, -1), (*call.shape, size), "F"), -1, 0)
    return reshape(call.a, (size, *call.shape))


@numpy_composition(np.ravel, linear=True)
def ravel(a: ArrayLike, order: str = "C") -> Array:
    """Return the elements of an array in one axis, see `numpy.ravel`."""
    return reshape(a, -1, order)


@numpy_composition(np.expand_dims, linear=True)
def expand_dims(a: ArrayLike, axis: Axes | None) -> Array:
    """Insert new axes of length 1, see `numpy.expand_dims`."""
    return _reshaped(np.expand_dims, a, axis)


@numpy_composition(np.squeeze, linear=True)
def squeeze(a: ArrayLike, axis: Axes | None = None) -> Array:
    """Return an array without its axes of length 1, see `numpy.squeeze`."""
    return _reshaped(np.squeeze, a, axis)


def _reshaped(function: Any, a: Any, *args: Any) -> Any:
    """Apply a function of NumPy's that only changes the shape."""
    return ZERO if a is ZERO else _reshape(a, new_shape(function, a.shape, *_hashable(args)), "C")


def _hashable(args: Any) -> Any:
    return tuple(tuple(a) if isinstance(a, list) else a for a in args)


# -- order of axes


@intercepts(np.transpose)
@view("a")
def transpose(a: ArrayLike, axes: Axes | None = None) -> Array:
    """Permute the axes (None: reverse them), see `numpy.transpose`."""
    return a.transpose(axes) if type(a) is np.ndarray else np.transpose(a, axes)


@transpose.adjoint
def _(call, g):
    if call.axes is None:
        return g.T
    axes = count_axis_from_end(tuple(np.atleast_1d(call.axes)), g.ndim)
    return transpose(g, sorted(range(len(axes)), key=axes.__getitem__))


@transpose.batched
def _(call, batched):
    rank = call.a.ndim - 1
    axes = (
        range(rank)[::-1]
        if call.axes is None
        else permutation(np.transpose, rank, *_hashable((call.axes,)))
    )
    return transpose(call.a, (0, *(1 + axis for axis in axes)))


@numpy_composition(np.swapaxes, linear=True)
def swapaxes(a: ArrayLike, axis1: int, axis2: int) -> Array:
    """Exchange two axes, see `numpy.swapaxes`."""
    return _reordered(np.swapaxes, a, axis1, axis2)


@numpy_composition(np.moveaxis, linear=True)
def moveaxis(a: ArrayLike, source: Axes, destination: Axes) -> Array:
    """Move axes to other places, see `numpy.moveaxis`."""
    return _reordered(np.moveaxis, a, source, destination)


@numpy_composition(np.rollaxis, linear=True)
def rollaxis(a: ArrayLike, axis: Axes | None, start: int = 0) -> Array:
    """Move one axis before another, see `numpy.rollaxis`."""
    return _reordered(np.rollaxis, a, axis, start)


@numpy_composition(np.matrix_transpose, np.linalg.matrix_transpose, linear=True)
def matrix_transpose(x: ArrayLike, /) -> Array:
    """Exchange the last two axes, see `numpy.matrix_transpose`."""
    return _reordered(np.matrix_transpose, x)


def _reordered(function: Any, a: Any, *args: Any) -> Any:
    """Apply a function of NumPy's that only changes the order of axes."""
    return ZERO if a is ZERO else transpose(a, permutation(function, a.ndim, *_hashable(args)))


permute_dims: Callable[..., Array] = transpose


# -- broadcasting


@intercepts(np.broadcast_to)
@view("array", repeats=True)
def broadcast_to(array: ArrayLike, shape: Axes, subok: bool = False) -> Array:
    """Repeat an array along new axes and axes of length 1, see `numpy.broadcast_to`."""
    return np.broadcast_to(array, shape, subok) if subok else np.broadcast_to(array, shape)


@broadcast_to.adjoint
def _(call, g):
    return g  # its projection to the space of the array is the sum over the broadcast axes


@broadcast_to.batched
def _(call, batched):
    size, *own = call.array.shape
    shape = tuple(call.shape) if isinstance(call.shape, (tuple, list)) else (call.shape,)
    np.broadcast_to(blank(tuple(own)), shape)  # raises NumPy's error
    return broadcast_to(
        reshape(call.array, (size, *(1,) * (len(shape) - len(own)), *own)), (size, *shape)
    )


@numpy_composition(np.broadcast_arrays)
def broadcast_arrays(*args: ArrayLike, subok: bool = False) -> tuple[Array, ...]:
    """Broadcast arrays against each other, see `numpy.broadcast_arrays`."""
    shape = np.broadcast_shapes(*(shape_of(a) for a in args))
    return tuple(broadcast_to(a, shape) for a in args)
