"""Minima of functions."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from scigrad import numpy as snp
from scigrad.autodiff_rules import grad, hessian, hvp, jvp
from scigrad.autodiff_rules.messages.errors import MissingRule
from scigrad.typing import Array, Value

from .solutions import (
    Elementwise,
    Found,
    Plain,
    as_start,
    check_host,
    solve_equation,
    try_derivative,
)
from .unknowns import Unknowns, active_bounds, sides_of, stationary

__all__ = ["minimize", "minimize_scalar"]

Function = Callable[..., Any]
_WITHOUT_GRADIENT = ("nelder-mead", "powell", "cobyla", "cobyqa")
_SECOND = {
    "dogleg": "hess",
    "trust-exact": "hess",
    "newton-cg": "hessp",
    "trust-ncg": "hessp",
    "trust-krylov": "hessp",
}


def minimize(
    fun: Function,
    x0: Value,
    args: tuple[Any, ...] = (),
    method: str | None = None,
    jac: Function | bool | str | None = None,
    hess: Any = None,
    hessp: Function | None = None,
    bounds: Any = None,
    constraints: Any = (),
    tol: float | None = None,
    callback: Function | None = None,
    options: dict[str, Any] | None = None,
) -> Any:
    """Return a minimum of a function, by one of several methods that get its derivatives.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args)``, real, of shape (), or with the gradient as a pair if `jac` is True. The
        values that it closes over may be traced.
    x0 : array_like of shape (n,), or a container of arrays
        Where to begin. A dict or another container of real or complex arrays of any shapes is
        varied as one vector; `fun` gets the container.
    args : tuple, optional
        Further arguments of the functions, traced or not.
    method : str, optional
        SciPy's name of the method.
    jac : callable, bool or str, optional
        Gradient; by default that of automatic differentiation, for methods that use one.
        "2-point" stands for differences.
    hess : callable, str or HessianUpdateStrategy, optional
        Hessian; by default, for "dogleg" and "trust-exact", that of automatic differentiation.
    hessp : callable, optional
        Product of the Hessian with a vector; by default, for "newton-cg", "trust-ncg" and
        "trust-krylov", that of automatic differentiation.
    bounds : sequence or Bounds, optional
        Pairs (min, max) for each element of x, None for no bound; they may be traced.
    constraints : dict, list or constraint objects, optional
        Constraints. The derivative of a minimum under constraints is refused.
    tol : float, optional
        Tolerance.
    callback : callable, optional
        Called after each iteration, see `scipy.optimize.minimize`.
    options : dict, optional
        Further options of the method.

    Returns
    -------
    OptimizeResult
        SciPy's details, with the minimum, in the structure of x0, as attribute ``x`` and its value,
        of shape (), as attribute ``fun``.

    Raises
    ------
    ValueError
        If a derivative is asked for where the Hessian is singular, where the gradient is 0 at an
        active bound, or of a minimum that the iteration has not reached.
    MissingRule
        If a derivative is asked for under constraints.

    Warns
    -----
    RuntimeWarning
        If `fun` cannot be differentiated and differences stand for the gradient.

    Notes
    -----
    The algorithm is SciPy's. Derivatives: of ``x`` and ``fun`` by what the function and its bounds
    depend on, forward and reverse mode, any order, vmap with a loop over the batch; the gradient g
    is 0, so that ``x' = -H^-1 g_theta theta'``, and elements at an active bound follow it. They are
    those of the exact minimum, and 0 by x0.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, numpy as snp, optimize
    >>> def banana(x, a):
    ...     return 100 * (x[1] - x[0] ** 2) ** 2 + (a - x[0]) ** 2
    >>> second = lambda a: optimize.minimize(banana, np.zeros(2), (a,)).x[1]
    >>> print(round(float(grad(second)(3.0)), 6))  # the minimum is a, a^2
    6.0
    """
    args = args if isinstance(args, tuple) else (args,)
    check_host("minimize", x0, args)
    unknowns = Unknowns(x0)
    given = {"method": method, "constraints": constraints, "tol": tol, "options": options}

    def loss(vector: Array) -> Array:
        found = fun(unknowns.unknowns(vector), *args)
        return snp.reshape(found[0] if jac is True else found, ())

    def solve(plain: Plain) -> Found:
        users = functools.partial(_of_vector, plain, unknowns, args)
        start = as_start(unknowns.vector(plain.value(x0)))
        gradient, by = users(jac), method.lower() if isinstance(method, str) else ""
        if jac is True:
            gradient = users(lambda *at: unknowns.vector(fun(*at)[1]))
        elif jac is None and by not in _WITHOUT_GRADIENT:
            gradient = try_derivative("minimize", plain, grad(loss), start)
        second = {"hess": users(hess), "hessp": users(hessp)}
        if by in _SECOND and hess is None and hessp is None:
            second = {_SECOND[by]: plain.function(_second_derivative(loss, by))}
        result = scipy.optimize.minimize(
            plain.function(loss),
            start,
            jac=gradient,
            bounds=plain.value(bounds),
            callback=callback,
            **second,
            **given,
        )
        if plain.varies and np.size(constraints):
            raise MissingRule("minimize: a minimum under constraints has no derivative rule")
        return Found(result.x, active_bounds(plain, sides, result.x, grad(loss)), dict(result))

    sides = None if bounds is None else sides_of(bounds)
    found = solve_equation(
        "minimize", stationary(grad(loss), sides), solve, np.empty(unknowns.size)
    )
    fields = {"x": unknowns.unknowns(found.x), "fun": loss(found.x)}
    return scipy.optimize.OptimizeResult({**found.fields, **fields})


def _of_vector(plain: Plain, unknowns: Unknowns, args: Any, f: Any) -> Any:
    """Return a function of the user's as one of SciPy's vector; other choices remain."""
    if not callable(f):
        return f
    return plain.function(lambda x, *direction: f(unknowns.unknowns(x), *direction, *args))


def _second_derivative(loss: Function, method: str) -> Function:
    if _SECOND[method] == "hess":
        return hessian(loss)
    return lambda x, direction: hvp(loss, (x,), (direction,))[1]


def minimize_scalar(
    fun: Function,
    bracket: Any = None,
    bounds: Any = None,
    args: tuple[Any, ...] = (),
    method: str | None = None,
    tol: float | None = None,
    options: dict[str, Any] | None = None,
) -> Any:
    """Return a minimum of a function of one variable.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args)``, real. The values that it closes over may be traced.
    bracket : sequence of two or three floats, optional
        Points around the minimum, or near it.
    bounds : sequence of two floats, optional
        Ends of the interval for method "bounded"; they may be traced.
    args : tuple, optional
        Further arguments of fun, traced or not.
    method : {"brent", "bounded", "golden"}, optional
        SciPy's method.
    tol : float, optional
        Tolerance.
    options : dict, optional
        Further options of the method.

    Returns
    -------
    OptimizeResult
        SciPy's details, with the minimum, of shape (), as attribute ``x`` and its value as
        attribute ``fun``.

    Raises
    ------
    ValueError
        If a derivative is asked for where the second derivative of fun is 0, or of a minimum that
        the iteration has not reached.

    Notes
    -----
    The value is SciPy's. Derivatives: of ``x`` and ``fun`` by what fun and the bounds depend on,
    forward and reverse mode, any order, vmap with a loop over the batch; from ``f_x = 0`` follows
    ``x' = -f_xtheta / f_xx``, and a minimum at an end of the interval follows it. They are those of
    the exact minimum.

    Examples
    --------
    >>> from scigrad import grad, numpy as np, optimize
    >>> lowest = lambda a: optimize.minimize_scalar(lambda x: np.exp(x) - a * x).x
    >>> print(round(float(grad(lowest)(2.0)), 6))  # the minimum is log(a)
    0.5
    """
    args = args if isinstance(args, tuple) else (args,)
    check_host("minimize_scalar", args, bounds)
    given = {"method": method, "tol": tol, "options": options}

    def value(x: Any) -> Any:
        return snp.reshape(fun(x, *args), np.shape(x))

    def slope(x: Any) -> Any:
        return jvp(value, (x,), (np.ones_like(x),))[1]

    def solve(plain: Plain) -> Found:
        result = scipy.optimize.minimize_scalar(
            plain.function(fun, *args),
            bracket=plain.value(bracket),
            bounds=plain.value(bounds),
            **given,
        )
        x = np.atleast_1d(result.x)
        return Found(x, active_bounds(plain, sides, x, slope), dict(result))

    sides = None if bounds is None else sides_of([bounds])
    found = solve_equation(
        "minimize_scalar", stationary(slope, sides), solve, np.empty(1), Elementwise
    )
    fields = {"x": found.x[0], "fun": value(found.x)[0]}
    return scipy.optimize.OptimizeResult({**found.fields, **fields})
