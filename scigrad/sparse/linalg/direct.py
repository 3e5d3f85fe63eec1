"""Sparse systems solved by one factorization, which the derivatives use again, or by substitution;
questions about triangles.
"""

import warnings
from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import kernel
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike, SparseLike, Value

from ..array.arithmetic import as_matrix_array
from ..array.numbering import as_constant, as_sparse_array, entries_where, is_plain_on_host
from ..array.pattern import is_sparse
from ..array.sparse_array import SparseArray
from ..construction import csc_array
from ..rearranging import tril, triu
from .engines import engine_options
from .factors import solve
from .implicit_rule import as_working_dtype

_ON_FAIL = ("warn", "raise", "nan", "info")


def spsolve(
    A: SparseLike,
    b: SparseLike,
    permc_spec: Literal["COLAMD", "NATURAL", "MMD_ATA", "MMD_AT_PLUS_A"] | None = None,
    use_umfpack: bool = True,
    *,
    on_fail: str = "warn",
    engine: str | None = None,
) -> Array:
    """Solve a sparse linear system ``A x = b``.

    As `scipy.sparse.linalg.spsolve`.

    Parameters
    ----------
    A : (n, n) sparse array
        Matrix in csr or csc format; other formats are converted.
    b : (n,) or (n, k) array_like or sparse array
        Right-hand sides.
    permc_spec : {"COLAMD", "NATURAL", "MMD_ATA", "MMD_AT_PLUS_A"}, optional
        Ordering of the columns in SuperLU, by default "COLAMD".
    use_umfpack : bool, optional
        Whether SciPy may use UMFPACK; traced systems are solved by SuperLU.
    on_fail : {"warn", "raise", "nan", "info"}, optional
        Treatment of an exactly singular matrix. "warn" gives nan and a MatrixRankWarning, as SciPy;
        "raise" raises; "nan" gives nan; "info" gives nan, and the function returns ``(x, info)``.
    engine : {"superlu", "pardiso"}, optional
        Engine, one of `engines`, by default the best one. With `permc_spec` it is SuperLU.

    Returns
    -------
    x : (n,) or (n, k) ndarray or sparse array
        Solution, of the kind of `b`.
    info : int
        1 if the matrix is singular, otherwise 0. Only with ``on_fail="info"``.

    Raises
    ------
    ValueError
        If `A` is not square or `b` does not fit.
    numpy.linalg.LinAlgError
        If `A` is singular and `on_fail` is "raise".

    Notes
    -----
    Differentiable in the stored values of `A` and in `b`, to any order: with ``A^H w = g`` the
    cotangents are ``b_bar = w`` and ``A_bar[i, j] = -w[i] conj(x[j])`` at the stored places. Value,
    gradient and Hessian-vector product take one factorization. For a sparse `b` the pattern of x is
    that of its current values. Under vmap the matrices share their pattern and are factored one by
    one, as SuperLU does; a batch of right-hand sides takes one factorization.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csc_array(np.diag([2.0, 4.0]))
    >>> print(grad(lambda A: np.sum(sparse.linalg.spsolve(A, np.ones(2))))(A).toarray())
    [[-0.25    0.    ]
     [ 0.     -0.0625]]
    """
    if on_fail not in _ON_FAIL:
        raise ValueError(f"on_fail must be one of {_ON_FAIL}, not {on_fail!r}")
    if on_fail == "warn" and engine is None and is_plain_on_host(A, b):
        return kernel("sparse.linalg.spsolve")(A, b, permc_spec=permc_spec, use_umfpack=use_umfpack)
    a = square(A, "spsolve requires A be CSC or CSR matrix format")
    vector, dense = _right_hand_sides(a, b)
    options = {"permc_spec": permc_spec} if permc_spec is not None else engine_options(engine)
    x, info = solve(a.data, dense, pattern=a.pattern, options=options, on_fail=on_fail)
    if vector:
        x = x[:, 0]
    elif is_sparse(b):
        x = keep_places(x, a)
    out: Value = (x, info) if on_fail == "info" else x
    return out


def square(
    A: Any,
    warning: str,
    formats: tuple[str, ...] = ("csc", "csr"),
    wrong: str = "matrix must be square",
) -> SparseArray:
    """Return a square array of floating-point numbers, sorted, as csc with a warning if it has none
    of the formats.
    """
    if not is_sparse(A) or A.format not in formats:
        from scipy.sparse import SparseEfficiencyWarning

        warnings.warn(warning, SparseEfficiencyWarning, stacklevel=3)
        A = as_matrix_array(A if is_sparse(A) else csc_array(A)).tocsc()
    a = as_matrix_array(as_working_dtype(A)).canonical()
    if a.shape[0] != a.shape[1]:
        raise ValueError(f"{wrong} (has shape {a.shape})")
    return a


