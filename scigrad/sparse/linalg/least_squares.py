"""lsqr and lsmr: least squares by iteration, differentiated through the pseudo-inverse.

For x = A^+ b with the residual r = b - A x and y = A^+H x, a matrix of constant rank gives

    x' = A^+ (b' - A' x + A^+H A'^H r - A q) + q,   q = A'^H y

and with w = A^+H g, v = A^+ w, h = g - A^H w the cotangents are b_bar = w and A_bar = -w x^H + r
v^H + y h^H. Every product with A^+ is one more solve by the same method.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import ZERO, jvp, kernel, raw, stop_gradient, vjp
from scigrad.autodiff_rules.containers import holds_traced
from scigrad.numpy.transcendental import magnitude
from scigrad.typing import Array, ArrayLike, Operator, SparseLike

from ...linalg import norm
from ..loops import call_library_on_containers
from .implicit_rule import (
    Convergence,
    as_working_dtype,
    declare_solution,
    parameters,
    require_convergence,
    require_host,
)
from .linear_operators import parametric
from .operators import adjoint_of, apply_operator, call_with_constants


class _Pseudoinverse:
    """A^+ b as a function of what varies in A, and of b, with its two rules."""

    def __init__(self, method: str, operator: Any, options: dict[str, Any], noted: bool) -> None:
        self.method, self.operator, self.options, self.noted = method, operator, options, noted

    def solved(self, a: Any, b: Any) -> tuple[Any, ...]:
        def run(a: Any, b: Any) -> tuple[Any, ...]:
            right, A = b.astype(np.result_type(b, np.float64)), self.operator(a)
            alphas, betas, noting = _bidiagonal(A, right)
            x, istop, itn, *rest = kernel(f"sparse.linalg.{self.method}")(
                noting if self.noted else A, right, **self.options
            )
            info = itn if istop == 7 else -1 if istop in (3, 6) else 0
            record = (info, itn, _residuals(self.method, alphas, betas), istop, *rest)
            return x.astype(b.dtype, copy=False), *(np.asarray(part) for part in record)

        return call_library_on_containers(run, a, b)

    def forward(self, args: Any, out: Array, t: Any) -> Any:
        (a, b), x, right = args, self._checked(*out[:2]), t[1]
        q: Any = ZERO
        if t[0] is not ZERO and a:
            y = self._inverse(a, x, adjoint=True)
            of_x = jvp(lambda a: self._times(a, x), (a,), (t[0],))[1]
            of_r, q = (
                jvp(lambda a, u=u: self._times(a, u, adjoint=True), (a,), (t[0],))[1]
                for u in (b - self._times(a, x), y)
            )
            right = right - of_x + self._inverse(a, of_r, adjoint=True) - self._times(a, q)
        return self._inverse(a, right) + q, *(ZERO for _ in out[1:])

    def reverse(self, args: Any, out: Array, g: Any) -> Any:
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
        return apply_operator(adjoint_of(A) if adjoint else A, v)

    def _inverse(self, a: Any, v: Any, adjoint: bool = False) -> Any:
        A, options = self.operator(a), self.options
        if options.get("maxiter", 0) is None:
            # lsmr's own limit is that of exact arithmetic
            options = options | {"maxiter": 2 * A.shape[1]}
        size = magnitude(v)
        return (
            self._checked(
                *_minimizer(self.method, adjoint_of(A) if adjoint else A, v / size, options)[:2]
            )
            * size
        )

    def _checked(self, x: Any, info: Any) -> Any:
        require_convergence(self.method, x, info, "the solve or that of its derivative ")
        return x


def _bidiagonal(A: Any, b: Any) -> tuple[list[Any], list[Any], Any]:
    """Return the diagonal and what is below it of the matrix that the methods make of A and b,
    empty now, and A as an operator that fills them.
    """
    plain, sizes, last = (
        kernel("sparse.linalg.aslinearoperator")(A),
        ([], [np.linalg.norm(b)]),
        [0, b],
    )

    def noting(product: Any, k: int) -> Any:
        def times(x: Any) -> Any:
            image, last[k] = product(x), x.copy()
            # `sizes[k]` is empty if b has NaN: the methods start with another product then
            sizes[1 - k].append(np.linalg.norm(image - (sizes[k] or [np.nan])[-1] * last[1 - k]))
            return image

        return times

    products = noting(plain.matvec, 0), noting(plain.rmatvec, 1)
    return *sizes, kernel("sparse.linalg.LinearOperator")(plain.shape, *products, dtype=plain.dtype)


def _residuals(method: str, alphas: list[Any], betas: list[Any]) -> Any:
    """Return the norms of b - A x at the start and after each iteration.

    Those of LSQR, and of their products with A^H, follow from a QR factorization (Paige and
    Saunders 1982, 4.2 and 5.3). The residual of LSMR is the mean of LSQR's weighted by 1 / |A^H
    r|^2, where <r_i, r_j> is the smaller of |r_i|^2 and |r_j|^2.
    """
    alphas = [*alphas, 0.0]
    last, r, of_r = alphas[0], betas[:1], [alphas[0] * betas[0]]
    for alpha, beta in zip(alphas[1:], betas[1:], strict=False):
        rho = np.hypot(last, beta) or 1.0
        last = alpha * last / rho
        r.append(r[-1] * beta / rho)
        of_r.append(r[-1] * last)
    if method == "lsqr":
        return np.stack(r)
    weights = np.maximum(np.divide(of_r, of_r[0] or 1.0), 1e-60) ** -2.0
    total = np.cumsum(weights)
    return np.sqrt(np.cumsum((2 * total - weights) * weights * np.square(r))) / total


def _minimizer(method: str, A: Any, b: Any, options: dict[str, Any], noted: bool = False) -> Any:
    """Return the x of least norm that minimizes |A x - b|, what is in a record of convergence, and
    the rest of SciPy's.
    """
    a, operator = parameters(A)
    return declare_solution(_Pseudoinverse(method, operator, options, noted))(a, b)


_STACKED = (
    lambda v, A, damp: np.concatenate([apply_operator(A, v), damp * v]),
    lambda u, A, damp: apply_operator(adjoint_of(A), u[: A.shape[0]]) + damp * u[A.shape[0] :],
)


def _least_squares(
    method: str, A: Any, b: Any, damp: Any, x0: Any, return_info: bool, **options: Any
) -> Any:
    """Return SciPy's outputs, with differentiable x and norms."""
    require_host(f"sparse.linalg.{method}", A, b, **options)
    # SciPy makes double precision of single precision, tests for the end with |b| in place of
    # |b - A x0|, and takes a negative damp for none in a part of its formulas
    if not (
        return_info
        or x0 is not None
        or getattr(b, "dtype", None) in (np.float32, np.complex64)
        or holds_traced((A, b, damp))
    ):
        return call_with_constants(
            method, kernel(f"sparse.linalg.{method}"), A, b, abs(damp), **options
        )
    A, b = as_working_dtype(A), as_working_dtype(b).reshape(-1)
    x0 = x0 if x0 is None else as_working_dtype(x0).reshape(-1)
    if b.shape != A.shape[:1]:
        raise ValueError(f"shapes of A {tuple(A.shape)} and b {tuple(b.shape)} are incompatible")
    b = b.astype(np.result_type(A.dtype, b.dtype))
    right = b if x0 is None else b - apply_operator(A, x0)
    whole = A
    if holds_traced(damp) or damp != 0:
        whole = parametric(_STACKED, (A, damp), (sum(A.shape), A.shape[1]), A.dtype)
        right = np.concatenate([right, np.zeros_like(raw(right), shape=A.shape[1:])])
    step, info, itn, residuals, istop, *rest = _minimizer(
        method, whole, right, options, return_info
    )
    x = step if x0 is None else x0 + step
    if return_info:
        return x, Convergence(*map(stop_gradient, (info, itn, residuals)))
    sizes = [norm(v, check_finite=False) for v in (b - apply_operator(A, x), step, x)]
    whole = np.sqrt(sizes[0] ** 2 + (damp * sizes[1]) ** 2) if whole is not A else sizes[0]
    varying = {2: sizes[0], 3: whole, 7: sizes[1]} if method == "lsqr" else {2: whole, 6: sizes[2]}
    return x, *(varying.get(place, constant) for place, constant in enumerate((istop, itn, *rest)))


