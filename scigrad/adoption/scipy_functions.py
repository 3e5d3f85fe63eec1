"""SciPy's functions and classes: those of a room of ours, parts that are adopted when they are
met, and scipy.optimize, which is refused.
"""

import functools
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, TracedValueError
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.numpy.fillable import content

from .array_classes import view_of
from .number_types import take_integers
from .numpy_functions import elements
from .stand_ins import Function, answers_for, put_in_place

ROOMS = (
    "linalg", "fft", "special", "sparse", "sparse.linalg", "sparse.csgraph", "signal",
    "signal.windows", "integrate", "interpolate", "optimize", "ndimage", "stats",
)  # fmt: skip
# Parts in Python that are given second bodies when a transform meets them.
PARTS = (
    "scipy.integrate", "scipy.interpolate", "scipy.stats", "scipy._lib", "numpy.polynomial",
    "array_api_compat", "array_api_extra",
)  # fmt: skip
# They compare values: executed, they would return a plain number, and the derivative zero.
NEVER = ("scipy.optimize", "scipy.differentiate", "scipy._lib._elementwise_iterative_method")

# What is the same in scipy.fft; rfft is another.
_OF_FFTPACK = ("fft", "ifft", "fft2", "ifft2", "dct", "idct", "dst", "idst")

# modules that have second bodies, or nothing to do with these
settled: set[str] = set()
# what gives second bodies to a module, by its name; set in adoption.py
give_twin_bodies: list[Callable[[str], None]] = []


def belongs(module: str, names: Any) -> bool:
    """Return whether a module is one of some packages, or inside of one."""
    return any(f"{module}.".startswith(f"{name}.") for name in names)


def _settle(module: str, original: Any) -> Any:
    """Return the stand-in of a function or class of SciPy's; give second bodies to its module."""
    if module.partition(".")[0] not in ("scipy", "numpy", *PARTS):
        settled.add(module)
        return original
    other = _of_a_room(original)
    if other is None and belongs(module, NEVER):
        return _refused(original) if isinstance(original, (type, FunctionType)) else original
    if original.__name__ == "is_writeable_array":  # array_api_compat has it
        return put_in_place(original, lambda x: isinstance(x, Traced) or original(x))
    if module.endswith("array_api_compat.numpy.linalg") and original.__name__ == "solve":
        return put_in_place(original, np.linalg.solve)  # theirs calls what is private in NumPy
    if other is None and belongs(module, PARTS) and module in sys.modules:
        give_twin_bodies[0](module)
    if other is None and getattr(sys.modules.get(module), original.__name__, None) is original:
        put_in_place(original, original)
    return original if other is None else other


@answers_for(FunctionType)
def _of_function(called: Any) -> Any:
    module = called.__module__
    return called if module in settled else _settle(module or "", called)


@answers_for(type)
def _of_class(called: Any) -> Any:
    found = called
    for base in called.__mro__[:-1]:
        if base.__module__ not in settled:
            other = _settle(base.__module__, base)
            found = other if base is called else found
    return found


@answers_for(MethodType)
def _of_method(called: Any) -> Any:
    owner, function = called.__self__, called.__func__
    if isinstance(owner, Traced):
        other = _METHODS.get(called.__name__)
        return called if other is None else functools.partial(other, owner)
    module = getattr(function, "__module__", None) or ""
    if module not in settled and isinstance(function, FunctionType):
        _settle(module, function)
    return called


_METHODS = {"tolist": elements, "view": view_of}


# -- functions of a room


def _of_a_room(original: Any) -> Any:
    """Return the function or class of ours that has the name of SciPy's, as its stand-in."""
    name = original.__name__
    if original.__module__.startswith("scipy.fftpack.") and name in _OF_FFTPACK:
        return put_in_place(original, getattr(import_module("scigrad.fft"), name))
    for room in ROOMS:
        theirs = sys.modules.get(f"scipy.{room}")
        if getattr(theirs, name, None) is original and find_spec(f"scigrad.{room}"):
            ours = getattr(import_module(f"scigrad.{room}"), name, original)
            if ours is not original:
                is_sparse = room == "sparse" and isinstance(ours, type)
                return put_in_place(original, _with_places(ours) if is_sparse else ours)
    return None


def _with_places(ours: type) -> Function:
    """Return the class of a sparse format as a function; rows and columns may be traced numbers."""

    @functools.wraps(ours, updated=())
    def construct(values: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(values, tuple) and len(values) == 2 and isinstance(values[1], tuple):
            frame = sys._getframe(1)
            places = (content(x) for x in values[1])
            plain = (take_integers(x, frame) if isinstance(x, Traced) else x for x in places)
            values = values[0], (*plain,)
        return ours(values, *args, **kwargs)

    return construct


# -- solvers of scipy.optimize


def _refused(original: Any) -> Function:
    """Return a function of scipy.optimize that takes plain values, and functions of these."""
    name = f"{original.__module__.partition('._')[0]}.{original.__name__}"

    def check(x: Any) -> Any:
        if holds_traced((x,)):
            raise TracedValueError(
                f"{name} of a traced value: it compares values, so that its result would be a "
                "plain number. scigrad.implicit differentiates the solution of an equation, which "
                "any solver may find from plain values."
            )
        return x

    def checked(x: Any) -> Any:
        if not callable(x) or isinstance(x, type):
            return check(x)
        return functools.wraps(x, updated=())(lambda *args, **kwargs: check(x(*args, **kwargs)))

    @functools.wraps(original, updated=())
    def function(*args: Any, **kwargs: Any) -> Any:
        given = {key: checked(value) for key, value in kwargs.items()}
        return original(*map(checked, args), **given)

    return put_in_place(original, function)
