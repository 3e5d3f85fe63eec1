"""vmap, and eval_shape, which is vmap over an empty batch: every kernel then runs on no data at all."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import backends, errors
from .boxes import ZERO, Batched, new_level
from .spaces import Space, flatten, shape_of, space
from .trace import apart, own

Axes = int | None | Sequence[Any]


def vmap(f: Callable[..., Any], in_axes: Axes = 0, out_axes: Any = 0, *, fallback: str | None = None) -> Callable[..., Any]:
    """Vectorise f over an axis of its arguments.

    Parameters
    ----------
    f : function of containers of arrays
    in_axes : the batch axis of every leaf of each positional argument (None: the argument is shared); an int, or one
        entry for each argument, which may be a tuple for a tuple of arrays. Keyword arguments are shared
    out_axes : where the batch axis goes in the output; an int, or one entry for each item of an output tuple
    fallback : None, or "loop": run a function that has no batching rule once for each element

    Raises
    ------
    MissingRule : a function inside has no batching rule, and no loop was asked for
    ValueError : batch sizes differ, or no argument is batched
    TracedValueError : f branches on a batched value
    """
    if fallback not in (None, "loop"):
        raise ValueError(f'fallback must be None or "loop", not {fallback!r}')

    @functools.wraps(f)
    def vectorized(*args: Any, **kwargs: Any) -> Any:
        axes = [in_axes] * len(args) if in_axes is None or isinstance(in_axes, int) else list(in_axes)
        if len(axes) != len(args):
            raise ValueError(f"vmap: in_axes has {len(axes)} entries for {len(args)} positional arguments")
        sizes: set[int] = set()
        level = new_level()
        boxed = [_boxed(arg, a, level, fallback == "loop", sizes) for arg, a in zip(args, axes, strict=True)]
        if len(sizes) != 1:
            raise ValueError(f"vmap: the batched arguments have sizes {sorted(sizes)}; one size is needed")
        return _unboxed(f(*boxed, **kwargs), out_axes, level, sizes.pop())

    return vectorized


def _boxed(container: Any, axis: Any, level: int, loop: bool, sizes: set[int]) -> Any:
    if axis is None:
        return container
    if isinstance(axis, (tuple, list)):
        return type(container)(_boxed(c, a, level, loop, sizes) for c, a in zip(container, axis, strict=True))
    leaves, tree = flatten(container)
    return tree.unflatten([_boxed_leaf(x, axis, level, loop, sizes) for x in leaves])


def _boxed_leaf(x: Any, axis: int, level: int, loop: bool, sizes: set[int]) -> Any:
    if x is ZERO:
        return x
    if not -len(shape_of(x)) <= axis < len(shape_of(x)):
        raise ValueError(f"vmap: in_axes={axis} for an argument of shape {shape_of(x)}")
    sizes.add(x.shape[axis])
    return Batched(apart(np.moveaxis(x, axis, 0) if axis else x), level, loop)


def _unboxed(out: Any, out_axes: Any, level: int, size: int) -> Any:
    if isinstance(out_axes, (tuple, list)):
        return type(out)(_unboxed(o, a, level, size) for o, a in zip(out, out_axes, strict=True))
    leaves, tree = flatten(out)
    return tree.unflatten([_unboxed_leaf(x, out_axes, level, size) for x in leaves])


def _unboxed_leaf(x: Any, axis: int | None, level: int, size: int) -> Any:
    if x is ZERO:
        return x
    varies = own(Batched, level, x)
    if axis is None:
        if varies:
            raise ValueError("vmap: out_axes is None for an output that depends on the batch")
        return x
    x = x.value if varies else np.broadcast_to(x, (size, *np.shape(x)))
    return apart(np.moveaxis(x, 0, axis) if axis else x)


def eval_shape(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Shapes and dtypes of f's output without computing it.

    Parameters
    ----------
    f : function of containers of arrays, or of anything with `shape` and `dtype` (numbers count as data of shape ())
    args, kwargs : its arguments; keyword arguments are passed on untouched

    Returns
    -------
    spaces : the output's structure, with a `Space(shape, dtype, library)` for each array

    Raises
    ------
    TracedValueError : f branches on values
    """
    level = new_level()
    boxed = []
    for arg in args:
        leaves, tree = flatten(arg)
        boxed.append(tree.unflatten([Batched(_empty_batch(x), level) for x in leaves]))
    leaves, tree = flatten(f(*boxed, **kwargs))
    return tree.unflatten([_logical_space(x) for x in leaves])


def _empty_batch(x: Any) -> Any:
    if not hasattr(x, "shape") and not isinstance(x, (int, float, complex, bool)):
        raise errors.not_differentiable("eval_shape", "", x)
    s = x if type(x) is Space else space(x)
    return backends.namespace(s.library).empty((0, *s.shape), s.dtype)


def _logical_space(x: Any) -> Space:
    if type(x) is Batched:
        s = space(x.value)
        return Space(s.shape[1:], s.dtype, s.library)
    return space(x)
