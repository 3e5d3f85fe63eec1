"""x[index] = value as a function: a new array, linear in x and in the value.

`Traced.__setitem__` calls `set_at` and lets the name that the user holds take over the result.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, backends, constant, linear, shape_of
from scigrad.autodiff_rules.trace import innermost

from .indexing import Layout, accumulate, getitem, is_basic, layout, merged_axes, offset, scattered, _leading_axes, _put
from .joining import assembled
from .shaping import broadcast_to, moveaxis, reshape, transpose


def set_at(x, index, value):
    """A copy of x in which x[index] = value was done.

    Parameters
    ----------
    x : array
    index : whatever x[index] takes
    value : broadcast to the shape of x[index] and converted to the dtype of x, as NumPy does

    Returns
    -------
    array of the shape and dtype of x. Where an index occurs repeatedly the last value counts, in the derivative too.

    Raises
    ------
    TypeError : a complex value into a real array, or a traced value into an array of integers
    """
    parts = index if type(index) is tuple else (index,)
    x = x if hasattr(x, "shape") else np.asarray(x)
    value = assembled(value) if isinstance(value, (list, tuple)) else value
    _check_kinds(x, value)
    if innermost(parts) is not None:
        return _set_traced(x, parts, value)
    if innermost((x, value)) is None:
        return _set_at.kernel(x, value, index)
    return _set_at(x, value, index)


def _check_kinds(x: Any, value: Any) -> None:
    kind = getattr(value, "dtype", np.dtype(type(value)) if isinstance(value, (int, float, complex)) else x.dtype).kind
    if kind == "c" and x.dtype.kind != "c":
        raise TypeError(f"assignment of a complex value into an array of dtype {x.dtype} would drop its imaginary part. "
                        "Take numpy.real(value), or start from a complex array: x = x.astype(complex).")  # fmt: skip
    if kind in "fc" and x.dtype.kind not in "fc" and isinstance(value, Traced):
        raise TypeError(f"assignment of a traced value into an array of dtype {x.dtype} would drop its derivative. "
                        "Start from a floating-point array: x = x.astype(float).")  # fmt: skip


@linear("x", "value")
def _set_at(x, value, index):
    out = x.copy()
    out[index] = value
    return out


@_set_at.adjoint
def _(call, g):
    return {"x": lambda: set_at(g, call.index, 0), "value": lambda: _written(g, call)}


def _written(g: Any, call: Any) -> Any:
    """The cotangent of the value: g at the index, but nothing for a value that a later one replaced."""
    parts = call.index if type(call.index) is tuple else (call.index,)
    found = getitem(g, call.index)
    if is_basic(parts) or math.prod(shape_of(found)) < 2:
        return found
    xp = backends.namespace(call.x.library)
    order = xp.arange(math.prod(shape_of(found))).reshape(shape_of(found))
    last = xp.zeros(call.x.shape, order.dtype)
    last[call.index] = order
    return found * (last[call.index] == order)


@_set_at.batched
def _(call, batched):
    x, value = call.x, call.value
    size = x.shape[0] if batched.x else value.shape[0]
    x = x if batched.x else broadcast_to(x, (size, *shape_of(x)))
    parts = call.index if type(call.index) is tuple else (call.index,)
    own = x.shape[1:]
    lead = _leading_axes(parts, own)
    if batched.value or lead:
        rank = len(shape_of(_shaped(own)[call.index]))
        logical = shape_of(value)[1:] if batched.value else shape_of(value)
        logical = logical[max(0, len(logical) - rank):]  # NumPy allows further axes of length 1 in front
        value = reshape(value, (size if batched.value else 1, *(1,) * (rank - len(logical)), *logical))
        value = moveaxis(value, 0, lead)
    return set_at(x, (slice(None), *parts), value)


def _shaped(shape: tuple[int, ...]) -> np.ndarray:
    return np.broadcast_to(np.int8(0), shape)
