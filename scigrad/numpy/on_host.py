"""Functions computed on the host for arrays of a device because the user says so, and those that are refused otherwise."""

from __future__ import annotations

import contextlib
import functools
import importlib
import math
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np

from scigrad.autodiff_rules import MissingKernel, backends, linear, raw, shape_of
from scigrad.autodiff_rules.spaces import flatten, map_leaves

__all__ = ["on_host", "refused_on_devices"]

_chosen: ContextVar[frozenset[str]] = ContextVar("on_host", default=frozenset())

# Launches for a batch of matrices of n rows, as the dry run counts them (tests/gpu_dry/test_launches.py). What takes more than
# _MANY for each row of each matrix is no kernel: a launch costs some microseconds, the work in it nothing.
_LAUNCHES: dict[str, Callable[[int], float]] = {
    "linalg.schur": lambda n: 75 * n**2,
    "linalg.qz": lambda n: 260 * n**2,
    "linalg.ordqz": lambda n: 350 * n**2,
    "linalg.ldl": lambda n: 110 * n,
    "linalg.ldl_factor": lambda n: 110 * n,
    "linalg.matrix_balance": lambda n: 146 * n,
}
_MANY, _SMALL = 50, 16


@contextlib.contextmanager
def on_host(*names: str) -> Iterator[None]:
    """Compute functions on the host for arrays on a device.

    Arguments are copied to the host and results back, each of which waits for the device; derivatives too. It holds for calls
    of the function by its room, ``linalg.qz(a, b)``, in the thread that entered the context.

    Parameters
    ----------
    *names : str
        Rooms and names of functions, such as "linalg.qz".

    Raises
    ------
    AttributeError
        If a room has no such function.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import linalg, on_host
    >>> from scigrad.testing import make_array, to_host
    >>> a = make_array(np.array([[2.0, 1.0], [0.0, 3.0]]), "device")
    >>> with on_host("linalg.schur"):
    ...     t, z = linalg.schur(a)
    >>> print(to_host(t))
    [[2. 1.]
     [0. 3.]]
    """
    for name in names:
        _redirect(name)
    token = _chosen.set(_chosen.get() | set(names))
    try:
        yield
    finally:
        _chosen.reset(token)


def refused_on_devices(room: str) -> None:
    """Make the functions of a room that need too many launches ask for on_host."""
    for name in _LAUNCHES:
        if f"scigrad.{name}".startswith(f"{room}."):
            _redirect(name)


def _redirect(name: str) -> None:
    room, _, function = name.rpartition(".")
    module = importlib.import_module(f"scigrad.{room}")
    if not hasattr(found := getattr(module, function), "_on_host"):
        setattr(module, function, _either(name, found))


def _either(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is np.ndarray:
            return function(*args, **kwargs)
        leaves, tree = flatten((args, kwargs))
        home = backends.library(*map(raw, leaves))
        if home == "numpy":
            return function(*args, **kwargs)
        if name not in _chosen.get():
            _check_launches(name, home, args)
            return function(*args, **kwargs)
        own = [_fetched(x, library=home) if hasattr(x, "dtype") and hasattr(raw(x), "get") else x for x in leaves]
        host_args, host_kwargs = tree.unflatten(own)
        out = function(*host_args, **host_kwargs)
        return map_leaves(lambda y: _sent(y, library=home) if hasattr(y, "dtype") else y, out)

    run._on_host = name  # type: ignore[attr-defined]
    return run


def _check_launches(name: str, home: str, args: tuple[Any, ...]) -> None:
    *lead, _, n = shape_of(args[0]) if args and len(shape_of(args[0])) > 1 else (0, 0)
    launches = _LAUNCHES[name](n) if name in _LAUNCHES else 0
    if n > _SMALL and launches > _MANY * n * max(math.prod(lead), 1):
        raise MissingKernel(
            f"{name}: {home} has no such function, and a matrix of {n} rows would take {launches:,.0f} launches, one after the "
            f"other. Compute it on the host: `with scigrad.on_host({name!r}): ...` copies there and back."
        )


@linear("x")
def _fetched(x, *, library):
    return x.get()


@linear("x")
def _sent(x, *, library):
    return backends.namespace(library).asarray(x)


_fetched.adjoint(lambda call, g: _sent(g, library=call.library))
_sent.adjoint(lambda call, g: _fetched(g, library=call.library))
_fetched.batched(lambda call, batched: _fetched(call.x, library=call.library))
_sent.batched(lambda call, batched: _sent(call.x, library=call.library))
