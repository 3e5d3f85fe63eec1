"""Large arrays of the host in blocks that stay in the cache.

Calls that work element by element on arrays of one large shape, with the sums and maxima that end
them, become one step, a loop over blocks (block_loop.py). What nobody else reads exists as a block
alone, and what is quicker to compute again than to read is computed in each step that uses it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .block_calls import Member, reducer, select
from .block_loop import BlockLoop, split_axis
from .parts import LARGE, is_large
from .tape import Slot, Step

_CHEAP = frozenset((
    "add", "conjugate", "equal", "greater", "greater_equal", "less", "less_equal",
    "logical_and", "logical_not", "logical_or", "maximum", "minimum", "multiply", "negative",
    "not_equal", "square", "subtract", "where",
))  # fmt: skip
_ELEMENTWISE = frozenset(("where", "_astype", "_imag", "_phase", "_real"))
_MOST_AGAIN = 3  # such calls that are made again for one operand
_EXTREMES = {"max": np.maximum, "min": np.minimum}


class _Group:
    """Calls of one loop, in order, and what is made by them."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self.members: dict[Slot, Member] = {}
        self.stored: set[Slot] = set()

    def reads(self) -> Iterator[Slot]:
        for member in self.members.values():
            yield from (x for x in member.inputs if type(x) is Slot and x not in self.members)


def group_steps(steps: Sequence[Step], results: Sequence[Any]) -> list[Step]:
    """Return steps that compute the same, with those of large arrays in blocks."""
    if not any(is_large(slot.value) for step in steps for slot in step.slots):
        return list(steps)
    items = _Grouping().items_of(steps)
    _Sharing(items, results)
    return list(_steps_of(items, results))


class _Grouping:
    """Groups that further calls may join, until something else needs what they make."""

    def __init__(self) -> None:
        self.items: list[Step | _Group] = []
        self.open: dict[tuple[int, ...], _Group] = {}

    def items_of(self, steps: Sequence[Step]) -> list[Step | _Group]:
        for step in steps:
            self._add(step)
        for group in self.open.values():
            self.items.append(group)
        return self.items

    def _add(self, step: Step) -> None:
        member = member_of(step)
        group = None if member is None else self._group_for(member)
        for other in list(self.open.values()):
            needed = [other.members[x] for x in _slots_in(step.inputs) if x in other.members]
            if any(other is not group or x.ends_block for x in needed):
                self.items.append(self.open.pop(other.shape))
        if group is not None and member is not None and member.size >= LARGE:
            group = self.open.setdefault(group.shape, _Group(group.shape))
        if member is None or group is None or group.shape not in self.open:
            self.items.append(step)
        else:
            group.members[step.slots[0]] = member

    def _group_for(self, member: Member) -> _Group | None:
        """Return the group of a call: a new one if it works on a large array alone."""
        if member.size >= LARGE:
            return self.open.get(member.shape) or _Group(member.shape)
        for group in self.open.values():
            axis = split_axis(group.shape)
            lies_within = (
                not member.is_reduction
                and len(member.shape) == len(group.shape)
                and member.shape[: axis + 1] == group.shape[: axis + 1]
                and all(n in (1, m) for n, m in zip(member.shape, group.shape, strict=True))
            )
            if lies_within and any(type(x) is Slot and x in group.members for x in member.inputs):
                return group
        return None


def _slots_in(x: Any) -> Iterator[Slot]:
    for item in x:
        if type(item) is Slot:
            yield item
        elif type(item) in (list, tuple):
            yield from _slots_in(item)


# -- calls that are made in blocks


def member_of(step: Step) -> Member | None:
    """Return a call as it is made for a block, None where it is not."""
    primitive, kernel = step.primitive, getattr(step.primitive, "kernel", None)
    if kernel is None or not step.is_single or step.saves:
        return None
    out, name = step.slots[0], primitive.__name__
    is_ours = (primitive.__module__ or "").startswith("scigrad.numpy")
    if is_ours and name in ("_sum", *_EXTREMES):
        return _reduction(step, _EXTREMES.get(name, np.add))
    if not np.ndim(out.value) or not all(map(_is_numeric, [out, *step.inputs])):
        return None
    is_ufunc = isinstance(kernel, np.ufunc) and step.function is kernel
    if is_ufunc and (kernel.nout > 1 or kernel.signature):
        return None
    is_known = is_ours and (primitive.is_elementwise or name in _ELEMENTWISE)
    if not is_ufunc and (not is_known or primitive.keyword):
        return None
    inputs, function = step.inputs, step.function
    if any(np.shape(_number_of(x)) == np.shape(out.value) for x in inputs if type(x) is Slot):
        inputs = [_scalar_if_uniform(x) for x in inputs]
    if name == "where" and np.asarray(_number_of(inputs[0])).dtype.kind == "b":
        function = select
    if name == "power" and is_ufunc and _is_square(inputs, out):
        inputs, function = inputs[:1], np.square
    return Member(step, name, function, inputs, np.shape(out.value))


def _number_of(x: Any) -> Any:
    return x.value if type(x) is Slot else x


def _is_square(inputs: Sequence[Any], out: Slot) -> bool:
    base, exponent = inputs
    is_two = type(exponent) is int and exponent == 2
    return is_two and type(base) is Slot and base.value.dtype == out.value.dtype


