"""Measurements of `benchmarks.gpu`: accuracy of our kernels, CuPy's surface, and speed against CuPy's own functions.

Every function here needs CuPy and a GPU; nothing is imported before it is called.
"""

from __future__ import annotations

import importlib
import pkgutil
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.testing.cupyx_surface import CUPYX
from scigrad.testing.reference import load, subjects

REPEATS = 20
Pair = tuple[str, str, Callable[[], Any], Callable[[], Any]]  # name, what the peer is, ours, the peer's


def kernel_accuracy() -> list[dict[str, Any]]:
    """Compare each kernel of ours and CuPy's function of that name with the reference data: the largest error in ulp."""
    import scigrad.special.kernels as kernels

    rows = []
    for name in sorted(module.name for module in pkgutil.iter_modules(kernels.__path__)):
        module = importlib.import_module(f"{kernels.__name__}.{name}")
        if not hasattr(module, "scalar"):
            continue
        records = [r for subject in subjects() if subject.startswith("special/") for r in load(subject, name)]
        for dtype in ("float32", "float64"):
            x, truth = points(records, dtype)
            error = ulp_error(_on_card(getattr(module, name), x), truth)
            theirs = ulp_error(_on_card(_of_cupyx(name), x), truth)
            bound = module.ULP_BOUND[dtype] + 0.5  # the recorded truth is rounded, by up to half a unit
            row = {"kernel": name, "dtype": dtype, "points": x.size, "bound": bound, "ulp": error, "passed": error <= bound}
            row["cupyx_ulp"] = theirs if np.isfinite(theirs) else "inf"  # JSON has no infinity
            rows.append({**row, "allocator": _uses_allocator(module, name, dtype)})
    return rows


