"""Roots of functions of one variable."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from scigrad import numpy as snp
from scigrad.autodiff_rules import space
from scigrad.autodiff_rules.boxes import is_transforming
from scigrad.typing import ArrayLike

from .solutions import Elementwise, Found, Plain, check_host, solve_equation

__all__ = ["bisect", "brenth", "brentq", "newton", "ridder", "root_scalar", "toms748"]

Function = Callable[..., Any]
_RTOL = 4 * float(np.finfo(float).eps)


def bisect(
    f: Function,
    a: ArrayLike,
    b: ArrayLike,
    args: tuple[Any, ...] = (),
    xtol: float = 2e-12,
    rtol: float = _RTOL,
    maxiter: int = 100,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """Return a root of a function in an interval, by bisection.

    Parameters
    ----------
    f : callable
        ``f(x, *args)``, continuous and real, with values of opposite signs at a and b. The values
        that it closes over may be traced.
    a : scalar
        One end of the interval.
    b : scalar
        The other end.
    args : tuple, optional
        Further arguments of f, traced or not.
    xtol : float, optional
        Absolute tolerance of the root.
    rtol : float, optional
        Relative tolerance of the root, at least four units of rounding.
    maxiter : int, optional
        Number of iterations that are allowed.
    full_output : bool, optional
        Whether the details are returned too.
    disp : bool, optional
        Whether an iteration that does not converge raises.

    Returns
    -------
    root : float
        The root, of shape ().
    details : RootResults
        SciPy's details, if `full_output`.

    Raises
    ------
    ValueError
        If the signs at a and b are equal, or if a derivative is asked for at a multiple root.
    RuntimeError
        If `disp` and the iteration does not converge.

    Notes
    -----
    The value is SciPy's. Derivatives: by what f depends on, forward and reverse mode, any order,
    vmap with a loop over the batch; from ``f(x, theta) = 0`` follows ``x' = -f_theta / f_x``. They
    are those of the exact root, and 0 by a and b.

    Examples
    --------
    >>> from scigrad import grad, optimize
    >>> cube_root = lambda p: optimize.bisect(lambda x: x**3 - p, 0.0, 3.0)
    >>> print(round(float(grad(cube_root)(8.0)), 9))  # 1 / (3 x^2)
    0.083333333
    """
    options = {"xtol": xtol, "rtol": rtol, "maxiter": maxiter, "disp": disp}
    return _find(scipy.optimize.bisect, f, (a, b), args, full_output, options)


def brenth(
    f: Function,
    a: ArrayLike,
    b: ArrayLike,
    args: tuple[Any, ...] = (),
    xtol: float = 2e-12,
    rtol: float = _RTOL,
    maxiter: int = 100,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """Return a root of a function in an interval, by Brent's hyperbolic method.

    Parameters
    ----------
    f : callable
        ``f(x, *args)``, continuous and real, with values of opposite signs at a and b. The values
        that it closes over may be traced.
    a : scalar
        One end of the interval.
    b : scalar
        The other end.
    args : tuple, optional
        Further arguments of f, traced or not.
    xtol : float, optional
        Absolute tolerance of the root.
    rtol : float, optional
        Relative tolerance of the root, at least four units of rounding.
    maxiter : int, optional
        Number of iterations that are allowed.
    full_output : bool, optional
        Whether the details are returned too.
    disp : bool, optional
        Whether an iteration that does not converge raises.

    Returns
    -------
    root : float
        The root, of shape ().
    details : RootResults
        SciPy's details, if `full_output`.

    Raises
    ------
    ValueError
        If the signs at a and b are equal, or if a derivative is asked for at a multiple root.
    RuntimeError
        If `disp` and the iteration does not converge.

    Notes
    -----
    The value is SciPy's. Derivatives: by what f depends on, forward and reverse mode, any order,
    vmap with a loop over the batch; from ``f(x, theta) = 0`` follows ``x' = -f_theta / f_x``. They
    are those of the exact root, and 0 by a and b.

    Examples
    --------
    >>> from scigrad import grad, optimize
    >>> cube_root = lambda p: optimize.brenth(lambda x: x**3 - p, 0.0, 3.0)
    >>> print(round(float(grad(cube_root)(8.0)), 9))  # 1 / (3 x^2)
    0.083333333
    """
    options = {"xtol": xtol, "rtol": rtol, "maxiter": maxiter, "disp": disp}
    return _find(scipy.optimize.brenth, f, (a, b), args, full_output, options)


def brentq(
    f: Function,
    a: ArrayLike,
    b: ArrayLike,
    args: tuple[Any, ...] = (),
    xtol: float = 2e-12,
    rtol: float = _RTOL,
    maxiter: int = 100,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """Return a root of a function in an interval, by Brent's method.

    Parameters
    ----------
    f : callable
        ``f(x, *args)``, continuous and real, with values of opposite signs at a and b. The values
        that it closes over may be traced.
    a : scalar
        One end of the interval.
    b : scalar
        The other end.
    args : tuple, optional
        Further arguments of f, traced or not.
    xtol : float, optional
        Absolute tolerance of the root.
    rtol : float, optional
        Relative tolerance of the root, at least four units of rounding.
    maxiter : int, optional
        Number of iterations that are allowed.
    full_output : bool, optional
        Whether the details are returned too.
    disp : bool, optional
        Whether an iteration that does not converge raises.

    Returns
    -------
    root : float
        The root, of shape ().
    details : RootResults
        SciPy's details, if `full_output`.

    Raises
    ------
    ValueError
        If the signs at a and b are equal, or if a derivative is asked for at a multiple root.
    RuntimeError
        If `disp` and the iteration does not converge.

    Notes
    -----
    The value is SciPy's. Derivatives: by what f depends on, forward and reverse mode, any order,
    vmap with a loop over the batch; from ``f(x, theta) = 0`` follows ``x' = -f_theta / f_x``. They
    are those of the exact root, and 0 by a and b.

    Examples
    --------
    >>> from scigrad import grad, optimize
    >>> cube_root = lambda p: optimize.brentq(lambda x: x**3 - p, 0.0, 3.0)
    >>> print(round(float(grad(cube_root)(8.0)), 9))  # 1 / (3 x^2)
    0.083333333
    """
    options = {"xtol": xtol, "rtol": rtol, "maxiter": maxiter, "disp": disp}
    return _find(scipy.optimize.brentq, f, (a, b), args, full_output, options)


def ridder(
    f: Function,
    a: ArrayLike,
    b: ArrayLike,
    args: tuple[Any, ...] = (),
    xtol: float = 2e-12,
    rtol: float = _RTOL,
    maxiter: int = 100,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """Return a root of a function in an interval, by Ridders' method.

    Parameters
    ----------
    f : callable
        ``f(x, *args)``, continuous and real, with values of opposite signs at a and b. The values
        that it closes over may be traced.
    a : scalar
        One end of the interval.
    b : scalar
        The other end.
    args : tuple, optional
        Further arguments of f, traced or not.
    xtol : float, optional
        Absolute tolerance of the root.
    rtol : float, optional
        Relative tolerance of the root, at least four units of rounding.
    maxiter : int, optional
        Number of iterations that are allowed.
    full_output : bool, optional
        Whether the details are returned too.
    disp : bool, optional
        Whether an iteration that does not converge raises.

    Returns
    -------
    root : float
        The root, of shape ().
    details : RootResults
        SciPy's details, if `full_output`.

    Raises
    ------
    ValueError
        If the signs at a and b are equal, or if a derivative is asked for at a multiple root.
    RuntimeError
        If `disp` and the iteration does not converge.

    Notes
    -----
    The value is SciPy's. Derivatives: by what f depends on, forward and reverse mode, any order,
    vmap with a loop over the batch; from ``f(x, theta) = 0`` follows ``x' = -f_theta / f_x``. They
    are those of the exact root, and 0 by a and b.

    Examples
    --------
    >>> from scigrad import grad, optimize
    >>> cube_root = lambda p: optimize.ridder(lambda x: x**3 - p, 0.0, 3.0)
    >>> print(round(float(grad(cube_root)(8.0)), 9))  # 1 / (3 x^2)
    0.083333333
    """
    options = {"xtol": xtol, "rtol": rtol, "maxiter": maxiter, "disp": disp}
    return _find(scipy.optimize.ridder, f, (a, b), args, full_output, options)


def toms748(
    f: Function,
    a: ArrayLike,
    b: ArrayLike,
    args: tuple[Any, ...] = (),
    k: int = 1,
    xtol: float = 2e-12,
    rtol: float = _RTOL,
    maxiter: int = 100,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """Return a root of a function in an interval, by algorithm TOMS 748.

    Parameters
    ----------
    f : callable
        ``f(x, *args)``, continuous and real, with values of opposite signs at a and b. The values
        that it closes over may be traced.
    a : scalar
        One end of the interval.
    b : scalar
        The other end.
    args : tuple, optional
        Further arguments of f, traced or not.
    k : int, optional
        Newton steps an iteration, at least 1.
    xtol : float, optional
        Absolute tolerance of the root.
    rtol : float, optional
        Relative tolerance of the root, at least four units of rounding.
    maxiter : int, optional
        Number of iterations that are allowed.
    full_output : bool, optional
        Whether the details are returned too.
    disp : bool, optional
        Whether an iteration that does not converge raises.

    Returns
    -------
    root : float
        The root, of shape ().
    details : RootResults
        SciPy's details, if `full_output`.

    Raises
    ------
    ValueError
        If the signs at a and b are equal, or if a derivative is asked for at a multiple root.
    RuntimeError
        If `disp` and the iteration does not converge.

    Notes
    -----
    The value is SciPy's. Derivatives: by what f depends on, forward and reverse mode, any order,
    vmap with a loop over the batch; from ``f(x, theta) = 0`` follows ``x' = -f_theta / f_x``. They
    are those of the exact root, and 0 by a and b.

    Examples
    --------
    >>> from scigrad import grad, optimize
    >>> cube_root = lambda p: optimize.toms748(lambda x: x**3 - p, 0.0, 3.0)
    >>> print(round(float(grad(cube_root)(8.0)), 9))  # 1 / (3 x^2)
    0.083333333
    """
    options = {"xtol": xtol, "rtol": rtol, "maxiter": maxiter, "disp": disp, "k": k}
    return _find(scipy.optimize.toms748, f, (a, b), args, full_output, options)


def newton(
    func: Function,
    x0: ArrayLike,
    fprime: Function | None = None,
    args: tuple[Any, ...] = (),
    tol: float = 1.48e-08,
    maxiter: int = 50,
    fprime2: Function | None = None,
    x1: ArrayLike | None = None,
    rtol: float = 0.0,
    full_output: bool = False,
    disp: bool = True,
) -> Any:
    """Return a root of a real or complex function near a point.

    The method is the secant's, Newton's or Halley's, by the derivatives that are given.

    Parameters
    ----------
    func : callable
        ``func(x, *args)``, of the shape of x, element by element. The values that it closes over
        may be traced. Of complex x it has to be holomorphic.
    x0 : array_like, shape (...)
        Where to begin; each element has a root of its own.
    fprime : callable, optional
        Its derivative, for Newton's method, such as ``scigrad.grad(func)``; without it the method
        is the secant's.
    args : tuple, optional
        Further arguments of `func`, `fprime` and `fprime2`, traced or not.
    tol : float, optional
        Length of the step at which the iteration ends.
    maxiter : int, optional
        Number of iterations that are allowed.
    fprime2 : callable, optional
        Its second derivative, for Halley's method.
    x1 : scalar, optional
        A second point for the secant.
    rtol : float, optional
        Relative length of the step at which the iteration ends.
    full_output : bool, optional
        Whether the details are returned too.
    disp : bool, optional
        Whether an iteration of a number that does not converge raises.

    Returns
    -------
    root : scalar or ndarray, shape (...)
        The roots.
    details : RootResults
        SciPy's details, if `full_output` and x0 is a number.
    converged : ndarray of bools, shape (...)
        Where the iteration converged, if `full_output` and x0 is an array.
    zero_der : ndarray of bools, shape (...)
        Where the derivative became 0, if `full_output` and x0 is an array.

    Raises
    ------
    ValueError
        If a derivative is asked for at a multiple root, or of a root that the iteration has not
        reached.
    RuntimeError
        If `disp` and the iteration does not converge.

    Notes
    -----
    The value is SciPy's. Derivatives: by what func depends on, forward and reverse mode, any order,
    vmap with a loop over the batch; from ``f(x, theta) = 0`` follows ``x' = -f_theta / f_x``. They
    are those of the exact root, and 0 by x0.

    Examples
    --------
    >>> from scigrad import grad, optimize
    >>> root = lambda p: optimize.newton(lambda x: x**2 - p, 1.0)
    >>> print(round(float(grad(root)(4.0)), 9))  # 1 / (2 x)
    0.25
    """
    # SciPy hands args, which may be a list here, to all three functions.
    derivatives = {"fprime": fprime, "fprime2": fprime2}
    options = {"tol": tol, "maxiter": maxiter, "rtol": rtol, "disp": disp, "x1": x1}
    return _find(scipy.optimize.newton, func, (x0,), tuple(args), full_output, options, derivatives)


def root_scalar(
    f: Function,
    args: tuple[Any, ...] = (),
    method: str | None = None,
    bracket: Any = None,
    fprime: Function | bool | None = None,
    fprime2: Function | bool | None = None,
    x0: ArrayLike | None = None,
    x1: ArrayLike | None = None,
    xtol: float | None = None,
    rtol: float | None = None,
    maxiter: int | None = None,
    options: dict[str, Any] | None = None,
) -> Any:
    """Return a root of a function of one variable, by one of several methods.

    Parameters
    ----------
    f : callable
        ``f(x, *args)``, real; it returns its derivatives too where `fprime`, `fprime2` are True.
        The values that it closes over may be traced.
    args : tuple, optional
        Further arguments of f, traced or not.
    method : str, optional
        "bisect", "brentq", "brenth", "ridder", "toms748", "newton", "secant" or "halley".
    bracket : sequence of two floats, optional
        Interval at whose ends the signs are opposite.
    fprime : callable or bool, optional
        Derivative of f; by default, for method "newton", that of automatic differentiation.
    fprime2 : callable or bool, optional
        Second derivative of f, for method "halley".
    x0 : scalar, optional
        Where to begin.
    x1 : scalar, optional
        A second point.
    xtol : float, optional
        Absolute tolerance.
    rtol : float, optional
        Relative tolerance.
    maxiter : int, optional
        Number of iterations that are allowed.
    options : dict, optional
        Further options of the method.

    Returns
    -------
    RootResults
        SciPy's details, with the root, of shape (), as attribute ``root``.

    Raises
    ------
    ValueError
        If method and arguments do not fit, or if a derivative is asked for at a multiple root, or
        of a root that the iteration has not reached.

    Notes
    -----
    The value is SciPy's. Derivatives: of ``root`` by what f depends on, forward and reverse mode,
    any order, vmap with a loop over the batch; see `brentq`.

    Examples
    --------
    >>> from scigrad import grad, numpy as np, optimize
    >>> kepler = lambda e: (
    ...     optimize.root_scalar(  # E - e sin(E) = 1
    ...         lambda E: E - e * np.sin(E) - 1.0, x0=1.0, method="newton"
    ...     ).root
    ... )
    >>> print(round(float(grad(kepler)(0.3)), 6))
    1.048008
    """
    if method == "newton" and fprime is None:
        fprime = _derivative(f)
    derivatives = {"fprime": fprime, "fprime2": fprime2}
    given = {"xtol": xtol, "rtol": rtol, "maxiter": maxiter, "method": method, "options": options}
    points = {"bracket": bracket, "x0": x0, "x1": x1}
    check_host("root_scalar", args, points)
    if not is_transforming():
        return scipy.optimize.root_scalar(f, args, **points, **derivatives, **given)

    def solve(plain: Plain) -> Found:
        result = scipy.optimize.root_scalar(
            plain.function(f, *args),
            **plain.value(points),
            **{name: plain.function(g, *args) for name, g in derivatives.items()},
            **given,
        )
        return _found(result.root, dict(result))

    value = f if fprime is not True else lambda *given: f(*given)[0]
    found = solve_equation("root_scalar", _equation(value, args), solve, np.empty(()), Elementwise)
    return _details({**found.fields, "root": found.x})


def _find(
    solver: Any,
    f: Function,
    points: tuple[ArrayLike, ...],
    args: tuple[Any, ...],
    full_output: bool,
    options: dict[str, Any],
    derivatives: dict[str, Any] | None = None,
) -> Any:
    """Return what a function of SciPy's returns, with a root that is traced as f is."""
    args = args if isinstance(args, tuple) else (args,)
    derivatives = derivatives or {}
    check_host(solver.__name__, args, points)
    if not is_transforming():
        return solver(f, *points, args=args, full_output=full_output, **derivatives, **options)

    def solve(plain: Plain) -> Found:
        root, *details = solver(
            plain.function(f, *args),
            *plain.value(points),
            full_output=True,
            **{name: plain.function(g, *args) for name, g in derivatives.items()},
            **plain.value(options),
        )
        (fields,) = map(dict, details) if len(details) == 1 else [dict(enumerate(details))]
        return _found(root, fields)

    blank = np.empty(np.shape(points[0]), np.result_type(space(points[0]).dtype, float))
    equation = _equation(f, args)
    found = solve_equation(solver.__name__, equation, solve, blank, Elementwise)
    if not full_output:
        return found.x
    if 0 in found.fields:  # newton's, of an array
        return found.x, *found.fields.values()
    return found.x, _details({**found.fields, "root": found.x})


def _equation(f: Function, args: tuple[Any, ...]) -> Function:
    return lambda x, _: snp.reshape(f(x, *args), x.shape)


def _derivative(f: Function) -> Function:
    return lambda x, *args: Elementwise.slope(lambda x: f(x, *args), x)


def _found(root: Any, fields: dict[str, Any]) -> Found:
    return Found(np.asarray(root)[()], None, fields)


def _details(fields: dict[str, Any]) -> Any:
    details = scipy.optimize.RootResults.__new__(scipy.optimize.RootResults)
    details.update(fields)
    return details
