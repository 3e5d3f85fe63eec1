"""lsqr and lsmr: least squares by iteration, differentiated through the pseudo-inverse.

For x = A^+ b with the residual r = b - A x and y = A^+H x, a matrix of constant rank gives

    x' = A^+ (b' - A' x + A^+H A'^H r - A q) + q,   q = A'^H y

and with w = A^+H g, v = A^+ w, h = g - A^H w the cotangents are b_bar = w and A_bar = -w x^H + r v^H + y h^H. Every product with
A^+ is one more solve by the same method.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, jvp, kernel, raw, vjp
from scigrad.autodiff_rules.docstrings import completed_by

from ...linalg import norm
from ..one_by_one import found_by
from .implicit_systems import in_working_dtype, is_traced, parameters, require_convergence, require_host, stated
from .linear_operators import parametric
from .operators import adjoint_of, applied, with_constants


class _Pseudoinverse:
    """A^+ b as a function of what varies in A, and of b, with its two rules."""

    def __init__(self, method: str, operator: Any, options: dict[str, Any]) -> None:
        self.method, self.operator, self.options = method, operator, options

    def solved(self, a: Any, b: Any) -> tuple[Any, ...]:
        def run(a: Any, b: Any) -> tuple[Any, ...]:
            right = b.astype(np.result_type(b, np.float64))
            x, *record = kernel(f"sparse.linalg.{self.method}")(self.operator(a), right, **self.options)
            return x.astype(b.dtype, copy=False), *(np.asarray(part) for part in record)

        return found_by(run, a, b)

    def forward(self, args: Any, out: Any, t: Any) -> Any:
        (a, b), x, right = args, self._checked(*out[:2]), t[1]
        q: Any = ZERO
        if t[0] is not ZERO and a:
            y = self._inverse(a, x, adjoint=True)
            of_x = jvp(lambda a: self._times(a, x), (a,), (t[0],))[1]
            of_r, q = (jvp(lambda a, u=u: self._times(a, u, adjoint=True), (a,), (t[0],))[1] for u in (b - self._times(a, x), y))
            right = right - of_x + self._inverse(a, of_r, adjoint=True) - self._times(a, q)
        return self._inverse(a, right) + q, *(ZERO for _ in out[1:])

    def reverse(self, args: Any, out: Any, g: Any) -> Any:
        (a, b), x = args, self._checked(*out[:2])
        w = self._inverse(a, g[0], adjoint=True)
        if not a:
            return None, w
        v, y = self._inverse(a, w), self._inverse(a, x, adjoint=True)
        h = g[0] - self._times(a, w, adjoint=True)

        def products(a: Any) -> Any:
            return [self._times(a, u) for u in (x, v, h)]

        return vjp(products, a)[1]([-w, b - self._times(a, x), y])[0], w

    def _times(self, a: Any, v: Any, adjoint: bool = False) -> Any:
        A = self.operator(a)
        return applied(adjoint_of(A) if adjoint else A, v)

    def _inverse(self, a: Any, v: Any, adjoint: bool = False) -> Any:
        A, options = self.operator(a), self.options
        if options.get("maxiter", 0) is None:
            options = options | {"maxiter": 2 * A.shape[1]}  # lsmr's own limit is that of exact arithmetic
        return self._checked(*_minimizer(self.method, adjoint_of(A) if adjoint else A, v, options)[:2])

    def _checked(self, x: Any, istop: Any) -> Any:
        require_convergence(self.method, x, (istop == 3) | (istop == 6) | (istop == 7), "the solve or that of its derivative ")
        return x


def _minimizer(method: str, A: Any, b: Any, options: dict[str, Any]) -> Any:
    """Return the x of least norm that minimizes |A x - b|, and SciPy's record."""
    a, operator = parameters(A)
    equation = _Pseudoinverse(method, operator, options)
    return stated(equation)(a, b)


_STACKED = (
    lambda v, A, damp: np.concatenate([applied(A, v), damp * v]),
    lambda u, A, damp: applied(adjoint_of(A), u[: A.shape[0]]) + damp * u[A.shape[0] :],
)


