"""Results that share memory with their array in NumPy, and their treatment for traced arrays.

A traced array has no memory that two names could share: `y = x[1:]` computes a new value. All
results that NumPy returns as a view, or may return as one (`reshape`), are therefore marked with
the array that they came from and with how they are taken from it. A view is taken again when it is
used after its array was assigned to, and what is assigned to a view is put into its array. Whether
NumPy returns a view of an array in C order, its own functions tell. A view of an array that has no
other name, as in `y = (x * 2).reshape(3, 4); y[0] = 1`, is an array.
"""

import functools
import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, Traced
from scigrad.autodiff_rules.declare import Linear
from scigrad.autodiff_rules.messages import errors
from scigrad.autodiff_rules.recording import unshare
from scigrad.autodiff_rules.trace import array_functions, check_view
from scigrad.typing import Array

from .composition import read_lists

# functions of (array, what the view shows from now on, *arguments of the function that took it):
# the array that shows it
put_back: dict[Callable[..., Any], Callable[..., Any]] = {}
# functions for which it depends on the order in memory whether NumPy returns a view
by_layout: set[Callable[..., Any]] = set()


def mark_view(
    out: Array, x: Any, function: Any, rest: tuple[Any, ...] = (), overlaps: bool = False
) -> Any:
    """Return `out`, marked as the view function(x, *rest) of the traced array x, or of the array
    that x itself is a view of.

    A view that `overlaps` itself shows a write to one of its elements in others, so that it can
    never be written to.
    """
    if isinstance(out, Traced) and isinstance(x, Traced) and x is not ZERO and out is not x:
        step = (function, rest)
        if x._base is None:
            out._base = (x, x._version, (step,), overlaps)
        else:
            check_view(x)
            root, version, path, before = x._base
            out._base = (root, version, (*path, step), overlaps or before)
    return out


def _take(x: Any, path: Any) -> Any:
    """Return the view of an array to which the calls of a path lead."""
    for function, rest in path:
        x = function(x, *rest)
    return x


def _put(x: Any, path: Any, new: Any) -> Any:
    """Return an array of which the view at a path shows other values."""
    if not path:
        return new
    (function, rest), *inner = path
    part = _put(function(x, *rest), inner, new)
    if function in put_back:
        return put_back[function](x, part, *rest)
    places = function(np.arange(x.size).reshape(x.shape), *rest)
    return array_functions["set_at"](x, np.unravel_index(places, x.shape), part)


def _is_view(x: Any, path: Any, refusal: Callable[[], Exception]) -> bool:
    """Return whether a path leads to a view of x in NumPy; refuse it if that depends on the order
    of x in memory.
    """
    if not any(function in by_layout for function, _ in path):
        return True
    memory = [np.empty(x.shape, x.dtype, order) for order in x._orders]
    first, *others = [np.shares_memory(m, _take(m, path)) for m in memory]
    if others not in ([], [first]):
        raise refusal()
    return first


def refresh_view(x: Any) -> None:
    """Take a view again of an array that has changed."""
    root, _, path, overlaps = x._base
    if _is_view(root, path, errors.stale_view):
        x._become(_take(root, path))
        x._base = root, root._version, path, overlaps
    else:
        x._base = None


def assign_to_view(x: Any, new: Any) -> None:
    """Let a view, and the array that it is a view of, show other values."""
    if x._base[3]:
        raise errors.write_to_overlap()
    # The tuple `_base` and the call of getrefcount hold an array that has no other name or view.
    if sys.getrefcount(x._base[0]) == 2:
        x._become(new)
        return
    root, _, path, _ = x._base
    shared = _is_view(root, path, errors.write_to_view)
    if shared:
        root._become(_put(root, path, new))
    x._become(new)
    x._base = (root, root._version, path, False) if shared else None


def is_written(x: Any, index: Any, y: Any) -> bool:
    """Return whether y is the view x[index], up to date: then x[index] = y changes nothing."""
    root, version, (*path, (_, rest)), _ = y._base
    array, before = (x, ()) if x._base is None else (x._base[0], x._base[2])
    same = root is array and root._version is version and len(path) == len(before)
    return same and all(map(operator.is_, (*path, *rest), (*before, index)))


array_functions.update(
    refresh_view=refresh_view, assign_to_view=assign_to_view, is_written=is_written
)


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
            x = args[0]
            return mark_view(out, x, self, args[1:], self.repeats and out.shape != x.shape)
        x, *rest = read_lists(args) or (kwargs.pop(self.names[0]),)
        out = self.general(x, *rest, **kwargs)
        if not isinstance(out, Traced) or out is ZERO or not isinstance(x, Traced):
            return out
        rest = self.bind((x, *rest), kwargs)[1:]
        return mark_view(out, x, self, (*rest,), self.repeats and out.shape != x.shape)


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
