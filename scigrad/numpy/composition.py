"""Functions that stand for NumPy's: NumPy's own on plain arrays, ours where an argument is traced.

    @composed(np.trapezoid)
    def trapezoid(y, x=None, dx=1.0, axis=-1): ...

The body consists of functions that have rules, so that derivatives of every order and batching
follow. On plain arrays of the host NumPy's function runs, with all its options; not on a device,
where a function of that name has fewer or is absent. Plain `numpy.trapezoid` called with a traced
array comes here.
"""

import functools
import inspect
import sys
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, Traced, backends, namespace_of
from scigrad.autodiff_rules.containers import holds_traced, plan_for
from scigrad.autodiff_rules.declare import Linear
from scigrad.autodiff_rules.messages.errors import traced_into_plain_out
from scigrad.autodiff_rules.trace import array_functions, interception, is_labelled, take_off_labels
from scigrad.typing import Array, Documented

Function = Callable[..., Any]
_LISTS = frozenset((list, tuple))
# parameters that are any number of arrays
_ANY_NUMBER = frozenset(("arys", "args", "operands", "xi", "values"))
_READ = _LISTS | {np.ndarray, memoryview}
# parameters of which a list is data, and goes to the device of the arrays beside it
_DATA = (
    "a1 a2 append aweights b bins element fp fweights prepend test_elements to_begin to_end "
    "v values weights w x xp y"
)
_NO_ARRAYS = _ANY_NUMBER | {
    "arrays",
    "choicelist",
    "choices",
    "condlist",
    "from_",
    "func",
    "func1d",
    "funclist",
    "start",
    "tup",
}


def intercepts(*originals: Any) -> Callable[[Documented], Documented]:
    """Register a function for calls of NumPy's functions with a traced array."""

    def register(function: Any) -> Any:
        interception.update(dict.fromkeys(originals, function))
        return function

    return register


def numpy_composition(
    original: Function, *aliases: Function, constant: bool = False, linear: bool = False
) -> Callable[[Documented], Documented]:
    """Declare the composition that stands for a function of NumPy's on traced arguments.

    If NumPy's function has `out`, so has the composition: a traced `out` receives the result, a
    plain one is refused. `constant` declares that no derivative passes, `linear` that the function
    is linear in its first argument, so that it maps ZERO to ZERO.
    """

    def declare(function: Any) -> Any:
        parameters = inspect.signature(function).parameters
        traced = _of_arrays(function, list(parameters), linear)
        # keyword arguments of a ufunc are answered by NumPy's protocol
        is_ufunc = isinstance(original, np.ufunc)

        @functools.wraps(function)
        def either(*args: Any, **kwargs: Any) -> Any:
            boxes, containers, _ = plan_for(tuple(map(type, args)))
            if (
                boxes or (containers and holds_traced(args)) or (kwargs and holds_traced(kwargs))
            ) and not (is_ufunc and kwargs):
                return traced(*args, **kwargs)
            on_host = is_ufunc or (args and type(args[0]) is np.ndarray and args[0].ndim)
            on_host = on_host or backends.library(*args, *kwargs.values()) == "numpy"
            try:
                return original(*args, **kwargs) if on_host else traced(*args, **kwargs)
            except TypeError:
                # a mix of host and device arrays is refused so; say which arguments met
                backends.check_devices(
                    function.__name__,
                    [*list(parameters)[: len(args)], *kwargs],
                    [*args, *kwargs.values()],
                )
                raise

        either.is_constant = constant  # type: ignore[attr-defined]
        either.__signature__ = _signature(original, function)  # type: ignore[attr-defined]
        intercepts(original, *aliases)(traced)
        return either

    return declare


def _signature(original: Function, function: Function) -> inspect.Signature:
    """Return NumPy's parameters, with our defaults instead of its private marker for "not
    given".
    """
    try:
        return inspect.signature(original)
    except ValueError:  # written in C, before NumPy 2.4
        return inspect.signature(function)


