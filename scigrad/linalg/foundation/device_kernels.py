"""Kernels for systems of linear equations on a CUDA device: how they are compiled, and how a batch
of matrices is spread over the device.
"""

import functools
import math
from pathlib import Path
from typing import Any

import numpy as np

_IN_WARP, _ROW = 32, 256  # the largest order and bytes of a row in the registers of a warp
_WARPS = 8  # A block that solves has so many, each with a column at a time.
_GROUPS = 4096  # that keep a device busy
_FLAGS = 64  # bytes of a block that are no numbers, at most
_NUMBERS = {"f": "float", "d": "double", "F": "Complex<float>", "D": "Complex<double>"}


def launch_factorization(name: str, a: Any, outputs: tuple[Any, ...], *numbers: int) -> None:
    """Factor matrices (count, n, n) in C order by a kernel."""
    count, n, _ = a.shape
    in_warp = name == "factor" and is_in_warp(n, a.dtype)
    threads = 128 if in_warp else min(1024, 128 * math.ceil(n / 16))
    blocks = math.ceil(count * _width(n) / 128) if in_warp else count
    given = a, *outputs, *map(np.int32, (count if in_warp else n, *numbers))
    memory = 0 if in_warp else (n * (n | 1) + n) * a.dtype.itemsize
    kernel(name, n, a.dtype)((blocks,), (threads,), given, shared_mem=memory)


def launch_solution(name: str, factors: tuple[Any, ...], b: Any, *numbers: int) -> Any:
    """Solve for right-hand sides (..., n, k) by a kernel that is given some factors, of which the
    first has the shape (count, n, n), and numbers.
    """
    import cupy

    b = cupy.ascontiguousarray(b)
    (count, n, _), columns, x = factors[0].shape, b.shape[-1], cupy.empty_like(b)
    in_warp = name == "solve" and is_in_warp(n, b.dtype)
    most = columns if in_warp else math.ceil(columns / _WARPS)
    parts = min(most, max(1, _GROUPS // (count if in_warp else count * _WARPS)))
    blocks = math.ceil(count * parts * _width(n) / 128) if in_warp else count * parts
    sizes = count if in_warp else n, columns, parts
    given = *factors, b, x, *map(np.int32, (*sizes, *numbers))
    memory = 0 if in_warp else n * ((n | 1) + _WARPS) * b.dtype.itemsize
    threads = 128 if in_warp else 32 * _WARPS
    kernel(name, n if in_warp else 0, b.dtype)((blocks,), (threads,), given, shared_mem=memory)
    return x


def launch_solution_by_columns(a: Any, mark: Any, b: Any, *numbers: int) -> Any:
    """Solve with a triangle (n, n) for few columns (n, k)."""
    import cupy

    (n, columns), b = b.shape, cupy.ascontiguousarray(b)
    x = cupy.empty_like(b)
    given = a, mark, b, x, *map(np.int32, (n, columns, *numbers))
    kernel("solve_column", 0, b.dtype)((columns,), (1024,), given, shared_mem=n * b.dtype.itemsize)
    return x


def is_in_warp(n: int, dtype: Any) -> bool:
    return n <= _IN_WARP and n * dtype.itemsize <= _ROW


def _width(n: int) -> int:
    """Return how many lanes of a warp a matrix takes."""
    return 1 << max(1, (n - 1).bit_length())


def fits_into_block(n: int, dtype: Any) -> bool:
    """Return whether a matrix, with right-hand sides, has room in the memory of a block."""
    import cupy

    memory = _shared_memory(cupy.cuda.Device().id) - _FLAGS
    return n * ((n | 1) + _WARPS) * dtype.itemsize <= memory


def fits_column(n: int, dtype: Any) -> bool:
    """Return whether a column has room in the memory of a block, beside 32 x 33 numbers."""
    import cupy

    return (n + 32 * 33) * dtype.itemsize <= _shared_memory(cupy.cuda.Device().id)


@functools.cache
def _shared_memory(device: int) -> int:
    """Return the bytes that a block can have on a device."""
    import cupy

    return cupy.cuda.runtime.getDeviceProperties(device)["sharedMemPerBlockOptin"]


def kernel(name: str, order: int, dtype: Any) -> Any:
    """Return a kernel for the current device: for matrices in registers of this order, or for a
    block of threads.
    """
    import cupy

    in_warp = name in ("factor", "solve") and order and is_in_warp(order, dtype)
    return _kernels_of(dtype.char, order if in_warp else 0, cupy.cuda.Device().id)(name)


@functools.cache
def _kernels_of(kind: str, order: int, device: int) -> Any:
    import cupy

    module = cupy.RawModule(code=source_of(kind, order), options=("-std=c++17",))

    @functools.cache
    def found(name: str) -> Any:
        kernel = module.get_function(name)
        if not order:
            left = _shared_memory(device) - kernel.shared_size_bytes
            kernel.max_dynamic_shared_size_bytes = left
        return kernel

    return found


def source_of(kind: str, order: int) -> str:
    """Return the source of the kernels for a dtype: for matrices of an order in registers, or for
    blocks if it is 0.
    """
    named = {"T": _NUMBERS[kind], "REAL": _NUMBERS[kind.lower()]}
    if order:
        named |= {"ORDER": order, "WIDTH": _width(order)}
    text = "".join(f"#define {name} {value}\n" for name, value in named.items())
    for part in ("numbers", "systems_in_warp" if order else "systems_in_block"):
        text += (Path(__file__).parent / f"device_{part}.cuh").read_text("utf-8")
    return text
