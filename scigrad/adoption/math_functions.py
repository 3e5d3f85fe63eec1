"""The functions of `math` and `cmath`, of traced numbers.

On plain numbers the originals are called; on traced ones too, with their values, for the errors
outside of the domain, which programs catch.
"""

import cmath
import functools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import scigrad.numpy as ours
from scigrad.autodiff_rules import Traced, raw, stop_gradient
from scigrad.numpy.fillable import content

from .number_types import as_number
from .stand_ins import Function, put_in_place

# the names of NumPy's functions that differ, and those that are equal: not of every function of
# the same name, `remainder` is another one
_OTHER_NAMES = {
    "acos": "arccos", "asin": "arcsin", "atan": "arctan", "atan2": "arctan2", "acosh": "arccosh",
    "asinh": "arcsinh", "atanh": "arctanh", "pow": "power", "fabs": "abs", "phase": "angle",
}  # fmt: skip
_SAME_NAMES = (
    "cos cosh sin sinh tan tanh exp exp2 expm1 log log10 log1p log2 sqrt cbrt degrees radians "
    "copysign fmod isnan isinf isfinite isclose"
)


def _gamma_function(name: str) -> Function:
    def function(x: Any) -> Any:
        from scigrad import special

        return getattr(special, name)(x)

    return function


def _total(xs: Any) -> Any:
    return np.sum(ours.array(list(xs)))


def _integer(function: Any) -> Function:
    """Return a function with integer values, which are constant where they have a derivative."""
    return lambda x: _as_int(function(x))


def _as_int(x: Any) -> Any:
    return x if isinstance(x, Traced) else int(x)


def _remainder(x: Any, y: Any) -> Any:
    return x - np.rint(stop_gradient(x) / stop_gradient(y)) * y


def _mantissa(x: Any) -> tuple[Any, int]:
    exponent = int(np.frexp(stop_gradient(x))[1])
    return x * 2.0**-exponent, exponent


def _product(xs: Any, *, start: Any = 1) -> Any:
    return np.prod(ours.array(list(xs))) * start


_FORMULAS: dict[str, Function] = {
    "remainder": _remainder,
    "frexp": _mantissa,
    "modf": lambda x: (x - np.trunc(stop_gradient(x)), np.trunc(stop_gradient(x))),
    "ldexp": lambda x, n: x * 2.0**n,
    "hypot": lambda *xs: functools.reduce(np.hypot, xs, 0.0),
    "fsum": _total,
    "prod": _product,
    "sumprod": lambda p, q: _total(x * y for x, y in zip(p, q, strict=True)),
    "fma": lambda x, y, z: x * y + z,
    "dist": lambda p, q: np.linalg.norm(ours.array(p) - ours.array(q)),
    "polar": lambda z: (np.abs(z), np.angle(z)),
    "rect": lambda r, phi: r * np.exp(1j * phi),
    "floor": _integer(np.floor),
    "ceil": _integer(np.ceil),
    "trunc": _integer(np.trunc),
    "gamma": _gamma_function("gamma"),
    "lgamma": _gamma_function("gammaln"),
    "erf": _gamma_function("erf"),
    "erfc": _gamma_function("erfc"),
}


def _of_math(original: Any, other: Function, kind: type) -> Function:
    name = original.__name__
    of_lists = name in ("fsum", "prod", "sumprod", "dist")

    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        args = (*map(content, args),)
        if of_lists:
            args = (*([content(x) for x in xs] for xs in args),)
            numbers = [x for xs in args for x in xs]
        else:
            args = (*(as_number(kind, x) if isinstance(x, Traced) else x for x in args),)
            numbers = args
        if not any(isinstance(x, Traced) for x in numbers):
            return original(*args, **kwargs)
        values = [raw(x) for x in numbers]
        if not of_lists and not any(isinstance(x, Traced) or np.ndim(x) for x in values):
            original(*values, **kwargs)  # raises the errors of the original, which programs catch
        return other(*args, **kwargs)

    return function


def _functions() -> Iterator[tuple[Any, Function, type]]:
    for module, kind in ((math, float), (cmath, complex)):
        for name, original in vars(module).items():
            if name in _FORMULAS:
                yield original, _FORMULAS[name], kind if name != "rect" else float
            elif name in _SAME_NAMES.split() or name in _OTHER_NAMES:
                function = getattr(np, _OTHER_NAMES.get(name, name))
                yield original, _log_to_base if name == "log" else function, kind


def _log_to_base(x: Any, *base: Any) -> Any:
    return np.log(x) / np.log(base[0]) if base else np.log(x)


for _original, _other, _kind in _functions():
    put_in_place(_original, _of_math(_original, _other, _kind))
