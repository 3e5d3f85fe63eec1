"""Kernels of a program: what is stored at one level, in loops over the elements."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .levels import Plan, is_serial
from .nodes import Elementwise, Node, Parameter, Reduction, Routine
from .routines import TYPES
from .writer import Index, Writer, neutral, sum_type

THREADS = 256
THREADS_OF_XSF = 128  # its headers keep something for each thread of a block
_WAVES = 8  # blocks for each multiprocessor
_WARP = 1024  # elements of a sum that one warp makes, and not a block
REDUCTIONS = Path(__file__).with_name("reductions.cuh").read_text("utf-8")


class Kernel:
    """Source of a kernel, and what it is given: values that it reads, then those it stores."""

    def __init__(self, name: str, plan: Plan, level: int, nodes: Sequence[Node]) -> None:
        self.name, self.stored = name, list(nodes)
        wide = max([x.size for n in nodes for x in (n, *n.inputs)], default=0) >= 1 << 30
        writer = Writer(plan, level, "long long" if wide else "int")
        serial = [n for n in nodes if not isinstance(n, Reduction) or is_serial(n)]
        rest = [n for n in nodes if isinstance(n, Reduction) and not is_serial(n)]
        self.whole = [n for n in rest if n.size == 1]
        self._places = {node: f"q{i}" for i, node in enumerate(nodes)}
        self.threads = THREADS
        self.work = 1  # threads that have something to do
        sums = {node: writer.new("s") for node in self.whole}
        self._write_loops(writer, serial, sums)
        self._write_rows(writer, [n for n in rest if n.size > 1])
        self._write_ends(writer, sums)
        self.functions = writer.functions
        if any(f.routine.row is not None for f in writer.functions.values()):
            self.threads = THREADS_OF_XSF
        self.read = list(writer.read)
        self.source = self._source(writer, sums)

    def _source(self, writer: Writer, sums: dict[Reduction, str]) -> str:
        given = [_declaration(node, name) for node, name in writer.read.items()]
        given += [
            f"{TYPES[node.dtype.char]}* __restrict__ {name}" for node, name in self._places.items()
        ]
        if self.whole:
            given += ["unsigned* parts", "unsigned* counter"]
        first = [f"  {sum_type(n)} {name} = {neutral(n)};" for n, name in sums.items()]
        body = "\n".join([*writer.before, *first, *writer.lines])
        return (
            f'extern "C" __global__ void __launch_bounds__({self.threads}) '
            f"{self.name}({', '.join(given)}) {{\n{body}\n}}\n"
        )

    def _write_loops(
        self, writer: Writer, stores: Sequence[Node], sums: dict[Reduction, str]
    ) -> None:
        """Write a loop for each number of elements, over all that have so many."""
        sizes = {n.size for n in stores} | {n.inputs[0].size for n in sums}
        for size in sorted(sizes - {0}):
            i, kind = writer.new("i"), writer.index_type
            self.work = max(self.work, size)
            writer.open(
                f"for ({kind} {i} = ({kind})blockIdx.x * blockDim.x + threadIdx.x; "
                f"{i} < {size}; {i} += ({kind})gridDim.x * blockDim.x)"
            )
            for node in stores:
                if node.size == size:
                    value = writer.value(node, Index(node.shape, i), node.dtype)
                    writer.put(f"{self._places[node]}[{i}] = {value};")
            for node, name in sums.items():
                (x,) = node.inputs
                if x.size == size:
                    writer.accumulate(node, name, Index(x.shape, i))
            writer.close()

    def _write_rows(self, writer: Writer, nodes: Sequence[Reduction]) -> None:
        """Write sums of many elements, each of which a warp or a block makes."""
        groups: dict[Any, list[Reduction]] = {}
        for node in nodes:
            if node.size:
                groups.setdefault((node.inputs[0].shape, node.axes), []).append(node)
        for (shape, axes), group in groups.items():
            rows, count = group[0].size, group[0].count
            own = "warp" if count <= _WARP else "block"
            lanes = 32 if own == "warp" else THREADS
            self.work = max(self.work, rows * lanes)
            kind, r, k = writer.index_type, writer.new("r"), writer.new("k")
            first = f"(({kind})blockIdx.x * blockDim.x + threadIdx.x) / 32"
            step = f"({kind})gridDim.x * blockDim.x / 32"
            if own == "block":
                first, step = "blockIdx.x", "gridDim.x"
            writer.open(f"for ({kind} {r} = {first}; {r} < {rows}; {r} += {step})")
            lane = "threadIdx.x" + (" % 32" if own == "warp" else "")
            names = [writer.accumulator(node) for node in group]
            kept = writer.axes(Index(group[0].shape, r))
            step = "32" if own == "warp" else "blockDim.x"
            writer.open(f"for ({kind} {k} = {lane}; {k} < {count}; {k} += {step})")
            places = list(kept)
            along = writer.axes(Index(tuple(shape[i] for i in axes), k))
            for axis, place in zip(axes, along, strict=True):
                places.insert(axis, place)
            index = writer.at(shape, places)
            for node, name in zip(group, names, strict=True):
                writer.accumulate(node, name, index)
            writer.close()
            for node, name in zip(group, names, strict=True):
                writer.put(f"{name} = {_reduction_call(node, own, name)};")
                writer.put(f"if ({lane} == 0) {self._places[node]}[{r}] = {name};")
            writer.close()

    def _write_ends(self, writer: Writer, sums: dict[Reduction, str]) -> None:
        """Write the sums of all threads, which the last block adds in order."""
        if not sums:
            return
        for i, (node, name) in enumerate(sums.items()):
            writer.put(f"{name} = {_reduction_call(node, 'block', name)};")
            place = f"parts + 4 * ({i} * gridDim.x + blockIdx.x)"
            writer.put(f"if (threadIdx.x == 0) put_words({place}, {name});")
        writer.open("if (is_last_block(counter))")
        for i, (node, name) in enumerate(sums.items()):
            place = f"parts + 4 * {i} * gridDim.x"
            writer.put(f"{name} = {_reduction_call(node, 'grid', place)};")
            writer.put(f"if (threadIdx.x == 0) {self._places[node]}[0] = {name};")
        writer.close()

    def blocks(self, multiprocessors: int) -> int:
        """Return the number of blocks on a device."""
        return max(1, min(-(-self.work // self.threads), _WAVES * multiprocessors))


def _reduction_call(node: Reduction, where: str, what: str) -> str:
    kind, function = sum_type(node), f"{node.operation}_of<{sum_type(node)}>"
    more = "" if where == "warp" else f", {neutral(node)}"
    return f"of_{where}<{kind}, {function}>({what}{more})"


def _declaration(node: Node, name: str) -> str:
    if isinstance(node, Parameter):
        return f"const {TYPES[node.kind.char]} {name}"
    return f"const {TYPES[node.dtype.char]}* __restrict__ {name}"


# CuPy gives its loops these headers; the first takes the compiler 2.5 s
_HEADERS = {
    "<cupy/carray.cuh>": re.compile(r"\b(M_PI|_floor_divide)\b"),
    "<cupy/math_constants.h>": re.compile(r"\bCUDART_"),
    "<cupy/complex.cuh>": re.compile(r"\bcomplex<"),
}


def headers_of(source: str) -> list[str]:
    """Return lines that include the headers whose names a source uses."""
    return [f"#include {name}" for name, used in _HEADERS.items() if used.search(source)]


def module_source(kernels: Iterable[Kernel]) -> tuple[str, tuple[str, ...]]:
    """Return the source of some kernels, and the options of the compiler."""
    kernels = list(kernels)
    functions = {name: f for kernel in kernels for name, f in kernel.functions.items()}
    before, written, options = functions_source(functions)
    body = "\n".join([written, REDUCTIONS, *[kernel.source for kernel in kernels]])
    headers = headers_of(f"{body} complex<" if before else body)
    return "\n".join([*headers, before, body]), options


def functions_source(functions: Mapping[str, Elementwise]) -> tuple[str, str, tuple[str, ...]]:
    """Return what routines include, their functions, and the options of the compiler."""
    import cupy

    from scigrad.special.machinery import xsf_kernels

    rows = {f.routine.row.name: f.routine.row for f in functions.values() if f.routine.row}
    head, options = _head_of_xsf(list(rows.values())) if rows else ("", ("-std=c++17",))
    spaces: dict[str, list[str]] = {}
    included: dict[str, None] = {}
    for name, function in functions.items():
        lines = function.routine.preamble.splitlines()
        included.update(dict.fromkeys(line for line in lines if "#include" in line))
        space, _, own = name.partition("::")
        spaces.setdefault(space, [line for line in lines if line not in included])
        spaces[space].append(write_function(own, function))
    written = [put_in_namespace(space, lines) for space, lines in spaces.items()]
    if included and not rows:
        options = *options, *xsf_kernels.quick_compilation(cupy.cuda.nvrtc.getVersion())
    before = "\n".join([head, *included]) if included or rows else ""
    return before, "\n".join(written), options


def is_included(node: Node) -> bool:
    """Return whether a node is a long function of a library's headers."""
    routine = node.routine if isinstance(node, Elementwise) else Routine("", ())
    return "#include" in routine.preamble or routine.row is not None


