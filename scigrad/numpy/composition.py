"""Functions that stand for NumPy's: NumPy's own on plain arrays, ours where an argument is traced.

    @composed(np.trapezoid)
    def trapezoid(y, x=None, dx=1.0, axis=-1): ...

The body consists of functions that have rules, so that derivatives of every order and batching follow. On plain arrays NumPy's
function runs, with all its options, and plain `numpy.trapezoid` called with a traced array comes here.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, Traced, backends
from scigrad.autodiff_rules.errors import traced_into_plain_out
from scigrad.autodiff_rules.plans import holds_traced
from scigrad.autodiff_rules.trace import interception

Function = Callable[..., Any]
_OPAQUE = (np.ndarray, np.generic, float, int, complex, str, type(None))


def intercepts(*originals: Any) -> Callable[[Any], Any]:
    """Register a function for calls of NumPy's functions with a traced array."""

    def register(function: Any) -> Any:
        interception.update(dict.fromkeys(originals, function))
        return function

    return register


def composed(
    original: Function, *aliases: Function, constant: bool = False, linear: bool = False
) -> Callable[[Function], Function]:
    """Declare the composition that stands for a function of NumPy's on traced arguments.

    If NumPy's function has `out`, so has the composition: a traced `out` receives the result, a plain one is refused. `constant`
    declares that no derivative passes, `linear` that the function is linear in its first argument, so that it maps ZERO to ZERO.
    """

    def declare(function: Function) -> Function:
        parameters = inspect.signature(function).parameters
        traced = _with_out(function, _place(parameters, "out")) if "out" in parameters else function
        traced = _absorbing(traced) if linear else traced

        is_ufunc = isinstance(original, np.ufunc)  # whose other arguments are answered by NumPy's protocol

        @functools.wraps(function)
        def either(*args: Any, **kwargs: Any) -> Any:
            if ((args and isinstance(args[0], Traced)) or holds_traced(args) or (kwargs and holds_traced(kwargs))) and not (
                is_ufunc and kwargs
            ):
                return traced(*args, **kwargs)
            try:
                return original(*args, **kwargs)
            except TypeError:  # a mix of host and device arrays is refused so; say which arguments met
                backends.check_devices(function.__name__, [*list(parameters)[: len(args)], *kwargs], [*args, *kwargs.values()])
                raise

        either.is_constant = constant  # type: ignore[attr-defined]
        either.__signature__ = _signature(original, function)  # type: ignore[attr-defined]
        intercepts(original, *aliases)(traced)
        return either

    return declare


def _signature(original: Function, function: Function) -> inspect.Signature:
    """Return NumPy's parameters, with our defaults instead of its private marker for "not given"."""
    try:
        return inspect.signature(original)
    except ValueError:  # written in C, before NumPy 2.4
        return inspect.signature(function)


def _place(parameters: Any, name: str) -> int:
    """Return the position at which a parameter can be passed, beyond all positions for a keyword-only one."""
    return sys.maxsize if parameters[name].kind is inspect.Parameter.KEYWORD_ONLY else list(parameters).index(name)


def _absorbing(function: Function) -> Function:
    return lambda *args, **kwargs: ZERO if args and args[0] is ZERO else function(*args, **kwargs)


def _with_out(function: Function, position: int) -> Function:
    def run(*args: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        if len(args) > position:
            out, args = args[position], (*args[:position], None, *args[position + 1 :])
        return write(out, function(*args, **kwargs))

    return run


def write(out: Any, result: Any) -> Any:
    """Return `result`, written into the array that a caller passed as `out`, if there is one."""
    if out is None:
        return result
    if not isinstance(out, Traced) or out is ZERO:
        raise traced_into_plain_out()
    if out.shape != result.shape:
        raise ValueError(f"out= has shape {out.shape}, but the result has shape {result.shape}")
    out[...] = result
    return out


def noted(notes: str) -> Callable[[Any], Any]:
    """Set the docstring of a declared ufunc: a link to NumPy, and notes on the derivative."""

    def write_down(function: Any) -> Any:
        function.__doc__ = f"See `numpy.{function.__name__}`.\n\n    Notes\n    -----\n    {notes}\n    "
        return function

    return write_down
