"""From a scalar function to a kernel over arrays: compiled once a function and dtype, launched on CuPy's stream."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

cuda: Any = None
_THREADS = 256
_BLOCKS = 4096  # enough to fill any card; the loop over the grid does the rest


@functools.cache
def compiled(scalar: Callable[[type], Callable[[Any], Any]], kind: type) -> Any:
    """The CUDA kernel `kernel[blocks, threads](x, out)` for one-dimensional arrays of dtype `kind`."""
    global cuda  # a global, because Numba's simulator swaps the global name `cuda` while a kernel runs
    from numba import cuda

    at = cuda.jit(device=True)(scalar(kind))

    def over_array(x, out):
        for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
            out[i] = at(x[i])

    return cuda.jit(over_array)


def working_kind(function: str, dtype: np.dtype) -> type:
    """float32 for what float32 holds exactly, float64 for other real dtypes, as SciPy's ufuncs choose their loops."""
    for kind in (np.float32, np.float64):
        if np.can_cast(dtype, kind):
            return kind
    raise TypeError(f"{function}: x has dtype {dtype}; the kernel takes real floating-point or integer arrays")


def launch(function: str, scalar: Callable[[type], Callable[[Any], Any]], x: Any) -> Any:
    """Apply a scalar function to every element of a CuPy array.

    The result is allocated by CuPy, so the user's allocator serves it, and the kernel runs on CuPy's current stream: no
    synchronisation. Numba sees both arrays through `__cuda_array_interface__`.
    """
    import cupy
    from numba import cuda

    kind = working_kind(function, x.dtype)
    source = cupy.ascontiguousarray(x, dtype=kind)
    out = cupy.empty(x.shape, dtype=kind)
    if out.size:
        pointer = cupy.cuda.get_current_stream().ptr
        stream = cuda.external_stream(pointer) if pointer else 0
        flat = (cuda.as_cuda_array(a.reshape(-1), sync=False) for a in (source, out))  # one stream: nothing to wait for
        compiled(scalar, kind)[min(-(-out.size // _THREADS), _BLOCKS), _THREADS, stream](*flat)
    return out
