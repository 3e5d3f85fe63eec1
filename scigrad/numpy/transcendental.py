"""Exponentials, logarithms, trigonometric and hyperbolic functions, and sinc."""

import math
from typing import Any

import numpy as np

from scigrad.autodiff_rules import elementwise, stop_gradient
from scigrad.typing import Array, ArrayLike, BinaryUfunc, UnaryUfunc

from .arithmetic import hypot, stated_derivative
from .comparison import isinf, step
from .composition import describe_ufunc, numpy_composition
from .selection import where

__all__ = [
    "acos", "acosh", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh",
    "asin", "asinh", "atan", "atan2", "atanh", "cos", "cosh", "exp", "exp2", "expm1", "frexp",
    "ldexp", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "sin", "sinc", "sinh",
    "tan", "tanh",
]  # fmt: skip


def _declare(ufunc: Any, partial: Any) -> Any:
    """Declare a function of one variable by its derivative, a function of `call`."""
    function = elementwise(ufunc)
    function.partials((partial,))
    return function


# -- exponentials and logarithms

exp: UnaryUfunc = elementwise(np.exp)
exp.partials((lambda x, out: out,))
exp2: UnaryUfunc = describe_ufunc("Where the value overflows, so does the derivative.")(
    _declare(np.exp2, lambda x, out: math.log(2) * out)
)
# not out + 1, which loses everything for x << 0
expm1: UnaryUfunc = _declare(np.expm1, lambda x, out: np.exp(x))
log: UnaryUfunc = _declare(np.log, lambda x, out: 1 / x)
log2: UnaryUfunc = _declare(np.log2, lambda x, out: 1 / (math.log(2) * x))
log10: UnaryUfunc = _declare(np.log10, lambda x, out: 1 / (math.log(10) * x))
log1p: UnaryUfunc = _declare(np.log1p, lambda x, out: 1 / (1 + x))


@elementwise
def _logistic(x):
    small = np.exp(-np.abs(x))  # never overflows
    return np.where(x < 0, small, 1) / (1 + small)


_logistic.partials((lambda x, out: out * _logistic(-x),))


def _logarithm_of_sum(ufunc: Any, scale: float) -> Any:
    function = elementwise(ufunc)

    def share(x: Any, y: Any) -> Any:
        # b^x / (b^x + b^y), and 1/2 where both are the same infinity
        same = isinf(x) & (x == y)
        return _logistic(scale * (where(same, 0, x) - where(same, 0, y)))

    function.partials((lambda x, y, out: share(x, y), lambda x, y, out: share(y, x)))
    return function


logaddexp: BinaryUfunc
logaddexp2: BinaryUfunc
logaddexp, logaddexp2 = (
    _logarithm_of_sum(np.logaddexp, 1.0),
    _logarithm_of_sum(np.logaddexp2, math.log(2)),
)


# -- circular functions

# In rules NumPy's own names are the short way for plain arrays, and lead here for traced ones.
sin: UnaryUfunc = _declare(np.sin, lambda x, out: np.cos(x))
cos: UnaryUfunc = _declare(np.cos, lambda x, out: -np.sin(x))
tan: UnaryUfunc = _declare(
    np.tan,
    lambda x, out: 1 + out * out if x.dtype.kind != "c" else _square_of_secant(1j * x, 1j * out),
)
arcsin: UnaryUfunc = _declare(np.arcsin, lambda x, out: _slope_of_arcsin(x))
asin: UnaryUfunc = arcsin
arccos: UnaryUfunc = _declare(np.arccos, lambda x, out: -_slope_of_arcsin(x))
acos: UnaryUfunc = arccos
arctan: UnaryUfunc = _declare(np.arctan, lambda x, out: _slope_of_arctan(x))
atan: UnaryUfunc = arctan

arctan2: BinaryUfunc = elementwise(np.arctan2)
atan2: BinaryUfunc = arctan2


@arctan2.partials
def _(call):
    # arctan2(x, y), with the ordinate x, has the derivatives (y, -x) / (x^2 + y^2).
    # They are set to 0 at the origin, where the angle has every value nearby.
    radius = hypot(call.x, call.y)
    radius = where(radius == 0, np.inf, radius)
    return lambda: _inverted(call.x, call.y, radius), lambda: -_inverted(call.y, call.x, radius)


def _over_square(x: Any, y: Any, radius: Any) -> Any:
    """Return y / (x^2 + y^2), divided twice by the root, which is known, so that the square cannot
    overflow.
    """
    return y / radius / radius


def _of_over_square(call: Any) -> Any:
    radius = call.radius
    x, y = call.x / radius, call.y / radius
    return lambda: -2 * x * y / radius / radius, lambda: (x - y) * (x + y) / radius / radius, 0


_inverted = stated_derivative(_over_square, _of_over_square)


# -- hyperbolic functions

sinh: UnaryUfunc = _declare(np.sinh, lambda x, out: np.cosh(x))
cosh: UnaryUfunc = _declare(np.cosh, lambda x, out: np.sinh(x))
tanh: UnaryUfunc = _declare(np.tanh, lambda x, out: _square_of_secant(x, out))
arcsinh: UnaryUfunc = _declare(np.arcsinh, lambda x, out: _slope_of_arcsinh(x))
asinh: UnaryUfunc = arcsinh
arccosh: UnaryUfunc = _declare(np.arccosh, lambda x, out: _slope_of_arccosh(x))
acosh: UnaryUfunc = arccosh
arctanh: UnaryUfunc = _declare(np.arctanh, lambda x, out: _slope_of_arctanh(x))
atanh: UnaryUfunc = arctanh


