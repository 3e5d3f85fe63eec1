"""Classes of sparse arrays by format, and questions about them, which traced arrays answer as
SciPy's do.

The texts of the classes are made in construction.py.
"""

from typing import Any

from .array.pattern import is_sparse
from .construction import Format, Sparse


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


def issparse(x: object) -> bool:
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


def isspmatrix(x: object) -> bool:
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


def _is_matrix(x: Any, form: str) -> bool:
    return isspmatrix(x) and x.format == form


def isspmatrix_bsr(x: object) -> bool:
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
    return _is_matrix(x, "bsr")


def isspmatrix_coo(x: object) -> bool:
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
    return _is_matrix(x, "coo")


def isspmatrix_csc(x: object) -> bool:
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
    return _is_matrix(x, "csc")


def isspmatrix_csr(x: object) -> bool:
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
    return _is_matrix(x, "csr")


def isspmatrix_dia(x: object) -> bool:
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
    return _is_matrix(x, "dia")


def isspmatrix_dok(x: object) -> bool:
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
    return _is_matrix(x, "dok")


def isspmatrix_lil(x: object) -> bool:
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
    return _is_matrix(x, "lil")


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


class bsr_array(Blocks):
    """Sparse array in block sparse row format.

    As `scipy.sparse.bsr_array`.

    Parameters
    ----------
    arg1 : tuple, array_like or sparse array
        Values and their places as the format has them, ``(data, indices, indptr)``,
        ``(data, (row, col))`` or, by diagonals, ``(data, offsets)``; a dense 2-D array, a sparse
        array, or a shape (rows, columns).
    shape : (int, int), optional
        Numbers of rows and columns, by default those that the indices need.
    dtype : dtype, optional
        Type of the values, by default that of the data.
    copy : bool, optional
        Whether to copy plain data.
    blocksize : (int, int), optional
        Shape of the blocks, by default one that fits the values.
    maxprint : int, optional
        Number of values that repr shows, for plain data.

    Returns
    -------
    scipy.sparse.bsr_array
        SciPy's array for plain data. For traced data a sparse array with the same methods.

    Raises
    ------
    ValueError
        If the index arrays do not fit each other or the shape.

    Notes
    -----
    ``*`` is the product element by element for arrays, and the product of matrices for the older
    matrices. Traced values in another format than "csr", "csc" and "coo" are kept by rows: ``data``
    has one axis, and the methods are those of `csr_array`.

    Differentiable in the stored values; the pattern is constant. The gradient with respect to a
    sparse array is a sparse array with its pattern. Values at the same place add up.

    No library has a batch of sparse arrays: the Jacobian with respect to a sparse array, its
    Hessian, and what `vmap` makes of sparse results are batches of values on one pattern, with
    ``data`` of shape (..., nnz) and the methods of a sparse array. ``toarray()`` puts the axes of
    the batch first.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.bsr_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).diagonal())
    [ 1. 10.]
    """


class dia_array(Sparse):
    """Sparse array in diagonal format.

    As `scipy.sparse.dia_array`.

    Parameters
    ----------
    arg1 : tuple, array_like or sparse array
        Values and their places as the format has them, ``(data, indices, indptr)``,
        ``(data, (row, col))`` or, by diagonals, ``(data, offsets)``; a dense 2-D array, a sparse
        array, or a shape (rows, columns).
    shape : (int, int), optional
        Numbers of rows and columns, by default those that the indices need.
    dtype : dtype, optional
        Type of the values, by default that of the data.
    copy : bool, optional
        Whether to copy plain data.
    maxprint : int, optional
        Number of values that repr shows, for plain data.

    Returns
    -------
    scipy.sparse.dia_array
        SciPy's array for plain data. For traced data a sparse array with the same methods.

    Raises
    ------
    ValueError
        If the index arrays do not fit each other or the shape.

    Notes
    -----
    ``*`` is the product element by element for arrays, and the product of matrices for the older
    matrices. Traced values in another format than "csr", "csc" and "coo" are kept by rows: ``data``
    has one axis, and the methods are those of `csr_array`.

    Differentiable in the stored values; the pattern is constant. The gradient with respect to a
    sparse array is a sparse array with its pattern. Values at the same place add up.

    No library has a batch of sparse arrays: the Jacobian with respect to a sparse array, its
    Hessian, and what `vmap` makes of sparse results are batches of values on one pattern, with
    ``data`` of shape (..., nnz) and the methods of a sparse array. ``toarray()`` puts the axes of
    the batch first.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.dia_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).diagonal())
    [ 1. 10.]
    """


