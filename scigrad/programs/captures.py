"""Values that a function uses and that are no arguments: cells, globals, attributes, and the
arrays in them.

A program holds for these as they were when it was recorded. They are found from the function, and
looked at again before each run: objects by identity, arrays by some of their elements, lists and
dicts by what is in them.
"""

from __future__ import annotations

import functools
import sys
import sysconfig
from collections.abc import Callable, Iterable
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import Traced

_MISSING = object()
_LOOKS = 64  # elements of a large array that are compared
_MOST = 2_000  # objects that are looked at
_SETTLED = (str, bytes, int, float, complex, bool, type(None), np.generic, np.dtype)
_LIBRARIES = tuple(
    {str(Path(sysconfig.get_path(name))) for name in ("stdlib", "purelib", "platlib")}
    | {str(Path(__file__).parent.parent)}
)


class Entry(NamedTuple):
    """A value that was read, where it is found again, and what it is called."""

    name: str
    read: Callable[[], Any]
    value: Any


class Captures:
    """State of what a function uses, at one time."""

    def __init__(self, functions: Iterable[Any]) -> None:
        self.entries: list[Entry] = []
        self.holds_traced = False
        self._seen: dict[int, Any] = {}
        self._names: set[str] = set()
        functions = list(functions)
        for function in functions:
            self._collect_names(function, set())
        for function in functions:
            self._visit(function, getattr(function, "__name__", type(function).__name__))
        self._seen.clear()

    def changed(self) -> str | None:
        """Return the name of something that is no more what it was, None if all is."""
        for name, read, value in self.entries:
            try:
                found = read()
            except (AttributeError, ValueError, KeyError, IndexError):  # an empty cell, a lost item
                return name
            if found is not value and (type(value) is not bytes or found != value):
                return name
        return None

    # -- names that a function reads

    def _collect_names(self, x: Any, seen: set[int]) -> None:
        """Find the names in the code of a user's functions, which are those of attributes too."""
        for function in _functions_of(x):
            if id(function) in seen:
                continue
            seen.add(id(function))
            for code in _codes_of(function.__code__):
                self._names.update(code.co_names)
            values = [c.cell_contents for c in function.__closure__ or () if _is_filled(c)]
            if not is_of_library(function.__code__.co_filename):
                found = function.__globals__
                names = [n for code in _codes_of(function.__code__) for n in code.co_names]
                values += [found[n] for n in names if n in found]
            for value in values:
                self._collect_names(value, seen)
        if isinstance(x, type) and not _is_of_library_class(x) and id(x) not in seen:
            seen.add(id(x))
            for value in vars(x).values():
                self._collect_names(value, seen)
        elif _is_of_user(x):
            self._collect_names(type(x), seen)

    # -- values

    def _add(self, name: str, read: Callable[[], Any], value: Any) -> None:
        self.entries.append(Entry(name, read, value))
        self._visit(value, name)

    def _visit(self, x: Any, name: str) -> None:
        if isinstance(x, Traced):
            self.holds_traced = True
        if isinstance(x, _SETTLED) or id(x) in self._seen or len(self._seen) > _MOST:
            return
        self._seen[id(x)] = x
        if isinstance(x, np.ndarray):
            self.entries.append(Entry(name, functools.partial(fingerprint, x), fingerprint(x)))
        elif isinstance(x, (list, dict, set)):
            self._visit_container(x, name)
        elif isinstance(x, tuple):
            for i, item in enumerate(x):
                self._visit(item, f"{name}[{i}]")
        elif isinstance(x, ModuleType):
            if not is_of_library(getattr(x, "__file__", None) or ""):
                self._visit_attributes(x, vars(x), name)
        elif isinstance(x, type):
            if not _is_of_library_class(x):
                self._visit_attributes(x, vars(x), name)
        elif isinstance(x, (FunctionType, MethodType, functools.partial)) or _is_wrapper(x):
            self._visit_function(x, name)
        elif _is_of_user(x):
            self._visit(type(x), type(x).__name__)
            self._visit_attributes(x, vars(x), name)

    def _visit_container(self, x: Any, name: str) -> None:
        content = tuple(x.items()) if isinstance(x, dict) else tuple(x)
        flat = [part for pair in content for part in pair] if isinstance(x, dict) else content

        def read() -> bytes:
            now = [part for pair in x.items() for part in pair] if isinstance(x, dict) else x
            return b",".join([_identity(part) for part in now])

        self.entries.append(Entry(name, read, read()))
        self._kept.append(flat)
        for i, item in enumerate(flat):
            self._visit(item, f"{name}[{i}]")

    @functools.cached_property
    def _kept(self) -> list[Any]:
        """Items whose identity is compared: they have to live on."""
        return []

    def _visit_attributes(self, x: Any, found: Any, name: str) -> None:
        for attribute in self._names.intersection(found):
            if attribute.startswith("__"):
                continue
            self._add(
                f"{name}.{attribute}",
                functools.partial(_read_attribute, x, attribute),
                found.get(attribute),
            )

    def _visit_function(self, x: Any, name: str) -> None:
        if isinstance(x, MethodType):
            self._visit(x.__self__, "self")
            self._visit(x.__func__, name)
        elif isinstance(x, functools.partial):
            for part in (x.func, x.args, x.keywords):
                self._visit(part, name)
        elif isinstance(x, FunctionType):
            for variable, cell in zip(x.__code__.co_freevars, x.__closure__ or (), strict=True):
                if _is_filled(cell):
                    read = functools.partial(getattr, cell, "cell_contents")
                    self._add(variable, read, cell.cell_contents)
            if not is_of_library(x.__code__.co_filename):
                names = {n for code in _codes_of(x.__code__) for n in code.co_names}
                for variable in names.intersection(x.__globals__):
                    read = functools.partial(x.__globals__.get, variable, _MISSING)
                    self._add(variable, read, x.__globals__[variable])
                self._visit(x.__defaults__ or (), f"{name}'s defaults")
        else:
            for part in _parts_of_wrapper(x):
                self._visit(part, name)


