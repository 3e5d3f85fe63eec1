"""What surrounds a call: the user's line, at which a warning points, and whether a transform is running."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

_LIBRARIES = {"scigrad", "numpy", "scipy"}
_TRANSFORMS = {f"scigrad.autodiff_rules.{name}" for name in ("transforms", "vectorize", "jacobians", "custom")}


def warn(text: str, category: type[Warning]) -> None:
    """Warn at the line outside the library that led here. Python shows a warning once for each line: all warnings of a line
    of ours would count as one, and would not say which call of the user's they are about."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _module(frame).partition(".")[0] in _LIBRARIES:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def outside_transforms() -> bool:
    """Whether no transform runs the caller. One that runs keeps plain arrays as they are, not copies (the Notes of `grad`), so
    inside it nobody may write into an argument, and `overwrite_a=True` is not followed."""
    frame = sys._getframe(1)
    while frame is not None:
        if _module(frame) in _TRANSFORMS:
            return False
        frame = frame.f_back
    return True


def _module(frame: FrameType) -> str:
    return frame.f_globals.get("__name__") or ""
