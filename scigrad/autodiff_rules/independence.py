"""The elements of a batch are independent: where nothing of one is present, none of its derivatives is.

A rule of a solver or of a decomposition receives zeros for an element that is absent, and returns NaN for it if the element is a
matrix without an inverse. Here these are set to 0 again. A function of which no batch is known is one element.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .absent import ZERO
from .batching import from_the_end
from .masked import Masked, Presence, mask, plain, restored
from .spaces import is_container, outputs, shape_of


def kept_apart(c: Any, primitive: Any, call: Any, name: str | None, parts: Sequence[tuple[Any, str | None]]) -> Any:
    """Return what a rule found for an argument (None: for an output) from `parts`, cotangents or tangents with such names.

    It is absent in those elements of the batch in which all parts are.
    """
    parts = [(x, of) for x, of in parts if x is not ZERO]
    if any(type(x) is not Masked for x, _ in parts) or c is ZERO:
        return c
    if is_container(type(c)):
        return type(c)(kept_apart(x, primitive, call, name, parts) for x in c) if type(c) in (list, tuple) else c
    if callable(c):
        return lambda: kept_apart(c(), primitive, call, name, parts)

    def compute() -> Any:
        found: Any = False
        for x, of in parts:
            found = found | _elements(mask(x), primitive, call, of)
        return _spread(found, shape_of(c), primitive, call, name)

    return restored(c, Presence(compute, *(x.presence for x, _ in parts)))


def _elements(present: Any, primitive: Any, call: Any, name: str | None) -> Any:
    """Return in which elements of the batch something is present."""
    if primitive.rows and name is None:
        return np.any(present, axis=tuple(range(1, present.ndim)))
    if primitive.core is not None:
        count = present.ndim - _rank(primitive, call) if name is None else _core(primitive, name, present.ndim)
        return np.any(present, axis=tuple(range(-count, 0))) if count else present
    if primitive.passes is None:
        return np.any(present)
    axes, rank = _axes(primitive, call)
    if name is not None:
        present = present.reshape((*(1,) * (rank - present.ndim), *present.shape))
    return np.any(present, axis=axes, keepdims=True) if present.ndim == rank else np.expand_dims(present, axes)


def _spread(found: Any, shape: tuple[int, ...], primitive: Any, call: Any, name: str | None) -> Any:
    """Return the mask of an array of a shape from that of the elements of the batch."""
    if primitive.rows:
        return found.reshape((*found.shape, *(1,) * (len(shape) - 1))) if found.ndim else found
    if primitive.core is not None:
        count = len(shape) - _rank(primitive, call) if name is None else _core(primitive, name, len(shape))
        return _shared(found.reshape((*found.shape, *(1,) * count)), shape)
    if primitive.passes is None:
        return found
    axes, rank = _axes(primitive, call)
    if name is not None:
        return _shared(found, shape)
    return found if len(shape) == rank else np.squeeze(found, axes)


def _shared(found: Any, shape: tuple[int, ...]) -> Any:
    """Return a mask for an array that the elements of the batch may share."""
    lead = max(0, found.ndim - len(shape))
    ours = zip(reversed(range(found.ndim)), reversed(found.shape), reversed(shape), strict=False)
    summed = (*range(lead), *(i for i, m, n in ours if n == 1 != m))
    if not summed:
        return found
    found = np.any(found, axis=summed, keepdims=True)
    return found.reshape(found.shape[lead:])


def _core(primitive: Any, name: str, rank: int) -> int:
    """Return the number of axes of an argument that are no axes of the batch: of a vector among matrices its only one."""
    return min(primitive.core.get(name, rank), rank)


def _rank(primitive: Any, call: Any) -> int:
    """Return the number of axes of the batch."""
    given = [(getattr(call, name), count) for name, count in primitive.core.items()]
    return max(len(shape_of(x)) - count for a, count in given for x in (a if type(a) is tuple else (a,)))


def _axes(primitive: Any, call: Any) -> tuple[Any, int]:
    """Return the axes along which a function works, counted from the end, and the number of axes of its arrays together."""
    *arrays, axis = primitive.passes
    rank = max(len(shape_of(x)) for x in (getattr(call, name) for name in arrays) if x is not None)
    axes = from_the_end(getattr(call, axis), rank)
    return axes if isinstance(axes, tuple) else (axes,), rank


# -- masks of cotangents, with the rules that find them


def unmasked(g: Any) -> tuple[Any, list[tuple[Any, None]]]:
    """Return a cotangent as plain arrays, and its leaves if some of them are masked."""
    if type(g) is Masked:
        return g.value, [(g, None)]
    leaves, rebuilt = outputs(g)
    return (rebuilt(map(plain, leaves)), [(x, None) for x in leaves]) if Masked in map(type, leaves) else (g, [])


def presences(parts: Iterable[Any]) -> list[Presence]:
    return [x.presence for x in parts if type(x) is Masked]


def called(c: Any) -> Any:
    return c() if callable(c) else c


def with_patterns(found: dict[str, Any], patterns: Presence, masked: Callable[..., Any] = Masked) -> dict[str, Any]:
    """Return cotangents that are absent where their patterns are 0; `restored` puts zeros there."""

    def paired(c: Any, own: Callable[[], Any]) -> Any:
        if type(c) in (list, tuple):
            return [paired(x, lambda i=i: own()[i]) for i, x in enumerate(c)]
        if callable(c):
            return lambda: paired(c(), own)
        return masked(c, Presence(lambda: called(own()) != 0, patterns)) if hasattr(c, "dtype") and c is not ZERO else c

    return {name: paired(c, lambda name=name: patterns()[name]) for name, c in found.items()}