def _reduction(step: Step, ufunc: np.ufunc) -> Member | None:
    x, axis, keepdims = step.inputs
    if type(x) is not Slot or not is_large(x.value) or x.value.dtype.char not in "?fdFD":
        return None
    shape = x.value.shape
    axes = range(len(shape)) if axis is None else np.atleast_1d(axis)
    axes = tuple(sorted(int(i) % len(shape) for i in axes))
    first = split_axis(shape) + 1
    is_total = axes[:first] == tuple(range(first))
    if not axes or (not is_total and axes[0] < first):
        return None
    member = Member(step, step.primitive.__name__, reducer(ufunc), [x], shape)
    member.pairwise = ufunc
    member.axes, member.keepdims, member.is_total = axes, bool(keepdims), is_total
    return member


def _is_numeric(x: Any) -> bool:
    x = _number_of(x)
    x = x.type() if isinstance(x, np.dtype) else x  # what numbers are converted to
    if type(x) is np.ndarray or isinstance(x, np.generic):
        return x.dtype.kind in "fcbiu"
    return type(x) in (bool, int, float, complex)


def _scalar_if_uniform(x: Any) -> Any:
    """Return the one number that a constant array consists of, as cotangents of a sum do."""
    if not is_large(x) or x.dtype.kind not in "fc":
        return x
    first = x.ravel()[0]
    return first if first != 0 and (x == first).all() else x


# -- what is stored


class _Sharing:
    """Choice of what groups store: what others need, if it is not computed there again."""

    def __init__(self, items: Sequence[Step | _Group], results: Sequence[Any]) -> None:
        groups = [item for item in items if isinstance(item, _Group)]
        self.made = {slot: group for group in groups for slot in group.members}
        self.readers: dict[Slot, list[Any]] = {}  # groups and calls outside of groups
        for item in items:
            is_group = isinstance(item, _Group)
            for slot in item.reads() if is_group else _slots_in(item.inputs):
                self.readers.setdefault(slot, []).append(item)
            if not is_group:
                self._keep(_slots_in(item.inputs))
        self._keep(_slots_in(results))
        for group in groups:
            self._provide_for(group)
        for group in groups:
            _drop_unused(group)

    def _provide_for(self, group: _Group) -> None:
        """Let a group have what others make."""
        again: dict[Slot, Member] = {}
        for slot in dict.fromkeys(group.reads()):
            if slot in self.made and not self._repeat(slot, group, again):
                self._keep(iter([slot]))
        needed = [x for member in again.values() for x in _slots_in(member.inputs)]
        self._keep(x for x in needed if x not in again)
        group.members = {**again, **group.members}

    def _keep(self, slots: Iterator[Slot]) -> None:
        for slot in slots:
            if slot in self.made:
                self.made[slot].stored.add(slot)

    def _repeat(self, slot: Slot, group: _Group, again: dict[Slot, Member]) -> bool:
        """Add the calls that compute a value again, if they are worth it; return whether they
        are.
        """
        made = self.made[slot]
        member = made.members[slot]
        if slot in again:
            return True
        if slot in made.stored or member.name not in _CHEAP or member.shape != group.shape:
            return False
        if self._replaces(slot, member):
            return False
        before = dict(again)
        for x in member.inputs:
            if type(x) is Slot and x in self.made:
                self._repeat(x, group, again)
        if len(again) - len(before) >= _MOST_AGAIN:
            again.clear()
            again.update(before)
            return False
        again[slot] = member
        return True

    def _replaces(self, slot: Slot, member: Member) -> bool:
        """Return whether no other group has a use for the array that a value is made of: it can lie
        in the place of that.
        """
        large = {x for x in member.inputs if type(x) is Slot and is_large(x.value)}
        if len(large) != 1 or (x := large.pop()) not in self.made:
            return False
        maker = self.made[x]
        known = maker, self.made[slot]
        is_read_elsewhere = any(item not in known for item in self.readers.get(x, ()))
        return maker.members[x].name not in _CHEAP and not is_read_elsewhere


def _drop_unused(group: _Group) -> None:
    needed = set(group.stored)
    for slot, member in reversed(list(group.members.items())):
        if slot in needed:
            needed.update(_slots_in(member.inputs))
        else:
            del group.members[slot]


# -- steps


def _steps_of(items: Sequence[Step | _Group], results: Sequence[Any]) -> Iterator[Step]:
    """Yield steps for groups; a stored array may lie where one was that is read for the last
    time.
    """
    last: dict[Slot, int] = {}
    for i, item in enumerate(items):
        if isinstance(item, _Group):
            last.update(dict.fromkeys(item.reads(), i))
    for item in items:
        if not isinstance(item, _Group):  # Its results may be views.
            last.update(dict.fromkeys(_slots_in(item.inputs), len(items)))
    last.update(dict.fromkeys(_slots_in(results), len(items)))
    owned: set[Slot] = set()
    for i, item in enumerate(items):
        if not isinstance(item, _Group):
            yield item
            continue
        given = list(dict.fromkeys(item.reads()))
        free = {x for x in given if x in owned and last[x] == i}
        if len(item.members) < 2 and not free:
            yield from (member.step for member in item.members.values())
            continue
        loop = BlockLoop(item.shape, item.members, given, item.stored, free)
        step = Step(loop, loop, given)
        step.slots = [slot for slot in item.members if slot in item.stored]
        step.is_single = len(step.slots) == 1
        owned.update(step.slots)
        yield step
