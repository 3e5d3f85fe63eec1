"""Shared parts of all transforms: their declaration, the calls of their kernels, lengths, axes and
norms of their adjoints.
"""

import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any, Generic, ParamSpec

import numpy as np

from scigrad.autodiff_rules import Traced, backends, count_axis_from_end, kernel, linear, raw
from scigrad.autodiff_rules.backends import is_on_device
from scigrad.autodiff_rules.declare import Linear
from scigrad.autodiff_rules.messages import callers
from scigrad.numpy.call_stack import outside_transforms
from scigrad.numpy.devices import one_kernel, places_in
from scigrad.numpy.joining import assemble
from scigrad.typing import Array

from . import cufft_plans, dask_arrays, engine
from .arguments import integers, lengths_and_axes, opposite

P = ParamSpec("P")


class Transform(Linear, Generic[P]):
    """Transform of x. Under a trace `overwrite_x` is ignored, because the graph may still need the
    data of x.
    """

    def __init__(self, function: Callable[P, Any]) -> None:
        super().__init__(function, ("x",))
        self.arity = -1  # no call has -1 arguments: every traced call is bound

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Array:
        if args and type(args[0]) in (list, tuple):  # it may hold traced values
            return super().__call__(assemble(args[0]), *args[1:], **kwargs)
        return super().__call__(*args, **kwargs)

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Sequence[Any]:
        values = list(super().bind(args, kwargs))
        values[0] = assemble(values[0])  # nested lists of traced values
        for name, value in zip(self.names[1:], values[1:], strict=True):
            if isinstance(value, Traced) and value.dtype.kind in "fc":
                raise self.missing(name, "derivative")
        values[self.names.index("overwrite_x")] = False
        return values

    def batch(
        self, values: Sequence[Any], batched: Sequence[bool], size: int, loop: bool
    ) -> tuple[Any, Any]:
        if "plan" in self.names:  # it is of one array, not of a batch
            values = [
                None if name == "plan" else v for name, v in zip(self.names, values, strict=True)
            ]
        return super().batch(values, batched, size, loop)


def axis_transform(function: Callable[P, Any]) -> Transform[P]:
    """Declare a transform along `axis`."""
    transform = Transform(function)
    transform.batch_axis("x")
    return transform


def axes_transform(function: Callable[P, Any]) -> Transform[P]:
    """Declare a transform along `axes`, of lengths `s`."""
    transform = Transform(function)

    @transform.batched
    def _(call, batched):
        rank = call.x.ndim - 1
        axes = call.axes
        if axes is None and call.s is not None:
            axes = tuple(range(-len(integers(call.s)), 0))
        return transform.evaluate(call._replace(axes=count_axis_from_end(axes, rank))[:-2])[0]

    return transform


def transform_values(
    name: str,
    x: Any,
    n: Any,
    axis: Any,
    norm: Any,
    overwrite_x: Any,
    workers: Any,
    plan: Any = None,
    **options: Any,
) -> Any:
    """Transform by the engine of the host or by the library of the array; n and axis are s and axes
    of those along several.

    CuPy has no workers. Refusals are stated in terms of x.
    """
    # inside, plain arrays too are kept by the graph
    overwrite_x = overwrite_x and outside_transforms()
    if type(x) is np.ndarray and plan is None:
        try:
            return engine.transform_by_ducc(name, x, n, axis, norm, overwrite_x, workers, **options)
        except engine.Unsuited:
            pass
    if dask_arrays.is_dask(x):
        return dask_arrays.transform_dask(
            name, x, n, axis, norm, workers=workers, plan=plan, **options
        )
    home = backends.library(x)
    # CuPy reads it in another way
    if home != "numpy" and name.endswith("n") and n is not None and -1 in integers(n):
        n, axis = lengths_and_axes(x.shape, n, axis)
    args = (*([options.pop("type")] if "type" in options else []), n, axis, norm, overwrite_x)
    if home != "numpy" and not x.size:  # CuPy refuses it: without data the host knows the result
        return backends.namespace(home).asarray(
            call_library(name, np.empty(x.shape, x.dtype), *args, **options)
        )
    options |= {"workers": workers} if workers is not None and home == "numpy" else {}
    return call_library(name, x, *args, **(options if plan is None else {**options, "plan": plan}))


