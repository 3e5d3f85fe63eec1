"""Constants on the device of an array, in its precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, namespace_of, shape_of
from scigrad.autodiff_rules.boxes import Batched


def beside(values: Any, *arrays: Any) -> Any:
    """Return host values as a real (or, if they are complex, complex) array on the device of the arrays, in their precision."""
    values = np.asarray(values)
    dtype = np.result_type(*(x.dtype for x in arrays))
    dtype = dtype if dtype.kind in "fc" else np.dtype(float)
    if values.dtype.kind != "c":
        dtype = np.empty(0, dtype).real.dtype
    return _upload(values.astype(dtype, copy=False), namespace_of(*arrays))


def uploaded(indices: Any, x: Any) -> Any:
    """Return host indices on the device of x."""
    return _upload(indices, namespace_of(x)) if type(indices) is np.ndarray else indices


def _upload(values: np.ndarray, home: Any) -> Any:
    return values if home is np or not shape_of(values) else home.asarray(values)


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
    home = namespace_of(*(v for v, new in zip(values, made, strict=True) if not new)) if any(made) else np
    return [_upload(v, home) if new else v for v, new in zip(values, made, strict=True)]
