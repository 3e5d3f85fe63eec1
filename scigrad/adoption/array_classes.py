"""Classes of arrays: those that add attributes to `ndarray`, and masked arrays without a mask.

`np.asarray(x).view(Signal)` of a traced x is an array that has the methods of Signal. A class that
redefines what an operator or a function of NumPy's computes is refused.
"""

import functools
from typing import Any

import numpy as np

import scigrad.numpy as ours
from scigrad.autodiff_rules import Traced
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.autodiff_rules.messages.errors import other_arithmetic
from scigrad.numpy.fillable import Fillable

from .stand_ins import Function, put_in_place

_ARITHMETIC = ("__array_ufunc__", "__array_function__", "__array_wrap__", "__mul__", "__add__")


class Viewed(Fillable):
    """Array with the attributes of a class."""

    def __init__(self, value: Any, kind: type, parent: Any) -> None:
        super().__init__(value)
        self.kind = kind
        finalize = _find_own(kind, "__array_finalize__")
        if finalize is not None:
            finalize(self, parent)

    def __getattr__(self, name: str) -> Any:
        found = None if name == "kind" else _find_own(self.kind, name)
        if found is None:
            return super().__getattr__(name)
        return found.__get__(self, self.kind) if hasattr(found, "__get__") else found


def _find_own(kind: type, name: str) -> Any:
    """Return what a class adds to `ndarray` under a name."""
    own = (base for base in kind.__mro__ if base not in np.ndarray.__mro__)
    return next((vars(base)[name] for base in own if name in vars(base)), None)


def view_of(x: Any, kind: Any, *rest: Any) -> Any:
    """Return `x.view(kind)` of a traced array."""
    if rest or not isinstance(kind, type) or not issubclass(kind, np.ndarray):
        return x.view(kind, *rest)
    if kind is np.ndarray:
        return x.view()
    if issubclass(kind, (np.matrix, np.ma.MaskedArray)) or any(
        _find_own(kind, name) is not None for name in _ARITHMETIC
    ):
        raise other_arithmetic(kind)
    return Viewed(x, kind, x)


def new_array(kind: type, shape: Any, dtype: Any = float, buffer: Any = None, *rest: Any) -> Any:
    """Return `ndarray.__new__(kind, shape, dtype, buffer)`, whose memory may be a traced array."""
    if not isinstance(buffer, Traced):
        return np.ndarray.__new__(kind, shape, dtype, buffer, *rest)
    return view_of(ours.reshape(buffer.astype(dtype), shape), kind)


# -- masked arrays


def _without_mask(original: Any, other: Function) -> Function:
    """Return a function that makes an array, if nothing is masked."""

    @functools.wraps(original, updated=())
    def function(data: Any, *args: Any, **kwargs: Any) -> Any:
        mask = args[0] if args and original.__name__ == "MaskedArray" else kwargs.get("mask", False)
        if holds_traced((data,)):
            if np.any(mask):
                raise other_arithmetic(np.ma.MaskedArray)
            return other(data)
        found = original(data, *args, **kwargs)
        return found if np.any(np.ma.getmask(found)) else other(found.data)

    return put_in_place(original, function)


for _name, _other in (
    ("array", ours.array),
    ("asarray", ours.asarray),
    ("asanyarray", ours.asarray),
    ("masked_array", ours.array),
    ("atleast_1d", ours.atleast_1d),
    ("atleast_2d", ours.atleast_2d),
):
    _without_mask(getattr(np.ma, _name), _other)
