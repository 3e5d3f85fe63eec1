"""Solutions of systems of equations."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from scigrad import numpy as snp
from scigrad.autodiff_rules import jacobian
from scigrad.autodiff_rules.boxes import is_transforming
from scigrad.typing import Array, ArrayLike

from .solutions import (
    Found,
    Plain,
    as_start,
    check_host,
    result_of,
    run_with_derivative,
    solve_equation,
    vector_of_values,
)

__all__ = ["fixed_point", "fsolve", "root"]

Function = Callable[..., Any]


def root(
    fun: Function,
    x0: ArrayLike,
    args: tuple[Any, ...] = (),
    method: str = "hybr",
    jac: Function | bool | None = None,
    tol: float | None = None,
    callback: Function | None = None,
    options: dict[str, Any] | None = None,
) -> Any:
    """Return a solution of a system of equations, by one of several methods.

    Parameters
    ----------
    fun : callable
        ``fun(x, *args)``, of the shape of x, or with the Jacobian as a pair if `jac` is True. The
        values that it closes over may be traced.
    x0 : array_like, shape (n,)
        Where to begin.
    args : tuple, optional
        Further arguments of `fun` and `jac`, traced or not.
    method : str, optional
        "hybr", "lm", or one of SciPy's methods for large systems.
    jac : callable or bool, optional
        Jacobian ``jac(x, *args)`` of shape (n, n); by default, for "hybr" and "lm", that of
        automatic differentiation. False stands for differences.
    tol : float, optional
        Tolerance.
    callback : callable, optional
        ``callback(x, f)`` is called after each iteration, for large systems.
    options : dict, optional
        Further options of the method.

    Returns
    -------
    OptimizeResult
        SciPy's details, with the solution, of shape (n,), as attribute ``x``.

    Raises
    ------
    ValueError
        If a derivative is asked for where the Jacobian is singular, or of a solution that the
        iteration has not reached.

    Notes
    -----
    The algorithm is SciPy's. Derivatives: of ``x`` by what fun depends on, forward and reverse
    mode, any order, vmap with a loop over the batch; from ``F(x, theta) = 0`` follows
    ``x' = -F_x^-1 F_theta theta'``. They are those of the exact solution, and 0 by x0.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import jacobian, numpy as snp, optimize
    >>> def pair(a):  # x0 + x1 = a0 and x0 x1 = a1
    ...     return optimize.root(lambda x: snp.stack([x[0] + x[1], x[0] * x[1]]) - a, [0.0, 1.0]).x
    >>> print(jacobian(pair)(np.array([3.0, 2.0])).round(6))  # the solution is 2, 1
    [[ 2. -1.]
     [-1.  1.]]
    """
    args = args if isinstance(args, tuple) else (args,)
    check_host("root", x0, args)
    value = fun if jac is not True else lambda *given: fun(*given)[0]
    given = {"method": method, "tol": tol, "callback": callback, "options": options}

    def equation(x: Array, _: None = None) -> Array:
        return vector_of_values(value(x, *args))

    def solve(plain: Plain) -> Found:
        def run(slope: Any) -> Any:
            return scipy.optimize.root(plain.function(fun, *args), start, jac=slope, **given)

        start = as_start(plain.value(x0))
        if jac is None and method in ("hybr", "lm"):
            result = run_with_derivative("root", plain, jacobian(equation), run)
        else:
            result = run(plain.function(jac, *args))
        return Found(result.x, None, dict(result))

    found = solve_equation("root", equation, solve, np.empty(np.size(x0)))
    return result_of(found, found.x)


def fsolve(
    func: Function,
    x0: ArrayLike,
    args: tuple[Any, ...] = (),
    fprime: Function | None = None,
    full_output: bool = False,
    col_deriv: bool = False,
    xtol: float = 1.49012e-08,
    maxfev: int = 0,
    band: tuple[int, int] | None = None,
    epsfcn: float | None = None,
    factor: float = 100,
    diag: ArrayLike | None = None,
) -> Any:
    """Return a solution of a system of equations, by Powell's hybrid method.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, of the shape of x. The values that it closes over may be traced.
    x0 : array_like, shape (n,)
        Where to begin.
    args : tuple, optional
        Further arguments of `func` and `fprime`, traced or not.
    fprime : callable, optional
        Jacobian ``fprime(x, *args)``; by default differences, as in SciPy.
    full_output : bool, optional
        Whether the details are returned too.
    col_deriv : bool, optional
        Whether `fprime` returns the transposed Jacobian.
    xtol : float, optional
        Relative tolerance of the solution.
    maxfev : int, optional
        Number of calls that are allowed, 0 for SciPy's choice.
    band : tuple of two ints, optional
        Numbers of diagonals of the Jacobian below and above the main one, for differences.
    epsfcn : float, optional
        Relative step of differences.
    factor : float, optional
        Bound of the first step.
    diag : array_like, shape (n,), optional
        Scales of the variables.

    Returns
    -------
    x : ndarray, shape (n,)
        The solution.
    infodict : dict
        SciPy's details, if `full_output`.
    ier : int
        1 if the solution was found, if `full_output`.
    mesg : str
        What happened, if `full_output`.

    Raises
    ------
    ValueError
        If a derivative is asked for where the Jacobian is singular, or of a solution that the
        iteration has not reached.

    Notes
    -----
    The value is SciPy's. Derivatives: by what func depends on, forward and reverse mode, any order,
    vmap with a loop over the batch; see `root`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import jacobian, optimize
    >>> print(
    ...     jacobian(lambda a: optimize.fsolve(lambda x: x**2 - a, [1.0, 1.0]))(
    ...         np.array([4.0, 9.0])
    ...     ).round(6)
    ... )
    [[0.25     0.      ]
     [0.       0.166667]]
    """
    args = args if isinstance(args, tuple) else (args,)
    check_host("fsolve", x0, args)
    options = {
        "col_deriv": col_deriv, "xtol": xtol, "maxfev": maxfev, "band": band, "epsfcn": epsfcn,
        "factor": factor, "diag": diag,
    }  # fmt: skip
    if not is_transforming():
        return scipy.optimize.fsolve(func, x0, args, fprime, full_output, **options)

    def solve(plain: Plain) -> Found:
        x, *details = scipy.optimize.fsolve(
            plain.function(func, *args),
            plain.value(x0),
            fprime=plain.function(fprime, *args),
            full_output=True,
            **plain.value(options),
        )
        return Found(x, None, dict(enumerate(details)))

    found = solve_equation(
        "fsolve", lambda x, _: vector_of_values(func(x, *args)), solve, np.empty(np.size(x0))
    )
    return (found.x, *found.fields.values()) if full_output else found.x


def fixed_point(
    func: Function,
    x0: ArrayLike,
    args: tuple[Any, ...] = (),
    xtol: float = 1e-08,
    maxiter: int = 500,
    method: str = "del2",
) -> Any:
    """Return a fixed point of a function, x with ``func(x) = x``.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, of the shape of x. The values that it closes over may be traced.
    x0 : array_like, shape (...)
        Where to begin.
    args : tuple, optional
        Further arguments of func, traced or not.
    xtol : float, optional
        Tolerance of the relative change.
    maxiter : int, optional
        Number of iterations that are allowed.
    method : {"del2", "iteration"}, optional
        Steffensen's method, or the iteration itself.

    Returns
    -------
    ndarray, shape (...)
        The fixed point.

    Raises
    ------
    RuntimeError
        If the iteration does not converge.
    ValueError
        If a derivative is asked for where 1 is an eigenvalue of the Jacobian of func, or of a point
        that the iteration has not reached.

    Notes
    -----
    The value is SciPy's. Derivatives: by what func depends on, forward and reverse mode, any order,
    vmap with a loop over the batch; from ``x = F(x, theta)`` follows
    ``x' = (1 - F_x)^-1 F_theta theta'``. They are those of the exact point, and 0 by x0.

    Examples
    --------
    >>> from scigrad import grad, numpy as np, optimize
    >>> point = lambda a: optimize.fixed_point(lambda x: np.cos(a * x), 0.7)
    >>> print(round(float(grad(point)(1.0)), 6))  # -x sin(x) / (1 + sin(x))
    -0.297474
    """
    args = args if isinstance(args, tuple) else (args,)
    check_host("fixed_point", x0, args)
    options = {"xtol": xtol, "maxiter": maxiter, "method": method}
    if not is_transforming():
        return scipy.optimize.fixed_point(func, x0, args, **options)

    def solve(plain: Plain) -> Found:
        start = plain.value(x0)
        x = scipy.optimize.fixed_point(plain.function(func, *args), start, **options)
        return Found(np.reshape(x, -1), None, {"shape": np.shape(x)})

    def equation(x: Array, _: None) -> Array:
        point = snp.reshape(x, snp.shape(x0))
        return vector_of_values(point - func(point, *args))

    return snp.reshape(
        solve_equation("fixed_point", equation, solve, np.empty(np.size(x0))).x, snp.shape(x0)
    )
