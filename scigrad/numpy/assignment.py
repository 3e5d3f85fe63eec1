"""x[index] = value as a function: a new array, linear in x and in the value; and NumPy's functions
that write in place.

`Traced.__setitem__` calls `set_at` and binds the result to the user's array.
"""

import math
from typing import Any

import numpy as np

from scigrad.autodiff_rules import (
    Space,
    Traced,
    TracedValueError,
    backends,
    constant,
    linear,
    namespace_of,
    shape_of,
)
from scigrad.autodiff_rules.containers import plan
from scigrad.autodiff_rules.trace import take_off_labels
from scigrad.typing import Array, ArrayLike, Axes

from .composition import intercepts
from .index_analysis import (
    Layout,
    indexed_shape,
    is_basic,
    is_mask,
    layout,
    leading_axes,
    merged_axes,
    positions,
    unmerged_axes,
)
from .indexing import getitem, index_along, scatter
from .joining import assemble
from .shaping import broadcast_to, moveaxis, ravel, reshape
from .taking import offset, place_at, take

__all__ = ["add_at", "copyto", "place", "put", "put_along_axis", "putmask", "set_at"]


def set_at(x: ArrayLike, index: ArrayLike, value: ArrayLike) -> Any:
    """Return a copy of an array after the assignment ``x[index] = value``.

    Parameters
    ----------
    x : array_like
        Array to copy.
    index : object
        Any index of ``x[index]``.
    value : array_like
        Values, broadcast to the shape of ``x[index]`` and converted to the dtype of `x`, as NumPy
        does.

    Returns
    -------
    ndarray
        Array of the shape and dtype of `x`. Where an index is repeated the last value counts, in
        the derivative too.

    Raises
    ------
    TypeError
        If complex values are assigned to a real array, or traced values to an array of integers.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad
    >>> from scigrad.numpy import set_at
    >>> print(grad(lambda x: np.sum(set_at(x, 0, 2 * x[1])))(np.array([1.0, 2.0, 3.0])))
    [0. 3. 1.]
    """
    parts = index if type(index) is tuple else (index,)
    x = take_off_labels(x) if hasattr(x, "dtype") else np.asarray(x)
    value = value if isinstance(value, Traced) else assemble(value)
    _check_kinds(x, value)
    if not plan(parts).boxes:
        return _set_at(x, value, index)
    if len(parts) == 1 and is_mask(index):
        return _set_where(x, index, value)
    return _set_traced(x, parts, value)


def _check_kinds(x: Any, value: Any) -> None:
    dtype = getattr(value, "dtype", None) or np.result_type(value)
    if dtype.kind == "c" and x.dtype.kind != "c":
        raise TypeError(
            f"assignment of a complex value into an array of dtype {x.dtype} would drop its "
            "imaginary part. Take numpy.real(value), or start from a complex array: x = "
            "x.astype(complex)."
        )
    if dtype.kind in "fc" and x.dtype.kind not in "fc" and isinstance(value, Traced):
        raise TracedValueError(
            f"assignment of a traced value into an array of dtype {x.dtype} would drop its "
            "derivative. Start from a floating-point array: x = x.astype(float)."
        )


@linear("x", "value", drops=True)
def _set_at(x, value, index):
    return _assigned(np.array(x) if isinstance(x, np.generic) else x.copy(), index, value)


def _assigned(out: Array, index: Any, value: Any) -> Any:
    """Return `out` after out[index] = value. Of several values for one place the last remains,
    which CuPy leaves open, and NumPy for index arrays of another order in memory.
    """
    parts, home = index if type(index) is tuple else (index,), namespace_of(out)
    if home is np and not is_basic(parts):
        index = tuple(
            np.ascontiguousarray(p) if hasattr(p, "dtype") and p.ndim else p for p in parts
        )
    if home is np or is_basic(parts) or any(map(is_mask, parts)):
        out[index] = value
        return out
    shape = indexed_shape(out.shape, parts)
    last = _last_writes(out, index, shape)
    values = home.zeros(shape, out.dtype)
    values[...] = value
    return home.where(last < 0, out, values.reshape(-1)[last]) if values.size else out


def _last_writes(x: Any, index: Any, shape: tuple[int, ...]) -> Any:
    """Return for each place of x the number of the value of x[index] = values, of a shape, that
    remains there, -1 for none.
    """
    home = backends.namespace(x.library) if isinstance(x, Space) else namespace_of(x)
    last = home.full(x.shape, -1)
    home.maximum.at(last, index, home.arange(math.prod(shape)).reshape(shape))
    return last


