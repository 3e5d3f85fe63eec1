"""CuPy's public names, their parameters and the dtypes of its ufuncs, from cupy_table.json.

The stand-in device binds its calls to this table, so that a machine without CuPy refuses what CuPy
refuses. It was written from the CuPy whose version it has (tests/gpu_dry/cupy_table.py).
"""

import functools
import inspect
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scigrad.special.machinery import xsf_kernels

_TABLE: dict[str, Any] = json.loads(Path(__file__).with_name("cupy_table.json").read_text("utf-8"))
VERSION: str = _TABLE["version"]
MODULES: dict[str, dict[str, Any]] = _TABLE["modules"]
METHODS: dict[str, str | None] = _TABLE["methods"]
AT: dict[str, str] = _TABLE["at"]
CUPYX = {
    name.removeprefix("cupyx.scipy."): frozenset(names)
    for name, names in MODULES.items()
    if name.startswith("cupyx.")
}
# functions that only we have refuse real numbers as a missing kernel
_OURS = xsf_kernels.rows().keys() - MODULES["cupyx.scipy.special"].keys()
# the kernels that complete cupyx.scipy.special; CuPy's own loops come first
for _name, _rows in xsf_kernels.rows().items():
    _own = MODULES["cupyx.scipy.special"].setdefault(_name, [])
    if isinstance(_own, list):
        _own.extend(loop for row in _rows for loop in row.loops)
_OF_UFUNCS = frozenset({"out", "dtype", "casting"})


def module_of(room: str) -> str:
    """Return CuPy's module for "numpy", "numpy.linalg", "special", "sparse.linalg"."""
    return (
        f"cupy{room[len('numpy') :]}"
        if room.partition(".")[0] == "numpy"
        else f"cupyx.scipy.{room}"
    )


def check_call(module: str, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    """Raise TypeError if a function of CuPy's lacks a parameter, or a ufunc the dtypes, of this
    call.
    """
    known = MODULES[module][name]
    if isinstance(known, list):
        _check_loops(module, name, args, kwargs)
    elif known is not None:
        try:
            _bind(known, len(args), tuple(kwargs))
        except TypeError as error:
            raise TypeError(f"{module}.{name}(): {error}") from None


def check_method(name: str, keywords: Iterable[str]) -> None:
    """Raise TypeError if a method of CuPy's arrays lacks a keyword."""
    lacking = set(keywords) - set((METHODS[name] or "").split())
    if lacking:
        raise TypeError(
            f"cupy.ndarray.{name}() got an unexpected keyword argument {min(lacking)!r}"
        )


def check_at(name: str, dtype: np.dtype) -> None:
    """Raise TypeError unless `ufunc.at` of CuPy's takes arrays of a dtype."""
    if dtype.char not in AT[name]:
        raise TypeError(f"cupy.{name}.at takes no {dtype}")


@functools.cache
def _bind(parameters: str, positional: int, keywords: tuple[str, ...]) -> None:
    inspect.signature(eval(f"lambda {parameters}: None")).bind(
        *(None,) * positional, **dict.fromkeys(keywords)
    )


def _check_loops(module: str, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
    if not kwargs.keys() <= _OF_UFUNCS:
        raise TypeError(f"cupy.{name}: wrong arguments {sorted(kwargs.keys() - _OF_UFUNCS)}")
    nin = MODULES[module][name][0].index("->")
    kinds = tuple(_kind(x) for x in args[:nin] if x is not None)
    if "dtype" not in kwargs and not _takes(module, name, kinds):
        missing = name in _OURS and not any(np.dtype(kind).kind == "c" for kind in kinds)
        raise (NotImplementedError if missing else TypeError)(
            f"Wrong type ({kinds}) of arguments for cupy_{name}"
        )


def _kind(x: Any) -> Any:
    """Return the dtype of an array, the type of one of Python's numbers."""
    return np.dtype(x.dtype) if hasattr(x, "dtype") else type(x)


@functools.cache
def _takes(module: str, name: str, kinds: tuple[Any, ...]) -> bool:
    """Return whether the inputs can be cast to those of a loop; a number of Python's takes the
    precision of the arrays.
    """
    return any(
        len(kinds) <= loop.index("->")
        and all(
            np.can_cast(kind, char)
            if isinstance(kind, np.dtype)
            else np.result_type(char, kind(0)) == np.dtype(char)
            for kind, char in zip(kinds, loop, strict=False)
        )
        for loop in MODULES[module][name]
    )
