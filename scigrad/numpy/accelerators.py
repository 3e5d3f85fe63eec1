"""Libraries that make calls faster, and that no call depends on: where one cannot be imported or
used, another way computes.

A library that is installed and fails says so once, by `logging`; `python -m scigrad info` prints
the reason.
"""

import contextlib
import importlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

_modules: dict[str, Any] = {}
_reasons: dict[str, str] = {}
_FIRST_USES: dict[str, Callable[[Any], Any]] = {
    "ducc0": lambda module: module.fft.c2c(np.ones(2, complex))
}
ABSENT = "not installed"


def accelerator(name: str) -> Any:
    """Return a module, or None where it is not installed, cannot be imported, or has failed when it
    was first used.
    """
    if name not in _modules:
        _modules[name] = None
        with attempt(name):
            module = _modules[name] = importlib.import_module(name)
            _FIRST_USES.get(name, bool)(module)
    return None if name in _reasons else _modules[name]


def why_not(name: str) -> str | None:
    """Return why an accelerator is not used; None where it is, as far as has been seen."""
    accelerator(name)
    return _reasons.get(name)


@contextlib.contextmanager
def attempt(name: str) -> Iterator[None]:
    """Use an accelerator for the first time: its warnings are not the user's, and an error is the
    reason not to use it again.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except Exception as error:  # another library may raise anything
        root = name.partition(".")[0]
        if isinstance(error, ModuleNotFoundError) and error.name in (root, name):
            _reasons[name] = ABSENT
            return
        import logging  # most programs do not need it

        _reasons[name] = f"{type(error).__name__}: {error}".partition("\n")[0]
        logging.getLogger("scigrad").warning(
            "%s is installed but cannot be used (%s): computing without it", name, _reasons[name]
        )
