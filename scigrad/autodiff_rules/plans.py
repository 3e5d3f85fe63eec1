"""Properties of a call that depend on the types of its arguments, determined once for each combination, for all functions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from . import trace
from .spaces import flatten, is_container


class Plan(NamedTuple):
    """Positions of the boxes among the arguments, and of the containers, which may hold more of them."""

    boxes: tuple[int, ...]
    containers: tuple[int, ...]


_MANY = 10_000  # functions of any number of arrays have as many combinations as calls
_plans: dict[tuple[type, ...], Plan] = {}


def plan(values: Iterable[Any]) -> Plan:
    kinds = tuple(map(type, values))
    found = _plans.get(kinds)
    if found is None:
        roles = [_role(kind) for kind in kinds]
        found = Plan(*(tuple(i for i, role in enumerate(roles) if role == wanted) for wanted in (_BOX, _CONTAINER)))
        if found.boxes:
            trace.check_types(kinds)
        if len(_plans) >= _MANY:
            _plans.clear()
        _plans[kinds] = found
    return found


_OPAQUE, _BOX, _CONTAINER = 0, 1, 2


def _role(kind: type) -> int:
    return _BOX if issubclass(kind, trace.Traced) else _CONTAINER if is_container(kind) else _OPAQUE


def holds_traced(x: Any) -> bool:
    """Return whether there is a traced value in a container, or in a container inside of it."""
    for item in x if isinstance(x, (tuple, list)) else x.values() if isinstance(x, dict) else flatten(x)[0]:
        kind = type(item)
        role = _roles.get(kind)
        if role is None:
            role = _roles[kind] = _role(kind)
        if role == _BOX or (role == _CONTAINER and holds_traced(item)):
            return True
    return False


_roles: dict[type, int] = {}
