"""The kernels of the stand-in device: SciPy's functions, restricted to those that CuPy has too.

`kernel("special.struve")` on a `DeviceArray` fails with AttributeError where neither
`cupyx.scipy.special` nor our table of kernels (`special/xsf_kernels.csv`) has such a name, so that
a missing GPU kernel is found on a machine without a GPU.
"""

import functools
import importlib
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from .cupy_table import AT, MODULES, check_at, module_of
from .device import DeviceArray, as_device_function, unwrap, wrap

# explicit copies to the device
_UPLOADS = ("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray")
_SPARSE_CLASSES = tuple(
    f"{kind}_{family}" for kind in ("csr", "csc", "coo", "dia") for family in ("array", "matrix")
)
_RENAMED = {"minres": {"tol": "rtol"}}  # parameters that SciPy has renamed, and CuPy has not


class RoomOfKernels:
    """Stand-in for the module `cupyx.scipy.<room>`, or `cupy`: attributes are device functions."""

    def __init__(self, room: str) -> None:
        self.__name__ = room
        self._host = importlib.import_module(
            room if room.partition(".")[0] == "numpy" else f"scipy.{room}"
        )
        self._module = module_of(room)

    def __getattr__(self, name: str) -> Any:
        host = getattr(self._host, name, None)
        if isinstance(host, types.ModuleType) and module_of(f"{self.__name__}.{name}") in MODULES:
            found: Any = room_of_kernels(f"{self.__name__}.{name}")
        elif name not in MODULES[self._module] or host is None:
            raise AttributeError(f"{self._module} has no {name}")
        else:
            found = _as_device_function(self._module, name, host)
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return [name for name in MODULES[self._module] if hasattr(self._host, name)]

    def __repr__(self) -> str:
        return f"<kernels of the stand-in device: {self.__name__}>"


def _as_device_function(module: str, name: str, host: Any) -> Any:
    if host is np.ndarray:
        return DeviceArray
    if name in _SPARSE_CLASSES and module == "cupyx.scipy.sparse":
        # The explicit upload: a sparse array of SciPy's is accepted, arrays of the host as (data,
        # indices, indptr) are not.
        return _sparse_class(as_device_function(host, module, name))
    # dtypes and errors
    if isinstance(host, type) and (not name[0].isupper() or issubclass(host, Exception)):
        return host
    if not callable(host):
        return wrap(host) if isinstance(host, np.ndarray) else host
    if name in _RENAMED:
        host = _with_cupys_names(host, _RENAMED[name])
    function = as_device_function(
        host, module, name, creating=module == "cupy" and name in _UPLOADS
    )
    if isinstance(MODULES[module][name], list):
        function.types = MODULES[module][name]
    if isinstance(host, np.ufunc) and name in AT:
        function.at = lambda a, index, b: _at(host, a, index, b)
    return function


def _with_cupys_names(host: Callable[..., Any], names: dict[str, str]) -> Callable[..., Any]:
    @functools.wraps(host)
    def run(*args: Any, **kwargs: Any) -> Any:
        return host(*args, **{names.get(name, name): value for name, value in kwargs.items()})

    return run


def _at(ufunc: np.ufunc, a: DeviceArray, index: Any, b: Any) -> None:
    """Call CuPy's `at`, which has few ufuncs and dtypes; indices as in x[index]."""
    check_at(ufunc.__name__, a.dtype)
    ufunc.at(unwrap(a), unwrap(index, creating=True), unwrap(b))


def _sparse_class(make: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(make)
    def run(*args: Any, **kwargs: Any) -> Any:
        made = make(*args, **{"copy": True, **kwargs})  # SciPy sorts indices in place
        if made.dtype.char not in "?fdFD":
            raise ValueError("Only bool, float32, float64, complex64 and complex128 are supported")
        return made

    return run


@functools.cache
def room_of_kernels(room: str) -> RoomOfKernels:
    """Return the kernels of one room; raise ModuleNotFoundError if CuPy has no such room."""
    module = module_of(room)
    if module not in MODULES:
        raise ModuleNotFoundError(f"No module named '{module}'", name=module)
    return RoomOfKernels(room)
