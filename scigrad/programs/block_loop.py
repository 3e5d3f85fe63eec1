"""A loop over blocks of large arrays, written as lines of Python that call NumPy's functions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from .block_calls import Member, contract_sums
from .tape import Slot

_MOST = 1 << 16  # elements of a block: calls of Python cost as much as a few thousand
_FEWEST = 1 << 11
_BYTES = 1 << 21  # All blocks together are to be in the cache of a core.


def split_axis(shape: Sequence[int]) -> int:
    """Return the axis of which a block has a part; of axes before it it has one place."""
    axis = 0
    while axis < len(shape) - 1 and np.prod(shape[axis + 1 :]) > _MOST:
        axis += 1
    return axis


def cut(shape: Sequence[int], most: int) -> tuple[tuple[int, ...], list[tuple[Any, Any]]]:
    """Return the shape of the largest block, and for each block its place in arrays of a shape and
    in one of that shape.
    """
    axis = split_axis(shape)
    length = shape[axis]
    rows = min(length, max(1, most // int(np.prod(shape[axis + 1 :]))))
    before = (slice(None),) * axis
    blocks = [
        (
            (*[slice(i, i + 1) for i in place], slice(start, start + rows)),
            (*before, slice(0, min(rows, length - start))),
        )
        for place in itertools.product(*map(range, shape[:axis]))
        for start in range(0, length, rows)
    ]
    return (*(1,) * axis, rows, *shape[axis + 1 :]), blocks


class Total:
    """Result of a reduction of whole blocks, in pairs: in the same order however many there are."""

    def __init__(self, function: np.ufunc) -> None:
        self.function, self.count = function, 0
        self.parts: list[Any] = []

    def add(self, part: Any) -> None:
        count = self.count
        while count & 1:
            part = self.function(self.parts.pop(), part)
            count >>= 1
        self.parts.append(part)
        self.count += 1

    def value(self, shape: tuple[int, ...]) -> Any:
        found = self.parts.pop()
        while self.parts:
            found = self.function(self.parts.pop(), found)
        return found if np.shape(found) == shape else np.full(shape, found)


class BlockLoop:
    """Function of some arrays that returns what is stored of the calls of a group.

    `free` are arrays that it may overwrite.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        members: Mapping[Slot, Member],
        given: Sequence[Slot],
        stored: Collection[Slot],
        free: Collection[Slot],
    ) -> None:
        names = [member.name.strip("_") for member in members.values()]
        members = contract_sums(members, stored)
        self.__name__ = f"blocks of {', '.join(dict.fromkeys(names))}"
        writer = _Writer(shape, members, given, stored, free)
        self.source = writer.source()
        widths = [dtype.itemsize for dtype in writer.works]
        most = _BYTES // max(1, sum(widths) + 8 * len(writer.views))
        block, blocks = cut(shape, min(_MOST, max(_FEWEST, most)))
        self.block_bytes = int(np.prod(block)) * sum(widths)
        scope = {**writer.scope, "block": block, "blocks": blocks}
        exec(compile(self.source, "<blocks of jit>", "exec"), scope)
        self._call: Callable[..., Any] = scope["call"]

    def __call__(self, *given: Any) -> Any:
        return self._call(*given)


