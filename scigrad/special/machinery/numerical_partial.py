"""The last resort for a partial derivative without a closed form and without a series that is worth
its lines.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, elementwise, stop_gradient
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.devices import constant_beside
from scigrad.typing import Array, ArrayLike

from .ufuncs import holds_somewhere, row

# central differences of order 8, and of order 6 from three of the four pairs
_NODES = (1, -1, 2, -2, 3, -3, 4, -4)
_WEIGHTS = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
_OF_ORDER_6 = (3 / 4, -3 / 20, 1 / 60)
# weights of the sums of pairs, which add up to 0 for even polynomials up to x^4
_ODDITY = (-7, 14, -9, 2)
_STEP = 2.0**-5
_SMALLER = 1 / 8  # the part of the step that is tried if the differences are not trusted
_TRUSTED = 1e-7
_MANY = 100  # scales grow from here on
# roundings: values that differ by less have derivatives that are wrong by more than a thousandth
_NOISE = 1000
_AGAIN = 8  # as large in second derivatives
_ROUNDED = 1e4  # beyond, steps are powers of 2
# an error of any derivative: SciPy's values of distribution functions are noise or 0 down there
_NEGLIGIBLE = 1e-250


def numerical_partial(
    f: Callable[..., Any],
    position: int,
    *args: Any,
    scale: ArrayLike | Callable[..., Any] = 1.0,
    constant: ArrayLike = False,
    straight: ArrayLike = False,
) -> Array:
    """Differentiate an elementwise function numerically in one argument, by central differences of
    order 8.

    Parameters
    ----------
    f : callable
        Function that broadcasts over its arguments.
    position : int
        Argument to differentiate in.
    *args : array_like
        Arguments of f, plain or traced.
    scale : array_like or callable, optional
        Length over which f varies in that argument, or a function of the argument that returns it:
        nodes lie at distances up to an eighth of it. It broadcasts with the arguments.
    constant : array_like of bool, optional
        Where f does not depend on that argument, so that equal values say that the derivative is 0.
    straight : array_like of bool, optional
        Where f is linear in that argument, or nearly, so that a second derivative which rounding
        hides stands as it is found.

    Returns
    -------
    ndarray
        Partial derivative in the precision of the arguments; nan where the formulas of orders 8 and
        6 differ by more than 1e-7, relative to the derivative and to f over the scale, and by more
        than 1e-250, with an eighth of the step as well. It is nan too where rounding is more than a
        thousandth of it: where the nodes are one number, or values on both sides differ by less
        than 1000 times their rounding, or what the differences tell about it, all the more where
        they are equal and not 0. The second derivative is nan where the values do not tell a bend
        of that size from their rounding.

    Notes
    -----
    f is called on a new leading axis of 8 nodes, in double precision; once more on nearer nodes if
    some differences are not trusted: nodes outside of the domain, or f varies faster than the scale
    says. The result is composed of calls of f, so it is differentiable: in other arguments by their
    partials, in the same argument by differences of differences, at the cost of 64 values and two
    digits.

    Errors measured against mpmath, relative to the partial derivative plus the function, median and
    largest of 40 points:

    ==================  =======  =======    ==================  =======  =======
    jv, v in (0, 20)    8e-14    5e-13      hyp2f1, a           6e-15    7e-13
    jv, v in (0, 200)   2e-13    1e-11      hyp2f1, c           3e-14    4e-12
    yv, v               1e-14    1e-10      hyp1f1, a           5e-15    9e-14
    kv, v               3e-15    3e-12      hyp1f1, b           2e-14    4e-12
    iv, v               8e-15    1e-11      hyperu, a           9e-13    2e-8
    struve, v           3e-14    2e-12      pbdv, v             3e-14    2e-8
    modstruve, v        1e-14    7e-13      pbvv, v             2e-12    2e-9
    betainc, a          7e-15    4e-11      zeta, x             3e-12    8e-11
    eval_legendre, n    7e-14    8e-11
    ==================  =======  =======    ==================  =======  =======

    The largest errors are SciPy's own: its values have that noise, 32 times less of it. Relative
    errors over wide domains are recorded in tests/special/test_parameters.py.
    """
    args = tuple(x if hasattr(x, "dtype") else np.asarray(x) for x in args)
    dtype = np.result_type(*(x.dtype for x in args), np.float16)
    wide = [
        x if x.dtype.kind in "iub" else x.astype(np.result_type(x.dtype, np.float64)) for x in args
    ]
    x = wide[position] + 0.0
    fixed = stop_gradient(x)
    # at infinity nodes are one value: the derivative is 0 if that is finite, and nan otherwise
    infinite = np.isinf(fixed)
    known = infinite | constant, infinite | constant | straight
    step = np.where(infinite, 1.0, _STEP * (scale(fixed) if callable(scale) else scale))
    # nodes without rounding errors
    step = np.where(np.abs(fixed) > _ROUNDED, np.ldexp(1.0, np.frexp(step)[1] - 1), step)
    found, doubtful = _central_differences(f, position, wide, x, step, known)
    # all elements at once under vmap and on a device
    if holds_somewhere(doubtful):
        again, still = _central_differences(f, position, wide, x, _SMALLER * step, known)
        # 0 times nan is for none else
        found = np.where(doubtful, again * np.where(doubtful & still, np.nan, 1.0), found)
    return found.astype(np.result_type(dtype, np.complex64) if np.iscomplexobj(found) else dtype)


def _central_differences(
    f: Callable[..., Any], position: int, args: Sequence[Any], x: Any, step: Any, known: Any
) -> tuple[Any, Any]:
    """Return the differences of order 8 in x, and where those of order 6 do not confirm them, nor
    are they `known` to be 0.
    """
    rank = max(a.ndim for a in args)
    x, spread = (np.reshape(v, (1,) * (rank - v.ndim) + v.shape) for v in (x, step))
    at, eighths, sixths, oddity = (
        _on_axis_0(numbers, rank, x) for numbers in (_NODES, _WEIGHTS, _OF_ORDER_6, _ODDITY)
    )
    nodes = x + at * spread
    y = f(*args[:position], nodes, *args[position + 1 :])
    pairs = y[::2] - y[1::2]
    eighth = np.sum(eighths * pairs, axis=0) / spread
    # What follows is about numbers alone: none of it is recorded.
    values, gaps, found = (stop_gradient(v) for v in (y, pairs, eighth))
    with np.errstate(invalid="ignore"):
        first, second = stop_gradient(nodes)[:2]
        same = (first == second) & np.isfinite(stop_gradient(x))
        apart = np.abs(found - np.sum(sixths * gaps[:3], axis=0) / spread)
        size = np.abs(found) + np.abs(values[0]) * (_STEP / spread)
        change = values - values[7]
        odd, sums = np.max(np.abs(gaps), axis=0), change[::2] + change[1::2]
        uneven = np.abs(np.sum(oddity * sums, axis=0))
        # The formulas of both orders differ by a sixteenth part of the noise, and the sum has it 16
        # times.
        rounding = np.maximum(uneven / 16, np.finfo(np.float64).eps * np.abs(values[0]))
        varied = np.abs(change[0])
        noisy = (
            _lost(odd, np.maximum(16 * apart * spread, rounding), spread, varied) & ~known[0] | same
        )
        if isinstance(x, Traced):  # the second derivative is made of the same values
            bent = np.max(np.abs(sums - sums[3]), axis=0)
            eighth = eighth + _nan_derivative(
                x, _lost(bent, _AGAIN * rounding, spread * spread, varied) & ~known[1]
            )
        return eighth, ~(apart <= np.maximum(_TRUSTED * size, _NEGLIGIBLE)) | noisy


def _on_axis_0(numbers: Sequence[float], rank: int, x: Any) -> Any:
    """Return numbers along the first of 1 + rank axes, in the library of x."""
    return constant_beside(np.reshape(numbers, (-1, *(1,) * rank)), x)


def _lost(largest: Any, noise: Any, divisor: Any, varied: Any) -> Any:
    """Return where the largest difference is noise, unless its quotient is negligible or the values
    are even, or odd, about x.
    """
    least = _NOISE * noise
    return (largest < least) & (least > _NEGLIGIBLE * divisor) & ((largest > 0) | (varied < least))


@elementwise
def _nan_derivative(x, lost):
    """Return 0, the derivative of which is nan where it is lost."""
    return np.zeros_like(x) * lost


@_nan_derivative.partials
def _(call: Any) -> Any:
    return lambda: np.where(call.lost, np.nan, 0.0), None


def even_partial(f: Any, position: int, *args: Any, scale: Any = 1.0) -> Any:
    """Return the partial of a function that is even in an argument, for small values of that: by
    Gauss's rule for the second derivative, which the rounding of values does not hide.
    """
    x, first = args[position], functools.partial(numerical_partial, f, position, scale=scale)
    # nearer to 0 the next term is less than rounding
    at = np.where(np.abs(stop_gradient(x)) < 1e-7, stop_gradient(x), x) / math.sqrt(3)
    return x * numerical_partial(
        first, position, *args[:position], at, *args[position + 1 :], scale=scale
    )


def power_scale(x: Any) -> Any:
    """Return the scale of x**v in v, which falls with the logarithm of small and large x."""
    return 1 / (1 + np.abs(np.log(np.maximum(np.abs(stop_gradient(x)), 1e-300))) / 2)


def pole_distance(x: Any) -> Any:
    """Return the scale of a function with poles at 0, -1, -2, ... at x: half of the distance to the
    nearest one, at most 1.
    """
    x = stop_gradient(x)
    return np.minimum(np.where(x > 0.5, x, np.abs(x - np.rint(x))) / 2, 1.0)


def growing(near: Any, x: Any, rate: Any) -> Any:
    """Return a scale that is `near`, and for x above 100, far from poles at 0, -1, ..., up to a
    quarter of x.

    `rate` is the slope of the function's logarithm apart from a dependence on x itself: that of a
    tail, or one over a standard deviation.
    """
    x = stop_gradient(x)
    return np.where(x > _MANY, np.fmax(near, 1 / (2 * rate + 4 / np.maximum(x, _MANY))), near)


def partial_from_smaller_tail(
    lower: Any, upper: Any, position: int, scale: Callable[..., Any]
) -> Any:
    """Return the partial of a distribution function in a parameter, taken from the smaller of
    itself and its complement.

    The two have opposite slopes, and differences of values near 1 are noise. `lower` and `upper`
    return the functions, which are not declared yet where this is written; the partial is that of
    the lower. The scale is a function of all arguments.
    """

    @functools.cache
    def smaller() -> Any:
        f, g = lower(), upper()

        def values(*args: Any) -> Any:
            if library(*args) != "numpy":  # a selection waits for the device
                return np.where(args[-1], f(*args[:-1]), -g(*args[:-1]))
            *at, small = np.broadcast_arrays(*args)
            out = np.empty(small.shape, np.result_type(*at))
            out[small], out[~small] = f(*(x[small] for x in at)), -g(*(x[~small] for x in at))
            return out[()]

        declared = elementwise((lambda a, x, small: values(a, x, small)) if f.arity == 2 else
                               (lambda a, b, x, small: values(a, b, x, small)))  # fmt: skip

        @declared.partials
        def _(call: Any) -> Any:
            *at, small, out = call[:-1]
            given = (*at, np.where(small, out, 1 + out))
            rules = [functools.partial(p, *given) for p in f.closed]
            rules[position] = lambda: numerical(*at, small)
            return (*rules, None)

        return declared

    def numerical(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            length = scale(*map(stop_gradient, args[:-1]))
        return numerical_partial(smaller(), position, *args, scale=length)

    return lambda *args: numerical(*args[:-1], stop_gradient(args[-1]) < 0.5)


def solutions(
    position: int, *slopes: Any, scale: Callable[[Any], Any] = np.ones_like, **options: Any
) -> Any:
    """Declare a ufunc of SciPy's with several outputs, as `row`, by their partials in the last
    argument.

    The parameter before it, at `position`, is differentiated numerically, on a scale that depends
    on the last argument; those before have no derivative.
    """

    def state(function: Any) -> Any:
        def numerical(i: int) -> Any:
            return lambda *args: numerical_partial(
                lambda *given: declared(*given)[i],
                position,
                *args[:-1],
                scale=scale(stop_gradient(args[-2])),
            )

        rows = [(*[None] * position, numerical(i), slope) for i, slope in enumerate(slopes)]
        declared = row(*rows, **options)(function)
        return declared

    return state
