"""Calls of NumPy's ufuncs on traced arrays with options, and their methods.

`np.add(x, y, out=z, where=mask, dtype=...)`, `np.add.reduce`, `.accumulate`, `.outer`, `.at` and
`.reduceat` come here, by NEP 13. Calls that write into the memory of a traced array are answered;
all others that write into memory are refused.
"""

import sys
from importlib import import_module
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, TracedValueError
from scigrad.autodiff_rules.containers import container_hooks
from scigrad.autodiff_rules.messages.errors import unsupported_ufunc_use
from scigrad.autodiff_rules.trace import array_functions, interception, late_interception
from scigrad.typing import Array

from . import order_statistics, reductions, truth_values
from .assignment import add_at
from .composition import write
from .conversion import astype
from .cumulative import cumprod, cumsum, running_extreme
from .indexing import getitem
from .joining import assemble, stack
from .selection import where as selected
from .shaping import axis_or_all, broadcast_to, expand_dims, moveaxis, reshape
from .views import own_result

# -- a plain call


def _call(ufunc: Any, function: Any, *inputs: Any, out: Array | None = None, where: Any = True,
    dtype: Any = None,
          casting: str = "same_kind", order: str = "K", subok: bool = True, signature: Any = None,
          **axes: Any) -> Any:  # fmt: skip
    del order, subok  # a traced array has neither an order in memory nor a subclass
    if signature is not None:
        raise unsupported_ufunc_use(ufunc.__name__, "signature=")
    if axes.get("axes") is not None:
        raise TracedValueError(
            f"{ufunc.__name__}: axes= is not available for traced arrays, numpy.moveaxis is."
        )
    inputs = tuple(_cast(assemble(x), dtype, casting) for x in inputs)
    outs = out if isinstance(out, tuple) else (out,) * ufunc.nout
    if where is not True and any(o is None for o in outs):
        raise TracedValueError(
            f"{ufunc.__name__}: where= without out= leaves elements undefined. Use "
            "scigrad.numpy.where(mask, f(x), other)."
        )
    result = function(*inputs, **axes)  # axis= and keepdims= of matmul, vecdot and their kind
    if ufunc.nout == 1:
        return _into(outs[0], result, where, casting)
    return tuple(_into(o, r, where, casting) for o, r in zip(outs, result, strict=True))


def _into(out: Array, result: Any, where: Any, casting: str) -> Any:
    if out is None:
        return result
    if isinstance(out, Traced) and not np.can_cast(result.dtype, out.dtype, casting):
        raise TypeError(
            f"Cannot cast ufunc output from {result.dtype!r} to {out.dtype!r} with casting rule "
            f"'{casting}'"
        )
    result = result if result.shape == out.shape else broadcast_to(result, out.shape)
    return write(
        out,
        result if where is True or not isinstance(out, Traced) else selected(where, result, out),
    )


def _cast(x: Any, dtype: Any, casting: str) -> Any:
    if dtype is None or x.dtype == dtype or np.dtype(dtype).kind == "b":
        return x
    if not np.can_cast(x.dtype, dtype, casting):
        raise TypeError(
            f"Cannot cast ufunc input from {x.dtype!r} to {np.dtype(dtype)!r} with casting rule "
            f"'{casting}'"
        )
    return astype(x, dtype)


# -- methods of ufuncs

_REDUCTIONS = {
    np.add: reductions.sum,
    np.multiply: reductions.prod,
    np.logical_and: truth_values.all,
    np.logical_or: truth_values.any,
    np.maximum: order_statistics.max,
    np.minimum: order_statistics.min,
    np.fmax: order_statistics.nanmax,
    np.fmin: order_statistics.nanmin,
}


def _reduce(ufunc: Any, function: Any, array: Any, axis: Any = 0, dtype: Any = None,
    out: Array | None = None, keepdims: bool = False,
            initial: Any = np._NoValue, where: Any = True) -> Any:  # fmt: skip
    array = _cast(assemble(array), dtype, "unsafe")
    given = {} if initial is np._NoValue or initial is None else {"initial": initial}
    out = out[0] if isinstance(out, tuple) else out
    if ufunc in _REDUCTIONS:
        if where is not True:
            given["where"] = where
        return write(out, _REDUCTIONS[ufunc](array, axis=axis, keepdims=keepdims, **given))
    if where is not True:
        raise unsupported_ufunc_use(ufunc.__name__, "where= of the method 'reduce'")
    axes = reductions.reduced_axes(axis_or_all(axis, array), array.ndim)
    if len(axes) > 1 and ufunc.identity is None:
        raise ValueError(
            f"reduction operation '{ufunc.__name__}' is not reorderable, so at most one axis may "
            "be specified"
        )
    start = given.get("initial", ufunc.identity)  # NumPy's hypot of one number is its size
    for i in sorted(axes, reverse=True)[:-1]:
        array = _fold(ufunc, function, array, i)[-1]
    if axes:
        total = _fold(ufunc, function, array, min(axes), start)[-1]
    else:
        total = array if start is None else function(start, array)
    return write(out, expand_dims(total, axes) if keepdims else total)