def _least_squares(method: str, A: Any, b: Any, damp: Any, x0: Any, **options: Any) -> Any:
    """Return SciPy's outputs, with differentiable x and norms."""
    require_host(f"sparse.linalg.{method}", A, b)
    single = getattr(b, "dtype", None) in (np.float32, np.complex64)  # of which SciPy makes double precision
    if not (single or any(map(is_traced, (A, b, damp, x0)))):
        return with_constants(method, kernel(f"sparse.linalg.{method}"), A, b, damp, x0=x0, **options)
    A, b = in_working_dtype(A), in_working_dtype(b).reshape(-1)
    if b.shape != A.shape[:1]:
        raise ValueError(f"shapes of A {tuple(A.shape)} and b {tuple(b.shape)} are incompatible")
    b = b.astype(np.result_type(A.dtype, b.dtype))
    right = b if x0 is None else b - applied(A, x0)
    whole = A
    if is_traced(damp) or damp != 0:
        whole = parametric(_STACKED, (A, damp), (sum(A.shape), A.shape[1]), A.dtype)
        right = np.concatenate([right, np.zeros_like(raw(right), shape=A.shape[1:])])
    step, istop, itn, *rest = _minimizer(method, whole, right, options)
    x = step if x0 is None else x0 + step
    residual = norm(b - applied(A, x))
    return x, (istop, itn, *rest), step, residual, np.sqrt(residual**2 + (damp * norm(step)) ** 2) if whole is not A else residual


def lsqr(A: Any, b: Any, damp: Any = 0.0, atol: float = 1e-6, btol: float = 1e-6, conlim: float = 1e8, iter_lim: Any = None,
         show: bool = False, calc_var: bool = False, x0: Any = None) -> Any:  # fmt: skip
    """Solve ``min |A x - b|^2 + damp^2 |x - x0|^2`` by the method LSQR.

    As `scipy.sparse.linalg.lsqr`.

    Parameters
    ----------
    A : (m, n) sparse array, array_like or LinearOperator
        Matrix of any shape and rank.
    b : (m,) or (m, 1) array_like
        Right-hand side.
    damp : float, optional
        Damping.
    atol, btol : float, optional
        Tolerances of the iteration, also of those that give derivatives.
    conlim : float, optional
        Estimate of the condition number at which the iteration stops.
    iter_lim : int, optional
        Maximum number of iterations, by default 2 n.
    show : bool, optional
        Whether to print a log.
    calc_var : bool, optional
        Whether to estimate the diagonal of the inverse of ``A^H A + damp^2 I``.
    x0 : (n,) array_like, optional
        Initial guess; of all solutions, the one nearest to it is found.

    Returns
    -------
    x : (n,) ndarray
        Solution.
    istop, itn : int
        Reason of the end, as in SciPy, and number of iterations.
    r1norm, r2norm : float
        Norm of ``b - A x``, and root of the function that is minimized.
    anorm, acond, arnorm : float
        Estimates of the norm and the condition number of `A`, and of the norm of the gradient.
    xnorm : float
        Norm of ``x - x0``.
    var : (n,) ndarray
        Estimate of the diagonal.

    Raises
    ------
    ValueError
        If the shapes of `A` and `b` do not fit.
    numpy.linalg.LinAlgError
        If a derivative is taken and the solve, or one that gives it, does not converge.

    Notes
    -----
    Differentiable in `A`, `b`, `damp` and `x0`, to any order, where the rank of `A` is constant: x and the norms of residual and
    solution. Estimates and counts are constant. A first derivative takes up to three more solves. The parameters of a
    `linear_operator` vary too.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    >>> print(grad(lambda b: sparse.linalg.lsqr(A, b)[0].sum())(np.ones(3)).round(6))
    [1.  0.5 0. ]
    """
    found = _least_squares("lsqr", **locals())
    if len(found) != 5:
        return found
    x, (istop, itn, _, _, anorm, acond, arnorm, _, var), step, residual, whole = found
    return x, istop, itn, residual, whole, anorm, acond, arnorm, norm(step), var


@completed_by(lsqr)
def lsmr(A, b, damp=0.0, atol=1e-6, btol=1e-6, conlim=1e8, maxiter=None, show=False, x0=None):
    """Solve ``min |A x - b|^2 + damp^2 |x - x0|^2`` by the method LSMR.

    As `scipy.sparse.linalg.lsmr`.

    Parameters
    ----------
    maxiter : int, optional
        Maximum number of iterations, by default the smaller of m and n.

    Returns
    -------
    x : (n,) ndarray
        Solution.
    istop, itn : int
        Reason of the end, as in SciPy, and number of iterations.
    normr, normar : float
        Norm of ``b - A x`` (with `damp`, root of the function that is minimized), and estimate of the norm of the gradient.
    norma, conda : float
        Estimates of the norm and the condition number of `A`.
    normx : float
        Norm of x.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    >>> print(grad(lambda b: sparse.linalg.lsmr(A, b)[0].sum())(np.ones(3)).round(6))
    [1.  0.5 0. ]
    """
    found = _least_squares("lsmr", **locals())
    if len(found) != 5:
        return found
    x, (istop, itn, _, normar, norma, conda, _), _, _, whole = found
    return x, istop, itn, whole, normar, norma, conda, norm(x)


__all__ = ["lsmr", "lsqr"]
