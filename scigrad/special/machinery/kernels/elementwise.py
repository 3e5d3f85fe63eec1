"""Kernels over arrays from scalar functions: compiled once for each function and dtype, launched on
CuPy's stream.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel
from scigrad.numpy.accelerators import accelerator, attempt
from scigrad.typing import Array

cuda: Any = None
_THREADS = 256
_FEWEST = 128  # Numba warns of fewer blocks; a block that finds no element ends at once
_BLOCKS = 4096  # enough to fill any card; the loop over the grid does the rest


@functools.cache
def compile_elementwise(scalar: Callable[[type], Callable[[Any], Any]], kind: type) -> Any:
    """Return the CUDA kernel `kernel[blocks, threads](x, out)` for one-dimensional arrays of dtype
    `kind`.
    """
    # a global, because Numba's simulator swaps the global name `cuda` while a kernel runs
    global cuda
    from numba import cuda

    at = cuda.jit(device=True)(scalar(kind))

    def over_array(x, out):
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            out[i] = at(x[i])

    return cuda.jit(over_array)


def three_pieces(
    tables: tuple[tuple[float, ...], ...], kind: type, *, odd: bool
) -> Callable[[Any], Any]:
    """Return the even or odd function of one number given by three polynomials, in rising powers of
    a local variable.

        0 <= |x| <= 2    a polynomial in |x| - 1, times |x| if the function is odd
        2 <  |x| <= 8    a polynomial in (|x| - 5)/4
        8 <  |x|         a polynomial in 16/|x| - 1, divided by sqrt(|x|)

    Every constant has the type `kind`, so that float32 never widens to float64. Horner's rule takes
    four terms a step: NVVM unrolls so short a loop, and the coefficients become constants of fused
    multiply-adds. Loops over single terms stay loops that branch on the index (seen in the PTX; a
    test holds this).
    """
    near, middle, far = (_fours(table, kind) for table in tables)
    zero, quarter, one, two, five, eight, sixteen = (kind(c) for c in (0, 0.25, 1, 2, 5, 8, 16))

    def at(signed):
        x = abs(signed)
        y = zero
        if x <= two:
            t = x - one
            for d, c, b, a in near:
                y = (((y * t + d) * t + c) * t + b) * t + a
            return y * signed if odd else y
        if x <= eight:
            t = (x - five) * quarter
            for d, c, b, a in middle:
                y = (((y * t + d) * t + c) * t + b) * t + a
        else:
            # nan comes here and stays nan; at infinity t = -1 and the quotient below is 0
            t = sixteen / x - one
            for d, c, b, a in far:
                y = (((y * t + d) * t + c) * t + b) * t + a
            y = y / math.sqrt(x)
        return -y if odd and signed < zero else y

    return at


def _fours(table: tuple[float, ...], kind: type) -> tuple[tuple[Any, ...], ...]:
    """Return the coefficients from the highest power down, four at a time."""
    down = [kind(c) for c in reversed(table)]
    return tuple(tuple(down[i : i + 4]) for i in range(0, len(down), 4))


def working_kind(function: str, dtype: np.dtype) -> type:
    """Return float32 for dtypes that it represents exactly, float64 for other real ones: the loops
    of SciPy's ufuncs.
    """
    for kind in (np.float32, np.float64):
        if np.can_cast(dtype, kind):
            return kind
    raise TypeError(
        f"{function}: x has dtype {dtype}; the kernel takes real floating-point or integer arrays"
    )


def launch(function: str, scalar: Callable[[type], Callable[[Any], Any]], x: Any) -> Any:
    """Apply a scalar function to every element of a CuPy array; where Numba fails, and in a kernel
    of several functions, that of `xsf_kernels.csv`.

    The result is allocated by CuPy, by the user's allocator, and the kernel runs on CuPy's current
    stream without synchronization. Numba receives both arrays through `__cuda_array_interface__`.
    """
    import cupy

    kind = working_kind(function, x.dtype)
    if not usable(scalar, kind) or not hasattr(x, "get"):
        return kernel(f"special.{function}")(x).astype(kind, copy=False)
    source = cupy.ascontiguousarray(x, kind)
    out = cupy.empty(x.shape, kind)
    if out.size:
        _launch(compile_elementwise(scalar, kind), source, out)
    return out


@functools.cache
def usable(scalar: Callable[[type], Callable[[Any], Any]], kind: type) -> bool:
    """Return whether Numba can compile a kernel and start it, which it does on one number."""
    if accelerator("numba.cuda") is not None:
        with attempt("numba.cuda"):
            import cupy

            _launch(compile_elementwise(scalar, kind), *(cupy.empty(1, kind) for _ in range(2)))
            return True
    return False


def _launch(run: Any, source: Any, out: Array) -> None:
    import cupy
    from numba import cuda

    pointer = cupy.cuda.get_current_stream().ptr
    stream = cuda.external_stream(pointer) if pointer else 0
    # one stream: nothing to wait for
    flat = (cuda.as_cuda_array(a.reshape(-1), sync=False) for a in (source, out))
    run[min(max(-(-out.size // _THREADS), _FEWEST), _BLOCKS), _THREADS, stream](*flat)
