"""The unknowns of a problem as the real vector that SciPy's functions vary, and their bounds."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from scigrad import numpy as snp
from scigrad.autodiff_rules import jacobian
from scigrad.autodiff_rules.containers import flatten
from scigrad.autodiff_rules.spaces import space
from scigrad.typing import Array, Value

from .solutions import Plain

Function = Callable[..., Any]


class Unknowns:
    """Structure of the unknowns: a vector (a list of numbers is one), a complex array, or a dict or
    another container of arrays. A complex number counts as two real ones.
    """

    def __init__(self, start: Value) -> None:
        leaves, self.tree = flatten(_as_given(start))
        self.spaces = [space(x) for x in leaves]
        self.size = sum(int(np.prod(x.shape)) * (1 + (x.dtype.kind == "c")) for x in self.spaces)
        only = self.spaces[0]
        self.is_vector = self.tree.spec is None and only.dtype.kind != "c"

    def vector(self, unknowns: Value) -> Array:
        """Return unknowns of this structure as a vector."""
        unknowns = _as_given(unknowns)
        if self.is_vector:
            return unknowns
        parts = []
        for x, its in zip(flatten(unknowns)[0], self.spaces, strict=True):
            flat: Array = np.ravel(x)
            parts += [flat.real, flat.imag] if its.dtype.kind == "c" else [flat]
        return np.concatenate(parts)

    def unknowns(self, vector: Array) -> Any:
        """Return unknowns of this structure from a vector."""
        if self.is_vector:
            return vector
        leaves, end = [], 0
        for its in self.spaces:
            size = int(np.prod(its.shape))
            x, end = vector[end : end + size], end + size
            if its.dtype.kind == "c":
                x, end = x + 1j * vector[end : end + size], end + size
            leaves.append(snp.reshape(x, its.shape))
        return self.tree.unflatten(leaves)


def stationary(gradient: Function, sides: Any = None) -> Function:
    """Return the equation of a minimum within bounds, 0 where the gradient is, or the distance from
    a bound that is active.
    """

    def equation(x: Array, active: Any) -> Array:
        found = gradient(x)
        if active is not None:
            for side, at in zip(sides, active, strict=True):
                found = snp.where(at, x - snp.where(at, side, 0.0), found)
        return found

    return equation


def active_bounds(plain: Plain, sides: Any, x: Array, gradient: Function) -> Any:
    """Return which unknowns are held by their lower and by their upper bound.

    Some methods stay at a distance from bounds: a bound also holds an unknown that Newton's method
    would take across. Raises a ValueError if the gradient at a bound does not tell whether it holds
    the unknown.
    """
    if sides is None or not plain.varies:
        return None
    slope = plain.value(gradient(x))
    near = 1e-6 * np.maximum(1.0, np.abs(x))
    lower, upper = map(plain.value, sides)
    at = (x - lower <= near) & (lower > -np.inf), (upper - x <= near) & (upper < np.inf)
    hessian = plain.value(jacobian(gradient)(x))
    free = ~(at[0] | at[1]) & np.isfinite(hessian).all()
    step = np.zeros_like(x)
    step[free] = np.linalg.lstsq(hessian[np.ix_(free, free)], slope[free], rcond=None)[0]
    at = at[0] | (x - step < lower), at[1] | (x - step > upper)
    held, sizes = at[0] | at[1], np.abs(slope)
    noise = max(10 * sizes[~held].max(initial=0.0), 1e-6 * sizes.max(initial=0.0))
    if np.any(held & (lower < upper) & ~(np.where(at[0], slope, -slope) > noise)):
        raise ValueError(
            "the minimum has no derivative: an element is at its bound, and the gradient there is 0"
        )
    return at


def sides_of(bounds: Any, paired: bool = False) -> list[Array]:
    """Return the lower and the upper bounds.

    Parameters
    ----------
    bounds : Bounds, pair or sequence
        SciPy's Bounds, the two sides if `paired`, otherwise a pair for each unknown, in which None
        is no bound.
    paired : bool, optional
        Whether the sides are given.

    Returns
    -------
    list of two arrays
        Lower and upper bounds.
    """
    if isinstance(bounds, scipy.optimize.Bounds):
        return [bounds.lb, bounds.ub]
    if paired:
        return [snp.asarray(side) for side in bounds]
    return [
        snp.asarray([infinity if bound is None else bound for bound in side])
        for side, infinity in zip(zip(*bounds, strict=True), (-np.inf, np.inf), strict=True)
    ]


def _as_given(x: Value) -> Value:
    """Return a number or a list of numbers as the vector that SciPy makes of it."""
    if isinstance(x, (list, tuple, int, float)) or (not np.ndim(x) and hasattr(x, "dtype")):
        return snp.atleast_1d(snp.asarray(x))
    return x
