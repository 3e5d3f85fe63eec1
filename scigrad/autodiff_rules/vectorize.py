"""vmap, and eval_shape, which is vmap over an empty batch: every kernel then runs on no data at all."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import optree

from . import backends, errors
from .absent import ZERO
from .boxes import Batched, Running
from .spaces import NAMESPACE, Space, check_arithmetic, flatten, map_leaves, shape_of, space
from .trace import apart, own


def vmap(f: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0, *, fallback: str | None = None) -> Callable[..., Any]:
    """Vectorise f over an axis of its arguments.

    Parameters
    ----------
    f : function of containers of arrays
    in_axes : the batch axis of every leaf of each positional argument (None: the argument is shared); an int, or a tuple
        with one entry for each argument, which may be a container like the argument: {"a": 0, "b": None}. Keyword
        arguments are shared
    out_axes : where the batch axis goes in the output; an int, or a container of them like the output
    fallback : None, or "loop": run a function that has no batching rule once for each element

    Raises
    ------
    MissingRule : a function inside has no batching rule, and no loop was asked for
    ValueError : batch sizes differ, or no argument is batched
    TracedValueError : f branches on a batched value

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg, vmap
    >>> matrices, sides = np.array([np.eye(2), 2 * np.eye(2)]), np.ones((2, 2))
    >>> print(vmap(linalg.solve)(matrices, sides))
    [[1.  1. ]
     [0.5 0.5]]
    >>> print(vmap(grad(lambda x, k: np.sum(k * x**2)), in_axes=(0, None))(sides, 3.0))  # k is shared
    [[6. 6.]
     [6. 6.]]
    """
    if fallback not in (None, "loop"):
        raise ValueError(f'fallback must be None or "loop", not {fallback!r}')

    @functools.wraps(f)
    def vectorized(*args: Any, **kwargs: Any) -> Any:
        axes = [in_axes] * len(args) if _is_axis(in_axes) else in_axes
        if not isinstance(axes, (tuple, list)) or len(axes) != len(args):
            raise ValueError(f"vmap: in_axes={in_axes!r} needs one entry for each of the {len(args)} positional arguments")
        sizes: set[int] = set()
        with Running() as level:
            boxed = [
                arg if a is None else _over_leaves("in_axes", a, arg, lambda x, axis: _boxed(x, axis, level, fallback, sizes))
                for arg, a in zip(args, axes, strict=True)
            ]
            if len(sizes) != 1:
                raise ValueError(f"vmap: the batched arguments have sizes {sorted(sizes)}; one size is needed")
            size = sizes.pop()
            out = errors.explained(f, boxed, kwargs)
        return _over_leaves("out_axes", out_axes, out, lambda x, axis: _unboxed(x, axis, level, size))

    return vectorized


def _is_axis(x: Any) -> bool:
    return x is None or hasattr(x, "__index__")


def _over_leaves(name: str, axes: Any, container: Any, change: Callable[[Any, int | None], Any]) -> Any:
    """change(leaf, axis) of every leaf; `axes` is one for all, or a container that stops where all below share one."""
    leaves, tree = flatten(container)
    if _is_axis(axes):
        return tree.unflatten([change(x, axes) for x in leaves])
    found: list[Any] = [None] * len(leaves)

    def note(axis: Any, part: Any) -> None:
        for i in flatten(part)[0]:
            found[i] = axis if axis is None else operator.index(axis)

    try:
        optree.tree_map_(note, axes, tree.unflatten(range(len(leaves))), none_is_leaf=True, namespace=NAMESPACE)
    except (TypeError, ValueError) as mismatch:
        raise ValueError(f"vmap: {name}={axes!r} does not fit a container of the structure {tree}") from mismatch
    return tree.unflatten(map(change, leaves, found))


def _boxed(x: Any, axis: int | None, level: int, fallback: str | None, sizes: set[int]) -> Any:
    if x is ZERO or axis is None:
        return x
    check_arithmetic(x)
    if not -len(shape_of(x)) <= axis < len(shape_of(x)):
        raise ValueError(f"vmap: in_axes={axis} for an argument of shape {shape_of(x)}; None stands for one that is shared")
    sizes.add(x.shape[axis])
    return Batched(apart(np.moveaxis(x, axis, 0) if axis else x), level, fallback == "loop")


def _unboxed(x: Any, axis: int | None, level: int, size: int) -> Any:
    if x is ZERO:
        return x
    varies = own(Batched, level, x)
    if axis is None:
        if varies:
            raise ValueError("vmap: out_axes is None for an output that depends on the batch")
        return x
    x = x.value if varies else np.broadcast_to(x, (size, *np.shape(x))).copy()  # which could not be written to
    return apart(np.moveaxis(x, 0, axis) if axis else x, level)


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
    with Running() as level:
        boxed = [map_leaves(lambda x: Batched(_empty_batch(x), level), arg) for arg in args]
        return map_leaves(_logical_space, errors.explained(f, boxed, kwargs))


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
