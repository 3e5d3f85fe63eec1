"""splu: a factorization as an object, differentiable through the equation that it solves."""

from __future__ import annotations

from collections.abc import Callable
from types import GenericAlias
from typing import Any

import numpy as np

from scigrad.autodiff_rules import MissingRule, Traced, kernel, raw
from scigrad.numpy.joining import assemble
from scigrad.typing import SparseLike

from ..array.numbering import as_sparse_array, number_entries
from ..array.pattern import is_sparse
from ..array.sparse_array import SparseArray
from .determinants import log_determinant
from .direct import square
from .engines import Pardiso, engine_options
from .factors import SYMMETRIC, Factors, solve, working_dtype
from .implicit_rule import require_host


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

    # SuperLU[float] stands in annotations, as SciPy's class does.
    __class_getitem__: Any = classmethod(GenericAlias)

    def __init__(self, a: SparseArray, options: Any) -> None:
        self._a, self._options = a, options
        # a solve without right-hand sides: the factors are saved
        none = np.zeros_like(raw(a.data), shape=(a.shape[0], 0))
        bound = solve.bind((a.data, none), {"pattern": a.pattern, "options": options})
        self._factors: Factors = solve.evaluate(bound)[1]

    shape: property = property(lambda self: self._a.shape)
    nnz: property = property(
        lambda self: self._one("nnz").nnz, doc="Values stored in L and U together."
    )
    perm_r: property = property(
        lambda self: self._one("perm_r").perm_r, doc="Row permutation, an integer vector."
    )
    perm_c: property = property(
        lambda self: self._one("perm_c").perm_c, doc="Column permutation, an integer vector."
    )
    L = property(
        lambda self: self._plain_factor("L"), doc="Lower triangular factor, if A is not traced."
    )
    U = property(
        lambda self: self._plain_factor("U"), doc="Upper triangular factor, if A is not traced."
    )

    def logdet(self) -> Any:
        """Return the logarithm of the absolute value of the determinant, differentiable by entries
        of the inverse on the pattern.
        """
        require_host("sparse.linalg.SuperLU.logdet", self._a.data)
        return log_determinant(
            self._a.data, pattern=self._a.pattern, factors=self._of_superlu()._factors
        )

    def _of_superlu(self) -> SuperLU:
        """Return factors that hold L and U, which Pardiso keeps to itself."""
        known = not any(isinstance(f, Pardiso) for f in self._factors.objects)
        return self if known else SuperLU(self._a, engine_options("superlu"))

    def solve(self, rhs: Any, trans: str = "N", *, adjoint: bool = False) -> Any:
        """Solve A x = rhs (trans="N"), A^T x = rhs ("T") or A^H x = rhs ("H", or adjoint); rhs (n,)
        or (n, k).
        """
        trans = "H" if adjoint else trans
        rhs = assemble(rhs)
        if trans not in ("N", "T", "H"):
            raise ValueError(f"trans must be 'N', 'T', or 'H', not {trans!r}")
        if len(rhs.shape) > 2:
            raise ValueError(
                f"object too deep for desired array: rhs has shape {tuple(rhs.shape)}, not (n,) "
                "or (n, k)"
            )
        if not rhs.shape or rhs.shape[0] != self.shape[0]:
            raise ValueError(
                f"rhs is of incompatible size: shape {tuple(rhs.shape)} for a matrix of shape "
                f"{self.shape}"
            )
        if working_dtype(self._a.data, rhs) != self._a.data.dtype:
            raise TypeError(
                f"rhs has dtype {rhs.dtype}, the factors only {self._a.data.dtype}: factor A in "
                "that precision"
            )
        b = rhs if len(rhs.shape) == 2 else rhs[:, None]
        kept = {"pattern": self._a.pattern, "factors": self._factors, "options": self._options}
        found = solve(self._a.data, b.conj() if trans == "T" else b, adjoint=trans != "N", **kept)[
            0
        ]
        x = found.conj() if trans == "T" else found
        return x if len(rhs.shape) == 2 else x[..., 0]

    def _one(self, name: str) -> Any:
        if len(self._factors.objects) != 1:
            raise TypeError(
                f"{name} of a factorization under vmap differs between the elements of the batch"
            )
        return self._of_superlu()._factors.objects[0]

    def _plain_factor(self, name: str) -> Any:
        if isinstance(self._a.data, Traced):
            raise MissingRule(
                f"splu: factor {name} of a traced matrix has no derivative rule; solve(b) and "
                "logdet() have one."
            )
        return getattr(self._one(name), name)


