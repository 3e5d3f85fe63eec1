"""Iterative solvers of linear systems: SciPy's ten methods over one implicit derivative."""

from collections.abc import Callable
from typing import Any, Literal

from scigrad.typing import Array, ArrayLike, Operator, SparseLike

from .implicit_rule import solve_iteratively


def cg(
    A: SparseLike | ArrayLike | Operator | Callable[..., Any],
    b: ArrayLike,
    x0: ArrayLike | Literal["Mb"] | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: SparseLike | ArrayLike | Operator | Callable[..., Any] | None = None,
    callback: Callable[..., Any] | None = None,
    return_info: bool = False,
    adjoint_rtol: float | None = None,
) -> tuple[Array, int]:
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
        Whether to return a record ``(info, iterations, residuals)`` with a property ``reason`` in
        place of `info`.
    adjoint_rtol : float, optional
        Relative tolerance of the solves that give derivatives, by default `rtol`.

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
    numpy.linalg.LinAlgError
        If a derivative is taken and the solve, or the one that gives the derivative, does not
        converge.

    Notes
    -----
    Differentiable in `A` and `b`, to any order, by one more solve with the same method and
    preconditioner, for ``A^H`` in reverse mode. The derivatives in `x0` and the preconditioner are
    0, because the solution does not depend on them, and the record of the iterations is constant. A
    function or a LinearOperator is constant, and refused if it closes over traced values:
    `linear_operator` makes one with parameters that vary.

    Preconditioners of other libraries can be passed as they are, such as
    ``M=pyamg.smoothed_aggregation_solver(A).aspreconditioner()`` of a plain csr array. If `A` is
    traced, build the preconditioner from ``stop_gradient(A.data)``: it affects convergence, not the
    derivative.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = np.diag([1.0, 2.0])
    >>> print(grad(lambda b: sparse.linalg.cg(A, b)[0].sum())(np.array([1.0, 1.0])))
    [1.  0.5]
    """
    return solve_iteratively(
        "cg",
        A=A,
        b=b,
        x0=x0,
        rtol=rtol,
        atol=atol,
        maxiter=maxiter,
        M=M,
        callback=callback,
        return_info=return_info,
        adjoint_rtol=adjoint_rtol,
    )


def cgs(
    A: SparseLike | ArrayLike | Operator | Callable[..., Any],
    b: ArrayLike,
    x0: ArrayLike | Literal["Mb"] | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: SparseLike | ArrayLike | Operator | Callable[..., Any] | None = None,
    callback: Callable[..., Any] | None = None,
    return_info: bool = False,
    adjoint_rtol: float | None = None,
) -> tuple[Array, int]:
    """Solve ``A x = b`` by the conjugate gradient squared method.

    As `scipy.sparse.linalg.cgs`.

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
        Whether to return a record ``(info, iterations, residuals)`` with a property ``reason`` in
        place of `info`.
    adjoint_rtol : float, optional
        Relative tolerance of the solves that give derivatives, by default `rtol`.

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
    numpy.linalg.LinAlgError
        If a derivative is taken and the solve, or the one that gives the derivative, does not
        converge.

    Notes
    -----
    Differentiable in `A` and `b`, to any order, by one more solve with the same method and
    preconditioner, for ``A^H`` in reverse mode. The derivatives in `x0` and the preconditioner are
    0, because the solution does not depend on them, and the record of the iterations is constant. A
    function or a LinearOperator is constant, and refused if it closes over traced values:
    `linear_operator` makes one with parameters that vary.

    Preconditioners of other libraries can be passed as they are, such as
    ``M=pyamg.smoothed_aggregation_solver(A).aspreconditioner()`` of a plain csr array. If `A` is
    traced, build the preconditioner from ``stop_gradient(A.data)``: it affects convergence, not the
    derivative.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.diag([1.0, 2.0]))
    >>> print(grad(lambda b: sparse.linalg.cgs(A, b)[0].sum())(np.array([1.0, 1.0])).round(6))
    [1.  0.5]
    """
    return solve_iteratively(
        "cgs",
        A=A,
        b=b,
        x0=x0,
        rtol=rtol,
        atol=atol,
        maxiter=maxiter,
        M=M,
        callback=callback,
        return_info=return_info,
        adjoint_rtol=adjoint_rtol,
    )


def bicg(
    A: SparseLike | ArrayLike | Operator | Callable[..., Any],
    b: ArrayLike,
    x0: ArrayLike | Literal["Mb"] | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: SparseLike | ArrayLike | Operator | Callable[..., Any] | None = None,
    callback: Callable[..., Any] | None = None,
    return_info: bool = False,
    adjoint_rtol: float | None = None,
) -> tuple[Array, int]:
    """Solve ``A x = b`` by the biconjugate gradient method.

    As `scipy.sparse.linalg.bicg`.

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
        Whether to return a record ``(info, iterations, residuals)`` with a property ``reason`` in
        place of `info`.
    adjoint_rtol : float, optional
        Relative tolerance of the solves that give derivatives, by default `rtol`.

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
    numpy.linalg.LinAlgError
        If a derivative is taken and the solve, or the one that gives the derivative, does not
        converge.

    Notes
    -----
    Differentiable in `A` and `b`, to any order, by one more solve with the same method and
    preconditioner, for ``A^H`` in reverse mode. The derivatives in `x0` and the preconditioner are
    0, because the solution does not depend on them, and the record of the iterations is constant. A
    function or a LinearOperator is constant, and refused if it closes over traced values:
    `linear_operator` makes one with parameters that vary.

    Preconditioners of other libraries can be passed as they are, such as
    ``M=pyamg.smoothed_aggregation_solver(A).aspreconditioner()`` of a plain csr array. If `A` is
    traced, build the preconditioner from ``stop_gradient(A.data)``: it affects convergence, not the
    derivative.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.diag([1.0, 2.0]))
    >>> print(grad(lambda b: sparse.linalg.bicg(A, b)[0].sum())(np.array([1.0, 1.0])).round(6))
    [1.  0.5]
    """
    return solve_iteratively(
        "bicg",
        A=A,
        b=b,
        x0=x0,
        rtol=rtol,
        atol=atol,
        maxiter=maxiter,
        M=M,
        callback=callback,
        return_info=return_info,
        adjoint_rtol=adjoint_rtol,
    )


def bicgstab(
    A: SparseLike | ArrayLike | Operator | Callable[..., Any],
    b: ArrayLike,
    x0: ArrayLike | Literal["Mb"] | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: SparseLike | ArrayLike | Operator | Callable[..., Any] | None = None,
    callback: Callable[..., Any] | None = None,
    return_info: bool = False,
    adjoint_rtol: float | None = None,
) -> tuple[Array, int]:
    """Solve ``A x = b`` by the stabilized biconjugate gradient method.

    As `scipy.sparse.linalg.bicgstab`.

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
        Whether to return a record ``(info, iterations, residuals)`` with a property ``reason`` in
        place of `info`.
    adjoint_rtol : float, optional
        Relative tolerance of the solves that give derivatives, by default `rtol`.

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
    numpy.linalg.LinAlgError
        If a derivative is taken and the solve, or the one that gives the derivative, does not
        converge.

    Notes
    -----
    Differentiable in `A` and `b`, to any order, by one more solve with the same method and
    preconditioner, for ``A^H`` in reverse mode. The derivatives in `x0` and the preconditioner are
    0, because the solution does not depend on them, and the record of the iterations is constant. A
    function or a LinearOperator is constant, and refused if it closes over traced values:
    `linear_operator` makes one with parameters that vary.

    Preconditioners of other libraries can be passed as they are, such as
    ``M=pyamg.smoothed_aggregation_solver(A).aspreconditioner()`` of a plain csr array. If `A` is
    traced, build the preconditioner from ``stop_gradient(A.data)``: it affects convergence, not the
    derivative.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.diag([1.0, 2.0]))
    >>> print(grad(lambda b: sparse.linalg.bicgstab(A, b)[0].sum())(np.array([1.0, 1.0])).round(6))
    [1.  0.5]
    """
    return solve_iteratively(
        "bicgstab",
        A=A,
        b=b,
        x0=x0,
        rtol=rtol,
        atol=atol,
        maxiter=maxiter,
        M=M,
        callback=callback,
        return_info=return_info,
        adjoint_rtol=adjoint_rtol,
    )


def gmres(
    A: SparseLike | ArrayLike | Operator | Callable[..., Any],
    b: ArrayLike,
    x0: ArrayLike | Literal["Mb"] | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    restart: int | None = None,
    maxiter: int | None = None,
    M: SparseLike | ArrayLike | Operator | Callable[..., Any] | None = None,
    callback: Callable[..., Any] | None = None,
    callback_type: Literal["x", "pr_norm", "legacy"] | None = None,
    return_info: bool = False,
    adjoint_rtol: float | None = None,
) -> tuple[Array, int]:
    """Solve ``A x = b`` by the generalized minimal residual method.

    As `scipy.sparse.linalg.gmres`.

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
    restart : int, optional
        Number of iterations between restarts, by default the smaller of 20 and n.
    maxiter : int, optional
        Maximum number of cycles between restarts, by default 10 n.
    M : (n, n) sparse array, array_like, LinearOperator or callable, optional
        Preconditioner, an approximation of the inverse of `A`.
    callback : callable, optional
        Function of the current x, called after each iteration (under vmap with the whole batch).
    callback_type : {"x", "pr_norm", "legacy"}, optional
        Argument of `callback`: the solution after each cycle, or the relative preconditioned
        residual.
    return_info : bool, optional
        Whether to return a record ``(info, iterations, residuals)`` with a property ``reason`` in
        place of `info`.
    adjoint_rtol : float, optional
        Relative tolerance of the solves that give derivatives, by default `rtol`.

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
    numpy.linalg.LinAlgError
        If a derivative is taken and the solve, or the one that gives the derivative, does not
        converge.

    Notes
    -----
    Differentiable in `A` and `b`, to any order, by one more solve with the same method and
    preconditioner, for ``A^H`` in reverse mode. The derivatives in `x0` and the preconditioner are
    0, because the solution does not depend on them, and the record of the iterations is constant. A
    function or a LinearOperator is constant, and refused if it closes over traced values:
    `linear_operator` makes one with parameters that vary.

    Preconditioners of other libraries can be passed as they are, such as
    ``M=pyamg.smoothed_aggregation_solver(A).aspreconditioner()`` of a plain csr array. If `A` is
    traced, build the preconditioner from ``stop_gradient(A.data)``: it affects convergence, not the
    derivative.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.diag([1.0, 2.0]))
    >>> print(grad(lambda b: sparse.linalg.gmres(A, b)[0].sum())(np.array([1.0, 1.0])).round(6))
    [1.  0.5]
    """
    return solve_iteratively(
        "gmres",
        A=A,
        b=b,
        x0=x0,
        rtol=rtol,
        atol=atol,
        restart=restart,
        maxiter=maxiter,
        M=M,
        callback=callback,
        callback_type=callback_type,
        return_info=return_info,
        adjoint_rtol=adjoint_rtol,
    )


def lgmres(
    A: SparseLike | ArrayLike | Operator | Callable[..., Any],
    b: ArrayLike,
    x0: ArrayLike | Literal["Mb"] | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int = 1000,
    M: SparseLike | ArrayLike | Operator | Callable[..., Any] | None = None,
    callback: Callable[..., Any] | None = None,
    inner_m: int = 30,
    outer_k: int = 3,
    outer_v: list[Any] | None = None,
    store_outer_Av: bool = True,
    prepend_outer_v: bool = False,
    return_info: bool = False,
    adjoint_rtol: float | None = None,
) -> tuple[Array, int]:
    """Solve ``A x = b`` by the LGMRES method, GMRES that keeps directions between restarts.

    As `scipy.sparse.linalg.lgmres`.

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
        Maximum number of cycles between restarts.
    M : (n, n) sparse array, array_like, LinearOperator or callable, optional
        Preconditioner, an approximation of the inverse of `A`.
    callback : callable, optional
        Function of the current x, called after each iteration (under vmap with the whole batch).
    inner_m, outer_k : int, optional
        Numbers of inner iterations in a cycle, and of directions that are kept.
    outer_v : list, optional
        Directions of an earlier solve, to which new ones are added. Derivatives do not use them.
    store_outer_Av, prepend_outer_v : bool, optional
        Treatment of these directions, as in SciPy.
    return_info : bool, optional
        Whether to return a record ``(info, iterations, residuals)`` with a property ``reason`` in
        place of `info`.
    adjoint_rtol : float, optional
        Relative tolerance of the solves that give derivatives, by default `rtol`.

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
    numpy.linalg.LinAlgError
        If a derivative is taken and the solve, or the one that gives the derivative, does not
        converge.

    Notes
    -----
    Differentiable in `A` and `b`, to any order, by one more solve with the same method and
    preconditioner, for ``A^H`` in reverse mode. The derivatives in `x0` and the preconditioner are
    0, because the solution does not depend on them, and the record of the iterations is constant. A
    function or a LinearOperator is constant, and refused if it closes over traced values:
    `linear_operator` makes one with parameters that vary.

    Preconditioners of other libraries can be passed as they are, such as
    ``M=pyamg.smoothed_aggregation_solver(A).aspreconditioner()`` of a plain csr array. If `A` is
    traced, build the preconditioner from ``stop_gradient(A.data)``: it affects convergence, not the
    derivative.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.diag([1.0, 2.0]))
    >>> print(grad(lambda b: sparse.linalg.lgmres(A, b)[0].sum())(np.array([1.0, 1.0])).round(6))
    [1.  0.5]
    """
    return solve_iteratively(
        "lgmres",
        A=A,
        b=b,
        x0=x0,
        rtol=rtol,
        atol=atol,
        maxiter=maxiter,
        M=M,
        callback=callback,
        inner_m=inner_m,
        outer_k=outer_k,
        outer_v=outer_v,
        store_outer_Av=store_outer_Av,
        prepend_outer_v=prepend_outer_v,
        return_info=return_info,
        adjoint_rtol=adjoint_rtol,
    )


def gcrotmk(
    A: SparseLike | ArrayLike | Operator | Callable[..., Any],
    b: ArrayLike,
    x0: ArrayLike | Literal["Mb"] | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int = 1000,
    M: SparseLike | ArrayLike | Operator | Callable[..., Any] | None = None,
    callback: Callable[..., Any] | None = None,
    m: int = 20,
    k: int | None = None,
    CU: list[Any] | None = None,
    discard_C: bool = False,
    truncate: Literal["oldest", "smallest"] = "oldest",
    return_info: bool = False,
    adjoint_rtol: float | None = None,
) -> tuple[Array, int]:
    """Solve ``A x = b`` by the flexible GCROT(m, k) method.

    As `scipy.sparse.linalg.gcrotmk`.

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
        Maximum number of cycles.
    M : (n, n) sparse array, array_like, LinearOperator or callable, optional
        Preconditioner, an approximation of the inverse of `A`.
    callback : callable, optional
        Function of the current x, called after each iteration (under vmap with the whole batch).
    m, k : int, optional
        Numbers of inner iterations in a cycle, and of directions that are kept, by default `m`.
    CU : list, optional
        Directions of an earlier solve, to which new ones are added. Derivatives do not use them.
    discard_C : bool, optional
        Whether to drop the images of the directions at the end.
    truncate : {"oldest", "smallest"}, optional
        Directions that are dropped.
    return_info : bool, optional
        Whether to return a record ``(info, iterations, residuals)`` with a property ``reason`` in
        place of `info`.
    adjoint_rtol : float, optional
        Relative tolerance of the solves that give derivatives, by default `rtol`.

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
    numpy.linalg.LinAlgError
        If a derivative is taken and the solve, or the one that gives the derivative, does not
        converge.

    Notes
    -----
    Differentiable in `A` and `b`, to any order, by one more solve with the same method and
    preconditioner, for ``A^H`` in reverse mode. The derivatives in `x0` and the preconditioner are
    0, because the solution does not depend on them, and the record of the iterations is constant. A
    function or a LinearOperator is constant, and refused if it closes over traced values:
    `linear_operator` makes one with parameters that vary.

    Preconditioners of other libraries can be passed as they are, such as
    ``M=pyamg.smoothed_aggregation_solver(A).aspreconditioner()`` of a plain csr array. If `A` is
    traced, build the preconditioner from ``stop_gradient(A.data)``: it affects convergence, not the
    derivative.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.diag([1.0, 2.0]))
    >>> print(grad(lambda b: sparse.linalg.gcrotmk(A, b)[0].sum())(np.array([1.0, 1.0])).round(6))
    [1.  0.5]
    """
    return solve_iteratively(
        "gcrotmk",
        A=A,
        b=b,
        x0=x0,
        rtol=rtol,
        atol=atol,
        maxiter=maxiter,
        M=M,
        callback=callback,
        m=m,
        k=k,
        CU=CU,
        discard_C=discard_C,
        truncate=truncate,
        return_info=return_info,
        adjoint_rtol=adjoint_rtol,
    )


def minres(
    A: SparseLike | ArrayLike | Operator | Callable[..., Any],
    b: ArrayLike,
    x0: ArrayLike | Literal["Mb"] | None = None,
    *,
    rtol: float = 1e-5,
    shift: float = 0.0,
    maxiter: int | None = None,
    M: SparseLike | ArrayLike | Operator | Callable[..., Any] | None = None,
    callback: Callable[..., Any] | None = None,
    show: bool = False,
    check: bool = False,
    return_info: bool = False,
    adjoint_rtol: float | None = None,
) -> tuple[Array, int]:
    """Solve ``A x = b`` for a Hermitian A, which may be indefinite, by the minimal residual method.

    As `scipy.sparse.linalg.minres`.

    Parameters
    ----------
    A : (n, n) sparse array, array_like, LinearOperator or callable
        Matrix, or a function v -> A v.
    b : (n,) or (n, 1) array_like
        Right-hand side.
    x0 : (n,) array_like or "Mb", optional
        Initial guess, by default zeros; "Mb" is M b.
    rtol : float, optional
        Tolerance: the iteration stops when ``norm(r) <= rtol norm(A) norm(x)`` for ``r = b - A x``,
        or when A r is as small beside ``norm(A) norm(r)``, with an estimate of ``norm(A)``.
    shift : float, optional
        Number s in ``(A - s I) x = b``, a constant.
    maxiter : int, optional
        Maximum number of iterations, by default 5 n.
    M : (n, n) sparse array, array_like, LinearOperator or callable, optional
        Preconditioner, an approximation of the inverse of `A`.
    callback : callable, optional
        Function of the current x, called after each iteration (under vmap with the whole batch).
    show, check : bool, optional
        Whether to print a log, and to test that `A` and `M` are symmetric.
    return_info : bool, optional
        Whether to return a record ``(info, iterations, residuals)`` with a property ``reason`` in
        place of `info`.
    adjoint_rtol : float, optional
        Relative tolerance of the solves that give derivatives, by default `rtol`.

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
    numpy.linalg.LinAlgError
        If a derivative is taken and the solve, or the one that gives the derivative, does not
        converge.

    Notes
    -----
    Differentiable in `A` and `b`, to any order, by one more solve with the same method and
    preconditioner, for ``A^H`` in reverse mode. The derivatives in `x0` and the preconditioner are
    0, because the solution does not depend on them, and the record of the iterations is constant. A
    function or a LinearOperator is constant, and refused if it closes over traced values:
    `linear_operator` makes one with parameters that vary.

    Preconditioners of other libraries can be passed as they are, such as
    ``M=pyamg.smoothed_aggregation_solver(A).aspreconditioner()`` of a plain csr array. If `A` is
    traced, build the preconditioner from ``stop_gradient(A.data)``: it affects convergence, not the
    derivative.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.diag([1.0, 2.0]))
    >>> print(grad(lambda b: sparse.linalg.minres(A, b)[0].sum())(np.array([1.0, 1.0])).round(6))
    [1.  0.5]
    """
    return solve_iteratively(
        "minres",
        A=A,
        b=b,
        x0=x0,
        rtol=rtol,
        shift=shift,
        maxiter=maxiter,
        M=M,
        callback=callback,
        show=show,
        check=check,
        return_info=return_info,
        adjoint_rtol=adjoint_rtol,
    )


def qmr(
    A: SparseLike | ArrayLike | Operator | Callable[..., Any],
    b: ArrayLike,
    x0: ArrayLike | Literal["Mb"] | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M1: SparseLike | ArrayLike | Operator | None = None,
    M2: SparseLike | ArrayLike | Operator | None = None,
    callback: Callable[..., Any] | None = None,
    return_info: bool = False,
    adjoint_rtol: float | None = None,
) -> tuple[Array, int]:
    """Solve ``A x = b`` by the quasi-minimal residual method.

    As `scipy.sparse.linalg.qmr`.

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
    M1, M2 : (n, n) sparse array, array_like or LinearOperator, optional
        Left and right preconditioner.
    callback : callable, optional
        Function of the current x, called after each iteration (under vmap with the whole batch).
    return_info : bool, optional
        Whether to return a record ``(info, iterations, residuals)`` with a property ``reason`` in
        place of `info`.
    adjoint_rtol : float, optional
        Relative tolerance of the solves that give derivatives, by default `rtol`.

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
    numpy.linalg.LinAlgError
        If a derivative is taken and the solve, or the one that gives the derivative, does not
        converge.

    Notes
    -----
    Differentiable in `A` and `b`, to any order, by one more solve with the same method and
    preconditioner, for ``A^H`` in reverse mode. The derivatives in `x0` and the preconditioner are
    0, because the solution does not depend on them, and the record of the iterations is constant. A
    function or a LinearOperator is constant, and refused if it closes over traced values:
    `linear_operator` makes one with parameters that vary.

    Preconditioners of other libraries can be passed as they are, such as
    ``M=pyamg.smoothed_aggregation_solver(A).aspreconditioner()`` of a plain csr array. If `A` is
    traced, build the preconditioner from ``stop_gradient(A.data)``: it affects convergence, not the
    derivative.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.diag([1.0, 2.0]))
    >>> print(grad(lambda b: sparse.linalg.qmr(A, b)[0].sum())(np.array([1.0, 1.0])).round(6))
    [1.  0.5]
    """
    return solve_iteratively(
        "qmr",
        A=A,
        b=b,
        x0=x0,
        rtol=rtol,
        atol=atol,
        maxiter=maxiter,
        M1=M1,
        M2=M2,
        callback=callback,
        return_info=return_info,
        adjoint_rtol=adjoint_rtol,
    )


def tfqmr(
    A: SparseLike | ArrayLike | Operator | Callable[..., Any],
    b: ArrayLike,
    x0: ArrayLike | Literal["Mb"] | None = None,
    *,
    rtol: float = 1e-5,
    atol: float = 0.0,
    maxiter: int | None = None,
    M: SparseLike | ArrayLike | Operator | Callable[..., Any] | None = None,
    callback: Callable[..., Any] | None = None,
    show: bool = False,
    return_info: bool = False,
    adjoint_rtol: float | None = None,
) -> tuple[Array, int]:
    """Solve ``A x = b`` by the transpose-free quasi-minimal residual method.

    As `scipy.sparse.linalg.tfqmr`.

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
        Maximum number of iterations, by default the smaller of 10,000 and 10 n.
    M : (n, n) sparse array, array_like, LinearOperator or callable, optional
        Preconditioner, an approximation of the inverse of `A`.
    callback : callable, optional
        Function of the current x, called after each iteration (under vmap with the whole batch).
    show : bool, optional
        Whether to print a log.
    return_info : bool, optional
        Whether to return a record ``(info, iterations, residuals)`` with a property ``reason`` in
        place of `info`.
    adjoint_rtol : float, optional
        Relative tolerance of the solves that give derivatives, by default `rtol`.

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
    numpy.linalg.LinAlgError
        If a derivative is taken and the solve, or the one that gives the derivative, does not
        converge.

    Notes
    -----
    Differentiable in `A` and `b`, to any order, by one more solve with the same method and
    preconditioner, for ``A^H`` in reverse mode. The derivatives in `x0` and the preconditioner are
    0, because the solution does not depend on them, and the record of the iterations is constant. A
    function or a LinearOperator is constant, and refused if it closes over traced values:
    `linear_operator` makes one with parameters that vary.

    Preconditioners of other libraries can be passed as they are, such as
    ``M=pyamg.smoothed_aggregation_solver(A).aspreconditioner()`` of a plain csr array. If `A` is
    traced, build the preconditioner from ``stop_gradient(A.data)``: it affects convergence, not the
    derivative.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.diag([1.0, 2.0]))
    >>> print(grad(lambda b: sparse.linalg.tfqmr(A, b)[0].sum())(np.array([1.0, 1.0])).round(6))
    [1.  0.5]
    """
    return solve_iteratively(
        "tfqmr",
        A=A,
        b=b,
        x0=x0,
        rtol=rtol,
        atol=atol,
        maxiter=maxiter,
        M=M,
        callback=callback,
        show=show,
        return_info=return_info,
        adjoint_rtol=adjoint_rtol,
    )


__all__ = ["bicg", "bicgstab", "cg", "cgs", "gcrotmk", "gmres", "lgmres", "minres", "qmr", "tfqmr"]
