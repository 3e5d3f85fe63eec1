"""Values that a function uses and that are no arguments: cells, globals, attributes, and the
arrays in them.

A program holds for these as they were when it was recorded. They are found from the function, and
looked at again before each run: objects by identity, arrays by their elements, lists and dicts by
what is in them.
"""

from __future__ import annotations

import array
import collections
import contextvars
import functools
import io
import pickle
import random
import sys
import sysconfig
import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import Traced
from scigrad.autodiff_rules.backends import is_array
from scigrad.autodiff_rules.trace import ZERO, is_labelled

_MISSING = object()
_FEW = 1024  # elements of an array all of which are compared
_LOOKS = 64  # elements of a larger one that are, beside the sum
_MOST_BYTES = 2**20  # an array of more is not summed
_MOST = 10_000  # objects that are looked at
_BY_STRING = frozenset(("getattr", "vars", "__dict__", "attrgetter"))
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
        self.holds_traced = self.are_too_many = False
        self.iterator: str | None = None  # the name of one
        self._draws: list[Entry] = []
        self._seen: dict[int, Any] = {}
        self._names: set[str] = set()
        functions = list(functions)
        for function in functions:
            self._collect_names(function, set())
        for function in functions:
            named = function if isinstance(function, FunctionType) else type(function)
            self._visit(function, named.__name__)
        self._add_generator("random", random.getstate)
        if "random" in self._names:  # some of SciPy's functions draw too
            self._add_generator("numpy.random", np.random.get_state)
        self._seen.clear()

    def drew(self) -> str | None:
        """Return the name of a generator of random numbers that was used since."""
        return next((name for name, read, state in self._draws if read() != state), None)

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
        self.are_too_many |= len(self.entries) > _MOST
        self._visit(value, name)

    def _visit(self, x: Any, name: str) -> None:
        self.holds_traced |= isinstance(x, Traced) and x is not ZERO
        if isinstance(x, (*_SETTLED, Traced)) or id(x) in self._seen or self.are_too_many:
            return
        self._seen[id(x)] = x
        if is_labelled(type(x)):
            self._add_content(name, functools.partial(fingerprint, x))
            return
        if isinstance(x, np.ndarray) or _is_on_device(x):
            self._add_content(name, functools.partial(fingerprint, x))
        elif isinstance(x, (bytearray, memoryview, array.array)):
            self._add_content(name, functools.partial(bytes, x))
        elif isinstance(x, (list, dict, set, collections.deque)):
            self._visit_container(x, name)
        elif isinstance(x, (np.random.Generator, np.random.RandomState, random.Random)):
            self._add_generator(name, lambda: x)
        elif isinstance(x, Iterator) and not isinstance(x, io.IOBase):
            self.iterator = self.iterator or name
        elif isinstance(x, contextvars.ContextVar):
            self._add(name, functools.partial(x.get, _MISSING), x.get(_MISSING))
        elif isinstance(x, weakref.ref):
            self._add(name, x, x())
        elif isinstance(x, tuple):
            for i, item in enumerate(x):
                self._visit(item, f"{name}[{i}]")
        if isinstance(x, ModuleType):
            if not is_of_library(getattr(x, "__file__", None) or ""):
                self._visit_attributes(x, vars(x), name)
        elif isinstance(x, type):
            if not _is_of_library_class(x):
                self._visit_class(x, name)
        elif isinstance(x, (staticmethod, classmethod, property)):
            for part in _functions_of(x):
                self._visit(part, name)
        elif isinstance(x, (FunctionType, MethodType, functools.partial)) or _is_wrapper(x):
            self._visit_function(x, name)
        else:
            self._visit_object(x, name)

    def _add_content(self, name: str, read: Callable[[], bytes]) -> None:
        self.entries.append(Entry(name, read, read()))

    def _add_generator(self, name: str, state: Callable[[], Any]) -> None:
        def read() -> bytes:
            return pickle.dumps(state())

        self._draws.append(Entry(name, read, read()))

    def _visit_container(self, x: Any, name: str) -> None:
        content = tuple(x.items()) if isinstance(x, dict) else tuple(x)
        flat = [part for pair in content for part in pair] if isinstance(x, dict) else content

        def read() -> bytes:
            now = [part for pair in x.items() for part in pair] if isinstance(x, dict) else x
            return b",".join([_identity(part) for part in now])

        self._add_content(name, read)
        self.are_too_many |= len(flat) > _MOST
        self._kept.append(flat)
        for i, item in enumerate(flat):
            self._visit(item, f"{name}[{i}]")

    @functools.cached_property
    def _kept(self) -> list[Any]:
        """Items whose identity is compared: they have to live on."""
        return []

    def _visit_object(self, x: Any, name: str) -> None:
        """Look at attributes: at those that are named in the code, at all of a user's object if one
        may be named by a string, and at all of another library's.
        """
        kind = type(x)
        if "__wrapped__" in _own_attributes(x):  # a cache of functools
            self._visit(x.__wrapped__, name)
        found = _attributes_of(x)
        if not _is_of_library_class(kind):
            self._visit(kind, kind.__name__)
            named = self._names if self._names.isdisjoint(_BY_STRING) else self._names.union(found)
            # an attribute of the object itself would hide that of its class, if it can have one
            hides = hasattr(x, "__dict__")
            named = {n for n in named if n in found or (hides and _has(kind, n))}
            attributes = {n: found.get(n, _MISSING) for n in named}
            self._visit_attributes(x, attributes, name)
            # one that is new stands in no entry
            self._add_content(f"{name}.__dict__", lambda: " ".join(_own_attributes(x)).encode())
        else:
            has_data = _has_data(kind)
            attributes = {n: v for n, v in found.items() if has_data or n in self._names}
            self._visit_attributes(x, attributes, name)

    def _visit_class(self, x: type, name: str) -> None:
        for base in x.__mro__[:-1]:
            self._visit(base, name)
        self._visit_attributes(x, {n: v for n, v in vars(x).items() if n in self._names}, name)
        for special, value in vars(x).items():
            if special.startswith("__") and isinstance(value, FunctionType):
                self._visit(value, f"{name}.{special}")

    def _visit_attributes(self, x: Any, found: Any, name: str) -> None:
        if isinstance(x, ModuleType):
            found = {n: found[n] for n in self._names.intersection(found)}
        for attribute, value in found.items():
            if not attribute.startswith("__"):
                read = functools.partial(_read_attribute, x, attribute)
                self._add(f"{name}.{attribute}", read, value)

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
                self._visit_names(x, name)
        else:
            for part in _parts_of_wrapper(x):
                self._visit(part, name)

    def _visit_names(self, x: FunctionType, name: str) -> None:
        """Look at what a user's function reads by name: globals, modules, defaults, attributes."""
        names = {n for code in _codes_of(x.__code__) for n in code.co_names}
        for variable in names.intersection(x.__globals__):
            read = functools.partial(x.__globals__.get, variable, _MISSING)
            self._add(variable, read, x.__globals__[variable])
        for module in names.intersection(sys.modules):
            self._visit(sys.modules[module], module)
        for part in ("__code__", "__defaults__", "__kwdefaults__"):
            if (value := getattr(x, part)) is not None:
                self._add(f"{name}.{part}", functools.partial(getattr, x, part), value)
        self._visit_attributes(x, {n: v for n, v in vars(x).items() if n in self._names}, name)


