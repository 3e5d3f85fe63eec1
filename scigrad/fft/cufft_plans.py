"""Plans of cuFFT, of one stream at a time in the cache that CuPy has for a thread and a device.

A plan owns a work area: if it runs on two streams at once, each destroys the intermediate results
of the other. CuPy keeps the last 16 plans of a thread by shape and dtype, but not by stream
(cupy/cupy#8079), so that streams of one thread share plans. Therefore, before a transform on
another stream than the previous one's, the plans in CuPy's cache are set aside until their stream
returns, and its own are put back. A plan is then made, run and destroyed on one stream, which its
memory requires too: CuPy's pool gives a freed work area to the next array of the stream that
allocated it. With a single stream this costs one comparison. CuPy's limits hold for each set of
plans (`cupy.fft.config.set_plan_cache_size`, `set_plan_cache_max_memsize`).

The direction of a transform is no part of a plan: the adjoint of fft, an inverse without its
factor, runs the same plan. A plan passed as `plan=` belongs to the caller: no two streams or
threads may use it at once.
"""

import sys
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from scigrad.autodiff_rules import kernel

_STREAMS = 4  # sets of plans that are kept aside for each device of a thread


class _Set(NamedTuple):
    stream: Any  # the stream itself: while it lives no other one has its number
    plans: list[tuple[Any, Any]]  # key and plan, the last used one last


class _Thread(threading.local):
    """For each device the stream whose plans are in the cache, and the sets set aside, in the order
    of their last use.
    """

    def __init__(self) -> None:
        self.current: dict[int, Any] = {}
        self.aside: dict[int, dict[int, _Set]] = {}


_thread = _Thread()


def of_current_stream() -> None:
    """Make CuPy's cache of this thread and device hold plans of the current stream only."""
    cupy = sys.modules["cupy"]
    stream, device = cupy.cuda.get_current_stream(), cupy.cuda.runtime.getDevice()
    last = _thread.current.get(device)
    if last is not None and last.ptr == stream.ptr:
        return
    cache = cupy.fft.config.get_plan_cache()
    found = _taken_out(cache)
    aside = _thread.aside.setdefault(device, {})
    if last is not None:  # otherwise the streams of these plans are unknown
        aside[last.ptr] = _Set(last, found)
    for key, plan in aside.pop(stream.ptr, _Set(stream, [])).plans:
        _put_back(cache, key, plan)
    while len(aside) > _STREAMS:
        del aside[next(iter(aside))]
    _thread.current[device] = stream


def _taken_out(cache: Any) -> list[tuple[Any, Any]]:
    """Take the plans of one device out of the cache. Those of several devices have their own
    streams.
    """
    found = [(key, node.plan) for key, node in cache if node.gpus is None]
    for key, _ in found:
        del cache[key]
    return found[::-1]


def _put_back(cache: Any, key: Any, plan: Any) -> None:
    try:
        cache[key] = plan
    except RuntimeError:  # it is larger than the memory that the cache may take by now
        return


def on_current_stream(name: str) -> Callable[..., Any]:
    """Return a function of cupyx.scipy.fft with plans that no other stream uses."""

    def run(*args: Any, **kwargs: Any) -> Any:
        of_current_stream()
        return kernel("fft." + name)(*args, **kwargs)

    return run


__all__ = ["of_current_stream", "on_current_stream"]
