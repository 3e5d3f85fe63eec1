"""Containers of arrays, and what the types of the arguments of a call say about it.

Transforms vary containers: nested tuples, lists, dicts, named tuples, dataclasses, sparse arrays
and classes that are registered. What a call depends on, which arguments are traced, hold traced
values or can be written to, follows from their types and is determined once for each combination,
for all functions.
"""

import dataclasses
import functools
import re
import threading
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import optree

from scigrad.typing import Value

from .messages import errors
from .spaces import Space, embed, is_inexact, materialize, space, zeros
from .trace import ZERO, Traced, check_type, is_labelled

# our registrations in optree have a namespace, so that they change nothing for its other users
NAMESPACE = "scigrad"

# Types that a room treats as containers (sparse arrays), found by module because their library is
# imported lazily: name of the module's root -> a function that registers the type and says whether
# it is one.
container_hooks: dict[str, Callable[[type], bool]] = {}
_registering = threading.Lock()  # two threads may meet a class for the first time together
_LEAVES = (np.ndarray, float, Traced, complex, np.generic, int, Space)
_NUMBERS = (bool, int, float, complex)
_kinds: set[type] = set(_LEAVES)  # and others that were met and are no containers


class Tree:
    """Structure of a container; `unflatten` puts leaves back."""

    spec: Any

    __slots__ = ("spec",)

    def __init__(self, spec: Any) -> None:
        self.spec = spec

    def unflatten(self, leaves: Any) -> Any:
        if self.spec is not None:
            return self.spec.unflatten(leaves)
        (leaf,) = leaves
        return leaf

    def leaves(self, what: str, container: Any) -> list[Any]:
        """Return the leaves of a container that must have this structure."""
        leaves, found = flatten(container)
        if found != self:
            raise errors.wrong_structure(what, self, found)
        return leaves

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return False
        if None in (self.spec, other.spec):
            return self.spec is other.spec
        return self.spec == other.spec or self._without_leaves() == other._without_leaves()

    def _without_leaves(self) -> Any:
        """Return the structure without arrays, in which the plain and the traced containers of a
        room have one type.
        """
        return optree.tree_structure(
            self.unflatten([0] * self.spec.num_leaves), namespace=NAMESPACE
        )

    __hash__ = None  # type: ignore[assignment]  # a structure is compared, never looked up

    def __repr__(self) -> str:
        return "a single array" if self.spec is None else str(self.spec)


def outputs(out: Value) -> tuple[list[Any], Callable[[Iterable[Any]], Any]]:
    """Return the arrays that a function returned, and a function that puts others in their place; a
    number is one array.
    """
    if isinstance(out, tuple) and (
        _kinds.issuperset(map(type, out))
        or all(o is None or hasattr(o, "dtype") or type(o) in _NUMBERS for o in out)
    ):
        return list(out), getattr(out, "_make", tuple)  # the most frequent case
    leaves, tree = flatten(out)
    return leaves, tree.unflatten


_LEAF = Tree(None)


def flatten(container: Any) -> tuple[list[Any], Tree]:
    """Return leaves and structure of nested tuples, lists, dicts, named tuples, dataclasses and
    sparse arrays.
    """
    if isinstance(container, _LEAVES):
        return [container], _LEAF
    if container.__class__ is tuple and _kinds.issuperset(map(type, container)):
        return list(container), _of_leaves(len(container))
    leaves, spec = optree.tree_flatten(
        container, is_leaf=lambda x: type(x) is Space, namespace=NAMESPACE
    )
    if not _kinds.issuperset(map(type, leaves)) and any(
        [_register_kind(type(leaf)) for leaf in leaves]
    ):
        return flatten(container)
    return leaves, _LEAF if optree.treespec_is_leaf(spec) else Tree(spec)


@functools.cache
def _of_leaves(count: int) -> Tree:
    return Tree(optree.tree_structure(cast("Any", (0,) * count), namespace=NAMESPACE))


def _register_kind(kind: type) -> bool:
    """Register a dataclass or a container of a room with optree; return False for leaves."""
    if not issubclass(kind, _LEAVES):
        with _registering:
            # a class without a hook is a container if it is registered
            hook = container_hooks.get(kind.__module__.partition(".")[0], _is_registered)
            if _is_registered(kind) or hook(kind):
                return True
            if dataclasses.is_dataclass(kind):
                _register_dataclass(kind)
                return True
    _kinds.add(kind)
    return False


