"""C++ of elementwise functions: the loops of CuPy's own ufuncs, and our kernels of xsf."""

import functools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from .nodes import Elementwise, Node, Number, Parameter, Routine, Unfusible

TYPES = {
    "?": "bool", "b": "signed char", "B": "unsigned char", "h": "short", "H": "unsigned short",
    "i": "int", "I": "unsigned int", "l": "long long", "L": "unsigned long long",
    "q": "long long", "Q": "unsigned long long", "f": "float", "d": "double",
    "F": "complex<float>", "D": "complex<double>",
}  # fmt: skip
# what computing an element costs, beside one addition
_COSTS = {
    "sin": 20, "cos": 20, "tan": 30, "exp": 15, "log": 15, "tanh": 25, "power": 60, "sqrt": 8,
    "divide": 8, "true_divide": 8, "absolute": 1, "where": 1, "arctan2": 40, "expm1": 20,
    "log1p": 20, "maximum": 1, "minimum": 1,
}  # fmt: skip
_CHEAP = re.compile(r"out0 = [-+!~]?in0( [-+*&|<>=!?:]+ in\d)*")
_SPECIAL = 200
_POWERS = {1: "in0", 2: "in0 * in0", 3: "in0 * in0 * in0", -1: "in0_type(1) / in0"}


def elementwise(function: Any, inputs: Sequence[Node]) -> Node:
    """Return the node of CuPy's ufunc, or of a special function, of some values."""
    if any(x.dtype is not None and x.dtype.char not in TYPES for x in inputs):
        raise Unfusible
    if isinstance(function, functools.partial):
        return _of_xsf(function, inputs)
    if not hasattr(function, "_ops") or function.nout != 1 or len(inputs) != function.nin:
        raise Unfusible
    short = _as_product(function.name, inputs)
    if short is not None:
        return short
    dtype = _result_type(function, tuple(_kind_of(x) for x in inputs))
    strong = _strong_types(inputs)
    for loop in function._ops.ops:
        types = tuple(map(np.dtype, loop.in_types))
        if np.dtype(loop.out_types[0]) != dtype or not isinstance(loop.routine, str):
            continue
        if all(map(np.can_cast, strong, types)):
            cost = _COSTS.get(function.name.removeprefix("cupy_"))
            if cost is None:
                cost = 1 if _CHEAP.fullmatch(loop.routine) else _SPECIAL
            preamble = function._preamble
            return Elementwise(dtype, inputs, Routine(loop.routine, types, preamble, None, cost))
    raise Unfusible


def written(text: str, dtype: Any, *inputs: Node) -> Node:
    """Return the node of some statements."""
    types = tuple(np.dtype(float) if x.dtype is None else x.dtype for x in inputs)
    return Elementwise(dtype, inputs, Routine(text, types))


def convert_dtype(x: Node, dtype: Any) -> Node:
    """Return the values in another dtype."""
    dtype = np.dtype(dtype)
    if x.dtype == dtype:
        return x
    if dtype.char not in TYPES or (x.dtype is not None and x.dtype.kind == "c" != dtype.kind):
        raise Unfusible
    return written("out0 = static_cast<out0_type>(in0)", dtype, x)


def _kind_of(x: Node) -> Any:
    """Return the dtype of a value, for Python's numbers their type."""
    if x.dtype is not None:
        return x.dtype
    if isinstance(x, Number):
        return type(x.value)
    return complex if isinstance(x, Parameter) and x.kind.kind == "c" else float


@functools.lru_cache(10_000)
def _result_type(function: Any, kinds: tuple[Any, ...]) -> np.dtype[Any]:
    """Return the dtype of a result, which CuPy says for no elements without a launch."""
    import cupy

    samples = [k(1) if isinstance(k, type) else cupy.empty(0, k) for k in kinds]
    try:
        return function(*samples).dtype
    except (TypeError, ValueError) as error:
        raise Unfusible from error


def _strong_types(inputs: Sequence[Node]) -> list[np.dtype[Any]]:
    """Return the dtypes of values, where Python's numbers take that of the others."""
    arrays = [x.dtype for x in inputs if x.dtype is not None]
    if not arrays:
        raise Unfusible
    return [np.result_type(*arrays, _kind_of(x)(1)) if x.dtype is None else x.dtype for x in inputs]


def _as_product(name: str, inputs: Sequence[Node]) -> Node | None:
    """Return small powers of floating-point numbers as products."""
    if name != "cupy_power" or not isinstance(inputs[1], Number):
        return None
    x, power = inputs[0], inputs[1]
    text = _POWERS.get(power.value)
    if text is None or x.dtype is None or x.dtype.kind not in "fc":
        return None
    if _strong_types(inputs)[1] != x.dtype:
        return None
    return Elementwise(x.dtype, [x], Routine(f"out0 = {text}", (x.dtype,)))


def _of_xsf(function: functools.partial[Any], inputs: Sequence[Node]) -> Node:
    """Return the node of a function of xsf_kernels.csv that takes no memory of its own."""
    from scigrad.special.machinery import xsf_kernels

    if function.func is not xsf_kernels._call:
        raise Unfusible
    name, theirs = function.args
    found = xsf_kernels.loop_for(name, _strong_types(inputs), theirs is not None)
    if found is None:
        if theirs is None:
            raise Unfusible
        return elementwise(theirs, inputs)
    row, loop = found
    given, _, results = loop.partition("->")
    if row.heap or row.stack or len(results) != 1:
        raise Unfusible
    text = " ".join(f"const in{i}_type given{i} = in{i};" for i in range(len(given)))
    text = f"{text} out0_type result0; {{ {xsf_kernels.operation(row, loop)} }} out0 = result0"
    routine = Routine(text, tuple(map(np.dtype, given)), "", row, _SPECIAL)
    return Elementwise(results, inputs, routine)
