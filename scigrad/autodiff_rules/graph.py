"""The graph that reverse mode records, and the two ways through it: cotangents are pulled back, tangents pushed forward.

A node is a plain tuple (serial, primitive, kept, parents): a number that falls as the function runs, what was called, what its
rules need, and pairs of an argument's position and the node that computed it. An input of the transform has no primitive.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import weakref
from collections.abc import Callable, Generator, Iterable, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from .absent import ZERO
from .spaces import flatten

watchers: list[Callable[..., None]] = []  # of `debug_nans`: what sees each call on the ways through the graph
new_serial = itertools.count(0, -1).__next__  # falling, so that the heap below yields the latest node first


def new_node(primitive: Any, kept: Any, parents: Sequence[tuple[int, Any]]) -> Any:
    return new_serial(), primitive, kept, parents


def pull(nodes: list[Any], cotangents: Sequence[Any], inputs: Sequence[Any], release: bool = False) -> list[Any]:
    """Return cotangents of the inputs, ZERO for those that none reaches, from those of some nodes (None: a constant).

    With `release` the list is emptied, so that each node is freed after its use.
    """
    waiting: dict[int, Any] = {}
    queue: list[Any] = []
    pop, push = heapq.heappop, heapq.heappush
    for node, g in zip(nodes, cotangents, strict=True):
        if node is not None and g is not ZERO:
            if node[0] not in waiting and node[1] is not None:
                push(queue, node)
            waiting[node[0]] = waiting.get(node[0], ZERO) + g
    if release:
        nodes.clear()
    # The cotangent of the latest node that waits is complete.
    node = None
    while queue:
        serial, primitive, kept, parents = pop(queue)
        pulled = primitive.pull(kept, parents, waiting.pop(serial))
        if watchers:
            watchers[-1](serial, primitive, kept, parents, pulled)
        while not queue and len(pulled) == 1 and pulled[0][0][1] is not None:  # a chain needs no queue
            (serial, primitive, kept, parents), g = pulled[0]
            pulled = primitive.pull(kept, parents, g)
            if watchers:
                watchers[-1](serial, primitive, kept, parents, pulled)
        for node, c in pulled:
            serial = node[0]
            if serial in waiting:
                waiting[serial] = waiting[serial] + c
            else:
                waiting[serial] = c
                if node[1] is not None:
                    push(queue, node)
        node = None
    return [waiting.get(node[0], ZERO) for node in inputs]


def push(nodes: Sequence[Any], tangents: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """Return tangents of some nodes, ZERO for constants, from those of the inputs."""
    known = {node[0]: t for node, t in zip(inputs, tangents, strict=True)}
    for serial, primitive, kept, parents in in_order(nodes):
        if serial not in known:
            parts = [ZERO] * primitive.count(kept)
            for position, parent in parents:
                parts[position] = known[parent[0]]
            known[serial] = primitive.push(kept, parts) if any(t is not ZERO for t in parts) else ZERO
            if watchers:
                watchers[-1](serial, primitive, kept, (), [(None, known[serial])])
    return [ZERO if node is None else known[node[0]] for node in nodes]


def in_order(nodes: Sequence[Any]) -> list[Any]:
    seen = {node[0]: node for node in nodes if node is not None}
    stack = list(seen.values())
    while stack:
        for _, parent in stack.pop()[3]:
            if parent[0] not in seen:
                seen[parent[0]] = parent
                stack.append(parent)
    return [seen[serial] for serial in sorted(seen, reverse=True)]


def uses(nodes: Sequence[Any], primitive: Any) -> bool:
    """Whether a call of a function is among what some nodes were computed from."""
    return any(node[1] is primitive for node in in_order(nodes))


# -- one output of a call with several: each has a node of its own above a node that holds the structure


class _Parts(dict[int, Any]):
    """Cotangents of some outputs of a call, by number. Sums are computed in place, because no other reference to them exists."""

    def __add__(self, other: Any) -> _Parts:
        self.update(other)  # once for each output, when its cotangent is complete
        return self


class _Pick:
    """Output number `kept` of a call with several."""

    def count(self, kept: Any) -> int:
        return 1

    def push(self, kept: Any, tangents: Any) -> Any:
        return tangents[0][kept]

    def pull(self, kept: Any, parents: Any, g: Any) -> list[tuple[Any, Any]]:
        return [(parents[0][1], _Parts({kept: g}))]


class _Gather(_Pick):
    """All outputs of a call; `kept` is a function that returns their cotangents as the rules of the call take them."""

    def push(self, kept: Any, tangents: Any) -> Any:
        return tangents[0]

    def pull(self, kept: Any, parents: Any, g: Any) -> list[tuple[Any, Any]]:
        return [(parents[0][1], kept(g))]


_PICK, _GATHER = _Pick(), _Gather()


def picks(node: Any, count: int, rebuilt: Callable[[Iterable[Any]], Any]) -> list[Any]:
    """Return a node for each output of a call that returned several."""
    gather = new_node(_GATHER, lambda parts: rebuilt(parts.get(i, ZERO) for i in range(count)), ((0, node),))
    return [new_node(_PICK, i, ((0, gather),)) for i in range(count)]


# -- arrays that a graph keeps and that nobody may write to meanwhile

_checking: ContextVar[bool] = ContextVar("checking", default=False)
guarded: dict[int, dict[int, np.ndarray]] = {}  # level of a recording -> the arrays that are read-only because of it


@contextlib.contextmanager
def check_writes() -> Generator[None, None, None]:
    """Make the arrays that a graph keeps read-only until it is released.

    The graph of `grad` or `vjp` keeps the plain arrays that a function computes with, not copies of them: a work array
    that is filled again after its use (``w[:] = ...``) silently gives a wrong gradient. Inside of this context that
    assignment raises ``ValueError: assignment destination is read-only`` where it stands.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import check_writes, grad
    >>> def f(x):
    ...     w = np.ones(3)
    ...     y = np.sum(w * x)
    ...     w[:] = 2.0
    ...     return y + np.sum(w * x)
    >>> with check_writes():
    ...     grad(f)(np.ones(3))
    Traceback (most recent call last):
    ValueError: assignment destination is read-only
    """
    token = _checking.set(True)
    try:
        yield
    finally:
        _checking.reset(token)


def guard(level: int, owner: Any) -> None:
    """Under `check_writes`, protect all that is recorded at a level while `owner` lives."""
    if _checking.get():
        guarded[level] = {}
        weakref.finalize(owner, _release, level)


def protect(level: int, kept: Any) -> Any:
    """Return what a node keeps; under `check_writes` make its arrays, and those that they are views of, read-only."""
    arrays = guarded.get(level)
    if arrays is not None:
        for x in flatten(kept)[0] if isinstance(kept, (tuple, list)) else ():
            while type(x) is np.ndarray and (x.base is None or hasattr(x.base, "flags")):  # a capsule's is locked for good
                if x.flags.writeable or any(id(x) in others for others in [*guarded.values()]):
                    x.flags.writeable = False
                    arrays[id(x)] = x
                x = x.base
    return kept


def _release(level: int) -> None:
    arrays = guarded.pop(level).values()
    for x in sorted(arrays, key=lambda x: x.base is not None):  # owners of memory first, then views of it
        locked = [others for others in [*guarded.values()] if id(x) in others or id(x.base) in others]
        if locked:  # another recording keeps the array, or the memory that it is a view of, and releases both
            locked[0][id(x)] = x
        else:
            x.flags.writeable = True
