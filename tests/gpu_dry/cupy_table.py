"""Write scigrad/testing/cupy_table.json: CuPy's public names, their parameters and the dtypes of
ufuncs, for the stand-in device.

    PYTHONPATH=tests/gpu_dry:. python tests/gpu_dry/cupy_table.py

It asks the installed CuPy: `inspect.signature` where functions have one, and calls with a keyword
that nobody has where they are compiled. test_cupy_table.py holds that the committed table is that
of the CuPy at hand.
"""

import importlib
import inspect
import json
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cupy_on_cpu  # noqa: F401  (before CuPy)
import numpy as np

import cupy  # isort: skip

TABLE = Path(__file__).parents[2] / "scigrad" / "testing" / "cupy_table.json"
ROOMS = [
    "fft",
    "linalg",
    "signal",
    "signal.windows",
    "sparse",
    "sparse.csgraph",
    "sparse.linalg",
    "special",
]
MODULES = [
    "cupy",
    "cupy.linalg",
    "cupy.fft",
    "cupy.lib.stride_tricks",
    *(f"cupyx.scipy.{room}" for room in ROOMS),
]
# ufuncs that may have `at`
INDEXED = ("add", "subtract", "maximum", "minimum", "bitwise_and", "bitwise_or", "bitwise_xor")
DTYPES = "?bBhHiIlLefdFD"
KEYWORDS = (
    (
        "axis axis1 axis2 casting copy correction ddof decimals dtype indices initial keepdims "
        "kind max mean min mode offset order"
    ),
    "out repeats shape stable subok values where",
)  # parameters of the methods of NumPy's arrays


def parameters(signature: inspect.Signature) -> str:
    """Return a signature without annotations and with None for every default, as one writes it."""
    none = {True: inspect.Parameter.empty, False: None}
    bare = [
        p.replace(annotation=p.empty, default=none[p.default is p.empty])
        for p in signature.parameters.values()
    ]
    return str(inspect.Signature(bare))[1:-1]


def entry(value: Any) -> Any:
    """Return the loops of a ufunc, the parameters of a function, or None."""
    if isinstance(value, cupy.ufunc):
        return list(value.types)
    try:
        return parameters(inspect.signature(value)) if callable(value) else None
    except ValueError:
        return None


def public(module: Any) -> Iterator[tuple[str, Any]]:
    for name in sorted(dir(module)):
        value = getattr(module, name)
        if not (
            name.startswith("_")
            or isinstance(value, types.ModuleType)
            or name in ("annotations", "absolute_import")
        ):
            yield name, value


def accepts(method: Any, keyword: str) -> bool:
    """Return whether a compiled method has a keyword: the message names the first one that it
    lacks.
    """
    try:
        method(**{keyword: None, "nobody_has_this": None})
    except TypeError as error:
        return "'nobody_has_this'" in str(error)
    raise AssertionError(f"{method} takes any keyword")


def methods() -> dict[str, Any]:
    """Return the keywords of the methods of arrays that NumPy's have too, None for what is no
    method.
    """
    x = cupy.ones((2, 2))
    common = {name: value for name, value in public(cupy.ndarray) if hasattr(np.ndarray, name)}
    return {
        name: " ".join(
            word for word in " ".join(KEYWORDS).split() if accepts(getattr(x, name), word)
        )
        if callable(value)
        else None
        for name, value in common.items()
    }


def dtypes_of_at(name: str) -> str:
    """Return the dtypes for which `ufunc.at` works."""
    return "".join(char for char in DTYPES if _at_works(name, char))


def _at_works(name: str, char: str) -> bool:
    x = cupy.ones(3, char)
    try:
        getattr(cupy, name).at(x, cupy.asarray([0, 0]), cupy.ones(2, char))
    except (TypeError, NotImplementedError, AttributeError):
        return False
    return True


def introspected() -> dict[str, Any]:
    with warnings.catch_warnings():  # CuPy tells of its own use of cupyx.jit, which is experimental
        warnings.simplefilter("ignore", FutureWarning)
        modules = {name: importlib.import_module(name) for name in MODULES}
    found = {
        name: {key: entry(value) for key, value in public(module)}
        for name, module in modules.items()
    }
    at = {name: dtypes_of_at(name) for name in INDEXED}
    return {"version": cupy.__version__, "modules": found, "methods": methods(), "at": at}


def written(table: dict[str, Any]) -> str:
    """Return the table as JSON with a line for each name."""
    text = json.dumps(table, indent=1, sort_keys=True)
    for long, short in (('",\n    "', '", "'), ('[\n    "', '["'), ('"\n   ]', '"]')):
        text = text.replace(long, short)
    return text


if __name__ == "__main__":
    TABLE.write_text(written(introspected()) + "\n")
