"""Lyapunov's equations, in continuous time a x + x a^H = q and in discrete time x = a x a^H + q."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant, raw, shape_of

from ..foundation import failures
from ..foundation.factors import Factors, factorize
from ..foundation.matrices import as_array, identity, is_complex, mH, refuse_nonfinite, same_precision
from ..systems.solve import linear_solve
from .sylvester import by_system, equation, kronecker

_ORDER = 10  # from here on the bilinear method is the cheaper one; SciPy's choice


def solve_continuous_lyapunov(a, q, *, on_fail="raise"):
    """Solve Lyapunov's equation a x + x a^H = q.

    Parameters
    ----------
    a : (..., n, n) array_like
        Matrix, or batch of matrices.
    q : (..., n, n) array_like
        Right-hand side, not necessarily Hermitian. Batch axes broadcast.

    Returns
    -------
    x : (..., n, n) ndarray
        Solution.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, 1 where the equation is singular, 2 where there is no Schur form, -1 for NaN in `a`.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity.

    Warns
    -----
    RuntimeWarning
        If the equation is singular and ``on_fail="raise"``: then `x` solves a nearby equation, as in SciPy.

    Notes
    -----
    With w from ``a^H w + w a = g``: ``q_bar = w`` and ``a_bar = -w x^H - w^H x``, in the Schur form that the value was computed
    with. On a GPU a linear system of order n^2 is solved. See `scipy.linalg.solve_continuous_lyapunov`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.array([[-1.0, 1.0], [0.0, -1.0]])
    >>> print(grad(lambda q: np.trace(linalg.solve_continuous_lyapunov(a, q)))(np.eye(2)))
    [[-0.5  -0.25]
     [-0.25 -0.75]]
    """
    a, q = _checked("solve_continuous_lyapunov", a, q, on_fail)
    x, info = equation("solve_continuous_lyapunov", a, a, q, on_fail, "warn")
    return (x, info) if on_fail == "info" else x


solve_lyapunov = solve_continuous_lyapunov


def _checked(function: str, a: Any, q: Any, on_fail: str) -> tuple[Any, Any]:
    failures.check_policy(function, on_fail)
    a, q = as_array(function, "a", a), as_array(function, "q", q)
    a, q = (x if x.ndim > 1 else x[(None,) * (2 - x.ndim)] for x in (a, q))
    for name, x in (("a", a), ("q", q)):
        if shape_of(x)[-1] != shape_of(x)[-2]:
            raise ValueError(f"{function}: Matrix {name} should be square, (..., n, n), but has shape {shape_of(x)}.")
    if shape_of(a)[-1] != shape_of(q)[-1]:
        raise ValueError(
            f"{function}: Matrix a and q should have the same shape, up to axes of a batch, not {shape_of(a)} and {shape_of(q)}."
        )
    refuse_nonfinite(function, on_fail == "raise", a=a, q=q)
    return same_precision(a, q)


# -- in discrete time


def _factored(what: str, matrix: Any, a: Any, on_fail: str, detail: str) -> Factors:
    """Return the factors of a concrete matrix computed from a, with errors in terms of a."""
    name = "solve_discrete_lyapunov"
    try:
        return factorize(f"{name}, {what}", matrix, on_fail=on_fail)
    except failures.LinAlgError:
        info = factorize(name, matrix, on_fail="nan").info
    failures.raise_first(name, "a", a.shape, 0 if info is None else info, "product 1", detail)
    raise failures.failure(name, "a", a.shape, (), "product 1", detail)  # no pivot is 0, but the condition overflows


def solve_discrete_lyapunov(a, q, method=None, *, on_fail="raise"):
    """Solve Lyapunov's equation in discrete time, x = a x a^H + q.

    Parameters
    ----------
    a : (..., n, n) array_like
        Matrix, or batch of matrices.
    q : (..., n, n) array_like
        Constant term, not necessarily Hermitian. Batch axes broadcast.
    method : {"direct", "bilinear"}, optional
        A linear system of order n^2, or an equation in continuous time. By default the direct method for n < 10.

    Returns
    -------
    x : (..., n, n) ndarray
        Solution.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If shapes do not fit, an array holds NaN or infinity, or the method is unknown.
    numpy.linalg.LinAlgError
        If the equation is singular.

    Warns
    -----
    scipy.linalg.LinAlgWarning, RuntimeWarning
        If the equation is nearly singular.

    Notes
    -----
    With w from ``w = a^H w a + g``: ``q_bar = w`` and ``a_bar = w a x^H + w^H a x``. See `scipy.linalg.solve_discrete_lyapunov`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.diag([0.5, 0.0])
    >>> print(grad(lambda q: np.trace(linalg.solve_discrete_lyapunov(a, q)))(np.eye(2)).round(12))
    [[1.33333333 0.        ]
     [0.         1.        ]]
    """
    a, q = _checked("solve_discrete_lyapunov", a, q, on_fail)
    chosen = ("bilinear" if shape_of(a)[-1] >= _ORDER else "direct") if method is None else method.lower()
    if chosen not in ("direct", "bilinear"):
        raise ValueError(f"solve_discrete_lyapunov: Unknown solver {method}; known are 'direct' and 'bilinear'.")
    single = chosen == "direct" and a.dtype.char in "fF"  # SciPy computes this in double precision; its digits are kept
    if single:
        a, q = (x.astype("D" if is_complex(x) else "d") for x in (a, q))
    x, info = (_direct if chosen == "direct" else _bilinear)(a, q, on_fail)
    if single:
        x = x.astype("F" if is_complex(x) else "f")
    return (x, _of_regular(info, a)) if on_fail == "info" else x


def _direct(a: Any, q: Any, on_fail: str) -> tuple[Any, Any]:
    """x and info, from the system for the elements of x."""
    whole = identity(shape_of(a)[-1] ** 2, raw(a)) - kronecker(a, a)
    detail = "the product of an eigenvalue of a and the conjugate of one is 1"
    factors = _factored("the system for the elements of x", raw(whole), raw(a), on_fail, detail)
    return by_system(whole, q, factors)


def _bilinear(a: Any, q: Any, on_fail: str) -> tuple[Any, Any]:
    """With p = (a + 1)^-1 and d = p (a - 1) the equation is d x + x d^H = -2 p q p^H."""
    one, name = identity(shape_of(a)[-1], raw(a)), "solve_discrete_lyapunov"
    factors = _factored("the inverse of a + 1", raw(a + one), raw(a), on_fail, "an eigenvalue of a is -1")
    p = linear_solve(a + one, one, factors=factors)
    d = p @ (a - one)
    return equation(name, d, d, -2 * (p @ q @ mH(p)), on_fail, "warn")


@constant
def _of_regular(info, a):
    """The bilinear method has no finite d for an eigenvalue -1: that is a singular equation, not NaN in a."""
    return np.where((info < 0) & ~failures.not_finite(a), 1, info)[()]


_of_regular.batch_leading(info=0, a=2)


__all__ = ["solve_continuous_lyapunov", "solve_discrete_lyapunov", "solve_lyapunov"]
