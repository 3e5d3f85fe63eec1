"""The library that owns an array, and the kernels of each library.

The library of an array is read from the module of its type, without an import. A kernel is found
when it is first called: `kernel("special.i0e")` is scipy.special.i0e for NumPy arrays and
cupyx.scipy.special.i0e for CuPy arrays.
"""

import functools
import importlib
import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

import numpy as np

from .messages import callers, errors

# The place of the rooms in each library; a room that is not listed is looked up under "scipy". A
# room may add kernels of ours.
ROOTS = {
    "numpy": {"numpy": "numpy", "scipy": "scipy"},
    "cupy": {"numpy": "cupy", "scipy": "cupyx.scipy"},
}
# a host array that behaves like one on a device, for tests; what a program puts in place of CuPy's
_OWN = "scigrad.testing.device", "scigrad.programs.device.symbols"
# functions that the host computes
chosen: ContextVar[frozenset[str]] = ContextVar("on_host", default=frozenset())
# their arrays follow none of NumPy's protocols for functions
_FOREIGN = {"torch", "jax", "jaxlib", "tensorflow"}


@functools.cache
def is_foreign(kind: type) -> bool:
    """Return whether a type is the array of a library with derivatives of its own, whose arrays
    have to be converted first.
    """
    return kind.__module__.partition(".")[0] in _FOREIGN and hasattr(kind, "dtype")


@functools.cache
def _library_of_type(kind: type) -> str | None:
    """Return "numpy", "cupy", the stand-in, or None for types without a device (Python numbers,
    NumPy scalars).
    """
    root = kind.__module__.partition(".")[0]
    if is_foreign(kind):
        raise errors.foreign_array(kind)
    if any(base.__module__.partition(".")[0] in ("cupy", "cupyx") for base in kind.__mro__):
        return "cupy"
    if kind.__module__ in _OWN:
        return kind.__module__
    return (
        "numpy"
        if issubclass(kind, np.ndarray) or (root == "scipy" and not issubclass(kind, np.generic))
        else None
    )


def is_array_type(kind: type) -> bool:
    """Return whether a type is that of the concrete arrays of a library that has kernels."""
    return _library_of_type(kind) is not None


def is_array(x: Any) -> bool:
    """Return whether x is a concrete array of any library."""
    return _library_of_type(type(x)) is not None


def is_on_device(x: Any) -> bool:
    """Return whether a concrete value is an array of CuPy."""
    return _library_of_type(type(x)) == "cupy"


def library(*values: Any) -> str:
    """Return the library of concrete values: the first that belongs to a device, NumPy if none
    does.
    """
    for value in values:
        if getattr(type(value), "_is_sealed", False):
            value = value._value
        found = _library_of_type(type(value))
        if found is not None and (found != "numpy" or getattr(value, "ndim", 1)):
            return found
        if isinstance(value, (tuple, list)):
            inner = library(*value)
            if inner != "numpy":
                return inner
    return "numpy"


def check_devices(function: str, names: Iterable[str], values: Iterable[Any]) -> None:
    """Raise DeviceMismatch when arrays of two libraries meet (0-d host arrays may).

    It names both arguments as the function calls them that the user called; none if that one was
    not given both.
    """
    if mix := _mixed(zip(names, values, strict=False)):
        called = callers.own_call()[1]
        given = _mixed(callers.own_arguments(called).items()) if called else mix
        raise errors.device_mismatch(callers.own_name(function), mix, given)


def _mixed(named: Iterable[tuple[str, Any]]) -> tuple[tuple[str, str], tuple[str, str]] | None:
    """Return the names and libraries of the first two arrays that belong to different ones."""
    first: tuple[str, str] | None = None
    for name, value in _items(named):
        found = _library_of_type(type(value))
        if found is None or (found == "numpy" and not getattr(value, "ndim", 1)):
            continue
        if first is not None and first[1] != found:
            return first, (name, found)
        first = first or (name, found)
    return None


def _items(named: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Yield names and values, with the items of lists and tuples by themselves."""
    for name, value in named:
        if isinstance(value, (list, tuple)):
            yield from _items((f"{name}[{i}]", item) for i, item in enumerate(value))
        else:
            while hasattr(value, "_interpret"):  # the array inside of a traced one
                value = value._value
            yield name, value


def namespace(library_name: str) -> Any:
    """Return the array functions of a library: numpy, cupy, or the stand-in's."""
    return np if library_name == "numpy" else _room_module(library_name, "numpy")


def _room_module(library_name: str, room: str) -> Any:
    if library_name in _OWN:
        return importlib.import_module(library_name).kernel_module(room)
    roots, head = ROOTS[library_name], room.partition(".")[0]
    name = roots.get(room) or (
        roots[head] + room[len(head) :] if head == "numpy" else f"{roots['scipy']}.{room}"
    )
    with warnings.catch_warnings():  # CuPy tells of its own use of cupyx.jit, which is experimental
        warnings.simplefilter("ignore", FutureWarning)
        return importlib.import_module(name)


@functools.cache
def _find(path: str, library_name: str) -> Callable[..., Any]:
    room, _, name = path.rpartition(".")
    try:
        return getattr(_room_module(library_name, room), name)
    except (AttributeError, ModuleNotFoundError) as missing:
        raise errors.missing_kernel(path, library_name) from missing


def _parameters(function: Any) -> list[str]:
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:  # a ufunc or another compiled function
        return ["x", "y", "z", "t", "u", "v"]


@functools.cache
def _kernel(path: str) -> Callable[..., Any]:
    host: list[Callable[..., Any]] = []  # found once: the common case costs one comparison

    def run(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is np.ndarray:
            if not host:
                host.append(_find(path, "numpy"))
            function = host[0]
        else:
            function = _find(path, library(*args, *kwargs.values()))
        try:
            return function(*args, **kwargs)
        except TypeError:  # a mix of libraries is refused so; say which arguments met
            check_devices(
                path, [*_parameters(function)[: len(args)], *kwargs], [*args, *kwargs.values()]
            )
            raise
        except NotImplementedError as missing:  # CuPy declares more than it computes
            if (own := library(*args, *kwargs.values())) == "numpy":
                raise
            raise errors.missing_kernel(path, own) from missing

    return run


def kernel(
    path: str, instead: Mapping[str, Callable[..., Any]] | None = None
) -> Callable[..., Any]:
    """Return a function that calls the kernel of the library that owns its arguments.

    Parameters
    ----------
    path : str
        Room and name, such as "special.i0e": scipy.special.i0e for NumPy arrays,
        cupyx.scipy.special.i0e for CuPy arrays.
    instead : dict, optional
        Functions to call in place of the kernel of a library that has none, or a worse one:
        ``{"cupy": function}``.

    Returns
    -------
    callable
        Function of the arguments of the kernels; it is not differentiable by itself.

    Raises
    ------
    MissingKernel
        If the library of the arguments has no such function.

    Examples
    --------
    >>> from scigrad import kernel
    >>> print(kernel("special.erf")(0.5).round(6))
    0.5205
    """
    if instead is None:
        return _kernel(path)

    def run(*args: Any, **kwargs: Any) -> Any:
        name = library(*args, *kwargs.values())
        own = instead.get("cupy" if name == _OWN[1] else name)
        return (own or _kernel(path))(*args, **kwargs)

    return run
