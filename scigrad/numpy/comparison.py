"""Comparisons, tests, logic, rounding and bits: functions that are constant wherever they are
smooth.

No derivative passes through them, at any order; they batch like every elementwise function.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Primitive, elementwise, namespace_of
from scigrad.autodiff_rules.partials import Constant
from scigrad.autodiff_rules.vectorize import align_batches
from scigrad.typing import Array, ArrayLike, BinaryUfunc, Out, UnaryUfunc

from .composition import describe_ufunc, intercepts, numpy_composition

__all__ = [
    "allclose", "around", "array_equal", "array_equiv", "bitwise_and", "bitwise_count",
    "bitwise_invert", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift",
    "bitwise_xor", "ceil", "equal", "fix", "floor", "floor_divide", "gcd", "greater",
    "greater_equal", "invert", "iscomplex", "isclose", "isfinite", "isinf", "isnan", "isneginf",
    "isposinf", "isreal", "lcm", "left_shift", "less", "less_equal", "logical_and", "logical_not",
    "logical_or", "logical_xor", "nextafter", "not_equal", "right_shift", "rint", "round",
    "signbit", "spacing", "trunc",
]  # fmt: skip


class Step(Constant):
    """Elementwise function that is constant between its jumps."""

    # what it is on a device whose library has no such ufunc, or not for these dtypes
    otherwise: Any = None

    def batch(self, values: Any, batched: Any, size: int, loop: bool) -> tuple[Any, Any]:
        return self.evaluate(align_batches(values, batched))

    def _run(self, args: Any, kwargs: Any) -> Any:
        other = self.otherwise and namespace_of(*args) is not np
        return self.otherwise(*args, **kwargs) if other else super()._run(args, kwargs)


def step(kernel: Any) -> Any:
    """Declare an elementwise function without a derivative, and let it answer for a ufunc."""
    return Step(kernel)


equal: BinaryUfunc
not_equal: BinaryUfunc
equal, not_equal = step(np.equal), step(np.not_equal)
less: BinaryUfunc
less_equal: BinaryUfunc
less, less_equal = step(np.less), step(np.less_equal)
greater: BinaryUfunc
greater_equal: BinaryUfunc
greater, greater_equal = step(np.greater), step(np.greater_equal)

logical_and: BinaryUfunc
logical_or: BinaryUfunc
logical_and, logical_or = step(np.logical_and), step(np.logical_or)
logical_xor: BinaryUfunc
logical_not: UnaryUfunc
logical_xor, logical_not = step(np.logical_xor), step(np.logical_not)
_of_truth_values: tuple[Any, ...] = (logical_and, logical_or, logical_xor, logical_not)
for _function in _of_truth_values:  # complex numbers have truth values, too
    _function.otherwise = lambda *args, ufunc=_function.kernel: ufunc(*(x != 0 for x in args))

isfinite: UnaryUfunc
isinf: UnaryUfunc
isnan: UnaryUfunc
signbit: UnaryUfunc
isfinite, isinf, isnan, signbit = (
    step(np.isfinite),
    step(np.isinf),
    step(np.isnan),
    step(np.signbit),
)

# Rounding, and the grid of floating-point numbers
floor: UnaryUfunc
ceil: UnaryUfunc
trunc: UnaryUfunc
rint: UnaryUfunc
floor, ceil, trunc, rint = step(np.floor), step(np.ceil), step(np.trunc), step(np.rint)
floor_divide: BinaryUfunc = step(np.floor_divide)
nextafter: BinaryUfunc
spacing: Any
nextafter, spacing = (
    describe_ufunc("Tells of floating-point numbers, not of real ones: constant.")(step(f))
    for f in (np.nextafter, np.spacing)
)


def _gap(x: Any) -> Any:
    with np.errstate(invalid="ignore"):  # inf - inf is the gap of an infinity: NaN, as in NumPy
        return np.copysign(np.nextafter(abs(x), np.inf) - abs(x), x)


spacing.otherwise = _gap

gcd: BinaryUfunc
lcm: BinaryUfunc
gcd, lcm = step(np.gcd), step(np.lcm)
bitwise_and: BinaryUfunc
bitwise_or: BinaryUfunc
bitwise_xor: BinaryUfunc
bitwise_and, bitwise_or, bitwise_xor = (
    step(np.bitwise_and),
    step(np.bitwise_or),
    step(np.bitwise_xor),
)
bitwise_invert: UnaryUfunc = step(np.invert)
bitwise_not: UnaryUfunc = bitwise_invert
invert: UnaryUfunc = bitwise_invert
bitwise_left_shift: BinaryUfunc = step(np.left_shift)
left_shift: BinaryUfunc = bitwise_left_shift
bitwise_right_shift: BinaryUfunc = step(np.right_shift)
right_shift: BinaryUfunc = bitwise_right_shift
bitwise_count: UnaryUfunc = step(np.bitwise_count)


@numpy_composition(np.round, constant=True)
def round(a: ArrayLike, decimals: int = 0, out: Out | None = None) -> Array:
    """Round to a number of decimals; constant between its jumps.

    To more than six decimals numbers are rounded to be tidy: then the derivative passes.
    """
    return _round(a, decimals) if decimals <= 6 else _tidy(a, decimals)


@step
def _round(a, decimals):
    return np.round(a, decimals)


@elementwise
def _tidy(a, decimals):
    return np.round(a, decimals)


_tidy.partials((1, 0))


around: Callable[..., Array] = numpy_composition(np.around, constant=True)(round)


@numpy_composition(np.fix, constant=True)
def fix(x: ArrayLike, out: Out | None = None) -> Array:
    """Round towards zero."""
    return trunc(x)


def _test(original: Any) -> Primitive:
    def kernel(x: Any) -> Any:
        return original(x)

    kernel.__name__, kernel.__doc__ = original.__name__, f"See `numpy.{original.__name__}`."
    return intercepts(original)(step(kernel))


iscomplex: Callable[..., Array]
isreal: Callable[..., Array]
iscomplex, isreal = _test(np.iscomplex), _test(np.isreal)


@numpy_composition(np.isposinf, constant=True)
def isposinf(x: ArrayLike, out: Out | None = None) -> Array:
    """Return whether x is plus infinity."""
    return equal(x, np.inf)


@numpy_composition(np.isneginf, constant=True)
def isneginf(x: ArrayLike, out: Out | None = None) -> Array:
    """Return whether x is minus infinity."""
    return equal(x, -np.inf)


@numpy_composition(np.isclose, constant=True)
def isclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-05,
    atol: ArrayLike = 1e-08,
    equal_nan: bool = False,
) -> Array:
    """Return whether a and b agree within a tolerance, element by element."""
    return _isclose(a, b, rtol, atol, equal_nan)


@step
def _isclose(a, b, rtol, atol, equal_nan):
    return np.isclose(a, b, rtol, atol, equal_nan)


@numpy_composition(np.allclose, constant=True)
def allclose(
    a: ArrayLike,
    b: ArrayLike,
    rtol: ArrayLike = 1e-05,
    atol: ArrayLike = 1e-08,
    equal_nan: bool = False,
) -> Any:
    """Return whether all elements of a and b agree within a tolerance."""
    return np.all(_isclose(a, b, rtol, atol, equal_nan))


@numpy_composition(np.array_equal, constant=True)
def array_equal(a1: ArrayLike, a2: ArrayLike, equal_nan: bool = False) -> Any:
    """Return whether two arrays have the same shape and elements."""
    if np.shape(a1) != np.shape(a2):
        return False
    same = equal(a1, a2)
    return np.all(same | (isnan(a1) & isnan(a2)) if equal_nan else same)


@numpy_composition(np.array_equiv, constant=True)
def array_equiv(a1: ArrayLike, a2: ArrayLike) -> Any:
    """Return whether two arrays have the same elements after broadcasting."""
    try:
        np.broadcast_shapes(np.shape(a1), np.shape(a2))
    except ValueError:
        return False
    return np.all(equal(a1, a2))
