"""Bring the tables of contents of the rooms up to date: what `help(scigrad.linalg)` begins with.

    python docs/generate/contents.py

Headings, rows and remarks are written by hand, as is the first row of a new file. A public name
without a place joins the row that has most names of its file, a name that is public no longer
leaves, and a star stands behind each name that SciPy and NumPy lack.
"""

import importlib
import re
import runpy
import sys
import textwrap
from pathlib import Path
from types import ModuleType

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
ROOMS = (
    "linalg",
    "fft",
    "special",
    "sparse",
    "sparse.linalg",
    "sparse.csgraph",
    "signal",
    "optimize",
)
INDENT, WIDTH = " " * 4, 100
SURFACE = set(runpy.run_path(str(ROOT / "docs" / "generate" / "planned.py"))["surface"]())


def files(module: ModuleType) -> dict[str, str]:
    """The file that lists each public name of a room."""
    return {
        name: path
        for path, file in list(sys.modules.items())
        if path.startswith(f"{module.__name__}.")
        for name in getattr(file, "__all__", ())
        if getattr(module, name, None) is getattr(file, name)
    }


def starred(room: str, name: str) -> str:
    """The name, with a star if neither SciPy, installed or later, nor NumPy has it."""
    homes = importlib.import_module(f"scipy.{room}"), *([np.linalg] if room == "linalg" else [])
    known = (room, name) in SURFACE or any(hasattr(home, name) for home in homes)
    return name if known else f"{name}*"


def names_of(row: str) -> list[str]:
    return [name.strip(" *") for name in row.partition(":")[0].split(",")]


def updated(room: str, table: list[str]) -> list[str]:
    """The rows of a table, headings among them, with a place for each public name."""
    module = importlib.import_module(f"scigrad.{room}")
    public = set(module.__all__) - {"csgraph", "linalg", "windows"}
    home = files(module)
    rows = [[row, [] if row[0] != " " else names_of(row)] for row in table]
    placed = {name for _, names in rows for name in names}
    for name in sorted(public - placed):
        if name not in home:
            sys.exit(f"scigrad/{room}: list {name} in the __all__ of the file that defines it")
        neighbors = [sum(home.get(other) == home[name] for other in names) for _, names in rows]
        if not any(neighbors):
            sys.exit(f"scigrad/{room}: write a row for {name}, the first one of its file")
        rows[neighbors.index(max(neighbors))][1].append(name)
    lines = []
    for row, names in rows:
        remark = row.partition(":")[2]
        kept = ", ".join(starred(room, name) for name in names if name in public)
        text = f"{kept}:{remark}" if remark and row[0] == " " else kept
        if row[0] != " ":
            lines.append(row)
        elif kept:
            lines += textwrap.wrap(text, WIDTH, initial_indent=INDENT, subsequent_indent=INDENT)
    return lines


def page(room: str) -> tuple[Path, str, str]:
    """The file of a room, its text, and the text that it ought to have."""
    path = ROOT / "scigrad" / room.replace(".", "/") / "__init__.py"
    text = path.read_text()
    for name in re.findall(r"^from \.([\w.]+) import \*", text, re.MULTILINE):
        if not hasattr(importlib.import_module(f"scigrad.{room}.{name}"), "__all__"):
            sys.exit(f"scigrad/{room}: list the public names of {name} in its __all__")
    match = re.search(r"(?:^\S[^\n]*\n(?: {4}\S[^\n]*\n)+)+(?=\"\"\")", text, re.MULTILINE)
    if match is None:
        sys.exit(f"{path}: end its docstring with a table of contents, headings and rows of names")
    table = updated(room, match[0].splitlines())
    return path, text, text.replace(match[0], "\n".join(table) + "\n")


if __name__ == "__main__":
    for room in ROOMS:
        path, text, ought = page(room)
        if text != ought:
            path.write_text(ought)