def _right_hand_sides(a: SparseArray, b: Any) -> tuple[bool, Any]:
    """Return whether b is a vector, of shape (n,) or (n, 1), and b as a dense matrix."""
    b = b if is_sparse(b) else assemble(b)
    if len(b.shape) not in (1, 2) or a.shape[0] != b.shape[0]:
        raise ValueError(
            f"matrix - rhs dimension mismatch ({a.shape} - {b.shape[0] if b.shape else 'a number'})"
        )
    dense = as_matrix_array(b).toarray() if is_sparse(b) else b
    return len(b.shape) == 1 or b.shape[1] == 1, dense if len(b.shape) == 2 else dense[:, None]


def keep_places(x: Any, a: SparseArray) -> Any:
    """Return x on the places where it is not 0 now (anywhere in the batch), in the format of A."""
    return entries_where(x, x != 0, "the pattern of a sparse solution", a.pattern.family).asformat(
        a.format
    )


def spsolve_triangular(
    A: SparseLike,
    b: ArrayLike,
    lower: bool = True,
    overwrite_A: bool = False,
    overwrite_b: bool = False,
    unit_diagonal: bool = False,
) -> Array:
    """Solve ``A x = b`` for a sparse triangular array A.

    As `scipy.sparse.linalg.spsolve_triangular`.

    Parameters
    ----------
    A : (n, n) sparse array
        Triangular matrix in csr or csc format; other formats are converted.
    b : (n,) or (n, k) array_like
        Right-hand sides.
    lower : bool, optional
        Whether `A` is lower triangular.
    overwrite_A, overwrite_b : bool, optional
        Whether SciPy may write into plain arrays.
    unit_diagonal : bool, optional
        Whether the diagonal is taken to be 1.

    Returns
    -------
    x : (n,) or (n, k) ndarray
        Solution.

    Raises
    ------
    ValueError
        If `A` is not square or `b` does not fit.
    numpy.linalg.LinAlgError
        If there is a zero on the diagonal.

    Notes
    -----
    Differentiable in the stored values of the triangle and in `b`, to any order. The derivative in
    values outside of the triangle, and on a unit diagonal, is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[2.0, 0.0], [1.0, 4.0]]))
    >>> print(grad(lambda b: sparse.linalg.spsolve_triangular(A, b)[1])(np.ones(2)))
    [-0.125  0.25 ]
    """
    if is_plain_on_host(A, b):
        return kernel("sparse.linalg.spsolve_triangular")(
            A, b, lower, overwrite_A, overwrite_b, unit_diagonal
        )
    a = square(A, "CSC or CSR matrix format is required. Converting to CSC matrix.").tocsc()
    dense = as_working_dtype(_right_hand_sides(a, b)[1])
    a = as_sparse_array(
        tril(a, -int(unit_diagonal)) if lower else triu(a, int(unit_diagonal))
    ).tocsc()
    options = {"lower": lower, "unit_diagonal": unit_diagonal}
    return solve(a.data, dense, pattern=a.pattern, options=options)[0].reshape(np.shape(b))


def is_sptriangular(A: SparseLike) -> tuple[bool, bool]:
    """Return whether the stored values of a sparse array lie in one triangle.

    As `scipy.sparse.linalg.is_sptriangular`.

    Parameters
    ----------
    A : (m, n) sparse array
        Array, traced or not.

    Returns
    -------
    lower : bool
        Whether no value is stored above the main diagonal.
    upper : bool
        Whether no value is stored below the main diagonal.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.linalg.is_sptriangular(sparse.csr_array([[1.0, 0.0], [2.0, 3.0]]))
    (True, False)
    """
    lower, upper = kernel("sparse.linalg.is_sptriangular")(as_constant(A))
    return bool(lower), bool(upper)


def spbandwidth(A: SparseLike) -> tuple[int, int]:
    """Return the numbers of diagonals below and above the main one that hold stored values.

    As `scipy.sparse.linalg.spbandwidth`.

    Parameters
    ----------
    A : (m, n) sparse array
        Array, traced or not.

    Returns
    -------
    below, above : int
        Lower and upper bandwidth.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.linalg.spbandwidth(sparse.csr_array([[1.0, 0.0], [2.0, 3.0]]))
    (1, 0)
    """
    return kernel("sparse.linalg.spbandwidth")(as_constant(A))


is_sptriangular.is_constant = spbandwidth.is_constant = True  # type: ignore[attr-defined]


__all__ = ["is_sptriangular", "spbandwidth", "spsolve", "spsolve_triangular"]
