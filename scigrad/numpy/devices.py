"""Constants on the device of an array, in its precision: each is sent there once."""

import sys
from collections.abc import Callable
from importlib import import_module
from types import FrameType
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, concrete, namespace_of, shape_of, space, zeros
from scigrad.autodiff_rules.backends import is_on_device, library
from scigrad.autodiff_rules.boxes import Batched, checks_left
from scigrad.autodiff_rules.partials import FUSED
from scigrad.autodiff_rules.recording import Transformed
from scigrad.autodiff_rules.trace import array_functions, as_scalar

FUSED["cupy"] = "scigrad.programs.device.elements"


def place_beside(values: Any, *arrays: Any, shared: bool = False) -> Any:
    """Return host values as a real (or, if they are complex, complex) array on the device of the
    arrays, in their precision; if it may be `shared`, all who ask for these values get one array.
    """
    values = np.asarray(values)
    dtype = np.result_type(*(x.dtype for x in arrays))
    dtype = dtype if dtype.kind in "fc" else np.dtype(float)
    dtype = (
        np.result_type(dtype, np.complex64)
        if values.dtype.kind == "c"
        else np.empty(0, dtype).real.dtype
    )
    return _upload(values.astype(dtype, copy=False), namespace_of(*arrays), shared)


def constant_beside(values: Any, *arrays: Any) -> Any:
    """Return the same for what reads alone."""
    return place_beside(values, *arrays, shared=True)


def upload(indices: Any, x: Any) -> Any:
    """Return host indices on the device of x."""
    return _upload(indices, namespace_of(x)) if type(indices) is np.ndarray else indices


def number_one(value: Any) -> Any:
    """Return the number 1 of the space of a number; on a device all who ask get one array."""
    home, one = namespace_of(value), np.ones((), space(value).dtype)
    if home is np:
        return one[()]
    if home.__name__ != "cupy":
        return zeros(value) + 1
    return import_module("scigrad.programs.device.constants").sent(one, home)


def look(*arrays: Any) -> bool:
    """Return whether arrays of CuPy are finite, when all checks that were left have been looked at:
    the host waits once.
    """
    return import_module("scigrad.programs.device.flags").look(arrays)


def _look_at_end() -> None:
    """Look at what was left when the outermost transform ends."""
    if not _is_in_transform(sys._getframe(2)):
        look()


array_functions.update(one=number_one, look=look, end_of_transform=_look_at_end)


def _is_in_transform(frame: FrameType | None) -> bool:
    """Return whether a frame, or one that called it, is the call of a transform."""
    while frame is not None and frame.f_code is not Transformed.__call__.__code__:
        frame = frame.f_back
    return frame is not None


def leave_check(codes: Any, fail: Callable[[Any], None]) -> bool:
    """Leave it to the end of the outermost transform to call fail(codes) if one is not 0; return
    whether that can be: the codes are on a card, and a transform runs.
    """
    if not (is_on_device(codes) and _is_in_transform(sys._getframe(1))):
        return False
    import_module("scigrad.programs.device.flags").leave(codes, fail)
    return True


def _upload(values: np.ndarray, home: Any, shared: bool = False) -> Any:
    if home is np or not shape_of(values):
        return values
    found = import_module("scigrad.programs.device.constants").sent(values, home)
    return found if shared else found.copy()  # whoever gets it may write to it


def one_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of the elements of concrete arrays that a card runs as one kernel."""

    def run(*args: Any) -> Any:
        if type(args[0]) is not np.ndarray and library(*args) == "cupy":
            return import_module("scigrad.programs.device.elements").made_of_elements(
                function, args
            )
        return function(*args)

    return run


def places_in(shape: tuple[int, ...], like: Any) -> tuple[Any, Any]:
    """Return the numbers of the rows (m, 1) and of the columns (n) of matrices of a shape
    (..., m, n), on the device of an array.
    """
    rows, columns = (np.arange(n, dtype=np.int32) for n in shape[-2:])
    home = namespace_of(like)
    return _upload(rows[:, None], home, True), _upload(columns, home, True)


@concrete
def on_host(x: Any) -> Any:
    """Return a host copy, which synchronizes with the device.

    For data on which a shape or a branch depends: a mask to insert at, the places of zeros, a
    pattern, a failed factorization.
    """
    if not (hasattr(x, "get") and hasattr(x, "dtype")):
        return x
    return import_module("scigrad.programs.device.flags").fetch(x) if checks_left else x.get()


def windows_of(x: Any, length: int) -> Any:
    """Return the windows of the last axis as a view: CuPy's own function asks a device for their
    length.
    """
    if library(x) != "cupy":
        return np.lib.stride_tricks.sliding_window_view(x, length, axis=-1)
    shape = *x.shape[:-1], x.shape[-1] - length + 1, length
    as_strided = namespace_of(x).lib.stride_tricks.as_strided
    return as_strided(x, shape, (*x.strides, x.strides[-1]))


def is_batched(x: Any) -> bool:
    """Return whether x is under vmap at any level."""
    while isinstance(x, Traced) and not isinstance(x, Batched):
        x = x._value
    return isinstance(x, Batched)


def bring_home(values: Any, given: Any) -> Any:
    """Return arrays with those made from the lists among `given`, and the numbers, on the device of
    the arrays beside them.
    """
    home = namespace_of(
        *(
            v
            for v, g in zip(values, given, strict=True)
            if type(v) is not np.ndarray or hasattr(g, "shape")
        )
    )
    return (
        values
        if home is np
        else [_place_beside(home, v, g) for v, g in zip(values, given, strict=True)]
    )


def _place_beside(home: Any, value: Any, given: Any) -> Any:
    if not shape_of(value) and namespace_of(value) is np:
        # traced if it is, with a tangent on the device
        return as_scalar(value) * home.ones((), value.dtype)
    return (
        value if hasattr(given, "shape") or type(value) is not np.ndarray else home.asarray(value)
    )
