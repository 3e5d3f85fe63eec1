"""The call that met a traced value: the function of SciPy's or NumPy's that a frame is inside, or
the operation that it runs.

This is for errors, which name what the user wrote. The one exception is an operator of SciPy's
sparse arrays, which tries to convert its partner before it calls the partner's operator.
"""

import ast
import dis
import functools
import inspect
import itertools
import linecache
import sys
from collections.abc import Callable, Iterator
from types import FrameType, ModuleType
from typing import Any

import numpy as np

_NAMES = "add sub mul matmul truediv eq ne lt le gt ge"
_OPERATORS = {f"__{side}{name}__" for side in ("", "r", "i") for name in _NAMES.split()}
_LIBRARIES = {"scipy", "numpy", "statistics", "math", "cmath"}
_AROUND = ("scigrad.", "numpy.", "scipy.")
_OWN = {
    "scigrad.autodiff_rules.trace",
    *(f"{__package__}.{name}" for name in ("callers", "errors", "explanations")),
}


def in_sparse_operator(frame: FrameType | None) -> bool:
    """Return whether a frame belongs to an operator of SciPy's sparse arrays, which will call the
    operator of its partner.
    """
    return any(
        x.f_code.co_name in _OPERATORS
        for x in _outwards(frame, lambda module: module.startswith("scipy.sparse._"))
    )


def other_arithmetic(frame: FrameType | None) -> type | None:
    """Return the array class of NumPy's or pandas', inside of which a frame is, that converts its
    operands to its own class.
    """
    for inside in _outwards(frame, lambda module: module.startswith("pandas.")):
        if inside.f_code.co_name.startswith("__") and inside.f_code.co_name != "__init__":
            return type(inside.f_locals.get("self"))
    kinds = {"numpy.ma": np.ma.MaskedArray, "numpy.matrixlib": np.matrix}
    homes = (_module_of(frame).rpartition(".")[0] for frame in _outwards(frame, _is_library))
    return next((kinds[home] for home in homes if home in kinds), None)


def find_called_function(
    frame: FrameType | None = None, holding_traced: bool = False
) -> str | None:
    """Return the function of SciPy's or NumPy's that the user called, such as "scipy.linalg.solve",
    or None.

    It is searched from a frame (this one if None) outwards. With `holding_traced` a traced value
    has to be among the variables of that frame or of one further out.
    """
    found = None
    for inside in _outwards(_outside(frame), _is_library):
        holding_traced = holding_traced and not any(map(_is_traced, inside.f_locals.values()))
        found = _public_name(inside) or found
    return None if holding_traced else found


def written(frame: FrameType | None = None) -> str | None:
    """Return the compiled function that a frame (this one if None) is calling, such as
    "numpy.arange" or "numpy.ndarray.dot".

    It has no frame of its own: the expression at the place of the frame is looked up among its
    names.
    """
    frame = _outside(frame)
    call = None if frame is None or _is_library(_module_of(frame)) else _expression(frame)
    if frame is None or not isinstance(call, ast.Call):
        return None
    function = _looked_up(call.func, frame)
    # the owner of the method has to be computed: most likely it is an array
    if function is None and isinstance(call.func, ast.Attribute):
        function = vars(np.ndarray).get(call.func.attr)
    if (
        function is None
        or not hasattr(function, "__name__")
        or (isinstance(function, type) and function.__module__ != "numpy")
    ):
        return None
    name, home, bound = (
        function.__name__,
        public_home(function),
        getattr(function, "__self__", None),
    )
    owner = getattr(function, "__objclass__", None) or (
        None if isinstance(bound, ModuleType | None) else type(bound)
    )
    # numpy.random.normal is a method too
    if owner is not None and getattr(sys.modules.get(home), name, None) is not function:
        name, home = f"{owner.__name__}.{name}", public_home(owner).partition("._")[0]
    return f"{home}.{name}" if home.partition(".")[0] in _LIBRARIES else None


def operation(frame: FrameType | None = None) -> str:
    """Return the instruction of the interpreter at which a frame (this one if None) stands, such as
    "STORE_SUBSCR".
    """
    if (frame := _outside(frame)) is None or _is_library(_module_of(frame)):
        return ""
    found = next(x for x in dis.get_instructions(frame.f_code) if x.offset == frame.f_lasti)
    # its name before Python 3.14
    return f"{found.opname} {found.argrepr}".replace("BINARY_OP []", "BINARY_SUBSCR")