def splu(
    A: SparseLike,
    permc_spec: str | None = None,
    diag_pivot_thresh: float | None = None,
    relax: int | None = None,
    panel_size: int | None = None,
    options: dict[str, Any] | None = None,
) -> SuperLU:
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
        Object with ``solve(rhs, trans="N" | "T" | "H")``, ``L``, ``U``, ``perm_r``, ``perm_c``,
        ``shape`` and ``nnz``, as SciPy's.

    Raises
    ------
    RuntimeError
        If `A` is exactly singular.
    ValueError
        If `A` is not square.

    Notes
    -----
    ``solve`` is differentiable in `A` and `rhs`, to any order, without another factorization; `rhs`
    may be complex for a real `A`. ``L`` and ``U`` have no derivative and are refused where `A` is
    traced. Under vmap the matrices share their pattern and are factored one by one.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csc_array(np.diag([2.0, 4.0]))
    >>> print(grad(lambda A: np.sum(sparse.linalg.splu(A).solve(np.ones(2))))(A).toarray())
    [[-0.25    0.    ]
     [ 0.     -0.0625]]
    """
    given = dict(
        A=A,
        permc_spec=permc_spec,
        diag_pivot_thresh=diag_pivot_thresh,
        relax=relax,
        panel_size=panel_size,
        options=options,
    )
    return SuperLU(_to_factor("splu", given.pop("A")), given)


def _to_factor(function: str, A: Any) -> SparseArray:
    return square(
        A,
        f"{function} converted its input to CSC format",
        ("csc",),
        "can only factor square matrices",
    )


class _IncompleteLU(SuperLU):
    """Incomplete factors, which are constant, in place of factors: only the right-hand side
    varies.
    """

    def __init__(self, a: SparseArray, options: Any) -> None:  # pyright: ignore[reportMissingSuperCall]
        self._a, self._options = a, options
        factor = kernel("sparse.linalg.spilu")(a.pattern.matrix(a.data), **options)
        self._factors = Factors([factor], (), a.data.dtype, a.pattern)

    def logdet(self) -> Any:
        raise TypeError(
            "logdet: incomplete factors do not have the determinant of the matrix. Factor it by "
            "splu or analyze."
        )


def spilu(
    A: SparseLike,
    drop_tol: float | None = None,
    fill_factor: float | None = None,
    drop_rule: str | None = None,
    permc_spec: str | None = None,
    diag_pivot_thresh: float | None = None,
    relax: int | None = None,
    panel_size: int | None = None,
    options: dict[str, Any] | None = None,
) -> SuperLU:
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
    ``solve`` is differentiable in the right-hand side. A preconditioner has no influence on the
    solution: factor the array with ``stop_gradient(A)``.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csc_array(np.diag([2.0, 4.0]))
    >>> print(grad(lambda b: np.sum(sparse.linalg.spilu(A).solve(b)))(np.ones(2)))
    [0.5  0.25]
    """
    given = dict(
        A=A,
        drop_tol=drop_tol,
        fill_factor=fill_factor,
        drop_rule=drop_rule,
        permc_spec=permc_spec,
        diag_pivot_thresh=diag_pivot_thresh,
        relax=relax,
        panel_size=panel_size,
        options=options,
    )
    a = _to_factor("spilu", given.pop("A"))
    if isinstance(a.data, Traced):
        raise MissingRule(
            "spilu: incomplete factors have no derivative rule, and need none: "
            "spilu(stop_gradient(A))."
        )
    return _IncompleteLU(a, given)


