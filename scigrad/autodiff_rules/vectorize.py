"""vmap, and eval_shape as vmap over an empty batch, for which every kernel runs without data."""

import operator
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np
import optree

from . import backends
from .batching import loop_over_batch
from .boxes import Batched, Running
from .containers import NAMESPACE, flatten, map_leaves
from .hidden_values import bare
from .masked import fill_absent
from .messages import errors
from .recording import Transformed, call_explained, unshare
from .spaces import Space, check_arithmetic, is_number, shape_of, space
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

    return Transformed(_vectorized, f, in_axes, out_axes, fallback == "loop")


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
