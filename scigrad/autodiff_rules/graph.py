"""The graph that reverse mode records, and the two ways through it: cotangents are pulled back,
tangents pushed forward.

A node is a plain tuple (serial, primitive, kept, parents): a number that falls as the function
runs, what was called, what its rules need, and pairs of an argument's position and the node that
computed it. An input of the transform has no primitive.
"""

from __future__ import annotations

import contextlib
import functools
import heapq
import itertools
import weakref
from collections.abc import Callable, Generator, Iterable, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from .containers import flatten, is_writable
from .messages import callers, errors
from .trace import ZERO

# functions of `debug_nans` that see each call on the ways through the graph
watchers: list[Callable[..., None]] = []
# falling, so that the heap below yields the latest node first
new_serial: Callable[[], int] = itertools.count(0, -1).__next__


def new_node(primitive: Any, kept: Any, parents: Sequence[tuple[int, Any]]) -> Any:
    return new_serial(), primitive, kept, parents


def pull(nodes: Sequence[Any], cotangents: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """Return cotangents of the inputs, ZERO for those that none reaches, from those of some nodes
    (None: a constant).
    """
    waiting: dict[int, Any] = {}
    queue: list[Any] = []
    add, take = heapq.heappush, heapq.heappop
    found: list[Any] = [
        (node, g)
        for node, g in zip(nodes, cotangents, strict=True)
        if node is not None and g is not ZERO
    ]
    while True:
        if not queue and len(found) == 1 and found[0][0][1] is not None:  # a chain needs no queue
            (serial, primitive, kept, parents), g = found[0]
        else:
            for node, g in found:
                serial = node[0]
                if serial in waiting:
                    waiting[serial] = waiting[serial] + g
                else:
                    waiting[serial] = g
                    if node[1] is not None:
                        add(queue, node)
            if not queue:
                return [waiting.get(node[0], ZERO) for node in inputs]
            # The cotangent of the latest node that waits is complete.
            serial, primitive, kept, parents = take(queue)
            g = waiting.pop(serial)
        found = primitive.pull(kept, parents, g)
        if watchers:
            watchers[-1](serial, primitive, kept, parents, found)


def needs_masks(parents: Iterable[tuple[int, Any]]) -> bool:
    """Return whether the cotangents of some parents meet further rules: those of the inputs of a
    transform do not.
    """
    for _, node in parents:  # noqa: SIM110  (any() and a generator take three times as long)
        if node[1] is not None or node[2]:
            return True
    return False


def push(nodes: Sequence[Any], tangents: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """Return tangents of some nodes, ZERO for constants, from those of the inputs."""
    known = {node[0]: t for node, t in zip(inputs, tangents, strict=True)}
    for serial, primitive, kept, parents in sort_nodes(nodes):
        if serial not in known:
            parts, varies = [ZERO] * primitive.count(kept), False
            for position, parent in parents:
                parts[position] = t = known[parent[0]]
                varies = varies or t is not ZERO
            known[serial] = primitive.push(kept, parts) if varies else ZERO
            if watchers:
                watchers[-1](serial, primitive, kept, (), [(None, known[serial])])
    return [ZERO if node is None else known[node[0]] for node in nodes]


def sort_nodes(nodes: Sequence[Any]) -> list[Any]:
    seen = {node[0]: node for node in nodes if node is not None}
    stack = list(seen.values())
    while stack:
        for _, parent in stack.pop()[3]:
            if parent[0] not in seen:
                seen[parent[0]] = parent
                stack.append(parent)
    return [seen[serial] for serial in sorted(seen, reverse=True)]


def uses(nodes: Sequence[Any], primitive: Any) -> bool:
    """Return whether a call of a function is among what some nodes were computed from."""
    return any(getattr(node[1], "primitive", node[1]) is primitive for node in sort_nodes(nodes))


# -- one output of a call with several: each has a node of its own above a node that holds the
# structure


class _Parts(dict[int, Any]):
    """Cotangents of some outputs of a call, by number. Sums are computed in place, because no other
    reference to them exists.
    """

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
    """All outputs of a call; `kept` is a function that returns their cotangents as the rules of the
    call take them.
    """

    def push(self, kept: Any, tangents: Any) -> Any:
        return tangents[0]

    def pull(self, kept: Any, parents: Any, g: Any) -> list[tuple[Any, Any]]:
        return [(parents[0][1], kept(g))]


_PICK, _GATHER = _Pick(), _Gather()


def node_serials(node: Any) -> Iterable[int]:
    """Return the serial number of a node and, if it is one output of a call with several, of the
    nodes of that call.
    """
    while isinstance(node[1], _Pick):
        yield node[0]
        node = node[3][0][1]
    yield node[0]


def picks(node: Any, count: int, rebuilt: Callable[[Iterable[Any]], Any]) -> list[Any]:
    """Return a node for each output of a call that returned several."""
    gather = new_node(
        _GATHER, lambda parts: rebuilt(parts.get(i, ZERO) for i in range(count)), ((0, node),)
    )
    return [new_node(_PICK, i, ((0, gather),)) for i in range(count)]


# -- plain arrays that a graph keeps and that the program may write to: small ones are copied, large
# ones are looked at again

COPIED = 1024  # bytes of an array at most: a copy takes 0.2 us, and about the memory of a node
_LOOKS = 64  # elements of a large array, in a regular grid
_PYTHONS = frozenset((tuple, list, dict))
# types to which nobody can write
ATOMS = frozenset((int, float, bool, str, slice, type(None), type(...)))


def settle_kept(x: Any, level: int) -> tuple[Any, bool]:
    """Return an array that a graph keeps, a copy if it is small, and whether it has to be watched.

    Under `check_writes` it is neither, so that writes raise. Large arrays on a device are left
    alone, because to look at their elements is to wait for it.
    """
    if guarded and level in guarded:
        return x, False
    if x.nbytes <= COPIED:
        return x.copy(), False
    return x, isinstance(x, np.ndarray)


def is_settled(x: Any) -> bool:
    """Return whether nobody can write to an argument: a number, a slice or a tuple of such."""
    return type(x) in ATOMS or (type(x) is tuple and ATOMS.issuperset(map(type, x)))


def settle(values: list[Any], writable: Iterable[int], level: int) -> list[np.ndarray]:
    """Put copies in place of the small arrays and of the lists at some positions, and return the
    arrays to be watched.
    """
    large: list[np.ndarray] = []

    def leaf(x: Any) -> Any:
        if not is_writable(type(x)):
            return x
        x, watch = settle_kept(x, level)
        if watch:
            large.append(x)
        return x

    for i in writable:
        x = values[i]
        if type(x) is np.ndarray:
            values[i], watch = settle_kept(x, level)
            if watch:
                large.append(x)
        elif not is_settled(x):
            leaves, tree = flatten(x)
            copies = list(map(leaf, leaves))
            if type(x) in _PYTHONS or any(a is not b for a, b in zip(leaves, copies, strict=True)):
                values[i] = tree.unflatten(copies)
    return large


def watch_call(primitive: Any, kept: Any, large: list[np.ndarray]) -> Any:
    """Return the primitive of a call, which looks again at the large arrays that the call keeps."""
    held = {id(x) for x in flatten(kept)[0]}
    arrays = [x for x in large if id(x) in held]
    if not arrays:
        return primitive
    name = primitive.__name__.strip("_")
    public = isinstance(primitive.kernel, np.ufunc) or callers.own_path(primitive.__module__, name)
    return Watched(primitive, arrays, name if public else callers.own_name(name))


class Watch:
    """Looks again at large arrays that the derivative of a function needs."""

    seen: Any

    def __init__(self, name: str, arrays: list[np.ndarray]) -> None:
        self.name = name
        self.seen = [(x, x[_grid(x.shape)].tobytes()) for x in arrays]

    def look(self) -> None:
        """Refuse the derivative if an array is no more what it was."""
        for x, before in self.seen:
            if x[_grid(x.shape)].tobytes() != before:
                raise errors.written_constant(self.name, x)


class Watched(Watch):
    """The primitive of one call, with the large arrays that this call keeps."""

    def __init__(self, primitive: Any, arrays: list[np.ndarray], name: str = "") -> None:
        super().__init__(name or primitive.__name__, arrays)
        self.primitive = primitive

    def __getattr__(self, name: str) -> Any:
        return getattr(self.primitive, name)

    def push(self, kept: Any, tangents: Any) -> Any:
        self.look()
        return self.primitive.push(kept, tangents)

    def pull(self, kept: Any, parents: Any, g: Any) -> list[tuple[Any, Any]]:
        self.look()
        return self.primitive.pull(kept, parents, g)


@functools.cache
def _grid(shape: tuple[int, ...]) -> tuple[slice, ...]:
    """Return slices of an array that leave about as many elements along each axis, in all about
    `_LOOKS`.
    """
    left, slices = _LOOKS, []
    for axis in sorted(range(len(shape)), key=shape.__getitem__):
        looks = max(1, round(left ** (1 / (len(shape) - len(slices)))))
        step = max(1, -(-shape[axis] // looks))
        slices.append((axis, slice(0, None, step)))
        left = max(1, left // max(1, -(-shape[axis] // step)))
    return tuple(part for _, part in sorted(slices, key=lambda pair: pair[0]))


# -- arrays that a graph keeps and that nobody may write to meanwhile

# whether `check_writes` holds
checking: ContextVar[bool] = ContextVar("checking", default=False)
# level of a recording -> the arrays that are read-only because of it
guarded: dict[int, dict[int, np.ndarray]] = {}
# packages whose functions run as inside of `check_writes`
always_checked: set[str] = set()


@contextlib.contextmanager
def check_writes() -> Generator[None, None, None]:
    """Make the arrays that a graph keeps read-only until it is released.

    The graph of `grad` or `vjp` keeps copies of the small plain arrays that a function computes
    with, up to a kilobyte, but the larger ones themselves. A work array that is filled again after
    its use (``w[:] = ...``) raises `InPlaceError` when its derivative is taken, if one of 64
    elements in a regular grid has changed; a write between these is not seen, and gives a wrong
    gradient. Inside of this context every write raises
    ``ValueError: assignment destination is read-only`` where it stands, also to a small array.

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
    token = checking.set(True)
    try:
        yield
    finally:
        checking.reset(token)


def guard(level: int, owner: Any) -> None:
    """Protect all that is recorded at a level while `owner` lives, under `check_writes`."""
    if checking.get() or always_checked:
        guarded[level] = {}
        weakref.finalize(owner, _release, level)


def protect(level: int, kept: Any) -> Any:
    """Return what a node keeps; under `check_writes` make its arrays, and those that they are views
    of, read-only.
    """
    arrays = guarded.get(level)
    if arrays is not None:
        for x in flatten(kept)[0] if isinstance(kept, (tuple, list)) else ():
            # One that is here was seen with what it is a view of. Memory that no array owns would
            # be locked for good.
            while (
                type(x) is np.ndarray
                and id(x) not in arrays
                and getattr(getattr(owner(x), "flags", None), "owndata", False)
            ):
                if x.flags.writeable or any(id(x) in others for others in [*guarded.values()]):
                    x.flags.writeable = False
                    arrays[id(x)] = x
                x = x.base
    return kept


def owner(x: Any) -> Any:
    """Return what owns the memory of an array."""
    while (base := getattr(x, "base", None)) is not None:
        x = base
    return x


def _release(level: int) -> None:
    arrays = guarded.pop(level).values()
    # owners of memory first, then views of it
    for x in sorted(arrays, key=lambda x: x.base is not None):
        locked = [
            others for others in [*guarded.values()] if id(x) in others or id(x.base) in others
        ]
        # another recording keeps the array, or the memory that it is a view of, and releases both
        if locked:
            locked[0][id(x)] = x
        else:
            x.flags.writeable = True
