"""Constants on the device of an array, in its precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, backends, raw, shape_of
from scigrad.autodiff_rules.boxes import Batched


def library_of(*values: Any) -> str:
    """Return the library that owns the concrete arrays behind values."""
    return backends.library(*(raw(v) for v in values))


def namespace_of(*values: Any) -> Any:
    """Return the array functions of that library: the module numpy or cupy."""
    return backends.namespace(library_of(*values))


def beside(values: Any, *arrays: Any) -> Any:
    """Return host values as a real (or, if they are complex, complex) array on the device of the arrays, in their precision."""
    values = np.asarray(values)
    dtype = np.result_type(*(x.dtype for x in arrays))
    dtype = dtype if dtype.kind in "fc" else np.dtype(float)
    if values.dtype.kind != "c":
        dtype = np.empty(0, dtype).real.dtype
    return _upload(values.astype(dtype, copy=False), library_of(*arrays))


def uploaded(indices: Any, x: Any) -> Any:
    """Return host indices on the device of x."""
    return _upload(indices, library_of(x)) if type(indices) is np.ndarray else indices


def _upload(values: np.ndarray, library: str) -> Any:
    return values if library == "numpy" or not shape_of(values) else backends.namespace(library).asarray(values)


def on_host(x: Any) -> Any:
    """Return a host copy, which synchronizes with the device.

    For data on which a shape or a branch depends: a mask to insert at, the places of zeros, a pattern, a failed factorization.
    """
    return x.get() if hasattr(x, "get") and hasattr(x, "dtype") else x


def is_batched(x: Any) -> bool:
    """Return whether x is under vmap at any level."""
    while isinstance(x, Traced) and not isinstance(x, Batched):
        x = x.value
    return isinstance(x, Batched)


def at_home(values: Any, given: Any) -> Any:
    """Return arrays made from the numbers and lists among `given`, on the device of the arrays beside them."""
    if all(hasattr(g, "shape") for g in given):
        return values
    made = [type(v) is np.ndarray and not hasattr(g, "shape") for v, g in zip(values, given, strict=True)]
    library = library_of(*(v for v, new in zip(values, made, strict=True) if not new)) if any(made) else "numpy"
    return [_upload(v, library) if new else v for v, new in zip(values, made, strict=True)]
