"""Real CuPy on a CPU, for tests: a fake CUDA runtime below CuPy's compiled modules, kernels
compiled by g++, libraries by SciPy.

Argument checks, dtypes, dispatch, names of keywords, the arithmetic of kernels and the numbers of
launches, synchronisations and copies are CuPy's own. The numerics of the vendor's libraries, races,
streams and errors that appear later are not shown. `import cupy_on_cpu` comes before `import cupy`;
the first import compiles the runtime.
"""

import os
from importlib import import_module

os.environ.setdefault("CUPY_ACCELERATORS", "")  # neither CUB nor cuTENSOR

from . import device_memory, runtime


def _replace() -> None:
    """Replace CuPy's modules from the bottom up: what imports them copies their functions."""
    runtime.replace()
    from cupy_backends.cuda import libs

    from . import cublas, cufft, cusolver, cusparse, kernels, numba_kernels, thrust

    for fake in (cublas, cusolver, cusparse):
        # an attribute: the package finds the library
        fake.replace(getattr(libs, fake.__name__.rpartition(".")[2]))
    from cupy import cuda

    thrust.replace(cuda.thrust)
    cufft.replace(cuda.cufft)
    cusolver.replace_batches(import_module("cupyx._cusolver"), import_module("cupyx.cusolver"))
    kernels.replace()
    numba_kernels.replace()


_replace()
# no pool: it would hand out memory with the numbers of its last owner
import_module("cupy").cuda.set_allocator(None)


def counters() -> dict[str, int]:
    """Return the numbers of launches, synchronisations, copies and calls of libraries since the
    process began.
    """
    return {**runtime.counters(), "library_calls": sum(device_memory.calls.values())}


__all__ = ["counters"]
