"""Derivatives and batches of a recorded function, which are recorded themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from scigrad.autodiff_rules import raw, vmap
from scigrad.autodiff_rules.boxes import Batched, returns_infinitesimals
from scigrad.autodiff_rules.containers import flatten, map_leaves
from scigrad.autodiff_rules.custom import (
    attach_rules,
    pull_back_function,
    push_forward_function,
)
from scigrad.autodiff_rules.masked import fill_absent
from scigrad.autodiff_rules.spaces import is_number, zeros
from scigrad.autodiff_rules.trace import ZERO, Traced, innermost, own

if TYPE_CHECKING:
    from .function import Jitted


class Variants:
    """A function of some numbers, recorded, with rules that are recorded, and its batches."""

    def __init__(self, jitted: Jitted, f: Callable[..., Any]) -> None:
        self._make = jitted.another
        self.f = f
        self.batches: dict[Any, Jitted] = {}
        self.ruled = attach_rules(
            self._make(f),
            self._make(lambda args, out, tangents: push_forward_function(f, args, out, tangents)),
            self._make(
                lambda args, out, g: tuple(map(_plain, pull_back_function(f, args, out, g), args))
            ),
        )

    def call(self, given: Sequence[Any]) -> Any:
        top = innermost(given, [i for i, x in enumerate(given) if isinstance(x, Traced)])
        if type(top) is Batched:
            return self._batch(given, top._level, top._loop)
        found = self.ruled(*given)
        zeros = (np.any(raw(x) == 0) for x in flatten(found)[0] if is_number(x))
        if isinstance(top._value, Traced) and any(zeros) and returns_infinitesimals(self.f, given):
            return self.f(*given)  # they would be lost to what follows
        return found

    def _batch(self, given: Sequence[Any], level: int, loop: bool) -> Any:
        """Call the function of whole batches at the level of a vmap."""
        axes = tuple([0 if own(Batched, level, x) else None for x in given])
        if (axes, loop) not in self.batches:
            fallback = "loop" if loop else None
            self.batches[axes, loop] = self._make(vmap(self.f, in_axes=axes, fallback=fallback))
        inner = [x if axis is None else x._value for x, axis in zip(given, axes, strict=True)]
        found = self.batches[axes, loop](*inner)
        return map_leaves(lambda x: Batched(x, level, loop) if is_number(x) else x, found)


def _plain(c: Any, x: Any) -> Any:
    """Return a cotangent of x as an array, which a recorded function returns."""
    return zeros(x) if c is ZERO else fill_absent(c)


def call_traced(jitted: Jitted, leaves: Sequence[Any], rebuild: Any, key: Any) -> Any:
    """Call a function whose arguments hold traced values."""
    places = [i for i, x in enumerate(leaves) if is_number(x) and x is not ZERO]
    if key not in jitted.derived:
        constants = [None if i in places else x for i, x in enumerate(leaves)]

        def f(*numbers: Any) -> Any:
            full = list(constants)
            for i, x in zip(places, numbers, strict=True):
                full[i] = x
            args, kwargs = rebuild(full)
            return jitted.f(*args, **kwargs)

        f.__name__ = getattr(jitted.f, "__name__", "f")
        jitted.derived[key] = Variants(jitted, f)
    return jitted.derived[key].call([leaves[i] for i in places])
