"""The warning that a result does not depend on an argument, so that its derivative is 0."""

import inspect
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from ..spaces import is_inexact, space
from ..trace import ZERO
from .callers import warn
from .errors import DoesNotDependWarning

_CORE = "scigrad.autodiff_rules."
# functions of the core that run a function inside of a transform, or rules on the way through a
# graph
_PASSES = frozenset(
    ("jvp", *(f"Recording.{name}" for name in ("__init__", "pull", "pull_masked", "push")))
)


def warn_of_constants(
    f: Callable[..., Any], arguments: Any, recording: Any = None, found: Any = None
) -> None:
    """Warn if the result of f does not depend on some arguments; on none of them without
    a recording.

    Only the outermost transform does: derivatives that another one or a rule asks for may be 0.
    """
    if recording is not None and (
        recording.is_constant or not any(map(is_inexact, recording.values))
    ):
        return
    reached = _reached(recording, found) if recording is not None else ()
    used = {arguments.path_of(i)[0] for i in reached}
    missed = {arguments.path_of(i)[0] for i, x in enumerate(arguments.leaves) if space(x).size}
    numbers = [] if used and arguments.takes_all else sorted(missed - used)
    if numbers and not _is_inside(sys._getframe(2)):  # pyright: ignore[reportPrivateUsage]
        warn(_text(f, numbers), DoesNotDependWarning)


def _reached(recording: Any, found: Any) -> list[int]:
    """Return the positions of the inputs that have a way to an output, or a cotangent.

    A cotangent ZERO at the end of a way is what a rule says; but that of a checkpoint, through
    which there always is a way, is what a recording of its own says.
    """
    seen: set[int] = set()
    stack = [node for node in recording.nodes if node is not None]
    while stack:
        serial, primitive, _, parents = stack.pop()
        if serial not in seen:
            seen.add(serial)
            if found is None or not getattr(primitive, "recomputes", False):
                stack += [node for _, node in parents]
    return [
        i
        for i, node in enumerate(recording.inputs)
        if node[0] in seen or (found is not None and found[i] is not ZERO)
    ]


def _is_inside(frame: FrameType | None) -> bool:
    """Return whether a frame, that which called a transform, belongs to a run or a pass of
    another.
    """
    while frame is not None:
        if frame.f_code.co_qualname in _PASSES and frame.f_globals["__name__"].startswith(_CORE):
            return True
        frame = frame.f_back
    return False


def _text(f: Callable[..., Any], numbers: Sequence[int]) -> str:
    try:
        names = list(inspect.signature(f).parameters)
    except (TypeError, ValueError):  # a builtin function
        names = []
    places = [f"{n} ('{names[n]}')" if n < len(names) else str(n) for n in numbers]
    return (
        f"the result of {getattr(f, '__name__', 'the function')} does not depend on argument "
        f"{' and '.join(places)}: its derivative is 0. Comparisons, signs, indices and numbers of "
        "steps do not pass one on, as in a bisection, nor does a number that was kept from an "
        "earlier call. Compute the result from the argument, or differentiate its equation with "
        "scigrad.implicit; allow_constant=True says that it is constant."
    )
