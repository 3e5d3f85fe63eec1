"""Packages that a test writes to a folder, which are forgotten after it."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from scigrad import unadopt

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Write]:
    """Return a function that writes files into a folder from which Python imports."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def write_files(**files: str) -> Path:
        for name, text in files.items():
            path = tmp_path / f"{name.replace('__in__', '/')}.py"
            path.parent.mkdir(exist_ok=True, parents=True)
            path.write_text(dedent(text))
        importlib.invalidate_caches()
        return tmp_path

    yield write_files
    unadopt()
    for name in set(sys.modules) - before:
        if str(tmp_path) in (getattr(sys.modules[name], "__file__", None) or ""):
            del sys.modules[name]