def points(records: list[Any], dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the recorded arguments that are exact in this precision, and the true values there."""
    x = np.concatenate([np.ravel(record.arguments[0]) for record in records])
    truth = np.concatenate([np.ravel(record.value) for record in records])
    exact = x == x.astype(dtype)
    return x[exact].astype(dtype), truth[exact]


def ulp_error(actual: np.ndarray, truth: np.ndarray) -> float:
    """Return the largest error in units in the last place of the true value, in the precision of `actual`; inf for nan."""
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


def surface_changes() -> dict[str, dict[str, list[str]]]:
    """Return names that differ between the table `cupyx_surface` and the installed CuPy."""
    changes = {}
    for room, names in CUPYX.items():
        try:
            found = set(dir(importlib.import_module(f"cupyx.scipy.{room}")))
        except ModuleNotFoundError:
            changes[room] = {"gone": sorted(names), "new": []}
            continue
        public = getattr(importlib.import_module(f"scipy.{room}"), "__all__", [])
        new = sorted(name for name in public if name in found - names)
        if new or names - found:
            changes[room] = {"gone": sorted(names - found), "new": new}
    return changes


def timings() -> list[dict[str, Any]]:
    """Run the benchmarks, ours and the peer's interleaved; report one that cannot run and continue with the others."""
    rows = []
    for prepare in (_i0e_float32, _i0e_float64, _fft, _fft_gradient, _lfilter, _lfilter_gradient, _spsolve, _spsolve_gradient):
        label = prepare.__name__.strip("_").replace("_", " ")
        try:
            rows.append({"benchmark": label, **_interleaved(*prepare())})
        except Exception as error:  # whatever it is belongs into the report
            rows.append({"benchmark": label, "not_run": f"{type(error).__name__}: {error}"})
    return rows


def _interleaved(what: str, peer: str, ours: Callable[[], Any], theirs: Callable[[], Any]) -> dict[str, Any]:
    times: dict[str, list[float]] = {"ours": [], "peer": []}
    for turn in range(REPEATS + 3):  # the first three compile and fill the memory pool
        for key, function in (("ours", ours), ("peer", theirs)):
            elapsed = _milliseconds(function)
            if turn >= 3:
                times[key].append(elapsed)
    row: dict[str, Any] = {"what": what, "peer": peer}
    for key, values in times.items():
        row |= {f"{key}_min_ms": min(values), f"{key}_median_ms": statistics.median(values)}
    return row | {"ratio": row["ours_min_ms"] / row["peer_min_ms"]}


def _milliseconds(function: Callable[[], Any]) -> float:
    import cupy

    start, stop = cupy.cuda.Event(), cupy.cuda.Event()
    start.record()
    function()
    stop.record()
    stop.synchronize()
    return cupy.cuda.get_elapsed_time(start, stop)


def _i0e(dtype: str) -> Pair:
    import cupy
    from cupyx.scipy import special

    from scigrad.special.kernels.i0e import i0e

    x = cupy.random.default_rng(0).uniform(0, 80, 10_000_000).astype(dtype)
    return f"10^7 values, {dtype}", "cupyx", lambda: i0e(x), lambda: special.i0e(x)


def _i0e_float32() -> Pair:
    return _i0e("float32")


def _i0e_float64() -> Pair:
    return _i0e("float64")


def _signal(n: int) -> Any:
    import cupy

    return cupy.random.default_rng(0).standard_normal(n)


def _fft() -> Pair:
    from cupyx.scipy import fft

    import scigrad.fft

    x = _signal(2**22) + 0j
    return "2^22 complex128, forward", "cupyx", lambda: scigrad.fft.fft(x), lambda: fft.fft(x)


def _fft_gradient() -> Pair:
    from cupyx.scipy import fft

    import scigrad.fft

    x = _signal(2**22) + 0j
    gradient = scigrad.grad(lambda z: (abs(scigrad.fft.fft(z)) ** 2).sum())
    return "2^22 complex128, gradient of the power", "cupyx, fft and ifft", lambda: gradient(x), lambda: fft.ifft(fft.fft(x))


def _filter() -> tuple[Any, Any, Any]:
    import cupy
    import scipy.signal

    design: Any = scipy.signal.butter(8, 0.3)
    b, a = design
    return cupy.asarray(b), cupy.asarray(a), _signal(1_000_000)


def _lfilter() -> Pair:
    from cupyx.scipy import signal

    import scigrad.signal

    b, a, x = _filter()
    return "10^6 samples, order 8, forward", "cupyx", lambda: scigrad.signal.lfilter(b, a, x), lambda: signal.lfilter(b, a, x)


def _lfilter_gradient() -> Pair:
    from cupyx.scipy import signal

    import scigrad.signal

    b, a, x = _filter()
    gradient = scigrad.grad(lambda b, a, x: (scigrad.signal.lfilter(b, a, x) ** 2).sum(), argnums=(0, 1, 2))
    return "10^6 samples, order 8, gradient", "cupyx, forward", lambda: gradient(b, a, x), lambda: signal.lfilter(b, a, x)


def _poisson(n: int) -> tuple[Any, Any]:
    """Return the five-point matrix on n x n cells, and a right-hand side."""
    import cupy
    import cupyx.scipy.sparse as sparse
    import scipy.sparse

    offsets: Any = (-1, 0, 1)
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=offsets, shape=(n, n))
    eye = scipy.sparse.eye_array(n)
    return sparse.csr_matrix((scipy.sparse.kron(line, eye) + scipy.sparse.kron(eye, line)).tocsr()), cupy.ones(n * n)


def _spsolve() -> Pair:
    from cupyx.scipy.sparse.linalg import spsolve

    import scigrad.sparse.linalg

    a, b = _poisson(100)
    return "Poisson 100 x 100, forward", "cupyx", lambda: scigrad.sparse.linalg.spsolve(a, b), lambda: spsolve(a, b)


def _spsolve_gradient() -> Pair:
    from cupyx.scipy.sparse.linalg import spsolve

    import scigrad.sparse.linalg

    a, b = _poisson(100)
    gradient = scigrad.grad(lambda a, b: (scigrad.sparse.linalg.spsolve(a, b) ** 2).sum(), argnums=(0, 1))
    return "Poisson 100 x 100, gradient", "cupyx, forward", lambda: gradient(a, b), lambda: spsolve(a, b)
