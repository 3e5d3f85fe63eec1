"""splu: a factorization as an object, differentiable through the equation that it solves."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import MissingRule, Traced, kernel, linear, raw

from ..arrays import SparseArray
from .direct import square
from .factors import Factors, solve, working_dtype


class SuperLU:
    """Factors of a square sparse array, as `splu` and `spilu` return them.

    See `scipy.sparse.linalg.SuperLU`.

    Parameters
    ----------
    a : SparseArray
        Matrix.
    options : dict
        Options of SuperLU.

    Examples
    --------
    >>> from scigrad import sparse
    >>> isinstance(sparse.linalg.splu(sparse.csc_array([[2.0]])), sparse.linalg.SuperLU)
    True
    """

    def __init__(self, a: SparseArray, options: Any) -> None:
        self._a, self._options = a, options
        none = np.zeros_like(raw(a.data), shape=(a.shape[0], 0))  # a solve without right-hand sides: the factors are saved
        bound = solve.bind((a.data, none), {"pattern": a.pattern, "options": options})
        self._factors: Factors = solve.evaluate(bound)[1]

    @property
    def shape(self) -> tuple[int, ...]:
        return self._a.shape

    @property
    def nnz(self) -> int:
        """Values stored in L and U together."""
        return self._one("nnz").nnz

    @property
    def perm_r(self) -> Any:
        """Row permutation, an integer vector."""
        return self._one("perm_r").perm_r

    @property
    def perm_c(self) -> Any:
        """Column permutation, an integer vector."""
        return self._one("perm_c").perm_c

    @property
    def L(self) -> Any:
        """Lower triangular factor, if A is not traced."""
        return self._plain_factor("L")

    @property
    def U(self) -> Any:
        """Upper triangular factor, if A is not traced."""
        return self._plain_factor("U")

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        """The solution of A x = rhs (trans="N"), A^T x = rhs ("T") or A^H x = rhs ("H"); rhs of shape (n,) or (n, k)."""
        rhs = rhs if hasattr(rhs, "dtype") else np.asarray(rhs)
        self._check(rhs, trans)
        b = rhs if len(rhs.shape) == 2 else rhs[:, None]
        found = self._solution(b.conj() if trans == "T" else b, trans != "N")
        x = found.conj() if trans == "T" else found
        return x if len(rhs.shape) == 2 else x[:, 0]

    def _solution(self, b: Any, adjoint: bool) -> Any:
        kept = {"pattern": self._a.pattern, "factors": self._factors, "options": self._options}
        return solve(self._a.data, b, adjoint=adjoint, **kept)[0]

    def _check(self, rhs: Any, trans: str) -> None:
        if trans not in ("N", "T", "H"):
            raise ValueError(f"trans must be 'N', 'T', or 'H', not {trans!r}")
        if len(rhs.shape) not in (1, 2) or rhs.shape[0] != self.shape[0]:
            raise ValueError(f"rhs is of incompatible size: shape {tuple(rhs.shape)} for a matrix of shape {self.shape}")
        if working_dtype(self._a.data, rhs) != self._a.data.dtype:
            raise TypeError(f"rhs has dtype {rhs.dtype}, the factors only {self._a.data.dtype}: factor A in that precision")

    def _one(self, name: str) -> Any:
        if len(self._factors.objects) != 1:
            raise TypeError(f"{name} of a factorisation under vmap differs between the elements of the batch")
        return self._factors.objects[0]

    def _plain_factor(self, name: str) -> Any:
        if isinstance(self._a.data, Traced):
            raise MissingRule(
                f"splu: the factor {name} of a traced matrix has no derivative rule. solve(b) is differentiable; for the factor "
                "as a constant, factor the array with stop_gradient(data)."
            )
        return getattr(self._one(name), name)


def splu(A: Any, permc_spec: Any = None, diag_pivot_thresh: Any = None, relax: Any = None, panel_size: Any = None,
         options: Any = None) -> Any:  # fmt: skip
    """Compute the LU factorization of a sparse square array.

    See `scipy.sparse.linalg.splu`.

    Parameters
    ----------
    A : (n, n) sparse array
        Matrix, converted to csc format if it has another.
    permc_spec, diag_pivot_thresh, relax, panel_size, options : optional
        Options of SuperLU, as in SciPy.

    Returns
    -------
    SuperLU
        Object with ``solve(rhs, trans="N" | "T" | "H")``, ``L``, ``U``, ``perm_r``, ``perm_c``, ``shape`` and ``nnz``, as
        SciPy's.

    Raises
    ------
    RuntimeError
        If `A` is exactly singular.
    ValueError
        If `A` is not square.

    Notes
    -----
    ``solve`` is differentiable in `A` and `rhs`, to any order, without another factorization; `rhs` may be complex for a real
    `A`. ``L`` and ``U`` have no derivative and are refused where `A` is traced. Under vmap the matrices share their pattern and
    are factored one by one.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csc_array(np.diag([2.0, 4.0]))
    >>> print(grad(lambda A: np.sum(sparse.linalg.splu(A).solve(np.ones(2))))(A).toarray())
    [[-0.25    0.    ]
     [ 0.     -0.0625]]
    """
    given = locals()
    return SuperLU(_to_factor("splu", given.pop("A")), given)


def _to_factor(function: str, A: Any) -> SparseArray:
    return square(A, f"{function} converted its input to CSC format", ("csc",), "can only factor square matrices")


class _IncompleteLU(SuperLU):
    """Incomplete factors, which are constant: only the right-hand side varies."""

    def __init__(self, a: SparseArray, options: Any) -> None:  # pyright: ignore[reportMissingSuperCall]
        self._a, self._options = a, options
        factor = kernel("sparse.linalg.spilu")(a.pattern.matrix(a.data), **options)
        self._factors = Factors([factor], (), a.data.dtype, a.pattern)

    def _solution(self, b: Any, adjoint: bool) -> Any:
        return _substituted(b, factors=self._factors, adjoint=adjoint)


@linear("b")
def _substituted(b: Any, *, factors: Factors, adjoint: bool) -> Any:
    return factors.solve(b, (), adjoint)


_substituted.batch_leading(b=2)


@_substituted.adjoint
def _(call: Any, g: Any) -> Any:
    return _substituted(g, factors=call.factors, adjoint=not call.adjoint)


def spilu(A: Any, drop_tol: Any = None, fill_factor: Any = None, drop_rule: Any = None, permc_spec: Any = None,
          diag_pivot_thresh: Any = None, relax: Any = None, panel_size: Any = None, options: Any = None) -> Any:  # fmt: skip
    """Compute an incomplete LU factorization of a sparse square array, for a preconditioner.

    See `scipy.sparse.linalg.spilu`.

    Parameters
    ----------
    A : (n, n) sparse array
        Matrix, converted to csc format if it has another.
    drop_tol : float, optional
        Size below which values are dropped.
    fill_factor : float, optional
        Number of values of the factors, as a multiple of that of `A`.
    drop_rule, permc_spec, diag_pivot_thresh, relax, panel_size, options : optional
        Options of SuperLU, as in SciPy.

    Returns
    -------
    SuperLU
        Object as that of `splu`.

    Raises
    ------
    MissingRule
        If `A` is traced: which values are dropped is discrete.
    RuntimeError
        If `A` is exactly singular.

    Notes
    -----
    ``solve`` is differentiable in the right-hand side. A preconditioner has no influence on the solution: factor the array with
    ``stop_gradient(A)``.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csc_array(np.diag([2.0, 4.0]))
    >>> print(grad(lambda b: np.sum(sparse.linalg.spilu(A).solve(b)))(np.ones(2)))
    [0.5  0.25]
    """
    given = locals()
    a = _to_factor("spilu", given.pop("A"))
    if isinstance(a.data, Traced):
        raise MissingRule(
            "spilu: the incomplete factors of a traced matrix have no derivative rule, as dropping values is discrete. A "
            "preconditioner does not need one: spilu(stop_gradient(A))."
        )
    return _IncompleteLU(a, given)


def factorized(A: Any) -> Any:
    """Factor a sparse square array, and return a function that solves with the factors.

    As `scipy.sparse.linalg.factorized`.

    Parameters
    ----------
    A : (n, n) sparse array
        Matrix, converted to csc format if it has another.

    Returns
    -------
    callable
        Function of a right-hand side of shape (n,) or (n, k) that returns the solution.

    Raises
    ------
    RuntimeError
        If `A` is exactly singular.
    ValueError
        If `A` is not square.

    Notes
    -----
    Differentiable in `A` and in the right-hand side, to any order, without another factorization, as `splu`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csc_array(np.diag([2.0, 4.0]))
    >>> print(grad(lambda A: np.sum(sparse.linalg.factorized(A)(np.ones(2))))(A).toarray())
    [[-0.25    0.    ]
     [ 0.     -0.0625]]
    """
    return splu(A).solve


__all__ = ["SuperLU", "factorized", "spilu", "splu"]
