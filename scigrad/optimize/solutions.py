"""Solutions of equations, as functions of all that the equations depend on.

A solver of SciPy's runs on plain values, and the implicit function theorem has the derivative:
F(x, theta) = 0 gives x' = -F_x^-1 F_theta'. The theta of a function that is handed to a solver are
the values it closes over, which no rule can name. So the theorem is applied to the transforms one
after another, from the outermost on. Once x is right for all transforms outside of one,

    x - F_x^-1 (F(x) - F(x) without its derivative in this transform)

has the same value, for the difference is 0, and the derivative in this transform as well, where F_x
needs none. Every order and mode follows, because a transform differentiates once.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.optimize

from scigrad import linalg
from scigrad import numpy as snp
from scigrad.autodiff_rules import Traced, jacobian, jvp, raw
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.boxes import BOXES, Batched, is_transforming
from scigrad.autodiff_rules.containers import flatten, map_leaves
from scigrad.autodiff_rules.messages.callers import warn
from scigrad.autodiff_rules.messages.errors import MissingKernel, MissingRule, TracedValueError
from scigrad.autodiff_rules.recording import bare
from scigrad.autodiff_rules.spaces import is_number
from scigrad.typing import Array, ArrayLike, Value

Function = Callable[..., Any]


class Plain:
    """Values without what transforms have put around them, for one element of each batch: `place`
    has its number, by the level of the vmap.
    """

    def __init__(self, place: Mapping[int, int]) -> None:
        self.place = place
        self.varies = False  # whether a transform differentiates one of the values
        self.is_recorded = False

    def value(self, x: Value) -> Any:
        """Return a container of plain values."""
        return map_leaves(self._leaf, x)

    def function(self, f: Any, *args: Any, **kwargs: Any) -> Any:
        """Return a function with plain values, for which the last arguments are given; what is no
        function, such as None, remains.
        """
        if not callable(f):
            return f
        return lambda *first: self.value(f(*first, *args, **kwargs))

    def _leaf(self, x: Any) -> Any:
        x = bare(x)
        while isinstance(x, Traced):
            if x._is_sealed:
                self.is_recorded = True
                raise TracedValueError(
                    "a solver of scigrad.optimize steers by values, which a program that jit "
                    "records has not yet. Call it outside of jit, or write its steps with "
                    "scigrad.while_loop"
                )
            if type(x) is Batched:
                if x._level not in self.place:
                    raise _BatchMet(x)
                x = x._value[self.place[x._level]]
            else:
                self.varies = True
                x = x._value
        return x


class _BatchMet(Exception):
    """A value of a vmap whose element is not chosen yet."""


class Found(NamedTuple):
    """Result of a solver: unknowns, what the equation needs to know of them (such as the bounds
    that are active), and the fields of SciPy's result.
    """

    x: Any
    state: Any
    fields: dict[str, Any]


class Dense:
    """Systems of equations, whose derivative by the unknowns is a matrix."""

    @staticmethod
    def slope(equation: Function, x: Array) -> Array:
        return jacobian(equation)(x)

    solve = staticmethod(linalg.solve)

    @staticmethod
    def weakest(slope: Array) -> Array:
        """Return the direction in which the value of the equation changes least."""
        return np.linalg.svd(slope)[2][-1]

    @staticmethod
    def product(slope: Array, direction: Array) -> Any:
        return np.linalg.norm(slope @ direction)


class Elementwise:
    """Equations for each element of the unknowns by itself."""

    @staticmethod
    def slope(equation: Function, x: Array) -> Array:
        return jvp(equation, (x,), (np.ones_like(x),))[1]

    @staticmethod
    def solve(slope: Array, value: Array) -> Array:
        return value / slope

    weakest = staticmethod(np.ones_like)

    @staticmethod
    def product(slope: Array, direction: Array) -> Any:
        return np.abs(slope * direction)


def vector_of_values(x: ArrayLike) -> Array:
    """Return the values of a function, which may be a list of numbers, as a vector."""
    return snp.reshape(snp.asarray(x), -1)


def check_host(name: str, *given: Any) -> None:
    """Refuse arguments that lie on a device: SciPy's solvers run on the host."""
    for x in flatten(given)[0]:
        if (where := library(raw(x))) != "numpy":
            raise MissingKernel(
                f"optimize.{name} runs on the host, and an argument is an array of {where}. Move "
                "the data there, by cupy.asnumpy(x)"
            )


def as_start(x: ArrayLike) -> Array:
    """Return where a solver begins, as an array of floating-point numbers."""
    x = np.asarray(x)
    return x if x.dtype.kind in "fc" else x.astype(float)


def run_with_derivative(
    name: str, plain: Plain, derivative: Function, run: Callable[[Function | None], Any]
) -> Any:
    """Return what SciPy's function returns with a derivative, or with differences where that cannot
    be computed.
    """
    try:
        return run(plain.function(derivative))
    except (MissingRule, TracedValueError) as error:
        if plain.is_recorded:
            raise
        warn(f"{name}: differences stand for the derivative. {error}", RuntimeWarning)
        return run(None)


