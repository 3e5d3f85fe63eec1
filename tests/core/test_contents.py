"""help() of a room begins with a table of contents, which names all that is public, each once."""

import importlib
import re
import runpy
from pathlib import Path

import numpy as np
import pytest

ROOMS = ("linalg", "fft", "special", "sparse", "sparse.linalg", "sparse.csgraph", "signal")
PLANNED = Path(__file__).parents[2] / "docs" / "generate" / "planned.py"


def contents(room: str) -> list[str]:
    text = importlib.import_module(f"scigrad.{room}").__doc__ or ""
    lines = [
        line.strip().partition(":")[0] for line in text.splitlines() if line.startswith("    ")
    ]
    return [name for line in lines for name in re.split(r",\s*", line)]


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_stands_in_the_table_once(room):
    public = set(importlib.import_module(f"scigrad.{room}").__all__) - {
        "csgraph",
        "linalg",
        "windows",
    }
    assert sorted(name.rstrip("*") for name in contents(room)) == sorted(public)


@pytest.mark.parametrize("room", ROOMS)
def test_what_is_starred_is_ours_alone(room):
    homes = importlib.import_module(f"scipy.{room}"), *([np.linalg] if room == "linalg" else [])
    # what a later SciPy than the installed one has, too
    later = set(runpy.run_path(str(PLANNED))["surface"]())
    for name in contents(room):
        theirs = any(hasattr(home, name.rstrip("*")) for home in homes) or (room, name) in later
        assert name.endswith("*") is not theirs, name