class lil_array(Sparse):
    """Sparse array in list of lists format.

    As `scipy.sparse.lil_array`.

    Parameters
    ----------
    arg1 : tuple, array_like or sparse array
        Values and their places as the format has them, ``(data, indices, indptr)``,
        ``(data, (row, col))`` or, by diagonals, ``(data, offsets)``; a dense 2-D array, a sparse
        array, or a shape (rows, columns).
    shape : (int, int), optional
        Numbers of rows and columns, by default those that the indices need.
    dtype : dtype, optional
        Type of the values, by default that of the data.
    copy : bool, optional
        Whether to copy plain data.
    maxprint : int, optional
        Number of values that repr shows, for plain data.

    Returns
    -------
    scipy.sparse.lil_array
        SciPy's array for plain data. For traced data a sparse array with the same methods.

    Raises
    ------
    ValueError
        If the index arrays do not fit each other or the shape.

    Notes
    -----
    ``*`` is the product element by element for arrays, and the product of matrices for the older
    matrices. Traced values in another format than "csr", "csc" and "coo" are kept by rows: ``data``
    has one axis, and the methods are those of `csr_array`.

    Differentiable in the stored values; the pattern is constant. The gradient with respect to a
    sparse array is a sparse array with its pattern. Values at the same place add up.

    No library has a batch of sparse arrays: the Jacobian with respect to a sparse array, its
    Hessian, and what `vmap` makes of sparse results are batches of values on one pattern, with
    ``data`` of shape (..., nnz) and the methods of a sparse array. ``toarray()`` puts the axes of
    the batch first.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.lil_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).diagonal())
    [ 1. 10.]
    """


class dok_array(Sparse):
    """Sparse array in dictionary of keys format.

    As `scipy.sparse.dok_array`.

    Parameters
    ----------
    arg1 : tuple, array_like or sparse array
        Values and their places as the format has them, ``(data, indices, indptr)``,
        ``(data, (row, col))`` or, by diagonals, ``(data, offsets)``; a dense 2-D array, a sparse
        array, or a shape (rows, columns).
    shape : (int, int), optional
        Numbers of rows and columns, by default those that the indices need.
    dtype : dtype, optional
        Type of the values, by default that of the data.
    copy : bool, optional
        Whether to copy plain data.
    maxprint : int, optional
        Number of values that repr shows, for plain data.

    Returns
    -------
    scipy.sparse.dok_array
        SciPy's array for plain data. For traced data a sparse array with the same methods.

    Raises
    ------
    ValueError
        If the index arrays do not fit each other or the shape.

    Notes
    -----
    ``*`` is the product element by element for arrays, and the product of matrices for the older
    matrices. Traced values in another format than "csr", "csc" and "coo" are kept by rows: ``data``
    has one axis, and the methods are those of `csr_array`.

    Differentiable in the stored values; the pattern is constant. The gradient with respect to a
    sparse array is a sparse array with its pattern. Values at the same place add up.

    No library has a batch of sparse arrays: the Jacobian with respect to a sparse array, its
    Hessian, and what `vmap` makes of sparse results are batches of values on one pattern, with
    ``data`` of shape (..., nnz) and the methods of a sparse array. ``toarray()`` puts the axes of
    the batch first.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.dok_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).diagonal())
    [ 1. 10.]
    """


