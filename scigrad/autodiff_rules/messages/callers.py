"""The call that met a traced value: the function of SciPy's or NumPy's that a frame is inside, or
the expression at which it stands.

This is for errors, which name what the user wrote. The one exception is an operator of SciPy's
sparse arrays, which tries to convert its partner before it calls the partner's operator.
"""

import ast
import functools
import inspect
import itertools
import linecache
import sys
import sysconfig
import warnings
from collections.abc import Iterator
from types import FrameType
from typing import Any

import numpy as np

_NAMES = "add sub mul matmul truediv eq ne lt le gt ge"
_OPERATORS = {f"__{side}{name}__" for side in ("", "r", "i") for name in _NAMES.split()}
# the beginnings of the names of modules, which end in a dot here
_LIBRARIES = ("scipy.", "numpy.", "statistics.", "math.", "cmath.")
_AROUND = ("scigrad.", "numpy.", "scipy.", "contextlib.", "functools.")
_OWN = (
    "scigrad.autodiff_rules.trace.",
    "scigrad.autodiff_rules.messages.",
    "scigrad.programs.tape.",
    "scigrad.programs.staged.",
)

_STANDARD = sysconfig.get_path("stdlib")

STORED, INDEXED = "out[i] = x", "a[i]"


def warn(text: str, category: type[Warning]) -> None:
    """Warn at the line outside the library from which it was called.

    Python shows a warning once for each line: at a line of ours, all warnings would count as one
    and point to no call of the user.
    """
    level = 1 + sum(1 for _ in _outwards(sys._getframe(), _AROUND))  # pyright: ignore[reportPrivateUsage]
    warnings.warn(text, category, stacklevel=level)


def in_sparse_operator(frame: FrameType | None) -> bool:
    """Return whether a frame belongs to an operator of SciPy's sparse arrays, which will call the
    operator of its partner.
    """
    return any(x.f_code.co_name in _OPERATORS for x in _outwards(frame, "scipy.sparse._"))


def other_arithmetic(frame: FrameType | None) -> type | None:
    """Return the array class of NumPy's or pandas', inside of which a frame is, that converts its
    operands to its own class.
    """
    for inside in _outwards(frame, ("pandas.", *_LIBRARIES)):
        module, name = _module_of(inside), inside.f_code.co_name
        if module.startswith("numpy.ma."):
            return np.ma.MaskedArray
        if module.startswith("numpy.matrixlib."):
            return np.matrix
        if module.startswith("pandas.") and name.startswith("__") and name != "__init__":
            return type(inside.f_locals.get("self"))
    return None


def find_called_function(
    frame: FrameType | None = None, holding_traced: bool = False
) -> str | None:
    """Return the function of SciPy's or NumPy's that the user called, such as "scipy.linalg.solve",
    or None.

    It is searched from a frame (this one if None) outwards. With `holding_traced` a traced value
    has to be among the variables of that frame or of one further out.
    """
    found = None
    for inside in _outwards(_outside(frame), _LIBRARIES):
        holding_traced = holding_traced and not any(map(_is_traced, inside.f_locals.values()))
        found = _public_name(inside) or found
    return None if holding_traced else found


def find_library_call(frame: FrameType | None = None) -> tuple[str, str]:
    """Return the library and its function that the user called, such as "matplotlib" and "plot",
    where a frame (this one if None) is inside of one but NumPy's and SciPy's; otherwise "" twice.
    """
    library = name = ""
    inside = _outside(frame, (*_AROUND, *_LIBRARIES))
    while inside is not None and _is_installed(inside):
        package, called = _module_of(inside).partition(".")[0], inside.f_code.co_qualname
        if library not in ("", package) or f"{package}.".startswith((*_AROUND, *_LIBRARIES)):
            break
        library, *parts = package, *called.split(".")
        public = ".".join(part for part in parts if not part.startswith("_"))
        name = name if "<" in called or not public else public
        inside = inside.f_back
    return library, name


def hide_frames(error: BaseException) -> None:
    """Let IPython, Jupyter and pytest leave out frames of this library, and of others outside of
    it, from the traceback of an error; one of ours ends at the program's own line.
    """
    ours = type(error).__module__.startswith("scigrad.")
    steps, last = [], None
    step = error.__traceback__
    while step is not None:
        steps.append(step)
        if not _is_hidden(step.tb_frame, True):
            last = step
        step = step.tb_next
    outside, inside = sys._getframe(1), [step.tb_frame for step in steps]  # pyright: ignore[reportPrivateUsage]
    for frame in (*_outwards(outside, ""), *inside):
        is_function = frame.f_code.co_flags & inspect.CO_OPTIMIZED
        if is_function and _is_hidden(frame, ours or frame not in inside):
            variables = frame.f_locals
            if type(variables) is dict:  # before Python 3.13 a copy, which would keep them alive
                variables.clear()
            variables["__tracebackhide__"] = True
    if ours and last is not None:
        last.tb_next = None


def _is_hidden(frame: FrameType, also_libraries: bool) -> bool:
    return _module_of(frame).startswith("scigrad.") or (also_libraries and _is_installed(frame))


def _is_installed(frame: FrameType) -> bool:
    """Return whether a frame belongs to an installed package or to Python's own library."""
    path = frame.f_code.co_filename
    return "site-packages" in path or "dist-packages" in path or path.startswith(_STANDARD)


