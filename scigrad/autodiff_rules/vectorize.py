"""vmap, and eval_shape as vmap over an empty batch, for which every kernel runs without data.

The batch is axis 0 of every batched input of a call and of its output. Only `loop_over_batch`
loops, for vmap with fallback="loop".
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar

import numpy as np
import optree

from . import backends
from .boxes import Batched, Running
from .containers import NAMESPACE, flatten, map_leaves
from .masked import fill_absent
from .messages import errors
from .recording import bare, call_explained, make_transform, unshare
from .spaces import Space, check_arithmetic, count_axis_from_end, is_number, shape_of, space
from .trace import ZERO, Traced, apart, innermost, own, raw

P = ParamSpec("P")
R = TypeVar("R")


def vmap(
    f: Callable[P, R], in_axes: Any = 0, out_axes: Any = 0, *, fallback: str | None = None
) -> Callable[P, R]:
    """Return a function that is vectorized over an axis of its arguments.

    Parameters
    ----------
    f : callable
        Function of containers of arrays.
    in_axes : int, None or tuple, optional
        Batch axis of the leaves of each positional argument, None for a shared argument: one for
        all, or a tuple with one entry for each argument, which may be a container like the
        argument, ``{"a": 0, "b": None}``. Keyword arguments are shared.
    out_axes : int or container, optional
        Place of the batch axis in the output: one for all leaves, or a container like the output.
    fallback : {None, "loop"}, optional
        Treatment of a function of the library, or with a rule of the user's, that has no batching
        rule: an error, or one call of that function for each element. f itself runs once.

    Returns
    -------
    callable
        Function of batches.

    Raises
    ------
    MissingRule
        If a function inside has no batching rule and `fallback` is None.
    ValueError
        If the sizes of the batches differ or no argument is batched.
    TracedValueError
        If f branches on a batched value.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg, vmap
    >>> matrices, sides = np.array([np.eye(2), 2 * np.eye(2)]), np.ones((2, 2))
    >>> print(vmap(linalg.solve)(matrices, sides))
    [[1.  1. ]
     [0.5 0.5]]
    >>> print(
    ...     vmap(grad(lambda x, k: np.sum(k * x**2)), in_axes=(0, None))(sides, 3.0)
    ... )  # k is shared
    [[6. 6.]
     [6. 6.]]
    """
    if fallback not in (None, "loop"):
        raise ValueError(f'fallback must be None or "loop", not {fallback!r}')

    return make_transform(_vectorized, f, in_axes, out_axes, fallback == "loop")


def _vectorized(
    f: Callable[..., Any],
    in_axes: Any,
    out_axes: Any,
    loops: bool,
    args: Any,
    kwargs: dict[str, Any],
) -> Any:
    axes = [in_axes] * len(args) if _is_axis(in_axes) else in_axes
    if not isinstance(axes, (tuple, list)) or len(axes) != len(args):
        raise ValueError(
            f"vmap: in_axes={in_axes!r} needs one entry for each of the {len(args)} positional "
            "arguments"
        )
    given: list[Any] = []
    with Running() as level:
        boxed = [
            arg
            if a is None
            else _over_leaves(
                "in_axes", a, arg, lambda x, axis: _boxed(x, axis, level, loops, given)
            )
            for arg, a in zip(args, axes, strict=True)
        ]
        if len(sizes := {x.shape[0] for x in given}) != 1:
            raise ValueError(
                f"vmap: the batched arguments have sizes {sorted(sizes)}; one size is needed"
            )
        out = call_explained(f, boxed, kwargs)
        return _over_leaves(
            "out_axes", out_axes, out, lambda x, axis: _unboxed(x, axis, level, given)
        )


def _is_axis(x: Any) -> bool:
    return x is None or hasattr(x, "__index__")


def _over_leaves(
    name: str, axes: Any, container: Any, change: Callable[[Any, int | None], Any]
) -> Any:
    """Return the container of change(leaf, axis); `axes` is one for all, or a container that ends
    where all below share one.
    """
    leaves, tree = flatten(container)
    if _is_axis(axes):
        return tree.unflatten([change(x, axes) for x in leaves])
    try:
        found = optree.broadcast_prefix(axes, container, none_is_leaf=True, namespace=NAMESPACE)
        numbers = [axis if axis is None else operator.index(axis) for axis in found]
    except (TypeError, ValueError) as mismatch:
        raise ValueError(
            f"vmap: {name}={axes!r} does not fit a container of the structure {tree}"
        ) from mismatch
    # None is a leaf of axes, and no array
    whole = optree.tree_leaves(container, none_is_leaf=True, namespace=NAMESPACE)
    return tree.unflatten(
        [change(x, axis) for x, axis in zip(whole, numbers, strict=True) if x is not None]
    )


def _boxed(x: Any, axis: int | None, level: int, loops: bool, given: list[Any]) -> Any:
    if axis is None:
        return x
    check_arithmetic(x)
    if not is_number(x):  # what is no array is shared
        return x
    if not -len(shape_of(x)) <= axis < len(shape_of(x)):
        raise ValueError(
            f"vmap: in_axes={axis} for an argument of shape {shape_of(x)}; None stands for one "
            "that is shared"
        )
    given.append(apart(np.moveaxis(x, axis, 0) if axis else x))
    return Batched(given[-1], level, loops)


def _unboxed(x: Any, axis: int | None, level: int, given: list[Any]) -> Any:
    x = bare(x, level)
    if not is_number(x):
        return x
    varies = own(Batched, level, x)
    if axis is None:
        if varies:
            raise ValueError("vmap: out_axes is None for an output that depends on the batch")
        return x
    if varies and x.dtype.kind == "O":
        raise errors.of_objects("vmap")
    x = unshare(
        [x._value if varies else np.broadcast_to(x, (len(given[0]), *np.shape(x)))], *given
    )[0]
    return apart(np.moveaxis(x, 0, axis) if axis else x, level)


def element_by_element(f: Callable[..., Any], *args: Any) -> Any:
    """Return f(*args), run once for each element where the arguments are batched by a vmap that may
    loop.
    """
    leaves, tree = flatten(args)
    boxes = [i for i, x in enumerate(leaves) if isinstance(x, Traced) and x is not ZERO]
    top = innermost(leaves, boxes) if boxes else None
    if type(top) is not Batched or not top._loop or not top._value.shape[0]:
        return f(*args)
    leaves = list(map(fill_absent, leaves))
    mine = [own(Batched, top._level, x) for x in leaves]
    values = [x._value if m else x for x, m in zip(leaves, mine, strict=True)]
    found = loop_over_batch(
        "",
        lambda *row: element_by_element(f, *tree.unflatten(row)),
        values,
        mine,
        top._value.shape[0],
    )
    return map_leaves(lambda x: Batched(x, top._level, True) if is_number(x) else x, found)


def eval_shape(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return shapes and dtypes of the output of a function without computing it.

    Parameters
    ----------
    f : callable
        Function of containers of arrays.
    *args : array_like, Space or container
        Arguments, or anything with `shape` and `dtype`; numbers count as data of shape ().
    **kwargs
        Keyword arguments, passed on unchanged.

    Returns
    -------
    Space or container
        Structure of the output, with a ``Space(shape, dtype, library)`` for each array.

    Raises
    ------
    TracedValueError
        If f branches on values.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import eval_shape
    >>> eval_shape(np.outer, np.ones(2), np.ones(3)).shape
    (2, 3)
    """
    home = backends.library(*map(raw, flatten(args)[0]))
    with Running() as level:
        boxed = [map_leaves(lambda x: Batched(_empty_batch(x, home), level), arg) for arg in args]
        return map_leaves(space, call_explained(f, boxed, kwargs))


def _empty_batch(x: Any, home: str) -> Any:
    if not hasattr(x, "shape") and not isinstance(x, (int, float, complex, bool)):
        raise errors.not_differentiable("eval_shape", "", x)
    s = x if type(x) is Space else space(x)
    return backends.namespace(s.library if s.shape else home).empty((0, *s.shape), s.dtype)


# -- the batching rules: a rule rearranges the inputs and calls the function again, one level down


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
        if getattr(call, name) is not None
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
