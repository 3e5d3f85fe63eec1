"""Linear programs."""

from typing import Any

import numpy as np
import scipy.optimize

from scigrad import numpy as snp
from scigrad.autodiff_rules.boxes import is_transforming
from scigrad.autodiff_rules.messages.errors import MissingRule
from scigrad.typing import Array, ArrayLike, SparseLike

from .solutions import Found, Plain, check_host, result_of, solve_equation

__all__ = ["linprog"]


def linprog(
    c: ArrayLike,
    A_ub: SparseLike | None = None,
    b_ub: ArrayLike | None = None,
    A_eq: SparseLike | None = None,
    b_eq: ArrayLike | None = None,
    bounds: Any = (0, None),
    method: str = "highs",
    callback: Any = None,
    options: dict[str, Any] | None = None,
    x0: ArrayLike | None = None,
    integrality: ArrayLike | None = None,
) -> Any:
    """Return a minimum of ``c @ x`` under linear constraints.

    Parameters
    ----------
    c : array_like, shape (n,)
        Coefficients of the objective.
    A_ub : array_like or sparse array, shape (m, n), optional
        Matrix of the inequalities ``A_ub @ x <= b_ub``.
    b_ub : array_like, shape (m,), optional
        Right sides of the inequalities.
    A_eq : array_like or sparse array, shape (k, n), optional
        Matrix of the equations ``A_eq @ x = b_eq``.
    b_eq : array_like, shape (k,), optional
        Right sides of the equations.
    bounds : pair or sequence of pairs, optional
        Bounds (min, max) of all elements of x, or of each; None for no bound.
    method : str, optional
        SciPy's method.
    callback : callable, optional
        For methods that take one.
    options : dict, optional
        Options of the method.
    x0 : array_like, shape (n,), optional
        Where to begin, for methods that take it.
    integrality : array_like of ints, optional
        Which elements are integers.

    Returns
    -------
    OptimizeResult
        SciPy's details, with the minimum, of shape (n,), as attribute ``x`` and its value, of shape
        (), as attribute ``fun``.

    Raises
    ------
    ValueError
        If a derivative is asked for and the minimum is degenerate: not one vertex at which n
        constraints are active, each with a multiplier that is not 0.
    MissingRule
        If a derivative is asked for with `integrality`.

    Notes
    -----
    The value is SciPy's. Derivatives: of ``x`` and ``fun`` by all coefficients, right sides and
    bounds, forward and reverse mode, any order, vmap with a loop over the batch. The vertex solves
    the equations of its active constraints; its derivative by c is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, optimize
    >>> value = lambda b: optimize.linprog([-1.0, -2.0], [[1.0, 1.0], [0.0, 1.0]], b).fun
    >>> print(grad(value)(np.array([4.0, 3.0])))  # the multipliers
    [-1. -1.]
    """
    check_host("linprog", c, A_ub, b_ub, A_eq, b_eq, bounds)
    if not is_transforming():
        return scipy.optimize.linprog(
            c, A_ub, b_ub, A_eq, b_eq, bounds, method, callback, options, x0, integrality
        )
    given = {"method": method, "callback": callback, "options": options, "x0": x0}
    size = np.shape(c)[0]
    pairs = [bounds] * size if np.shape(bounds) == (2,) else bounds
    lower, upper = (
        snp.asarray([0.0 if side is None else side for side in sides])
        for sides in zip(*([(None, None)] * size if pairs is None else pairs), strict=True)
    )
    blocks = [
        (a if hasattr(a, "tocsr") else snp.asarray(a), snp.asarray(b))
        for a, b in ((A_eq, b_eq), (A_ub, b_ub))
        if a is not None
    ]

    def solve(plain: Plain) -> Found:
        matrices = plain.value({"A_ub": A_ub, "b_ub": b_ub, "A_eq": A_eq, "b_eq": b_eq})
        result = scipy.optimize.linprog(
            plain.value(c), **matrices, bounds=plain.value(bounds), integrality=integrality, **given
        )
        if result.x is None:
            raise ValueError(f"linprog: no minimum that has a derivative. {result.message}")
        if not plain.varies:
            return Found(result.x, None, dict(result))
        if integrality is not None and np.any(integrality):
            raise MissingRule("linprog: a minimum in integers has no derivative rule")
        return Found(result.x, _active(result), dict(result))

    def equation(x: Array, active: Any) -> Array:
        rows = [a @ x - b for a, b in blocks]
        return snp.concatenate([*rows, x - lower, x - upper])[active]

    found = solve_equation("linprog", equation, solve, np.empty(size))
    return result_of(found, found.x, fun=lambda x: snp.sum(snp.asarray(c) * x))


def _active(result: Any) -> Array:
    """Return the rows of the constraints that determine a vertex."""
    sides = [result.ineqlin, result.lower, result.upper]
    near = 1e-9 * max(1.0, np.abs(result.x).max())
    at = np.concatenate([np.asarray(side.residual) <= near for side in sides])
    multipliers = np.abs(np.concatenate([np.asarray(side.marginals) for side in sides]))
    count = np.size(result.eqlin.residual)
    strict = multipliers > 1e-9 * multipliers.max(initial=0.0)
    if count + np.count_nonzero(at) != result.x.size or np.any(at != strict):
        raise ValueError(
            "linprog: the minimum is degenerate, not a vertex that n active constraints with "
            "multipliers other than 0 determine, and has no derivative"
        )
    return np.concatenate([np.arange(count), count + np.flatnonzero(at)])