class bsr_matrix(Blocks):
    """Sparse matrix in block sparse row format.

    As `scipy.sparse.bsr_matrix`.

    Parameters
    ----------
    arg1 : tuple, array_like or sparse array
        Values and their places as the format has them, ``(data, indices, indptr)``,
        ``(data, (row, col))`` or, by diagonals, ``(data, offsets)``; a dense 2-D array, a sparse
        array, or a shape (rows, columns).
    shape : (int, int), optional
        Numbers of rows and columns, by default those that the indices need.
    dtype : dtype, optional
        Type of the values, by default that of the data.
    copy : bool, optional
        Whether to copy plain data.
    blocksize : (int, int), optional
        Shape of the blocks, by default one that fits the values.
    maxprint : int, optional
        Number of values that repr shows, for plain data.

    Returns
    -------
    scipy.sparse.bsr_matrix
        SciPy's matrix for plain data. For traced data a sparse array with the same methods.

    Raises
    ------
    ValueError
        If the index arrays do not fit each other or the shape.

    Notes
    -----
    ``*`` is the product element by element for arrays, and the product of matrices for the older
    matrices. Traced values in another format than "csr", "csc" and "coo" are kept by rows: ``data``
    has one axis, and the methods are those of `csr_array`.

    Differentiable in the stored values; the pattern is constant. The gradient with respect to a
    sparse array is a sparse array with its pattern. Values at the same place add up.

    No library has a batch of sparse arrays: the Jacobian with respect to a sparse array, its
    Hessian, and what `vmap` makes of sparse results are batches of values on one pattern, with
    ``data`` of shape (..., nnz) and the methods of a sparse array. ``toarray()`` puts the axes of
    the batch first.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.bsr_matrix(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).diagonal())
    [ 1. 10.]
    """


class csr_matrix(Sparse):
    """Sparse matrix in compressed sparse row format.

    As `scipy.sparse.csr_matrix`.

    Parameters
    ----------
    arg1 : tuple, array_like or sparse array
        Values and their places as the format has them, ``(data, indices, indptr)``,
        ``(data, (row, col))`` or, by diagonals, ``(data, offsets)``; a dense 2-D array, a sparse
        array, or a shape (rows, columns).
    shape : (int, int), optional
        Numbers of rows and columns, by default those that the indices need.
    dtype : dtype, optional
        Type of the values, by default that of the data.
    copy : bool, optional
        Whether to copy plain data.
    maxprint : int, optional
        Number of values that repr shows, for plain data.

    Returns
    -------
    scipy.sparse.csr_matrix
        SciPy's matrix for plain data. For traced data a sparse array with the same methods.

    Raises
    ------
    ValueError
        If the index arrays do not fit each other or the shape.

    Notes
    -----
    ``*`` is the product element by element for arrays, and the product of matrices for the older
    matrices. Traced values in another format than "csr", "csc" and "coo" are kept by rows: ``data``
    has one axis, and the methods are those of `csr_array`.

    Differentiable in the stored values; the pattern is constant. The gradient with respect to a
    sparse array is a sparse array with its pattern. Values at the same place add up.

    No library has a batch of sparse arrays: the Jacobian with respect to a sparse array, its
    Hessian, and what `vmap` makes of sparse results are batches of values on one pattern, with
    ``data`` of shape (..., nnz) and the methods of a sparse array. ``toarray()`` puts the axes of
    the batch first.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_matrix(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).diagonal())
    [ 1. 10.]
    """


class csc_matrix(Sparse):
    """Sparse matrix in compressed sparse column format.

    As `scipy.sparse.csc_matrix`.

    Parameters
    ----------
    arg1 : tuple, array_like or sparse array
        Values and their places as the format has them, ``(data, indices, indptr)``,
        ``(data, (row, col))`` or, by diagonals, ``(data, offsets)``; a dense 2-D array, a sparse
        array, or a shape (rows, columns).
    shape : (int, int), optional
        Numbers of rows and columns, by default those that the indices need.
    dtype : dtype, optional
        Type of the values, by default that of the data.
    copy : bool, optional
        Whether to copy plain data.
    maxprint : int, optional
        Number of values that repr shows, for plain data.

    Returns
    -------
    scipy.sparse.csc_matrix
        SciPy's matrix for plain data. For traced data a sparse array with the same methods.

    Raises
    ------
    ValueError
        If the index arrays do not fit each other or the shape.

    Notes
    -----
    ``*`` is the product element by element for arrays, and the product of matrices for the older
    matrices. Traced values in another format than "csr", "csc" and "coo" are kept by rows: ``data``
    has one axis, and the methods are those of `csr_array`.

    Differentiable in the stored values; the pattern is constant. The gradient with respect to a
    sparse array is a sparse array with its pattern. Values at the same place add up.

    No library has a batch of sparse arrays: the Jacobian with respect to a sparse array, its
    Hessian, and what `vmap` makes of sparse results are batches of values on one pattern, with
    ``data`` of shape (..., nnz) and the methods of a sparse array. ``toarray()`` puts the axes of
    the batch first.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csc_matrix(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).diagonal())
    [ 1. 10.]
    """