def _expression(frame: FrameType) -> ast.expr | None:
    """Return the expression at which a frame stands."""
    line, last, start, end = next(
        itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None)
    )
    if line is None or last is None:
        return None
    lines = [linecache.getline(frame.f_code.co_filename, i).encode() for i in range(line, last + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        return ast.parse(b"(" + b"".join(lines) + b")", mode="eval").body
    except SyntaxError:  # the file is not what was run
        return None


def _looked_up(node: ast.expr, frame: FrameType) -> Any:
    """Return the value of a name, or of an attribute of one, in a frame; None for anything that has
    to be computed.
    """
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    home = _looked_up(node.value, frame) if isinstance(node, ast.Attribute) else None
    if home is None or not isinstance(node, ast.Attribute):
        return None
    found = getattr(home, "__dict__", {}).get(node.attr, getattr(type(home), node.attr, None))
    return (
        getattr(home, node.attr, None) if isinstance(home, ModuleType) or callable(found) else found
    )


def own_call(frame: FrameType | None = None) -> tuple[str, FrameType | None]:
    """Return the function of a room of ours that the user called, such as "scigrad.linalg.inv", and
    its frame.

    It is the outermost that a frame (this one if None) is inside; "" and None if there is none.
    """
    inside: FrameType | None = frame or sys._getframe()  # pyright: ignore[reportPrivateUsage]
    found, at = "", None
    while inside is not None and (module := _module_of(inside)).startswith(_AROUND):
        name = inside.f_code.co_name
        if name == "__new__":
            name = inside.f_locals[inside.f_code.co_varnames[0]].__name__
        if path := own_path(module, name):
            found, at = path, inside
        inside = inside.f_back
    return found, at


def own_name(function: str) -> str:
    """Return the name of the function of ours that the user called, or that of one at work where
    there is none.
    """
    return own_call()[0].rpartition(".")[2] or function.strip("_")


def own_arguments(frame: FrameType) -> dict[str, Any]:
    """Return the arguments of the function to which a frame belongs, by name."""
    names, any_number, _, values = inspect.getargvalues(frame)
    return {name: values[name] for name in (*names, any_number) if name in values}


@functools.cache
def own_path(module: str, name: str) -> str:
    """Return the public path of a function that a module of ours defines, or "": the room is the
    package that lists it.
    """
    room = (
        module if module.startswith("scigrad.") and not module.startswith("scigrad.testing") else ""
    )
    while "." in room:
        home = sys.modules.get(room)
        if "__dir__" in getattr(home, "__dict__", ()) and name in dir(home):
            return f"{room}.{name}"
        room = room.rpartition(".")[0]
    return ""


def _outwards(frame: FrameType | None, belongs: Callable[[str], bool]) -> Iterator[FrameType]:
    """Yield a frame and those that called it, as long as their modules belong to a library."""
    while frame is not None and belongs(_module_of(frame)):
        yield frame
        frame = frame.f_back


def _outside(frame: FrameType | None) -> FrameType | None:
    """Return the frame that called the core."""
    frame = frame or sys._getframe()  # pyright: ignore[reportPrivateUsage]
    while frame is not None and _module_of(frame) in _OWN:
        frame = frame.f_back
    return frame


def public_home(function: Any) -> str:
    """Return the module from which users take a function; ufuncs of NumPy 2.3 and of SciPy do not
    know it.
    """
    name = getattr(function, "__name__", "")
    for module in ("numpy", "scipy.special", "scipy.sparse.linalg"):
        if getattr(sys.modules.get(module), name, None) is function:
            return module
    return getattr(function, "__module__", None) or ""


def _module_of(frame: FrameType) -> str:
    return frame.f_globals.get("__name__") or ""


def _is_library(module: str) -> bool:
    return module.partition(".")[0] in _LIBRARIES


def _is_traced(value: Any) -> bool:
    if type(value) in (list, tuple) and value:
        return _is_traced(value[0])
    if (type(value).__module__ or "").startswith(("scigrad.sparse.", "scipy.sparse.")):
        return _is_traced(getattr(value, "data", None))
    return hasattr(type(value), "_interpret")


def _public_name(frame: FrameType) -> str | None:
    """Return the public name of the function of a frame: "scipy.linalg.solve" or
    "scipy.sparse.csr_array.dot".
    """
    found = _public_path(_module_of(frame), frame.f_code.co_name, frame.f_locals.get("self"))
    # the frame of a decorator is named by the function that it decorates
    for name in frame.f_code.co_freevars if found is None else ():
        value = frame.f_locals.get(name)
        if callable(value) and hasattr(value, "__name__"):
            found = found or _public_path(
                getattr(value, "__module__", None) or "", value.__name__, None
            )
    return found


def _public_path(module: str, name: str, owner: Any) -> str | None:
    """Return the path of a function, or of a method of `owner`: by its class, or by the name of the
    object itself (numpy.r_).
    """
    parts = module.split(".")
    if parts[0] not in _LIBRARIES:
        return None
    parts = parts[: next((i for i, part in enumerate(parts) if part.startswith("_")), len(parts))]
    kind = next(base.__name__ for base in type(owner).__mro__ if not base.__name__.startswith("_"))
    for count in range(len(parts), 1 if parts[0] == "scipy" else 0, -1):
        package = ".".join(parts[:count])
        public = sys.modules.get(package)
        single = (
            None
            if owner is None
            else next((n for n, value in vars(public).items() if value is owner), None)
        )
        if single is not None:
            return f"{package}.{single}" if name.startswith("_") else f"{package}.{single}.{name}"
        if owner is not None and (parts[0] == "scipy" or hasattr(public, kind)):
            return f"{package}.{kind}" if name == "__init__" else f"{package}.{kind}.{name}"
        if owner is None and not name.startswith("_") and callable(getattr(public, name, None)):
            return f"{package}.{name}"
    return None
