"""What modules are called, how docstrings begin, what a test that does not run says."""

import ast
from collections.abc import Iterator

from parsed_sources import CORE, LIBRARY, ROOMS, TESTS, parsed, part, report, shown

SKIPS = {
    "pytest.skip",
    "pytest.xfail",
    "pytest.mark.skip",
    "pytest.mark.skipif",
    "pytest.mark.xfail",
}


QUESTIONS = {"What", "Which", "Whose", "Whether"}


VAGUE = {"utils", "util", "misc", "common", "helpers", "helper", "impl", "tools"}


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