def factorized(A: SparseLike) -> Callable[..., Any]:
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
    Differentiable in `A` and in the right-hand side, to any order, without another factorization,
    as `splu`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csc_array(np.diag([2.0, 4.0]))
    >>> print(grad(lambda A: np.sum(sparse.linalg.factorized(A)(np.ones(2))))(A).toarray())
    [[-0.25    0.    ]
     [ 0.     -0.0625]]
    """
    return SuperLU(_to_factor("factorized", A), None).solve


class Cholesky(SuperLU):
    """Factors of a Hermitian positive definite sparse array, as `cholesky` returns them.

    Parameters
    ----------
    a : SparseArray
        Matrix.
    options : dict
        Options of SuperLU.

    Examples
    --------
    >>> from scigrad import sparse
    >>> isinstance(sparse.linalg.cholesky(sparse.csc_array([[2.0]])), sparse.linalg.Cholesky)
    True
    """

    def __init__(self, a: SparseArray, options: Any) -> None:
        super().__init__(a, options)
        for f in self._factors.objects:
            if not (np.real(f.U.diagonal()) > 0).all() or not np.array_equal(f.perm_r, f.perm_c):
                raise np.linalg.LinAlgError("cholesky: the matrix is not positive definite")

    def sample(self, rng: Any = None, size: int = 1) -> Any:
        """Draw normal vectors, columns of an array (n, size), with mean 0 and covariance A^-1."""
        L, U = self.L, self.U
        z = np.random.default_rng(rng).standard_normal((2, *self.shape[:1], size))
        z = z[0] if L.dtype.kind != "c" else (z[0] + 1j * z[1]) / np.sqrt(2)
        scaled = (z / np.sqrt(np.real(U.diagonal()))[:, None]).astype(L.dtype)
        return kernel("sparse.linalg.spsolve_triangular")(L.conj().T.tocsr(), scaled, lower=False)[
            self.perm_c
        ]


def cholesky(A: SparseLike) -> Cholesky:
    """Factor a Hermitian positive definite sparse array as ``P A P^T = L D L^H``.

    Rows and columns are permuted to reduce fill-in; there is no pivoting for stability.

    Parameters
    ----------
    A : (n, n) sparse array
        Matrix, converted to csc format if it has another.

    Returns
    -------
    Cholesky
        Object with ``solve(b)``, ``logdet()``, which is ``log(det(A))``, and ``sample(rng, size)``,
        which draws from the normal distribution with precision matrix `A`.

    Raises
    ------
    numpy.linalg.LinAlgError
        If `A` is not positive definite.
    ValueError
        If `A` is not square or not Hermitian.

    Notes
    -----
    ``solve`` and ``logdet`` are differentiable in `A`, as functions of all its entries; samples of
    a traced matrix are refused.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csc_array(np.array([[2.0, 1.0], [1.0, 4.0]]))
    >>> print(grad(lambda A: sparse.linalg.cholesky(A).logdet())(A).toarray().round(6))
    [[ 0.571429 -0.142857]
     [-0.142857  0.285714]]
    """
    a = _to_factor("cholesky", A)
    back, data = raw(a.H.tocsc().canonical().data), raw(a.data)
    if (
        a.pattern.symmetric_diagonal is None
        or (abs(back - data) > 64 * np.finfo(a.dtype).eps * abs(data).max(initial=0)).any()
    ):
        raise ValueError(
            "cholesky: the matrix is not Hermitian, or a value of its diagonal is not stored"
        )
    return Cholesky(a, SYMMETRIC | {"diag_pivot_thresh": 0.0})


class Analysis:
    """Pattern of a square sparse array, whose ordering is found once.

    Parameters
    ----------
    A : SparseArray
        Array with the pattern.
    engine : str, optional
        Engine that factors.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import sparse
    >>> A = sparse.csc_array(np.diag([2.0, 4.0]))
    >>> isinstance(sparse.linalg.analyze(A), sparse.linalg.Analysis)
    True
    """

    pattern: Any

    def __init__(self, A: SparseArray, engine: str | None = None) -> None:
        self.pattern, self._options = A.pattern, engine_options(engine)

    def refactor(self, data: Any) -> SuperLU:
        """Return the factorization for stored values `data`, in the order of those of the analyzed
        array.
        """
        data = data if is_sparse(data) else assemble(data)
        if is_sparse(data) or data.shape[-1:] != (self.pattern.nnz,):
            raise ValueError(
                f"refactor: data must be an array of the {self.pattern.nnz} stored values of the "
                f"analyzed array, as A.data, not {type(raw(data)).__name__} of shape {data.shape}."
            )
        return SuperLU(
            square(SparseArray(data, self.pattern), "", (self.pattern.name,)), self._options
        )


def analyze(A: SparseLike, *, engine: str | None = None) -> Analysis:
    """Analyze the pattern of a sparse square array, for factorizations of many values.

    Parameters
    ----------
    A : (n, n) sparse array
        Array with the pattern; its values are not used.
    engine : {"superlu", "pardiso"}, optional
        Engine that factors, one of `engines`, by default the best one.

    Returns
    -------
    Analysis
        Object with ``refactor(data)``, which returns a `SuperLU` with ``solve(b, adjoint=False)``
        and ``logdet()``, which is ``log(abs(det(A)))``: the sign is not told.

    Raises
    ------
    TypeError
        If `A` is not sparse.
    ValueError
        If `A` is not square.

    Notes
    -----
    The first factorization finds the ordering of rows and columns, the others use it. Where the
    pattern is symmetric and the diagonal of the values large enough, SuperLU's symmetric mode takes
    a fraction of the time and memory. `spsolve` and `factorized` do both too: orderings are kept
    for the 16 patterns that were used last. ``solve`` and ``logdet`` are differentiable in `data`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csc_array(np.array([[2.0, 1.0], [1.0, 4.0]]))
    >>> kept = sparse.linalg.analyze(A)
    >>> print(grad(lambda data: kept.refactor(data).logdet())(A.data).round(6))
    [ 0.571429 -0.142857 -0.142857  0.285714]
    """
    if not is_sparse(A):
        raise TypeError(f"analyze: the matrix must be a sparse array, not {type(A).__name__}")
    square(number_entries(as_sparse_array(A)), "", (A.format,))
    return Analysis(as_sparse_array(A), engine)


__all__ = ["Analysis", "Cholesky", "SuperLU", "analyze", "cholesky", "factorized", "spilu", "splu"]