def solve_equation(
    name: str,
    equation: Function,
    solver: Callable[[Plain], Found],
    blank: Array,
    kind: Any = Dense,
) -> Found:
    """Return what a solver found, with the unknowns as a function of all that the equation depends
    on.

    Parameters
    ----------
    name : str
        Name of the function that the user called.
    equation : callable
        ``equation(x, state)`` is 0 at the solution, of the shape of x.
    solver : callable
        ``solver(plain)`` runs SciPy's function on plain values.
    blank : ndarray
        Array of the shape and dtype of x, for an empty batch, for which the solver does not run.
    kind : Dense or Elementwise
        How the unknowns are coupled.

    Returns
    -------
    Found
        The solver's, with x traced.
    """

    if not is_transforming():
        return solver(Plain({}))

    def compute(plain: Plain) -> tuple[Found, Any]:
        found = solver(plain)
        return found, _refine(name, plain, equation, found, kind) if plain.varies else found.x

    found, exact = _over_batches(compute, {}, (Found(blank, None, {}), blank))
    moved = _follow(lambda x: equation(x, found.state), exact, kind)
    return found._replace(x=attach_derivative(found.x, moved))


def result_of(found: Found, x: Value, **values: Function) -> Any:
    """Return SciPy's result with x in it, and with the values of functions of the unknowns, which
    may write to these, where a transform differentiates them.
    """
    result = scipy.optimize.OptimizeResult({**found.fields, "x": x})
    if is_transforming():
        result.update({name: f(found.x + 0.0) for name, f in values.items()})
    return result


def attach_derivative(value: Array, moved: Any) -> Any:
    """Return a value with the derivatives of another one, which is close to it."""
    return value + (moved - _drop(moved, 0))


def _over_batches(compute: Callable[[Plain], Any], place: dict[int, int], blank: Any) -> Any:
    """Return the result of a function of plain values, batched where these are; for an empty batch
    it has the structure of `blank`.
    """
    try:
        return compute(Plain(place))
    except _BatchMet as met:
        (box,) = met.args
    places = [{**place, box._level: i} for i in range(box._value.shape[0])]
    rows = [_over_batches(compute, at, blank) for at in places] or [blank]

    def joined(*column: Any) -> Any:
        if not is_number(column[0]):
            return column[0]
        return Batched(snp.stack(column)[: len(places)], box._level, box._loop)

    return map_leaves(joined, *rows)


def _refine(name: str, plain: Plain, equation: Function, found: Found, kind: Any) -> Array:
    """Return the solution after a step of Newton's method, which the solver may have stopped short
    of: its derivative is taken there.

    Where the derivative of the equation changes by a step, or within the resolution of the numbers,
    as much as it is large, the solution is no simple one. One that is not finite has no derivative
    that is.
    """

    def slope(x: Array) -> Array:
        return plain.value(kind.slope(lambda y: equation(y, found.state), x))

    before = slope(found.x)
    if not (np.isfinite(before).all() and np.isfinite(found.x).all()):
        return found.x * np.nan
    try:
        with np.errstate(divide="ignore", invalid="ignore"):
            exact = found.x - kind.solve(before, plain.value(equation(found.x, found.state)))
        weakest = kind.weakest(before)
    except np.linalg.LinAlgError:
        raise _not_simple(name) from None
    step = np.sqrt(np.finfo(exact.dtype).eps) * np.linalg.norm(np.atleast_1d(exact))
    change = slope(exact + step * weakest) - before
    if not np.all(kind.product(change, weakest) < 0.1 * kind.product(before, weakest)):
        raise _not_simple(name)
    return exact


def _not_simple(name: str) -> ValueError:
    return ValueError(
        f"{name}: the derivative of this solution cannot be computed: it is a multiple one, "
        "or the solver stopped before it was near. A smaller tolerance may help; "
        "scigrad.stop_gradient(x) makes it a constant"
    )


def _follow(equation: Function, x: Any, kind: Any) -> Any:
    """Return a solution for plain values as a function of all that the equation depends on."""
    for level in sorted(set(_differentiating_levels(equation(x)))):
        value = _drop(equation(x), level + 1)
        slope = _drop(kind.slope(equation, x), level)
        x = x - kind.solve(slope, value - _drop(value, level))
    return x


def _differentiating_levels(x: Any) -> Iterator[int]:
    """Yield the levels of the transforms that differentiate a value."""
    while type(x) in BOXES:
        if type(x) is not Batched:
            yield x._level
        x = x._value


def _drop(x: Any, level: int) -> Any:
    """Return a value without its derivatives in transforms of a level or of later ones."""
    if type(x) not in BOXES or x._level < level:
        return x
    inner = _drop(x._value, level)
    return Batched(inner, x._level, x._loop) if type(x) is Batched else inner
