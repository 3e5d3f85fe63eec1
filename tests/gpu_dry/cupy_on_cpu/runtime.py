"""CUDA's runtime and driver in CuPy's compiled modules: their C functions by capsules, those for
callers in Python by name.
"""

import ctypes
import hashlib
import itertools
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CACHE = Path(os.environ.get("CUPY_ON_CPU_CACHE") or Path.home() / ".cache" / "cupy_on_cpu")
SOURCES = ("kernels.cpp", "runtime.cpp", "runtime.h")
COUNTERS = ("launches", "synchronizations", "to_host", "to_device", "allocations")

# Functions of the modules' C interfaces; an alias where several are the same.
RUNTIME = """
    getDevice setDevice getDeviceCount _getCUDAMajorVersion deviceGetAttribute getDeviceProperties _ensure_context check_status
    deviceCanAccessPeer deviceGetLimit deviceSetLimit deviceSynchronize malloc free mallocAsync freeAsync hostAlloc memcpy
    memcpyAsync memcpyPeer memcpyPeerAsync memset memsetAsync memGetInfo streamCreate streamCreateWithFlags
    streamCreateWithPriority streamSynchronize streamWaitEvent eventCreate eventCreateWithFlags eventRecord eventElapsedTime
    runtimeGetVersion=version driverGetVersion=version freeHost=free streamDestroy=nothing streamQuery=nothing
    eventDestroy=nothing eventSynchronize=nothing eventQuery=nothing streamIsCapturing=zero streamGetPriority=zero
    pointerGetMemoryType=zero streamGetFlags=unsigned_zero _deviceEnsurePeerAccess=enable_peer
    deviceEnablePeerAccess=enable_peer
"""
DRIVER = """
    ctxGetCurrent ctxSetCurrent streamGetCtx moduleLoadData moduleUnload moduleGetFunction moduleGetGlobal launchKernel
    launchCooperativeKernel funcGetAttribute funcSetAttribute occupancyMaxActiveBlocksPerMultiprocessor
    occupancyMaxPotentialBlockSize
"""
PROPERTIES = {
    "name": b"CPU",
    "major": 9,
    "minor": 0,
    "multiProcessorCount": 132,
    "maxThreadsPerBlock": 1024,
    "sharedMemPerBlock": 49152,
    "warpSize": 32,
    "maxGridSize": (2**31 - 1, 65535, 65535),
    "sharedMemPerBlockOptin": 232448,
    "totalGlobalMem": 80 << 30,
    "maxThreadsDim": (1024, 1024, 64),
    "l2CacheSize": 50 << 20,
    "regsPerBlock": 65536,
    "maxThreadsPerMultiProcessor": 2048,
    "totalConstMem": 65536,
}
limits = {0: 1024, 1: 1 << 20, 2: 8 << 20}  # limits of the device: stack of a thread, printf, heap
_names: list[Any] = []  # names of capsules: these do not own them


def built() -> Path:
    """Return the library of the fake runtime, compiled once for this interpreter and these
    sources.
    """
    key = hashlib.sha1(
        b"".join((HERE / name).read_bytes() for name in SOURCES) + sys.version.encode()
    ).hexdigest()[:12]
    target = CACHE / f"runtime-{key}.so"
    if not target.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        temporary = target.with_suffix(f".{os.getpid()}")
        sources = [str(HERE / name) for name in SOURCES if name.endswith(".cpp")]
        include = f"-I{sysconfig.get_paths()['include']}"
        subprocess.run(
            [
                "g++",
                "-std=c++17",
                "-O2",
                "-fPIC",
                "-shared",
                include,
                *sources,
                "-o",
                temporary,
                "-ldl",
            ],
            check=True,
        )
        temporary.rename(target)
    return target


library = ctypes.PyDLL(str(built()), mode=ctypes.RTLD_GLOBAL)


def counters() -> dict[str, int]:
    """Return launches of kernels, synchronisations, copies and allocations since the process
    began.
    """
    return {name: ctypes.c_long.in_dll(library, f"fake_{name}").value for name in COUNTERS}


def increase(name: str) -> None:
    ctypes.c_long.in_dll(library, f"fake_{name}").value += 1


