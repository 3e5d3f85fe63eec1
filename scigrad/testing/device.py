"""A stand-in for an array on a device, which behaves like CuPy's as far as a host can tell, without
a GPU.

A rule that works on NumPy arrays can fail on a GPU: by a call that silently copies to the host, by
a host constant, by a `float(x)` that synchronizes, by a kernel that CuPy lacks. `DeviceArray` makes
each of these an error on any machine: it wraps a NumPy array, implements NumPy's protocols (NEP 13,
NEP 18, NEP 35) and refuses the rest. Names, parameters and dtypes are those of CuPy (`cupy_table`),
and what was seen with CuPy itself on the CPU (tests/gpu_dry).
"""

from __future__ import annotations

import contextlib
import functools
import operator
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .cupy_table import MODULES, check_call, check_method

# how often a value was read back to the host: by .get(), .item(), or implicitly where allowed
sync_count = 0
_implicit_allowed = False

_SCALARS = (bool, int, float, complex, np.generic)
_CREATORS = frozenset(
    {np.asarray, np.array, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.full, np.copy}
)
_COMPARISONS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})
_BOOL_ON_DEVICE = frozenset(
    {"allclose", "array_equal", "array_equiv", "count_nonzero", "all", "any"}
)


@contextlib.contextmanager
def allow_implicit_syncs() -> Iterator[None]:
    """Count `bool(x)`, `float(x)`, ... and answer them, as CuPy does; the default is to refuse
    them.
    """
    global _implicit_allowed
    before, _implicit_allowed = _implicit_allowed, True
    try:
        yield
    finally:
        _implicit_allowed = before


def _read_back(host: np.ndarray, how: str) -> np.ndarray:
    global sync_count
    if how and not _implicit_allowed:
        raise TypeError(
            f"{how} of a device array waits for the device and copies to the host. A rule must "
            "not do that behind the user's back; where it is meant, write x.get()."
        )
    sync_count += 1
    return host


def wrap(value: Any) -> Any:
    """Return results of a host kernel as the device would return them; values that are not arrays
    pass unchanged.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return DeviceArray._of(value)
    if isinstance(value, tuple):
        items = [wrap(item) for item in value]
        # CuPy names no others
        return type(value)(*items) if type(value).__name__.startswith("Unique") else tuple(items)
    if isinstance(value, list):
        return [wrap(item) for item in value]
    if isinstance(value, dict):
        return {key: wrap(item) for key, item in value.items()}
    if isinstance(value, types.FunctionType):
        return lambda *args, **kwargs: wrap(
            value(*map(unwrap, args), **{k: unwrap(v) for k, v in kwargs.items()})
        )
    if hasattr(value, "nnz") or type(value).__name__ in _OPAQUE:
        from .device_objects import wrap_object

        return wrap_object(value)
    return value


_OPAQUE = ("SuperLU", "_CustomLinearOperator", "MatrixLinearOperator", "IdentityOperator")


def unwrap(value: Any, *, creating: bool = False) -> Any:
    """Return the host data of the arguments of a device call; a host array among them raises, as in
    CuPy.
    """
    if isinstance(value, (DeviceArray, DeviceObject)):
        return value._host
    if isinstance(value, np.ndarray) and not creating:
        raise TypeError(
            f"Unsupported type {type(value)}: a host array of shape {value.shape} among device "
            "arrays"
        )
    if isinstance(value, (list, tuple)):
        items = [unwrap(item, creating=creating) for item in value]
        if isinstance(value, list):
            return items
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    if isinstance(value, dict):
        return {key: unwrap(item, creating=creating) for key, item in value.items()}
    # a callback sees device arrays
    if isinstance(value, (types.FunctionType, types.MethodType, functools.partial)):
        return lambda *args, **kwargs: unwrap(
            value(*map(wrap, args), **{k: wrap(v) for k, v in kwargs.items()})
        )
    return value


@functools.cache
def as_device_function(
    function: Callable[..., Any], module: str, name: str, *, creating: bool = False
) -> Callable[..., Any]:
    """Return a host function as the function of CuPy's of this name: check the call, unwrap, run,
    wrap.
    """

    @functools.wraps(function, assigned=("__name__", "__doc__"), updated=())
    def run(*args: Any, **kwargs: Any) -> Any:
        check_call(module, name, args, kwargs)
        host = function(
            *(unwrap(a, creating=creating) for a in args),
            **{k: unwrap(v, creating=creating) for k, v in kwargs.items()},
        )
        # CuPy leaves them on the device
        if isinstance(host, (bool, int)) and function.__name__ in _BOOL_ON_DEVICE:
            host = np.asarray(host)
        return wrap(host)

    return run


class DeviceObject:
    """Base of objects other than arrays on the device (sparse arrays, factorizations), see
    device_objects.py.
    """

    __slots__ = ("_host",)
    __array_ufunc__ = None  # `array @ sparse` asks the sparse operand

    def __init__(self, host: Any) -> None:
        self._host = host


class DeviceArray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array on a pretended device. `DeviceArray(host)` copies to it, `x.get()` copies back.

    Parameters
    ----------
    host : array_like
        The data, on the host.
    """

    __slots__ = ("_host",)
    dtype: Any  # dtype, shape, ndim, T, ... are set below, from _ATTRIBUTES and _VIEWS
    __hash__ = None  # type: ignore[assignment]  # as of every array

    def __init__(self, host: Any) -> None:
        self._host = np.array(host)

    @classmethod
    def _of(cls, host: Any) -> DeviceArray:
        """Wrap without a copy, so that views on the device stay views."""
        new = object.__new__(cls)
        new._host = np.asarray(host)
        return new

    def get(self) -> np.ndarray:
        """Copy to the host; the only intended way back."""
        return _read_back(self._host, "").copy()

    def item(self, *args: Any) -> Any:
        return _read_back(self._host, "item()").item(*args)

    def tolist(self) -> Any:
        return _read_back(self._host, "tolist()").tolist()

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(
            "Implicit conversion of a device array to a NumPy array is not allowed; x.get() "
            "copies it explicitly."
        )

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        name = ufunc.__name__
        if (
            method != "__call__"
            or getattr(np, name, None) is not ufunc
            or name not in MODULES["cupy"]
        ):
            # CuPy knows none of scipy.special's ufuncs; reduce, accumulate, ... of few
            return NotImplemented
        for value in (*inputs, *kwargs.get("out", ())):
            if not isinstance(value, (DeviceArray, np.ndarray, *_SCALARS)):
                return NotImplemented
        if name in _COMPARISONS:  # comparisons alone take arrays of the host without axes in CuPy
            inputs = tuple(
                x.item() if isinstance(x, np.ndarray) and not x.ndim else x for x in inputs
            )
        result = as_device_function(ufunc, "cupy", name)(*inputs, **kwargs)
        if "out" not in kwargs:
            return result
        return kwargs["out"][0] if ufunc.nout == 1 else kwargs["out"]

    def __array_function__(
        self, function: Callable[..., Any], kinds: Any, args: Any, kwargs: Any
    ) -> Any:
        if not all(issubclass(kind, (DeviceArray, np.ndarray)) for kind in kinds):
            return NotImplemented
        module, name = f"cupy{function.__module__.removeprefix('numpy')}", function.__name__
        if name not in MODULES.get(module, ()):
            return NotImplemented
        result = as_device_function(function, module, name, creating=function in _CREATORS)(
            *args, **kwargs
        )
        return kwargs["out"] if isinstance(kwargs.get("out"), DeviceArray) else result

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        return kernel_module("numpy")

    @property
    def base(self) -> Any:
        # one object for all arrays that share memory
        return self._host if self._host.base is None else self._host.base

    @property
    def device(self) -> str:
        return "stand-in"

    def __len__(self) -> int:
        return len(self._host)

    def __iter__(self) -> Iterator[DeviceArray]:
        return (DeviceArray._of(row) for row in self._host)

    def __getitem__(self, key: Any) -> DeviceArray:
        # CuPy takes host indices too
        return DeviceArray._of(self._host[unwrap(key, creating=True)])

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(value, (DeviceArray, np.ndarray, *_SCALARS)):
            raise TypeError(f"a device array cannot store a value of type {type(value).__name__}")
        self._host[unwrap(key, creating=True)] = unwrap(value, creating=not np.ndim(value))

    def astype(self, dtype: Any, copy: bool = True, **kwargs: Any) -> DeviceArray:
        return (
            self
            if not copy and self.dtype == dtype
            else DeviceArray._of(self._host.astype(dtype, **kwargs))
        )

    def to_device(self, device: str, **kwargs: Any) -> DeviceArray:
        if device != self.device:
            raise ValueError(f"unknown device {device!r}")
        return self

    def __reduce__(self) -> Any:
        return DeviceArray, (self._host,)

    def __repr__(self) -> str:
        return f"DeviceArray({np.array2string(self._host, separator=', ')}, dtype={self.dtype})"


