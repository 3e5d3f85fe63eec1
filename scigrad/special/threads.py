"""Ufuncs of SciPy's over the threads that `scigrad.fft.set_workers` allows; they release the interpreter's lock."""

import contextvars
import functools
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .piecewise import LARGE, faster

MANY = 1 << 13  # elements, from which on threads may be worth while
_WORTH = 3e-4  # seconds of work that are: several times what it takes to hand a part to a thread


def in_threads(function: Any, *args: np.ndarray) -> Any:
    """Return function(*args), computed by a faster kernel and in equal parts if that is worth while.

    Of arrays that are not large an eighth is computed first: its time tells.
    """
    size = max(x.size for x in args)
    if size < MANY:
        return function(*args)
    values, parts, shape = faster(function, *args), workers(), np.broadcast_shapes(*(x.shape for x in args))
    if parts == 1 or shape[0] < (parts if size >= LARGE else 8 * parts) or not hasattr(function, "nin"):
        return values(*args)
    told = {**sys.modules["scipy.special"].geterr(), "memory": "ignore"}  # by errstate, which each thread has of its own
    if set(told.values()) != {"ignore"}:
        return values(*args)
    dtypes = function.resolve_dtypes((*(x.dtype for x in args), *[None] * function.nout))
    outs = tuple(np.empty(shape, dtype) for dtype in dtypes[function.nin :])

    def part(start: int, stop: int) -> None:
        rows = (x[start:stop] if x.ndim == len(shape) and x.shape[0] == shape[0] else x for x in args)
        values(*rows, out=tuple(out[start:stop] for out in outs))

    first, begun = 0 if size >= LARGE else shape[0] // 8, time.perf_counter()
    part(0, first)
    spread(part, first, shape[0], parts if size >= LARGE or time.perf_counter() - begun > _WORTH / 8 else 1)
    return outs if len(outs) > 1 else outs[0]


def workers() -> int:
    """Return the number of threads that the user allows."""
    loaded = sys.modules.get("scipy.fft")  # before it is loaded no number has been set, and one thread computes
    return loaded.get_workers() if loaded else 1


def spread(part: Callable[[int, int], Any], start: int, stop: int, parts: int) -> list[Any]:
    """Return part(start, stop) of equal parts of a range, of which this thread computes the first."""
    ends = [start + (stop - start) * i // parts for i in range(parts + 1)]
    run = [contextvars.copy_context().run for _ in ends[2:]]  # numpy.errstate is a part of the context
    others = [_pool(parts - 1).submit(run, part, *at) for run, *at in zip(run, ends[1:], ends[2:], strict=False)]
    return [part(*ends[:2]), *(other.result() for other in others)]


def on_arrays(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function of one number whose values on host arrays are computed as those of the library's ufuncs."""
    return functools.wraps(function)(lambda x: in_threads(function, x) if type(x) is np.ndarray else function(x))


@functools.cache
def _pool(threads: int) -> Any:
    from concurrent.futures import ThreadPoolExecutor  # which loads `logging`

    return ThreadPoolExecutor(threads)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has the pools of its parent without their threads


__all__ = ["MANY", "in_threads", "on_arrays", "spread", "workers"]
