"""Programs of a device's arrays as calls, which ask the device once."""

from collections.abc import Sequence
from typing import Any

from ..program import Program
from ..tape import Slot, Tape
from .flags import Flags


class Calls(Program):
    """A program whose lines leave their failures on the device until its end."""

    def __init__(self, tape: Tape, arguments: Sequence[Slot], results: Sequence[Any]) -> None:
        super().__init__(tape, arguments, results)
        self._flags = Flags()

    def __call__(self, *leaves: Any) -> list[Any]:
        with self._flags():
            return super().__call__(*leaves)
