"""Information from the call stack: the name of the user's call, and whether a transform is
running.
"""

import sys
from collections.abc import Callable
from types import FrameType

from scigrad.autodiff_rules.messages import callers
from scigrad.typing import Parameters, Result

_TRANSFORMS = {
    f"scigrad.autodiff_rules.{name}" for name in ("recording", "transforms", "vectorize", "custom")
}


def call_as_step(
    function: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> Result:
    """Call a function whose errors begin with the name of the function of ours that the user
    called, of which it is a step.
    """
    try:
        return function(*args, **kwargs)
    except (TypeError, ValueError) as error:
        name = function.__name__  # pyright: ignore[reportFunctionMemberAccess]
        text = str(error).removeprefix(f"{name}: ")
        error.args = (f"{callers.own_name(name)}: {text}",)
        raise


def outside_transforms() -> bool:
    """Return whether no transform is running.

    A transform keeps plain arrays themselves, not copies (see the Notes of `grad`), so that inside
    it no argument may be written to and `overwrite_a=True` is ignored.
    """
    frame = sys._getframe(1)
    while frame is not None:
        if _module(frame) in _TRANSFORMS:
            return False
        frame = frame.f_back
    return True


def _module(frame: FrameType) -> str:
    return frame.f_globals.get("__name__") or ""
