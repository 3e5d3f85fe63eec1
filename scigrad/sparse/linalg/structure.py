"""Questions about the structure of a sparse array, which depend on its pattern only."""

from __future__ import annotations

from typing import Any

from scigrad.autodiff_rules import kernel

from ..arrays import SparseArray
from ..placement import numbered


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

__all__ = ["is_sptriangular", "spbandwidth"]
