"""How long files and functions are, and how much code a public name takes.

`python tests/house/test_sizes.py` prints the table of files and the budgets. Reasons:
docs/adr/0009-size-budgets.md.
"""

import ast
import tokenize
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from parsed_sources import (
    BENCHMARKS,
    CORE,
    LIBRARY,
    ROOT,
    TESTS,
    docstring_lines,
    parsed,
    part,
    report,
    shown,
)

FILE_LINES, FUNCTION_LINES = 400, 40
PAGES = {"ARCHITECTURE.md": 120, "CONTRIBUTING.md": 60}  # lines that a newcomer reads first


# Tokens of code for each public name of a room, and of the core in all
# (docs/adr/0009-size-budgets.md).
BUDGETS = {"linalg": 915, "fft": 465, "sparse": 357, "signal": 283, "numpy": 197, "special": 166,
           "optimize": 475}  # fmt: skip


CORE_TOKENS = 36_350
CORE_FILES = 15  # and a folder of messages


SUBROOMS = {
    "linalg": ("manifolds",),
    "sparse": ("csgraph", "linalg"),
    "signal": ("windows", "stream"),
}


TYPES = {"typing", "collections.abc", "types", "scigrad.typing"}


NUMBERS = ("_coefficients", "_tables")  # files of numbers, which are free


def length(path: Path) -> int:
    """Lines of a file without its docstrings: pages are text of a manual."""
    return len(path.read_text().splitlines()) - sum(map(docstring_lines, ast.walk(parsed(path))))


def test_files_are_short():
    lines = {path: length(path) for path in [*LIBRARY, *TESTS]}
    print(table(lines))
    faults = [
        f"{shown(path)}: {count} lines" for path, count in lines.items() if count > FILE_LINES
    ]
    report(faults, f"no file over {FILE_LINES} lines: split it by subject:")


def test_first_pages_are_short():
    lines = {name: len((ROOT / name).read_text().splitlines()) for name in PAGES}
    faults = [f"{name}: {count} lines" for name, count in lines.items() if count > PAGES[name]]
    report(faults, f"no page longer than {PAGES}: what is new takes the place of something:")


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


def test_the_core_has_few_files():
    files = [path.name for path in LIBRARY if path.parent.name == CORE]
    report(files if len(files) > CORE_FILES else [], f"more than {CORE_FILES} files in the core:")


def test_functions_are_short():
    faults = []
    for path in [*LIBRARY, *TESTS, *BENCHMARKS]:
        for node in ast.walk(parsed(path)):
            if (
                isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                and code_lines(node) > FUNCTION_LINES
            ):
                faults.append(f"{shown(path)}:{node.lineno} {node.name}: {code_lines(node)} lines")
    report(faults, f"no function over {FUNCTION_LINES} lines, docstring not counted:")


@cache
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
