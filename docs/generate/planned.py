"""Write docs/planned.txt: the names of SciPy's public surface that no room has yet.

python docs/generate/planned.py
"""

from __future__ import annotations

import csv
import importlib
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
ROOMS = ("linalg", "fft", "special", "sparse", "sparse.linalg", "signal")


def surface() -> list[tuple[str, str]]:
    """(room, name) of every public name of SciPy's, from docs/scipy_surface.csv."""
    with (DOCS / "scipy_surface.csv").open() as rows:
        return [(row["module"].removeprefix("scipy."), row["name"]) for row in csv.DictReader(rows)]


def planned() -> list[str]:
    """room.name of what is not ours."""
    ours = {f"{room}.{name}" for room in ROOMS for name in importlib.import_module(f"scigrad.{room}").__all__}
    return [f"{room}.{name}" for room, name in surface() if f"{room}.{name}" not in ours]


if __name__ == "__main__":
    (DOCS / "planned.txt").write_text("\n".join(planned()) + "\n")
