"""Our kernels on the card: their errors against the reference data, CuPy's own beside them, and
whose memory they take.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from scigrad.testing.reference import load, subjects


def rows(done: set[str], _small: bool) -> Iterator[dict[str, Any]]:
    """Compare each kernel of ours and CuPy's function of that name with the reference data: the
    largest error in ulp.
    """
    import scigrad.special.machinery.kernels as kernels
    from scigrad.numpy.accelerators import why_not
    from scigrad.special import i0e

    _on_card(i0e, np.ones(1))  # the first call tells whether Numba can be used
    if reason := why_not("numba.cuda"):
        yield {"name": "numba.cuda", "not_run": reason, "passed": True}
        return
    for name in sorted(module.name for module in pkgutil.iter_modules(kernels.__path__)):
        module = importlib.import_module(f"{kernels.__name__}.{name}")
        if not hasattr(module, "scalar") or f"{name} float64" in done:
            continue
        records = [
            r
            for subject in subjects()
            if subject.startswith("special/")
            for r in load(subject, name)
            if np.shape(r.value)  # the tails record derivatives alone
        ]
        for dtype in ("float32", "float64"):
            x, truth = points(records, dtype)
            error = ulp_error(_on_card(getattr(module, name), x), truth)
            theirs = ulp_error(_on_card(_of_cupyx(name), x), truth)
            # the recorded truth is rounded, by up to half a unit
            bound = module.ULP_BOUND[dtype] + 0.5
            row = {
                "name": f"{name} {dtype}",
                "kernel": name,
                "dtype": dtype,
                "points": x.size,
                "bound": bound,
                "ulp": error,
                "passed": error <= bound,
            }
            row["cupyx_ulp"] = theirs if np.isfinite(theirs) else "inf"  # JSON has no infinity
            yield {**row, "allocator": _uses_allocator(module, name, dtype)}


def points(records: list[Any], dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the recorded arguments that are exact in this precision, and the true values there."""
    x = np.concatenate([np.ravel(record.arguments[0]) for record in records])
    truth = np.concatenate([np.ravel(record.value) for record in records])
    exact = x == x.astype(dtype)
    return x[exact].astype(dtype), truth[exact]


def ulp_error(actual: np.ndarray, truth: np.ndarray) -> float:
    """Return the largest error in units in the last place of the true value, in the precision of
    `actual`; inf for nan.
    """
    unit = np.spacing(abs(truth).astype(actual.dtype)).astype(np.float64)
    error = abs(actual.astype(np.float64) - truth) / unit
    return float(np.where(np.isnan(error), np.inf, error).max())


def _of_cupyx(name: str) -> Callable[[Any], Any]:
    return getattr(importlib.import_module("cupyx.scipy.special"), name)


def _on_card(function: Callable[[Any], Any], x: np.ndarray) -> np.ndarray:
    import cupy

    return function(cupy.asarray(x)).get()


def _uses_allocator(module: Any, name: str, dtype: str) -> bool:
    """Return whether the result's memory comes from CuPy's current allocator."""
    import cupy

    x, sizes = cupy.ones(1000, dtype), []
    pool = cupy.cuda.MemoryPool()
    with cupy.cuda.using_allocator(lambda size: (sizes.append(size), pool.malloc(size))[1]):
        getattr(module, name)(x)
    return bool(sizes)
