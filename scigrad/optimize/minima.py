"""Minima of functions."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from scigrad import numpy as snp
from scigrad.autodiff_rules import grad, hessian, hvp
from scigrad.autodiff_rules.boxes import is_transforming
from scigrad.autodiff_rules.messages.errors import MissingRule
from scigrad.typing import Array, Value

from .solutions import (
    Elementwise,
    Found,
    Plain,
    as_start,
    check_host,
    result_of,
    run_with_derivative,
    solve_equation,
)
from .unknowns import Unknowns, active_bounds, sides_of, stationary

__all__ = ["minimize", "minimize_scalar"]

Function = Callable[..., Any]
_WITHOUT_GRADIENT = ("nelder-mead", "powell", "cobyla", "cobyqa")


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
    given = {"method": method, "constraints": constraints, "tol": tol, "callback": callback}
    differentiates = jac is None and _takes_gradient(method, options)
    if not is_transforming() and unknowns.is_vector and not differentiates:
        return scipy.optimize.minimize(
            fun, x0, args, jac=jac, hess=hess, hessp=hessp, bounds=bounds, options=options, **given
        )

    def value(x: Any, *args: Any) -> Any:
        return fun(x, *args)[0] if jac is True else fun(x, *args)

    def loss(vector: Array) -> Array:
        return snp.reshape(value(unknowns.unknowns(vector), *args), ())

    def solve(plain: Plain) -> Found:
        users = functools.partial(_of_vector, plain, unknowns, args)
        second = {"hess": users(hess), "hessp": users(hessp)}
        if hess is hessp is None:
            second = _second_derivative(plain, loss, method)

        def run(gradient: Any) -> Any:
            limits = {"bounds": plain.value(bounds), "options": options, **second, **given}
            return scipy.optimize.minimize(users(value), start, jac=gradient, **limits)

        start = as_start(unknowns.vector(plain.value(x0)))
        if differentiates:
            result = run_with_derivative("minimize", plain, grad(loss), run)
        else:
            result = run(users(_gradient_as_vector(unknowns, fun, jac)))
        if plain.varies and np.size(constraints):
            raise MissingRule("minimize: a minimum under constraints has no derivative rule")
        return Found(result.x, active_bounds(plain, sides, result.x, grad(loss)), dict(result))

    sides = None if bounds is None else sides_of(bounds)
    equation = stationary(grad(loss), sides)
    found = solve_equation("minimize", equation, solve, np.empty(unknowns.size))
    return result_of(found, unknowns.unknowns(found.x), fun=loss)


def _of_vector(plain: Plain, unknowns: Unknowns, args: Any, f: Any) -> Any:
    """Return a function of the user's as one of SciPy's vector; other choices remain."""
    if not callable(f):
        return f
    return plain.function(lambda x, *direction: f(unknowns.unknowns(x), *direction, *args))


def _takes_gradient(method: Any, options: dict[str, Any] | None) -> bool:
    """Return whether a method uses a gradient that it does not compute, as workers do."""
    if callable(method) or "workers" in (options or {}):
        return False
    return method is None or method.lower() not in _WITHOUT_GRADIENT


def _gradient_as_vector(unknowns: Unknowns, fun: Function, jac: Any) -> Any:
    """Return the user's gradient, of the structure of the unknowns, as a vector; other choices
    remain.
    """
    if jac is True:
        return lambda *at: unknowns.vector(fun(*at)[1])
    return (lambda *at: unknowns.vector(jac(*at))) if callable(jac) else jac


def _second_derivative(plain: Plain, loss: Function, method: Any) -> dict[str, Function]:
    """Return the Hessian, or its products, for a method that takes them, by name."""
    name = method.lower() if isinstance(method, str) else ""
    if name in ("dogleg", "trust-exact"):
        return {"hess": plain.function(hessian(loss))}
    if name in ("newton-cg", "trust-ncg", "trust-krylov"):
        return {"hessp": plain.function(lambda x, direction: hvp(loss, (x,), (direction,))[1])}
    return {}


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
    if not is_transforming():
        return scipy.optimize.minimize_scalar(fun, bracket, bounds, args, method, tol, options)
    given = {"method": method, "tol": tol, "options": options}

    def value(x: Any) -> Any:
        return snp.reshape(fun(x, *args), np.shape(x))

    def slope(x: Any) -> Any:
        return Elementwise.slope(value, x)

    def solve(plain: Plain) -> Found:
        result: Any = scipy.optimize.minimize_scalar(
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
    return result_of(found, found.x[0], fun=lambda x: value(x)[0])
