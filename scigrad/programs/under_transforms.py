"""Derivatives and batches of a recorded function, which are recorded themselves."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import jvp, raw, vmap
from scigrad.autodiff_rules.boxes import Batched, returns_infinitesimals
from scigrad.autodiff_rules.containers import flatten, map_leaves
from scigrad.autodiff_rules.custom import (
    Stated,
    pull_back_function,
    push_forward_function,
)
from scigrad.autodiff_rules.masked import fill_absent
from scigrad.autodiff_rules.spaces import is_number, zeros
from scigrad.autodiff_rules.trace import ZERO, Traced, innermost, own
from scigrad.typing import Value

from .arguments import Call

Function = Callable[..., Any]


class Variants:
    """A function of the numbers among the arguments of a call, recorded, with rules that are
    recorded, and its tangents and batches. `make` records a function.
    """

    def __init__(self, function: Function, call: Call, make: Function) -> None:
        self._places = _places_of_numbers(call)
        constants = {i: x for i, x in enumerate(call.leaves) if i not in self._places}
        rebuild, places = call.rebuild, self._places

        def f(*numbers: Any) -> Any:
            full = {**constants, **dict(zip(places, numbers, strict=True))}
            args, kwargs = rebuild([full[i] for i in range(len(full))])
            return function(*args, **kwargs)

        f.__name__ = getattr(function, "__name__", "f")
        self._make, self.f = make, f
        self._batches: dict[Any, Function] = {}

        def push(args: Any, out: Value, tangents: Any) -> Any:
            return push_forward_function(f, args, out, tangents)

        def pull(args: Any, out: Value, g: Any) -> Any:
            return tuple(map(_plain, pull_back_function(f, args, out, g), args))

        self._ruled = Stated(make(f), make(push), make(pull), plain=False)

    def __call__(self, call: Call) -> Any:
        given = [call.leaves[i] for i in self._places]
        top = innermost(given, [i for i, x in enumerate(given) if isinstance(x, Traced)])
        if type(top) is Batched:
            return self._batch(given, top._level, top._loop)
        found = self._ruled(*given)
        zeros = (np.any(raw(x) == 0) for x in flatten(found)[0] if is_number(x))
        if isinstance(top._value, Traced) and any(zeros) and returns_infinitesimals(self.f, given):
            return self.f(*given)  # they would be lost to what follows
        return found

    def _batch(self, given: Sequence[Any], level: int, loop: bool) -> Any:
        """Call the function of whole batches at the level of a vmap."""
        axes = tuple([0 if own(Batched, level, x) else None for x in given])
        if (axes, loop) not in self._batches:
            fallback = "loop" if loop else None
            self._batches[axes, loop] = self._make(vmap(self.f, in_axes=axes, fallback=fallback))
        inner = [x if axis is None else x._value for x, axis in zip(given, axes, strict=True)]
        found = self._batches[axes, loop](*inner)
        return map_leaves(lambda x: Batched(x, level, loop) if is_number(x) else x, found)


def push_forward(
    f: Function, count: int, has_aux: bool, allow_constant: bool, args: Any, kwargs: Any
) -> Any:
    """Return `jvp` of a function of the first arguments, of which the others are tangents."""
    options = {"has_aux": has_aux, "allow_constant": allow_constant}
    return jvp(f, args[:count], args[count:], **options, **kwargs)


def _places_of_numbers(call: Call) -> list[int]:
    return [i for i, x in enumerate(call.leaves) if is_number(x) and x is not ZERO]


def _plain(c: Any, x: Any) -> Any:
    """Return a cotangent of x as an array, which a recorded function returns."""
    return zeros(x) if c is ZERO else fill_absent(c)
