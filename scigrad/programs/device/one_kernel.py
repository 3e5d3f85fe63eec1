"""A small program as one kernel of one block, made of the rows of the CPU's machine."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import repetitions
from ..lowering import Lowering
from ..matrix_instructions import kept_on_machine
from ..memory import WIDEST, as_run, kind_of
from ..program import Doubt
from ..reduction import reduce_tape
from ..tape import DifferentBranch, Slot, Step, Tape
from .block_source import StretchWriter, Tables, sum_of
from .forms import drop_idle_checks, is_on_device, replace_by_forms
from .row_places import Unsuitable
from .stretches import Stretch, stretches_of

_LARGEST = 4096  # elements of an array
_MOST_ROWS = 4_000  # a longer source takes seconds to compile
_MOST_MEMORY = 1 << 26  # doubles
_HEADER = (Path(__file__).parent / "one_kernel.cuh").read_text()
_TYPES = {"d": "double", "D": "Z", "?": "bool"}
_NOTHING_FAILED = 0xFFFFFFFF


def one_kernel_of(tape: Tape, arguments: Sequence[Slot], results: Sequence[Any]) -> Any:
    """Return the kernel of a tape of a device's arrays, None if it is too large for one or calls
    what has no row.
    """
    values = {x: x.value for step in tape.steps for x in step.slots}
    values.update((x, x.value) for x in arguments)
    try:
        return OneKernel(tape, arguments, results)
    except Unsuitable:
        for slot, value in values.items():
            slot.value = value
        return None


def _lowered(
    tape: Tape, arguments: Sequence[Slot], results: Sequence[Any]
) -> tuple[Lowering, list[repetitions.Loop], int, list[Any]]:
    """Return the rows of a tape, its loops, the number of its steps and the results."""
    steps, results = reduce_tape(drop_idle_checks(tape.steps), results)
    used = [x for step in steps for x in (*step.inputs, *step.slots) if type(x) is Slot]
    if any(getattr(x.value, "size", 1) > WIDEST for x in used):
        raise Unsuitable("a large array")
    on_device = replace_by_forms(steps, arguments)
    varying = [x for x in results if type(x) is Slot]
    if not all(x in on_device and x.value.dtype.char in _TYPES for x in varying):
        raise Unsuitable("a result that is no array of a device")
    known: dict[int, Any] = {}
    steps = [_with_host_constants(step, known) for step in steps]
    lowering = Lowering(arguments, largest=_LARGEST)
    for slot in arguments:
        if not _is_argument(slot, slot in on_device) or not lowering.fits(slot):
            raise Unsuitable("an argument that does not fit")
        lowering.load(slot)
    lines = len(lowering.lines)
    lowering.kept = kept_on_machine(steps, results, lowering.fits)
    loops = repetitions.lower_steps(lowering, steps)
    if len(lowering.lines) != lines or not all(x in lowering.places for x in varying):
        raise Unsuitable(f"calls of {lowering.calls}")
    if len(lowering.rows) > _MOST_ROWS or lowering.memory.size > _MOST_MEMORY:
        raise Unsuitable("too many instructions")
    return lowering, loops, len(steps), results


def _is_argument(slot: Slot, is_on_device: bool) -> bool:
    return is_on_device or not np.ndim(slot.value)


def _with_host_constants(step: Step, known: dict[int, Any]) -> Step:
    """Return a step whose constants are arrays of the host."""
    if not any(map(is_on_device, step.inputs)):
        return step
    inputs = []
    for x in step.inputs:
        if is_on_device(x):
            if x.size > WIDEST:
                raise Unsuitable("a large constant")
            if id(x) not in known:
                known[id(x)] = x, x.get()
            x = known[id(x)][1]
        inputs.append(x)
    twin = Step(step.function, step.key, inputs, step.primitive)
    twin.slots, twin.saves, twin.is_single = step.slots, step.saves, step.is_single
    return twin


class OneKernel:
    """Function of the leaves of the arguments, in order, that returns the leaves of the results.

    Each thread has a memory of its own on each stream, kept for the next run.
    """

    unseen: Sequence[int] = ()

    def __init__(self, tape: Tape, arguments: Sequence[Slot], results: Sequence[Any]) -> None:
        import cupy

        lowering, self.loops, self.steps, results = _lowered(tape, arguments, results)
        self.instructions, self.calls = len(lowering.rows), []
        self._branches = lowering.branches
        stretches = stretches_of(lowering)
        varying = [x for x in results if type(x) is Slot]
        writer = KernelWriter(lowering, stretches, arguments, varying)
        self.source, self.threads, self.barriers = writer.source, writer.threads, writer.barriers
        self._checks = "fail(" in self.source[len(_HEADER) :]
        self._initial = lowering.memory.filled()
        self._tables = writer.tables.joined()
        self._results = [(x.value.shape, x.value.dtype) for x in varying]
        self._fixed = [(i, x) for i, x in enumerate(results) if type(x) is not Slot]
        self._arguments = [x.value for x in arguments]
        module = cupy.RawModule(code=self.source, options=("-std=c++17",))
        self._kernel = module.get_function("program")
        self._shared = 8 * writer.shared
        if self._shared > 48 << 10:
            self._kernel.max_dynamic_shared_size_bytes = self._shared
        self._memories: dict[Any, tuple[Any, ...]] = {}

    @property
    def bytes(self) -> int:
        """Bytes of a memory of the kernel."""
        return self._initial.nbytes

    def _memory(self) -> tuple[Any, ...]:
        import cupy

        key = threading.get_ident(), cupy.cuda.get_current_stream().ptr, cupy.cuda.Device().id
        found = self._memories.get(key)
        if found is None:
            found = self._memories[key] = (
                cupy.asarray(self._initial),
                cupy.asarray(self._tables),
                cupy.zeros(1, np.uint32),
            )
        return found

    def __call__(self, *leaves: Any) -> list[Any]:
        import cupy

        given: list[Any] = []
        for x, value in zip(leaves, self._arguments, strict=True):
            if not is_on_device(x):
                number = complex(x) if kind_of(value) == "c" else float(x)
                given += [number.real, number.imag] if type(number) is complex else [number]
            else:
                given.append(x if x.flags.c_contiguous else cupy.ascontiguousarray(x))
        memory = self._memory()
        found = [cupy.empty(shape, dtype) for shape, dtype in self._results]
        self._kernel((1,), (self.threads,), (*memory, *given, *found), shared_mem=self._shared)
        if self._checks:
            row = int(memory[2][0])
            if row != _NOTHING_FAILED:
                raise DifferentBranch if row in self._branches else Doubt
        for i, x in self._fixed:
            found.insert(i, x.copy() if hasattr(x, "copy") else x)
        return found


class KernelWriter:
    """The source of a kernel, and what it needs."""

    def __init__(
        self,
        lowering: Lowering,
        stretches: Sequence[Stretch],
        arguments: Sequence[Slot],
        results: Sequence[Slot],
    ) -> None:
        self.tables = Tables()
        self.threads = stretches[0].threads if stretches else 32
        self.barrier = "__syncwarp();" if self.threads == 32 else "__syncthreads();"
        self.shared = self.barriers = 0
        _mark_reads_of_others(stretches)
        for x in results:
            places = lowering.places[x].ravel() * (2 if kind_of(x.value) == "c" else 1)
            for stretch in stretches:
                stretch.mark_stored(places, np.zeros_like(places), 1)
        body = self._prologue(lowering, arguments)
        for stretch in stretches:
            writer = StretchWriter(stretch, self.tables)
            body += writer.text()
            self.barriers += writer.barriers + 1
            if any(stretch.is_shared):
                self.shared = max(self.shared, stretch.size * (2 if stretch.rounds > 1 else 1))
        body += self._epilogue(lowering, results)
        sizes = {row.elements for stretch in stretches for row in stretch.rows}
        clamped = [f"const int e{n} = min(t, {n - 1});" for n in sorted(sizes) if n > 1]
        self.source = "\n".join(
            [
                _HEADER,
                f'extern "C" __global__ void __launch_bounds__({self.threads}) program(',
                ", ".join(self._parameters(arguments, results)) + ") {",
                "extern __shared__ double shared[];",
                "double* const s = shared;",
                "Z* const z = (Z*)v;",
                "const int t = threadIdx.x;",
                *clamped,
                *body,
                "}\n",
            ]
        )

    def _parameters(self, arguments: Sequence[Slot], results: Sequence[Slot]) -> list[str]:
        found = ["double* v", "const int* __restrict__ tab", "unsigned* failed"]
        for i, x in enumerate(arguments):
            if isinstance(x.value, np.ndarray):
                found.append(f"const {_TYPES[x.value.dtype.char]}* __restrict__ a{i}")
            elif kind_of(x.value) == "c":
                found += [f"double a{i}", f"double b{i}"]
            else:
                found.append(f"double a{i}")
        for i, x in enumerate(results):
            found.append(f"{_TYPES[x.value.dtype.char]}* __restrict__ o{i}")
        return found

    def _prologue(self, lowering: Lowering, arguments: Sequence[Slot]) -> list[str]:
        """Return lines that copy the arguments to the memory."""
        found = [f"if (t == 0) *failed = {_NOTHING_FAILED}u;"]
        for i, x in enumerate(arguments):
            kind, places = kind_of(x.value), lowering.places[x]
            if not places.size:
                continue
            first = int(places.flat[0])
            if isinstance(x.value, np.ndarray):
                value = f"a{i}[e]"
                found.append(
                    f"for (int e = t; e < {places.size}; e += {self.threads})"
                    f" {'z' if kind == 'c' else 'v'}[{first} + e] = {value};"
                )
            elif kind == "c":
                found.append(f"if (t == 0) z[{first}] = Z{{a{i}, b{i}}};")
            else:
                found.append(f"if (t == 0) v[{first}] = a{i};")
        return [*found, self.barrier]

    def _epilogue(self, lowering: Lowering, results: Sequence[Slot]) -> list[str]:
        """Return lines that copy the results from the memory."""
        found = []
        for i, x in enumerate(results):
            places, kind = lowering.places[x], kind_of(x.value)
            if not places.size:
                continue
            run = as_run(places)
            text = (
                f"tab[{self.tables.put(places)} + e]"
                if run is None
                else sum_of(run[0], (run[1], "e"))
            )
            value = f"{'z' if kind == 'c' else 'v'}[{text}]"
            found.append(
                f"for (int e = t; e < {places.size}; e += {self.threads})"
                f" o{i}[e] = {value}{' != 0' if x.value.dtype == bool else ''};"
            )
        return found


def _mark_reads_of_others(stretches: Sequence[Stretch]) -> None:
    """Let each stretch store what others read."""
    for reader in stretches:
        for row in reader.rows:
            for read in row.reads:
                doubles = (read.places.ravel() * read.width)[:, None]
                doubles = (doubles + np.arange(read.width)).ravel()
                advance = np.repeat(read.advance.ravel() * read.width, read.width)
                for stretch in stretches:
                    if stretch is not reader:
                        stretch.mark_stored(doubles, advance, reader.rounds)
