"""The kernels of the stand-in device: SciPy's functions, restricted to those that CuPy has too.

`kernel("special.airye")` on a `DeviceArray` fails with AttributeError exactly where `cupyx.scipy.special` has no such name, so
that a missing GPU kernel is found on a machine without a GPU.
"""

from __future__ import annotations

import functools
import importlib
import types
from typing import Any

import numpy as np

from .cupyx_surface import CUPYX
from .device import DeviceArray, on_device, unwrap, wrap

# CuPy has no counterpart of these parts of NumPy's namespace (strings, files, masked and object arrays).
_NOT_IN_NUMPY_ROOM = frozenset(
    {"char", "strings", "ma", "rec", "ctypeslib", "memmap", "recarray", "matrix", "nditer", "vectorize"}
)
_UPLOADS = ("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray")  # explicit copies to the device
_SPARSE_CLASSES = tuple(f"{kind}_{family}" for kind in ("csr", "csc", "coo", "dia") for family in ("array", "matrix"))


class RoomOfKernels:
    """Stand-in for the module `cupyx.scipy.<room>`: attributes are device functions."""

    def __init__(self, room: str) -> None:
        self.__name__ = room
        numpy_room = room == "numpy" or room.startswith("numpy.")
        self._host = importlib.import_module(room if numpy_room else f"scipy.{room}")
        self._names = None if numpy_room else CUPYX[room]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or (self._names is None and name in _NOT_IN_NUMPY_ROOM):
            raise AttributeError(name)
        if self._names is not None and name not in self._names:
            if f"{self.__name__}.{name}" in CUPYX:
                return room_of_kernels(f"{self.__name__}.{name}")
            raise AttributeError(f"cupyx.scipy.{self.__name__} has no {name}")
        found = _on_device(self.__name__, name, getattr(self._host, name))
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        names = dir(self._host) if self._names is None else self._names
        return sorted(set(names) - _NOT_IN_NUMPY_ROOM)

    def __repr__(self) -> str:
        return f"<kernels of the stand-in device: {self.__name__}>"


def _on_device(room: str, name: str, host: Any) -> Any:
    if host is np.ndarray:
        return DeviceArray
    if isinstance(host, types.ModuleType):
        return room_of_kernels(host.__name__.removeprefix("scipy."))
    if name in _SPARSE_CLASSES and room == "sparse":
        # The explicit upload: a sparse array of SciPy's is accepted, arrays of the host as (data, indices, indptr) are not.
        return on_device(host)
    if isinstance(host, type) and not name[0].isupper():  # dtypes
        return host
    if isinstance(host, type) and issubclass(host, Exception):
        return host
    if not callable(host):
        return wrap(host) if isinstance(host, np.ndarray) else host
    function = on_device(host, creating=room == "numpy" and name in _UPLOADS)
    if host in (np.add, np.subtract, np.maximum, np.minimum):  # the ufuncs whose `at` CuPy has; indices as in x[index]
        function.at = lambda a, index, b: host.at(unwrap(a), unwrap(index, creating=True), unwrap(b))
    return function


@functools.cache
def room_of_kernels(room: str) -> RoomOfKernels:
    """Return the kernels of one room; raise ModuleNotFoundError if CuPy has no such room."""
    if room not in CUPYX and not (room == "numpy" or room.startswith("numpy.")):
        raise ModuleNotFoundError(f"No module named 'cupyx.scipy.{room}'", name=f"cupyx.scipy.{room}")
    return RoomOfKernels(room)
