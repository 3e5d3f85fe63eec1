"""Results that share memory with their array in NumPy, and their treatment for traced arrays.

A traced array has no memory that two names could share: `y = x[1:]` computes a new value. After
`x[0] = 5` NumPy would show the 5 in y, so that such a y is refused from then on, and so is `y[0] =
1`, which NumPy would write into x. All results that NumPy returns as a view, or may return as one
(`reshape`), are therefore marked with the array they came from. A view of an array without another
name, as in `y = (x * 2).reshape(3, 4); y[0] = 1`, is treated as an array.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, Traced
from scigrad.autodiff_rules.declare import Linear
from scigrad.autodiff_rules.recording import unshare
from scigrad.autodiff_rules.trace import check_view
from scigrad.typing import Array

from .composition import read_lists


def mark_view(out: Array, x: Any, overlaps: bool = False) -> Any:
    """Return `out`, marked as a view of the traced array x, or of the array that x itself is a view
    of.

    A view that `overlaps` itself shows a write to one of its elements in others, so that it can
    never be written to.
    """
    if isinstance(out, Traced) and isinstance(x, Traced) and x is not ZERO and out is not x:
        check_view(x)
        # A tuple of its own for each view: Traced.__setitem__ counts who holds the array, here as
        # if by another name if need be.
        base = (*x._base,) if x._base is not None else (x, x._version)
        out._base = (*base, base[0]) if overlaps else base
    return out


def own_result(out: Array) -> Any:
    """Return `out`, computed by a view function from an array without another name, as an array of
    its own.
    """
    if isinstance(out, Traced) and out is not ZERO:
        out._base = None
    return unshare([out])[0]


class View(Linear):
    """Function linear in its first argument that returns a view of it."""

    repeats = False  # whether elements of the argument may occur more than once in the result

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        out = None if kwargs else self.short(args)
        if out is not None:
            return mark_view(out, args[0], self.repeats and out.shape != args[0].shape)
        x, *rest = read_lists(args) or (kwargs.pop(self.names[0]),)
        out = self.general(x, *rest, **kwargs)
        if not isinstance(out, Traced) or out is ZERO or not isinstance(x, Traced):
            return out
        return mark_view(out, x, self.repeats and out.shape != x.shape)


def view(argument: str, repeats: bool = False) -> Callable[[Callable[..., Any]], View]:
    """Declare a linear function whose result is a view of its argument; state its adjoint as for
    `linear`.
    """

    def declare(kernel: Callable[..., Any]) -> View:
        function = View(kernel, (argument,))
        function.repeats = repeats
        return function

    return declare


def blank(shape: tuple[int, ...]) -> np.ndarray:
    """Return an array of any shape in one byte of memory: NumPy's own result for it shows shapes,
    and raises NumPy's errors.
    """
    return np.ndarray(shape, np.int8, b"\0", 0, (0,) * len(shape))


@functools.lru_cache(maxsize=1024)
def permutation(function: Callable[..., Any], rank: int, *args: Any) -> tuple[int, ...]:
    """Return the axes that a function of NumPy's which only reorders axes takes for its result."""
    return function(blank(tuple(range(rank))), *args).shape  # axis i has length i


@functools.lru_cache(maxsize=1024)
def new_shape(function: Callable[..., Any], shape: tuple[int, ...], *args: Any) -> tuple[int, ...]:
    """Return the shape that a function of NumPy's gives to an array of a shape."""
    return function(blank(shape), *args).shape
