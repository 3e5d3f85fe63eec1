"""Traced values inside of objects that are no containers: what a function returns is searched for
them.
"""

import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from .boxes import BOXES
from .messages import errors
from .spaces import is_number
from .trace import Traced, array_functions

_NUMBERS = (int, float, complex, np.generic, str, bytes)
# what it refers to is not what a function returns
_CODE = (types.ModuleType, types.FunctionType, type)
_OBJECT = np.dtype(object)
_SEARCHED = 1000  # objects inside of one


def bare(x: Any, level: int = 0) -> Any:
    """Return a leaf of what a function returned, taken out of what another library has put around
    it.

    An array with labels counts as its data, an array of objects as the array of its elements. Other
    objects that hold a traced value, of this level or a later one, are refused: they would count as
    constants.
    """
    if isinstance(x, Traced):
        if type(x) in BOXES:
            check_box(x)
        return x
    if isinstance(x, _NUMBERS) or (isinstance(x, np.ndarray) and x.dtype != _OBJECT):
        return x
    if type(x) is np.ndarray and any(isinstance(item, Traced) for item in x.flat):
        return array_functions["assembled"](x.tolist())
    data = getattr(x, "data", None) if hasattr(x, "dtype") else None
    if isinstance(data, Traced) and data._level >= level and data.shape == x.shape:
        return data
    if (place := _place_of_traced(x, level)) is not None:
        raise errors.hidden_traced(type(x), place)
    return x


def check_box(x: Any) -> None:
    """Refuse a box of objects, and one of an earlier transform with a later one inside: an array of
    objects brought that there, where its transform is blind.
    """
    inner = x._value
    while type(inner) in BOXES and inner._level < x._level:
        x, inner = inner, inner._value
    if type(inner) in BOXES or getattr(inner, "dtype", None) == _OBJECT:
        raise errors.of_objects("a function")


def _place_of_traced(root: Any, level: int) -> str | None:
    """Return where in an object a traced value of a level, or a later one, is kept: ".state[0]"."""
    waiting, seen = [("", root)], {id(root)}
    while waiting and len(seen) < _SEARCHED:
        place, x = waiting.pop()
        for name, item in _items_of(x):
            if isinstance(item, Traced) and level <= item._level < sys.maxsize:
                return place + name
            if id(item) not in seen and not isinstance(item, (*_NUMBERS, *_CODE)):
                seen.add(id(item))
                waiting.append((place + name, item))
    return None


def _items_of(x: Any) -> Iterator[tuple[str, Any]]:
    """Yield the items and attributes of an object, by name; elements only of arrays of objects, and
    of pandas' frames.
    """
    if isinstance(x, dict):
        yield from ((f"[{key!r}]", item) for key, item in x.items())
    elif isinstance(x, (list, tuple, set, frozenset)):
        yield from ((f"[{i}]", item) for i, item in enumerate(x))
    elif getattr(x, "dtype", None) == _OBJECT or hasattr(x, "iloc"):
        yield from ((f"[{i}]", item) for i, item in enumerate(np.asarray(x).flat))
    slots = (name for kind in type(x).__mro__ for name in getattr(kind, "__slots__", ()))
    for name in (*getattr(x, "__dict__", ()), *slots):
        yield f".{name}", getattr(x, name, None)


def is_output(x: Any) -> bool:
    """Return whether x is an array of numbers or a number, and not of objects, which may vary."""
    dtype = getattr(x, "dtype", None)
    # a class: of the numbers of uncertainties
    return is_number(x) and dtype != _OBJECT and not isinstance(dtype, type)
