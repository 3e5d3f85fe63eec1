"""cg: conjugate gradients, differentiated through the equation that they solve, not through their iterations.

A x = b gives A x' = b' - A' x, and w = A^-H g gives b_bar = w, A_bar = -w x^H. A is Hermitian, so that the same method with the
same preconditioner solves both. The reverse pass keeps only the solution, whatever the number of iterations.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import ZERO, Traced, jvp, kernel, linear, raw, stop_gradient, vjp
from scigrad.autodiff_rules.custom import with_rules
from scigrad.autodiff_rules.spaces import flatten, is_inexact, map_leaves
from scigrad.numpy.devices import on_host

from ..arithmetic import sparse_matmul
from ..patterns import is_sparse
from .operators import ParametricOperator


class Convergence(NamedTuple):
    """Record of an iterative solution, returned with return_info=True in place of SciPy's number."""

    info: Any
    """0: converged; n > 0: not within n iterations; -1: broke down (A or M is not positive definite, or holds NaN)"""
    iterations: Any
    residuals: Any
    """norm of b - A x at the start and after each iteration, along the last axis"""

    @property
    def reason(self) -> Any:
        """Return `info` in words."""
        texts = ["converged" if code == 0 else f"not converged in {code} iterations" if code > 0 else "broke down"
                 for code in np.ravel(on_host(raw(self.info)))]  # fmt: skip
        return texts[0] if len(texts) == 1 else texts


def cg(A: Any, b: Any, x0: Any = None, *, rtol: float = 1e-5, atol: float = 0.0, maxiter: int | None = None, M: Any = None,
       callback: Any = None, return_info: bool = False) -> Any:  # fmt: skip
    """Solve ``A x = b`` for a Hermitian positive definite A by the conjugate gradient method.

    As `scipy.sparse.linalg.cg`.

    Parameters
    ----------
    A : (n, n) sparse array, array_like, LinearOperator or callable
        Matrix, or a function v -> A v.
    b : (n,) or (n, 1) array_like
        Right-hand side.
    x0 : (n,) array_like or "Mb", optional
        Initial guess, by default zeros; "Mb" is M b.
    rtol, atol : float, optional
        Tolerances: the iteration stops when ``norm(b - A x) < max(rtol norm(b), atol)``.
    maxiter : int, optional
        Maximum number of iterations, by default 10 n.
    M : (n, n) sparse array, array_like, LinearOperator or callable, optional
        Preconditioner, an approximation of the inverse of `A`.
    callback : callable, optional
        Function of the current x, called after each iteration (under vmap with the whole batch).
    return_info : bool, optional
        Whether to return a record ``(info, iterations, residuals)`` with a property ``reason`` in place of `info`.

    Returns
    -------
    x : (n,) ndarray
        Solution.
    info : int
        0 if converged, n > 0 if not after n iterations, -1 if the method broke down.

    Raises
    ------
    ValueError
        If shapes do not fit or `atol` is invalid.

    Warns
    -----
    RuntimeWarning
        If the solve that gives a derivative does not converge.

    Notes
    -----
    Differentiable in `A` and `b`, to any order, by one more solve with the same `M` and `rtol`. `A` is taken to be Hermitian, as
    the method requires. The derivatives in `x0` and `M` are 0, because the solution does not depend on them, and the record of
    the iterations is constant. A function is constant, and refused if it closes over traced values: `linear_operator` makes one
    with parameters that vary. Under vmap all elements iterate together, each until it has converged.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = np.diag([1.0, 2.0])
    >>> print(grad(lambda b: sparse.linalg.cg(A, b)[0].sum())(np.array([1.0, 1.0])))
    [1.  0.5]
    """
    if atol is None or isinstance(atol, str) or atol < 0:
        raise ValueError(f"cg called with invalid atol={atol!r}; it has to be a real, non-negative number.")
    settings = {"rtol": rtol, "atol": atol, "maxiter": maxiter, "M": M, "callback": callback}
    functions = any(callable(v) and not hasattr(v, "matvec") for v in (A, M))
    if not (return_info or functions or any(_is_traced(v) for v in (A, b, x0, M))):
        return kernel("sparse.linalg.cg")(A, b, x0, **settings)
    A = A if is_sparse(A) or hasattr(A, "dtype") or callable(A) else np.asarray(A)
    if hasattr(A, "astype") and A.dtype.kind not in "fc":
        A = A.astype(np.float64)  # integers have no derivative, but the solution depends on b
    x, record = _solution(A, b, x0, settings)
    return x, record if return_info else record.info