class coo_matrix(Sparse):
    """Sparse matrix in coordinate format.

    As `scipy.sparse.coo_matrix`.

    Parameters
    ----------
    arg1 : tuple, array_like or sparse array
        Values and their places as the format has them, ``(data, indices, indptr)``,
        ``(data, (row, col))`` or, by diagonals, ``(data, offsets)``; a dense 2-D array, a sparse
        array, or a shape (rows, columns).
    shape : (int, int), optional
        Numbers of rows and columns, by default those that the indices need.
    dtype : dtype, optional
        Type of the values, by default that of the data.
    copy : bool, optional
        Whether to copy plain data.
    maxprint : int, optional
        Number of values that repr shows, for plain data.

    Returns
    -------
    scipy.sparse.coo_matrix
        SciPy's matrix for plain data. For traced data a sparse array with the same methods.

    Raises
    ------
    ValueError
        If the index arrays do not fit each other or the shape.

    Notes
    -----
    ``*`` is the product element by element for arrays, and the product of matrices for the older
    matrices. Traced values in another format than "csr", "csc" and "coo" are kept by rows: ``data``
    has one axis, and the methods are those of `csr_array`.

    Differentiable in the stored values; the pattern is constant. The gradient with respect to a
    sparse array is a sparse array with its pattern. Values at the same place add up.

    No library has a batch of sparse arrays: the Jacobian with respect to a sparse array, its
    Hessian, and what `vmap` makes of sparse results are batches of values on one pattern, with
    ``data`` of shape (..., nnz) and the methods of a sparse array. ``toarray()`` puts the axes of
    the batch first.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.coo_matrix(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).diagonal())
    [ 1. 10.]
    """


class dia_matrix(Sparse):
    """Sparse matrix in diagonal format.

    As `scipy.sparse.dia_matrix`.

    Parameters
    ----------
    arg1 : tuple, array_like or sparse array
        Values and their places as the format has them, ``(data, indices, indptr)``,
        ``(data, (row, col))`` or, by diagonals, ``(data, offsets)``; a dense 2-D array, a sparse
        array, or a shape (rows, columns).
    shape : (int, int), optional
        Numbers of rows and columns, by default those that the indices need.
    dtype : dtype, optional
        Type of the values, by default that of the data.
    copy : bool, optional
        Whether to copy plain data.
    maxprint : int, optional
        Number of values that repr shows, for plain data.

    Returns
    -------
    scipy.sparse.dia_matrix
        SciPy's matrix for plain data. For traced data a sparse array with the same methods.

    Raises
    ------
    ValueError
        If the index arrays do not fit each other or the shape.

    Notes
    -----
    ``*`` is the product element by element for arrays, and the product of matrices for the older
    matrices. Traced values in another format than "csr", "csc" and "coo" are kept by rows: ``data``
    has one axis, and the methods are those of `csr_array`.

    Differentiable in the stored values; the pattern is constant. The gradient with respect to a
    sparse array is a sparse array with its pattern. Values at the same place add up.

    No library has a batch of sparse arrays: the Jacobian with respect to a sparse array, its
    Hessian, and what `vmap` makes of sparse results are batches of values on one pattern, with
    ``data`` of shape (..., nnz) and the methods of a sparse array. ``toarray()`` puts the axes of
    the batch first.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.dia_matrix(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).diagonal())
    [ 1. 10.]
    """


