"""Objects on the stand-in device other than arrays: sparse arrays, factorizations, linear
operators.

They share one proxy: attributes and methods of the host object, with arrays wrapped in results and
unwrapped in arguments. The classes name `scigrad.testing.device` as their module, because a library
is recognized by the module of the type.
"""

import copy
import functools
import operator
from collections.abc import Callable
from typing import Any

from .device import _SCALARS, DeviceArray, DeviceObject, unwrap, wrap

_MODULE = "scigrad.testing.device"


class DeviceProxy(DeviceObject):
    """Factorization or operator on the stand-in device, such as SuperLU."""

    __slots__ = ()
    __module__ = _MODULE

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._host, name)
        if not callable(value):
            return wrap(value)

        @functools.wraps(value, assigned=("__name__",), updated=())
        def run(*args: Any, **kwargs: Any) -> Any:
            return wrap(
                value(*map(unwrap, args), **{key: unwrap(item) for key, item in kwargs.items()})
            )

        return run

    def __matmul__(self, other: Any) -> Any:
        return (
            wrap(self._host @ unwrap(other))
            if isinstance(other, (DeviceArray, DeviceObject))
            else NotImplemented
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._host!r})"


class DeviceSparse(DeviceProxy):
    """Sparse array on the stand-in device, of the format `.format`."""

    __slots__ = ()
    __module__ = _MODULE

    def __copy__(self) -> Any:
        return wrap(copy.copy(self._host))

    @property
    def data(self) -> Any:
        return wrap(self._host.data)

    @data.setter
    def data(self, values: Any) -> None:
        self._host.data = unwrap(values)

    def get(self) -> Any:
        """Copy to the host, as a SciPy array."""
        from . import device

        device.sync_count += 1
        return self._host.copy()

    def __getitem__(self, key: Any) -> Any:
        return wrap(self._host[unwrap(key, creating=True)])

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(
            "Implicit conversion of a sparse device array to a NumPy array is not allowed; use "
            "x.get()."
        )

    def __len__(self) -> int:
        raise TypeError("sparse array length is ambiguous; use getnnz()")

    def __reduce__(self) -> Any:
        return DeviceSparse, (self._host,)


def _binary(name: str, reflected: bool) -> Callable[..., Any]:
    apply = getattr(operator, name)

    def run(self: DeviceSparse, other: Any) -> Any:
        if type(other).__module__ != _MODULE and not isinstance(other, _SCALARS):
            # raises for a host array; anything else (a traced array) gets its own turn
            unwrap(other)
            return NotImplemented
        left, right = (unwrap(other), self._host) if reflected else (self._host, unwrap(other))
        return wrap(apply(left, right))

    return run


for _name in ("add", "sub", "mul", "truediv", "matmul"):
    setattr(DeviceSparse, f"__{_name}__", _binary(_name, False))
    setattr(DeviceSparse, f"__r{_name}__", _binary(_name, True))
DeviceSparse.__neg__ = lambda self: wrap(-self._host)  # type: ignore[attr-defined]
DeviceSparse.__pow__ = lambda self, n: wrap(self._host**n)  # type: ignore[attr-defined]
DeviceSparse.__abs__ = lambda self: wrap(abs(self._host))  # type: ignore[attr-defined]


def wrap_object(host: Any) -> DeviceProxy:
    """Return the proxy for a sparse array, a factorization or an operator of SciPy."""
    return DeviceSparse(host) if hasattr(host, "tocsr") else DeviceProxy(host)