def _is_traced(x: Any) -> bool:
    return any(isinstance(leaf, Traced) for leaf in flatten(x)[0])


def _solution(A: Any, b: Any, x0: Any, settings: dict[str, Any]) -> tuple[Any, Convergence]:
    (a, operator), (m, preconditioner) = _parameters(A), _parameters(settings["M"])
    b = _vector("b", b, A)
    if hasattr(settings["M"], "shape") and tuple(settings["M"].shape) != (b.shape[0],) * 2:
        raise ValueError(
            f"matrix and preconditioner have different shapes: M is {tuple(settings['M'].shape)}, b has {b.shape[0]} entries"
        )
    if isinstance(x0, str):
        if x0 != "Mb":
            raise ValueError(f'x0 must be an array, None or "Mb", not {x0!r}')
        x0 = b if settings["M"] is None else _applied(settings["M"], b)
    x0 = _in_dtype(_vector("x0", x0, A), b.dtype)

    def solve(a: Any, b: Any, x0: Any, m: Any) -> tuple[Any, ...]:
        return _iterate(operator(a), preconditioner(m), b, x0, settings)

    def again(a: Any, right: Any, m: Any) -> Any:
        return _derivative_solution(operator(a), right, settings | {"M": preconditioner(m)})

    def forward(args: Any, out: Any, t: Any) -> Any:
        a, right = args[0], t[1]
        if t[0] is not ZERO and a:
            right = right - jvp(lambda a: _applied(operator(a), out[0]), (a,), (t[0],))[1]
        return again(a, right, args[3]), ZERO, ZERO, ZERO

    def reverse(args: Any, out: Any, g: Any) -> Any:
        a, w = args[0], again(args[0], g[0], args[3])
        of_a = vjp(lambda a: _applied(operator(a), out[0]), a)[1](-w)[0] if a else None
        return of_a, w, None, None

    solve.__name__ = "sparse.linalg.cg"
    constants = map_leaves(stop_gradient, x0), map_leaves(stop_gradient, m)
    x, *record = with_rules(solve, forward, reverse)(a, b, *constants)
    return x, Convergence(*map(stop_gradient, record))


def _parameters(operator: Any) -> tuple[list[Any], Any]:
    """Return what may vary in an operator (nothing of a function or a LinearOperator), and the operator as a function of it."""
    leaves, tree = flatten(operator)
    vary = [is_inexact(x) and not hasattr(x, "matvec") for x in leaves]

    def put(values: list[Any]) -> Any:
        new = iter(values)
        return tree.unflatten([next(new) if varies else x for varies, x in zip(vary, leaves, strict=True)])

    return [x for varies, x in zip(vary, leaves, strict=True) if varies], put


def _vector(name: str, v: Any, A: Any) -> Any:
    """Return v as a floating-point vector that fits A."""
    if v is None:
        return None
    if is_sparse(v):
        raise ValueError(f"{name} has to be dense, not a sparse array of shape {tuple(v.shape)}: {name}.toarray()")
    v = v if hasattr(v, "dtype") else np.asarray(v)
    shape = tuple(A.shape) if hasattr(A, "shape") else (v.shape[0],) * 2 if v.shape else ()
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"expected square matrix, but got shape={shape}")
    if tuple(v.shape) not in ((shape[0],), (shape[0], 1)):
        raise ValueError(f"shapes of A {shape} and {name} {tuple(v.shape)} are incompatible")
    dtype = np.result_type(v.dtype if v.dtype.kind in "fc" else np.float64, getattr(A, "dtype", None) or v.dtype)
    v = v if v.dtype == dtype else v.astype(dtype)
    return v if len(v.shape) == 1 else v[:, 0]


