"""The page of a public function is the docstring at its definition: what `help()` shows, an editor
shows.
"""

import ast
import importlib
import inspect
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import scigrad

PACKAGE = Path(scigrad.__file__).parent
ROOMS = (
    "linalg",
    "linalg.manifolds",
    "fft",
    "special",
    "sparse",
    "sparse.linalg",
    "sparse.csgraph",
    "signal",
    "signal.windows",
    "signal.stream",
    "optimize",
)
DEFINITIONS = (ast.FunctionDef, ast.ClassDef)


@cache
def definitions(path: Path) -> dict[str, str | None]:
    """The docstring of each definition in a file."""
    tree = ast.parse(path.read_text())
    found = (node for node in ast.walk(tree) if isinstance(node, DEFINITIONS))
    return {node.name: ast.get_docstring(node) for node in found}


def pages() -> Iterator[tuple[str, Any, Path]]:
    """Each public function or class of ours, and the file of its definition."""
    for room in ROOMS:
        module = importlib.import_module(f"scigrad.{room}")
        for name in module.__all__:
            value = getattr(module, name)
            home = sys.modules.get(getattr(value, "__module__", None) or "")
            path = Path(getattr(home, "__file__", None) or "")
            if inspect.ismodule(value) or PACKAGE not in path.parents:
                continue
            if value.__name__ == name:  # not an older name of another function
                yield f"{room}.{name}", value, path


@pytest.mark.parametrize("room", ROOMS)
def test_pages_stand_at_definitions(room):
    wrong = []
    for name, value, path in pages():
        if name.rpartition(".")[0] != room:
            continue
        written = definitions(path).get(value.__name__)
        shown = inspect.cleandoc(value.__doc__ or "")
        if (written or "").strip() != shown.strip():
            missing = set(shown.splitlines()) - set((written or "").splitlines())
            wrong.append(f"{name}: {path.relative_to(PACKAGE)} lacks {sorted(missing)}")
    assert not wrong, "\n".join(wrong)


def test_literals_stand_in_one_line():
    """A reader of the source, and an editor, would take the parts of a broken one for text."""
    broken = [
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (*DEFINITIONS, ast.Module))
        for line in (ast.get_docstring(node) or "").splitlines()
        if line.count("``") % 2
    ]
    assert not broken, "\n".join(broken)
