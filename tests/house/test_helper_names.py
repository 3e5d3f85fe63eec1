"""One name for one thing: the names of helpers, the arguments that they receive, and the order in
which files import each other.
"""

import ast
import importlib
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from parsed_sources import LIBRARY as FILES
from parsed_sources import ROOT, imports, parsed, report, shown

PUBLIC = (
    "", "numpy", "linalg", "linalg.manifolds", "fft", "special", "sparse", "sparse.linalg",
    "sparse.csgraph", "signal", "signal.windows", "signal.stream", "optimize", "testing",
)  # fmt: skip
MODULES = 2  # in which a private name may be defined
# Programs begin with `main`; the three demos have the same parts.
ALIKE = {"main", "demonstrate", "objective"}
PREPOSITIONS = {
    "above", "along", "around", "at", "before", "behind", "below", "beside", "between", "by", "for",
    "from", "in", "of", "on", "over", "to", "under", "until", "where", "whose", "with", "without",
}  # fmt: skip
PARTICIPLES = {
    "built", "cut", "drawn", "found", "given", "held", "kept", "known", "made", "shown", "taken",
}  # fmt: skip
VERBS = {"embed"}  # verbs that end like a participle
# Laws are named after what they try, and the test devices after CuPy's functions.
TESTING = "scigrad/testing/"


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def private_names() -> dict[str, set[str]]:
    """The files that define each function of a module that is not public, underscores aside."""
    rooms = [importlib.import_module(f"scigrad.{room}".rstrip(".")) for room in PUBLIC]
    public = {name for room in rooms for name in room.__all__} | {"", "getattr__", "dir__"}
    files = defaultdict(set)
    for path in FILES:
        for node in parsed(path).body:
            if isinstance(node, ast.FunctionDef) and node.name.lstrip("_") not in public:
                files[node.name.lstrip("_")].add(shown(path))
    return files


def test_a_private_name_stands_in_two_modules_at_most():
    faults = [
        f"{name}: {', '.join(sorted(files))}"
        for name, files in sorted(private_names().items())
        if len(files) > MODULES and name not in ALIKE
    ]
    report(faults, "names that mean different things in different files:")


def test_helpers_of_other_files_are_named_by_a_verb_or_a_noun():
    called = {
        name.rpartition(".")[2]
        for path in FILES
        for _, name in imports(path, deep=True)
        if name.startswith("scigrad.")
    }
    faults = [
        f"{name}: {', '.join(sorted(files))}"
        for name, files in sorted(private_names().items())
        if name in called and vague(name) and not all(file.startswith(TESTING) for file in files)
    ]
    report(faults, "say what is done to what (`place_beside`, `fold_triangles`), not:")


def vague(name: str) -> bool:
    """Whether a name is a bare participle, or begins with a preposition."""
    words = name.split("_")
    participle = words[0].endswith("ed") or words[0] in PARTICIPLES
    return words[0] in PREPOSITIONS or (len(words) == 1 and participle and name not in VERBS)


@pytest.mark.parametrize(
    ("name", "bad"),
    [("attached", True), ("by_smaller", True), ("embed", False), ("padded_rows", False)],
)
def test_the_rule_knows_a_bare_participle(name, bad):
    assert vague(name) is bad


def test_arguments_are_handed_on_by_name():
    faults = [
        f"{shown(path)}:{node.lineno}"
        for path in FILES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and ast.unparse(node) == "locals()"
    ]
    report(faults, "`locals()` hides which arguments are used:")


def test_no_two_files_import_each_other():
    """Not at module level, nor through others. A room imports its files, and they not the room."""
    modules = {module_of(path): path for path in FILES}
    needs = {name: imports_of(path, modules) for name, path in modules.items()}
    ready: set[str] = set()
    while more := {name for name in needs if name not in ready and needs[name] <= ready}:
        ready |= more
    waiting = sorted(set(needs) - ready)
    circle = [name for name in waiting if any(name in needs[other] for other in waiting)]
    report(circle, "these files import each other, or wait for such:")


def imports_of(path: Path, modules: dict[str, Path]) -> set[str]:
    """The files that a file imports when it is imported itself."""
    named = {name for _, name in imports(path, deep=False)}
    found = {name if name in modules else name.rpartition(".")[0] for name in named}
    return found & set(modules) - {module_of(path)}
