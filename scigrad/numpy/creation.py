"""New arrays, from existing data or of one value.

An array made `like` a traced one is traced too, with the derivative zero. Without `like` the
creation functions are NumPy's own; while a transform runs, traced values can be assigned to the
elements of what they make for the user's program (fillable.py).
"""

import functools
import sys
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from scigrad.autodiff_rules import ZERO, Traced, differentiable, namespace_of
from scigrad.autodiff_rules.boxes import is_transforming
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.autodiff_rules.trace import creation
from scigrad.typing import Array, ArrayLike, Axes, Documented, DTypeLike

from .composition import numpy_composition
from .conversion import astype, copy
from .fillable import fillable
from .indexing import getitem
from .joining import assemble
from .shaping import broadcast_to, reshape
from .views import by_layout, mark_view, own_result

__all__ = [
    "arange", "array", "asanyarray", "asarray", "ascontiguousarray", "asfortranarray", "empty",
    "empty_like", "eye", "full", "full_like", "identity", "ones", "ones_like", "tri", "zeros",
    "zeros_like",
]  # fmt: skip


def makes_fillable(create: Documented) -> Documented:
    """Return a function that makes new arrays as one that makes fillable ones while a transform
    runs, if the user's program calls it.
    """

    @functools.wraps(create)
    def make(*args: Any, **kwargs: Any) -> Any:
        out = create(*args, **kwargs)
        if not is_transforming() or type(out) is not np.ndarray or out.base is not None:
            return out
        module = sys._getframe(1).f_globals.get("__name__", "")  # pyright: ignore[reportPrivateUsage]
        if module.startswith("scigrad.") or (args and out is args[0]) or out is kwargs.get("a"):
            return out
        if create.__name__.startswith("empty"):
            out.fill(0)  # `jit` compares two runs, which would find different numbers there
        return fillable(out)

    return cast("Documented", make)


# -- from what is there


def _converted(value: Any, dtype: Any, copied: Any, order: Any = "K") -> Any:
    """Return the array that is given or made; marked as a view where NumPy would copy or not for
    its layout in memory.
    """
    x = assemble(value)
    if dtype is not None and x.dtype != dtype:
        if copied is False:
            raise ValueError(
                f"an array of dtype {x.dtype} cannot become one of dtype {np.dtype(dtype)} "
                "without a copy"
            )
        return astype(x, dtype)
    if x is not value:
        return x
    if copied:
        return copy(x)
    return mark_view(_in_order(x, order), x, _in_order, (order,)) if order in ("C", "F") else x


def _in_order(x: Any, order: str) -> Any:
    return own_result(getitem(x, ...)) if isinstance(x, Traced) else np.asarray(x, order=order)


by_layout.add(_in_order)


@makes_fillable
def asarray(
    a: ArrayLike,
    dtype: DTypeLike | None = None,
    order: str | None = None,
    *,
    device: object | None = None,
    copy: bool | None = None,
    like: Any = None,
) -> Array:
    """Convert the argument, which may be nested lists of traced values, to an array on the device
    of the data, see `numpy.asarray`.
    """
    if holds_traced((a,)):
        return _converted(a, dtype, copy, order)
    home = _home(a, like)
    if home is not np:
        return (
            home.array(assemble(a), dtype, order=order)
            if copy
            else home.asarray(assemble(a), dtype, order)
        )
    return np.asarray(a, dtype, order, copy=copy, **({} if device is None else {"device": device}))


@makes_fillable
def array(
    object: ArrayLike,
    dtype: DTypeLike | None = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
    like: Any = None,
    **kwargs: Any,
) -> Array:
    """Return a new array of the argument, which may be nested lists of traced values, on the device
    of the data, see `numpy.array`.
    """
    if not holds_traced((object,)):
        home = _home(object, like)
        data = object if home is np else assemble(object)
        return home.array(data, dtype, copy=copy, order=order, subok=subok, ndmin=ndmin, **kwargs)
    x = _converted(object, dtype, copy, order)
    return reshape(x, (*(1,) * (ndmin - x.ndim), *x.shape)) if x.ndim < ndmin else x


def _home(values: Any, like: Any) -> Any:
    """Return the library that makes the array: that of `like`, or the one that owns the data."""
    return namespace_of(values if like is None else like)


def _memory_layout(original: Any) -> Any:
    name = original.__name__

    def function(a, dtype=None, **kwargs):
        if not holds_traced((a,)):
            return getattr(namespace_of(a), name)(assemble(a), dtype, **kwargs)
        if name == "asanyarray":
            return asarray(a, dtype, **kwargs)
        x = _converted(a, dtype, None, "C")
        return x if x.ndim else reshape(x, (1,))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"See `numpy.{name}`; a traced array has no memory layout, so the result may be a view."
    )
    return function


asanyarray: Callable[..., Array]
ascontiguousarray: Callable[..., Array]
asfortranarray: Callable[..., Array]
asanyarray, ascontiguousarray, asfortranarray = map(
    _memory_layout, (np.asanyarray, np.ascontiguousarray, np.asfortranarray)
)


