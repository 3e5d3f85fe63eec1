"""A small program as one kernel, made of the rows of the CPU's machine, or as four if its arrays
have a long axis in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules.backends import is_on_device

from .. import repetitions
from ..lowering import Lowering
from ..matrix_instructions import kept_on_machine
from ..memory import WIDEST, kind_of
from ..program import Doubt
from ..tape import DifferentBranch, Slot, Step
from .flags import place_of_run
from .forms import replace_by_forms, values_of
from .kernel_source import NOTHING_FAILED, TYPES, KernelSource, Launch
from .row_places import Unsuitable

_LARGEST = 4096  # elements of an array
_MOST_PRODUCTS = 30_000  # a larger product of matrices is a launch of cuBLAS
_MOST_ROWS = 4_000  # a longer source takes seconds to compile
_MOST_MEMORY = 1 << 26  # doubles
_SHARED = 48 << 10  # bytes that a block has without asking for more


def one_kernel_of(steps: Sequence[Step], arguments: Sequence[Slot], results: Sequence[Any]) -> Any:
    """Return the kernel of steps with a device's arrays, None if it is too large for one or calls
    what has no row.
    """
    values = {slot: slot.value for slot in values_of(steps, arguments)}
    try:
        return OneKernel(steps, arguments, results)
    except Unsuitable:
        for slot, value in values.items():
            slot.value = value
        return None


def _lowered(
    steps: Sequence[Step], arguments: Sequence[Slot], results: Sequence[Any]
) -> tuple[Lowering, list[repetitions.Loop]]:
    """Return the rows of some steps, and their loops."""
    used = [x for step in steps for x in (*step.inputs, *step.slots) if type(x) is Slot]
    if any(getattr(x.value, "size", 1) > WIDEST for x in used):
        raise Unsuitable("a large array")
    on_device = replace_by_forms(steps, arguments)
    varying = [x for x in results if type(x) is Slot]
    if not all(x in on_device and x.value.dtype.char in TYPES for x in varying):
        raise Unsuitable("a result that is no array of a device")
    known: dict[int, Any] = {}
    steps = [_with_host_constants(step, known) for step in steps]
    lowering = Lowering(arguments, largest=_LARGEST, most_products=_MOST_PRODUCTS)
    for slot in arguments:
        if not _is_argument(slot, slot in on_device) or not lowering.fits(slot):
            raise Unsuitable("an argument that does not fit")
        lowering.load(slot)
    lines = len(lowering.lines)
    lowering.kept = kept_on_machine(steps, results, lowering.fits)
    loops = repetitions.lower_steps(lowering, steps)
    for x in varying:
        lowering.load(x)  # a line of Python if it is no result of an instruction
    if len(lowering.lines) != lines:
        raise Unsuitable(f"calls of {lowering.calls}")
    if len(lowering.rows) > _MOST_ROWS or lowering.memory.size > _MOST_MEMORY:
        raise Unsuitable("too many instructions")
    return lowering, loops


def _is_argument(slot: Slot, is_on_device: bool) -> bool:
    value = slot.value
    return value.dtype.char in TYPES if is_on_device else not np.ndim(value)


def _with_host_constants(step: Step, known: dict[int, Any]) -> Step:
    """Return a step whose constants are arrays of the host."""
    twin = Step(step.function, step.key, _on_host(step.inputs, known), step.primitive)
    twin.slots, twin.saves, twin.is_single = step.slots, step.saves, step.is_single
    return twin


def _on_host(x: Any, known: dict[int, Any]) -> Any:
    if type(x) in (list, tuple):
        return type(x)([_on_host(item, known) for item in x])
    if not is_on_device(x):
        return x
    if x.size > WIDEST:
        raise Unsuitable("a large constant")
    if id(x) not in known:
        known[id(x)] = x, x.get()
    return known[id(x)][1]


def _kind_of_argument(x: Any) -> str:
    return "array" if isinstance(x, np.ndarray) else kind_of(x)


def _constants_of(lowering: Lowering) -> tuple[np.ndarray, np.ndarray]:
    """Return places and values of the numbers that no row writes."""
    found = [(0, np.zeros(2)), (3, np.zeros(1)), *lowering.memory.constants]
    places = [first + np.arange(values.size) for first, values in found]
    return np.concatenate(places).astype(np.int32), np.concatenate([x for _, x in found])


class OneKernel:
    """Function of the leaves of the arguments, in order, that returns the leaves of the results.

    Each thread has a memory of its own on each stream, kept for the next run.
    """

    unseen: Sequence[int] = ()

    def __init__(
        self, steps: Sequence[Step], arguments: Sequence[Slot], results: Sequence[Any]
    ) -> None:
        import cupy

        lowering, self.loops = _lowered(steps, arguments, results)
        self.steps, self.instructions, self.calls = len(steps), len(lowering.rows), []
        varying = [x for x in results if type(x) is Slot]
        found = KernelSource(lowering, arguments, varying)
        self.source, self.launches, self.barriers = found.text, found.launches, found.barriers
        self._branches = lowering.branches if found.has_checks else None
        self.bytes = 8 * (lowering.memory.size + lowering.memory.size % 2)
        self._constants, self._tables = _constants_of(lowering), found.tables.joined()
        self._results = [(x.value.shape, x.value.dtype) for x in varying]
        self._fixed = [(i, x) for i, x in enumerate(results) if type(x) is not Slot]
        self._kinds = [_kind_of_argument(x.value) for x in arguments]
        self._module = cupy.RawModule(code=self.source, options=("-std=c++17",))
        self._prepared: dict[Any, Any] = {}

    def _on_stream(self) -> Any:
        """Return the memory and the kernels of this thread on the current stream and device."""
        import cupy

        key = place_of_run()
        found = self._prepared.get(key)
        if found is None:
            memory = cupy.empty(self.bytes // 8)
            places, values = map(cupy.asarray, self._constants)
            fill = self._module.get_function("fill_places")
            fill((1,), (256,), (memory, places, values, np.int32(places.size)))
            given = memory, cupy.asarray(self._tables), cupy.zeros(1, np.uint32)
            seen = cupy.cuda.alloc_pinned_memory(4)  # what a kernel writes there, the host reads
            kernels = [self._kernel(x) for x in self.launches]
            found = self._prepared[key] = given, seen, kernels
        return found

    def _kernel(self, launch: Launch) -> Any:
        kernel, size = self._module.get_function(launch.name), 8 * launch.shared
        if size > _SHARED:
            kernel.max_dynamic_shared_size_bytes = size
        return kernel, (launch.blocks,), (launch.threads,), size, launch

    def __call__(self, *leaves: Any) -> list[Any]:
        import cupy

        given: list[Any] = []
        for x, kind in zip(leaves, self._kinds, strict=True):
            if kind == "array":
                given.append(x if x.flags.c_contiguous else cupy.ascontiguousarray(x))
            elif kind == "c":
                given += [float(x.real), float(x.imag)]
            else:
                given.append(float(x))
        memory, seen, kernels = self._on_stream()
        found = [cupy.empty(shape, dtype) for shape, dtype in self._results]
        for kernel, blocks, threads, size, launch in kernels:
            first, last = given * launch.has_arguments, [seen.ptr, *found] * launch.has_results
            kernel(blocks, threads, (*memory, *first, *last), shared_mem=size)
        if self._branches is not None:
            cupy.cuda.get_current_stream().synchronize()
            row = int(np.frombuffer(seen, np.uint32, 1)[0])
            if row != NOTHING_FAILED:
                raise DifferentBranch if row in self._branches else Doubt
        for i, x in self._fixed:
            found.insert(i, x.copy() if hasattr(x, "copy") else x)
        return found
