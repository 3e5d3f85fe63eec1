"""No public function without a spec, no spec without a function, no name of SciPy's without an
answer.
"""

import ast
import importlib
import inspect
import itertools
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from parsed_sources import split_sections

import scigrad
from scigrad.testing import load_specs
from scigrad.testing.draw import Draw
from scigrad.testing.opspec import specs_by_file

ROOMS = (
    "numpy",
    "linalg",
    "fft",
    "special",
    "sparse",
    "sparse.csgraph",
    "sparse.linalg",
    "signal",
    "signal.windows",
    "optimize",
)
TESTS = Path(__file__).parent
PACKAGE = Path(scigrad.__file__).parent
# Tested by files of their own, because a spec has no word for them: name -> where.
ROWS = (TESTS / "specs" / "elsewhere.txt").read_text().splitlines()
ELSEWHERE = dict(row.split(maxsplit=1) for row in ROWS if row and row[0] != "#")


def public_functions(room):
    """The functions that a room itself defines; what it passes on from NumPy untouched is
    NumPy's.
    """
    module = importlib.import_module(f"scigrad.{room}")
    found = {}
    for name in getattr(module, "__all__", dir(module)):
        value = getattr(module, name)
        if (
            not name.startswith("_")
            and callable(value)
            and getattr(value, "__module__", "").startswith("scigrad")
        ):
            found[f"{room}.{name}"] = value
    return found


PLANS = runpy.run_path(str(TESTS.parent / "docs" / "generate" / "planned.py"))
FUNCTIONS = [spec.function for spec in load_specs(TESTS / "specs")]
# functools.wraps
SPECS = {
    id(f) for function in FUNCTIONS for f in (function, getattr(function, "__wrapped__", function))
}


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_function_has_a_spec(room):
    orphans = [
        name
        # what `on_host` has redirected wraps the function
        for name, value in public_functions(room).items()
        if not {id(value), id(getattr(value, "__wrapped__", value))} & SPECS
        and name not in ELSEWHERE
    ]
    assert not orphans, f"{len(orphans)} public functions without a spec: {', '.join(orphans)}"


def test_every_spec_is_of_a_public_function():
    """By name: a spec may pass a public function inside another one that keeps its samples where it
    is smooth.
    """
    public = {name for room in ROOMS for name in public_functions(room)}
    ids = {id(value) for room in ROOMS for value in public_functions(room).values()}
    orphans = [
        spec.name
        for spec in load_specs(TESTS / "specs")
        if id(spec.function) not in ids and spec.name not in public
    ]
    assert not orphans, f"specs of functions that are not public: {', '.join(orphans)}"


def test_specs_mirror_the_files_of_their_functions():
    """A function of scigrad/room/family/subject.py has its spec in
    tests/specs/room/family/subject.py. SciPy's own objects, such as windows without parameters, are
    defined in no file of ours and have no spec.
    """
    homes = {
        f"{room}.{name}": path.relative_to(PACKAGE)
        for room in ROOMS
        for name, path in published(room).items()
    }
    wrong = [
        f"{spec.name}: from {path.relative_to(TESTS)} to specs/{homes[spec.name]}"
        for path, specs in specs_by_file(TESTS / "specs").items()
        for spec in specs
        if path.relative_to(TESTS / "specs") != homes[spec.name]
    ]
    assert not wrong, "\n".join(wrong)


def test_every_exception_names_an_existing_test():
    for name, place in ELSEWHERE.items():
        assert (TESTS / place.split("::")[0]).exists(), f"{name}: {place} does not exist"


def test_docstrings_name_the_exceptions_of_the_error_samples():
    """In the rooms of SciPy's; an exception may stand there by the name of a base class."""
    missing = set()
    for spec in load_specs(TESTS / "specs"):
        function = getattr(
            importlib.import_module(f"scigrad.{spec.room}"), spec.function.__name__, spec.function
        )
        named = re.findall(
            r"^(?:\w+\.)*(\w+)$", split_sections(function.__doc__).get("Raises", ""), re.MULTILINE
        )
        for _, _, _, exception, _ in (
            spec.error_samples(Draw(spec.name))
            if spec.error_samples and spec.room != "numpy"
            else ()
        ):
            allowed = exception if isinstance(exception, tuple) else (exception,)
            if not {base.__name__ for one in allowed for base in one.__mro__}.intersection(named):
                missing.add(f"{spec.name}: {exception}")
    assert not missing


@pytest.mark.parametrize("room", ROOMS)
def test_all_is_complete_and_as_static_tools_read_it(room):
    """Editors and type checkers follow `from .subject import *` to a list written out in `__all__`
    of that file.
    """
    module = importlib.import_module(f"scigrad.{room}")
    assert not [name for name in module.__all__ if not hasattr(module, name)]
    assert len(module.__all__) == len(set(module.__all__))
    seen = set(published(room))
    assert seen == set(module.__all__) - (set(np.__all__) - seen if room == "numpy" else set())


