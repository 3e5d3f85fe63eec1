"""Constants on the device of an array, in its precision: each is sent there once."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, concrete, namespace_of, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.boxes import Batched
from scigrad.autodiff_rules.partials import FUSED
from scigrad.autodiff_rules.trace import as_scalar

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


@concrete
def on_host(x: Any) -> Any:
    """Return a host copy, which synchronizes with the device.

    For data on which a shape or a branch depends: a mask to insert at, the places of zeros, a
    pattern, a failed factorization.
    """
    return x.get() if hasattr(x, "get") and hasattr(x, "dtype") else x


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