# -- arrays of one value


@differentiable("like")
def _trace_like(like, value):
    """Return a constant that is traced as `like` is."""
    return value


_trace_like.jvp(lambda call, t: ZERO)
_trace_like.vjp(lambda call, g: {"like": ZERO})


@_trace_like.batched
def _(call, batched):
    size = call.like.shape[0] if batched.like else call.value.shape[0]
    return _trace_like(
        call.like,
        call.value if batched.value else broadcast_to(call.value, (size, *call.value.shape)),
    )


def _made(like: Any, name: str, shape: Any, *args: Any, **kwargs: Any) -> Any:
    """Return an array of the library of `like`, traced as that is."""
    return _trace_like(like, _in_library_of(like, name, shape, *args, **kwargs))


def _in_library_of(like: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    # NumPy hands on device=None, unknown to CuPy
    given = {key: value for key, value in kwargs.items() if value is not None}
    return getattr(namespace_of(like), name)(*args, **given)


def _like(original: Any) -> Any:
    name = "ones" if original is np.ones_like else "zeros"

    def function(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
        return _made(
            a, name, a.shape if shape is None else shape, a.dtype if dtype is None else dtype
        )

    function.__name__ = function.__qualname__ = original.__name__
    function.__doc__ = (
        "Return an array of the shape and dtype of another, traced if that is, see "
        f"`numpy.{original.__name__}`."
    )
    return makes_fillable(numpy_composition(original)(function))


zeros_like: Callable[..., Array]
ones_like: Callable[..., Array]
empty_like: Callable[..., Array]
zeros_like, ones_like, empty_like = _like(np.zeros_like), _like(np.ones_like), _like(np.empty_like)


@makes_fillable
@numpy_composition(np.full_like)
def full_like(
    a: ArrayLike,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    order: str = "K",
    subok: bool = True,
    shape: Axes | None = None,
    *,
    device: object | None = None,
) -> Array:
    """Return an array of the shape and dtype of another, filled with one value, see
    `numpy.full_like`.
    """
    a = assemble(a)
    value = astype(assemble(fill_value), a.dtype if dtype is None else dtype)
    return zeros_like(a, value.dtype, shape=shape) + value


@makes_fillable
def full(
    shape: Axes,
    fill_value: ArrayLike,
    dtype: DTypeLike | None = None,
    order: str = "C",
    *,
    device: object | None = None,
    like: Any = None,
) -> Array:
    """Return an array filled with one value, which may be traced, see `numpy.full`."""
    if not holds_traced((fill_value,)):
        home = _home(fill_value, like)
        return home.full(
            shape, fill_value, dtype, order, **({} if device is None else {"device": device})
        )
    return copy(broadcast_to(_converted(fill_value, dtype, None), shape))


# `np.zeros(n, like=x)` hands us x and everything else: see NEP 35.
def _beside_like(name: str) -> Any:
    def create(like: Any, shape: Any, *args: Any, **kwargs: Any) -> Any:
        if name == "full" and holds_traced((*args[:1], *kwargs.values())):
            return full(shape, *args, **kwargs)
        return _made(like, name, shape, *args, **kwargs)

    return create


creation.update(
    {
        np.zeros: _beside_like("zeros"),
        np.ones: _beside_like("ones"),
        np.empty: _beside_like("zeros"),
    }
)
creation[np.full] = _beside_like("full")


def _constant_like(original: Any) -> Any:
    """Return a constant array on the device of a traced one."""

    def create(like: Any, *args: Any, **kwargs: Any) -> Any:
        if holds_traced(args[:1]):
            return _OF_ANYTHING[original](*args, **kwargs)
        return _in_library_of(like, original.__name__, *args, **kwargs)

    return create


_CONSTANT = (np.arange, np.eye, np.identity, np.tri)
_CONVERTING = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray)
_OF_ANYTHING = dict(
    zip(_CONVERTING, (array, asarray, asanyarray, ascontiguousarray, asfortranarray), strict=True)
)
creation.update({function: _constant_like(function) for function in (*_CONSTANT, *_CONVERTING)})


def _beside_any(original: Any) -> Any:
    """Return NumPy's function, with `like` for an array of any library: NumPy hands on `device`,
    which CuPy has not.
    """

    @functools.wraps(original)
    def function(*args, like=None, **kwargs):
        return (
            original(*args, **kwargs) if like is None else creation[original](like, *args, **kwargs)
        )

    function.__doc__ = (
        f"See `numpy.{original.__name__}`; the result is on the device of "
        "`like`, and traced if that is."
    )
    return makes_fillable(function)


arange: Callable[..., Array]
empty: Callable[..., Array]
eye: Callable[..., Array]
identity: Callable[..., Array]
ones: Callable[..., Array]
tri: Callable[..., Array]
zeros: Callable[..., Array]
arange, empty, eye, identity, ones, tri, zeros = map(
    _beside_any, (np.arange, np.empty, np.eye, np.identity, np.ones, np.tri, np.zeros)
)
