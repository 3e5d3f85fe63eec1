"""Ufuncs of SciPy's over the threads that `scigrad.fft.set_workers` allows; they release the interpreter's lock."""

from __future__ import annotations

import contextvars
import functools
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .piecewise import LARGE, faster


def in_threads(function: Any, *args: np.ndarray) -> Any:
    """Return function(*args), computed by a faster kernel and in equal pieces if the arrays are large."""
    loaded = sys.modules.get("scipy.fft")  # before it is loaded no number has been set, and one thread computes
    if max(x.size for x in args) < LARGE:
        return function(*args)
    values = faster(function, *args)
    if loaded is None or not hasattr(function, "nin"):
        return values(*args)
    workers, shape = loaded.get_workers(), np.broadcast_shapes(*(x.shape for x in args))
    told = {**sys.modules["scipy.special"].geterr(), "memory": "ignore"}  # by errstate, which each thread has of its own
    if workers == 1 or shape[0] < workers or set(told.values()) != {"ignore"}:
        return values(*args)
    dtypes = function.resolve_dtypes((*(x.dtype for x in args), *[None] * function.nout))
    outs = tuple(np.empty(shape, dtype) for dtype in dtypes[function.nin :])
    ends = [shape[0] * i // workers for i in range(workers + 1)]

    def piece(start: int, stop: int) -> None:
        rows = (x[start:stop] if x.ndim == len(shape) and x.shape[0] == shape[0] else x for x in args)
        values(*rows, out=tuple(out[start:stop] for out in outs))

    run = [contextvars.copy_context().run for _ in ends[1:]]  # numpy.errstate is a part of the context
    list(_pool(workers).map(lambda run, *ends: run(piece, *ends), run, ends, ends[1:]))
    return outs if len(outs) > 1 else outs[0]


def on_arrays(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a function of one number whose values on host arrays are computed as those of the library's ufuncs."""
    return functools.wraps(function)(lambda x: in_threads(function, x) if type(x) is np.ndarray else function(x))


@functools.cache
def _pool(workers: int) -> Any:
    from concurrent.futures import ThreadPoolExecutor  # which loads `logging`

    return ThreadPoolExecutor(workers)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has the pools of its parent without their threads


__all__ = ["in_threads", "on_arrays"]
