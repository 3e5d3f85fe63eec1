"""The house rules that a machine can check: who imports whom, how long files and functions are,
what names may be used.

`python tests/test_architecture.py` prints the table of files and the budgets. Reasons:
docs/adr/0009-size-budgets.md.
"""

import ast
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
FILE_LINES, FUNCTION_LINES = 400, 40
ROOMS = ("fft", "linalg", "signal", "sparse", "special")
CORE = "autodiff_rules"
# What a part of the package may import of the others. Parts that are not named here (testing, demo)
# stand on top of all.
MAY_IMPORT = {
    CORE: set(),
    "numpy": {CORE},
    "fft": {CORE, "numpy"},
    "linalg": {CORE, "numpy"},
    "host": {CORE, "numpy"},
    "special": {CORE, "numpy", "host"},
    "sparse": {CORE, "numpy", "linalg"},
    "signal": {CORE, "numpy", "host", "fft", "linalg", "sparse", "special"},
}
# The families of a room: each may import those before it.
FAMILIES = {
    "linalg": (
        "foundation",
        "structured",
        "systems",
        "eigenvalues",
        "singular_values",
        "schur_forms",
        "unitary",
        "functions",
        "equations",
        "manifolds",
    ),
    "signal": ("foundation", "filters", "forms", "design", "systems", "spectra"),
}
# Tokens of code for each public name of a room, and of the core in all
# (docs/adr/0009-size-budgets.md).
BUDGETS = {"linalg": 850, "fft": 480, "sparse": 350, "signal": 310, "numpy": 186, "special": 162}
CORE_TOKENS = 35_300
# Files and functions that the line length of 100 made too long: to be split by subject, no others.
LONG = {
    "scigrad/linalg/eigenvalues/degenerate_eigenvalues.py",
    "tests/test_architecture.py",
}
SUBROOMS = {
    "linalg": ("manifolds",),
    "sparse": ("csgraph", "linalg"),
    "signal": ("windows", "stream"),
}
TYPES = {"typing", "collections.abc", "types", "scigrad.typing"}
NUMBERS = ("_coefficients", "_tables")  # files of numbers, which are free
CORE_MAY_LOAD = {"numpy", "optree"} | set(sys.stdlib_module_names)
# The base of the class in it is SciPy's.
LOADED_WHEN_ASKED_FOR = {"scigrad/signal/spectra/short_time_fft.py"}
NEVER_AT_MODULE_LEVEL = {"cupy", "cupyx", "numba", "dask", "torch", "jax"}
HEAVY = {
    f"scipy.{name}"
    for name in (
        "fft",
        "integrate",
        "interpolate",
        "linalg",
        "optimize",
        "signal",
        "sparse",
        "special",
        "stats",
    )
}
SKIPS = {
    "pytest.skip",
    "pytest.xfail",
    "pytest.mark.skip",
    "pytest.mark.skipif",
    "pytest.mark.xfail",
}
QUESTIONS = {"What", "Which", "Whose", "Whether"}
VAGUE = {"utils", "util", "misc", "common", "helpers", "helper", "impl", "tools"}


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


LIBRARY, TESTS = sources("scigrad"), sources("tests")


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def length(path: Path) -> int:
    """Lines of a file without its docstrings: pages are text of a manual."""
    return len(path.read_text().splitlines()) - sum(map(docstring_lines, ast.walk(parsed(path))))


def docstring_lines(node: ast.AST) -> int:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    if not isinstance(node, documented) or ast.get_docstring(node) is None:
        return 0
    return (node.body[0].end_lineno or 0) - node.body[0].lineno + 1


def part(path: Path) -> str:
    """The part of the package that a file belongs to: autodiff_rules, numpy, linalg, ..., or
    scigrad for its root.
    """
    inside = path.relative_to(ROOT / "scigrad").parts
    return inside[0] if len(inside) > 1 else "scigrad"


