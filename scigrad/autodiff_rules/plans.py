"""Properties of a call that depend on the types of its arguments, determined once for each combination, for all functions."""

import functools
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from . import trace
from .spaces import flatten, is_container

_OPAQUE, _BOX, _CONTAINER, _ARRAY = 0, 1, 2, 3


class Plan(NamedTuple):
    """Positions of the boxes among the arguments, of the containers, which may hold more of them, and of what the program may
    write to: arrays and containers."""

    boxes: tuple[int, ...]
    containers: tuple[int, ...]
    writable: tuple[int, ...]


def is_writable(kind: type) -> bool:
    """Return whether a type is one of arrays, to which a program may write. NumPy's numbers cannot be changed."""
    return hasattr(kind, "nbytes") and hasattr(kind, "copy") and not issubclass(kind, np.generic)


@functools.cache
def _role(kind: type) -> int:
    if issubclass(kind, trace.Traced):
        return _BOX
    if is_container(kind) or trace.is_labelled(kind):
        return _CONTAINER
    return _ARRAY if is_writable(kind) else _OPAQUE


@functools.lru_cache(10_000)  # functions of any number of arrays have as many combinations as calls
def _plan(kinds: tuple[type, ...]) -> Plan:
    boxes, containers, arrays = (
        tuple(i for i, kind in enumerate(kinds) if _role(kind) == role) for role in (_BOX, _CONTAINER, _ARRAY)
    )
    for kind in kinds if boxes else ():
        if not trace.is_labelled(kind):
            trace.check_type(kind)
    return Plan(boxes, containers, arrays + containers)


def plan(values: Iterable[Any]) -> Plan:
    return _plan(tuple(map(type, values)))


def holds_traced(x: Any) -> bool:
    """Return whether there is a traced value in a container, or in a container inside of it."""
    for item in x if isinstance(x, (tuple, list)) else x.values() if isinstance(x, dict) else flatten(x)[0]:
        role = _role(type(item))
        if role == _BOX or (role == _CONTAINER and item is not x and holds_traced(item)):
            return True
    return False