def _attribute(name: str, result: Callable[[Any], Any] | None = None) -> property:
    get = operator.attrgetter(f"_host.{name}")  # the shape and the dtype are asked for all the time
    return property(
        (lambda self: result(get(self))) if result else get,
        lambda self, value: setattr(self._host, name, unwrap(value)),
    )


def _method(name: str) -> Callable[..., Any]:
    def run(self: DeviceArray, *args: Any, **kwargs: Any) -> Any:
        check_method(name, kwargs)
        result = getattr(self._host, name)(
            *(unwrap(a) for a in args), **{k: unwrap(v) for k, v in kwargs.items()}
        )
        return wrap(result)

    run.__name__ = name
    return run


def _implicit(name: str, convert: Callable[[np.ndarray], Any]) -> Callable[..., Any]:
    return lambda self: convert(_read_back(self._host, f"{name}()"))


_ATTRIBUTES = "shape dtype ndim size nbytes itemsize strides flags"
_VIEWS = "T mT real imag"
_METHODS = (
    "all any argmax argmin argpartition argsort clip conj conjugate copy cumprod cumsum diagonal "
    "dot fill flatten max mean min nonzero partition prod put ravel repeat reshape round sort "
    "squeeze std sum swapaxes take trace transpose var view"
)

for _name in _ATTRIBUTES.split():
    setattr(DeviceArray, _name, _attribute(_name))
for _name in _VIEWS.split():
    setattr(DeviceArray, _name, _attribute(_name, wrap))
for _name in _METHODS.split():
    setattr(DeviceArray, _name, _method(_name))
for _name, _convert in {
    "bool": bool, "float": float, "int": int, "complex": complex, "index": lambda a: a.__index__(),
}.items():  # fmt: skip
    setattr(DeviceArray, f"__{_name}__", _implicit(_name, _convert))


def kernel_module(room: str) -> Any:
    """Return the kernels of a room ("special", "linalg", "sparse.linalg", "numpy") that a device
    has, see `device_kernels`.
    """
    from .device_kernels import room_of_kernels

    return room_of_kernels(room)
