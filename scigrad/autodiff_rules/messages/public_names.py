"""The public names of a module: `__all__`, `dir`, and the answer to an absent name."""

import difflib
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

# What there is instead of a part of SciPy without a room here, and of what other libraries for
# derivatives call so.
_INSTEAD = {
    "custom_jvp": "use scigrad.custom_rule(f, jvp=rule)",
    "custom_vjp": "use scigrad.custom_rule(f, vjp=rule)",
    "elementwise_grad": (
        "use scigrad.vmap(scigrad.grad(f)), or scigrad.vjp with a cotangent of ones"
    ),
    "integrate": (
        "use scigrad.numpy.trapezoid for samples; for a differential equation write a "
        "method of fixed steps with NumPy"
    ),
    "interpolate": "use numpy.interp where linear interpolation is meant; every spline is a "
    "matrix times the values y: scipy.interpolate.make_interp_spline(x, "
    "numpy.eye(n))(points) @ y",
    "lax": "scan, fori_loop, while_loop, cond and switch are names of scigrad; plain loops will do",
    "no_grad": "use scigrad.stop_gradient(x)",
    "pmap": "use scigrad.vmap",
    "random": "use numpy.random.default_rng, whose values are plain arrays",
    "remat": "use scigrad.checkpoint",
    "stats": (
        "write the logarithm of a density with scigrad.special and NumPy; scipy.stats "
        "takes plain values"
    ),
}

Attributes = tuple[Callable[[str], Any], Callable[[], list[str]]]


def collect_names(room: str) -> list[str]:
    """Return the names that a room takes from its own files, which each file lists in its
    `__all__`.

    With `from .subject import *` in the room, a new function is public once the file that defines
    it lists its name.
    """
    here = vars(sys.modules[room])
    files = [
        vars(module) for path, module in list(sys.modules.items()) if path.startswith(f"{room}.")
    ]
    return sorted(
        {
            name
            for file in files
            for name in file.get("__all__", ())
            if here.get(name, file) is file.get(name)
        }
    )


def public_names(room: str, ours: Sequence[str], scipys: Sequence[str] = ()) -> Attributes:
    """Return the `__getattr__` and the `__dir__` of a module.

    The names in `scipys` are SciPy's own objects, imported at their first use. For an absent name
    of SciPy's the error says what to use, for another name which one was probably meant: as an
    ImportError where Python's import of names from a package asks, because the text of an
    AttributeError is replaced there.
    """

    def find(name: str) -> Any:
        if name in scipys:
            return getattr(import_module(_theirs(room)), name)
        text, advice = (
            f"module {room!r} has no attribute {name!r}",
            "" if name.startswith("_") else _advice(room, name, ours),
        )
        frame = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
        asking = frame.f_back if frame.f_code.co_name == "__getattr__" else frame
        imported = asking is not None and asking.f_code.co_name == "_handle_fromlist"
        if advice and imported and find_spec(f"{room}.{name}") is None:
            raise ImportError(text + advice, name=room)
        raise AttributeError(text + advice, name=name, obj=sys.modules[room])

    return find, lambda: sorted(ours)


def _theirs(room: str) -> str:
    return "numpy" if room == "scigrad.numpy" else room.replace("scigrad", "scipy", 1)


def _advice(room: str, name: str, ours: Sequence[str]) -> str:
    for path, module in list(sys.modules.items()):
        value = vars(module).get(name) if path.startswith(f"{room}.") else None
        if getattr(value, "__module__", "") == path:
            return f": {path} defines it, and does not list it in its __all__"
    theirs = _theirs(room)
    if theirs == "scipy" and name in _INSTEAD:
        return f": {_INSTEAD[name]}"
    if hasattr(import_module(theirs), name):
        yet = "" if theirs == "scipy" else " yet"
        return (
            f"{yet}: {theirs}.{name} takes plain values; to differentiate it, state its rule "
            "with scigrad.custom_rule"
        )
    close = difflib.get_close_matches(name, ours, 1)
    return f". Did you mean {close[0]!r}?" if close else ""
