"""The sources of the package and of its tests, parsed, and the sections of its docstrings."""

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


ROOMS = ("fft", "linalg", "optimize", "signal", "sparse", "special")


CORE = "autodiff_rules"


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


LIBRARY, TESTS = sources("scigrad"), sources("tests")
BENCHMARKS = sources("benchmarks")


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(), str(path))


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def docstring_lines(node: ast.AST) -> int:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    if not isinstance(node, documented) or ast.get_docstring(node) is None:
        return 0
    return (node.body[0].end_lineno or 0) - node.body[0].lineno + 1


def split_sections(text: str | None) -> dict[str, str]:
    """Split a docstring into its sections by their headings; the summary has the heading ""."""
    summary, *rest = re.split(
        r"^(\w[\w ]+)\n-+\n", inspect.cleandoc(text or ""), flags=re.MULTILINE
    )
    bodies = (body.strip() for body in rest[1::2])
    return {"": summary.strip(), **dict(zip(rest[::2], bodies, strict=True))}


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


def report(faults: list[str], rule: str) -> None:
    if faults:
        pytest.fail("\n  ".join([rule, *faults]), pytrace=False)
