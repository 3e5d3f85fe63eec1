"""The mood of docstrings: that of a function begins with a verb in the imperative (PEP 257)."""

import ast
from collections.abc import Iterator

from parsed_sources import LIBRARY, parsed, shown

# A new verb is welcome; a noun, an article or a formula is not a beginning.
VERBS = {
    "Return", "Add", "Analyze", "Append", "Apply", "Assign", "Begin", "Broadcast", "Call", "Change",
    "Check", "Color", "Compile", "Compute", "Construct", "Convert", "Convolve", "Copy", "Correlate",
    "Count", "Decide", "Declare", "Design", "Differentiate", "Divide", "Draw", "Estimate",
    "Evaluate", "Exchange", "Factor", "Filter", "Find", "Insert", "Install", "Integrate",
    "Interpolate", "Invent", "Invert", "Join", "Leave", "Let", "Limit", "Load", "Look", "Make",
    "Match", "Minimize", "Move", "Multiply", "Order", "Permute", "Print", "Protect", "Put", "Raise",
    "Reflect", "Refuse", "Register", "Repeat", "Replace", "Report", "Restore", "Reverse", "Rotate",
    "Round", "Run", "Scale", "Set", "Shift", "Smooth", "Solve", "Sort", "Split", "Stack", "Start",
    "State", "Subtract", "Sum", "Take", "Transform", "Undo", "Update", "Use", "Warn", "Wrap",
    "Write", "Yield",
}  # fmt: skip
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any("property" in ast.unparse(part) for part in function.decorator_list)


def summaries(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and docstring of each function that has one; a property is a noun."""
    functions = (node for node in ast.walk(tree) if isinstance(node, FUNCTIONS))
    for function in functions:
        docstring = ast.get_docstring(function)
        if docstring and not is_property(function):
            yield function.lineno, docstring


def is_imperative(docstring: str) -> bool:
    """Return whether the first word is a verb of the list: not "Sum of ...", which is a noun."""
    first, second, *_ = [*docstring.split(), "", ""]
    return first in VERBS and second != "of"


def test_docstrings_of_functions_are_in_the_imperative():
    wrong = [
        f"{shown(path)}:{line}: {docstring.split('.')[0]}"
        for path in LIBRARY
        for line, docstring in summaries(parsed(path))
        if not is_imperative(docstring)
    ]
    assert not wrong, (
        "begin with a verb (Return, Compute, ...), or add yours to VERBS:\n" + "\n".join(wrong)
    )


def test_the_rule_finds_nouns_and_formulas():
    for docstring in ("The band of a matrix.", "Sum of squares.", "w, v and info.", "a^+ b."):
        assert not is_imperative(docstring)
    assert is_imperative("Return a^+ b.")
