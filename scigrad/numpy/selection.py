"""One of several values for each element: where, maximum, minimum, clip and similar functions.

Where two arguments of a maximum are equal, each gets half of the derivative: of all subgradients at
the tie that is the one of smallest norm.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, Traced, elementwise, linear
from scigrad.autodiff_rules.masked import partly
from scigrad.autodiff_rules.trace import as_scalar
from scigrad.autodiff_rules.vectorize import align_batches
from scigrad.typing import Array, ArrayLike, BinaryUfunc, Out

from .comparison import equal, isfinite, step
from .composition import describe_ufunc, numpy_composition
from .ties import infinitesimal, parts_of_two, tie_slopes

__all__ = [
    "choose", "clip", "copysign", "fmax", "fmin", "heaviside", "maximum", "minimum", "nan_to_num",
    "select", "where",
]  # fmt: skip


# -- where


@numpy_composition(np.where)
def where(condition: ArrayLike, x: ArrayLike | None = None, y: ArrayLike | None = None, /) -> Any:
    """Return elements of x where the condition holds, of y elsewhere; with the condition only, the
    indices where it holds.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad
    >>> print(grad(lambda x: np.sum(np.where(x > 0, 2 * x, 0.0)))(np.array([-1.0, 3.0])))
    [0. 2.]
    """
    if x is None or y is None:
        if x is not y:
            raise ValueError("either both or neither of x and y should be given")
        return np.nonzero(condition)
    if x is ZERO or y is ZERO:
        return ZERO if x is y else chosen(condition, *(0 if v is ZERO else v for v in (x, y)))
    return chosen(condition, x, y)


@linear("x", "y", drops=True)
def chosen(condition: ArrayLike, x: ArrayLike, y: ArrayLike) -> Array:
    """Return where(condition, x, y): a number of numbers, which may meet arrays on a device, and
    not an array without axes.
    """
    # CuPy takes no bool
    return as_scalar(
        np.where(condition if hasattr(condition, "dtype") else np.asarray(condition)[()], x, y)
    )


chosen.__name__ = "where"  # Errors are about the public function.


@chosen.adjoint
def _(call, g):
    # not a product with the condition: an infinite cotangent of one branch must not reach the other
    # as NaN
    return {"x": lambda: chosen(call.condition, g, 0), "y": lambda: chosen(call.condition, 0, g)}


@chosen.batched
def _(call, batched):
    return chosen(*align_batches(call[:3], batched[:3]))


@numpy_composition(np.select)
def select(
    condlist: Sequence[ArrayLike], choicelist: Sequence[ArrayLike], default: ArrayLike = 0
) -> Array:
    """Return for each element the first choice whose condition holds."""
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"select: {len(condlist)} conditions for {len(choicelist)} choices; it needs one for "
            "each."
        )
    out = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        out = where(condition, choice, out)
    return out


@numpy_composition(np.choose)
def choose(a: ArrayLike, choices: ArrayLike, out: Out | None = None, mode: str = "raise") -> Array:
    """Return for each element of an array of integers the choice of that number, see
    `numpy.choose`.
    """
    if mode not in ("raise", "wrap", "clip"):
        raise ValueError(f'choose: mode must be "raise", "wrap" or "clip", not {mode!r}')
    count = len(choices)
    a = a if hasattr(a, "dtype") else np.asarray(a)
    if (
        mode == "raise"
        and isinstance(a, (np.ndarray, np.generic))
        and not np.all((a >= 0) & (a < count))
    ):
        raise ValueError(
            f"choose: the array selects among {count} choices, but holds numbers outside 0 to "
            f"{count - 1}"
        )
    a = np.clip(a, 0, count - 1) if mode == "clip" else np.mod(a, count)
    # a new array, as NumPy makes
    result = where(True, choices[0], choices[0]) if count == 1 else choices[0]
    for i in range(1, count):
        result = where(equal(a, i), choices[i], result)
    return result


# -- the larger and the smaller


def _extremum(ufunc: Any, better: Any, ignores_nan: bool) -> Any:
    function = elementwise(ufunc)
    function.sees_infinitesimals = True

    def share(x: Any, y: Any) -> Any:
        other = y if ignores_nan else x
        return 0.5 * (x == y) + (better(x, y) | (other != other))  # NaN differs from itself

    def partial(position: int) -> Any:
        """Return the partial derivative in an argument: 1 where it is chosen, 1/2 at a tie, absent
        elsewhere.
        """

        def part(x: Any, y: Any, out: Array) -> Any:
            found = share(y, x) if position else share(x, y)
            traced = isinstance(x, Traced) or isinstance(y, Traced)
            if traced and infinitesimal(x, y) is not None:
                parts = parts_of_two(x, y, 1 if better is np.greater else -1, ufunc.__name__)
                found = np.where(x == y, parts[position], found)
            return partly(found, lambda: found != 0)

        return part

    function.partials((partial(0), partial(1)))
    return describe_ufunc("Where both are equal, each gets half of the derivative.")(function)


maximum: BinaryUfunc
minimum: BinaryUfunc
maximum, minimum = _extremum(np.maximum, np.greater, False), _extremum(np.minimum, np.less, False)
fmax: BinaryUfunc
fmin: BinaryUfunc
fmax, fmin = _extremum(np.fmax, np.greater, True), _extremum(np.fmin, np.less, True)


@numpy_composition(np.clip)
def clip(
    a: ArrayLike,
    a_min: ArrayLike | None = None,
    a_max: ArrayLike | None = None,
    out: Out | None = None,
    *,
    min: ArrayLike | None = None,
    max: ArrayLike | None = None,
) -> Array:
    """Limit the elements to an interval: minimum(maximum(a, a_min), a_max).

    At a bound the array and the bound share the derivative, as in `maximum`.
    """
    low, high = a_min if min is None else min, a_max if max is None else max
    a = (np.copy(a) if high is None else a) if low is None else maximum(a, low)
    return a if high is None else minimum(a, high)


# -- signs


copysign: Any = describe_ufunc("In x the derivative is 0 at 0; in y there is none.")(
    elementwise(np.copysign)
)
copysign.sees_infinitesimals = True
copysign.partials(lambda call: (lambda: _side(call.x) * np.copysign(1.0, call.y), 0))


def _side(x: Any) -> Any:
    """Return the sign of x, of an infinitesimal where x is 0."""
    return np.sign(x if infinitesimal(x) is None else np.where(x == 0, tie_slopes(x)[0], x))


heaviside: BinaryUfunc = describe_ufunc(
    "Constant in x; in the value at 0 the derivative is 1 where x is 0."
)(elementwise(np.heaviside))
heaviside.partials(lambda call: (0, lambda: 1.0 * (call.x == 0)))


# -- NaN and infinity


@numpy_composition(np.nan_to_num)
def nan_to_num(
    x: ArrayLike,
    copy: bool | None = True,
    nan: ArrayLike = 0.0,
    posinf: ArrayLike | None = None,
    neginf: ArrayLike | None = None,
) -> Any:
    """Replace NaN and infinities by numbers; the derivative is that of the identity where x is
    finite, 0 elsewhere.
    """
    if x.dtype.kind == "c":
        real, imag = (nan_to_num(part, True, nan, posinf, neginf) for part in (x.real, x.imag))
        out = real + 1j * imag
    else:
        out = where(isfinite(x), x, _numbers(x, nan, posinf, neginf))
    if not copy and isinstance(x, Traced):
        x[...] = out
        return x
    return out


@step
def _numbers(x, nan, posinf, neginf):
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)
