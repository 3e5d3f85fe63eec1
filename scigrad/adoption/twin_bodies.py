"""Two bodies for each function: the one that was written, and one for the time of transforms.

    def f(x):                            def f(x):
        return np.array([x, 1.0])            if __scigrad_running__:
                                                 return __scigrad__(np.array)([x, 1.0])
                                             else:
                                                 return np.array([x, 1.0])

The name in the condition is the set of the transforms that run. While there are none, a function
computes what it computed before, after one look at that set. In the other body all that is called
or indexed is looked up when it is met (stand_ins.py): a function is known by what it is, under
whatever name, attribute or key the program reached it. Functions inside of the second body have
that one alone. Modules and the bodies of classes stay as they are.
"""

import ast
from collections.abc import Iterator
from typing import Any

LOOKUP, RUNNING = "__scigrad__", "__scigrad_running__"

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (*_FUNCTIONS, ast.ClassDef, ast.expr)
_DECLARATIONS = (ast.Global, ast.Nonlocal)
_ANNOTATIONS = ("annotation", "returns", "type_params")
# Nothing stands in for these, so that their calls need no look.
_OF_PYTHON = (
    "super len print enumerate zip str repr list tuple dict set frozenset bytes slice iter "
    "next getattr setattr globals locals vars id property staticmethod classmethod"
)
_KEPT = frozenset(_OF_PYTHON.split())


def with_twin_bodies(source: bytes, path: str) -> ast.Module:
    """Return the syntax tree of a module whose functions have two bodies."""
    tree, twin = ast.parse(source, path), ast.parse(source, path)
    nodes, twins = [*_walk(tree)], [*_walk(twin)]
    changed = {function for node, function in twins if function and _look_up(node)}
    for (function, _), (other, _) in zip(nodes, twins, strict=True):
        if other in changed:
            _give_both(function, other)
    return ast.fix_missing_locations(tree)


def _walk(tree: ast.AST, function: ast.AST | None = None) -> Iterator[tuple[ast.AST, Any]]:
    """Yield what a tree contains, each with the function in whose body it stands."""
    waiting = [(tree, function)]
    for node, around in waiting:
        yield node, around
        for field, value in ast.iter_fields(node):
            is_body = field == "body" and isinstance(node, _FUNCTIONS)
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST) and field not in _ANNOTATIONS:
                    waiting.append((part, node if is_body else around))


def _look_up(node: ast.AST) -> bool:
    """Look up what a call calls, or what an index is taken of; return whether it was one."""
    if isinstance(node, ast.Call):
        called = node.func
        of_text = isinstance(called, ast.Attribute) and isinstance(called.value, ast.Constant)
        if of_text or getattr(called, "id", "") in _KEPT:
            return False
        node.func = _looked_up(called)
        return True
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return False
    if isinstance(node.value, (ast.Name, ast.Attribute)):
        node.value = _looked_up(node.value)
        return True
    return False


def _looked_up(node: ast.expr) -> ast.expr:
    name = ast.copy_location(ast.Name(LOOKUP, ast.Load()), node)
    return ast.copy_location(ast.Call(name, [node], []), node)


def _give_both(function: Any, other: Any) -> None:
    """Put the body of another function into one, for the time of transforms."""
    test = ast.Name(RUNNING, ast.Load())
    if isinstance(function, ast.Lambda):
        both = ast.IfExp(test, other.body, function.body)
        function.body = ast.copy_location(both, function.body)
        return
    # A name is declared once for both: after its first use that is an error of syntax.
    declared = _take_declarations(function)
    _take_declarations(other)
    start = 1 if ast.get_docstring(function, clean=False) is not None else 0
    both = ast.If(test, other.body[start:], function.body[start:])
    ast.copy_location(both, function.body[start])
    function.body = [*function.body[:start], *declared, both]


def _take_declarations(function: Any) -> list[ast.stmt]:
    """Take `global` and `nonlocal` out of a function, not out of what is defined inside of it."""
    taken, waiting = [], [function]
    for node in waiting:
        for _, value in ast.iter_fields(node):
            for i, part in enumerate(value) if isinstance(value, list) else ():
                if isinstance(part, _DECLARATIONS):
                    taken.append(part)
                    value[i] = ast.copy_location(ast.Pass(), part)
                elif isinstance(part, ast.AST) and not isinstance(part, _SCOPES):
                    waiting.append(part)
    return taken
