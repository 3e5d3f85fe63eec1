"""Python's functions of real numbers, differentiable.

    from scigrad import math
    grad(lambda x: math.exp(-x) * math.erf(x))(0.5)

Plain numbers are left to the functions of Python's own module, with their values and errors; traced
ones raise the same errors. What has no derivative anywhere (`floor`, `isclose`, `gcd`) returns what
Python's function returns. As there, an argument is one number; `scigrad.numpy` has functions of
arrays.
"""

import functools
import math
from collections.abc import Callable, Iterable
from math import e, inf, nan, pi, tau
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, TracedValueError, linear, raw, stop_gradient
from scigrad.autodiff_rules.boxes import Batched
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.autodiff_rules.messages.explanations import not_for_traced
from scigrad.autodiff_rules.trace import running

from . import special
from .numpy.fillable import content

__all__ = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "comb", "copysign",
    "cos", "cosh", "degrees", "dist", "e", "erf", "erfc", "exp", "exp2", "expm1", "fabs",
    "factorial", "floor", "fmod", "frexp", "fsum", "gamma", "gcd", "hypot", "inf", "isclose",
    "isfinite", "isinf", "isnan", "isqrt", "lcm", "ldexp", "lgamma", "log", "log10", "log1p",
    "log2", "modf", "nan", "nextafter", "perm", "pi", "pow", "prod", "radians", "remainder", "sin",
    "sinh", "sqrt", "tan", "tanh", "tau", "trunc", "ulp",
]  # fmt: skip

Function = Callable[..., Any]


def as_number(kind: type, x: Any) -> Any:
    """Return a traced value as one without axes, real or complex as a type is."""
    if x.size != 1 or (kind is float and x.dtype.kind == "c"):
        raise TypeError(f"{kind.__name__}() of a traced array of {x.dtype} and shape {x.shape}")
    x = x.reshape(()) if x.ndim else x
    return x if x.dtype.kind == np.dtype(kind).kind else x.astype(kind)


def take_traced(original: Function, ours: Function | None = None, kind: type = float) -> Function:
    """Return a function that is Python's of plain numbers and `ours` of traced ones, where it
    raises what Python's does for their values; one of integers has no `ours`.
    """

    @functools.wraps(original)
    def function(*args: Any, **kwargs: Any) -> Any:
        if not running:
            return original(*args, **kwargs)
        args = tuple([_taken(kind, x) for x in args])
        if not holds_traced((args, kwargs)):
            return original(*args, **kwargs)
        values = [_known_number(x) for x in args]
        if None not in values:
            original(*values, **kwargs)
        if ours is None:
            raise TracedValueError(not_for_traced(f"math.{original.__name__}"))
        return ours(*args, **kwargs)

    function.__module__ = f"scigrad.{original.__module__}"
    return function


def _taken(kind: type, x: Any) -> Any:
    """Return an argument as a number, or a list of such; what it is otherwise, Python's function
    says.
    """
    x = content(x)
    if isinstance(x, Traced):
        return as_number(kind, x) if x.size == 1 or not x.ndim else [*x]
    if isinstance(x, Iterable) and not isinstance(x, (str, bytes, np.ndarray)):
        return [content(item) for item in x]
    return x


def _known_number(x: Any) -> Any:
    """Return the plain number of a traced one, None for a batch and in a program that is
    recorded.
    """
    if isinstance(x, list):
        values = [_known_number(item) for item in x]
        return None if None in values else values
    value = raw(x)
    known = not isinstance(value, Traced) and np.ndim(value) == np.ndim(x)
    return value if known else None


def integer_of(rounded: Function) -> Function:
    """Return a function that rounds numbers to Python's integers; those of a batch stay floats."""

    def function(x: Any) -> Any:
        found = rounded(x)
        return found if type(found) is Batched else int(found)

    return function


