"""Triangular sparse arrays: substitution, and questions about the structure, which depend on the pattern only."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel

from ..arrays import SparseArray
from ..patterns import Pattern
from ..placement import is_plain_on_host, numbered
from .direct import square
from .factors import solve
from .implicit_systems import in_working_dtype


def spsolve_triangular(A: Any, b: Any, lower: bool = True, overwrite_A: bool = False, overwrite_b: bool = False,
                       unit_diagonal: bool = False) -> Any:  # fmt: skip
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
    Differentiable in the stored values of the triangle and in `b`, to any order. The derivative in values outside of the
    triangle, and on a unit diagonal, is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[2.0, 0.0], [1.0, 4.0]]))
    >>> print(grad(lambda b: sparse.linalg.spsolve_triangular(A, b)[1])(np.ones(2)))
    [-0.125  0.25 ]
    """
    if is_plain_on_host(A, b):
        return kernel("sparse.linalg.spsolve_triangular")(A, b, lower, overwrite_A, overwrite_b, unit_diagonal)
    a = square(A, "CSC or CSR matrix format is required. Converting to CSC matrix.").tocsc()
    b = in_working_dtype(b if hasattr(b, "dtype") else np.asarray(b))
    if len(b.shape) not in (1, 2) or b.shape[0] != a.shape[0]:
        raise ValueError(f"b must have 1 or 2 dims and fit A: their shapes are {tuple(b.shape)} and {a.shape}.")
    below = a.pattern.rows - a.pattern.cols if lower else a.pattern.cols - a.pattern.rows
    (kept,) = (below > 0 if unit_diagonal else below >= 0).nonzero()
    a = SparseArray(a.data[kept], Pattern("coo", a.shape, (a.pattern.rows[kept], a.pattern.cols[kept]))).tocsc()
    options = {"lower": lower, "unit_diagonal": unit_diagonal}
    x = solve(a.data, b if len(b.shape) == 2 else b[:, None], pattern=a.pattern, options=options)[0]
    return x if len(b.shape) == 2 else x[:, 0]


def is_sptriangular(A: Any) -> tuple[bool, bool]:
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
    lower, upper = kernel("sparse.linalg.is_sptriangular")(_untraced(A))
    return bool(lower), bool(upper)


def spbandwidth(A: Any) -> tuple[int, int]:
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
    return kernel("sparse.linalg.spbandwidth")(_untraced(A))


def _untraced(A: Any) -> Any:
    return numbered(A) if isinstance(A, SparseArray) else A


is_sptriangular.is_constant = spbandwidth.is_constant = True  # type: ignore[attr-defined]

__all__ = ["is_sptriangular", "spbandwidth", "spsolve_triangular"]
