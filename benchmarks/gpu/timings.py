"""Our functions and gradients against CuPy's own functions, the same by hand, and the gradients of
PyTorch and JAX where they are installed, interleaved.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from .workloads import calls, workloads

REPEATS = 20
SECONDS = 4.0  # seconds for a workload, beyond three calls of each
Calls = dict[str, Callable[[], Any]]


def rows(done: set[str], small: bool) -> Iterator[dict[str, Any]]:
    """Yield the times of each workload; one that cannot run is reported, and the others
    continue.
    """
    for name, workload in workloads().items():
        if name in done:
            continue
        try:
            found = interleaved(calls(workload, small, peers=not small), 1 if small else REPEATS)
            yield {"name": name, "what": workload.what, **found}
        except Exception as error:  # whatever it is belongs into the report
            yield {"name": name, "not_run": f"{type(error).__name__}: {error}"[:800]}


def interleaved(calls: Calls, repeats: int) -> dict[str, Any]:
    """Return minimum and median of each call in milliseconds, taken in turn, and megabytes that a
    call takes; what a contender cannot do is left out, ours is not.
    """
    missing, megabytes = {}, {}
    for name, call in list(calls.items()):
        try:
            for _ in range(3):  # compiles, and fills the memory pool
                megabytes[name] = _megabytes(call)
        except Exception as error:
            if name in ("plain", "gradient"):
                raise
            missing[name] = f"{type(error).__name__}: {error}"[:200]
            del calls[name]
    times: dict[str, list[float]] = {name: [] for name in calls}
    deadline = time.perf_counter() + SECONDS
    for turn in range(repeats):
        for name, call in calls.items():
            if turn < 2 or time.perf_counter() < deadline:
                times[name].append(_milliseconds(call))
    shown = {name: [min(values), statistics.median(values)] for name, values in times.items()}
    return {"milliseconds": shown, "megabytes": megabytes, "missing": missing}


def _milliseconds(call: Callable[[], Any]) -> float:
    """Wait for the whole device: each library has streams of its own."""
    import cupy

    device = cupy.cuda.Device()
    device.synchronize()
    start = time.perf_counter()
    call()
    device.synchronize()
    return 1000 * (time.perf_counter() - start)


def _megabytes(call: Callable[[], Any]) -> float:
    """Return what a call takes from CuPy's pool beyond what was there; PyTorch's knows its own."""
    import cupy

    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    before = pool.total_bytes()
    call()
    return (pool.total_bytes() - before) / 1e6
