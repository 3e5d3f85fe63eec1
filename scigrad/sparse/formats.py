"""Sparse arrays by blocks, by diagonals, as lists of rows, as dictionaries."""

from __future__ import annotations

from typing import Any

from scigrad.autodiff_rules.docstrings import completed_by

from .construction import Sparse, csr_array


@completed_by(csr_array)
class bsr_array(Sparse):
    """Sparse array in block sparse row format.

    As `scipy.sparse.bsr_array`.

    Parameters
    ----------
    blocksize : (int, int), optional
        Shape of the blocks, by default one that fits the values.

    Returns
    -------
    scipy.sparse.bsr_array
        SciPy's array for plain data. For traced data a sparse array with the same methods.

    Notes
    -----
    A traced one keeps its values by rows: ``data`` has one axis, and the methods are those of `csr_array`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> loss = lambda data: np.sum(sparse.bsr_array((data, [0], [0, 1])) @ np.array([1.0, 10.0]))
    >>> print(grad(loss)(np.array([[[1.0, 2.0], [3.0, 4.0]]])))
    [[[ 1. 10.]
      [ 1. 10.]]]
    """

    _form, _family = "bsr", "array"

    def __new__(  # pyright: ignore[reportIncompatibleMethodOverride]
        cls, arg1: Any, shape: Any = None, dtype: Any = None, copy: bool = False, blocksize: Any = None, *, maxprint: Any = None
    ) -> Any:
        return cls._made(arg1, shape, dtype, copy, blocksize=blocksize, maxprint=maxprint)


@completed_by(csr_array)
class dia_array(Sparse):
    """Sparse array in diagonal format.

    As `scipy.sparse.dia_array`.

    Returns
    -------
    scipy.sparse.dia_array
        SciPy's array for plain data. For traced data a sparse array with the same methods.

    Notes
    -----
    A traced one keeps its values by rows: ``data`` has one axis, and the methods are those of `csr_array`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> loss = lambda data: np.sum(sparse.dia_array((data, [0, 1]), shape=(2, 2)) @ np.array([1.0, 10.0]))
    >>> print(grad(loss)(np.array([[1.0, 2.0], [3.0, 4.0]])))
    [[ 1. 10.]
     [ 0. 10.]]
    """

    _form, _family = "dia", "array"


@completed_by(csr_array)
class lil_array(Sparse):
    """Sparse array in list of lists format.

    As `scipy.sparse.lil_array`.

    Returns
    -------
    scipy.sparse.lil_array
        SciPy's array for plain data. For traced data a sparse array with the same methods.

    Notes
    -----
    A traced one keeps its values by rows: ``data`` has one axis, and the methods are those of `csr_array`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.lil_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).toarray())
    [[ 1. 10.]
     [ 0. 10.]]
    """

    _form, _family = "lil", "array"


@completed_by(csr_array)
class dok_array(Sparse):
    """Sparse array in dictionary of keys format.

    As `scipy.sparse.dok_array`.

    Returns
    -------
    scipy.sparse.dok_array
        SciPy's array for plain data. For traced data a sparse array with the same methods.

    Notes
    -----
    A traced one keeps its values by rows: ``data`` has one axis, and the methods are those of `csr_array`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.dok_array(np.array([[1.0, 2.0], [0.0, 3.0]]))
    >>> print(grad(lambda A: np.sum(A @ np.array([1.0, 10.0])))(A).toarray())
    [[ 1. 10.]
     [ 0. 10.]]
    """

    _form, _family = "dok", "array"


__all__ = ["bsr_array", "dia_array", "dok_array", "lil_array"]
