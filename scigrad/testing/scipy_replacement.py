"""A plugin of pytest that puts our functions in the place of SciPy's for SciPy's own tests: `pytest
-p scigrad.testing.scipy_replacement --in-place-of-scipy linalg --pyargs ...`.
"""

import builtins
import functools
import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

ROOMS = (
    "fft",
    "linalg",
    "optimize",
    "signal",
    "sparse",
    "sparse.csgraph",
    "sparse.linalg",
    "special",
)
WITHIN = {"signal": ("signal.windows",)}  # public modules of a room that are tested with it


def pytest_addoption(parser: Any) -> None:
    parser.addoption(
        "--in-place-of-scipy",
        default=None,
        choices=ROOMS,
        help="the room whose functions stand in for SciPy's",
    )
    parser.addoption(
        "--recorded", action="store_true", help="call them on arrays that reverse mode records"
    )
    parser.addoption(
        "--imported", action="store_true", help="hand them to whatever a test module imports"
    )


def pytest_configure(config: Any) -> None:
    room = config.getoption("--in-place-of-scipy")
    if room and config.getoption("--imported"):
        builtins.__import__ = importing(room)
    elif room:
        put_in_place(
            room, recorded if config.getoption("--recorded") else lambda function: function
        )


def put_in_place(room: str, called: Callable[[Any], Any]) -> list[str]:
    """Put our functions into scipy.<room>, wrapped in `called`; return their names."""
    theirs, names, known = importlib.import_module(f"scipy.{room}"), [], _capabilities()
    for name, (here, there) in _pairs(room).items():
        if not isinstance(there, type):
            standing_in = _unless_scipy_asks(called(here), there)
            # pickle looks the function up by these names
            standing_in.__module__, standing_in.__qualname__ = theirs.__name__, name
            if there in known:
                known[standing_in] = known[there]
            setattr(theirs, name, standing_in)
            names.append(name)
    return names


class Proxy(ModuleType):
    """A module of SciPy's as its tests see it: what we have under a public name is ours, wherever
    SciPy defines it.
    """

    def __init__(self, module: ModuleType, ours: dict[int, Any]) -> None:
        object.__setattr__(self, "_proxied", (module, ours))

    def __getattribute__(self, name: str) -> Any:
        module, ours = object.__getattribute__(self, "_proxied")
        value = getattr(module, name)
        is_scipys = isinstance(value, ModuleType) and value.__name__.startswith("scipy.")
        return Proxy(value, ours) if is_scipys else ours.get(id(value), value)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(object.__getattribute__(self, "_proxied")[0], name, value)

    def __dir__(self) -> list[str]:
        return dir(object.__getattribute__(self, "_proxied")[0])


def importing(room: str) -> Callable[..., Any]:
    """Return an `__import__` that gives proxies to the test modules of SciPy, and to all others
    what they ask for.
    """
    ours, known, given = {}, _capabilities(), builtins.__import__
    for here, there in (
        pair for name in (room, *WITHIN.get(room, ())) for pair in _pairs(name).values()
    ):
        ours[id(there)] = here
        if not isinstance(there, type) and there in known:
            known[here] = known[there]

    def imported(name: str, globals: Any = None, *rest: Any, **options: Any) -> Any:
        module, asking = given(name, globals, *rest, **options), (globals or {}).get("__name__", "")
        is_test = asking.startswith("scipy.") and ".tests" in asking
        return (
            Proxy(module, ours)
            if is_test and module.__name__.partition(".")[0] == "scipy"
            else module
        )

    return imported


def _pairs(room: str) -> dict[str, tuple[Any, Any]]:
    """Return our function or class and SciPy's for each public name of a room for which they are
    two.
    """
    theirs, ours = (
        importlib.import_module(f"scipy.{room}"),
        importlib.import_module(f"scigrad.{room}"),
    )
    pairs = {name: (getattr(ours, name), getattr(theirs, name, None)) for name in ours.__all__}
    return {
        name: (here, there)
        for name, (here, there) in pairs.items()
        if callable(there) and here is not there
    }


def _capabilities() -> dict[Any, Any]:
    """Return SciPy's private table of functions and array libraries, by which its tests select what
    they run.
    """
    from scipy._lib import _array_api

    return getattr(_array_api, "xp_capabilities_table", {})


def _unless_scipy_asks(ours: Any, theirs: Any) -> Any:
    """Return our function for the tests, SciPy's for SciPy itself and for our own kernels, which
    call it by the same name.
    """

    @functools.wraps(
        theirs,
        (
            *functools.WRAPPER_ASSIGNMENTS,
            "nin",
            "nout",
            "nargs",
            "ntypes",
            "types",
            "identity",
            "signature",
        ),
    )
    def standing_in(*args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        inside = caller.startswith(("scipy.", "scigrad.")) and ".tests" not in caller
        return (theirs if inside else ours)(*args, **kwargs)

    if not isinstance(theirs, np.ufunc):
        return standing_in
    passing: Any = type("StandingIn", (), {
        "__class__": property(lambda self: np.ufunc),
        "__call__": staticmethod(standing_in),
        "__repr__": lambda self: repr(ours),
        "__reduce__": lambda self: theirs.__name__,  # found by its name, as a ufunc is
    })()  # fmt: skip
    # the tests select what is a ufunc
    passing.__dict__.update(vars(standing_in), __name__=theirs.__name__)
    return passing


def recorded(function: Any) -> Any:
    """Call the function on arrays that vjp records, and return its value; with options of ufuncs it
    is called as it is.
    """
    from scigrad import vjp

    @functools.wraps(function)
    def value(*args: Any, **kwargs: Any) -> Any:
        given = [*args, *kwargs.values()]
        held = [type(x) is np.ndarray or hasattr(x, "tocsr") for x in given]
        places = [i for i, x in enumerate(given) if held[i] and x.dtype.char in "fdFD"]

        def of_arrays(*arrays: Any) -> Any:
            full = [*given]
            for place, array in zip(places, arrays, strict=True):
                full[place] = array
            return function(*full[: len(args)], **dict(zip(kwargs, full[len(args) :], strict=True)))

        plain = not places or not kwargs.keys().isdisjoint(("out", "dtype"))
        return (
            function(*args, **kwargs) if plain else vjp(of_arrays, *(given[i] for i in places))[0]
        )

    return value
