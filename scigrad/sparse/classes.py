"""Questions about the class of a sparse array, which traced ones answer as SciPy's do."""

from __future__ import annotations

from typing import Any

from .construction import Sparse
from .patterns import family_of, is_sparse


class _AnyFormat(type(Sparse)):
    """Metaclass of the bases of all formats."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return is_sparse(instance) and family_of(instance) == cls._family


class sparray(metaclass=_AnyFormat):
    """Base of all sparse arrays, for isinstance.

    See `scipy.sparse.sparray`.

    Examples
    --------
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array([[1.0, 0.0]])
    >>> print(grad(lambda A: A.sum() if isinstance(A, sparse.sparray) else 0 * A.sum())(A).toarray())
    [[1. 0.]]
    """

    _family = "array"


class spmatrix(metaclass=_AnyFormat):
    """Base of the older classes of sparse matrices, for isinstance.

    See `scipy.sparse.spmatrix`.

    Examples
    --------
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_matrix([[1.0, 0.0]])
    >>> print(grad(lambda A: A.sum() if isinstance(A, sparse.spmatrix) else 0 * A.sum())(A).toarray())
    [[1. 0.]]
    """

    _family = "matrix"


def issparse(x: Any) -> bool:
    """Return whether an object is a sparse array or matrix.

    As `scipy.sparse.issparse`.

    Parameters
    ----------
    x : object
        Object of any type, traced or not.

    Returns
    -------
    bool
        True for the sparse arrays and matrices of SciPy, CuPy and this library.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.issparse(sparse.csr_array((2, 2)))
    True
    """
    return is_sparse(x)


def isspmatrix(x: Any) -> bool:
    """Return whether an object is one of the older sparse matrices.

    As `scipy.sparse.isspmatrix`.

    Parameters
    ----------
    x : object
        Object of any type, traced or not.

    Returns
    -------
    bool
        True for sparse matrices, False for sparse arrays and everything else.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.isspmatrix(sparse.csr_array((2, 2)))
    False
    """
    return isinstance(x, spmatrix)


def _is_matrix_in(x: Any, form: str) -> bool:
    return isspmatrix(x) and x.format == form


def isspmatrix_bsr(x: Any) -> bool:
    """Return whether an object is a `bsr_matrix`.

    As `scipy.sparse.isspmatrix_bsr`.

    Parameters
    ----------
    x : object
        Object of any type, traced or not.

    Returns
    -------
    bool
        True for a bsr_matrix, False for sparse arrays and other formats.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.isspmatrix_bsr(sparse.bsr_matrix((2, 2)))
    True
    """
    return _is_matrix_in(x, "bsr")


def isspmatrix_coo(x: Any) -> bool:
    """Return whether an object is a `coo_matrix`.

    As `scipy.sparse.isspmatrix_coo`.

    Parameters
    ----------
    x : object
        Object of any type, traced or not.

    Returns
    -------
    bool
        True for a coo_matrix, False for sparse arrays and other formats.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.isspmatrix_coo(sparse.coo_matrix((2, 2)))
    True
    """
    return _is_matrix_in(x, "coo")


def isspmatrix_csc(x: Any) -> bool:
    """Return whether an object is a `csc_matrix`.

    As `scipy.sparse.isspmatrix_csc`.

    Parameters
    ----------
    x : object
        Object of any type, traced or not.

    Returns
    -------
    bool
        True for a csc_matrix, False for sparse arrays and other formats.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.isspmatrix_csc(sparse.csc_matrix((2, 2)))
    True
    """
    return _is_matrix_in(x, "csc")


def isspmatrix_csr(x: Any) -> bool:
    """Return whether an object is a `csr_matrix`.

    As `scipy.sparse.isspmatrix_csr`.

    Parameters
    ----------
    x : object
        Object of any type, traced or not.

    Returns
    -------
    bool
        True for a csr_matrix, False for sparse arrays and other formats.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.isspmatrix_csr(sparse.csr_matrix((2, 2)))
    True
    """
    return _is_matrix_in(x, "csr")


def isspmatrix_dia(x: Any) -> bool:
    """Return whether an object is a `dia_matrix`.

    As `scipy.sparse.isspmatrix_dia`.

    Parameters
    ----------
    x : object
        Object of any type, traced or not.

    Returns
    -------
    bool
        True for a dia_matrix, False for sparse arrays and other formats.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.isspmatrix_dia(sparse.dia_matrix((2, 2)))
    True
    """
    return _is_matrix_in(x, "dia")


def isspmatrix_dok(x: Any) -> bool:
    """Return whether an object is a `dok_matrix`.

    As `scipy.sparse.isspmatrix_dok`.

    Parameters
    ----------
    x : object
        Object of any type, traced or not.

    Returns
    -------
    bool
        True for a dok_matrix, False for sparse arrays and other formats.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.isspmatrix_dok(sparse.dok_matrix((2, 2)))
    True
    """
    return _is_matrix_in(x, "dok")


def isspmatrix_lil(x: Any) -> bool:
    """Return whether an object is a `lil_matrix`.

    As `scipy.sparse.isspmatrix_lil`.

    Parameters
    ----------
    x : object
        Object of any type, traced or not.

    Returns
    -------
    bool
        True for a lil_matrix, False for sparse arrays and other formats.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.isspmatrix_lil(sparse.lil_matrix((2, 2)))
    True
    """
    return _is_matrix_in(x, "lil")


for _question in (
    issparse, isspmatrix, isspmatrix_bsr, isspmatrix_coo, isspmatrix_csc, isspmatrix_csr, isspmatrix_dia, isspmatrix_dok,
    isspmatrix_lil,
):  # fmt: skip
    _question.is_constant = True  # type: ignore[attr-defined]

__all__ = [
    "issparse", "isspmatrix", "isspmatrix_bsr", "isspmatrix_coo", "isspmatrix_csc", "isspmatrix_csr", "isspmatrix_dia",
    "isspmatrix_dok", "isspmatrix_lil", "sparray", "spmatrix",
]  # fmt: skip
