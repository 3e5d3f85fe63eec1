"""Properties of an array that depend on its shape and dtype only, and its printed form."""

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced
from scigrad.typing import Array, ArrayLike, DTypeLike

from .composition import intercepts, numpy_composition

__all__ = [
    "can_cast",
    "finfo",
    "iinfo",
    "iscomplexobj",
    "isrealobj",
    "may_share_memory",
    "ndim",
    "result_type",
    "shape",
    "size",
]


def _question(original: Any, answer: Any) -> Any:
    answer.__name__ = answer.__qualname__ = original.__name__
    answer.__doc__ = f"See `numpy.{original.__name__}`."
    return numpy_composition(original, constant=True)(answer)


shape: Callable[..., Array] = _question(
    np.shape, lambda a: a.shape if hasattr(a, "shape") else (len(a), *shape(a[0]))
)
ndim: Callable[..., Array] = _question(np.ndim, lambda a: len(shape(a)))
size: Callable[..., Array] = _question(
    np.size, lambda a, axis=None: int(np.prod(shape(a))) if axis is None else shape(a)[axis]
)
iscomplexobj: Callable[..., Array] = _question(np.iscomplexobj, lambda x: x.dtype.kind == "c")
isrealobj: Callable[..., Array] = _question(np.isrealobj, lambda x: x.dtype.kind != "c")
may_share_memory: Callable[..., Array] = _question(
    np.may_share_memory, lambda a, b, max_work=None: a is b
)


def _dtype(x: Any) -> Any:
    return x.dtype if isinstance(x, Traced) else x


def _dtype_of_array(x: Any) -> Any:
    return x if isinstance(x, type) else getattr(x, "dtype", x)


result_type: Callable[..., Array] = _question(
    np.result_type, lambda *values: np.result_type(*map(_dtype, values))
)
can_cast: Callable[..., Array] = _question(
    np.can_cast, lambda from_, to, casting="safe": np.can_cast(_dtype(from_), to, casting)
)


def finfo(dtype: DTypeLike) -> Any:
    """Return the limits of a floating-point dtype, or of the dtype of an array, see
    `numpy.finfo`.
    """
    return np.finfo(_dtype_of_array(dtype))


def iinfo(type: ArrayLike) -> Any:
    """Return the limits of an integer dtype, or of the dtype of an array, see `numpy.iinfo`."""
    return np.iinfo(_dtype_of_array(type))


@intercepts(np.array_repr, np.array_str, np.array2string)
def _printed(a: Any, *args: Any, **kwargs: Any) -> str:
    return repr(a)