@_set_at.adjoint
def _(call, g):
    return {"x": lambda: _set_at(g, 0, call.index), "value": lambda: _written(g, call)}


def _written(g: Any, call: Any) -> Any:
    """Return the cotangent of the value: g at the index, and 0 for a value that a later one
    replaced.
    """
    found = getitem(g, call.index)
    shape = shape_of(found)
    if math.prod(shape) > 1 and not is_basic(
        call.index if type(call.index) is tuple else (call.index,)
    ):
        last = _last_writes(call.x, call.index, shape)[call.index]
        found = found * (last == namespace_of(last).arange(math.prod(shape)).reshape(shape))
    # NumPy lets a value have further axes of length 1 in front
    surplus = call.value.ndim - len(shape)
    return reshape(found, (*(1,) * surplus, *shape)) if surplus > 0 else found


@_set_at.batched
def _(call, batched):
    x, value = call.x, call.value
    parts = call.index if type(call.index) is tuple else (call.index,)
    size = x.shape[0] if batched.x else value.shape[0]
    x = x if batched.x else broadcast_to(x, (size, *shape_of(x)))
    lead = leading_axes(parts, x.shape[1:])
    if batched.value or (lead and shape_of(value)):
        rank = len(indexed_shape(x.shape[1:], parts))
        value = moveaxis(_of_rank(value, rank, batched.value), 0, lead)
    return _set_at(x, value, (slice(None), *parts))


def _of_rank(value: Any, rank: int, own: bool) -> Any:
    """Return a value with a batch axis, of length 1 if it has none, and `rank` axes behind it."""
    batch, shape = shape_of(value)[:own] or (1,), shape_of(value)[own:]
    # NumPy lets a value have further axes of length 1 in front
    shape = shape[max(0, len(shape) - rank) :]
    return reshape(value, (*batch, *(1,) * (rank - len(shape)), *shape))


# -- a traced index (under vmap)


def _set_where(x: Any, mask: Any, value: Any) -> Any:
    rank = len(shape_of(x)) - len(shape_of(mask))
    if shape_of(mask) != shape_of(x)[: len(shape_of(mask))]:
        raise IndexError(
            f"boolean index of shape {shape_of(mask)} does not match the array, which has shape "
            f"{shape_of(x)}"
        )
    if len(shape_of(value)) > rank:
        raise TracedValueError(
            "x[mask] = values with a mask under vmap needs one value for each element that the "
            "mask selects, and their number differs between the elements of the batch. Use "
            "scigrad.numpy.where(mask, values, x) with values of the shape of x."
        )
    mask = reshape(mask, (*shape_of(mask), *(1,) * rank))
    return np.where(mask, value, x).astype(x.dtype)


def _set_traced(x: Any, parts: tuple[Any, ...], value: Any) -> Any:
    own = layout(parts, shape_of(x))
    y = getitem(x, own.basic)
    merged, places = merged_axes(y, own)
    merged = _set_rows(merged, _values_first(value, own, len(shape_of(y))), places)
    return _set_at(x, unmerged_axes(merged, own, shape_of(y)), own.basic)


def _values_first(value: Any, own: Layout, rank: int) -> Any:
    """Return values that fit x[index], with the axes of the index arrays in front."""
    count = len(own.shape)
    value = getitem(_of_rank(value, rank - len(own.axes) + count, False), 0)
    return moveaxis(value, range(own.start, own.start + count), range(count))


@linear("x", "value", drops=True)
def _set_rows(x, value, places):
    """Return x with x[places] = value, for integers from 0 to n - 1 along axis 0."""
    return _assigned(x.copy(), places, value)


@_set_rows.adjoint
def _(call, g):
    return {
        "x": lambda: _set_rows(g, 0, call.places),
        "value": lambda: (
            take(g, call.places, 0) * _aligned_left(_last(call.places, call.x.shape[0]), g.ndim - 1)
        ),
    }


def _aligned_left(mask: Any, rank: int) -> Any:
    return reshape(mask, (*shape_of(mask), *(1,) * rank))


@constant
def _last(places, n):
    """Return which of the integers do not occur again later."""
    last = _last_writes(Space((n,), int, backends.library(places)), places, places.shape)[places]
    return last == namespace_of(last).arange(places.size).reshape(places.shape)


@_last.batched
def _(call, batched):
    return _last(offset(call.places, call.n), call.places.shape[0] * call.n)


