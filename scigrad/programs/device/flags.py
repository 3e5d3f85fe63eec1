"""Flags that the kernels of a program set, at which the host looks once, when it has ended.

A matrix that is singular, a value that steers the program to where the recorded run did not come:
eager code asks the device for each of them and waits for its answer. Here an answer is a number on
the device, and the program goes on; whatever it computes from a singular matrix is thrown away.
"""

import functools
from threading import get_ident
from typing import Any

import numpy as np

from scigrad.linalg.foundation import failures

from ..program import Doubt
from ..tape import DifferentBranch

_FAILED = """
extern "C" __global__ void note_failures(const char* codes, long long bytes, int* flags) {
    const long long step = (long long)blockDim.x * gridDim.x;
    for (long long i = threadIdx.x + (long long)blockDim.x * blockIdx.x; i < bytes; i += step)
        if (codes[i]) flags[0] = 1;
}
"""


def place_of_run() -> tuple[int, int, int]:
    """Return the thread, the stream and the device to which belongs what a run writes to."""
    import cupy

    return get_ident(), cupy.cuda.get_current_stream().ptr, cupy.cuda.Device().id


class Flags:
    """The flags of a program: `with flags():` around its launches and calls looks at them at the
    end. Each thread has its own in each stream.
    """

    def __init__(self) -> None:
        self._kept: dict[Any, _Run] = {}

    def __call__(self) -> "_Run":
        place = place_of_run()
        run = self._kept.get(place)
        if run is None:
            run = self._kept[place] = _Run(place[-1])
        return run


class _Run:
    """Flags of one thread in one stream, in memory of the host that kernels write to: the first is
    not 0 if a check failed, the second if a value takes another branch. Both are 0 when a run
    begins.
    """

    __slots__ = ("_is_written", "_note", "_pinned", "flags")

    def __init__(self, device: int) -> None:
        import cupy

        self._note, self._is_written = _kernel(device), False
        self._pinned = cupy.cuda.alloc_pinned_memory(8)
        self.flags = np.frombuffer(self._pinned, np.int32, 2)
        self.flags[:] = 0

    def pointer(self) -> Any:
        """Return where the flags lie, for a kernel that may write them."""
        self._is_written = True
        return np.intp(self._pinned.ptr)

    def note_failures(self, codes: Any) -> None:
        """Set the first flag if a code is not 0."""
        import cupy

        codes, blocks = cupy.ascontiguousarray(codes), min(-(-codes.nbytes // 256), 1024)
        if blocks:
            given = codes, np.int64(codes.nbytes), self.pointer()
            self._note((blocks,), (256,), given)

    def __enter__(self) -> "_Run":
        failures.postponed[get_ident()] = self.note_failures
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        del failures.postponed[get_ident()]
        if not self._is_written:
            return
        import cupy

        self._is_written = False
        cupy.cuda.get_current_stream().synchronize()
        has_failed, has_left = self.flags.tolist()
        self.flags[:] = 0
        if kind is None and (has_failed or has_left):
            raise DifferentBranch if has_left else Doubt


@functools.cache
def _kernel(device: int) -> Any:
    """Return the kernel that notes failures, for a device."""
    import cupy

    with cupy.cuda.Device(device):
        return cupy.RawModule(code=_FAILED).get_function("note_failures")
