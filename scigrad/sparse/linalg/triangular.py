"""spsolve_triangular: substitution with a sparse triangular array."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel

from ..arithmetic import traced
from ..arrays import SparseArray
from ..construction import csc_array
from ..patterns import Pattern, is_sparse
from ..placement import is_plain
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
    if is_plain(A, b):
        return kernel("sparse.linalg.spsolve_triangular")(A, b, lower, overwrite_A, overwrite_b, unit_diagonal)
    if not is_sparse(A) or A.format not in ("csc", "csr"):
        from scipy.sparse import SparseEfficiencyWarning

        warnings.warn("CSC or CSR matrix format is required. Converting to CSC matrix.", SparseEfficiencyWarning, stacklevel=2)
    a = traced(in_working_dtype(A if is_sparse(A) else csc_array(A))).tocsc().canonical()
    b = in_working_dtype(b if hasattr(b, "dtype") else np.asarray(b))
    if a.shape[0] != a.shape[1]:
        raise ValueError(f"A must be a square matrix but its shape is {a.shape}.")
    if len(b.shape) not in (1, 2) or b.shape[0] != a.shape[0]:
        raise ValueError(f"b must have 1 or 2 dims and fit A: their shapes are {tuple(b.shape)} and {a.shape}.")
    below = a.pattern.rows - a.pattern.cols if lower else a.pattern.cols - a.pattern.rows
    (kept,) = (below > 0 if unit_diagonal else below >= 0).nonzero()
    a = SparseArray(a.data[kept], Pattern("coo", a.shape, (a.pattern.rows[kept], a.pattern.cols[kept]))).tocsc()
    options = {"lower": lower, "unit_diagonal": unit_diagonal}
    x = solve(a.data, b if len(b.shape) == 2 else b[:, None], pattern=a.pattern, options=options)[0]
    return x if len(b.shape) == 2 else x[:, 0]


__all__ = ["spsolve_triangular"]