@_set_rows.batched
def _(call, batched):
    x, value, places = call.x, call.value, call.places
    size = next(a.shape[0] for a, own in zip(call, batched, strict=True) if own)
    x = x if batched.x else broadcast_to(x, (size, *shape_of(x)))
    places = places if batched.places else broadcast_to(places, (size, *shape_of(places)))
    n, rest = x.shape[1], x.shape[2:]
    value = _of_rank(value, places.ndim - 1 + len(rest), batched.value)
    out = _set_rows(reshape(x, (size * n, *rest)), value, offset(places, n))
    return reshape(out, (size, n, *rest))


# -- x[index] += value


def add_at(x: ArrayLike, index: ArrayLike, value: ArrayLike) -> Any:
    """Return a copy of an array with values added at an index, each repetition counted.

    This is `numpy.add.at` for a new array.

    Parameters
    ----------
    x : array_like
        Array to copy.
    index : object
        Any index of ``x[index]``.
    value : array_like
        Values, broadcast to the shape of ``x[index]`` and converted to the dtype of `x`, as NumPy
        does.

    Returns
    -------
    ndarray
        Array of the shape and dtype of `x`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad
    >>> from scigrad.numpy import add_at
    >>> print(grad(lambda v: add_at(np.zeros(3), [0, 0, 1], v)[0])(np.array([1.0, 2.0, 3.0])))
    [1. 1. 0.]
    """
    x = take_off_labels(x) if hasattr(x, "dtype") else np.asarray(x)
    parts = index if type(index) is tuple else (index,)
    value = assemble(value)
    _check_kinds(x, value)
    shape = shape_of(x)
    value = broadcast_to(value, indexed_shape(shape, parts)).astype(x.dtype)
    if not plan(parts).boxes:
        return x + scatter(value, index, shape)
    own = layout(parts, shape)
    inner = indexed_shape(shape, own.basic)
    first = [inner[a] for a in own.order(len(inner))]
    count = len(own.axes)
    places = positions(*own.arrays, shape=tuple(first[:count]))
    rows = place_at(
        _values_first(value, own, len(inner)), places, 0, (math.prod(first[:count]), *first[count:])
    )
    return x + scatter(unmerged_axes(rows, own, inner), own.basic, shape)


# -- NumPy's functions that write in place: a traced array is written to through x[index] = value


@intercepts(np.put)
def put(a: ArrayLike, ind: ArrayLike, v: ArrayLike, mode: str = "raise") -> None:
    """Set a.flat[ind] to v in place; v is repeated as needed, see `numpy.put`."""
    index, values = assemble(ind), ravel(assemble(v))
    if not values.size:
        return
    places = positions(ravel(index), shape=(a.size,), mode=mode)
    a[...] = reshape(
        set_at(ravel(a), places, values[np.arange(places.size) % values.size]), a.shape
    )


@intercepts(np.place)
def place(arr: ArrayLike, mask: ArrayLike, vals: ArrayLike) -> None:
    """Set arr[mask] to the first values, repeated as needed, in place, see `numpy.place`."""
    values, count = ravel(assemble(vals)), int(np.sum(mask))
    if count and not values.size:
        raise ValueError("Cannot insert from an empty array!")
    if count:
        arr[np.asarray(mask, bool)] = values[np.arange(count) % values.size]


@intercepts(np.putmask)
def putmask(a: ArrayLike, /, mask: ArrayLike, values: ArrayLike) -> None:
    """Set a.flat[i] to values.flat[i] where the mask holds, in place, see `numpy.putmask`."""
    values = ravel(assemble(values))
    if values.size:
        spread = reshape(values[np.arange(a.size) % values.size], a.shape)
        a[...] = np.where(mask, spread, a)


@intercepts(np.copyto)
def copyto(
    dst: ArrayLike, src: ArrayLike, casting: str = "same_kind", where: ArrayLike = True
) -> None:
    """Copy src into dst in place, or only where a mask holds, see `numpy.copyto`."""
    src = assemble(src)
    if not np.can_cast(src.dtype, dst.dtype, casting):
        raise TypeError(
            f"Cannot cast array data from {src.dtype!r} to {dst.dtype!r} according to the rule "
            f"'{casting}'"
        )
    dst[...] = src if where is True else np.where(where, src, dst)


@intercepts(np.put_along_axis)
def put_along_axis(
    arr: ArrayLike, indices: ArrayLike, values: ArrayLike, axis: Axes | None
) -> None:
    """Write values where `take_along_axis` would read, in place, see `numpy.put_along_axis`."""
    if axis is None:
        raise ValueError(
            "put_along_axis: axis=None writes through a flattened view; write arr[...] = with the "
            "shape of arr instead."
        )
    arr[index_along(arr, indices, axis)] = values
