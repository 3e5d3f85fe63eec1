"""Lengths, axes and norms of a transform, as SciPy reads them."""

import operator
from typing import Any

import numpy as np

_OPPOSITE = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def opposite(norm: Any) -> str:
    """Return the norm under which the transform in the other direction is the adjoint."""
    try:
        return _OPPOSITE[norm]
    except KeyError:
        raise ValueError(
            f'Invalid norm value {norm!r}, should be "backward", "ortho" or "forward"'
        ) from None


def integers(value: Any) -> tuple[int, ...]:
    """Return an integer or several as a tuple."""
    try:
        return (operator.index(value),)
    except TypeError:
        return tuple(operator.index(v) for v in value)


def lengths_and_axes(
    shape: tuple[int, ...], s: Any, axes: Any
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the lengths of the transform and its axes, as SciPy reads s and axes (s = -1: the
    length of the axis).
    """
    rank = len(shape)
    if axes is None:
        axes = range(0 if s is None else rank - len(integers(s)), rank)
    axes = integers(axes)
    lengths = (-1,) * len(axes) if s is None else integers(s)
    return tuple(shape[a] if n == -1 else n for n, a in zip(lengths, axes, strict=True)), axes


def resize_axes(x: Any, lengths: tuple[int, ...], axes: tuple[int, ...]) -> tuple[Any, bool]:
    """Return a host array cropped (a view) or padded with zeros (a copy) to lengths on axes, and
    whether it was copied.
    """
    if all(x.shape[a] == n for n, a in zip(lengths, axes, strict=True)):
        return x, False
    shape, kept = list(x.shape), [slice(None)] * x.ndim
    for n, axis in zip(lengths, axes, strict=True):
        kept[axis], shape[axis] = slice(min(n, shape[axis])), n
    part = x[tuple(kept)]
    if part.shape == tuple(shape):
        return part, False
    padded = np.zeros(shape, x.dtype)
    padded[tuple(kept)] = part
    return padded, True


__all__ = ["integers", "lengths_and_axes", "opposite", "resize_axes"]
