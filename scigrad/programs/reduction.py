"""A tape without calls that are made twice, and without those that no result needs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .tape import Slot, Step

_LARGEST = 512  # bytes of a constant array that is compared with others by what is in it


def reduce_tape(steps: Sequence[Step], results: Sequence[Any]) -> tuple[list[Step], list[Any]]:
    """Return the steps that some results need, with the checks, each once; and the results."""
    merged, results = _merge(steps, results)
    return _needed(merged, results), results


def _merge(steps: Sequence[Step], results: Sequence[Any]) -> tuple[list[Step], list[Any]]:
    """Leave out the second of two equal calls of equal inputs."""
    kept: list[Step] = []
    known: dict[Any, Step] = {}
    first: dict[Slot, Slot] = {}
    for step in steps:
        inputs = [first.get(x, x) if type(x) is Slot else x for x in step.inputs]
        step.inputs = inputs
        keys = [x if type(x) is Slot else key_of_constant(x) for x in inputs]
        key = None if None in keys else (step.key, *keys)
        earlier = None if key is None else known.get(key)
        if earlier is not None:
            first.update(zip(step.slots, earlier.slots, strict=True))
            continue
        if key is not None:
            known[key] = step
        kept.append(step)
    return kept, [first.get(x, x) if type(x) is Slot else x for x in results]


def _needed(steps: Sequence[Step], results: Sequence[Any]) -> list[Step]:
    needed = {x for x in results if type(x) is Slot}
    kept = []
    for step in reversed(steps):
        if not step.slots or not needed.isdisjoint(step.slots):
            kept.append(step)
            needed.update([x for x in step.inputs if type(x) is Slot])
    return kept[::-1]


def key_of_constant(x: Any) -> Any:
    """Return what equal constants have in common, None for what is not compared."""
    kind = type(x)
    if kind in (int, str, bool, type(None)) or kind is type:
        return kind, x
    if kind in (float, complex) or isinstance(x, np.generic):
        return kind, repr(x)  # 0.0 and -0.0, and NaN
    if isinstance(x, np.ndarray):
        content = x.tobytes() if x.nbytes <= _LARGEST else id(x)
        return kind, x.shape, x.dtype, content
    if isinstance(x, slice):
        x = kind, x.start, x.stop, x.step
    if isinstance(x, (tuple, list)):
        keys = tuple(map(key_of_constant, x))
        return None if None in keys else (kind, keys)
    try:
        hash(x)
    except TypeError:
        return None
    return kind, x
