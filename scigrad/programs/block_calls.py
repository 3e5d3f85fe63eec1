"""Calls as they are made for a block of large arrays: element by element, or sums and maxima, into
which products and selections are drawn that nothing else reads.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from scigrad.typing import Value

from .tape import Slot, Step


class Member:
    """A call as it is made for a block: element by element, or a reduction of the block."""

    def __init__(
        self, step: Step, name: str, function: Any, inputs: Sequence[Any], shape: tuple[int, ...]
    ) -> None:
        self.step, self.name, self.function = step, name, function
        self.inputs, self.shape = inputs, shape  # the shape of what is reduced
        self.size = int(np.prod(shape))
        self.axes: tuple[int, ...] = ()  # those that a reduction works on
        self.keepdims = self.is_total = False  # the latter if it needs all blocks
        self.pairwise: Any = None  # the function of two parts of a reduction
        out = step.slots[0].value
        self.result, self.dtype = np.shape(out), np.asarray(out).dtype

    @property
    def writes(self) -> bool:
        """Return whether the function has an argument `out`."""
        return isinstance(self.function, np.ufunc) or self.function is select

    @property
    def is_reduction(self) -> bool:
        return bool(self.axes)

    @property
    def is_number(self) -> bool:
        """Return whether all elements of all blocks are reduced to one."""
        return self.is_total and len(self.axes) == len(self.shape)

    @property
    def ends_block(self) -> bool:
        """Return whether calls of the same loop cannot use the result."""
        return self.is_total or (self.is_reduction and not self.keepdims)


def select(condition: Any, x: Any, y: Any, out: np.ndarray) -> None:
    """Write where(condition, x, y)."""
    np.copyto(out, y)
    np.copyto(out, x, where=condition)


def add_products(x: Any, y: Any, axis: Any, keepdims: bool) -> Any:
    """Return sum(x * y) of a block."""
    del axis, keepdims
    return np.vdot(x, y)


def reducer(function: np.ufunc) -> Callable[..., Any]:
    """Return the reduction by a function."""

    def reduce(x: Any, axis: Any, keepdims: bool, out: Value = None) -> Any:
        return function.reduce(x, axis, None, out, keepdims)

    return reduce


add_up = reducer(np.add)


def adder_of_selected(function: np.ufunc, zero: Any) -> Callable[..., Any]:
    """Return a function that computes sum(where(condition, function(*inputs), 0)): often nothing is
    selected.
    """

    def add(condition: Any, *given: Any) -> Any:
        inputs, (axis, keepdims, *outs) = given[: function.nin], given[function.nin :]
        if condition.any():
            return add_up(np.where(condition, function(*inputs), zero), axis, keepdims, *outs)
        for out in outs:
            out.fill(0)
        return zero

    return add


# -- sums


def contract_sums(members: Mapping[Slot, Member], stored: Collection[Slot]) -> dict[Slot, Member]:
    """Return calls of a group in which sums of products, and of selections with zeros for the rest,
    are one call.
    """
    users: dict[Slot, list[Member]] = {}
    for member in members.values():
        for x in member.inputs:
            if type(x) is Slot:
                users.setdefault(x, []).append(member)
    found = dict(members)
    for slot, member in members.items():
        if slot in stored or any(user.name != "_sum" for user in users[slot]):
            continue
        function, inputs = _summand(member, users[slot])
        if function is None or not all(_is_whole(x, member) for x in inputs):
            continue
        del found[slot]
        if function is adder_of_selected:
            condition, x = inputs
            computed = np.positive
            if x not in stored and len(users[x]) == 1 and _is_ufunc(found.get(x)):
                maker = found.pop(x)
                computed, inputs = maker.function, [condition, *maker.inputs]
            function = adder_of_selected(computed, member.dtype.type(0))
        for user in users[slot]:
            user.inputs, user.function = inputs, function
    return found


def _summand(member: Member, users: Sequence[Member]) -> tuple[Any, Sequence[Any]]:
    """Return a function that adds up the results of a call, and the arrays that it takes."""
    if member.function is select and member.dtype.kind in "fc":
        condition, x, y = member.inputs
        if type(y) is int and y == 0:
            return adder_of_selected, [condition, x]
    if member.dtype == np.float64 and all(user.is_number for user in users):
        if member.function is np.multiply:
            return add_products, member.inputs
        if member.function is np.square:
            return add_products, [*member.inputs] * 2
    return None, ()


def _is_ufunc(member: Member | None) -> bool:
    return member is not None and isinstance(member.function, np.ufunc)


def _is_whole(x: Any, member: Member) -> bool:
    """Return whether an operand is an array of the shape and type of the result, or a condition."""
    if type(x) is not Slot or x.value.shape != member.shape:
        return False
    is_condition = member.function is select and x is member.inputs[0]
    return is_condition or x.value.dtype == member.dtype