def _in_dtype(x0: Any, dtype: Any) -> Any:
    """Return the initial guess in the dtype of the solution, on which it has no influence."""
    if x0 is None or x0.dtype == dtype:
        return x0
    return (x0.real if dtype.kind != "c" else x0).astype(dtype)


def _derivative_solution(A: Any, right: Any, settings: dict[str, Any]) -> Any:
    """Return A^-1 right for a derivative, to the same relative tolerance; warn if that was not reached."""
    x, record = _solution(A, right, None, settings | {"atol": 0.0, "callback": None})
    if np.any(on_host(raw(record.info)) != 0):
        warnings.warn(
            "cg: the solve that gives its derivative did not converge, so the derivative is inaccurate. Raise maxiter, or "
            "give a better preconditioner M.",
            RuntimeWarning,
            stacklevel=2,
        )
    return x


# -- operators -------------------------------------------------------------------------------------------------------


def _applied(A: Any, v: Any) -> Any:
    """Return A v for an array, a LinearOperator or a function."""
    if is_sparse(A):
        return sparse_matmul(A, v)
    if hasattr(A, "matvec") and not isinstance(A, ParametricOperator):
        return operated(v, operator=A)
    return A @ v if hasattr(A, "dtype") else A(v)


@linear("v")
def operated(v: Any, *, operator: Any) -> Any:
    """Apply a LinearOperator along the last axis of v."""
    if v.ndim == 1:
        return operator.matvec(v)
    return operator.matmat(v.reshape(-1, v.shape[-1]).T).T.reshape((*v.shape[:-1], operator.shape[0]))


operated.batch_leading(v=1)


@operated.adjoint
def _(call: Any, g: Any) -> Any:
    return operated(g, operator=call.operator.H)


# -- the iteration ---------------------------------------------------------------------------------------------------


def _inner(u: Any, v: Any) -> Any:
    return (u.conj() * v).sum(axis=-1)


def _iterate(A: Any, M: Any, b: Any, x0: Any, settings: dict[str, Any]) -> tuple[Any, ...]:
    """Iterate; return solution, info, iterations and residuals. With a batched b every quantity is batched, and an element that
    has converged does not change any more.
    """
    norm_b = np.sqrt(_inner(b, b).real)
    tolerance = np.maximum(norm_b * settings["rtol"], settings["atol"])
    x = b * 0 if x0 is None else np.where(norm_b == 0, b * 0, x0)
    r = b - _applied(A, x) if x0 is not None else b
    residual = np.sqrt(_inner(r, r).real)
    active = ~((residual < tolerance) | (norm_b == 0))
    p, rho, alive, iterations, history = r * 0, norm_b * 0 + 1, active | True, active * 0, [residual]
    limit = settings["maxiter"] if settings["maxiter"] is not None else 10 * b.shape[0]
    while len(history) <= limit and np.any(on_host(raw(active))):
        z = r if M is None else stop_gradient(_applied(M, r))
        rho, before = _inner(r, z), rho
        p = z + p * (rho / before)
        q = _applied(A, p)
        curvature = _inner(p, q)
        alive = alive & ~(active & ((curvature == 0) | ~np.isfinite(abs(curvature))))
        active = active & alive
        step = np.where(active, rho, 0) / np.where(active, curvature, 1)
        rho = np.where(active, rho, 1)
        x, r = x + step * p, r - step * q
        residual = np.sqrt(_inner(r, r).real)
        iterations, active = iterations + active, active & ~(residual < tolerance)
        history.append(residual)
        if settings["callback"]:
            settings["callback"](raw(x))
    info = np.where(alive, np.where(active, np.maximum(iterations, 1), 0), -1)  # without an iteration: not converged either
    return x, info, iterations, np.stack(history, axis=-1)


__all__ = ["cg"]
