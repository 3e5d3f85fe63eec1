"""Classes of sparse arrays by format, and questions about them, which traced arrays answer as
SciPy's do.

The texts of the classes are made in construction.py.
"""

from typing import Any

from .construction import Format, Sparse
from .patterns import is_sparse


class sparray(metaclass=Format):
    """Base of all sparse arrays, for isinstance.

    See `scipy.sparse.sparray`.

    Examples
    --------
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array([[1.0, 0.0]])
    >>> print(
    ...     grad(lambda A: A.sum() if isinstance(A, sparse.sparray) else 0 * A.sum())(A).toarray()
    ... )
    [[1. 0.]]
    """

    _form, _family = None, "array"


class spmatrix(metaclass=Format):
    """Base of the older classes of sparse matrices, for isinstance.

    See `scipy.sparse.spmatrix`.

    Examples
    --------
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_matrix([[1.0, 0.0]])
    >>> print(
    ...     grad(lambda A: A.sum() if isinstance(A, sparse.spmatrix) else 0 * A.sum())(A).toarray()
    ... )
    [[1. 0.]]
    """

    _form, _family = None, "matrix"


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


def _question(form: str) -> Any:
    """Return the function that answers for the older matrices of one format."""

    def asked(x: Any) -> bool:
        """Return whether an object is a `{form}_matrix`.

        As `scipy.sparse.isspmatrix_{form}`.

        Parameters
        ----------
        x : object
            Object of any type, traced or not.

        Returns
        -------
        bool
            True for a {form}_matrix, False for sparse arrays and other formats.

        Examples
        --------
        >>> from scigrad import sparse
        >>> sparse.isspmatrix_{form}(sparse.{form}_matrix((2, 2)))
        True
        """
        return isspmatrix(x) and x.format == form

    asked.__name__ = asked.__qualname__ = f"isspmatrix_{form}"
    asked.__doc__ = (asked.__doc__ or "").replace("{form}", form)
    asked.is_constant = True  # type: ignore[attr-defined]
    return asked


(
    isspmatrix_bsr,
    isspmatrix_coo,
    isspmatrix_csc,
    isspmatrix_csr,
    isspmatrix_dia,
    isspmatrix_dok,
    isspmatrix_lil,
) = (_question(form) for form in ("bsr", "coo", "csc", "csr", "dia", "dok", "lil"))


class Blocks(Sparse):
    """Base of the classes with blocks."""

    def __new__(  # pyright: ignore[reportIncompatibleMethodOverride]
        cls,
        arg1: Any,
        shape: Any = None,
        dtype: Any = None,
        copy: bool = False,
        blocksize: Any = None,
        *,
        maxprint: Any = None,
    ) -> Any:
        return cls._made(arg1, shape, dtype, copy, blocksize=blocksize, maxprint=maxprint)


class bsr_array(Blocks): ...


class dia_array(Sparse): ...


class lil_array(Sparse): ...


class dok_array(Sparse): ...


class bsr_matrix(Blocks): ...


class csr_matrix(Sparse): ...


class csc_matrix(Sparse): ...


class coo_matrix(Sparse): ...


class dia_matrix(Sparse): ...


class lil_matrix(Sparse): ...


class dok_matrix(Sparse): ...


issparse.is_constant = isspmatrix.is_constant = True  # type: ignore[attr-defined]

__all__ = [
    "bsr_array", "bsr_matrix", "coo_matrix", "csc_matrix", "csr_matrix", "dia_array", "dia_matrix",
    "dok_array", "dok_matrix", "issparse", "isspmatrix", "isspmatrix_bsr", "isspmatrix_coo",
    "isspmatrix_csc", "isspmatrix_csr", "isspmatrix_dia", "isspmatrix_dok", "isspmatrix_lil",
    "lil_array", "lil_matrix", "sparray", "spmatrix",
]  # fmt: skip
