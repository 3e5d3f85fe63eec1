"""Plans of non-uniform transforms, kept for the next transform at the same points: a gradient, or
the next step of an iteration.

A plan has sorted the points and chosen the grid: a tenth of the time of a transform of type 1 or 2,
up to two thirds of one of type 3. With it value and gradient take 0.8 to 0.96 of the time (10^4 and
10^5 points in 1 to 3 dimensions).

Points are compared by their coordinates with a copy, so that writing into an array of points makes
it different. A plan is used by one thread at a time: it is removed from the store while it runs. A
plan does not depend on the transform that it is made for, so that no result depends on earlier
calls.
"""

import itertools
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

_BYTES = 2**28  # bytes of the points that are kept; their plans take up to twice as many again
_COUNT = 8


class _Kept(NamedTuple):
    key: Hashable
    places: tuple[Any, ...]
    plan: Any

    def matches(self, key: Hashable, places: tuple[Any, ...]) -> bool:
        return self.key == key and all(map(_same, self.places, places))


_kept: dict[int, _Kept] = {}  # the last used one last
_lock = threading.Lock()
_serials = itertools.count()


def _same(a: Any, b: Any) -> bool:
    return (
        a.shape == b.shape
        and a.dtype == b.dtype
        and a.flat[-1] == b.flat[-1]
        and np.array_equal(a, b)
    )


@contextmanager
def borrow_plan(key: Hashable, places: tuple[Any, ...], make: Callable[..., Any]) -> Iterator[Any]:
    """Yield the plan make(*places) for points that are not empty, new or kept from an earlier call
    with the same key.
    """
    entry = _take_plan(key, places)
    if entry is None:
        places = tuple(np.array(x, order="C") for x in places)
        entry = _Kept(key, places, make(*places))
    yield entry.plan
    _put_back(entry)


def _take_plan(key: Hashable, places: tuple[Any, ...]) -> _Kept | None:
    with _lock:
        entries = list(_kept.items())
    for serial, entry in reversed(entries):
        if entry.matches(key, places):
            with _lock:
                found = _kept.pop(serial, None)
            if found is not None:  # else another thread was faster
                return found
    return None


def _put_back(entry: _Kept) -> None:
    with _lock:
        _kept[next(_serials)] = entry
        total = sum(x.nbytes for other in _kept.values() for x in other.places)
        while _kept and (len(_kept) > _COUNT or total > _BYTES):
            total -= sum(x.nbytes for x in _kept.pop(next(iter(_kept))).places)


__all__ = ["borrow_plan"]