def is_close(a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> bool:
    """Return whether two numbers differ by no more than a share of the larger one."""
    bound = np.maximum(rel_tol * np.maximum(np.abs(a), np.abs(b)), abs_tol)
    return bool((a == b) | (np.isfinite(a - b) & (np.abs(a - b) <= bound)))


def truth_of(test: Function) -> Function:
    """Return a test of NumPy's with Python's truth values."""
    return lambda x: bool(test(x))


@linear("x", core={"x": 1})
def _exact_sum(x):
    sums = [math.fsum(row) for row in x.reshape(-1, x.shape[-1])]
    return np.reshape(sums, x.shape[:-1])[()]


_exact_sum.adjoint(lambda call, g: np.broadcast_to(g[..., None], call.x.shape))


def _log(x: Any, *base: Any) -> Any:
    return np.log(x) / np.log(base[0]) if base else np.log(x)


def _distance(p: Any, q: Any) -> Any:
    return _length(*(a - b for a, b in zip(p, q, strict=True)))


def _length(*coordinates: Any) -> Any:
    return functools.reduce(np.hypot, coordinates, 0.0)


def _product(numbers: Any, *, start: Any = 1) -> Any:
    return functools.reduce(lambda x, y: x * y, numbers, start)


def _mantissa(x: Any) -> Any:
    mantissa, exponent = np.frexp(x)
    return mantissa, int(exponent)


def _ulp(x: Any) -> Any:
    size = np.abs(stop_gradient(x))
    return np.where(np.isinf(size), size, np.spacing(size))[()]


def _remainder(x: Any, y: Any) -> Any:
    """Return x minus the nearest multiple of y, the even one of two, by exact steps as Python
    does.
    """
    sign, size = np.copysign(1.0, x), np.abs(y)
    rest = np.fmod(sign * x, size)
    other = size - rest
    even = rest - 2 * np.fmod((sign * x - rest) / 2, size)
    return sign * np.where(rest < other, rest, np.where(rest > other, -other, even))


acos, acosh = take_traced(math.acos, np.arccos), take_traced(math.acosh, np.arccosh)
asin, asinh = take_traced(math.asin, np.arcsin), take_traced(math.asinh, np.arcsinh)
atan, atan2 = take_traced(math.atan, np.arctan), take_traced(math.atan2, np.arctan2)
atanh, cbrt = take_traced(math.atanh, np.arctanh), take_traced(math.cbrt, np.cbrt)
copysign, fabs = take_traced(math.copysign, np.copysign), take_traced(math.fabs, np.fabs)
cos, cosh = take_traced(math.cos, np.cos), take_traced(math.cosh, np.cosh)
sin, sinh = take_traced(math.sin, np.sin), take_traced(math.sinh, np.sinh)
tan, tanh = take_traced(math.tan, np.tan), take_traced(math.tanh, np.tanh)
degrees, radians = take_traced(math.degrees, np.degrees), take_traced(math.radians, np.radians)
erf, erfc = take_traced(math.erf, special.erf), take_traced(math.erfc, special.erfc)
gamma, lgamma = take_traced(math.gamma, special.gamma), take_traced(math.lgamma, special.gammaln)
exp, exp2, expm1 = (
    take_traced(math.exp, np.exp),
    take_traced(math.exp2, np.exp2),
    take_traced(math.expm1, np.expm1),
)
log, log1p = take_traced(math.log, _log), take_traced(math.log1p, np.log1p)
log10, log2 = take_traced(math.log10, np.log10), take_traced(math.log2, np.log2)
sqrt, pow = take_traced(math.sqrt, np.sqrt), take_traced(math.pow, np.power)
fmod, remainder = take_traced(math.fmod, np.fmod), take_traced(math.remainder, _remainder)
hypot, dist = take_traced(math.hypot, _length), take_traced(math.dist, _distance)
frexp, ldexp, modf = (
    take_traced(math.frexp, _mantissa),
    take_traced(math.ldexp, np.ldexp),
    take_traced(math.modf, np.modf),
)
fsum = take_traced(math.fsum, lambda numbers: _exact_sum(np.stack(numbers)))
prod = take_traced(math.prod, _product)

floor, ceil, trunc = (
    take_traced(math.floor, integer_of(np.floor)),
    take_traced(math.ceil, integer_of(np.ceil)),
    take_traced(math.trunc, integer_of(np.trunc)),
)
isfinite, isinf, isnan = (
    take_traced(math.isfinite, truth_of(np.isfinite)),
    take_traced(math.isinf, truth_of(np.isinf)),
    take_traced(math.isnan, truth_of(np.isnan)),
)
isclose = take_traced(math.isclose, is_close)
nextafter, ulp = take_traced(math.nextafter, np.nextafter), take_traced(math.ulp, _ulp)
gcd, lcm = take_traced(math.gcd), take_traced(math.lcm)
comb, perm = take_traced(math.comb), take_traced(math.perm)
factorial, isqrt = take_traced(math.factorial), take_traced(math.isqrt)