def _is_registered(kind: type) -> bool:
    return optree.register_pytree_node.get(kind, namespace=NAMESPACE) is not None


def _register_dataclass(kind: Any) -> None:
    # the others are computed again
    fields = [field for field in dataclasses.fields(kind) if field.init]
    marked = {field.name for field in fields if field.metadata.get("static")}
    annotated = {field.name for field in fields if _CONSTANT.match(_named(field.type))} - marked
    varying = [field.name for field in fields if field.name not in marked | annotated]
    _declare(kind, varying, [*marked, *annotated], lambda values: kind(**values), annotated)


def register_container(
    cls: type, varying: Sequence[str], static: Sequence[str] | None = None
) -> None:
    """Declare a class whose instances hold arrays in attributes to be a container.

    Dataclasses are containers without this: their fields vary, except those that are annotated as
    str, bytes, bool, int, Callable or Literal, or made by ``field(metadata={"static": True})``.

    Parameters
    ----------
    cls : type
        Class; to be declared before an instance of it is used, and each subclass by itself.
    varying : sequence of str
        Attributes that hold arrays, or containers of arrays.
    static : sequence of str, optional
        Attributes that are handed on as they are. By default all others that an instance has.

    Raises
    ------
    ValueError
        If the class is a container already.

    Notes
    -----
    A transform makes instances of its own, with other values in `varying`. It sets their attributes
    and calls no constructor: what a constructor computes from `varying` has to be computed when it
    is asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, register_container
    >>> class Line:
    ...     def __init__(self, slope, name):
    ...         self.slope, self.name = slope, name
    >>> register_container(Line, varying=("slope",))
    >>> g = grad(lambda line: line.slope**2)(Line(3.0, "first"))
    >>> print(g.slope, g.name)
    6.0 first
    """

    def made(values: dict[str, Any]) -> Any:
        new = object.__new__(cls)
        for name, value in values.items():
            object.__setattr__(new, name, value)
        return new

    _declare(cls, varying, static, made)


def _declare(
    cls: type,
    varying: Sequence[str],
    static: Sequence[str] | None,
    made: Any,
    exact: Iterable[str] = (),
) -> None:
    """Register a class whose instances are `made` from attributes by name; those in `exact` have no
    floating-point values.
    """

    def apart(x: Any) -> tuple[tuple[Any, ...], _Static, tuple[str, ...]]:
        names = [name for name in vars(x) if name not in varying] if static is None else static
        rest = _Static({name: getattr(x, name) for name in names})
        for name, value in rest.values.items():
            if isinstance(value, Traced) or (name in exact and is_inexact(value)):
                raise errors.static_varies(cls.__name__, name)
        return tuple(getattr(x, name) for name in varying), rest, tuple(varying)

    def together(rest: _Static, children: Any) -> Any:
        return made(rest.values | dict(zip(varying, children, strict=True)))

    optree.register_pytree_node(cls, apart, together, namespace=NAMESPACE)  # pyright: ignore[reportArgumentType]
    _kinds.discard(cls)


def _of_fields(names: Any, values: Any) -> Any:
    return types.SimpleNamespace(**dict(zip(names, values, strict=True)))


_FIELDS: Any = types.SimpleNamespace  # attributes and nothing else, as a dict has items
optree.register_pytree_node(
    _FIELDS, lambda x: (tuple(vars(x).values()), tuple(vars(x))), _of_fields, namespace=NAMESPACE
)


class _Static:
    """What is constant in a container, by name."""

    def __init__(self, values: dict[str, Any]) -> None:
        self.values = values

    def __eq__(self, other: object) -> bool:
        mine, others = self.values, other.values if isinstance(other, _Static) else {}
        same = (
            value is others[name] or np.array_equal(value, others[name])
            for name, value in mine.items()
            if name in others
        )
        return mine.keys() == others.keys() and all(same)

    __hash__ = None  # type: ignore[assignment]


# annotations of what has no derivative
_CONSTANT = re.compile(r"(\w+\.)*(str|bytes|bool|int|Callable|Literal)\b")


