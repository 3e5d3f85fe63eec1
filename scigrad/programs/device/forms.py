"""Values of a tape without their elements: the choice of instructions asks for shapes and dtypes
alone, and is made on the host.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules.backends import is_on_device
from scigrad.autodiff_rules.masked import is_finite

from ..tape import Slot, Step


def values_of(steps: Sequence[Step], arguments: Sequence[Slot]) -> Iterator[Slot]:
    """Yield the slots of a tape."""
    yield from arguments
    for step in steps:
        yield from step.slots


def form_of(x: Any) -> np.ndarray:
    """Return an array of a shape and a dtype, which has one element in memory."""
    return np.broadcast_to(np.zeros((), x.dtype), x.shape)


def replace_by_forms(steps: Sequence[Step], arguments: Sequence[Slot]) -> set[Slot]:
    """Put forms in place of the arrays on a device, and return their slots.

    The constants among the inputs of the steps remain.
    """
    found = {slot for slot in values_of(steps, arguments) if is_on_device(slot.value)}
    for slot in found:
        slot.value = form_of(slot.value)
    return found


def drop_idle_checks(steps: Sequence[Step]) -> list[Step]:
    """Return the steps but for checks whether arrays of a device are finite: nobody looks there,
    and the answer is no each time.
    """
    return [
        step
        for step in steps
        if step.slots
        or step.key != (is_finite, False)
        or not any(is_on_device(x.value) for x in step.inputs if type(x) is Slot)
    ]
