"""Functions computed on the host for arrays of a device because the user says so."""

import contextlib
import functools
import importlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from scigrad.autodiff_rules import backends, linear, raw
from scigrad.autodiff_rules.containers import flatten, map_leaves

__all__ = ["on_host"]


@contextlib.contextmanager
def on_host(*names: str) -> Iterator[None]:
    """Compute functions on the host for arrays on a device.

    Arguments are copied to the host and results back, each of which waits for the device;
    derivatives too. It holds for calls of the function by its room, ``linalg.qz(a, b)``, in the
    thread that entered the context; a name that was imported from the room before, ``qz(a, b)``,
    raises an error that says so.

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
    token = backends.chosen.set(backends.chosen.get() | set(names))
    try:
        with contextlib.ExitStack() as redirected:
            for name in names:
                redirected.enter_context(_redirected(name))
            yield
    finally:
        backends.chosen.reset(token)


_uses: Counter[str] = Counter()  # contexts that run, in all threads
_changing = threading.Lock()


@contextlib.contextmanager
def _redirected(name: str) -> Iterator[None]:
    """Let a room's attribute choose while a context runs that names it, in this thread or in
    another.
    """
    room, _, attribute = name.rpartition(".")
    module = importlib.import_module(f"scigrad.{room}")
    with _changing:
        if not _uses[name]:
            setattr(module, attribute, _either(name, getattr(module, attribute)))
        _uses[name] += 1
    try:
        yield
    finally:
        with _changing:
            _uses[name] -= 1
            if not _uses[name]:
                setattr(module, attribute, getattr(module, attribute).__wrapped__)


def _either(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        if args and type(args[0]) is np.ndarray:
            return function(*args, **kwargs)
        leaves, tree = flatten((args, kwargs))
        home = backends.library(*map(raw, leaves))
        if home == "numpy" or name not in backends.chosen.get():
            return function(*args, **kwargs)
        own = [
            _fetched(x, library=home) if hasattr(x, "dtype") and hasattr(raw(x), "get") else x
            for x in leaves
        ]
        host_args, host_kwargs = tree.unflatten(own)
        out = function(*host_args, **host_kwargs)
        return map_leaves(lambda y: _sent(y, library=home) if hasattr(y, "dtype") else y, out)

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