def _named(annotation: Any) -> str:
    return (
        annotation
        if isinstance(annotation, str)
        else getattr(annotation, "__name__", str(annotation))
    )


def is_container(kind: type) -> bool:
    """Return whether values of a type may hold arrays; a type that is not declared to be a
    container is opaque.
    """
    declared = (
        issubclass(kind, (list, tuple, dict))
        or dataclasses.is_dataclass(kind)
        or _is_registered(kind)
    )
    return declared and kind is not Space and kind is not type(None)


def map_leaves(function: Callable[..., Any], container: Any, *others: Any) -> Any:
    """Apply a function to corresponding leaves of containers of the same structure."""
    leaves, tree = flatten(container)
    return tree.unflatten(
        map(function, leaves, *(tree.leaves("the containers", other) for other in others))
    )


def spaces_of(x: Any) -> Any:
    """Return the space of an array, or those of the leaves of a container in its place."""
    return space(x) if hasattr(x, "dtype") else map_leaves(space, x)


def fill_zeros(t: Any, x: Any) -> Any:
    """Return a tangent with zeros in place of ZERO, in containers too."""
    return (
        map_leaves(zeros, x)
        if t is ZERO
        else map_leaves(materialize, t, x)
        if isinstance(t, (tuple, list, dict))
        else t
    )


def embed_outputs(tangent: Any, out: Value) -> Any:
    """Return the tangent in the space of the output; of several outputs a list."""
    if hasattr(out, "dtype"):
        return embed(tangent, out)
    outs = outputs(out)[0]
    return list(map(embed, [ZERO] * len(outs) if tangent is ZERO else outputs(tangent)[0], outs))


def inner(a: Any, b: Any) -> Any:
    """Return Re<a, b> = Re sum(conj(a) b) over all leaves of two containers of the same
    structure.
    """
    left, right = flatten(a)[0], flatten(b)[0]
    terms = [np.real(np.sum(np.conj(u) * v)) for u, v in zip(left, right, strict=True)]
    return sum(terms[1:], start=terms[0]) if terms else 0.0


# -- what the types of arguments say about a call

_OPAQUE, _BOX, _CONTAINER, _ARRAY = 0, 1, 2, 3


class Plan(NamedTuple):
    """Positions of the boxes among the arguments, of the containers, which may hold more of them,
    and of what the program may write to: arrays and containers.
    """

    boxes: tuple[int, ...]
    containers: tuple[int, ...]
    writable: tuple[int, ...]


def is_writable(kind: type) -> bool:
    """Return whether a type is one of arrays, to which a program may write. NumPy's numbers cannot
    be changed.
    """
    return hasattr(kind, "nbytes") and hasattr(kind, "copy") and not issubclass(kind, np.generic)


@functools.cache
def _role(kind: type) -> int:
    if issubclass(kind, Traced):
        return _BOX
    if is_container(kind) or is_labelled(kind):
        return _CONTAINER
    return _ARRAY if is_writable(kind) else _OPAQUE


@functools.lru_cache(10_000)  # functions of any number of arrays have as many combinations as calls
def plan_for(kinds: tuple[type, ...]) -> Plan:
    """Return the plan of a call from the types of its arguments."""
    boxes, containers, arrays = (
        tuple(i for i, kind in enumerate(kinds) if _role(kind) == role)
        for role in (_BOX, _CONTAINER, _ARRAY)
    )
    for kind in kinds if boxes else ():
        if not is_labelled(kind):
            check_type(kind)
    return Plan(boxes, containers, arrays + containers)


def plan(values: Iterable[Any]) -> Plan:
    """Return the plan of a call; the most frequent calls ask `plan_for` themselves."""
    return plan_for(tuple(map(type, values)))


def holds_traced(x: Any) -> bool:
    """Return whether there is a traced value in a container, or in a container inside of it."""
    waiting = [x]
    for x in waiting:
        for item in (
            x
            if isinstance(x, (tuple, list))
            else x.values()
            if isinstance(x, dict)
            else flatten(x)[0]
        ):
            role = _role(type(item))
            if role == _BOX:
                return True
            if role == _CONTAINER and isinstance(getattr(item, "data", None), Traced):
                return True  # an array with labels, or a sparse one
            if role == _CONTAINER and item is not x:
                waiting.append(item)
    return False