def write_function(name: str, function: Elementwise) -> str:
    """Return the function of a routine."""
    types = [TYPES[t.char] for t in function.routine.types]
    given = [f"const {t} in{i}" for i, t in enumerate(types)]
    out = TYPES[function.dtype.char]
    kinds = [f"typedef {t} in{i}_type;" for i, t in enumerate(types)]
    # A long function that each use repeats takes minutes to compile, and runs no faster.
    inline = "__noinline__" if is_included(function) else "__forceinline__"
    return (
        f"__device__ {inline} void {name}({', '.join(given)}, {out}& out0) {{\n"
        f"{' '.join(kinds)} typedef {out} out0_type;\n{function.routine.text};\n}}"
    )


def put_in_namespace(name: str, lines: Sequence[str]) -> str:
    """Return lines in a namespace: two routines that CuPy compiles by themselves may define the
    same.
    """
    macros = [line.split()[1].partition("(")[0] for line in lines if line.startswith("#define")]
    ends = [f"#undef {macro}" for macro in macros]
    return "\n".join([f"namespace {name} {{", *lines, "}", *ends])


def _head_of_xsf(rows: Sequence[Any]) -> tuple[str, tuple[str, ...]]:
    """Return what kernels with functions of xsf begin with, and their options."""
    import cupy

    from scigrad.special.machinery import xsf_kernels

    headers = dict.fromkeys(header for row in rows for header in row.header.split())
    include = Path(cupy.__file__).parent / "_core" / "include"
    row = rows[0]._replace(header=" ".join(headers))
    return xsf_kernels.preamble(row, include, cupy.__version__, cupy.cuda.nvrtc.getVersion())


def bytes_of(node: Node) -> int:
    """Return the bytes of an array, rounded up so that the next one is aligned."""
    dtype = node.dtype or np.dtype(float)
    return -(-math.prod(node.shape) * dtype.itemsize // 256) * 256
