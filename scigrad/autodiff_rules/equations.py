"""Solutions of equations as functions of their parameters."""

import functools
from collections.abc import Callable
from typing import Any

from .custom import (
    Function,
    P,
    R,
    attach_rules,
    pull_back_function,
    push_forward_function,
    refuse_closed,
)
from .messages import errors
from .spaces import shape_of
from .trace import running
from .transforms import linearize, vjp


def implicit(equation: Function, solve: Callable[P, R], linear_solve: Function) -> Callable[P, R]:
    """Return the solution of an equation as a function of its parameters, with derivative rules.

    The solution x(theta) of ``F(x, theta) = 0``. With A = dF/dx and B = dF/dtheta there, the
    implicit function theorem gives ``x' = -A^-1 B theta'`` and ``theta_bar = -B^H A^-H g``.

    Parameters
    ----------
    equation : callable
        ``equation(x, *theta)``, differentiable, of the shape of x (one array).
    solve : callable
        ``solve(*theta)`` returns x by any algorithm, which is not differentiated. Its keyword-only
        arguments, such as a tolerance, are its own.
    linear_solve : callable
        ``linear_solve(matvec, b, *, adjoint, x, theta)`` returns A^-1 b, or A^-H b if `adjoint`;
        `matvec` then applies A^H.

    Returns
    -------
    callable
        Function with the arguments and values of `solve`.

    Raises
    ------
    TracedValueError
        If a function uses a traced value that is not among its arguments.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, implicit, jacobian
    >>> def linear_solve(matvec, b, *, adjoint, x, theta):
    ...     return b / matvec(np.ones_like(x))
    >>> root = implicit(lambda x, a: x**2 - a, lambda a: np.sqrt(a), linear_solve)
    >>> print(grad(root)(4.0))  # 1 / (2 sqrt(a))
    0.25

    For a system of equations the columns of the matrix are its products with the basis:

    >>> from scigrad import linalg
    >>> def linear_solve(matvec, b, *, adjoint, x, theta):
    ...     return linalg.solve(np.stack([matvec(e) for e in np.eye(x.size)], axis=1), b)
    >>> def newton(a):  # x0 + x1 = a0 and x0 x1 = a1
    ...     x = np.array([0.0, 1.0])
    ...     for _ in range(20):
    ...         x = x - np.linalg.solve([[1.0, 1.0], x[::-1]], system(x, a))
    ...     return x
    >>> system = lambda x, a: np.stack([x[0] + x[1], x[0] * x[1]]) - a
    >>> pair = implicit(system, newton, linear_solve)
    >>> print(jacobian(pair)(np.array([3.0, 2.0])).round(6))  # the solution is 2, 1
    [[ 2. -1.]
     [-1.  1.]]
    """
    rules = (
        functools.partial(rule, equation, linear_solve)
        for rule in (_implicit_forward, _implicit_reverse)
    )
    return attach_rules(
        functools.update_wrapper(functools.partial(_solve_equation, equation, solve), solve),
        *rules,
        plain=True,
    )


def _solve_equation(equation: Function, solve: Function, *theta: Any, **options: Any) -> Any:
    x = solve(*theta, **options)
    # no rule looks at what the equation closes over unless theta is traced
    if running:
        _check_equation(equation, equation(x, *theta), x, theta)
    return x


def _check_equation(equation: Function, value: Any, x: Any, theta: Any) -> None:
    refuse_closed(equation, value, (x, theta))
    if (found := shape_of(value)) != (wanted := shape_of(x)):
        raise errors.wrong_shape("implicit: the value of the equation", wanted, found)


def _implicit_forward(
    equation: Function, linear_solve: Function, theta: Any, x: Any, tangents: Any, **_: Any
) -> Any:
    right = push_forward_function(lambda *theta: equation(x, *theta), theta, x, tangents)
    value, matvec = linearize(lambda y: equation(y, *theta), x)
    _check_equation(equation, value, x, theta)
    return linear_solve(matvec, -right, adjoint=False, x=x, theta=theta)


def _implicit_reverse(
    equation: Function, linear_solve: Function, theta: Any, x: Any, g: Any, **_: Any
) -> Any:
    value, pull_x = vjp(lambda y: equation(y, *theta), x)
    _check_equation(equation, value, x, theta)
    w = linear_solve(lambda v: pull_x(v)[0], g, adjoint=True, x=x, theta=theta)
    return pull_back_function(lambda *theta: equation(x, *theta), theta, x, -w)
