"""Print the names of SciPy's public surface that no room has yet.

python docs/generate/planned.py
"""

import csv
import functools
import importlib
from importlib.util import find_spec
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]


def surface() -> list[tuple[str, str]]:
    """(room, name) of every public name of SciPy's, from docs/scipy_surface.csv."""
    with (DOCS / "scipy_surface.csv").open() as rows:
        return [(row["module"].removeprefix("scipy."), row["name"]) for row in csv.DictReader(rows)]


def planned() -> list[str]:
    """room.name of what is not ours."""
    return [f"{room}.{name}" for room, name in surface() if name not in published(room)]


@functools.cache
def published(room: str) -> frozenset[str]:
    """The names of our room; none where there is no such room."""
    return frozenset(
        importlib.import_module(f"scigrad.{room}").__all__ if find_spec(f"scigrad.{room}") else ()
    )


if __name__ == "__main__":
    print(*planned(), sep="\n")
