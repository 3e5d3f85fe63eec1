"""Truth of all elements, of some, and the number of those that are not zero."""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant
from scigrad.typing import Array, ArrayLike, Axes, Out

from .composition import numpy_composition
from .joining import assemble
from .reductions import prepare_operand
from .shaping import axis_or_all

__all__ = ["all", "any", "count_nonzero"]


def _flags(original: Any) -> Any:
    def kernel(a: Any, axis: Any, keepdims: bool) -> Any:
        return original(a, axis=axis, keepdims=keepdims)

    kernel.__name__ = original.__name__
    function = constant(kernel)
    function.batch_axis("a")
    return function


all_true, any_true = _flags(np.all), _flags(np.any)


@numpy_composition(np.all, constant=True)
def all(
    a: ArrayLike,
    axis: Axes | None = None,
    out: Out | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """Return whether all elements are true, see `numpy.all`."""
    a = prepare_operand(a, bool, where, True)
    return all_true(a, axis_or_all(axis, a), keepdims)


@numpy_composition(np.any, constant=True)
def any(
    a: ArrayLike,
    axis: Axes | None = None,
    out: Out | None = None,
    keepdims: bool = False,
    *,
    where: ArrayLike | None = None,
) -> Array:
    """Return whether some element is true, see `numpy.any`."""
    a = prepare_operand(a, bool, where, False)
    return any_true(a, axis_or_all(axis, a), keepdims)


@numpy_composition(np.count_nonzero, constant=True)
def count_nonzero(a: ArrayLike, axis: Axes | None = None, *, keepdims: bool = False) -> Array:
    """Count the elements that are not zero, see `numpy.count_nonzero`."""
    return np.sum(assemble(a) != 0, axis=axis, keepdims=keepdims)