def published(room: str) -> dict[str, Path]:
    """The file of each name of a room: it lists the name in its `__all__`."""
    path = Path(importlib.import_module(f"scigrad.{room}").__file__)
    found = dict.fromkeys(written_out(path) or (), path)
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and node.level and node.names[0].name == "*":
            source = path.parent.joinpath(*node.module.split(".")).with_suffix(".py")
            listed = written_out(source)
            assert listed is not None, (
                f"scigrad.{room} takes all of {source.name}, which needs an __all__ = [names] "
                "written out"
            )
            found |= dict.fromkeys(listed, source)
    return found


def written_out(path: Path) -> list[str] | None:
    """The names that a file puts in its `__all__` as lists of strings; None without any."""
    lists = []
    for node in ast.parse(path.read_text()).body:
        target, value = (
            getattr(node, "target", getattr(node, "targets", [None])[0]),
            getattr(node, "value", None),
        )
        if isinstance(target, ast.Name) and target.id == "__all__" and isinstance(value, ast.List):
            lists.append(ast.literal_eval(value))
    return [*itertools.chain(*lists)] if lists else None


def _keyword(parameter):
    """The name by which an argument can be passed, if it can."""
    return None if parameter.kind is parameter.POSITIONAL_ONLY else parameter.name


# Parameters that SciPy 1.18 has added or taken away: in the older place if there was one, by
# keyword otherwise.
CHANGED = {
    "eigvals": ["overwrite_b"],
    "logm": ["disp"],
    "signm": ["disp"],
    "sqrtm": ["disp", "blocksize"],
}


@pytest.mark.parametrize(
    "room",
    [
        "linalg",
        "fft",
        "special",
        "sparse",
        "sparse.csgraph",
        "sparse.linalg",
        "signal",
        "signal.windows",
        "optimize",
    ],
)
def test_signatures_begin_as_scipy_s_do(room):
    ours, scipys = (
        importlib.import_module(f"scigrad.{room}"),
        importlib.import_module(f"scipy.{room}"),
    )
    for name in ours.__all__:
        theirs = getattr(scipys, name, None)
        if not callable(theirs) or inspect.isclass(theirs) or getattr(ours, name) is theirs:
            continue
        try:
            expected = [
                p
                for p in inspect.signature(theirs).parameters.values()
                if p.name not in CHANGED.get(name, ())
            ]
        except ValueError:  # a ufunc: positional arguments only
            continue
        # a wrapper of SciPy's hides the names
        if any(p.kind is p.VAR_POSITIONAL for p in expected):
            continue
        function = getattr(ours, name)
        found = inspect.signature(getattr(function, "__wrapped__", function)).parameters.values()
        found = [p for p in found if p.name not in CHANGED.get(name, ())]
        pairs = (
            [(_keyword(a), a.default) for a in expected],
            [(_keyword(b), b.default) for b in found[: len(expected)]],
        )
        assert [n for n, _ in pairs[0]] == [n for n, _ in pairs[1]], (
            f"{room}.{name}: {pairs[1]} instead of {pairs[0]}"
        )
        extra = [b.name for b in found[len(expected) :] if b.kind is not b.KEYWORD_ONLY]
        assert not extra, f"{room}.{name}: {extra} have to be keyword-only"


@pytest.mark.parametrize("room", ["signal", "sparse", "sparse.linalg"])
def test_classes_can_be_subscripted_where_scipy_s_can(room):
    """In annotations: lti[float], csr_array[float]."""
    ours, scipys = (
        importlib.import_module(f"scigrad.{room}"),
        importlib.import_module(f"scipy.{room}"),
    )
    names = [
        name for name in ours.__all__ if hasattr(getattr(scipys, name, None), "__class_getitem__")
    ]
    assert names
    for name in names:
        assert getattr(ours, name)[float].__origin__ is getattr(ours, name), name


def test_the_surface_that_plans_are_computed_from_is_scipy_s():
    """docs/scipy_surface.csv names all that is public in the installed SciPy, but for submodules
    and names on their way out.
    """
    modules = {
        room: importlib.import_module(f"scipy.{room}") for room in ROOMS[1:] if room != "optimize"
    }
    theirs = {
        (room, name)
        for room, m in modules.items()
        for name in m.__all__
        if not inspect.ismodule(getattr(m, name))
    }
    assert not theirs - set(PLANS["surface"]())


def test_finished_rooms_lack_nothing():
    assert not [
        name
        for name in PLANS["planned"]()
        if name.partition(".")[0] in ("linalg", "fft", "special")
    ]


@pytest.mark.slow
def test_doctests_of_one_module_find_the_functions_of_its_package():
    """scigrad.special.gamma is a function, and the module that defines it has the same name: see
    the conftest of the root.
    """
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "scigrad/special/gamma.py",
    ]
    done = subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
