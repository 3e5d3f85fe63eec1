"""No public function without a spec, no spec without a function, no name of SciPy's without an answer."""

from __future__ import annotations

import importlib
import inspect
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from scigrad.testing import load_specs

ROOMS = ("numpy", "linalg", "fft", "special", "sparse", "sparse.linalg", "signal")
TESTS = Path(__file__).parent
# Tested by files of their own, because a spec has no word for them: name -> where.
ROWS = (TESTS / "specs" / "elsewhere.txt").read_text().splitlines()
ELSEWHERE = dict(row.split(maxsplit=1) for row in ROWS if row and row[0] != "#")


def public_functions(room):
    """The functions that a room itself defines; what it passes on from NumPy untouched is NumPy's."""
    module = importlib.import_module(f"scigrad.{room}")
    found = {}
    for name in getattr(module, "__all__", dir(module)):
        value = getattr(module, name)
        if not name.startswith("_") and callable(value) and getattr(value, "__module__", "").startswith("scigrad"):
            found[f"{room}.{name}"] = value
    return found


SPECS = {id(spec.function) for spec in load_specs(TESTS / "specs")}


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_function_has_a_spec(room):
    orphans = [name for name, value in public_functions(room).items() if id(value) not in SPECS and name not in ELSEWHERE]
    assert not orphans, f"{len(orphans)} public functions without a spec: {', '.join(orphans)}"


def test_every_spec_is_of_a_public_function():
    """By name: a spec may pass a public function inside another one that keeps its samples where it is smooth."""
    public = {name for room in ROOMS for name in public_functions(room)}
    ids = {id(value) for room in ROOMS for value in public_functions(room).values()}
    orphans = [spec.name for spec in load_specs(TESTS / "specs") if id(spec.function) not in ids and spec.name not in public]
    assert not orphans, f"specs of functions that are not public: {', '.join(orphans)}"


def test_every_exception_names_an_existing_test():
    for name, place in ELSEWHERE.items():
        assert (TESTS / place.split("::")[0]).exists(), f"{name}: {place} does not exist"


def test_all_is_complete():
    for room in ROOMS:
        module = importlib.import_module(f"scigrad.{room}")
        missing = [name for name in module.__all__ if not hasattr(module, name)]
        assert not missing, f"scigrad.{room}.__all__ names {missing}"


@pytest.mark.parametrize("room", ["linalg", "fft", "special", "sparse", "sparse.linalg", "signal"])
def test_signatures_begin_as_scipy_s_do(room):
    ours, scipys = importlib.import_module(f"scigrad.{room}"), importlib.import_module(f"scipy.{room}")
    for name in ours.__all__:
        theirs = getattr(scipys, name, None)
        if theirs is None or inspect.isclass(theirs):
            continue
        try:
            expected = inspect.signature(theirs).parameters.values()
        except ValueError:  # a ufunc: positional arguments only
            continue
        if any(p.kind is p.VAR_POSITIONAL for p in expected):  # a wrapper of SciPy's hides the names
            continue
        function = getattr(ours, name)
        found = list(inspect.signature(getattr(function, "__wrapped__", function)).parameters.values())
        pairs = [(a.name, a.default) for a in expected], [(b.name, b.default) for b in found[: len(expected)]]
        assert [n for n, _ in pairs[0]] == [n for n, _ in pairs[1]], f"{room}.{name}: {pairs[1]} instead of {pairs[0]}"
        extra = [b.name for b in found[len(expected) :] if b.kind is not b.KEYWORD_ONLY]
        assert not extra, f"{room}.{name}: {extra} have to be keyword-only"


def test_what_is_planned_is_what_is_missing():
    """Every name of SciPy's surface is ours or listed in docs/planned.txt, which `python docs/generate/planned.py` writes."""
    generator = runpy.run_path(str(TESTS.parent / "docs" / "generate" / "planned.py"))
    listed = (TESTS.parent / "docs" / "planned.txt").read_text().split()
    assert listed == generator["planned"]()


@pytest.mark.slow
def test_doctests_of_one_module_find_the_functions_of_its_package():
    """scigrad.special.gamma is a function, and the module that defines it has the same name: see the conftest of the root."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "scigrad/special/gamma.py"]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
