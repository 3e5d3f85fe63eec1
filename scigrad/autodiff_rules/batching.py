"""Batching of calls: the batch is axis 0 of every batched input and of the output.

A rule rearranges the inputs and calls the function again, one level down. Only `loop_over_batch`
loops, for vmap with fallback="loop".
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .containers import map_leaves
from .messages import errors
from .spaces import is_number


def _ndim(x: Any) -> int:
    return len(getattr(x, "shape", ()))


def align_batches(values: Sequence[Any], batched: Sequence[bool]) -> list[Any]:
    """Return the inputs of an elementwise function, padded with axes of length 1 behind the batch
    so that they broadcast.
    """
    values = [np.asarray(v) if isinstance(v, (list, tuple)) else v for v in values]
    rank = max(_ndim(v) - b for v, b in zip(values, batched, strict=True))
    return [
        _pad_axes(v, rank - (_ndim(v) - 1)) if b else v
        for v, b in zip(values, batched, strict=True)
    ]


def _pad_axes(x: Any, count: int) -> Any:
    return x.reshape((x.shape[0], *(1,) * count, *x.shape[1:])) if count else x


def leading(primitive: Any, call: Any, batched: Any, core: Mapping[str, int]) -> list[Any]:
    """Return the inputs of a function that broadcasts over leading axes; `core` is the number of
    axes behind them.
    """
    ranks = {
        name: _ndim(getattr(call, name)) - bool(getattr(batched, name)) - core[name]
        for name in core
    }
    if min(ranks.values()) < 0:
        raise errors.missing_batch_rule(primitive.__name__)
    rank = max(ranks.values())
    values = []
    for name in primitive.names:
        value, own = getattr(call, name), getattr(batched, name)
        if own and name not in core:
            raise errors.missing_batch_rule(primitive.__name__)
        values.append(_pad_axes(value, rank - ranks[name]) if own else value)
    return values


def inputs_along_axis(primitive: Any, call: Any, batched: Any, array: str, axis: str) -> list[Any]:
    """Return the inputs of a function of one array along `axis`: the axes of the function are
    counted from the end.
    """
    others = [name for name in primitive.names if name != array and getattr(batched, name) is True]
    if others:
        raise errors.missing_batch_rule(primitive.__name__)
    rank = _ndim(getattr(call, array)) - 1
    negative = count_axis_from_end(getattr(call, axis), rank)
    return [negative if name == axis else getattr(call, name) for name in primitive.names]


def count_axis_from_end(axis: Any, rank: int) -> Any:
    """Return an axis, several, or None (all) of an array of `rank` axes, as negative numbers."""
    if axis is None:
        return tuple(range(-rank, 0))
    if isinstance(axis, (tuple, list)):
        return tuple(count_axis_from_end(a, rank) for a in axis)
    if not -rank <= axis < rank:
        raise np.exceptions.AxisError(axis, rank)
    return axis - rank if axis >= 0 else axis


def loop_over_batch(
    name: str, f: Callable[..., Any], values: Sequence[Any], batched: Sequence[Any], size: int
) -> Any:
    """Call f for each element of the batch and stack the results, for vmap(f, fallback="loop")."""
    if size == 0:
        raise errors.missing_batch_rule(name)
    outs = [
        f(*(_element(v, own, i) for v, own in zip(values, batched, strict=True)))
        for i in range(size)
    ]
    return map_leaves(
        lambda *column: np.stack(column) if is_number(column[0]) else column[0], *outs
    )


def _element(x: Any, own: Any, i: int) -> Any:
    return (
        (x[i] if own else x)
        if isinstance(own, bool)
        else map_leaves(lambda x, own: x[i] if own else x, x, own)
    )
