"""The methods and attributes of ndarray, for traced arrays: installed from the tables at the
end.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, raw
from scigrad.autodiff_rules.trace import array_functions
from scigrad.typing import Array, ArrayLike, Axes, DTypeLike

from . import (
    arithmetic,
    assignment,
    comparison,
    complex_parts,
    conversion,
    cumulative,
    diagonals,
    fillable,
    indexing,
    joining,
    operators,
    order_statistics,
    products,
    rearrangement,
    reductions,
    selection,
    shaping,
    sorting,
    taking,
    truth_values,
)


def _shape_of_call(shape: tuple[Any, ...]) -> Any:
    return shape[0] if len(shape) == 1 else shape


def reshape(x: ArrayLike, *shape: ArrayLike, order: str = "C", copy: bool | None = None) -> Array:
    return shaping.reshape(x, _shape_of_call(shape), order, copy=copy)


def transpose(x: ArrayLike, *axes: ArrayLike) -> Array:
    return shaping.transpose(x, (None if not axes else _shape_of_call(axes)))


def flatten(x: ArrayLike, order: str = "C") -> Array:
    return conversion.copy(shaping.ravel(x, order))


def item(x: ArrayLike, *index: ArrayLike) -> Array:
    """Return the element as a traced number, because a plain one would lose its derivative."""
    if not index:
        return shaping.reshape(x, ())
    if len(index) == 1 and not isinstance(index[0], tuple):
        return indexing.getitem(shaping.ravel(x), index[0])
    return indexing.getitem(x, index[0] if len(index) == 1 else index)


def astype(
    x: ArrayLike,
    dtype: DTypeLike,
    order: str = "K",
    casting: str = "unsafe",
    subok: bool = True,
    copy: bool | None = True,
) -> Array:
    if not np.can_cast(x.dtype, dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {x.dtype!r} to {np.dtype(dtype)!r} according to the "
            f"rule '{casting}'"
        )
    return conversion.astype(x, dtype, copy=copy)


def sort(
    x: ArrayLike,
    axis: Axes | None = -1,
    kind: str | None = None,
    order: str | None = None,
    *,
    stable: bool | None = None,
) -> None:
    x[...] = sorting.sort(x, axis, kind, order, stable=stable)


def partition(
    x: ArrayLike,
    kth: Axes,
    axis: Axes | None = -1,
    kind: str | None = "introselect",
    order: str | None = None,
) -> None:
    x[...] = sorting.partition(x, kth, axis, kind, order)


def fill(x: ArrayLike, value: ArrayLike) -> None:
    x[...] = value


def iterate(x: ArrayLike) -> Iterator[Any]:
    if not x.ndim:
        raise TypeError("iteration over a 0-d array")
    return iter([x[i] for i in range(len(x))])


def view(x: ArrayLike, dtype: DTypeLike | None = None, type: ArrayLike | None = None) -> Array:
    if type is not None or (dtype is not None and dtype != x.dtype):
        raise TypeError(
            "x.view(dtype) of a traced array: write x[..., ::2] + 1j * x[..., 1::2] for "
            "view(complex), numpy.stack([z.real, z.imag], -1).reshape(*z.shape[:-1], -1) for "
            "view(float), x.astype(dtype) to cast"
        )
    return indexing.getitem(x, ...)


def to_device(x: ArrayLike, device: object, /, *, stream: ArrayLike | None = None) -> Array:
    if device != x.device:
        raise ValueError(
            f"a traced array lies on {x.device!r}; move the data to {device!r} before it is traced"
        )
    return x


def set_imag(x: ArrayLike, value: ArrayLike) -> None:
    if x.dtype.kind != "c":
        raise TypeError("array does not have imaginary part to set")
    x.imag[...] = value


def formatted(x: ArrayLike, specification: ArrayLike) -> str:
    """Return the text of f"{x:.3f}": that of the plain number, for progress reports."""
    return format(raw(x) if specification else repr(x), specification)


operators.install_operators(
    {
        "add": arithmetic.add,
        "sub": arithmetic.subtract,
        "mul": arithmetic.multiply,
        "truediv": arithmetic.divide,
        "floordiv": comparison.floor_divide,
        "mod": arithmetic.remainder,
        "divmod": arithmetic.divmod,
        "pow": arithmetic.power,
        "matmul": products.matmul,
        "and": comparison.bitwise_and,
        "or": comparison.bitwise_or,
        "xor": comparison.bitwise_xor,
        "lshift": comparison.left_shift,
        "rshift": comparison.right_shift,
        "eq": comparison.equal,
        "ne": comparison.not_equal,
        "lt": comparison.less,
        "le": comparison.less_equal,
        "gt": comparison.greater,
        "ge": comparison.greater_equal,
    },
    {
        "neg": arithmetic.negative,
        "pos": arithmetic.positive,
        "abs": complex_parts.absolute,
        "invert": comparison.invert,
    },
)

_NAMED = {
    comparison: ("round",),
    conversion: ("copy",),
    cumulative: ("cumprod", "cumsum"),
    diagonals: ("diagonal", "trace"),
    taking: ("take",),
    assignment: ("put",),
    order_statistics: ("max", "min"),
    products: ("dot",),
    rearrangement: ("repeat",),
    reductions: ("mean", "prod", "std", "sum", "var"),
    truth_values: ("all", "any"),
    selection: ("choose", "clip"),
    shaping: ("ravel", "squeeze", "swapaxes"),
    sorting: ("argmax", "argmin", "argpartition", "argsort", "nonzero", "searchsorted"),
}


def _nested_list(x: Any) -> Any:
    return [_nested_list(item) for item in x] if x.ndim else x


_ADVICE = (
    "Its elements are traced values: iterate over the array or index it; stop_gradient(x) "
    "gives the plain array."
)
_SHARED = "A traced array has no memory of its own. Use stop_gradient(x) for its plain value."

_OF_MEMORY = (
    "byteswap",
    "getfield",
    "resize",
    "setfield",
    "setflags",
    "__dlpack__",
    "__dlpack_device__",
)

operators.install_methods(
    {name: getattr(module, name) for module, names in _NAMED.items() for name in names}
    | {
        "__iter__": iterate,
        "astype": astype,
        "conj": products.conjugate,
        "fill": fill,
        "flatten": flatten,
        "item": item,
        "conjugate": products.conjugate,
        "partition": partition,
        "__contains__": lambda x, value: bool(truth_values.any(comparison.equal(x, value))),
        "reshape": reshape,
        "sort": sort,
        "to_device": to_device,
        "transpose": transpose,
        "view": view,
        "__copy__": conversion.copy,
        "__deepcopy__": lambda x, memo: conversion.copy(x),
        "__format__": formatted,
        "__round__": lambda x, ndigits=None: comparison.round(x, ndigits or 0),
        "__trunc__": int,
        "tolist": _nested_list,
        "compress": lambda x, condition, axis=None, out=None: sorting.compress(
            condition, x, axis, out
        ),
    }
    | {name: operators.refusal(name, _ADVICE) for name in ("tobytes", "tofile", "dump", "dumps")}
    | {name: operators.refusal(name, _SHARED) for name in _OF_MEMORY},
    {
        "T": lambda x: shaping.transpose(x, None),
        "mT": shaping.matrix_transpose,
        "real": complex_parts.real,
        "imag": complex_parts.imag,
        "itemsize": lambda x: x.dtype.itemsize,
        "nbytes": lambda x: x.size * x.dtype.itemsize,
        "device": lambda x: getattr(raw(x), "device", "cpu"),
        "flat": shaping.ravel,
    },
)
operators.allow_assignment(
    {
        "real": lambda x, value: x.real.__setitem__(..., value),
        "imag": set_imag,
        "flat": lambda x, value: assignment.put(x, np.arange(x.size), value),
    }
)
operators.refuse_assignment(
    {
        "shape": "write x = x.reshape(shape)",
        "dtype": "write x = x.astype(dtype)",
        "T": "write x[...] = value.T",
        "mT": "write x[...] = value.mT",
    }
)
Traced.__getitem__ = indexing.getitem  # pyright: ignore[reportAttributeAccessIssue]
array_functions.update(content=fillable.content, fillable=fillable.fillable)
array_functions["set_at"] = assignment.set_at
array_functions["assembled"] = joining.assemble