def imports(path: Path, deep: bool) -> Iterator[tuple[int, str]]:
    """Line and absolute name of every module that a file imports; not those inside functions unless
    `deep`.
    """
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(parsed(path)) if deep else at_module_level(parsed(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            origin = [*base, *(node.module.split(".") if node.module else [])]
            # `from . import trace` and `from scipy import sparse` name the module last
            yield from ((node.lineno, ".".join([*origin, alias.name])) for alias in node.names)


def at_module_level(tree: ast.AST) -> Iterator[ast.AST]:
    """What runs when the module is imported: `if TYPE_CHECKING`, `if __name__ == ...` and functions
    do not.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test).startswith(
            ("TYPE_CHECKING", "__name__ ==")
        ):
            continue
        yield node
        yield from at_module_level(node)


def starts_with(module: str, prefixes: set[str]) -> bool:
    return any(module == prefix or module.startswith(prefix + ".") for prefix in prefixes)


def report(faults: list[str], rule: str) -> None:
    if faults:
        pytest.fail("\n  ".join([rule, *faults]), pytrace=False)


def test_imports_run_one_way():
    faults = []
    for path in LIBRARY:
        home = part(path)
        for line, module in imports(path, deep=True):
            names = module.split(".")
            if home not in MAY_IMPORT or names[0] != "scigrad" or len(names) < 2:
                continue
            other = names[1]
            if other not in MAY_IMPORT[home] | {home, "typing"}:
                faults.append(f"{shown(path)}:{line} imports {module}")
    report(
        faults, "rooms -> numpy -> autodiff_rules; sparse may use linalg, signal all other rooms:"
    )


@pytest.mark.parametrize("room", FAMILIES)
def test_families_import_one_way(room):
    families, faults = FAMILIES[room], []
    for path in LIBRARY:
        home = path.parent.name
        if part(path) != room or home not in families:
            continue
        for line, module in imports(path, deep=True):
            family = module.removeprefix(f"scigrad.{room}.").split(".")[0]
            if family in families and families.index(family) > families.index(home):
                faults.append(f"{shown(path)}:{line} imports {module}")
    report(faults, f"{room}: {' <- '.join(families)}:")


def test_the_core_knows_only_numpy_and_optree():
    faults = [
        f"{shown(path)}:{line} imports {module}"
        for path in LIBRARY
        if part(path) == CORE
        for line, module in imports(path, deep=False)
        if module.split(".")[0] not in CORE_MAY_LOAD | {"scigrad"}
    ]
    report(faults, "scigrad/autodiff_rules loads only NumPy, optree and the standard library:")


def test_nothing_heavy_is_imported_at_module_level():
    faults = [
        f"{shown(path)}:{line} imports {module}"
        for path in LIBRARY
        if shown(path) not in LOADED_WHEN_ASKED_FOR
        for line, module in imports(path, deep=False)
        # the demo is a program: it uses all that it imports
        if starts_with(
            module, NEVER_AT_MODULE_LEVEL if part(path) == "demo" else NEVER_AT_MODULE_LEVEL | HEAVY
        )
    ]
    report(faults, "import these inside the function that needs them, or ask `kernel(...)`:")


def loaded_by(statement: str, libraries: set[str]) -> list[str]:
    """Which modules of these libraries a fresh interpreter has loaded after a statement."""
    code = (
        f"import sys; {statement}; print(*{{'.'.join(name.split('.')[:2]) for name in "
        "sys.modules})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return sorted(name for name in done.stdout.split() if name.split(".")[0] in libraries)


def test_importing_scigrad_loads_nothing_heavy():
    report(
        loaded_by("import scigrad", NEVER_AT_MODULE_LEVEL | {"scipy"}), "`import scigrad` loads:"
    )


def test_transforms_load_no_part_of_scipy():
    report(loaded_by("import scigrad; scigrad.grad", {"scipy"}), "`scigrad.grad` loads:")


def test_modules_that_are_loaded_late_have_the_names_that_are_asked_of_them():
    faults = [
        f"{shown(path)}:{node.lineno} {ast.unparse(node)}"
        for path in LIBRARY
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute)
        and ast.unparse(node.value).startswith("import_module('scigrad")
        and not hasattr(import_module(ast.literal_eval(node.value.args[0])), node.attr)
    ]
    report(faults, "no checker of types sees these names, which do not exist:")


def test_a_concrete_value_meets_no_other():
    """`raw(x)` has the axes of every batch that x is in, another value has those of its own:
    compute first, look then.
    """
    faults = []
    for path in LIBRARY:
        if part(path) not in (*ROOMS, "numpy"):
            continue
        parents = {
            child: node for node in ast.walk(parsed(path)) for child in ast.iter_child_nodes(node)
        }
        for node in parents:
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id == "raw"
            ):
                faults += [
                    f"{shown(path)}:{node.lineno} {ast.unparse(met)}"
                    for met in meetings(node, parents)
                ]
    report(
        faults,
        "arithmetic with raw(...) whose result is no single answer (.any(), np.all) about one "
        "value:",
    )


def meetings(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[ast.AST]:
    """The expression that a concrete value is computed with, if it goes on as an array or other
    values are in it.
    """
    met = False
    while True:
        above = parents[node]
        met = met or isinstance(above, (ast.Compare, ast.BinOp))
        passed_on = isinstance(above, ast.Call) and ast.unparse(above.func) in (
            "to_host",
            "on_host",
        )
        part_of = isinstance(above, ast.Subscript) and above.value is node
        if not (isinstance(above, (ast.Compare, ast.BinOp, ast.UnaryOp)) or passed_on or part_of):
            break
        node = above
    single = (
        above.attr in ("any", "all")
        if isinstance(above, ast.Attribute)
        else ast.unparse(above).startswith(("np.any(", "np.all("))
    )
    values = {
        ast.unparse(x.args[0])
        for x in ast.walk(node)
        if isinstance(x, ast.Call) and ast.unparse(x.func) == "raw"
    }
    if met and (not single or len(values) > 1):
        yield node


def test_files_are_short():
    lines = {path: length(path) for path in [*LIBRARY, *TESTS]}
    print(table(lines))
    faults = [
        f"{shown(path)}: {count} lines"
        for path, count in lines.items()
        if count > FILE_LINES and shown(path) not in LONG
    ]
    report(faults, f"no file over {FILE_LINES} lines: split it by subject:")


def test_rooms_keep_their_budgets():
    print(budgets())
    faults = [
        (
            f"scigrad/{room}: {tokens} tokens for {names} names, {tokens / names:.1f} each of "
            f"{BUDGETS[room]}"
        )
        for room, (tokens, names) in rooms().items()
        if tokens > names * BUDGETS[room]
    ]
    report(faults, "more code for each public name than docs/adr/0009-size-budgets.md allows:")


def test_the_core_is_small():
    sizes = {path: tokens_of_code(path) for path in LIBRARY if part(path) == CORE}
    total = sum(sizes.values())
    faults = (
        [f"{count:6d}  {path.name}" for path, count in sizes.items()] if total > CORE_TOKENS else []
    )
    report(faults, f"scigrad/{CORE} has {total} tokens of code, {CORE_TOKENS} are allowed:")


def test_functions_are_short():
    faults = []
    for path in [*LIBRARY, *TESTS]:
        for node in ast.walk(parsed(path)):
            if (
                isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                and code_lines(node) > FUNCTION_LINES
                and not {node.name, shown(path)} & LONG
            ):
                faults.append(f"{shown(path)}:{node.lineno} {node.name}: {code_lines(node)} lines")
    report(faults, f"no function over {FUNCTION_LINES} lines, docstring not counted:")


def test_modules_are_named_after_their_subject():
    faults = [
        shown(path)
        for path in [*LIBRARY, *TESTS]
        if {name.strip("_") for name in path.with_suffix("").parts[-2:]} & VAGUE
    ]
    report(faults, f"a module is a noun of its subject, never one of {', '.join(sorted(VAGUE))}:")


def test_docstrings_begin_with_a_statement():
    """Return whether ..., not Whether ...; the core and the demo are not held to this yet."""
    faults = [
        f"{shown(path)}:{node.body[0].lineno} {text.splitlines()[0]}"
        for path in LIBRARY
        if part(path) not in (CORE, "demo")
        for node in ast.walk(parsed(path))
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and (text := ast.get_docstring(node))
        if text.split()[0] in QUESTIONS
    ]
    report(
        faults,
        f"a docstring begins with a verb or a noun, not with {', '.join(sorted(QUESTIONS))}:",
    )


def test_no_root_folder_shadows_a_module():
    taken = set(sys.stdlib_module_names) | {"numpy", "scipy", *ROOMS}
    faults = [
        path.name
        for path in ROOT.iterdir()
        if path.stem in taken
        and (path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py"))))
    ]
    report(
        faults,
        "an interpreter started in the repository would find these instead of the real modules:",
    )


def test_skips_have_reasons():
    faults = []
    for path in TESTS:
        called = {
            id(node.func): node for node in ast.walk(parsed(path)) if isinstance(node, ast.Call)
        }
        for node in ast.walk(parsed(path)):
            if (
                isinstance(node, ast.Attribute)
                and ast.unparse(node) in SKIPS
                and not has_reason(called.get(id(node)))
            ):
                faults.append(f"{shown(path)}:{node.lineno} {ast.unparse(node)}: add reason=")
    report(faults, "a test that does not run says why:")


def has_reason(call: ast.Call | None) -> bool:
    """`skip("why")` and `reason=`; the first argument of skipif and xfail marks is the
    condition.
    """
    if call is None:
        return False
    positional = call.args and not ast.unparse(call.func).endswith(("mark.skipif", "mark.xfail"))
    return bool(positional) or any(keyword.arg == "reason" for keyword in call.keywords)


def tokens_of_code(path: Path) -> int:
    """Tokens of a file without comments, docstrings, types and layout: no way of breaking lines
    changes their number.
    """
    layout = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    free = layout | {tokenize.ENCODING, tokenize.ENDMARKER}
    documented = set()
    for node in ast.walk(parsed(path)):
        if (
            isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            and ast.get_docstring(node) is not None
        ):
            documented |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    types = [found for node in ast.walk(parsed(path)) for found in annotations(node)]
    # few: the others need no search
    lines = {line for (line, _), (last, _) in types for line in range(line, last + 1)}
    with path.open("rb") as source:
        return sum(
            t.type not in free
            and t.start[0] not in documented
            and not (t.start[0] in lines and is_within(t.start, types))
            for t in tokenize.tokenize(source.readline)
        )


Place = tuple[int, int]


def annotations(node: ast.AST) -> Iterator[tuple[Place, Place]]:
    """The places of types in the source, which are documentation: of parameters and results,
    declarations without a value, the imports of their names, and bodies that are `...`.
    """
    declared = isinstance(node, ast.AnnAssign) and node.value is None
    imported = isinstance(node, ast.ImportFrom) and node.module in TYPES
    left_out = isinstance(node, ast.Expr) and getattr(node.value, "value", None) is ...
    if declared or imported or left_out:
        yield place(node)
    if isinstance(node, ast.arg) and node.annotation is not None:
        yield (node.lineno, node.col_offset + len(node.arg)), place(node.annotation)[1]
    for found in (getattr(node, "annotation", None), getattr(node, "returns", None)):
        if isinstance(found, ast.expr):
            yield place(found)


def place(node: Any) -> tuple[Place, Place]:
    return (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)


def is_within(where: Place, types: list[tuple[Place, Place]]) -> bool:
    return any(first <= where < last for first, last in types)


def public_names(room: str) -> set[str]:
    """The functions and classes that a room and the rooms within it define themselves."""
    names = set()
    for module in (room, *(f"{room}.{inner}" for inner in SUBROOMS.get(room, ()))):
        published = vars(import_module(f"scigrad.{module}"))
        names |= {f"{module}.{name}" for name, value in published.items() if is_own(name, value)}
    return names


def is_own(name: str, value: object) -> bool:
    return (
        callable(value)
        and name[0] != "_"
        and getattr(value, "__module__", "").startswith("scigrad")
    )


@cache
def rooms() -> dict[str, tuple[int, int]]:
    """Tokens of code and public names of each room."""
    files = [path for path in LIBRARY if not path.stem.endswith(NUMBERS)]
    return {
        room: (
            sum(tokens_of_code(path) for path in files if part(path) == room),
            len(public_names(room)),
        )
        for room in BUDGETS
    }


def budgets() -> str:
    """The table of tokens of code."""
    rows = [
        (
            f"{tokens:7d} tokens, {names:4d} names, {tokens / names:6.1f} each of "
            f"{BUDGETS[room]:4d}  scigrad/{room}"
        )
        for room, (tokens, names) in rooms().items()
    ]
    core = sum(tokens_of_code(path) for path in LIBRARY if part(path) == CORE)
    return "\n".join([*rows, f"{core:7d} tokens of {CORE_TOKENS}  scigrad/{CORE}"])


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function's body without its docstring: parameters stand one to a line."""
    first, last = function.body[0], function.end_lineno or 0
    return last - first.lineno + 1 - docstring_lines(function)


def table(lines: dict[Path, int]) -> str:
    folders = dict.fromkeys((shown(path.parent) for path in lines), 0)
    for path, count in lines.items():
        folders[shown(path.parent)] += count
    rows = [f"{count:6d}  {shown(path)}" for path, count in lines.items()]
    rows += [
        "",
        *(f"{count:6d}  {folder}/" for folder, count in folders.items()),
        f"{sum(lines.values()):6d}  in all",
    ]
    return "\n".join(rows)


if __name__ == "__main__":
    print(table({path: length(path) for path in [*LIBRARY, *TESTS]}))
    print(f"\n{budgets()}")