def replace_compiled(module: Any, names: str) -> None:
    """Put our functions in the place of a module's C functions, for the modules that are imported
    afterwards.
    """
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = (
        ctypes.py_object,
        [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p],
    )
    signature_of = ctypes.pythonapi.PyCapsule_GetName
    signature_of.restype, signature_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    for item in names.split():
        name, _, alias = item.partition("=")
        if name not in module.__pyx_capi__:
            continue
        _names.append(ctypes.create_string_buffer(signature_of(module.__pyx_capi__[name])))
        address = ctypes.cast(getattr(library, f"fake_{alias or name}"), ctypes.c_void_p).value
        module.__pyx_capi__[name] = new(address, ctypes.cast(_names[-1], ctypes.c_char_p), None)


class PointerAttributes:
    """Every pointer is one of the device."""

    def __init__(self, pointer: int) -> None:
        self.device, self.devicePointer, self.hostPointer, self.type = 0, pointer, 0, 2


def returning(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


def synchronize(*_: Any) -> None:
    increase("synchronizations")


def copy(to: int, source: int, size: int, kind: int, *_: Any) -> None:
    if kind in (1, 2):
        increase("to_device" if kind == 1 else "to_host")
    ctypes.memmove(to, source, size)


def fill(pointer: int, value: int, size: int, *_: Any) -> None:
    ctypes.memset(pointer, value, size)


def for_python(runtime: Any, driver: Any) -> None:
    """Replace what Python code calls; C code has the functions of `replace_compiled`."""
    for function, names in (*answers(), *actions()):
        for name in names.split():
            setattr(runtime, name, function)
    driver.ctxGetCurrent = returning(1)
    driver.funcGetAttribute = lambda number, function: {0: 1024, 1: 0}.get(number, 32)
    driver.occupancyMaxPotentialBlockSize = returning((132, 512))
    driver.occupancyMaxActiveBlocksPerMultiprocessor = returning(8)


def answers() -> tuple[tuple[Any, str], ...]:
    """What each function of the runtime that only tells something returns."""
    attribute = library.fake_deviceGetAttribute
    return (
        (
            returning(0),
            "getDevice streamIsCapturing streamGetFlags streamGetPriority deviceCanAccessPeer",
        ),
        (returning(1), "getDeviceCount"),
        (returning(1.0), "eventElapsedTime"),
        (returning(13000), "runtimeGetVersion driverGetVersion _getLocalRuntimeVersion"),
        (limits.__getitem__, "deviceGetLimit"),
        (returning((60 << 30, 80 << 30)), "memGetInfo"),
        (returning(PROPERTIES), "getDeviceProperties"),
        (PointerAttributes, "pointerGetAttributes"),
        ((lambda number, device: attribute(number, device, 0)), "deviceGetAttribute"),
    )


def actions() -> tuple[tuple[Any, str], ...]:
    """What each function of the runtime does that changes something, or would on a device."""
    handles, process = itertools.count(1 << 20, 16), ctypes.CDLL(None)
    process.free.argtypes = [ctypes.c_void_p]
    library.fake_malloc.restype, library.fake_malloc.argtypes = (
        ctypes.c_void_p,
        [ctypes.c_size_t, ctypes.c_int],
    )
    without_effect = (
        "setDevice streamDestroy streamWaitEvent streamQuery eventDestroy eventRecord "
        "eventSynchronize eventQuery profilerStart profilerStop"
    )
    creating = (
        "streamCreate streamCreateWithFlags streamCreateWithPriority eventCreate "
        "eventCreateWithFlags"
    )
    return (
        (limits.__setitem__, "deviceSetLimit"),
        (returning(None), without_effect),
        ((lambda *_: next(handles)), creating),
        (synchronize, "streamSynchronize deviceSynchronize"),
        (copy, "memcpy memcpyAsync"),
        (fill, "memset memsetAsync"),
        ((lambda size: library.fake_malloc(size, 0)), "malloc"),
        (process.free, "free"),
    )


def replace() -> None:
    """Put the fake runtime in CuPy's modules; nothing else of CuPy may have been imported
    before.
    """
    from cupy_backends.cuda.api import driver, runtime

    ctypes.py_object.in_dll(library, "fake_properties").value = PROPERTIES
    replace_compiled(runtime, RUNTIME)
    replace_compiled(driver, DRIVER)
    for_python(runtime, driver)
