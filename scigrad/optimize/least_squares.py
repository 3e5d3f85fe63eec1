"""Sums of squares, and curves that are fitted to data."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from scigrad import linalg
from scigrad import numpy as snp
from scigrad.autodiff_rules import grad, jacobian
from scigrad.autodiff_rules.boxes import is_transforming
from scigrad.autodiff_rules.messages.errors import MissingRule
from scigrad.typing import Array, ArrayLike

from .solutions import (
    Found,
    Plain,
    attach_derivative,
    check_host,
    result_of,
    run_with_derivative,
    solve_equation,
    vector_of_values,
)
from .unknowns import active_bounds, sides_of, stationary

__all__ = ["curve_fit", "least_squares"]

Function = Callable[..., Any]
# rho(z) of the squares z of residuals that are divided by f_scale
_LOSSES: dict[str, Function] = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2 * (snp.sqrt(1 + z) - 1),
    "huber": lambda z: snp.where(z <= 1, z, 2 * snp.sqrt(snp.where(z <= 1, 1.0, z)) - 1),
    "cauchy": lambda z: snp.log1p(z),
    "arctan": lambda z: snp.arctan(z),
}
_INFINITE = (-np.inf, np.inf)


def least_squares(
    fun: Function,
    x0: ArrayLike,
    jac: Function | str | None = None,
    bounds: Any = _INFINITE,
    method: str = "trf",
    ftol: float | None = 1e-08,
    xtol: float | None = 1e-08,
    gtol: float | None = 1e-08,
    x_scale: Any = None,
    loss: Function | str = "linear",
    f_scale: float = 1.0,
    diff_step: ArrayLike | None = None,
    tr_solver: str | None = None,
    tr_options: dict[str, Any] | None = None,
    jac_sparsity: Any = None,
    max_nfev: int | None = None,
    verbose: int = 0,
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
    callback: Function | None = None,
    workers: Any = None,
) -> Any:
    """Return a minimum of half the sum of squares, or of a robust loss, within bounds.

    Parameters
    ----------
    fun : callable
        Residuals ``fun(x, *args, **kwargs)``, real, of shape (m,). The values that it closes over
        may be traced.
    x0 : array_like, shape (n,)
        Where to begin.
    jac : callable or str, optional
        Jacobian, of shape (m, n); by default that of automatic differentiation. "2-point",
        "3-point" and "cs" stand for differences.
    bounds : tuple of two array_like or Bounds, optional
        Lower and upper bounds, numbers or of shape (n,); they may be traced.
    method : {"trf", "dogbox", "lm"}, optional
        SciPy's method.
    ftol : float or None, optional
        Tolerance of the relative change of the sum.
    xtol : float or None, optional
        Tolerance of the relative change of x.
    gtol : float or None, optional
        Tolerance of the gradient.
    x_scale : array_like or "jac", optional
        Scales of the unknowns.
    loss : str or callable, optional
        "linear", "soft_l1", "huber", "cauchy", "arctan", or a function of the squares z that
        returns an array of its values and two derivatives, of shape (3, m).
    f_scale : float, optional
        Residual at which a robust loss begins to bend.
    diff_step : array_like, optional
        Relative steps of differences.
    tr_solver : {None, "exact", "lsmr"}, optional
        How steps are computed.
    tr_options : dict, optional
        Options of `tr_solver`.
    jac_sparsity : array_like or sparse array, optional
        Places of the Jacobian that are not 0, for differences.
    max_nfev : int, optional
        Number of calls that are allowed.
    verbose : {0, 1, 2}, optional
        How much is printed.
    args : tuple, optional
        Further arguments of `fun` and `jac`, traced or not.
    kwargs : dict, optional
        Further arguments by name, traced or not.
    callback : callable, optional
        Called after each iteration.
    workers : int or callable, optional
        Processes for differences.

    Returns
    -------
    OptimizeResult
        SciPy's details, with the minimum, of shape (n,), as attribute ``x``, the residuals as
        ``fun`` and the loss as ``cost``.

    Raises
    ------
    ValueError
        If a derivative is asked for where the Hessian is singular, where the gradient is 0 at an
        active bound, or of a minimum that the iteration has not reached.

    Warns
    -----
    RuntimeWarning
        If `fun` cannot be differentiated and differences stand for the Jacobian.

    Notes
    -----
    The algorithm is SciPy's. Derivatives: of ``x``, ``fun`` and ``cost`` by what the residuals and
    the bounds depend on, forward and reverse mode, any order, vmap with a loop over the batch. The
    gradient of the loss is 0 there; its Hessian has second derivatives of the residuals, which the
    iteration leaves out. They are those of the exact minimum, and 0 by x0.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, numpy as snp, optimize
    >>> t = np.array([0.0, 1.0, 2.0])
    >>> rate = lambda y: optimize.least_squares(lambda x: y - snp.exp(-x[0] * t), [0.3]).x[0]
    >>> print(grad(rate)(np.exp(-0.5 * t)).round(6) + 0.0)
    [ 0.       -0.667089 -0.809219]
    """
    args, kwargs = args if isinstance(args, tuple) else (args,), kwargs or {}
    check_host("least_squares", x0, args, kwargs)
    rho: Any = _LOSSES.get(loss) if isinstance(loss, str) else lambda z: loss(z)[0]
    given = {
        "method": method, "ftol": ftol, "xtol": xtol, "gtol": gtol, "x_scale": x_scale,
        "loss": loss, "f_scale": f_scale, "diff_step": diff_step, "tr_solver": tr_solver,
        "tr_options": tr_options, "jac_sparsity": jac_sparsity, "max_nfev": max_nfev,
        "verbose": verbose, "callback": callback, "workers": workers,
    }  # fmt: skip

    def residuals(x: Array) -> Array:
        return vector_of_values(fun(x, *args, **kwargs))

    def cost(x: Array) -> Array:
        return f_scale**2 / 2 * snp.sum(rho((residuals(x) / f_scale) ** 2))

    sides = None if bounds is _INFINITE else sides_of(bounds, paired=True)

    def solve(plain: Plain) -> Found:
        def run(slope: Any) -> Any:
            return scipy.optimize.least_squares(
                plain.function(fun, *args, **kwargs),
                plain.value(x0),
                jac=slope or "2-point",
                bounds=plain.value(bounds),
                **given,
            )

        if jac is None and diff_step is None and jac_sparsity is None:
            result = run_with_derivative("least_squares", plain, jacobian(residuals), run)
        else:
            result = run(plain.function(jac, *args, **kwargs))
        return Found(result.x, active_bounds(plain, sides, result.x, grad(cost)), dict(result))

    found = solve_equation(
        "least_squares", stationary(grad(cost), sides), solve, np.empty(np.size(x0))
    )
    return result_of(found, found.x, fun=residuals, cost=cost)


def curve_fit(
    f: Function,
    xdata: Any,
    ydata: ArrayLike,
    p0: ArrayLike | None = None,
    sigma: ArrayLike | None = None,
    absolute_sigma: bool = False,
    check_finite: bool | None = None,
    bounds: Any = _INFINITE,
    method: str | None = None,
    jac: Function | str | None = None,
    *,
    full_output: bool = False,
    nan_policy: str | None = None,
    **kwargs: Any,
) -> Any:
    """Return the parameters of a model that fit data best, and their covariance.

    Parameters
    ----------
    f : callable
        Model ``f(xdata, *parameters)``, of shape (m,).
    xdata : array_like, shape (m,) or (k, m), or object
        Where the data were measured; traced or not.
    ydata : array_like, shape (m,)
        Data, traced or not.
    p0 : array_like, shape (n,), optional
        Where to begin, by default ones.
    sigma : scalar or array_like, shape (m,) or (m, m), optional
        Standard deviations of the data, or their covariance; traced or not.
    absolute_sigma : bool, optional
        Whether `sigma` is in the units of the data; otherwise the covariance is scaled by the
        residuals.
    check_finite : bool, optional
        Whether data that are not finite raise.
    bounds : tuple of two array_like or Bounds, optional
        Lower and upper bounds of the parameters.
    method : {"lm", "trf", "dogbox"}, optional
        SciPy's method.
    jac : callable or str, optional
        Jacobian ``jac(xdata, *parameters)`` of shape (m, n); by default that of automatic
        differentiation. "2-point" and "3-point" stand for differences.
    full_output : bool, optional
        Whether the details are returned too.
    nan_policy : {None, "raise", "omit"}, optional
        What NaN in the data does, if `check_finite` is False.
    **kwargs
        Options of `scipy.optimize.leastsq`, or of `scipy.optimize.least_squares`.

    Returns
    -------
    popt : ndarray, shape (n,)
        Parameters.
    pcov : ndarray, shape (n, n)
        Their covariance.
    infodict, mesg, ier : dict, str, int
        SciPy's details, if `full_output`.

    Raises
    ------
    ValueError
        If data are not finite, or if a derivative is asked for where the Hessian is singular or of
        parameters that the iteration has not reached.
    RuntimeError
        If the iteration fails.
    MissingRule
        If a derivative is asked for with `nan_policy` or a robust loss.

    Warns
    -----
    RuntimeWarning
        If `f` cannot be differentiated and differences stand for the Jacobian.

    Notes
    -----
    The algorithm is SciPy's. Derivatives: of ``popt`` and ``pcov`` by the data, their deviations
    and all that f depends on, forward and reverse mode, any order, vmap with a loop over the batch;
    see `least_squares`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import jacobian, optimize
    >>> t = np.array([0.0, 1.0, 2.0])
    >>> line = lambda y: optimize.curve_fit(lambda t, a, b: a + b * t, t, y, [0.0, 0.0])[0]
    >>> print(jacobian(line)(np.array([1.0, 3.0, 2.0])).round(6) + 0.0)
    [[ 0.833333  0.333333 -0.166667]
     [-0.5       0.        0.5     ]]
    """
    check_host("curve_fit", xdata, ydata, p0, sigma)
    given = {"absolute_sigma": absolute_sigma, "check_finite": check_finite, "method": method}

    def residuals(parameters: Array) -> Array:
        values = vector_of_values(f(xdata, *parameters))
        return _weighted(values - snp.asarray(ydata), sigma)

    def cost(parameters: Array) -> Array:
        return snp.sum(residuals(parameters) ** 2) / 2

    size = np.size(p0) if p0 is not None else len(inspect.signature(f).parameters) - 1
    sides = None if bounds is _INFINITE else sides_of(bounds, paired=True)

    def solve(plain: Plain) -> Found:
        def run(slope: Any) -> Any:
            return scipy.optimize.curve_fit(
                functools.wraps(f)(plain.function(f)),
                *plain.value((xdata, ydata, p0, _for_each(sigma, ydata))),
                bounds=plain.value(bounds),
                jac=slope,
                full_output=True,
                nan_policy=nan_policy,
                **given,
                **kwargs,
            )

        if jac is None:
            slope = functools.partial(_slope_of_model, f)
            popt, pcov, *details = run_with_derivative("curve_fit", plain, slope, run)
        else:
            popt, pcov, *details = run(plain.function(jac))
        _check_rules(plain, nan_policy, kwargs)
        fields = {"pcov": pcov, "details": details}
        return Found(popt, active_bounds(plain, sides, popt, grad(cost)), fields)

    found = solve_equation("curve_fit", stationary(grad(cost), sides), solve, np.empty(size))
    pcov = found.fields.get("pcov", 0.0)
    if is_transforming():
        pcov = attach_derivative(pcov, _covariance(residuals, found.x, absolute_sigma))
    return (found.x, pcov, *found.fields["details"]) if full_output else (found.x, pcov)


def _slope_of_model(f: Function, x: Any, *parameters: Any) -> Array:
    return jacobian(lambda p: vector_of_values(f(x, *p)))(np.asarray(parameters, dtype=float))


def _check_rules(plain: Plain, nan_policy: str | None, options: dict[str, Any]) -> None:
    has_rule = nan_policy is None and options.get("loss", "linear") == "linear"
    if plain.varies and not has_rule:
        raise MissingRule("curve_fit: no derivative rule for nan_policy and robust losses")


def _for_each(sigma: Any, ydata: ArrayLike) -> Any:
    """Return deviations of all data for a single one, with which SciPy takes no Jacobian."""
    if sigma is None or np.size(sigma) != 1:
        return sigma
    return snp.broadcast_to(sigma, np.shape(ydata))


def _weighted(residuals: Array, sigma: Any) -> Array:
    """Return residuals that are independent, of variance 1."""
    if sigma is None:
        return residuals
    sigma = snp.asarray(sigma)
    if sigma.size == 1 or sigma.ndim == 1:
        return residuals / sigma
    return linalg.solve_triangular(linalg.cholesky(sigma, lower=True), residuals, lower=True)


def _covariance(residuals: Function, x: Array, absolute: bool) -> Array:
    """Return the covariance of parameters that are fitted, from residuals of variance 1."""
    slope = jacobian(residuals)(x)
    covariance = linalg.inv(slope.T @ slope)
    count, size = slope.shape
    if absolute:
        return covariance
    return covariance * snp.sum(residuals(x) ** 2) / max(count - size, 1)
