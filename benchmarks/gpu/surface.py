"""CuPy's public names against the table that the stand-in device is bound to."""

import importlib
import inspect
from collections.abc import Iterator
from typing import Any

from scigrad.testing.cupy_table import CUPYX


def rows(done: set[str], _small: bool) -> Iterator[dict[str, Any]]:
    """Yield names that have come and gone, room by room."""
    for room, names in CUPYX.items():
        try:
            found = set(dir(importlib.import_module(f"cupyx.scipy.{room}")))
        except ModuleNotFoundError:
            found = set()
        scipys = importlib.import_module(f"scipy.{room}")
        public = (
            name
            for name in getattr(scipys, "__all__", ())
            if not inspect.ismodule(getattr(scipys, name))
        )
        change = {
            "gone": sorted(names - found),
            "new": sorted(name for name in public if name in found - names),
        }
        if room not in done and any(change.values()):
            yield {"name": room, **change}
