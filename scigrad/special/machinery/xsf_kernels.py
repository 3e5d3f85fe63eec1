"""Kernels of CuPy's special functions, completed by SciPy's own: the C++ headers of xsf, which
CuPy's wheel ships.

`xsf_kernels.csv` has a row for each function that cupyx lacks, or computes otherwise than SciPy:
the header, the loops of its ufunc, the expression of its arguments ``{0}, {1}, ...`` (several
outputs are assigned to ``out0, out1, ...``), the bytes that a thread takes from the device's heap,
and those of its stack where functions call themselves and need more than the 1,024 that it has;
what they need is read from the compiled kernel (scigrad/testing/cuda_stack.py). The last column is
the condition under which the work arrays of xsf suffice: the result is nan elsewhere, and for
elements that take more than a million rounds of loops (xsf_kernels.cuh). All is computed in double
precision. `backends` finds this module in the place of cupyx.scipy.special; a loop for complex
numbers beside a real function of CuPy's is taken for complex numbers alone.
"""

import csv
import functools
import importlib
import inspect
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from scigrad.numpy.composition import write

_HERE = Path(__file__).parent
_THREADS = 128  # threads of a block
_HEAP = 256 << 20  # bytes for all threads of a launch that allocate
_STACK_LIMIT, _HEAP_LIMIT = 0, 2  # cudaLimitStackSize, cudaLimitMallocHeapSize
_TYPES = {"d": "float64", "D": "complex128", "l": "int64", "?": "bool"}
# kernels that this process has compiled, or found in CuPy's cache
_LAUNCHED: set[tuple[str, str]] = set()
_XSF_TYPES = {"d": "double", "D": "std::zeroed<double>", "l": "long long", "?": "bool"}


class Row(NamedTuple):
    """A function by an expression of xsf."""

    name: str
    header: str
    loops: tuple[str, ...]
    expression: str
    heap: int
    stack: int
    domain: str


@functools.cache
def rows() -> dict[str, list[Row]]:
    """Return the table: the rows of each function."""
    found: dict[str, list[Row]] = {}
    with (_HERE / "xsf_kernels.csv").open(newline="", encoding="utf-8") as file:
        for name, header, loops, expression, heap, stack, domain in list(csv.reader(file))[1:]:
            row = Row(
                name,
                header,
                tuple(loops.split()),
                expression,
                int(heap or 0),
                int(stack or 0),
                domain,
            )
            found.setdefault(name, []).append(row)
    return found


def __getattr__(name: str) -> Callable[..., Any]:
    ours = importlib.import_module("scigrad.special")
    if name not in ours.__all__:  # what Python and test runners ask modules for
        raise AttributeError(name)
    theirs = getattr(importlib.import_module("cupyx.scipy.special"), name, None)
    if name in rows():
        run: Any = functools.partial(_call, name, theirs)
        run.__signature__ = inspect.signature(getattr(ours, name))  # messages name its parameters
        return run
    if theirs is None:
        raise AttributeError(f"neither cupyx.scipy.special nor xsf has a kernel {name}")
    return theirs


def _call(name: str, theirs: Any, *args: Any, **kwargs: Any) -> Any:
    if any(isinstance(x, np.ndarray) and x.ndim for x in args):
        raise TypeError(f"{name}: an array of the host among those of the device")
    args = tuple(x for x in args if x is not None)  # q of zeta
    kinds = [x.dtype if hasattr(x, "dtype") else np.result_type(x) for x in args]
    found = loop_for(name, kinds, theirs is not None)
    if found and not kwargs.keys() - {"out"}:
        return write(kwargs.get("out"), launched(*found, args))
    if theirs is not None:
        return theirs(*args, **kwargs)
    takes = " or ".join(loop for row in rows()[name] for loop in row.loops)
    # a MissingKernel
    refused = (
        TypeError if kwargs or any(kind.kind == "c" for kind in kinds) else NotImplementedError
    )
    raise refused(
        f"{name}: the kernel takes {takes} and no options, not {', '.join(map(str, kinds))} "
        f"{kwargs or ''}"
    )


def loop_for(name: str, kinds: list[Any], real_elsewhere: bool = False) -> tuple[Row, str] | None:
    """Return the first loop to which the dtypes can be cast, with its row; no complex one for real
    numbers `real_elsewhere`.
    """
    real = real_elsewhere and not any(kind.kind == "c" for kind in kinds)
    for row in rows()[name]:
        for loop in row.loops:
            given, _, _ = loop.partition("->")
            if (
                len(given) == len(kinds)
                and not (real and "D" in given)
                and all(map(np.can_cast, kinds, given))
            ):
                return row, loop
    return None


def launched(row: Row, loop: str, args: tuple[Any, ...]) -> Any:
    """Run the kernel over one-dimensional arrays, so that it is compiled once, whatever the
    shapes.
    """
    import cupy

    inputs, _, outputs = loop.partition("->")
    arrays = cupy.broadcast_arrays(
        *(cupy.asarray(x, dtype=kind) for x, kind in zip(args, inputs, strict=True))
    )
    flat = [cupy.ascontiguousarray(x).ravel() for x in arrays]
    outs = [cupy.empty(arrays[0].shape, kind) for kind in outputs]
    size, step = flat[0].size, max(flat[0].size, 1)
    grant_stack(f"special.{row.name}", row.stack)
    if row.heap:
        step = _HEAP // row.heap
        # it cannot be changed once a kernel that allocates has run
        if cupy.cuda.runtime.deviceGetLimit(_HEAP_LIMIT) < _HEAP:
            cupy.cuda.runtime.deviceSetLimit(_HEAP_LIMIT, _HEAP)
    run, begin = compile_row(row, loop), time.perf_counter()
    for start in range(0, size, step):
        piece = slice(start, start + step)
        run(*(x[piece] for x in flat), *(y.reshape(-1)[piece] for y in outs), block_size=_THREADS)
        if (row.name, loop) not in _LAUNCHED:
            _LAUNCHED.add((row.name, loop))
            _report(row.name, time.perf_counter() - begin)
    return tuple(outs) if len(outs) > 1 else outs[0]


