"""A tape without calls that are made twice, without those that return an argument as it is, and
without those that no result needs.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from scigrad.typing import Value

from .tape import Slot, Step

_LARGEST = 512  # bytes of a constant array that is compared with others by what is in it


def reduce_tape(steps: Sequence[Step], results: Sequence[Any]) -> tuple[list[Step], list[Any]]:
    """Return the steps that some results need, with the checks, each once; and the results."""
    merged, results = _merge(steps, results)
    return _needed(merged, results), results


def _merge(steps: Sequence[Step], results: Sequence[Any]) -> tuple[list[Step], list[Any]]:
    """Leave out the second of two equal calls of equal inputs, and calls without an effect."""
    kept: list[Step] = []
    known: dict[Any, Step] = {}
    first: dict[Slot, Slot] = {}
    ones: dict[int, bool] = {}
    for step in steps:
        inputs = [first.get(x, x) if type(x) is Slot else x for x in step.inputs]
        step.inputs = inputs
        same = _unchanged(step, ones)
        if same is not None:
            first[step.slots[0]] = same
            continue
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


def _unchanged(step: Step, ones: dict[int, bool]) -> Slot | None:
    """Return the input that a call returns as it is: a product with ones, which cotangents often
    are, or a conjugate of real numbers.
    """
    kernel = getattr(step.primitive, "kernel", None)
    name = kernel.__name__ if isinstance(kernel, np.ufunc) else ""
    if name not in ("conjugate", "divide", "multiply", "positive") or len(step.slots) != 1:
        return None
    pairs = [step.inputs] if name == "divide" else [step.inputs, step.inputs[::-1]]
    for x, *others in pairs:
        is_alike = type(x) is Slot and _is_alike(x.value, step.slots[0].value)
        if is_alike and all(_is_one(other, ones) for other in others):
            return x
    return None


def _is_alike(x: Any, out: Value) -> bool:
    """Return whether two values are of the same type and shape, and not complex: an infinite number
    times 1 has a part that is NaN.
    """
    alike = type(x) is type(out) and hasattr(x, "dtype")
    return alike and x.dtype == out.dtype and x.shape == out.shape and x.dtype.kind != "c"


def _is_one(x: Any, known: dict[int, bool]) -> bool:
    """Return whether a constant is 1 everywhere; `known` has the answers for arrays."""
    if type(x) is Slot or not (hasattr(x, "dtype") or isinstance(x, (int, float))):
        return False
    if id(x) not in known:
        known[id(x)] = bool(np.all(x == 1))
    return known[id(x)]


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
