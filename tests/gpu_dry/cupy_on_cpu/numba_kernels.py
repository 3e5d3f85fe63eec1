"""Numba's CUDA kernels by one thread of the host: device functions are compiled for the CPU, the
loop over a grid is Python's.
"""

from collections.abc import Callable
from typing import Any

from .device_memory import vector
from .runtime import increase


class Kernel:
    """A kernel that loops over its grid, launched as kernel[blocks, threads, stream](*arrays)."""

    def __init__(self, function: Callable[..., None]) -> None:
        self.function = function

    def __getitem__(self, configuration: Any) -> Callable[..., None]:
        def launch(*args: Any) -> None:
            increase("launches")
            self.function(*args)

        return launch


def jit(function: Callable[..., Any] | None = None, *, device: bool = False) -> Any:
    import numba

    if function is None:
        return numba.njit if device else Kernel
    return Kernel(function)


def view(array: Any, sync: bool = True) -> Any:
    """The one-dimensional array of a library that has `__cuda_array_interface__`, on the host."""
    return vector(array.data.ptr, array.size, array.dtype)


def replace() -> None:
    from numba import cuda

    cuda.jit, cuda.as_cuda_array, cuda.external_stream = jit, view, lambda pointer: pointer
    cuda.grid, cuda.gridsize = (lambda dimensions: 0), (lambda dimensions: 1)