def _fold(ufunc: Any, function: Any, array: Any, axis: int, start: Any = None) -> list[Any]:
    """Return f(f(f(x0, x1), x2), ...), the general reduction; ufuncs with rules have their own."""
    rows = moveaxis(array, axis, 0)
    items = [getitem(rows, i) for i in range(rows.shape[0])]
    if not items:
        if (start := ufunc.identity if start is None else start) is None:
            raise ValueError(
                f"zero-size array to reduction operation {ufunc.__name__} which has no identity"
            )
        return [np.full(rows.shape[1:], start, array.dtype)]
    partial = [own_result(items[0]) if start is None else function(start, items[0])]
    for item in items[1:]:
        partial.append(function(partial[-1], item))
    return partial


def _accumulate(
    ufunc: Any,
    function: Any,
    array: Any,
    axis: int = 0,
    dtype: Any = None,
    out: Array | None = None,
) -> Any:
    array = _cast(assemble(array), dtype, "unsafe")
    if not array.ndim:
        raise TypeError("cannot accumulate on a scalar")
    if ufunc is np.add:
        found = cumsum(array, axis)
    elif ufunc is np.multiply:
        found = cumprod(array, axis)
    elif ufunc in (np.maximum, np.minimum):
        found = running_extreme(array, axis, ufunc)
    else:
        found = (
            stack(_fold(ufunc, function, array, axis), axis=axis) if array.shape[axis] else array
        )
    return write(out[0] if isinstance(out, tuple) else out, found)


def _outer(ufunc: Any, function: Any, a: Any, b: Any, **kwargs: Any) -> Any:
    a, b = assemble(a), assemble(b)
    a = reshape(a, (*a.shape, *(1,) * b.ndim))
    return _call(ufunc, function, a, b, **kwargs) if kwargs else function(a, b)


def _reduceat(
    ufunc: Any,
    function: Any,
    array: Any,
    indices: Any,
    axis: int = 0,
    dtype: Any = None,
    out: Array | None = None,
) -> Any:
    array = moveaxis(assemble(array), axis, 0)
    starts = [int(i) for i in indices]
    stops = [*starts[1:], array.shape[0]]
    if not all(0 <= i < array.shape[0] for i in starts):
        raise IndexError(
            f"reduceat: indices {starts} out of bounds for axis of length {array.shape[0]}"
        )
    runs = [getitem(array, slice(i, max(i + 1, j))) for i, j in zip(starts, stops, strict=True)]
    parts = [_reduce(ufunc, function, run, 0, dtype) for run in runs]
    return write(out[0] if isinstance(out, tuple) else out, moveaxis(stack(parts), 0, axis))


def _ufunc_at(ufunc: Any, function: Any, a: Any, indices: Any, b: Any = None) -> None:
    if not isinstance(a, Traced):
        raise TracedValueError(
            f"numpy.{ufunc.__name__}.at: a plain array cannot hold a traced value. Start from "
            "scigrad.numpy.zeros((n, m)), or use y = scigrad.numpy.add_at(y, "
            "indices, values)."
        )
    if ufunc is np.add:
        a[...] = add_at(a, indices, b)
    elif ufunc is np.subtract:
        a[...] = add_at(a, indices, -assemble(b))
    else:
        raise TracedValueError(
            f"numpy.{ufunc.__name__}.at of a traced array is not available, only numpy.add.at and "
            "numpy.subtract.at. Where no index is repeated, x[indices] = "
            f"numpy.{ufunc.__name__}(x[indices], ...) does the same."
        )


array_functions.update(
    {
        "ufunc.__call__": _call,
        "ufunc.reduce": _reduce,
        "ufunc.accumulate": _accumulate,
        "ufunc.outer": _outer,
        "ufunc.at": _ufunc_at,
        "ufunc.reduceat": _reduceat,
        "__array_namespace__": lambda: import_module("scigrad.numpy"),
    }
)


# -- functions that a room answers for, which loads when one of them meets a traced array

_ROOMS = {"numpy.linalg": "linalg", "numpy.fft": "fft", "scipy.special": "special"}


def _find_in_room(function: Any) -> Any:
    for module, room in _ROOMS.items():
        if getattr(sys.modules.get(module), function.__name__, None) is function:
            import_module(f"scigrad.{room}")  # puts its functions into the table
            return interception.get(function)
    return import_module("scigrad.special").i0 if function is np.i0 else None


def _sparse(*operation: Any) -> Any:
    return import_module("scigrad.sparse.array.arithmetic").operate(*operation)


late_interception.append(_find_in_room)
# A sparse array of SciPy's or CuPy's, met as an operand or as an argument of a transform, loads the
# room that knows it.
array_functions.setdefault("sparse", _sparse)
for _root in ("scipy", "cupyx"):
    container_hooks.setdefault(
        _root,
        lambda kind: import_module("scigrad.sparse.optree_registration").register_sparse(kind),
    )
