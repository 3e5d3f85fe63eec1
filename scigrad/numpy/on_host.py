"""Functions computed on the host for arrays of a device because the user says so."""

import contextlib
import functools
import importlib
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np

from scigrad.autodiff_rules import backends, linear, raw
from scigrad.autodiff_rules.spaces import flatten, map_leaves

__all__ = ["on_host"]

_chosen: ContextVar[frozenset[str]] = ContextVar("on_host", default=frozenset())


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
        if home == "numpy" or name not in _chosen.get():
            return function(*args, **kwargs)
        own = [_fetched(x, library=home) if hasattr(x, "dtype") and hasattr(raw(x), "get") else x for x in leaves]
        host_args, host_kwargs = tree.unflatten(own)
        out = function(*host_args, **host_kwargs)
        return map_leaves(lambda y: _sent(y, library=home) if hasattr(y, "dtype") else y, out)

    run._on_host = name  # type: ignore[attr-defined]
    return run


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
