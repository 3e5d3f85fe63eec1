"""Properties of a call that depend on the types of its arguments, determined once for each combination, for all functions."""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from . import trace
from .spaces import flatten, is_container


class Plan(NamedTuple):
    """Positions of the boxes among the arguments, and of the containers, which may hold more of them."""

    boxes: tuple[int, ...]
    containers: tuple[int, ...]


class _Known(dict[Any, Any]):
    """Results of a function by its argument, which are computed when they are asked for first."""

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self.compute = compute

    def __missing__(self, key: Any) -> Any:
        if len(self) >= _MANY:
            self.clear()
        found = self[key] = self.compute(key)
        return found


_MANY = 10_000  # functions of any number of arrays have as many combinations as calls
_OPAQUE, _BOX, _CONTAINER = 0, 1, 2


def _role(kind: type) -> int:
    return _BOX if issubclass(kind, trace.Traced) else _CONTAINER if is_container(kind) else _OPAQUE


def _plan(kinds: tuple[type, ...]) -> Plan:
    boxes, containers = (tuple(i for i, kind in enumerate(kinds) if _role(kind) == role) for role in (_BOX, _CONTAINER))
    if boxes:
        trace.check_types(kinds)
    return Plan(boxes, containers)


_roles, _plans = _Known(_role), _Known(_plan)


def plan(values: Iterable[Any]) -> Plan:
    return _plans[tuple(map(type, values))]


def holds_traced(x: Any) -> bool:
    """Return whether there is a traced value in a container, or in a container inside of it."""
    for item in x if isinstance(x, (tuple, list)) else x.values() if isinstance(x, dict) else flatten(x)[0]:
        role = _roles[type(item)]
        if role == _BOX or (role == _CONTAINER and holds_traced(item)):
            return True
    return False
