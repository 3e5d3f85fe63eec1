"""Whose call met a traced value: the function of SciPy's that a frame is inside, and ours of the same name.

Only errors ask, so that they can name what the user wrote and what to write instead. The one exception is an operator of
SciPy's sparse arrays, which tries to convert its partner before it lets that partner answer.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import FrameType
from typing import Any

_OPERATORS = {f"__{side}{name}__" for side in ("", "r", "i") for name in ("add", "sub", "mul", "matmul", "truediv")}
_OWN = {f"{__package__}.{name}" for name in ("callers", "errors", "trace")}


def in_sparse_operator(frame: FrameType | None) -> bool:
    """Whether a frame belongs to an operator of SciPy's sparse arrays, which goes on to ask its partner's operator."""
    while frame is not None and _module(frame).startswith("scipy.sparse._"):
        if frame.f_code.co_name in _OPERATORS:
            return True
        frame = frame.f_back
    return False


def in_masked_arithmetic(frame: FrameType | None) -> bool:
    """Whether a frame belongs to NumPy's masked arrays, which make one of their own kind of whatever they meet."""
    return frame is not None and _module(frame).startswith("numpy.ma.")


def called(frame: FrameType | None = None, holding_traced: bool = False) -> str | None:
    """The function of SciPy's that the user called, such as "scipy.linalg.solve", if a frame (this one if None) is inside
    one. With `holding_traced`, only if a traced value is among its variables."""
    found = None
    frame = frame or sys._getframe()  # pyright: ignore[reportPrivateUsage]
    while frame is not None and _module(frame) in _OWN:
        frame = frame.f_back
    while frame is not None and _module(frame).startswith(("scipy.", "numpy.")):
        if not holding_traced or any(map(_is_traced, frame.f_locals.values())):
            found = _public_name(frame) or found
        frame = frame.f_back
    return found


def ours(path: str) -> str | None:
    """Our function of a path such as "linalg.solve", if there is one."""
    room, _, name = path.rpartition(".")
    try:
        module = import_module(f"scigrad.{room}")
    except ModuleNotFoundError:
        return None
    found = getattr(module, name, None)
    theirs = [getattr(sys.modules.get(home), name, None) for home in (room, f"scipy.{room}")]
    return None if found is None or any(found is other for other in theirs) else f"scigrad.{path}"  # not what it passes on


def public_home(function: Any) -> str:
    """The module that users take a function from; NumPy 2.3's ufuncs and SciPy's do not say it themselves."""
    name = getattr(function, "__name__", "")
    for module in ("numpy", "scipy.special"):
        if getattr(sys.modules.get(module), name, None) is function:
            return module
    return getattr(function, "__module__", None) or ""


def _module(frame: FrameType) -> str:
    return frame.f_globals.get("__name__") or ""


def _is_traced(value: Any) -> bool:
    if type(value) in (list, tuple) and value:
        return _is_traced(value[0])
    return hasattr(type(value), "interpret")


def _public_name(frame: FrameType) -> str | None:
    """What users call the function of a frame: "scipy.linalg.solve", "scipy.sparse.csr_array", "scipy.sparse.csr_array.dot"."""
    module, name = _module(frame), frame.f_code.co_name
    if module.startswith("scipy._lib"):  # decorators, which hold the function that they decorate
        for value in frame.f_locals.values():
            home = getattr(value, "__module__", None) or ""
            if home.startswith("scipy.") and not home.startswith("scipy._lib") and hasattr(value, "__name__"):
                module, name = home, value.__name__
    owner = type(frame.f_locals["self"]).__name__ if "self" in frame.f_locals else None
    parts = module.split(".")
    parts = parts[: next((i for i, part in enumerate(parts) if part.startswith("_")), len(parts))]
    for count in range(len(parts), 1, -1):
        package = ".".join(parts[:count])
        public = sys.modules.get(package)
        if parts[0] != "scipy" or public is None:
            continue
        if owner is not None:
            return f"{package}.{owner}" if name == "__init__" else f"{package}.{owner}.{name}"
        if callable(getattr(public, name, None)):
            return f"{package}.{name}"
    return None


__all__ = ["called", "in_masked_arithmetic", "in_sparse_operator", "ours", "public_home"]