def find_written(frame: FrameType | None = None) -> str | None:
    """Return what the program has written where it called a library, from a frame (this one if
    None) outwards: a function, such as "numpy.arange" or "numpy.ndarray.dot", STORED or INDEXED.

    The expression is that which a traceback underlines. A function is looked up among the names of
    the frame.
    """
    frame = _outside(frame, (*_OWN, *_LIBRARIES))
    if frame is None:
        return None
    found = _expression(frame)
    if isinstance(found, ast.Subscript):
        return STORED if isinstance(found.ctx, ast.Store) else INDEXED
    function = _looked_up(found.func, frame) if isinstance(found, ast.Call) else None
    return None if function is None else _path_of(function)


def _expression(frame: FrameType) -> ast.expr | None:
    """Return the call or the index at which a frame stands, None where the source is not known."""
    code = frame.f_code
    place = next(itertools.islice(code.co_positions(), frame.f_lasti // 2, None))
    try:
        tree = ast.parse("".join(linecache.getlines(code.co_filename)))
    except SyntaxError:  # the file is not what was run
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Call | ast.Subscript) and place == (
            node.lineno, node.end_lineno, node.col_offset, node.end_col_offset,
        ):  # fmt: skip
            return node
    return None


def _looked_up(node: ast.expr, frame: FrameType) -> Any:
    """Return the value of a name, or of an attribute of one, in a frame; None for anything that has
    to be computed.
    """
    if isinstance(node, ast.Attribute):
        found = inspect.getattr_static(_looked_up(node.value, frame), node.attr, None)
        # what was computed is most likely an array
        return vars(np.ndarray).get(node.attr) if found is None else found
    name = getattr(node, "id", "")
    return frame.f_locals.get(name, frame.f_globals.get(name))


def _path_of(function: Any) -> str | None:
    """Return the path of a function or method, or None if it belongs to no library."""
    owner = getattr(function, "__objclass__", type(getattr(function, "__self__", None)))
    home, name = public_home(function) or public_home(owner), getattr(function, "__name__", "")
    if getattr(sys.modules.get(home), name, None) is not function:
        name = getattr(function, "__qualname__", "")
    return f"{home}.{name}" if name and f"{home}.".startswith(_LIBRARIES) else None


def own_call(frame: FrameType | None = None) -> tuple[str, FrameType | None]:
    """Return the function of a room of ours that the user called, such as "scigrad.linalg.inv", and
    its frame.

    It is the outermost that a frame (this one if None) is inside; "" and None if there is none.
    """
    found, at = "", None
    for inside in _outwards(frame or sys._getframe(), _AROUND):  # pyright: ignore[reportPrivateUsage]
        name = inside.f_code.co_name
        if name == "__new__":
            name = inside.f_locals[inside.f_code.co_varnames[0]].__name__
        if path := own_path(_module_of(inside), name):
            found, at = path, inside
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
    while module.startswith("scigrad.") and not module.startswith("scigrad.testing"):
        home = sys.modules.get(module)
        if "__dir__" in getattr(home, "__dict__", ()) and name in dir(home):
            return f"{module}.{name}"
        module = module.rpartition(".")[0]
    return ""


def _outwards(frame: FrameType | None, belongs: str | tuple[str, ...]) -> Iterator[FrameType]:
    """Yield a frame and those that called it, as long as their modules belong to a library."""
    while frame is not None and _module_of(frame).startswith(belongs):
        yield frame
        frame = frame.f_back


def _outside(frame: FrameType | None, inside: tuple[str, ...] = _OWN) -> FrameType | None:
    """Return a frame (this one if None), or the first that called it from other modules."""
    frame = frame or sys._getframe()  # pyright: ignore[reportPrivateUsage]
    while frame is not None and _module_of(frame).startswith(inside):
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
    return (getattr(function, "__module__", None) or "").partition("._")[0]


def _module_of(frame: FrameType) -> str:
    return f"{frame.f_globals.get('__name__')}."


def _is_traced(value: Any) -> bool:
    if type(value) in (list, tuple) and value:
        return _is_traced(value[0])
    if (type(value).__module__ or "").startswith(("scigrad.sparse.", "scipy.sparse.")):
        return _is_traced(getattr(value, "data", None))
    return hasattr(type(value), "_interpret")


def _public_name(frame: FrameType) -> str | None:
    """Return the public name of the function of a frame: "scipy.linalg.solve", of a method
    "scipy.sparse.csr_array.dot", of that of a single object "numpy.r_".
    """
    name, owner = frame.f_code.co_name, frame.f_locals.get("self")
    kind = next(base.__name__ for base in type(owner).__mro__ if base.__name__[0] != "_")
    package = _module_of(frame).partition("._")[0].rstrip(".")
    while package not in ("", "scipy"):
        public = vars(sys.modules[package])
        if owner is None and name[0] != "_" and callable(public.get(name)):
            return f"{package}.{name}"
        single = next((n for n, value in public.items() if value is owner is not None), None)
        if single is not None:
            return f"{package}.{single}" if name[0] == "_" else f"{package}.{single}.{name}"
        if owner is not None and (package.startswith("scipy") or kind in public):
            return f"{package}.{kind}" if name == "__init__" else f"{package}.{kind}.{name}"
        package = package.rpartition(".")[0]
    return None
