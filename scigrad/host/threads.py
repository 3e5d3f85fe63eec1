"""Ufuncs of SciPy's over the threads that `scigrad.fft.set_workers` allows; they release the
interpreter's lock.
"""

import contextvars
import functools
import math
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .compiled import LARGE, faster

MANY = 1 << 13  # elements, from which on threads may be worth while
_WORTH = 2e-4  # seconds of work that are: twice what it takes to begin in another thread
_SHARE = 6e-5  # seconds of a part, of which it takes a tenth to fetch the next one
_SHARES = 8  # parts for each thread


def call_in_threads(function: Any, *args: np.ndarray) -> Any:
    """Return function(*args), computed by a faster kernel and in parts by several threads if that
    is worth while.

    A sixteenth is computed first: its time tells.
    """
    size = max(x.size for x in args)
    if size < MANY:
        return function(*args)
    values, threads, shape = (
        faster(function, *args),
        workers(),
        np.broadcast_shapes(*(x.shape for x in args)),
    )
    # by errstate, which each thread has of its own
    told = {**sys.modules["scipy.special"].geterr(), "memory": "ignore"}
    if (
        threads == 1
        or shape[0] < (threads if size >= LARGE else 16)
        or set(told.values()) != {"ignore"}
    ):
        return values(*args)

    def rows(start: int, stop: int) -> Any:
        return (
            x[start:stop] if x.ndim == len(shape) and x.shape[0] == shape[0] else x for x in args
        )

    def part(start: int, stop: int) -> None:
        if hasattr(function, "nin"):
            values(*rows(start, stop), out=tuple(out[start:stop] for out in outs))
        else:
            outs[0][start:stop] = values(*rows(start, stop))

    empty, first, begun = function(*rows(0, 0)), shape[0] // 16, time.perf_counter()
    outs = tuple(
        np.empty(shape, y.dtype) for y in (empty if isinstance(empty, tuple) else (empty,))
    )
    part(0, first)
    rest = 15 * (time.perf_counter() - begun) if first else 1
    spread(part, first, shape[0], threads if rest > _WORTH else 1, rest / _SHARE)
    return outs[0] if len(outs) == 1 else outs


def workers() -> int:
    """Return the number of threads that the user allows."""
    # before it is loaded no number has been set, and one thread computes
    loaded = sys.modules.get("scipy.fft")
    return loaded.get_workers() if loaded else 1


def spread(
    part: Callable[[int, int], Any], start: int, stop: int, threads: int, most: float = math.inf
) -> list[Any]:
    """Return part(start, stop) of equal parts of a range, at most so many, in order.

    Threads, of which this is one, take one part after another: nobody waits for a thread that other
    work keeps from beginning.
    """
    count = int(min(stop - start, _SHARES * threads, max(most, threads))) if threads > 1 else 1
    ends = [start + (stop - start) * i // count for i in range(count + 1)]
    found, left = [None] * count, iter(range(count))

    def work() -> None:
        for i in left:
            found[i] = part(ends[i], ends[i + 1])

    # numpy.errstate is a part of the context
    run = [contextvars.copy_context().run for _ in range(1, min(threads, count))]
    others = [pool(threads - 1).submit(each, work) for each in run]
    work()
    for other in others:
        _ = other.cancel() or other.result()
    return found


def threaded_function(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function of one number whose values on host arrays are computed as those of the
    library's ufuncs.
    """
    return functools.wraps(function)(
        lambda x: call_in_threads(function, x) if type(x) is np.ndarray else function(x)
    )


@functools.cache
def pool(threads: int) -> Any:
    """Return the threads beside the one that calls."""
    from concurrent.futures import ThreadPoolExecutor  # this import loads `logging`

    return ThreadPoolExecutor(threads)


if hasattr(os, "register_at_fork"):
    # a child has the pools of its parent without their threads
    os.register_at_fork(after_in_child=pool.cache_clear)


__all__ = ["MANY", "call_in_threads", "threaded_function", "pool", "spread", "workers"]