def _report(name: str, seconds: float) -> None:
    """Report why a first call took long: it waits for the compiler, and for nothing else."""
    if seconds > 1:
        import logging  # most programs do not need it

        message = "special.%s: its kernel was compiled in %.1f s; CuPy keeps it for later processes"
        logging.getLogger("scigrad").info(message, name, seconds)


def grant_stack(name: str, needed: int) -> None:
    """Raise the stack of each thread to the bytes that a kernel needs: one limit for all kernels of
    the device, which is never lowered.
    """
    from cupy import cuda, get_default_memory_pool

    if cuda.runtime.deviceGetLimit(_STACK_LIMIT) >= needed:
        return
    card = cuda.runtime.getDeviceProperties(cuda.runtime.getDevice())
    size = needed * card["multiProcessorCount"] * card["maxThreadsPerMultiProcessor"]
    if cuda.runtime.memGetInfo()[0] < size:
        get_default_memory_pool().free_all_blocks()
    if (free := cuda.runtime.memGetInfo()[0]) < size:
        raise MemoryError(
            f"{name}: its kernel needs a stack of {needed:,} bytes for each "
            f"thread, {size >> 20:,} MiB for all "
            f"threads of the device, of which {free >> 20:,} MiB are free: free some, or compute "
            "it `with scigrad.on_host"
            f'("{name}")`'
        )
    cuda.runtime.deviceSetLimit(_STACK_LIMIT, needed)


@functools.cache
def compile_row(row: Row, loop: str) -> Any:
    """Return the kernel of a loop."""
    import cupy

    include = Path(cupy.__file__).parent / "_core" / "include"
    source, options = preamble(row, include, cupy.__version__, cupy.cuda.nvrtc.getVersion())
    inputs, _, outputs = loop.partition("->")
    given = ", ".join(f"{_TYPES[kind]} given{i}" for i, kind in enumerate(inputs))
    results = ", ".join(f"{_TYPES[kind]} result{i}" for i, kind in enumerate(outputs))
    name = f"xsf_{row.name}_{inputs.replace('?', 'b')}"
    return cupy.ElementwiseKernel(
        given, results, operation(row, loop), name, preamble=source, options=options
    )


def operation(row: Row, loop: str) -> str:
    """Return the statements of a kernel from ``given0, given1, ...`` to ``result0, result1, ...``,
    which are CuPy's numbers.
    """
    inputs, _, outputs = loop.partition("->")
    names = [f"in{i}" for i in range(len(inputs))]
    assigned = row.expression.format(*names)
    if len(outputs) == 1:
        assigned = f"out0 = {assigned}"
    if row.domain:
        assigned = f"if ({row.domain.format(*names)}) {{ {assigned}; }} else bounded::give_up()"
    before = ["bounded::begin();"]
    before += [f"const {_XSF_TYPES[kind]} in{i} = given{i};" for i, kind in enumerate(inputs)]
    before += [f"{_XSF_TYPES[kind]} out{i};" for i, kind in enumerate(outputs)]
    after = [f"result{i} = bounded::ended(out{i});" for i in range(len(outputs))]
    return " ".join([*before, assigned, ";", *after])


def quick_compilation(nvrtc: tuple[int, int]) -> tuple[str, ...]:
    """Return the option of a compiler that knows it to be quick; kernels stay as fast."""
    return ("-Ofc=min",) if nvrtc >= (12, 9) else ()


def preamble(
    row: Row, include: Path, version: str, nvrtc: tuple[int, int]
) -> tuple[str, tuple[str, ...]]:
    """Return the source before a kernel, and the options of the compiler.

    CuPy's cache of kernels does not look into headers, so that its version is part of the source.
    Functions that are not inlined take a tenth of the time to compile, a fifth of that where NVRTC
    (12.9 and later) is told to be quick; kernels stay as fast.
    """
    text = "\n".join(
        (_HERE / f"xsf_{part}.cuh").read_text("utf-8") for part in ("foundation", "kernels")
    )
    headers = "".join(f"#include <cupy/xsf/{header}.h>\n" for header in row.header.split())
    undone = "".join(f"#undef {name}\n" for name in ("complex", "inline", "for", "while", "do"))
    names = "#define inline inline XSF_APART\n#define complex zeroed\n", undone
    source = (
        f"// CuPy {version}\n#define XSF_THREADS {_THREADS}\n{text}\n{names[0]}{headers}{names[1]}"
    )
    folders = (include / "cupy", include / "cupy" / "_cccl" / "libcudacxx" / "cuda" / "std")
    return source, (
        "--std=c++20",
        "-default-device",
        *quick_compilation(nvrtc),
        *(f"-I{folder}" for folder in folders),
    )
