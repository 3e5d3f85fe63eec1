"""Flags that the kernels of a program set, at which the host looks once, when it has ended.

A matrix that is singular, a value that steers the program to where the recorded run did not come:
eager code asks the device for each of them and waits for its answer. Here an answer is a number on
the device, and the program goes on; whatever it computes from a singular matrix is thrown away.
"""

import functools
from collections.abc import Callable, Sequence
from threading import get_ident
from typing import Any

import numpy as np

from scigrad.autodiff_rules.boxes import checks_left
from scigrad.linalg.foundation import failures

from ..program import Doubt
from ..tape import DifferentBranch

_AT_ONCE = 8  # arrays of codes that one launch looks at
_NOTES = """
__device__ void note(const char* codes, long long bytes, int* flags) {
    const long long step = (long long)blockDim.x * gridDim.x;
    for (long long i = threadIdx.x + (long long)blockDim.x * blockIdx.x; i < bytes; i += step)
        if (codes[i]) flags[0] = 1;
}
extern "C" __global__ void note_failures(PARAMETERS, int* flags) { NOTES }
template <typename T> __device__ void note_infinite(const T* x, long long count, int* flags) {
    const long long step = (long long)blockDim.x * gridDim.x;
    for (long long i = threadIdx.x + (long long)blockDim.x * blockIdx.x; i < count; i += step)
        if (!isfinite(x[i])) flags[1] = 1;
}
extern "C" __global__ void note_infinite_f(const float* x, long long count, int* flags) {
    note_infinite(x, count, flags);
}
extern "C" __global__ void note_infinite_d(const double* x, long long count, int* flags) {
    note_infinite(x, count, flags);
}
""".replace(
    "PARAMETERS", ", ".join(f"const char* c{i}, long long n{i}" for i in range(_AT_ONCE))
).replace("NOTES }", " ".join(f"note(c{i}, n{i}, flags);" for i in range(_AT_ONCE)) + " }")
_MOST_LEFT = 64  # checks that are left at a time


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

    __slots__ = ("_is_written", "_notes", "_pinned", "flags")

    def __init__(self, device: int) -> None:
        import cupy

        self._notes, self._is_written = _kernels(device), False
        self._pinned = cupy.cuda.alloc_pinned_memory(8)
        self.flags = np.frombuffer(self._pinned, np.int32, 2)
        self.flags[:] = 0

    def pointer(self) -> Any:
        """Return where the flags lie, for a kernel that may write them."""
        self._is_written = True
        return np.intp(self._pinned.ptr)

    def note_failures(self, *codes: Any) -> None:
        """Set the first flag if a code of a few arrays is not 0."""
        import cupy

        arrays = [x for x in map(cupy.ascontiguousarray, codes) if x.nbytes]
        if arrays:
            given: list[Any] = [y for x in arrays for y in (x, np.int64(x.nbytes))]
            given += [np.intp(0), np.int64(0)] * (_AT_ONCE - len(arrays))
            blocks = min(-(-max(x.nbytes for x in arrays) // 256), 1024)
            self._notes("note_failures")((blocks,), (256,), (*given, self.pointer()))

    def note_infinite(self, x: Any) -> None:
        """Set the second flag if an element is not finite."""
        import cupy

        x, kind = cupy.ascontiguousarray(x).ravel(), x.dtype.char.lower()
        x = x.view(kind)
        if x.size:
            given = x, np.int64(x.size), self.pointer()
            self._notes(f"note_infinite_{kind}")((min(-(-x.size // 256), 1024),), (256,), given)

    def read(self, waits: bool = True) -> tuple[bool, bool]:
        """Return the flags, and set them to 0 again; the device has to have ended unless this
        waits.
        """
        import cupy

        if not self._is_written:
            return False, False
        self._is_written = False
        if waits:
            cupy.cuda.get_current_stream().synchronize()
        first, second = map(bool, self.flags.tolist())
        self.flags[:] = 0
        return first, second

    def __enter__(self) -> "_Run":
        failures.postponed[get_ident()] = self.note_failures
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        del failures.postponed[get_ident()]
        has_failed, has_left = self.read()
        if kind is None and (has_failed or has_left):
            raise DifferentBranch if has_left else Doubt


@functools.cache
def _kernels(device: int) -> Any:
    """Return the kernels that note something, by name, for a device."""
    import cupy

    with cupy.cuda.Device(device):
        return functools.cache(cupy.RawModule(code=_NOTES).get_function)


# -- checks that calls without a program leave to the end of a transform


_looks = Flags()


def leave(codes: Any, fail: Callable[[Any], None]) -> None:
    """Leave it to the next look of this thread to call fail(codes) if one is not 0."""
    left = checks_left.setdefault(get_ident(), [])
    left.append((place_of_run(), codes, fail))
    if len(left) > _MOST_LEFT:
        look(())


def look(arrays: Sequence[Any]) -> bool:
    """Return whether arrays are finite, when what was left has been looked at: for one wait."""
    left = checks_left.pop(get_ident(), [])
    others = [x for x in arrays if x.dtype.char not in "fdFD"]
    run = _noted(left, [x for x in arrays if x.dtype.char in "fdFD"])
    failed, infinite = run.read() if left or arrays else (False, False)
    _raise_first(left, failed)
    return not infinite and all(bool(np.isfinite(x).all()) for x in others)


def fetch(x: Any) -> np.ndarray:
    """Return a copy on the host; what was left is looked at for the same wait."""
    left = checks_left.pop(get_ident(), [])
    run = _noted(left, [])
    found = x.get()
    _raise_first(left, run.read(False)[0])
    return found


def _noted(left: Any, arrays: Sequence[Any]) -> _Run:
    """Return flags that are set when the device has come to here."""
    here, run = place_of_run(), _looks()
    if any(place != here for place, *_ in left):  # another stream, or another device
        import cupy

        for device in {place[-1] for place, *_ in left}:
            cupy.cuda.Device(device).synchronize()
    codes = [codes for _, codes, _ in left]
    for start in range(0, len(codes), _AT_ONCE):
        run.note_failures(*codes[start : start + _AT_ONCE])
    for x in arrays:
        run.note_infinite(x)
    return run


def _raise_first(left: Any, failed: bool) -> None:
    for _, codes, fail in left if failed else ():
        if (found := codes.get()).any():
            fail(found)
