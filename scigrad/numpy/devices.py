"""Constants where the data is: made on the device of an array, in its precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import backends, raw, shape_of

__all__: list[str] = []  # nothing here is NumPy's


def library_of(*values: Any) -> str:
    """The library that owns the concrete arrays behind values."""
    return backends.library(*(raw(v) for v in values))


def beside(values: Any, x: Any) -> Any:
    """Host values as a real (or, if they are complex, complex) array on the device of x, in the precision of x."""
    values = np.asarray(values)
    dtype = np.result_type(x.dtype) if x.dtype.kind in "fc" else np.dtype(float)
    if values.dtype.kind != "c":
        dtype = np.empty(0, dtype).real.dtype
    return _upload(values.astype(dtype, copy=False), library_of(x))


def uploaded(indices: Any, x: Any) -> Any:
    """Host indices on the device of x."""
    return _upload(indices, library_of(x)) if type(indices) is np.ndarray else indices


def _upload(values: np.ndarray, library: str) -> Any:
    return values if library == "numpy" or not shape_of(values) else backends.namespace(library).asarray(values)
