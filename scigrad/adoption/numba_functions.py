"""Functions that Numba compiles: from the body that was written, for plain arguments.

Calls with a traced value among the arguments run in Python. Numba has no public name for either, so
that two of its functions are replaced while packages are adopted.
"""

import functools
import sys
from typing import Any

from scigrad.autodiff_rules import Traced
from scigrad.autodiff_rules.trace import late_interception

from .modules import codes_of
from .numpy_functions import call_for_elements
from .stand_ins import Function
from .twin_bodies import LOOKUP

COMPILER = "numba.core.dispatcher"  # the module whose import ends what is replaced
_before: list[tuple[Any, str, Function]] = []


def replace_functions() -> None:
    """Let Numba compile what was written, once it is loaded."""
    if COMPILER in sys.modules and not _before:
        bytecode, dispatcher = sys.modules["numba.core.bytecode"], sys.modules[COMPILER]
        _replace(bytecode, "get_code_object", _compiling_what_was_written)
        _replace(dispatcher.Dispatcher, "_compile_for_args", _running_python)


def restore_functions() -> None:
    """Restore the functions of Numba."""
    while _before:
        setattr(*_before.pop())


def _replace(owner: Any, name: str, around: Any) -> None:
    original = getattr(owner, name)
    _before.append((owner, name, original))
    setattr(owner, name, functools.wraps(original)(around(original)))


def _compiling_what_was_written(original: Function) -> Function:
    def get_code_object(function: Any) -> Any:
        code = original(function)
        if LOOKUP not in getattr(function, "__globals__", ()):
            return code
        written = codes_of(function.__module__, code.co_filename).exchange(code, to_twin=False)
        return code if written is None else written

    return get_code_object


def _find_elements(function: Any) -> Function | None:
    """Return what stands for a ufunc that Numba made from a function with two bodies."""
    python = getattr(getattr(function, "_dispatcher", None), "py_func", None)
    if LOOKUP not in getattr(python, "__globals__", ()):
        return None
    return lambda *args: call_for_elements(python, args)


late_interception.append(_find_elements)


def _running_python(original: Function) -> Function:
    def compile_for_args(dispatcher: Any, *args: Any, **kwargs: Any) -> Any:
        # an argument that the caller has left out stands here with its default inside
        given = [x.value if type(x).__name__ == "OmittedArg" else x for x in args]
        if any(isinstance(x, Traced) for x in given):
            return lambda *_: dispatcher.py_func(*given)
        return original(dispatcher, *args, **kwargs)

    return compile_for_args
