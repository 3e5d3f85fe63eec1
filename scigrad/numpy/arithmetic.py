"""Sums, products, powers, roots and remainders, element by element."""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import elementwise
from scigrad.typing import Array, ArrayLike, BinaryUfunc, Out, UnaryUfunc

from .comparison import floor_divide, isinf, trunc
from .composition import describe_ufunc, numpy_composition
from .conversion import astype
from .joining import assemble
from .kinks import ElementwiseKinked
from .selection import where

__all__ = [
    "add", "cbrt", "deg2rad", "degrees", "divide", "divmod", "float_power", "fmod", "hypot", "mod",
    "modf", "multiply", "negative", "positive", "pow", "power", "rad2deg", "radians", "reciprocal",
    "remainder", "sqrt", "square", "subtract", "true_divide",
]  # fmt: skip

add: BinaryUfunc = elementwise(np.add)
add.partials((1, 1))
subtract: BinaryUfunc = elementwise(np.subtract)
subtract.partials((1, -1))
negative: UnaryUfunc = elementwise(np.negative)
negative.partials((-1,))
positive: UnaryUfunc = elementwise(np.positive)
positive.partials((1,))

multiply: BinaryUfunc = elementwise(np.multiply)
multiply.partials((lambda x, y, out: y, lambda x, y, out: x))

divide: BinaryUfunc = elementwise(np.divide)
true_divide: BinaryUfunc = divide
divide.partials((lambda x, y, out: _inverse(widen(y, out)), lambda x, y, out: -(out / y)))


def _inverse(y: Any) -> Any:
    # Python's own division by 0 raises
    return 1 / y if not isinstance(y, (int, float, complex)) or y else np.inf


def widen(x: Any, out: Array) -> Any:
    """Return an argument as an array in the precision of the result, integers in 64 bits: a
    function of a constant of half precision would be rounded to half precision although the other
    argument is not, and small integers wrap.
    """
    if hasattr(x, "__len__") and not hasattr(x, "dtype"):
        x = np.asarray(x)  # a list, a buffer
    dtype, size = (
        getattr(x, "dtype", out.dtype),
        out.dtype.itemsize // (2 if out.dtype.kind == "c" else 1),
    )
    if dtype.kind in "biu":
        return x.astype(np.int64)
    return x if dtype.itemsize >= size else x.astype(np.result_type(dtype, out.real.dtype))


def stated_derivative(kernel: Any, partials: Any) -> Any:
    """Return a derivative whose own are stated, where the rules for products and quotients would
    lose digits.

    The last argument may be a value that is known: it depends on the others, and its partial
    derivative is 0.
    """
    function = elementwise(kernel)
    function.partials(partials)
    return lambda *args: kernel(*args) if type(args[-1]) in _PLAIN else function(*args)


_PLAIN = frozenset((np.ndarray, np.float64, np.float32))

reciprocal: UnaryUfunc = elementwise(np.reciprocal)
reciprocal.partials((lambda x, out: -(out * out),))

square: UnaryUfunc = elementwise(np.square)
square.partials((lambda x, out: 2 * x,))

sqrt: UnaryUfunc = elementwise(np.sqrt)
sqrt.partials((lambda x, out: 0.5 / out,))

cbrt: UnaryUfunc = elementwise(np.cbrt)
cbrt.partials((lambda x, out: 1 / (3 * out * out),))


# -- powers

power: BinaryUfunc = describe_ufunc("Where the base is 0 the derivative in the exponent is 0.")(
    elementwise(np.power)
)
pow: BinaryUfunc = power

# d(x^y)/dx = y x^(y-1), which is 0 for y = 0 at every x, and d(x^y)/dy = x^y log x, which tends to
# 0 with x for Re y > 0. At x = y = 0 the power jumps in y (0^0 = 1); the derivative there is the
# one of x = 0, y > 0: zero.
power.partials(
    (lambda x, y, out: _by_base(x, y, out), lambda x, y, out: _exponent_partial(widen(x, out), out))
)


def _by_base(x: Any, y: Any, out: Array) -> Any:
    if isinstance(y, (int, float, complex)):
        return 0 if y == 0 else y if y == 1 else y * x if y == 2 else y * power(x, y - 1)
    if y.dtype.kind in "biu":  # y - 1 would overflow for unsigned integers
        y = y.astype(np.finfo(out.dtype).dtype)
    y = widen(y, out)
    return y * power(x, where(y == 0, 1, y - 1))


def _exponent_partial(x: Any, out: Array) -> Any:
    if out.dtype.kind == "c" and getattr(x, "dtype", np.dtype(type(x))).kind != "c":
        # a negative base of a complex power has the logarithm of its complex continuation
        x = x + 0j
    if isinstance(x, (int, float, complex)):
        return out * np.log(x).item() if x else 0 * out
    return out * np.log(where(x == 0, 1, x))


@numpy_composition(np.float_power)
def float_power(x1: ArrayLike, x2: ArrayLike, /, out: Out | None = None) -> Array:
    """Return x1**x2, in double precision at least."""
    x1, x2 = assemble(x1), assemble(x2)
    kind = np.result_type(x1, x2, np.float64)
    return power(astype(x1, kind), astype(x2, kind))


# -- remainders: x = y * quotient + remainder, with an integer quotient that is constant wherever it
# is smooth

remainder: BinaryUfunc = elementwise(np.remainder)
mod: BinaryUfunc = remainder
remainder.partials((1, lambda x, y, out: -floor_divide(x, y)))

fmod: BinaryUfunc = elementwise(np.fmod)
fmod.partials((1, lambda x, y, out: -trunc(x / y)))


@numpy_composition(np.divmod)
def divmod(x1: ArrayLike, x2: ArrayLike, /) -> tuple[Array, ...]:
    """Return quotient and remainder of the division that rounds down."""
    return floor_divide(x1, x2), remainder(x1, x2)


@numpy_composition(np.modf)
def modf(x: ArrayLike, /) -> tuple[Array, ...]:
    """Return fractional and integral part; the derivative belongs to the fractional part."""
    finite = where(isinf(x), 0, x)
    return finite - trunc(finite), trunc(x)


# -- lengths


hypot: BinaryUfunc = describe_ufunc(
    "At the origin the derivative is 0, the subgradient of smallest norm."
)(ElementwiseKinked(np.hypot))


@hypot.partials
def _(call):
    # (x, y) / |(x, y)|; at the origin the subgradient of smallest norm, 0, and so its derivatives
    length = where(call.out == 0, np.inf, call.out)
    return lambda: _share(call.x, call.y, length), lambda: _share(call.y, call.x, length)


def _of_share(call: Any) -> Any:
    x, y, length = call[:3]
    other = lambda: _share(y, x, length)  # noqa: E731
    return lambda: other() * other() / length, lambda: -call.out * other() / length, 0


def _over_length(x: Any, y: Any, length: Any) -> Any:
    return x / length


_share = stated_derivative(_over_length, _of_share)


# -- angles in other units


def _scaled_ufunc(ufunc: Any, factor: float) -> Any:
    function = elementwise(ufunc)
    function.partials((factor,))
    return function


deg2rad: UnaryUfunc
radians: UnaryUfunc
deg2rad, radians = _scaled_ufunc(np.deg2rad, np.pi / 180), _scaled_ufunc(np.radians, np.pi / 180)
rad2deg: UnaryUfunc
degrees: UnaryUfunc
rad2deg, degrees = _scaled_ufunc(np.rad2deg, 180 / np.pi), _scaled_ufunc(np.degrees, 180 / np.pi)
