"""From the steps of a tape to nodes, and to calls for what is no part of a kernel."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules.backends import is_on_device

from ..program import leaves_of
from ..tape import Slot, Step
from .moves import find_pieces
from .nodes import Buffer, Move, Node, Parameter
from .symbols import Symbol, as_symbol, node_of


class Graph:
    """Values that a program computes: nodes of arrays and numbers, and calls."""

    def __init__(self, steps: Sequence[Step], arguments: Sequence[Slot]) -> None:
        self.nodes: dict[Slot, Node] = {}
        self.calls: list[Step] = []
        self.checks: list[Step] = []
        self._constants: dict[int, tuple[Any, Node]] = {}
        for slot in arguments:
            self._hold(slot)
        for step in steps:
            if not step.slots:
                self.checks.append(step)
            elif not self._fuse(step):
                self.calls.append(step)
                for slot in step.slots:
                    self._hold(slot)

    def _hold(self, slot: Slot) -> None:
        """Make the node of a value that comes from Python, if kernels can read it."""
        x = slot.value
        if is_on_device(x) and hasattr(x, "__cuda_array_interface__"):
            self.nodes[slot] = Buffer(x.shape, x.dtype)
        elif isinstance(x, (float, complex)) or (
            isinstance(x, (np.generic, np.ndarray)) and x.dtype.kind in "fc" and not x.ndim
        ):
            self.nodes[slot] = Parameter(x)

    def node(self, x: Any) -> Node:
        """Return the node of an array on the device that is a result, or an input of a call."""
        if type(x) is Slot:
            return self.nodes[x]
        known = self._constants.get(id(x))
        if known is None:
            known = self._constants[id(x)] = x, node_of(x)  # x lives on, and keeps its number
        return known[1]

    def _fuse(self, step: Step) -> bool:
        """Set the nodes of the results of a step; return whether it can be part of a kernel."""
        if not all(map(_is_array, step.slots)):
            return False
        if any(type(x) is Slot and x not in self.nodes for x in step.inputs):
            return False
        found = self._moved(step) or self._run(step)
        if found is None or len(found) != len(step.slots):
            return False
        for node, slot in zip(found, step.slots, strict=True):
            if node.shape != slot.value.shape or node.dtype != slot.value.dtype:
                return False
        self.nodes.update(zip(step.slots, found, strict=True))
        return True

    def _moved(self, step: Step) -> list[Node] | None:
        """Return the node of what a linear function only moves."""
        primitive = step.primitive
        if not hasattr(primitive, "linear_in") or step.saves or not step.is_single:
            return None
        linear = set(primitive.linear_in(len(step.inputs)))
        if any((type(x) is Slot) != (i in linear) for i, x in enumerate(step.inputs)):
            return None
        given = list(dict.fromkeys(x for x in step.inputs if type(x) is Slot))
        out = step.slots[0].value
        nodes = [self.nodes[x] for x in given]
        if any(x.dtype != out.dtype for x in nodes):
            return None

        def call(*arrays: np.ndarray) -> Any:
            values = dict(zip(given, arrays, strict=True))
            return step.function(*[values[x] if type(x) is Slot else x for x in step.inputs])

        forms = [np.broadcast_to(np.zeros((), x.dtype), x.shape) for x in nodes]
        try:
            found = find_pieces(call, forms, out.shape)
        except Exception:  # the kernel of the host refuses what lies on the device
            return None
        return None if found is None else [Move(found[0], out.dtype, nodes, found[1])]

    def _run(self, step: Step) -> list[Node] | None:
        """Return the nodes that the kernel of a step consists of."""
        try:
            inputs = [self._symbol(x) for x in step.inputs]
            out = step.function(*inputs)
            leaves = leaves_of(out, step.saves, step.is_single)
            return [node_of(x) for x in leaves] if all(map(_is_symbol, leaves)) else None
        except Exception:  # whatever a kernel does that symbols do not: it is called
            return None

    def _symbol(self, x: Any) -> Any:
        if type(x) is Slot or hasattr(x, "__cuda_array_interface__"):
            return as_symbol(self.node(x))
        return x


def _is_array(slot: Slot) -> bool:
    return is_on_device(slot.value) and hasattr(slot.value, "__cuda_array_interface__")


def _is_symbol(x: Any) -> bool:
    return isinstance(x, Symbol)
