"""Whose call met a traced value: the function of SciPy's or NumPy's that a frame is inside, and ours of the same name.

Only errors ask, so that they can name what the user wrote and what to write instead. The one exception is an operator of
SciPy's sparse arrays, which tries to convert its partner before it lets that partner answer.
"""

from __future__ import annotations

import ast
import itertools
import linecache
import sys
from importlib import import_module
from types import FrameType, ModuleType
from typing import Any

import numpy as np

_OPERATORS = {f"__{side}{name}__" for side in ("", "r", "i") for name in ("add", "sub", "mul", "matmul", "truediv")}
_LIBRARIES = {"scipy", "numpy", "statistics"}
_OWN = {f"{__package__}.{name}" for name in ("callers", "errors", "trace")}


def in_sparse_operator(frame: FrameType | None) -> bool:
    """Whether a frame belongs to an operator of SciPy's sparse arrays, which goes on to ask its partner's operator."""
    while frame is not None and _module(frame).startswith("scipy.sparse._"):
        if frame.f_code.co_name in _OPERATORS:
            return True
        frame = frame.f_back
    return False


def other_arithmetic(frame: FrameType | None) -> type | None:
    """Which of NumPy's array classes a frame is inside that make one of their own kind of whatever they meet."""
    while frame is not None and _in_library(frame):
        for home, kind in (("numpy.ma.", np.ma.MaskedArray), ("numpy.matrixlib.", np.matrix)):
            if _module(frame).startswith(home):
                return kind
        frame = frame.f_back
    return None


def called(frame: FrameType | None = None, holding_traced: bool = False) -> str | None:
    """The function of SciPy's or NumPy's that the user called, such as "scipy.linalg.solve", if a frame (this one if None) is
    inside one. With `holding_traced`, only if a traced value is among the variables of that frame or of one further out."""
    found = None
    frame = _outside(frame)
    while frame is not None and _in_library(frame):
        holding_traced = holding_traced and not any(map(_is_traced, frame.f_locals.values()))
        found = _public_name(frame) or found
        frame = frame.f_back
    return None if holding_traced else found