def lsqr(
    A: SparseLike | ArrayLike | Operator,
    b: ArrayLike,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    iter_lim: int | None = None,
    show: bool = False,
    calc_var: bool = False,
    x0: ArrayLike | None = None,
    *,
    return_info: bool = False,
) -> tuple[Array, int, int, float, float, float, float, float, float, Array]:
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
    return_info : bool, optional
        Whether to return x and a record ``(info, iterations, residuals)`` with a property
        ``reason`` alone, as `cg` does. `info` is -1 if the estimate of the condition number exceeds
        `conlim`; residuals are those of what is minimized, with `damp`.

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
    Differentiable in `A`, `b`, `damp` and `x0`, to any order, where the rank of `A` is constant: x
    and the norms of residual and solution. Estimates and counts are constant. A first derivative
    takes up to three more solves. The parameters of a `linear_operator` vary too.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    >>> print(grad(lambda b: sparse.linalg.lsqr(A, b)[0].sum())(np.ones(3)).round(6))
    [1.  0.5 0. ]
    """
    return _least_squares(
        "lsqr",
        A=A,
        b=b,
        damp=damp,
        atol=atol,
        btol=btol,
        conlim=conlim,
        iter_lim=iter_lim,
        show=show,
        calc_var=calc_var,
        x0=x0,
        return_info=return_info,
    )


def lsmr(
    A: SparseLike | ArrayLike | Operator,
    b: ArrayLike,
    damp: float = 0.0,
    atol: float = 1e-6,
    btol: float = 1e-6,
    conlim: float = 1e8,
    maxiter: int | None = None,
    show: bool = False,
    x0: ArrayLike | None = None,
    *,
    return_info: bool = False,
) -> tuple[Array, int, int, float, float, float, float, float]:
    """Solve ``min |A x - b|^2 + damp^2 |x - x0|^2`` by the method LSMR.

    As `scipy.sparse.linalg.lsmr`.

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
    maxiter : int, optional
        Maximum number of iterations, by default the smaller of m and n.
    show : bool, optional
        Whether to print a log.
    x0 : (n,) array_like, optional
        Initial guess; of all solutions, the one nearest to it is found.
    return_info : bool, optional
        Whether to return x and a record ``(info, iterations, residuals)`` with a property
        ``reason`` alone, as `cg` does. `info` is -1 if the estimate of the condition number exceeds
        `conlim`; residuals are those of what is minimized, with `damp`.

    Returns
    -------
    x : (n,) ndarray
        Solution.
    istop, itn : int
        Reason of the end, as in SciPy, and number of iterations.
    normr, normar : float
        Norm of ``b - A x`` (with `damp`, root of the function that is minimized), and estimate of
        the norm of the gradient.
    norma, conda : float
        Estimates of the norm and the condition number of `A`.
    normx : float
        Norm of x.

    Raises
    ------
    ValueError
        If the shapes of `A` and `b` do not fit.
    numpy.linalg.LinAlgError
        If a derivative is taken and the solve, or one that gives it, does not converge.

    Notes
    -----
    Differentiable in `A`, `b`, `damp` and `x0`, to any order, where the rank of `A` is constant: x
    and the norms of residual and solution. Estimates and counts are constant. A first derivative
    takes up to three more solves. The parameters of a `linear_operator` vary too.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]]))
    >>> print(grad(lambda b: sparse.linalg.lsmr(A, b)[0].sum())(np.ones(3)).round(6))
    [1.  0.5 0. ]
    """
    return _least_squares(
        "lsmr",
        A=A,
        b=b,
        damp=damp,
        atol=atol,
        btol=btol,
        conlim=conlim,
        maxiter=maxiter,
        show=show,
        x0=x0,
        return_info=return_info,
    )


__all__ = ["lsmr", "lsqr"]
