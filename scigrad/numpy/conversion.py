"""The same elements in another dtype or another array: astype, copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, linear

from .composition import composed

__all__ = ["astype", "copy"]


def astype(x, dtype, /, *, copy=True, device=None):
    """The elements of an array in another dtype. A copy to integers or booleans has no derivative."""
    if not isinstance(x, Traced):
        return np.astype(x, dtype, copy=copy) if device is None else np.astype(x, dtype, copy=copy, device=device)
    return x if not copy and x.dtype == dtype else _astype(x, np.dtype(dtype))


@linear("x")
def _astype(x, dtype):
    return x.astype(dtype)


_astype.adjoint(lambda call, g: g)  # its projection to the space of x is the adjoint
_astype.batched(lambda call, batched: _astype(call.x, call.dtype))


@composed(np.copy)
def copy(a, order="K", subok=False):
    """A copy of an array: what is done to it afterwards does not change the original."""
    return _copy(a)


@linear("a")
def _copy(a):
    return a.copy() if hasattr(a, "copy") else a


_copy.adjoint(lambda call, g: g)
_copy.batched(lambda call, batched: _copy(call.a))


def astype_method(self: Any, dtype: Any, order: str = "K", casting: str = "unsafe", subok: bool = True, copy: bool = True) -> Any:
    """ndarray.astype, whose further arguments only NumPy arrays have."""
    if not np.can_cast(self.dtype, dtype, casting):
        raise TypeError(f"Cannot cast array data from {self.dtype!r} to {np.dtype(dtype)!r} according to the rule '{casting}'")
    return astype(self, dtype, copy=copy)