def fingerprint(x: Any) -> bytes:
    """Return the elements of a small array; some elements of a larger one, with the sum of all its
    words up to a megabyte: it is another if one element is.
    """
    if _is_on_device(x):  # what is looked at is copied, and waited for
        few = x if x.nbytes <= _MOST_BYTES else x.ravel()[:: -(-x.size // _LOOKS)]
        return few.get().tobytes()
    x = np.asarray(x)
    if x.size <= _FEW:
        return x.tobytes()
    step = -(-x.size // _LOOKS)
    looks = (
        x.ravel()[::step]
        if x.flags.c_contiguous
        else x[tuple(slice(None, None, max(1, n // 8)) for n in x.shape)]
    ).tobytes()
    if x.nbytes > _MOST_BYTES or x.dtype.hasobject:
        return looks
    content = np.ascontiguousarray(x.T if x.flags.f_contiguous else x).reshape(-1).view(np.uint8)
    end = content.size // 8 * 8
    return looks + np.add.reduce(content[:end].view(np.uint64)).tobytes() + content[end:].tobytes()


def _is_on_device(x: Any) -> bool:
    return hasattr(type(x), "nbytes") and not isinstance(x, np.ndarray) and is_array(x)


def is_of_library(path: str) -> bool:
    installed = "site-packages" in path or "dist-packages" in path
    return not path or installed or path.startswith(("<frozen", *_LIBRARIES))


@functools.cache
def _is_of_library_class(kind: type) -> bool:
    module = sys.modules.get(kind.__module__)
    path = getattr(module, "__file__", None)
    return kind.__module__ == "builtins" or (path is not None and is_of_library(path))


def _is_of_user(x: Any) -> bool:
    """Return whether x is an instance of a user's class, whose attributes may be read."""
    return not isinstance(x, type) and not _is_of_library_class(type(x))


def _is_wrapper(x: Any) -> bool:
    """Return whether x is a result of a transform, which has the function inside."""
    return bool(_parts_of_wrapper(x))


def _parts_of_wrapper(x: Any) -> tuple[Any, ...]:
    settings = _own_attributes(x).get("settings")
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


def _attributes_of(x: Any) -> dict[str, Any]:
    """Return the attributes of an object itself, those in slots too."""
    found = {
        name: member.__get__(x)
        for kind in type(x).__mro__
        if "__slots__" in vars(kind)
        for name, member in vars(kind).items()
        if isinstance(member, MemberDescriptorType) and hasattr(x, name)
    }
    return {**found, **_own_attributes(x)}


def _own_attributes(x: Any) -> dict[str, Any]:
    """Return what an object holds itself, without asking its `__getattr__`."""
    return getattr(x, "__dict__", {})


def _read_attribute(x: Any, name: str) -> Any:
    if isinstance(getattr(type(x), name, None), MemberDescriptorType):
        return getattr(x, name, _MISSING)
    return _own_attributes(x).get(name, _MISSING)


def _has(kind: type, name: str) -> bool:
    """Return whether a class has an attribute that one of an object itself would hide."""
    return any(name in vars(base) for base in kind.__mro__[:-1])


def _has_data(kind: type) -> bool:
    """Return whether a library's object holds data; Python's own and functions of ours do not."""
    root = kind.__module__.partition(".")[0]
    return kind.__module__ == "collections" or (
        root not in sys.stdlib_module_names and not (root == "scigrad" and _has(kind, "__call__"))
    )


def _identity(x: Any) -> bytes:
    return repr(x).encode() if isinstance(x, _SETTLED) else str(id(x)).encode()
