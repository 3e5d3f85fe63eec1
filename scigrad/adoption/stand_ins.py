"""Functions that stand in for others while a transform runs.

In their second bodies (twin_bodies.py) adopted functions look up what they call, or take an index
of, by `stand_in`. Most has no stand-in and is handed back. A table knows functions by identity;
what is not in it is asked by its type, once for each function that lives as long as its module.
"""

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from scigrad.autodiff_rules.boxes import BOXES
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.numpy.fillable import Fillable

Function = Callable[..., Any]

# id of a function -> it, which keeps the id its own, and its stand-in
table: dict[int, tuple[Any, Any]] = {}
met: dict[int, None] = {}  # the ids of those that were looked up in a transform
# type -> what returns the stand-in of a value of it; None for types without
kinds: dict[type, Function | None] = dict.fromkeys((np.ndarray, *BOXES, Fillable))


def stand_in(called: Any) -> Any:
    """Return what an adopted function calls, or takes an index of, in place of a value."""
    found = table.get(id(called))
    if found is not None:
        met[id(called)] = None
        return found[1]
    ask = kinds.get(type(called), _ask_type)
    return called if ask is None else ask(called)


def put_in_place(original: Any, other: Any) -> Any:
    """Let `other` stand in for a function; return it."""
    table[id(original)] = original, other
    return other


def answers_for(*types: type) -> Callable[[Function], Function]:
    """Declare what returns the stand-in of a value of these types."""

    def declare(function: Function) -> Function:
        kinds.update(dict.fromkeys(types, function))
        return function

    return declare


def _ask_type(called: Any) -> Any:
    """Return the stand-in of a value of a type that was not met before."""
    kind = type(called)
    found = next((kinds[base] for base in kind.__mro__[1:-1] if base in kinds), None)
    if found is None and kind.__module__ == "uarray":  # functions of scipy.fft
        found = kinds[FunctionType]
    if found is None and id(item := vars(kind).get("__getitem__")) in table:
        found = functools.partial(_Indexed, table[id(item)][1])
    if found is not None or kind.__module__ == "builtins":
        kinds[kind] = found
    return called if found is None else found(called)


class _Indexed:
    """An object of a class with `__getitem__ = numpy.array`."""

    def __init__(self, function: Function, _: Any) -> None:
        self._function = function

    def __getitem__(self, index: Any) -> Any:
        return self._function(index)


# -- functions that are called with functions


@answers_for(functools.partial)
def _of_partial(called: Any) -> Any:
    function = stand_in(called.func)
    if function is called.func:
        return called
    return functools.partial(function, *called.args, **called.keywords)


@answers_for(type(functools.cache(len)))
def _of_cached(called: Any) -> Any:
    """Return the function of a cache, in which plain values are kept alone."""

    def function(*args: Any, **kwargs: Any) -> Any:
        traced = holds_traced(args) or holds_traced(kwargs)
        return (called.__wrapped__ if traced else called)(*args, **kwargs)

    return function


def _handing_on(original: Function) -> Function:
    return lambda function, *rest, **kwargs: original(stand_in(function), *rest, **kwargs)


for _original in (map, filter, functools.reduce, functools.partial):
    put_in_place(_original, _handing_on(_original))
