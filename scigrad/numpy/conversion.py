"""The same elements in another dtype or another array: astype, copy."""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, TracedValueError, linear
from scigrad.typing import Array, ArrayLike, DTypeLike

from .composition import intercepts, numpy_composition

__all__ = ["astype", "copy"]


@intercepts(np.astype)
def astype(
    x: ArrayLike, dtype: DTypeLike, /, *, copy: bool | None = True, device: object | None = None
) -> Any:
    """Convert the elements of an array to another dtype. A copy to integers or booleans has no
    derivative.
    """
    if not isinstance(x, Traced):
        return (
            np.astype(x, dtype, copy=copy)
            if device is None
            else np.astype(x, dtype, copy=copy, device=device)
        )
    dtype = np.dtype(dtype)
    if dtype.kind in "VSUmM":
        raise TracedValueError(
            f"a traced array cannot become one of dtype {dtype}, in which its derivative would be "
            "lost. stop_gradient(x) drops it."
        )
    return x if not copy and x.dtype == dtype else _astype(x, dtype)


@linear("x")
def _astype(x, dtype):
    return x.astype(dtype) if hasattr(x, "astype") else dtype.type(x)


_astype.adjoint(lambda call, g: g)  # its projection to the space of x is the adjoint
_astype.batched(lambda call, batched: _astype(call.x, call.dtype))


@numpy_composition(np.copy)
def copy(a: ArrayLike, order: str = "K", subok: bool = False) -> Array:
    """Return a copy of an array, independent of later changes of the original."""
    return _copy(a)


@linear("a")
def _copy(a):
    return a.copy() if hasattr(a, "copy") else a


_copy.adjoint(lambda call, g: g)
_copy.batched(lambda call, batched: _copy(call.a))