def call_library(name: str, x: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function of the library of the array; refusals are stated in terms of x."""
    try:
        return (_host_function(name) if type(x) is np.ndarray else library_function(name))(
            x, *args, **kwargs
        )
    except (TypeError, ValueError, IndexError, OverflowError) as error:
        x = x if hasattr(x, "dtype") else np.asarray(x)
        raise _explain_error(name, x, error) from error
    except RuntimeError as error:
        if "zero-length" not in str(error):
            raise
        raise RuntimeError(
            f"{name}: type 1 needs at least 2 samples along each axis. x has shape {x.shape}."
        ) from error


@functools.cache
def _host_function(name: str) -> Any:
    return getattr(importlib.import_module("scipy.fft"), name)


@functools.cache
def library_function(name: str) -> Any:
    """Return the function that calls the library of its array."""
    return kernel("fft." + name, instead={"cupy": cufft_plans.on_current_stream(name)})


def plan_of_adjoint(call: Any, g: Any) -> Any:
    """Return the plan that was passed to a complex transform, if it fits the cotangent too.

    A plan of CuPy has no direction, but one along several axes has an order in memory.
    """
    order, flags = getattr(call.plan, "order", None), getattr(raw(g), "flags", None)
    if order is None or flags is None:
        return call.plan
    return (
        call.plan
        if order == ("F" if flags.f_contiguous and not flags.c_contiguous else "C")
        else None
    )


def _explain_error(name: str, x: Any, error: Exception) -> Exception:
    text, name = str(error).rstrip("."), callers.own_name(name)
    if isinstance(error, TypeError) and x.dtype.names:
        single = " + 1j * ".join(
            f"x[{field!r}].astype(numpy.float32)" for field in x.dtype.names[:2]
        )
        return TypeError(
            f"{name}: x holds records, of dtype {x.dtype}, not numbers. Neither NumPy nor CuPy "
            "has complex numbers in half precision (complex32); if these are such numbers, "
            f"transform them in single precision: {single}."
        )
    if isinstance(error, TypeError) and x.dtype.kind == "c":
        other = name.replace("ihfft", "ifft").replace("rfft", "fft")
        return TypeError(
            f"{name}: x must be real, but is {x.dtype} of shape {x.shape}. Use {other} for "
            "complex data, or numpy.real(x) if the imaginary part is zero."
        )
    if isinstance(error, IndexError):
        text = "an axis is out of range"
    kind = (
        type(error)
        if type(error) in (TypeError, ValueError, IndexError, OverflowError)
        else ValueError
    )
    return kind(f"{name}: {text}. x has shape {x.shape} and dtype {x.dtype}.")


def _index_along(rank: int, axis: int, index: Any) -> tuple[Any, ...]:
    return tuple(index if i == axis % rank else slice(None) for i in range(rank))


@linear("x", drops=True, fills=True)
def resize(x, n, axis):
    """Return x cropped or padded with zeros to length n along an axis, the first step of every
    transform.
    """
    length = x.shape[axis]
    if n <= length:
        return x[_index_along(x.ndim, axis, slice(n))]
    zeros = np.zeros_like(
        x, shape=(*x.shape[: axis % x.ndim], n - length, *x.shape[axis % x.ndim + 1 :])
    )
    return np.concatenate((x, zeros), axis=axis)


@resize.adjoint
def _(call, g):
    return resize(g, call.x.shape[call.axis], call.axis)


@linear("x")
def scale_ends(x, factor, axis, first, last, whole=1.0):
    """Multiply the first and the last entry of x along an axis by a number, each if requested, and
    the `whole` by another.
    """
    if is_on_device(x):
        n, others = x.shape[axis], x.ndim - 1 - axis % x.ndim
        place = places_in((n, 1), x)[0].reshape(n, *(1,) * others)
        ends = 0.0 if first else -1.0, n - 1.0 if last else -1.0
        return _scaled_element(x, place, *ends, float(factor), whole)
    y = x.copy() if whole == 1 else x * whole
    if first:
        y[_index_along(x.ndim, axis, slice(1))] *= factor
    if last:
        y[_index_along(x.ndim, axis, slice(-1, None))] *= factor
    return y


@one_kernel
def _scaled_element(
    x: Any, place: Any, first: float, last: float, factor: float, whole: float
) -> Any:
    y = x * whole if whole != 1 else x
    y = np.where(place == first, y * factor, y)
    return np.where(place == last, y * factor, y)


@scale_ends.adjoint
def _(call, g):
    return scale_ends(g, call.factor, call.axis, call.first, call.last, call.whole)


resize.batch_axis("x")
scale_ends.batch_axis("x")


def resize_all(x: Any, shape: tuple[int, ...], axes: Sequence[int]) -> Any:
    """Return x cropped or padded to the lengths that `shape` has on some axes."""
    return functools.reduce(
        lambda y, a: y if y.shape[a] == shape[a] else resize(y, shape[a], a), axes, x
    )


__all__ = [
    "Transform", "axes_transform", "axis_transform", "call_library", "lengths_and_axes",
    "library_function", "opposite", "plan_of_adjoint", "resize", "resize_all", "scale_ends",
    "transform_values",
]  # fmt: skip