def _less_square(x: Any, tanh: Any) -> Any:
    """Return 1 - tanh(x)^2, where tanh(x) is known, by 4 e/(1 + e)^2, e = exp(-2|x|), where little
    is left of the difference.
    """
    slope = 1 - tanh * tanh
    if type(slope) is np.float64:
        return slope if slope > _FAR["d"] else _far_out(x)
    least = _FAR[slope.dtype.char]
    if type(slope) is np.ndarray and slope.dtype.kind == "f":
        if not slope.size or slope.item(slope.argmin()) > least:
            return slope
        far = slope < least
        slope[far] = _far_out(x[far])
        return slope
    return np.where(np.abs(slope) < least, _far_out(x), slope)[()]


# the difference loses two digits at most
_FAR = {"d": 1 / 256, "D": 1 / 256, "f": 1 / 64, "F": 1 / 64, "e": 1 / 4}


def _far_out(x: Any) -> Any:
    e = np.exp(-2 * np.abs(x) if not np.iscomplexobj(x) else np.where(np.real(x) < 0, 2, -2) * x)
    return 4 * e / np.square(1 + e)


_square_of_secant = stated_derivative(_less_square, (lambda x, tanh, out: -2 * tanh * out, 0))

# sqrt((1 - x)(1 + x)) keeps the digits of 1 - x^2 near the ends, and the branch cuts outside [-1,
# 1]
_slope_of_arcsin = stated_derivative(
    lambda x: 1 / (np.sqrt(1 - x) * np.sqrt(1 + x)), (lambda x, out: x * out * (out * out),)
)
_slope_of_arctan = stated_derivative(
    lambda x: 1 / (1 + x * x), (lambda x, out: -2 * (x * out) * out,)
)
_slope_of_arccosh = stated_derivative(
    lambda x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1)), (lambda x, out: -(x * out) * (out * out),)
)
_slope_of_arctanh = stated_derivative(
    lambda x: 1 / ((1 - x) * (1 + x)), (lambda x, out: 2 * x * (out * out),)
)


def _over_root(x: Any) -> Any:
    # the branch cuts of arcsinh lie on the imaginary axis, outside of [-i, i]
    return (
        1 / np.hypot(x, 1)
        if x.dtype.kind != "c"
        else 1 / (np.sqrt(1 - 1j * x) * np.sqrt(1 + 1j * x))
    )


_slope_of_arcsinh = stated_derivative(_over_root, (lambda x, out: -(x * out) * (out * out),))


# -- scaling by powers of two

ldexp: BinaryUfunc = elementwise(np.ldexp)
ldexp.partials(lambda call: (lambda: np.ldexp(np.ones_like(call.x), call.y), None))


@numpy_composition(np.frexp)
def frexp(x: ArrayLike, /) -> tuple[Array, ...]:
    """Return mantissa and binary exponent; the exponent is constant."""
    exponent = _binary_exponent(x)
    return ldexp(x, -exponent), exponent


@step
def _binary_exponent(x):
    return np.frexp(x)[1]


def magnitude(v: Any) -> Any:
    """Return a power of two near the norm of vectors along the last axis, a constant; 1 where that
    is 0 or not finite.

    Dividing by it changes no digit, so that a linear map of the quotient, times it, remains linear
    to the last. The quotient has a norm between 1/2 and 1, which tolerances of solvers that are not
    quite relative need.
    """
    sizes = abs(stop_gradient(v))
    # CuPy's max takes no `initial`; the sum of no elements is 0
    largest = np.max(sizes, axis=-1) if v.shape[-1] else np.sum(sizes, axis=-1)
    usable, limits = (largest > 0) & np.isfinite(largest), np.finfo(largest.dtype)
    of_largest = np.frexp(np.where(usable, largest, 1))[1]
    of_norm = np.frexp(np.sqrt(np.sum(np.ldexp(sizes, -of_largest[..., None]) ** 2, axis=-1)))[1]
    # its inverse is a number, too
    exponent = np.clip(of_largest + of_norm, limits.minexp, limits.maxexp - 1)
    return np.where(usable, np.ldexp(np.ones_like(largest), exponent), 1).astype(largest.dtype)


# -- sinc


@numpy_composition(np.sinc)
def sinc(x: ArrayLike) -> Array:
    """Return sin(pi x) / (pi x), and 1 at 0.

    The product pi x is rounded, as by NumPy, which costs digits of values and derivatives at large
    x and beside their zeros.
    """
    return _sinc_derivative(np.pi * x, 0)


@elementwise
def _sinc_derivative(y, order):
    """Return the derivative of some order of f(y) = sin(y) / y."""
    # y f = sin y, differentiated n times, gives y f^(n) = sin^(n)(y) - n f^(n-1), which loses
    # digits for |y| < n; there the power series of f^(n)(y) = int_0^1 t^n cos(y t + n pi/2) dt is
    # summed: terms y^k cos((k + n) pi/2) / (k! (n+k+1)).
    near = np.abs(y) < 1 + order
    small, large = np.where(near, y, 0), np.where(near, 1, y)
    series, power = np.zeros_like(y), np.ones_like(y)
    for k in range(24 + 4 * order):
        series = series + power * ((1, 0, -1, 0)[(k + order) % 4] / (order + k + 1))
        power = power * small / (k + 1)
    recurrence = np.sin(large) / large
    for n in range(1, order + 1):
        circular = (np.sin, np.cos)[n % 2](large) * (1, 1, -1, -1)[n % 4]
        recurrence = (circular - n * recurrence) / large
    return np.where(near, series, recurrence)[()]


_sinc_derivative.partials(lambda call: (lambda: _sinc_derivative(call.y, call.order + 1), None))