class _Writer:
    """The lines of a loop."""

    def __init__(
        self,
        shape: tuple[int, ...],
        members: Mapping[Slot, Member],
        given: Sequence[Slot],
        stored: Collection[Slot],
        free: Collection[Slot],
    ) -> None:
        self.shape, self.members, self.given, self.stored = shape, members, given, stored
        self.axis = split_axis(shape)
        self.works: list[np.dtype] = []  # blocks that are used again
        self.views: list[str] = []
        self.scope: dict[str, Any] = {
            "errstate": np.errstate, "empty": np.empty, "Total": Total,
            "broadcast_to": np.broadcast_to, "shape": shape,
        }  # fmt: skip
        self._idle: dict[np.dtype, list[str]] = {}
        self._begin: list[str] = []
        self._body: list[str] = []
        self._names: dict[Slot, str] = {}
        self._outs: dict[Slot, str] = {}
        self._last: dict[Slot, Slot | None] = {
            x: slot for slot, member in members.items() for x in member.inputs if type(x) is Slot
        }
        self._free = dict.fromkeys(x for x in given if x in free)
        self._fixed: set[Slot] = set()  # arrays that are not overwritten: others may be their views
        self._arguments = {slot: f"a{i}" for i, slot in enumerate(given)}

    def source(self) -> str:
        for slot in self.given:
            self._names[slot] = self._view_of_argument(slot)
        for slot, member in self.members.items():
            (self._reduce if member.is_reduction else self._apply)(slot, member)
        results = ", ".join(self._outs[slot] for slot in self.members if slot in self.stored)
        works = [f"w{i} = empty(block, {self._bind(d)})" for i, d in enumerate(self.works)]
        parts = [f"c{i} = w{i}[j]" for i in range(len(self.works))]
        begin = "".join(f"    {line}\n" for line in [*self._begin, *works])
        body = "".join(f"            {line}\n" for line in [*self.views, *parts, *self._body])
        return (
            f"def call({', '.join(self._arguments.values())}):\n{begin}"
            f"    with errstate(all='ignore'):\n        for i, j in blocks:\n{body}"
            f"    return {results}\n"
        )

    # -- operands

    def _bind(self, x: Any) -> str:
        name = f"k{len(self.scope)}"
        self.scope[name] = x
        return name

    def _operand(self, x: Any) -> str:
        if type(x) is Slot:
            return self._names[x]
        if np.ndim(x) == 0:
            return self._bind(x)
        return self._view(self._bind(x), np.shape(x))

    def _view_of_argument(self, slot: Slot) -> str:
        return self._view(self._arguments[slot], np.shape(slot.value))

    def _view(self, name: str, shape: tuple[int, ...]) -> str:
        """Return a name for the part of an array that a block meets."""
        first, rank = self.axis + 1, len(self.shape)
        leading = ((1,) * (rank - len(shape)) + shape)[:first]
        if all(n == 1 for n in leading):
            return name
        if len(shape) < rank or leading != self.shape[:first]:
            wide = f"b{len(self._begin)}"
            self._begin.append(f"{wide} = broadcast_to({name}, shape)")
            name = wide
        return self._part(name)

    def _part(self, name: str) -> str:
        view = f"x{len(self.views)}"
        self.views.append(f"{view} = {name}[i]")
        return view

    # -- calls

    def _apply(self, slot: Slot, member: Member) -> None:
        given = ", ".join([self._operand(x) for x in member.inputs])
        if not member.writes:
            self._fixed.update(x for x in member.inputs if type(x) is Slot)
        if isinstance(member.function, np.ufunc):  # ufuncs may write to where they read from
            self._release(slot, member)
        writes = member.writes and (slot in self.stored or member.shape == self.shape)
        if not writes and slot not in self.stored:
            self._names[slot] = f"t{len(self._body)}"
            self._body.append(f"t{len(self._body)} = {self._bind(member.step.function)}({given})")
            return
        self._names[slot] = target = self._target(slot, member)
        function = self._bind(member.function)
        self._body.append(
            f"{function}({given}, out={target})"
            if writes
            else f"{target}[...] = {function}({given})"
        )
        self._release(slot, member)

    def _target(self, slot: Slot, member: Member) -> str:
        """Return the array that a call writes to."""
        if slot not in self.stored:
            idle = self._idle.setdefault(member.dtype, [])
            if not idle:
                idle.append(f"c{len(self.works)}")
                self.works.append(member.dtype)
            return idle.pop()
        for x in self._free:
            if (
                x not in self._fixed
                and x.value.shape == member.result
                and x.value.dtype == member.dtype
                and self._is_read_before(x, slot)
            ):
                del self._free[x]
                self._outs[slot] = self._arguments[x]
                return self._names[x]
        return self._part(self._new_output(slot, member))

    def _new_output(self, slot: Slot, member: Member) -> str:
        self._outs[slot] = name = f"o{len(self._outs)}"
        made = f"empty({self._bind(member.result)}, {self._bind(member.dtype)})"
        self._begin.append(f"{name} = {made}")
        return name

    def _is_read_before(self, x: Slot, slot: Slot) -> bool:
        """Return whether no call after the one that makes a value reads another one."""
        last, made = (list(self.members).index(y) for y in (self._last[x], slot))
        writes_while_reading = isinstance(self.members[slot].function, np.ufunc)
        return last < made or (last == made and writes_while_reading)

    def _release(self, slot: Slot, member: Member) -> None:
        """Let blocks be used again that this call reads for the last time."""
        for x in dict.fromkeys(x for x in member.inputs if type(x) is Slot):
            name = self._names.get(x, "")
            if self._last[x] is slot and name.startswith("c") and x not in self._fixed:
                self._idle[self.members[x].dtype].append(name)
                self._last[x] = None

    # -- reductions

    def _reduce(self, slot: Slot, member: Member) -> None:
        given = [*map(self._operand, member.inputs), f"{member.axes}", f"{member.keepdims}"]
        self._release(slot, member)
        if member.is_total:
            total = f"s{len(self._outs)}"
            call = f"{self._bind(member.function)}({', '.join(given)})"
            self._begin.append(f"{total} = Total({self._bind(member.pairwise)})")
            self._body.append(f"{total}.add({call})")
            self._outs[slot] = f"{total}.value({member.result})"
            return
        if slot in self.stored:
            target = self._part(self._new_output(slot, member))
            given.append(target)
        else:
            target = f"t{len(self._body)}"
        self._body.append(f"{target} = {self._bind(member.function)}({', '.join(given)})")
        self._names[slot] = target