class lil_matrix(Sparse):
    """Sparse matrix in list of lists format.

    As `scipy.sparse.lil_matrix`.

    Parameters
    ----------
    arg1 : tuple, array_like or sparse array
        Values and their places as the format has them, ``(data, indices, indptr)``,
        ``(data, (row, col))`` or, by diagonals, ``(data, offsets)``; a dense 2-D array, a sparse
        array, or a shape (rows, columns).
    shape : (int, int), optional
        Numbers of rows and columns, by default those that the indices need.
    dtype : dtype, optional
        Type of the values, by default that of the data.
    copy : bool, optional
        Whether to copy plain data.
    maxprint : int, optional
        Number of values that repr shows, for plain data.

    Returns
    -------
    scipy.sparse.lil_matrix
        SciPy's matrix for plain data. For traced data a sparse array with the same methods.

    Raises
    ------
    ValueError
        If the index arrays do not fit each other or the shape.

    Notes
    -----
    ``*`` is the product element by element for arrays, and the product of matrices for the older
    matrices. Traced values in another format than "csr", "csc" and "coo" are kept by rows: ``data``
    has one axis, and the methods are those of `csr_array`.

    Differentiable in the stored values; the pattern is constant. The gradient with respect to a
    sparse array is a sparse array with its pattern. Values at the same place add up.

    No library has a batch of sparse arrays: the Jacobian with respect to a sparse array, its
    Hessian, and what `vmap` makes of sparse results are batches of values on one pattern, with
    ``data`` of shape (..., nnz) and the methods of a sparse array. ``toarray()`` puts the axes of
    the batch first.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.lil_matrix(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).diagonal())
    [ 1. 10.]
    """


class dok_matrix(Sparse):
    """Sparse matrix in dictionary of keys format.

    As `scipy.sparse.dok_matrix`.

    Parameters
    ----------
    arg1 : tuple, array_like or sparse array
        Values and their places as the format has them, ``(data, indices, indptr)``,
        ``(data, (row, col))`` or, by diagonals, ``(data, offsets)``; a dense 2-D array, a sparse
        array, or a shape (rows, columns).
    shape : (int, int), optional
        Numbers of rows and columns, by default those that the indices need.
    dtype : dtype, optional
        Type of the values, by default that of the data.
    copy : bool, optional
        Whether to copy plain data.
    maxprint : int, optional
        Number of values that repr shows, for plain data.

    Returns
    -------
    scipy.sparse.dok_matrix
        SciPy's matrix for plain data. For traced data a sparse array with the same methods.

    Raises
    ------
    ValueError
        If the index arrays do not fit each other or the shape.

    Notes
    -----
    ``*`` is the product element by element for arrays, and the product of matrices for the older
    matrices. Traced values in another format than "csr", "csc" and "coo" are kept by rows: ``data``
    has one axis, and the methods are those of `csr_array`.

    Differentiable in the stored values; the pattern is constant. The gradient with respect to a
    sparse array is a sparse array with its pattern. Values at the same place add up.

    No library has a batch of sparse arrays: the Jacobian with respect to a sparse array, its
    Hessian, and what `vmap` makes of sparse results are batches of values on one pattern, with
    ``data`` of shape (..., nnz) and the methods of a sparse array. ``toarray()`` puts the axes of
    the batch first.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.dok_matrix(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).diagonal())
    [ 1. 10.]
    """


for _question in (
    issparse, isspmatrix, isspmatrix_bsr, isspmatrix_coo, isspmatrix_csc, isspmatrix_csr,
    isspmatrix_dia, isspmatrix_dok, isspmatrix_lil,
):  # fmt: skip
    _question.is_constant = True  # type: ignore[attr-defined]

__all__ = [
    "bsr_array", "bsr_matrix", "coo_matrix", "csc_matrix", "csr_matrix", "dia_array", "dia_matrix",
    "dok_array", "dok_matrix", "issparse", "isspmatrix", "isspmatrix_bsr", "isspmatrix_coo",
    "isspmatrix_csc", "isspmatrix_csr", "isspmatrix_dia", "isspmatrix_dok", "isspmatrix_lil",
    "lil_array", "lil_matrix", "sparray", "spmatrix",
]  # fmt: skip