def written(frame: FrameType | None = None) -> str | None:
    """The function in C that a frame (this one if None) is calling, such as "numpy.arange", which has no frame of its own:
    what is written where the frame stands, looked up among its names."""
    frame = _outside(frame)
    if frame is None or _in_library(frame):
        return None
    line, last, start, end = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))
    if line is None or last is None:
        return None
    lines = [linecache.getline(frame.f_code.co_filename, i).encode() for i in range(line, last + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    try:
        call = ast.parse(b"(" + b"".join(lines) + b")", mode="eval").body
    except SyntaxError:  # the file is not what was run
        return None
    function = _looked_up(call.func, frame) if isinstance(call, ast.Call) else None
    if function is None or isinstance(function, type) or not hasattr(function, "__name__"):
        return None
    home = public_home(function)
    return f"{home}.{function.__name__}" if home.partition(".")[0] in _LIBRARIES else None


def _looked_up(node: ast.expr, frame: FrameType) -> Any:
    """What a name, or a name in a module, stands for in a frame; nothing that has to be computed."""
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    home = _looked_up(node.value, frame) if isinstance(node, ast.Attribute) else None
    return getattr(home, node.attr, None) if isinstance(home, ModuleType) and isinstance(node, ast.Attribute) else None


def own_function(frame: FrameType | None) -> str | None:
    """The function of a room of ours that the user called, such as "scigrad.linalg.inv", if a frame is inside one."""
    found = None
    while frame is not None and _module(frame).startswith("scigrad."):
        room = ".".join(_module(frame).split(".")[:2])
        found = f"{room}.{frame.f_code.co_name}" if hasattr(sys.modules[room], frame.f_code.co_name) else found
        frame = frame.f_back
    return found


def _outside(frame: FrameType | None) -> FrameType | None:
    """The frame that called the core."""
    frame = frame or sys._getframe()  # pyright: ignore[reportPrivateUsage]
    while frame is not None and _module(frame) in _OWN:
        frame = frame.f_back
    return frame


def ours(path: str) -> str | None:
    """Our function of a path such as "linalg.solve", if there is one."""
    room, _, name = path.rpartition(".")
    try:
        module = import_module(f"scigrad.{room}")
    except ModuleNotFoundError:
        return None
    found = getattr(module, name, None)
    theirs = [getattr(sys.modules.get(home), name, None) for home in (room, f"scipy.{room}")]
    return None if found is None or any(found is other for other in theirs) else f"scigrad.{path}"  # not what it passes on


# What to write instead of functions for which we have none of the same name in the room of the same name.
_INSTEAD = {
    "integrate.trapezoid": "scigrad.numpy.trapezoid",
    "integrate.simpson": "its weights, w = scipy.integrate.simpson(numpy.eye(y.size), x=x), and w @ y",
    "interpolate.interp1d": "numpy.interp, where linear interpolation is meant",
    "signal.convolve": "scigrad.signal.fftconvolve, or numpy.convolve for vectors",
    "signal.oaconvolve": "scigrad.signal.fftconvolve",
    "signal.convolve2d": "scigrad.signal.fftconvolve",
    "signal.correlate": 'numpy.correlate(x, y, "full") for vectors',
    "sparse.linalg.eigsh": "scigrad.linalg.eigh(A.toarray()) until it is there (planned)",
    "sparse.linalg.eigs": "scigrad.linalg.eig(A.toarray()) until it is there (planned)",
    "sparse.linalg.svds": "scigrad.linalg.svd(A.toarray()) until it is there (planned)",
    "statistics.mean": "numpy.mean",
    "statistics.fmean": "numpy.mean",
    "statistics.median": "numpy.median",
    "statistics.stdev": "numpy.std(x, ddof=1)",
    "statistics.variance": "numpy.var(x, ddof=1)",
    "statistics.pstdev": "numpy.std",
    "statistics.pvariance": "numpy.var",
    "stats.tmean": "numpy.mean",
    "stats.zscore": "(x - numpy.mean(x)) / numpy.std(x)",
    "numpy.arange": "x + step * numpy.arange(n), where the number n of elements is a plain one",
    "numpy.kaiser": 'scigrad.signal.get_window(("kaiser", beta), n, fftbins=False)',
    "numpy.poly1d": "the polynomial first, p * 2.0: a NumPy number on its left makes a plain array of it",
    "polynomial.Polynomial": "numpy.poly1d or numpy.polyval, which have the highest power first: coefficients[::-1]",
    "polynomial.polynomial.polyval": "numpy.polyval(coefficients[::-1], x)",
}


OF_LISTS = (
    "Of a list make an array first: numpy.stack([x, y]), of nested lists numpy.block([[x, y], [z, w]]), or scigrad.numpy.array "
    "of either"
)


def instead(path: str) -> str:
    """What to write instead of a function or class, "linalg.solve" or "sparse.csr_matrix" or "sparse.csr_array.dot"."""
    top, *rest = path.split(".")
    if rest[-1].startswith("__") and top != "sparse":  # of a class, whose name says more
        path = ".".join([top, *rest[:-1]] if rest[1:] else ["numpy", top])
    room, _, name = path.rpartition(".")
    if path in _INSTEAD:
        return f"Use {_INSTEAD[path]}"
    other = ours(path)
    if other is not None:
        return f"Use {other}"
    if top == "sparse" and rest[0].endswith(("_array", "_matrix")):
        kind = ours(f"sparse.{rest[0].partition('_')[0]}_array") or "scigrad.sparse.coo_array"
        return f"Use {'an operator, A @ x or A * x, or make the array with ' if rest[1:] else ''}{kind}"
    if room == "optimize":
        return (
            "Use scigrad.implicit(equation, solve, linear_solve): SciPy finds the solution in solve, on plain arrays, and the "
            "equation that it fulfils (of a minimum: gradient = 0) gives the derivative"
        )
    return (
        f"scigrad has no {name}: write it with functions that have rules, or wrap it with scigrad.custom_rule, or with "
        "scigrad.implicit if it solves an equation"
    )


def public_home(function: Any) -> str:
    """The module that users take a function from; NumPy 2.3's ufuncs and SciPy's do not say it themselves."""
    name = getattr(function, "__name__", "")
    for module in ("numpy", "scipy.special"):
        if getattr(sys.modules.get(module), name, None) is function:
            return module
    return getattr(function, "__module__", None) or ""


def _module(frame: FrameType) -> str:
    return frame.f_globals.get("__name__") or ""


def _in_library(frame: FrameType) -> bool:
    return _module(frame).partition(".")[0] in _LIBRARIES


def _is_traced(value: Any) -> bool:
    if type(value) in (list, tuple) and value:
        return _is_traced(value[0])
    if (type(value).__module__ or "").startswith("scigrad.sparse."):
        return _is_traced(getattr(value, "data", None))
    return hasattr(type(value), "interpret")


def _public_name(frame: FrameType) -> str | None:
    """What users call the function of a frame: "scipy.linalg.solve", "scipy.sparse.csr_array", "scipy.sparse.csr_array.dot"."""
    owner = type(frame.f_locals["self"]).__name__ if "self" in frame.f_locals else None
    found = _public_path(_module(frame), frame.f_code.co_name, owner)
    for name in frame.f_code.co_freevars if found is None else ():  # of a decorator: the function that it decorates
        value = frame.f_locals.get(name)
        if callable(value) and hasattr(value, "__name__"):
            found = found or _public_path(getattr(value, "__module__", None) or "", value.__name__, None)
    return found


def _public_path(module: str, name: str, owner: str | None) -> str | None:
    parts = module.split(".")
    if parts[0] not in _LIBRARIES:
        return None
    parts = parts[: next((i for i, part in enumerate(parts) if part.startswith("_")), len(parts))]
    for count in range(len(parts), 1 if parts[0] == "scipy" else 0, -1):
        package = ".".join(parts[:count])
        public = sys.modules.get(package)
        if owner is not None and (parts[0] == "scipy" or hasattr(public, owner)):
            return f"{package}.{owner}" if name == "__init__" else f"{package}.{owner}.{name}"
        if owner is None and not name.startswith("_") and callable(getattr(public, name, None)):
            return f"{package}.{name}"
    return None


__all__ = [
    "OF_LISTS", "called", "in_sparse_operator", "instead", "other_arithmetic", "ours", "own_function", "public_home", "written",
]  # fmt: skip
