"""A program of large arrays on a device: kernels level by level, and calls between them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from ..program import free_unused, leaves_of
from ..tape import Slot, Step
from .flags import Flags, place_of_run
from .graph import Graph
from .kernels import Kernel, bytes_of, module_source
from .levels import Plan, sort_nodes
from .nodes import Buffer, Node, Parameter

_WORDS = 4  # that a part of a sum takes


class FusedProgram:
    """Function of the leaves of the arguments, in order, that returns the leaves of the results."""

    unseen: tuple[int, ...] = ()  # CuPy does not warn of what is not finite
    loops: tuple[Any, ...] = ()

    def __init__(
        self, steps: Sequence[Step], arguments: Sequence[Slot], results: Sequence[Any]
    ) -> None:
        import cupy

        lines = _Lines(Graph(steps, arguments), arguments, results)
        self.steps, self.calls, self.bytes = len(steps), lines.called, lines.bytes
        self.kernels = lines.kernels
        self.instructions = len(self.kernels)
        self.source, self._options = module_source(self.kernels) if self.kernels else ("", ())
        device = cupy.cuda.runtime.getDevice()
        count = cupy.cuda.runtime.getDeviceProperties(device)["multiProcessorCount"]
        self._blocks = [kernel.blocks(count) for kernel in self.kernels]
        self._states: dict[Any, Any] = {}
        self.lines = lines.text()
        self._scope = {
            **lines.bound,
            "empty": cupy.empty,
            "dense": cupy.ascontiguousarray,
            "allocate": cupy.cuda.alloc,
            "leaves": leaves_of,
            "owned": _owned,
            "state": self._state,
        }
        exec(compile(self.lines, "<program of jit>", "exec"), self._scope)
        self._lock, self._flags = threading.Lock(), Flags()
        self._run: Callable[..., list[Any]] | None = None

    def __call__(self, *leaves: Any) -> list[Any]:
        if self._run is None:
            with self._lock:
                if self._run is None:
                    self._compile()
        assert self._run is not None
        if not self.calls:
            return self._run(*leaves)
        with self._flags():  # calls leave their failures on the device until the end
            return self._run(*leaves)

    def _compile(self) -> None:
        """Compile the kernels, and bind the launches to their grids."""
        import cupy

        if self.kernels:
            module = cupy.RawModule(code=self.source, options=self._options)
            for kernel, blocks in zip(self.kernels, self._blocks, strict=True):
                function = module.get_function(kernel.name).kernel
                self._scope[f"launch_{kernel.name}"] = function
                self._scope[f"grid_{kernel.name}"] = (blocks,)
                self._scope[f"block_{kernel.name}"] = (kernel.threads,)
        self._run = self._scope["call"]

    def _state(self) -> dict[str, Any]:
        """Return the parts of sums, and the counters, which a thread has on each stream."""
        import cupy

        key = place_of_run()
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = {}
            for kernel, blocks in zip(self.kernels, self._blocks, strict=True):
                if kernel.whole:
                    words = _WORDS * blocks * len(kernel.whole)
                    found[kernel.name] = cupy.zeros(words, "u4"), cupy.zeros(1, "u4")
        return found


class _Lines:
    """Lines of Python that run kernels and calls."""

    def __init__(self, graph: Graph, arguments: Sequence[Slot], results: Sequence[Any]) -> None:
        self.graph, self.arguments = graph, arguments
        self.lines: list[str] = []
        self.bound: dict[str, Any] = {}
        self.names: dict[Slot, str] = {slot: f"a{i}" for i, slot in enumerate(arguments)}
        self.arrays: dict[Node, str] = {}  # variables with the arrays of nodes
        self.kernels: list[Kernel] = []
        self.called = [_name_of(step) for step in (*graph.calls, *graph.checks)]
        self._times: dict[Slot, int] = {}  # when what Python alone knows is there
        self._dense: dict[Node, str] = {}
        self.results = results
        needed = self._needed()
        self.plan = Plan(sort_nodes(needed), needed)
        times = [self._time(step) for step in graph.calls]
        for node in needed:
            self.plan.settle(node)
        self.plan.store_what_is_shared()
        self._place()
        self._write(times)

    def _needed(self) -> list[Node]:
        """Return the nodes that results and calls need as arrays."""
        found: dict[Node, None] = {}
        slots = [x for step in (*self.graph.calls, *self.graph.checks) for x in step.inputs]
        for x in (*slots, *self.results):
            if type(x) is Slot and x in self.graph.nodes:
                found[self.graph.nodes[x]] = None
        return list(found)

    def _time(self, step: Step) -> int:
        """Return the first kernel that follows a call."""
        time = 0
        for x in step.inputs:
            if type(x) is Slot:
                node = self.graph.nodes.get(x)
                time = max(time, self.plan.settle(node) if node else self._times.get(x, 0))
        for slot in step.slots:
            self._times[slot] = time
            if slot in self.graph.nodes:
                self.plan.level[self.graph.nodes[slot]] = time
        return time

    def _place(self) -> None:
        """Assign to every stored node an array of its own, or a place in the memory of a run."""
        self.bytes = 0
        self._offsets: dict[Node, int] = {}
        for node in self.plan.order:
            if node in self.plan.stored and node not in self.plan.roots:
                self._offsets[node] = self.bytes
                self.bytes += bytes_of(node)
        for slot, name in self.names.items():
            if slot in self.graph.nodes:
                self.arrays[self.graph.nodes[slot]] = name
        for i, node in enumerate(self.plan.order):
            if isinstance(node, Buffer) and node.array is not None:
                self.arrays[node] = self.bind(node.array)
            elif node in self.plan.roots and node in self.plan.stored:
                self.arrays[node] = f"y{i}"

    def bind(self, x: Any) -> str:
        """Return a name for a constant."""
        name = f"k{len(self.bound)}"
        self.bound[name] = x
        return name

    # -- lines

    def _write(self, times: Sequence[int]) -> None:
        stored: dict[int, list[Node]] = {}
        for node in self.plan.order:
            if node in self.plan.stored:
                stored.setdefault(self.plan.level[node], []).append(node)
        if self.bytes:
            self.lines.append(f"memory = allocate({self.bytes}); m = memory.ptr")
        for level in range(max([*times, *stored], default=0) + 1):
            for step, time in zip(self.graph.calls, times, strict=True):
                if time == level:
                    self._call(step)
            if level in stored:
                self._launch(level, stored[level])
        for step in self.graph.checks:
            self._call(step)

    def _launch(self, level: int, nodes: Sequence[Node]) -> None:
        kernel = Kernel(f"level{level}", self.plan, level, nodes)
        for node in nodes:
            if node in self.arrays:
                dtype = self.bind(node.dtype)
                self.lines.append(f"{self.arrays[node]} = empty({node.shape}, {dtype})")
        given = [self._read(node) for node in kernel.read]
        given += [self.arrays.get(node) or f"m + {self._offsets[node]}" for node in nodes]
        if kernel.whole:
            if not any(earlier.whole for earlier in self.kernels):
                self.lines.append("own = state()")
            given.append(f"*own[{kernel.name!r}]")
        self.kernels.append(kernel)
        name = kernel.name
        self.lines.append(f"launch_{name}(grid_{name}, block_{name}, ({', '.join(given)},))")

    def _read(self, node: Node) -> str:
        """Return what a kernel is given of a value, in C order."""
        if node in self._offsets:
            return f"m + {self._offsets[node]}"
        name = self.arrays[node]
        if isinstance(node, Parameter):
            return f"{'complex' if node.kind.kind == 'c' else 'float'}({name})"
        if not isinstance(node, Buffer) or node.array is not None:
            return name
        if node not in self._dense:
            self._dense[node] = f"c{len(self._dense)}"
            self.lines.append(f"{self._dense[node]} = dense({name})")
        return self._dense[node]

    def _call(self, step: Step) -> None:
        given = [self.name(x) if type(x) is Slot else self.bind(x) for x in step.inputs]
        call = f"{self.bind(step.function)}({', '.join(given)})"
        result = f"t{len(self.lines)}"
        if not step.slots:
            self.lines.append(call)
        elif step.is_single and not step.saves:
            self._name(step.slots[0], result)
            self.lines.append(f"{result} = {call}")
        else:
            self.lines.append(f"{result} = leaves({call}, {step.saves}, {step.is_single})")
            for i, slot in enumerate(step.slots):
                self._name(slot, f"{result}[{i}]")

    def _name(self, slot: Slot, name: str) -> None:
        self.names[slot] = name
        if slot in self.graph.nodes:
            self.arrays[self.graph.nodes[slot]] = name

    def name(self, slot: Slot) -> str:
        """Return an expression for the value of a slot."""
        return self.names.get(slot) or self.arrays[self.graph.nodes[slot]]

    def text(self) -> str:
        """Return the source of the program."""
        found, used = [], set()
        arguments = ", ".join(f"a{i}" for i in range(len(self.arguments)))
        for x in self.results:
            if type(x) is not Slot:
                constant = self.bind(x)
                found.append(f"owned({constant}, ({constant},))")
                continue
            name = self.name(x)
            node = self.graph.nodes.get(x)
            fresh = node in self.plan.stored and name not in used
            used.add(name)
            found.append(name if fresh else f"owned({name}, ({arguments},))")
        lines = free_unused(self.lines, found)
        body = "".join(f"    {line}\n" for line in lines)
        return f"def call({arguments}):\n{body}    return [{', '.join(found)}]\n"


def _owned(x: Any, arguments: Sequence[Any]) -> Any:
    """Return a result in memory of its own."""
    if not hasattr(x, "base"):
        return x
    return x.copy() if x.base is not None or any(x is a for a in arguments) else x


def _name_of(step: Step) -> str:
    return getattr(step.primitive or step.function, "__name__", "").strip("_")
