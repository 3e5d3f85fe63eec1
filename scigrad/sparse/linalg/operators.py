"""Operators with parameters, of matrices, of SciPy's operators, and the Laplacian of a grid."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from scigrad.autodiff_rules import Space, kernel, linear, shape_of, space, zeros
from scigrad.autodiff_rules.containers import flatten
from scigrad.autodiff_rules.custom import refuse_closed
from scigrad.autodiff_rules.messages.errors import TracedValueError, closes_over_traced
from scigrad.autodiff_rules.spaces import is_inexact
from scigrad.typing import ArrayLike, Operator, SparseLike

from ..array.arithmetic import sparse_matmul
from ..array.pattern import is_sparse
from .linear_operators import LinearOperator, ParametricOperator, parametric


@linear("v", core={"v": 1})
def operated(v: Any, *, operator: Any) -> Any:
    """Apply a constant operator along the last axis of v; its rmatvec gives the derivative."""
    if v.ndim == 1:
        return call_with_constants("operator", operator.matvec, v)
    found = call_with_constants("operator", operator.matmat, v.reshape(-1, v.shape[-1]).T)
    return found.T.reshape((*v.shape[:-1], operator.shape[0]))


def call_with_constants(name: str, function: Any, *args: Any, **kwargs: Any) -> Any:
    """Call a function that takes a LinearOperator of plain values, or applies one."""
    try:
        return function(*args, **kwargs)
    except TracedValueError as error:
        raise closes_over_traced(f"sparse.linalg.{name}") from error


@operated.adjoint
def _(call: Any, g: Any) -> Any:
    return operated(g, operator=adjoint_of(call.operator))


def adjoint_of(A: Any) -> Any:
    """Return A^H of an array, an operator or None."""
    if A is None or isinstance(A, LinearOperator) or not hasattr(A, "matvec"):
        return A if A is None else A.H if isinstance(A, LinearOperator) else A.conj().T
    turned = {
        "rmatvec": A.matvec,
        "matmat": getattr(A, "rmatmat", None),
        "rmatmat": getattr(A, "matmat", None),
    }
    return LinearOperator(A.shape[::-1], A.rmatvec, dtype=A.dtype, **turned)


def apply_operator(A: Any, v: Any) -> Any:
    """Return A v; None is the identity, and an operator of functions a constant, with its rmatvec
    as derivative.
    """
    if hasattr(A, "matvec") and not isinstance(A, ParametricOperator):
        return operated(v.T, operator=A).T
    return sparse_matmul(A, v) if is_sparse(A) else v if A is None else A @ v


def operator_of(f: Any, n: int, dtype: Any) -> Any:
    """Return a matrix as it is, and that which a callable applies differentiable in what varies in
    the callable.
    """
    return f if hasattr(f, "shape") else parametric((_call_function, None), (f,), (n, n), dtype)


def _call_function(v: Any, f: Any) -> Any:
    return f(v)


def _apply(v: Any, A: Any) -> Any:
    return apply_operator(A, v)


def _applied_adjoint(u: Any, A: Any) -> Any:
    return apply_operator(adjoint_of(A), u)


def aslinearoperator(A: SparseLike | ArrayLike | Operator) -> LinearOperator:
    """Return a matrix as a linear operator.

    As `scipy.sparse.linalg.aslinearoperator`.

    Parameters
    ----------
    A : (m, n) sparse array, array_like or operator
        Matrix, or an object with ``shape`` and ``matvec``.

    Returns
    -------
    LinearOperator
        Operator with the products of `A`.

    Raises
    ------
    TypeError
        If `A` is no matrix.

    Notes
    -----
    Differentiable in the values of a matrix. Products with an operator of SciPy's are
    differentiable in the vector, by its ``rmatvec``.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> print(grad(lambda a: (sparse.linalg.aslinearoperator(a).H @ np.ones(2)).sum())(np.eye(2)))
    [[1. 1.]
     [1. 1.]]
    """
    if isinstance(A, LinearOperator):
        return A
    if not hasattr(A, "matvec"):
        if not is_sparse(A) and not hasattr(A, "dtype"):
            raise TypeError(
                "type not understood: an operator is made of a matrix or an object with matvec, "
                f"not {A!r}"
            )
        if len(A.shape) > 2:
            raise ValueError("array must have ndim <= 2")
        # products of np.matrix would be matrices
        A = np.asarray(A) if isinstance(A, np.matrix) else A
        A = A if len(A.shape) == 2 else A.reshape((1, -1))
    if not hasattr(A, "matvec") or type(A).__module__.startswith("scipy."):
        return parametric((_apply, _applied_adjoint), (A,), A.shape, A.dtype)
    given = {name: getattr(A, name, None) for name in ("rmatvec", "rmatmat", "dtype")}
    return LinearOperator(A.shape, A.matvec, **given)  # pyright: ignore[reportAttributeAccessIssue]


def linear_operator(
    f: Callable[..., Any], *params: Any, shape: tuple[int, int]
) -> ParametricOperator:
    """Return the matrix that a function applies, as an operator with derivatives.

    They flow to the parameters of the function.

    Parameters
    ----------
    f : callable
        Function ``f(v, *params)`` of a vector of length n that returns one of length m, linear in
        v.
    *params : array_like or container
        Whatever in `f` varies; f may use constants from outside.
    shape : (m, n) tuple of int
        Shape of the matrix.

    Returns
    -------
    ParametricOperator
        Object with ``shape``, ``dtype``, ``matvec``, ``rmatvec``, ``@``, the adjoint ``H`` and the
        transpose ``T``. It is a container of `params`: transforms take it as an argument, and `cg`
        takes it as matrix and as preconditioner.

    Raises
    ------
    ValueError
        If `f` returns something else than a vector of length m.
    TracedValueError
        If `f` uses a traced value that is not among `params`.

    Notes
    -----
    `f` is called once with zeros to find the dtype. The adjoint is computed by transposing f in
    reverse mode, so that f has to consist of differentiable functions; under transforms of
    `matvec`, `rmatvec` and `cg` all orders of derivatives in `params` follow. Products with a
    matrix vectorize f over its columns.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> def loss(shift):
    ...     A = sparse.linalg.linear_operator(lambda v, s: 2 * v + s * v, shift, shape=(3, 3))
    ...     return sparse.linalg.cg(A, np.ones(3))[0].sum()
    >>> print(round(grad(loss)(1.0), 6))  # of 3 / (2 + s)
    -0.333333
    """
    m, n = shape
    arrays = [space(x) for x in flatten(params)[0] if is_inexact(x) and hasattr(x, "dtype")] or [
        Space((), np.dtype(float))
    ]
    real = np.finfo(np.result_type(*(x.dtype for x in arrays))).dtype
    out = f(zeros(Space((n,), real, arrays[0].library)), *params)
    refuse_closed(f, out, params)
    if shape_of(out) != (m,):
        raise ValueError(
            f"linear_operator: f of a vector of length {n} has to return one of length {m}, not "
            f"{out!r}"
        )
    return ParametricOperator(f, params, (m, n), out.dtype)


class LaplacianNd(LinearOperator):
    """Laplacian of a uniform grid in any number of dimensions, as an operator.

    As `scipy.sparse.linalg.LaplacianNd`.

    Parameters
    ----------
    grid_shape : tuple of int
        Numbers of points along the axes.
    boundary_conditions : {"neumann", "dirichlet", "periodic"}, optional
        Conditions at the ends.
    dtype : dtype, optional
        Type of the matrix.

    Returns
    -------
    LaplacianNd
        Operator with SciPy's methods ``eigenvalues``, ``eigenvectors``, ``toarray`` and
        ``tosparse`` too.

    Notes
    -----
    Products are differentiable in the vector.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.linalg.LaplacianNd((3,), boundary_conditions="dirichlet")
    >>> print(grad(lambda v: (A @ v)[0])(np.ones(3)))
    [-2.  1.  0.]
    """

    def __init__(
        self, grid_shape: Any, *, boundary_conditions: str = "neumann", dtype: Any = np.int8
    ) -> None:
        self._scipys = kernel("sparse.linalg.LaplacianNd")(
            grid_shape, boundary_conditions=boundary_conditions, dtype=dtype
        )
        super().__init__(dtype, self._scipys.shape)

    __signature__: Any = inspect.signature(partial(__init__, None))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._scipys, name)

    def _matmat(self, X: Any) -> Any:
        return apply_operator(self._scipys, X)

    def _adjoint(self) -> LaplacianNd:
        return self

    _transpose = _adjoint


__all__ = ["LaplacianNd", "aslinearoperator", "linear_operator"]
