"""Sparse arrays put together from blocks."""

from __future__ import annotations

from typing import Any

from scigrad.autodiff_rules.docstrings import completed_by

from .placement import arranged


def block_array(blocks: Any, *, format: str | None = None, dtype: Any = None) -> Any:
    """Construct a sparse array from a grid of blocks.

    As `scipy.sparse.block_array`.

    Parameters
    ----------
    blocks : list of lists
        Rows of blocks: sparse arrays, dense 2-D arrays, or None for a block of zeros.
    format : {"csr", "csc", "coo", "bsr", "dia", "lil", "dok"}, optional
        Format of the result, by default a suitable one.
    dtype : dtype, optional
        Type of the values, by default the common one of the blocks.

    Returns
    -------
    sparse array
        Array of all blocks; one of the older matrices, where SciPy returns one.

    Raises
    ------
    ValueError
        If the shapes of the blocks do not fit.

    Notes
    -----
    Differentiable in the stored values, and in the entries of dense blocks, of which those that are 0 now are left out. Values
    that share a place in a traced block are added up.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array([[1.0, 0.0], [2.0, 3.0]])
    >>> x = np.arange(4.0)
    >>> print(grad(lambda A: x @ (sparse.block_array([[A, None], [None, A]]) @ x))(A).toarray())
    [[ 4.  0.]
     [ 6. 10.]]
    """
    return arranged("block_array", blocks, format=format, dtype=dtype)


@completed_by(block_array)
def bmat(blocks: Any, format: str | None = None, dtype: Any = None) -> Any:
    """Construct a sparse array or matrix from a grid of blocks.

    As `block_array`, but the result is one of the older matrices if no block is a sparse array. See `scipy.sparse.bmat`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array([[1.0, 0.0], [2.0, 3.0]])
    >>> print(grad(lambda A: (sparse.bmat([[A, A]]) @ np.arange(4.0)).sum())(A).toarray())
    [[2. 0.]
     [2. 4.]]
    """
    return arranged("bmat", blocks, format=format, dtype=dtype)


@completed_by(block_array)
def hstack(blocks: Any, format: str | None = None, dtype: Any = None) -> Any:
    """Stack sparse arrays side by side.

    As `scipy.sparse.hstack`.

    Parameters
    ----------
    blocks : sequence of sparse arrays
        Arrays with the same number of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array([[1.0, 0.0], [2.0, 3.0]])
    >>> print(grad(lambda A: (sparse.hstack([A, A]) @ np.arange(4.0)).sum())(A).toarray())
    [[2. 0.]
     [2. 4.]]
    """
    return arranged("hstack", blocks, format=format, dtype=dtype)


@completed_by(block_array)
def vstack(blocks: Any, format: str | None = None, dtype: Any = None) -> Any:
    """Stack sparse arrays one below the other.

    As `scipy.sparse.vstack`.

    Parameters
    ----------
    blocks : sequence of sparse arrays
        Arrays with the same number of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array([[1.0, 0.0], [2.0, 3.0]])
    >>> print(grad(lambda A: np.arange(4.0) @ (sparse.vstack([A, A]) @ np.ones(2)))(A).toarray())
    [[2. 0.]
     [4. 4.]]
    """
    return arranged("vstack", blocks, format=format, dtype=dtype)


@completed_by(block_array)
def block_diag(mats: Any, format: str | None = None, dtype: Any = None) -> Any:
    """Construct a block diagonal sparse array.

    As `scipy.sparse.block_diag`.

    Parameters
    ----------
    mats : sequence of sparse or dense arrays
        Blocks on the diagonal.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array([[1.0, 0.0], [2.0, 3.0]])
    >>> print(grad(lambda A: (sparse.block_diag([A, A]) @ np.arange(4.0)).sum())(A).toarray())
    [[2. 0.]
     [2. 4.]]
    """
    return arranged("block_diag", mats, format=format, dtype=dtype)


__all__ = ["block_array", "block_diag", "bmat", "hstack", "vstack"]
