"""LU factors on a CUDA device, made and used without a wait for it.

Matrices that fit into a block's shared memory, and batches of such, are factored by kernels of ours
(systems.cuh): one launch a factorization and a solution, where cuSOLVER makes many for one matrix,
and where its kernels and those of cuBLAS for batches lose NaN and the digits of extreme sizes. One
larger matrix is factored by cuSOLVER, which sees the transpose of an array in C order. Nobody asks
here whether it went well: what failed is an array on the device.
"""

import functools
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .decompositions import nan_if_not_finite

_IN_WARP = 32  # the largest order whose rows lie in the registers of a warp
_WARPS = 8  # of a block that solves; each has a column at a time
_GROUPS = 4096  # that keep a device busy
LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}
_NUMBERS = {"f": "float", "d": "double", "F": "Complex<float>", "D": "Complex<double>"}


def eliminated(a: Any) -> tuple[Any, Any] | None:
    """Return a solver for matrices (..., n, n) of CuPy, and the numbers of their first pivots that
    are 0; None for batches of matrices that are too large for kernels of ours.
    """
    n, shape = a.shape[-1], a.shape[:-2]
    if _fits_into_block(n, a.dtype):
        lu = _eliminated_together(a.reshape(math.prod(shape), n, n))
        return lu, lu.info.reshape(shape)
    return _eliminated_by_library(a) if not shape else None


# -- by kernels of ours


class Pivoted(NamedTuple):
    """P L U of each matrix of a batch (count, n, n)."""

    lu: Any
    order: Any
    info: Any

    def __call__(self, b: Any, adjoint: bool) -> Any:
        import cupy

        b = cupy.ascontiguousarray(b)
        (count, n, _), columns, x = self.lu.shape, b.shape[-1], cupy.empty_like(b)
        in_warp = n <= _IN_WARP
        most = columns if in_warp else math.ceil(columns / _WARPS)
        parts = min(most, max(1, _GROUPS // (count if in_warp else count * _WARPS)))
        numbers = (count if in_warp else n, columns, parts)
        blocks, threads, memory = _launched(n, count * parts, _WARPS * n, b.dtype)
        solve = _kernels(b.dtype.char, n, cupy.cuda.Device().id)[2 if adjoint else 1]
        given = self.lu, self.order, b, x, *map(np.int32, numbers)
        solve((blocks,), (threads,), given, shared_mem=memory)
        return x


def _eliminated_together(a: Any) -> Pivoted:
    import cupy

    a = cupy.ascontiguousarray(a)
    count, n, _ = a.shape
    found = Pivoted(
        cupy.empty_like(a), cupy.empty((count, n), np.int32), cupy.empty(count, np.int64)
    )
    blocks, threads, memory = _launched(n, count, n, a.dtype)
    threads = threads if n <= _IN_WARP else min(1024, 128 * math.ceil(n / 16))
    factor = _kernels(a.dtype.char, n, cupy.cuda.Device().id)[0]
    number = np.int32(count if n <= _IN_WARP else n)
    factor((blocks,), (threads,), (a, *found, number), shared_mem=memory)
    return found


def _launched(n: int, groups: int, more: int, dtype: Any) -> tuple[int, int, int]:
    """Return the numbers of blocks and threads for some groups of threads, a part of a warp or a
    block, and the bytes of shared memory: a matrix and some numbers more.
    """
    if n <= _IN_WARP:
        return math.ceil(groups * _width(n) / 128), 128, 0
    return groups, 32 * _WARPS, (n * (n | 1) + more) * dtype.itemsize


def _width(n: int) -> int:
    return 1 << max(1, (n - 1).bit_length())


def _fits_into_block(n: int, dtype: Any) -> bool:
    import cupy

    return n <= _largest_order(dtype, cupy.cuda.Device().id)


@functools.cache
def _largest_order(dtype: Any, device: int) -> int:
    return math.isqrt(_shared_memory(device) // dtype.itemsize) - _WARPS


@functools.cache
def _shared_memory(device: int) -> int:
    """Return the bytes that a block can have on a device."""
    import cupy

    return cupy.cuda.runtime.getDeviceProperties(device)["sharedMemPerBlockOptin"]


@functools.cache
def _source() -> str:
    return (Path(__file__).parent / "systems.cuh").read_text("utf-8")


def _kernels(kind: str, n: int, device: int) -> tuple[Any, Any, Any]:
    """Return the kernels that factor, solve, and solve with the adjoint, on the current device."""
    return _compiled(kind, n if n <= _IN_WARP else 0, device)


@functools.cache
def _compiled(kind: str, order: int, device: int) -> tuple[Any, Any, Any]:
    import cupy

    named = {"T": _NUMBERS[kind], "REAL": _NUMBERS[kind.lower()]}
    if order:
        named |= {"ORDER": order, "WIDTH": _width(order)}
    text = "".join(f"#define {name} {value}\n" for name, value in named.items()) + _source()
    module = cupy.RawModule(code=text, options=("-std=c++17",))
    found = [module.get_function(name) for name in ("factor", "solve", "solve_adjoint")]
    for kernel in found if not order else ():
        # static memory counts too
        kernel.max_dynamic_shared_size_bytes = _shared_memory(device) - 1024
    return tuple(found)


# -- by cuSOLVER


class _Transposed(NamedTuple):
    """Factors of the transpose of a matrix, and what is added to a right-hand side: NaN if the
    matrix is not finite, else 0.
    """

    lu: Any
    pivots: Any
    mark: Any

    def __call__(self, b: Any, adjoint: bool) -> Any:
        import cupy
        from cupy.cuda import device
        from cupy_backends.cuda.libs import cusolver

        n, columns = b.shape
        conjugated = adjoint and b.dtype.kind == "c"
        x, info = cupy.empty((columns, n), b.dtype), cupy.empty(1, np.int32)
        cupy.add(b.T.conj() if conjugated else b.T, self.mark, out=x)
        solve = getattr(cusolver, f"{LETTERS[b.dtype.char]}getrs")
        shapes = 0 if adjoint else 1, n, columns  # without and with a transposition
        lu, pivots = self.lu.data.ptr, self.pivots.data.ptr
        solve(device.get_cusolver_handle(), *shapes, lu, n, pivots, x.data.ptr, n, info.data.ptr)
        return (cupy.conj(x, out=x) if conjugated else x).T


def _eliminated_by_library(a: Any) -> tuple[_Transposed, Any]:
    import cupy
    from cupy.cuda import device
    from cupy_backends.cuda.libs import cusolver

    n, letter, handle = len(a), LETTERS[a.dtype.char], device.get_cusolver_handle()
    lu, mark = cupy.array(a, order="C"), nan_if_not_finite(a)
    size = getattr(cusolver, f"{letter}getrf_bufferSize")(handle, n, n, lu.data.ptr, n)
    work, pivots, info = (cupy.empty(size, a.dtype), *map(cupy.empty, (n, ()), (np.int32,) * 2))
    pointers = work.data.ptr, pivots.data.ptr, info.data.ptr
    getattr(cusolver, f"{letter}getrf")(handle, n, n, lu.data.ptr, n, *pointers)
    return _Transposed(lu, pivots, mark), np.where(mark[0, 0] == 0, info, 0)
