"""Arrays that are made while a transform runs, and that traced values can be assigned to.

`out = np.zeros(3); out[i] = x` is how programs for NumPy collect results. A fillable array holds
NumPy's array until a traced value is assigned to it, and the traced array after that. Like a traced
array it has views (views.py). It is asked before every transform, and hands what it holds to the
function that is called, so that rules and kernels never see it. Programs outside of transforms, and
the functions of this library, make NumPy's own arrays.
"""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced
from scigrad.autodiff_rules.containers import holds_traced, map_leaves
from scigrad.autodiff_rules.messages import errors, explanations
from scigrad.autodiff_rules.trace import check_view, interception, plain_array

_NUMPY = ("numpy", "scigrad.numpy")  # modules of functions whose results can be filled


class Fillable(Traced):
    """Array under a name of the user's, or a view of one; `_value` is what it holds."""

    __slots__ = ("_is_lent", "_layout", "_stamp")
    # asked before every transform, but after ZERO
    _level = sys.maxsize - 1  # type: ignore[assignment]
    _is_holder = True

    def __init__(self, value: Any) -> None:
        self._value, self._base, self._is_lent = value, None, False
        self._stamp = self._layout = None

    @property
    def _version(self) -> Any:
        return self._stamp

    @property
    def _orders(self) -> Any:
        return self._layout or _orders_of(self._value)

    def _interpret(
        self, primitive: Any, values: Sequence[Any], boxes: Sequence[int], writable: Any
    ) -> tuple[Any, Any]:
        out, saved = primitive.evaluate([content(x) for x in values])
        return fillable(out) if primitive.__module__.startswith(_NUMPY) else out, saved

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        plain, given = contents((inputs, kwargs))
        if method == "at" or "out" in kwargs or holds_traced((plain, given)):
            return super().__array_ufunc__(ufunc, method, *inputs, **kwargs)
        return map_leaves(fillable, getattr(ufunc, method)(*plain, **given))

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        plain, given = contents((args, kwargs))
        if function in interception or holds_traced((plain, given)):
            return super().__array_function__(function, types, args, kwargs)
        return function(*plain, **given)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        value = content(self)
        if isinstance(value, Traced):
            return plain_array(value, sys._getframe(1), explanations.traced_into_plain_array)  # pyright: ignore[reportPrivateUsage]
        return np.array(self._lend(), dtype, copy=copy)

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of NumPy's array that a traced one has not, such as `strides`."""
        if name.startswith("__") or isinstance(content(self), Traced):
            raise AttributeError(f"a traced array has no attribute {name!r}")
        return getattr(self._lend(), name)

    def view(self, dtype: Any = None, type: Any = None) -> Any:
        """Return a view, of another dtype where the array holds numbers."""
        other = type is not None or dtype not in (None, self.dtype)
        if other and not isinstance(content(self), Traced):
            return self._lend().view(*(kind for kind in (dtype, type) if kind is not None))
        return super().view(dtype, type)  # pyright: ignore[reportAttributeAccessIssue]

    def _lend(self) -> Any:
        """Return NumPy's array, whose memory stays that of this one from now on."""
        (self if self._base is None else self._base[0])._is_lent = True
        return content(self)

    def __setitem__(self, index: Any, value: Any) -> None:
        plain = contents((index, value))
        if self._base is None and type(self._value) is np.ndarray and not holds_traced(plain):
            self._own()[plain[0]] = plain[1]
            self._stamp = object()
        else:
            super().__setitem__(index, value)

    def _own(self) -> np.ndarray:
        """Return NumPy's array, a copy if a graph or a view keeps the one before."""
        if sys.getrefcount(self._value) > 2 and not self._is_lent:
            self._value = self._value.copy(order="K")
        return self._value

    def _become(self, other: Any) -> None:
        other = content(other)
        if self._is_lent and sys.getrefcount(self._value) > 2:
            if isinstance(other, Traced):
                raise errors.lent_memory()
            self._value[...] = other
        else:
            self._layout = self._orders
            self._value = other if isinstance(other, Traced) else np.array(other)
            self._is_lent = False
        self._stamp = object()

    def _apart(self, leaving: int = sys.maxsize) -> Any:
        value = content(self)
        return value._apart(leaving) if isinstance(value, Traced) else value.copy()

    def __float__(self) -> float:
        return float(content(self))

    def __complex__(self) -> complex:
        return complex(content(self))

    def __int__(self) -> int:
        return int(content(self))

    def __repr__(self) -> str:
        return repr(content(self))


def _orders_of(x: np.ndarray) -> Any:
    """Return the order of an array in memory, the first of its possible ones; both if it has
    none.
    """
    return [order for order in "CF" if x.flags[f"{order}_CONTIGUOUS"]][:1] or "CF"


def content(x: Any) -> Any:
    """Return what an array holds."""
    while isinstance(x, Fillable):
        if x._base is not None:
            check_view(x)
        x = x._value
    return x


def contents(container: Any) -> Any:
    """Return a container with what its arrays hold."""
    return map_leaves(content, container) if holds_traced(container) else container


def fillable(x: Any) -> Any:
    """Return a plain array of floating-point numbers as one that traced values can be assigned
    to.
    """
    return Fillable(x) if type(x) is np.ndarray and x.dtype.kind in "fc" else x
