"""Functions that only move elements: found by a call on the host, and described by boxes.

A view of the host says itself where its elements lie. All else is called with numbered elements,
and their numbers in the result are fitted.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..memory import probe
from .nodes import Piece

_LARGEST = 1 << 25  # elements that are numbered


def find_pieces(
    function: Callable[..., Any], given: Sequence[Any], shape: Sequence[int] | None = None
) -> tuple[tuple[int, ...], list[Piece]] | None:
    """Return the shape of function(*arrays) and the pieces that its result consists of; None if it
    does not only move elements.

    `given` are forms: values with the shapes and dtypes of the arrays.
    """
    viewed = _as_view(function, given)
    if viewed is not None:
        return viewed
    if sum(x.size for x in given) + math.prod(shape or ()) > _LARGEST:
        return None
    spots = probe(function, given)
    if spots is None:
        return None
    pieces = _fitted(spots, [x.shape for x in given])
    return None if pieces is None else (spots.shape, pieces)


def _as_view(function: Callable[..., Any], given: Sequence[Any]) -> Any:
    """Return the one piece of a view of the only array, whose memory is never touched."""
    if len(given) != 1 or not given[0].size:
        return None
    blank = np.zeros(given[0].shape)
    out = function(blank)
    if type(out) is not np.ndarray or not np.may_share_memory(out, blank) or not out.size:
        return None
    if out.dtype != blank.dtype:
        return None
    start = out.__array_interface__["data"][0] - blank.__array_interface__["data"][0]
    steps = [
        0 if n == 1 else s // blank.itemsize for n, s in zip(out.shape, out.strides, strict=True)
    ]
    return out.shape, [Piece(0, None, start // blank.itemsize, tuple(steps))]


def _fitted(spots: np.ndarray, shapes: Sequence[tuple[int, ...]]) -> list[Piece] | None:
    """Return pieces for the numbers of all elements of some arrays, from 1, and 0 for zeros."""
    pieces, first = [], 1
    for source, shape in enumerate(shapes):
        size = math.prod(shape)
        mask = (spots >= first) & (spots < first + size)
        if mask.any():
            piece = _piece_of(source, mask, spots - first)
            if piece is None:
                return None
            pieces.append(piece)
        first += size
    return pieces


def _piece_of(source: int, mask: np.ndarray, numbers: np.ndarray) -> Piece | None:
    """Return the box of a mask with what is affine in it."""
    box = []
    for axis in range(mask.ndim):
        others = tuple(i for i in range(mask.ndim) if i != axis)
        places = np.flatnonzero(mask.any(axis=others))
        step = int(places[1] - places[0]) if places.size > 1 else 1
        box.append((int(places[0]), int(places[-1]), step))
    inside = tuple(slice(first, last + 1, step) for first, last, step in box)
    part = numbers[inside]
    if not mask[inside].all() or part.size != np.count_nonzero(mask):
        return None
    start = int(part[(0,) * part.ndim])
    origin, coefficients, expected = start, [], np.asarray(start)
    for axis, (first, _, step) in enumerate(box):
        along = 0
        if part.shape[axis] > 1:
            at = tuple(int(i == axis) for i in range(part.ndim))
            along, rest = divmod(int(part[at]) - start, step)
            if rest:
                return None
        shape = [-1 if i == axis else 1 for i in range(part.ndim)]
        expected = expected + along * step * np.arange(part.shape[axis]).reshape(shape)
        origin -= along * first
        coefficients.append(along)
    if not (part == expected).all():
        return None
    whole = all(b == (0, n - 1, 1) for b, n in zip(box, mask.shape, strict=True))
    return Piece(source, None if whole else tuple(box), origin, tuple(coefficients))