def _of_arrays(function: Function, names: list[str], linear: bool) -> Function:
    """Return the function as one that takes lists of traced values and a Python number as first
    argument, and that writes to `out`.
    """
    reads_first, reads = names[0] not in _NO_ARRAYS, names[0] not in _ANY_NUMBER
    takes_out, place = (
        "out" in names,
        names.index("out") if reads and "out" in names else sys.maxsize,
    )

    def run(*args: Any, **kwargs: Any) -> Any:
        args = args or (kwargs.pop(names[0]),)
        if linear and args[0] is ZERO:
            return ZERO
        if reads_first and (
            type(args[0]) in _LISTS
            or (isinstance(args[0], Traced) and args[0] is not ZERO and not args[0].shape)
        ):
            first, home = (
                array_functions["assembled"](args[0]),
                namespace_of(*args, *kwargs.values()),
            )
            args = (
                first if home is np or type(first) is not np.ndarray else home.asarray(first),
                *args[1:],
            )
        if reads and _some_are_read(tuple(map(type, (*args, *kwargs.values())))):
            given = (*args, *kwargs.values())
            args = tuple(
                _read_argument(given, name, x)
                for name, x in zip_longest(names[: len(args)], args, fillvalue="args")
            )
            kwargs = {name: _read_argument(given, name, x) for name, x in kwargs.items()}
        if not takes_out:
            return function(*args, **kwargs)
        out = kwargs.pop("out", None)
        if len(args) > place:
            out, args = args[place], (*args[:place], None, *args[place + 1 :])
        return write(out, function(*args, **kwargs))

    return run


@functools.lru_cache(1000)
def _some_are_read(kinds: tuple[type, ...]) -> bool:
    return any(kind in _READ or is_labelled(kind) for kind in kinds)


def plain_argument(x: Any) -> Any:
    """Return an argument as SciPy reads it: arrays with labels and buffers as arrays, an array
    without axes as a number.
    """
    if type(x) is np.ndarray:
        return x if x.ndim else x[()]
    return np.asarray(x) if type(x) is memoryview else take_off_labels(x)


def read_lists(args: Any) -> Any:
    """Return arguments with arrays for the lists that hold traced values."""
    if _LISTS.isdisjoint(map(type, args)):
        return args
    return [
        array_functions["assembled"](x) if type(x) in _LISTS and holds_traced(x) else x
        for x in args
    ]


class _OfArrays(Linear):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not args and self.names[0] in kwargs:
            args = (kwargs.pop(self.names[0]),)
        return super().__call__(*read_lists(args), **kwargs)


def linear_in_array(argument: str) -> Callable[[Function], Linear]:
    """Declare a function that is linear in its first argument, an array or a list, which is read as
    one; state its adjoint as for `linear`.
    """
    return lambda kernel: _OfArrays(kernel, (argument,))


def _read_argument(given: Any, name: str, x: Any) -> Any:
    if type(x) is np.ndarray and x.ndim:
        return x
    if type(x) not in _LISTS:
        return x if name == "out" else plain_argument(x)
    if name not in _NO_ARRAYS and holds_traced(x):
        return array_functions["assembled"](x)
    home = namespace_of(*given) if name in _DATA.split() else np
    return home.asarray(x) if home is not np and namespace_of(x) is np else x


def write(out: Array, result: Any) -> Any:
    """Return `result`, written into the array that a caller passed as `out`, if there is one."""
    if out is None:
        return result
    if out is ZERO or (isinstance(result, Traced) and not isinstance(out, Traced)):
        raise traced_into_plain_out()
    if out.shape != result.shape:
        raise ValueError(f"out= has shape {out.shape}, but the result has shape {result.shape}")
    out[...] = result
    return out


def describe_ufunc(notes: str) -> Callable[[Any], Any]:
    """Set the docstring of a declared ufunc: a link to NumPy, and notes on the derivative."""

    def write_down(function: Any) -> Any:
        function.__doc__ = (
            f"See `numpy.{function.__name__}`.\n\n    Notes\n    -----\n    {notes}\n    "
        )
        return function

    return write_down