def fingerprint(x: np.ndarray) -> bytes:
    """Return some elements of an array, all of a small one."""
    flat = (
        x
        if x.size <= _LOOKS
        else x.ravel()[:: -(-x.size // _LOOKS)]
        if x.flags.c_contiguous
        else x[tuple(slice(None, None, max(1, n // 8)) for n in x.shape)]
    )
    return flat.tobytes()


def is_of_library(path: str) -> bool:
    return not path or path.startswith(_LIBRARIES) or path.startswith("<frozen")


@functools.cache
def _is_of_library_class(kind: type) -> bool:
    module = sys.modules.get(kind.__module__)
    path = getattr(module, "__file__", None)
    return kind.__module__ == "builtins" or (path is not None and is_of_library(path))


def _is_of_user(x: Any) -> bool:
    """Return whether x is an instance of a user's class, whose attributes may be read."""
    known = isinstance(x, (type, ModuleType, FunctionType))
    return hasattr(x, "__dict__") and not known and not _is_of_library_class(type(x))


def _is_wrapper(x: Any) -> bool:
    """Return whether x is a result of a transform, which has the function inside."""
    return bool(_parts_of_wrapper(x))


def _parts_of_wrapper(x: Any) -> tuple[Any, ...]:
    settings = getattr(x, "settings", None)
    return settings if isinstance(settings, tuple) and callable(x) else ()


def _functions_of(x: Any) -> Iterable[FunctionType]:
    if isinstance(x, FunctionType):
        yield x
    elif isinstance(x, MethodType):
        yield from _functions_of(x.__func__)
    elif isinstance(x, functools.partial):
        yield from _functions_of(x.func)
    elif isinstance(x, (staticmethod, classmethod)):
        yield from _functions_of(x.__func__)
    elif isinstance(x, property):
        for part in (x.fget, x.fset):
            yield from _functions_of(part)
    elif not isinstance(x, (type, BuiltinFunctionType, ModuleType)):
        for part in _parts_of_wrapper(x):
            yield from _functions_of(part)


@functools.cache
def _codes_of(code: CodeType) -> tuple[CodeType, ...]:
    """Return a code and those of the functions defined in it."""
    inner = (part for part in code.co_consts if isinstance(part, CodeType))
    return code, *(part for one in inner for part in _codes_of(one))


def _is_filled(cell: Any) -> bool:
    try:
        cell.cell_contents  # noqa: B018  (an empty cell raises)
    except ValueError:
        return False
    return True


def _read_attribute(x: Any, name: str) -> Any:
    return vars(x).get(name, _MISSING)


def _identity(x: Any) -> bytes:
    return repr(x).encode() if isinstance(x, _SETTLED) else str(id(x)).encode()
