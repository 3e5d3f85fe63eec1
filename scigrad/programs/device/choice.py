"""The program that a tape becomes: calls and instructions on the host; on a device one kernel if it
is small, fused kernels otherwise.
"""

from collections.abc import Sequence
from typing import Any

from scigrad.autodiff_rules.backends import is_on_device

from ..program import Program
from ..reduction import reduce_tape
from ..tape import Tape
from .forms import drop_idle_checks, values_of
from .fused import FusedProgram
from .one_kernel import one_kernel_of


def program_of(tape: Tape, finite: Sequence[int]) -> Any:
    """Return the program of a tape; `finite` are the results that were finite."""
    arguments, results = tape.arguments, tape.results
    if not any(is_on_device(slot.value) for slot in values_of(tape.steps, arguments)):
        return Program(tape, finite)
    steps, results = reduce_tape(drop_idle_checks(tape.steps), results)
    return one_kernel_of(steps, arguments, results) or FusedProgram(steps, arguments, results)
