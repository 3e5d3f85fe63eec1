"""The source of the kernels of a small program, and how they are launched."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..memory import as_run, kind_of
from ..tape import Slot
from . import phases
from .block_source import StretchWriter, Tables, barrier_of, sum_of
from .rounds import take_in_rounds
from .row_places import CHECKS, FACTORS, Constants, Part, Unsuitable, block_size, parts_of
from .stretches import FEW, Stretch
from .writes import Writes, needs_of

HEADER = (Path(__file__).parent / "one_kernel.cuh").read_text("utf-8")
TYPES = {"d": "double", "D": "Z", "?": "bool"}
NOTHING_FAILED = 0xFFFFFFFF
_WIDEST = 1024  # elements that a thread each of a block computes
_LANES_OF_BLOCK = 32  # few, so that all processors have some
_SUMMING = _WRITING = 256  # threads of a block that adds lanes, or writes results
_MOST_OF_BLOCK = 4096  # numbers of a result that the block that computes writes
_MOST_SUMMING = 264  # blocks


class Launch(NamedTuple):
    """A kernel of the source."""

    name: str
    blocks: int
    threads: int
    shared: int  # doubles
    has_arguments: bool
    has_results: bool


class KernelSource:
    """One kernel of one block, or those of a program with lanes (phases.py)."""

    def __init__(self, lowering: Any, arguments: Sequence[Slot], results: Sequence[Slot]) -> None:
        self.lowering, self.arguments, self.results = lowering, arguments, results
        self.tables = Tables()
        self.launches: list[Launch] = []
        self.barriers = 0
        parts = take_in_rounds(parts_of(lowering))
        self._has_loops = any(part.rounds > 1 for part in parts)
        codes = {row.code for part in parts for row in part.rows}
        self.has_checks = not codes.isdisjoint((*CHECKS, *FACTORS))
        constants = Constants(lowering.memory.constants)
        lanes = phases.number_of_lanes(parts)
        self._needs = needs_of(parts, lanes)
        found = phases.phases_of(parts, self._needs, lanes) if lanes else None
        if found is None:
            threads = block_size(parts)
            if any(row.elements > _WIDEST for part in parts for row in part.rows):
                raise Unsuitable("wide arrays, of which many blocks compute parts sooner")
            stretches = [Stretch(part, threads, constants, self._few(part)) for part in parts]
            text = self._kernels(parts, [("program", stretches, threads)])
        else:
            text = self._kernels(parts, self._in_phases(parts, found, lanes, constants))
        self.text = HEADER + text

    def _in_phases(self, parts: Any, found: Any, lanes: int, constants: Constants) -> Any:
        """Return the stretches of each phase, with the name of its kernel and its threads."""
        kernels = []
        for phase, name in enumerate(("before", "lanes", "adding", "behind")):
            chosen = phases.split(parts, found, phase)
            threads = block_size(chosen)
            if phase == phases.LANES:
                threads = lanes
            elif phase == phases.ADDING:
                threads = _SUMMING
            made = [
                Stretch(part, threads, constants, self._few(part), name == "lanes")
                for part in chosen
            ]
            kernels.append((name, made, threads))
        return kernels

    def _few(self, part: Part) -> int:
        """Return how many numbers of a result every thread computes: more where it saves time,
        fewer where it makes the source longer.
        """
        return FEW if part.rounds > 1 or not self._has_loops else 1

    def _kernels(self, parts: Any, kernels: Sequence[tuple[str, list[Stretch], int]]) -> str:
        """Return the text of the kernels, whose rows keep in memory what others read."""
        self._keep(parts, [stretch for _, stretches, _ in kernels for stretch in stretches])
        texts = []
        sizes = [np.size(x.value) for x in self.results]
        is_wide = max(sizes, default=0) > _MOST_OF_BLOCK
        for i, (name, stretches, threads) in enumerate(kernels):
            is_first, is_last = i == 0, i == len(kernels) - 1 and not is_wide
            if stretches or is_first or is_last:
                texts.append(self._kernel(name, stretches, threads, is_first, is_last))
        if is_wide:
            texts.append(self._kernel("results", [], -(-max(sizes) // _WRITING), False, True))
        return "\n".join(texts)

    def _keep(self, parts: Any, stretches: Sequence[Stretch]) -> None:
        home = {row.number: (s, i) for s in stretches for i, row in enumerate(s.rows)}
        pairs = [(n, w) for n, needs in self._needs.items() for w in needs]
        read = {w for n, w in pairs if home[n][0] is not home[w][0]}
        for x in self.results:
            places = self.lowering.places[x].ravel() * (2 if kind_of(x.value) == "c" else 1)
            read.update(number for part in parts for number in Writes(part).writers(places))
        for number in read:
            stretch, i = home[number]
            stretch.is_stored[i] = True

    def _kernel(
        self, name: str, stretches: Sequence[Stretch], count: int, is_first: bool, is_last: bool
    ) -> str:
        """Return the text of a kernel, and add its launch; `count` are the threads that compute,
        or the blocks that write results.
        """
        size, blocks, thread = self._geometry(name, stretches, count, is_first, is_last)
        computing = []
        shared = 0
        for stretch in stretches:
            writer = StretchWriter(stretch, self.tables)
            computing += writer.sums_over_blocks() if name == "adding" else writer.text()
            self.barriers += writer.barriers + (not stretch.lanes)
            if any(stretch.is_shared):
                shared = max(shared, stretch.size * (2 if stretch.rounds > 1 else 1))
        if computing and name in ("program", "before", "behind") and size > count:
            computing = [f"if (t < {count}) {{", *computing, "}", barrier_of(size)]
        self.launches.append(Launch(name, blocks, size, shared, is_first, is_last))
        rows = [row for stretch in stretches for row in stretch.rows if not stretch.lanes]
        widths = sorted({row.elements for row in rows} - {0, 1})
        return "\n".join(
            [
                f'extern "C" __global__ void __launch_bounds__({size}) {name}'
                f"({', '.join(self._parameters(is_first, is_last))}) {{",
                "extern __shared__ double shared[];",
                "double* const s = shared;",
                "Z* const z = (Z*)v;",
                f"const int t = {thread};",
                *[f"const int e{n} = min(t, {n - 1});" for n in widths],
                *(self._prologue(size) if is_first else []),
                *computing,
                *(self._epilogue(size * blocks) if is_last else []),
                "}\n",
            ]
        )

    def _geometry(
        self, name: str, stretches: Sequence[Stretch], count: int, is_first: bool, is_last: bool
    ) -> tuple[int, int, str]:
        """Return the threads of a block, the blocks, and the text of a thread's number.

        Where a warp computes alone, more threads read arguments and write results.
        """
        if name == "lanes":
            number = f"min(blockIdx.x * {_LANES_OF_BLOCK} + threadIdx.x, {count - 1}u)"
            return _LANES_OF_BLOCK, -(-count // _LANES_OF_BLOCK), number
        if name == "results":
            return _WRITING, count, f"blockIdx.x * {_WRITING} + threadIdx.x"
        if name == "adding":
            most = max(s.rounds if s.rounds > 1 else len(s.rows) for s in stretches)
            return _SUMMING, min(_MOST_SUMMING, most), "threadIdx.x"
        values = [x.value for x in self.arguments] if is_first else []
        values += [x.value for x in self.results] if is_last else []
        most = max((np.size(x) for x in values), default=1)
        if count > 32 or most <= 64:
            return count, 1, "threadIdx.x"
        return min(1024, -(-most // 32) * 32), 1, "threadIdx.x"

    def _parameters(self, is_first: bool, is_last: bool) -> list[str]:
        found = ["double* v", "const int* __restrict__ tab", "unsigned* failed"]
        for i, x in enumerate(self.arguments if is_first else ()):
            if isinstance(x.value, np.ndarray):
                found.append(f"const {TYPES[x.value.dtype.char]}* __restrict__ a{i}")
            else:
                found += [f"double a{i}"] + [f"double b{i}"] * (kind_of(x.value) == "c")
        if is_last:
            found.append("unsigned* seen")
        for i, x in enumerate(self.results if is_last else ()):
            found.append(f"{TYPES[x.value.dtype.char]}* __restrict__ o{i}")
        return found

    def _prologue(self, threads: int) -> list[str]:
        """Return lines that copy the arguments to the memory."""
        found = [f"if (t == 0) *failed = {NOTHING_FAILED}u;"] if self.has_checks else []
        for i, x in enumerate(self.arguments):
            kind, places = kind_of(x.value), self.lowering.places[x]
            if not places.size:
                continue
            target = f"{'z' if kind == 'c' else 'v'}[{sum_of(int(places.flat[0]), (1, 'e'))}]"
            value = f"Z{{a{i}, b{i}}}" if kind == "c" else f"a{i}"
            if isinstance(x.value, np.ndarray):
                value = f"a{i}[e]"
            found.append(f"for (int e = t; e < {places.size}; e += {threads}) {target} = {value};")
        return [*found, barrier_of(threads)]

    def _epilogue(self, threads: int) -> list[str]:
        """Return lines that copy the results from the memory, and tell the host what failed."""
        found = ["if (t == 0) *seen = *failed;"] if self.has_checks else []
        for i, x in enumerate(self.results):
            places = self.lowering.places[x]
            if not places.size:
                continue
            run = as_run(places)
            at = f"tab[{self.tables.put(places)} + e]"
            if run is not None:
                at = sum_of(run[0], (run[1], "e"))
            value = f"{'z' if kind_of(x.value) == 'c' else 'v'}[{at}]"
            truth = " != 0" if x.value.dtype == bool else ""
            head = f"for (int e = t; e < {places.size}; e += {threads})"
            found.append(f"{head} o{i}[e] = {value}{truth};")
        return found
