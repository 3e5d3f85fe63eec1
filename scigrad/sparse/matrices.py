"""SciPy's older classes of sparse matrices, whose `*` is the product of matrices."""

from __future__ import annotations

from typing import Any

from scigrad.autodiff_rules.docstrings import completed_by

from .construction import Sparse, csr_array


@completed_by(csr_array)
class csr_matrix(Sparse):
    """Sparse matrix in compressed sparse row format.

    As `scipy.sparse.csr_matrix`.

    One of the older classes, whose ``*`` is the product of matrices.

    Returns
    -------
    scipy.sparse.csr_matrix
        SciPy's matrix for plain data. For traced data a sparse array with the same methods.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_matrix(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).toarray())
    [[ 1. 10.]
     [ 0. 10.]]
    """

    _form, _family = "csr", "matrix"


@completed_by(csr_array)
class csc_matrix(Sparse):
    """Sparse matrix in compressed sparse column format.

    As `scipy.sparse.csc_matrix`.

    One of the older classes, whose ``*`` is the product of matrices.

    Returns
    -------
    scipy.sparse.csc_matrix
        SciPy's matrix for plain data. For traced data a sparse array with the same methods.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csc_matrix(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).toarray())
    [[ 1. 10.]
     [ 0. 10.]]
    """

    _form, _family = "csc", "matrix"


@completed_by(csr_array)
class coo_matrix(Sparse):
    """Sparse matrix in coordinate format.

    As `scipy.sparse.coo_matrix`.

    One of the older classes, whose ``*`` is the product of matrices.

    Returns
    -------
    scipy.sparse.coo_matrix
        SciPy's matrix for plain data. For traced data a sparse array with the same methods.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.coo_matrix(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).toarray())
    [[ 1. 10.]
     [ 0. 10.]]
    """

    _form, _family = "coo", "matrix"


@completed_by(csr_array)
class bsr_matrix(Sparse):
    """Sparse matrix in block sparse row format.

    As `scipy.sparse.bsr_matrix`.

    One of the older classes, whose ``*`` is the product of matrices.

    Parameters
    ----------
    blocksize : (int, int), optional
        Shape of the blocks, by default one that fits the values.

    Returns
    -------
    scipy.sparse.bsr_matrix
        SciPy's matrix for plain data. For traced data a sparse array with the same methods.

    Notes
    -----
    A traced one keeps its values by rows: ``data`` has one axis, and the methods are those of `csr_array`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> loss = lambda data: np.sum(sparse.bsr_matrix((data, [0], [0, 1])) @ np.array([1.0, 10.0]))
    >>> print(grad(loss)(np.array([[[1.0, 2.0], [3.0, 4.0]]])))
    [[[ 1. 10.]
      [ 1. 10.]]]
    """

    _form, _family = "bsr", "matrix"

    def __new__(  # pyright: ignore[reportIncompatibleMethodOverride]
        cls, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, blocksize: Any = None, *, maxprint: Any = None
    ) -> Any:
        return cls._made(arg1, shape, dtype, copy, blocksize=blocksize, maxprint=maxprint)


@completed_by(csr_array)
class dia_matrix(Sparse):
    """Sparse matrix in diagonal format.

    As `scipy.sparse.dia_matrix`.

    One of the older classes, whose ``*`` is the product of matrices.

    Returns
    -------
    scipy.sparse.dia_matrix
        SciPy's matrix for plain data. For traced data a sparse array with the same methods.

    Notes
    -----
    A traced one keeps its values by rows: ``data`` has one axis, and the methods are those of `csr_array`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> loss = lambda data: np.sum(sparse.dia_matrix((data, [0, 1]), shape=(2, 2)) @ np.array([1.0, 10.0]))
    >>> print(grad(loss)(np.array([[1.0, 2.0], [3.0, 4.0]])))
    [[ 1. 10.]
     [ 0. 10.]]
    """

    _form, _family = "dia", "matrix"


@completed_by(csr_array)
class lil_matrix(Sparse):
    """Sparse matrix in list of lists format.

    As `scipy.sparse.lil_matrix`.

    One of the older classes, whose ``*`` is the product of matrices.

    Returns
    -------
    scipy.sparse.lil_matrix
        SciPy's matrix for plain data. For traced data a sparse array with the same methods.

    Notes
    -----
    A traced one keeps its values by rows: ``data`` has one axis, and the methods are those of `csr_array`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.lil_matrix(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).toarray())
    [[ 1. 10.]
     [ 0. 10.]]
    """

    _form, _family = "lil", "matrix"


@completed_by(csr_array)
class dok_matrix(Sparse):
    """Sparse matrix in dictionary of keys format.

    As `scipy.sparse.dok_matrix`.

    One of the older classes, whose ``*`` is the product of matrices.

    Returns
    -------
    scipy.sparse.dok_matrix
        SciPy's matrix for plain data. For traced data a sparse array with the same methods.

    Notes
    -----
    A traced one keeps its values by rows: ``data`` has one axis, and the methods are those of `csr_array`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.dok_matrix(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).toarray())
    [[ 1. 10.]
     [ 0. 10.]]
    """

    _form, _family = "dok", "matrix"


__all__ = ["bsr_matrix", "coo_matrix", "csc_matrix", "csr_matrix", "dia_matrix", "dok_matrix", "lil_matrix"]
