"""Sparse arrays put together from blocks, Kronecker products and sums."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel
from scigrad.typing import ArrayLike, DTypeLike, SparseLike

from .array.arithmetic import add, as_matrix_array
from .array.numbering import call_numbered, every_entry, is_plain_on_host, run_on_pairs
from .array.pattern import identity


def block_array(
    blocks: Sequence[Sequence[Any]], *, format: str | None = None, dtype: DTypeLike | None = None
) -> SparseLike:
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
    Differentiable in the stored values, and in the entries of dense blocks, of which those that are
    0 now are left out. Values that share a place in a traced block are added up.

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
    return call_numbered("block_array", blocks, format=format, dtype=dtype)


def bmat(
    blocks: Sequence[Sequence[Any]], format: str | None = None, dtype: DTypeLike | None = None
) -> SparseLike:
    """Construct a sparse array or matrix from a grid of blocks.

    As `block_array`, but the result is one of the older matrices if no block is a sparse array. See
    `scipy.sparse.bmat`.

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
    Differentiable in the stored values, and in the entries of dense blocks, of which those that are
    0 now are left out. Values that share a place in a traced block are added up.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array([[1.0, 0.0], [2.0, 3.0]])
    >>> print(grad(lambda A: (sparse.bmat([[A, A]]) @ np.arange(4.0)).sum())(A).toarray())
    [[2. 0.]
     [2. 4.]]
    """
    return call_numbered("bmat", blocks, format=format, dtype=dtype)


def hstack(
    blocks: Sequence[Any], format: str | None = None, dtype: DTypeLike | None = None
) -> SparseLike:
    """Stack sparse arrays side by side.

    As `scipy.sparse.hstack`.

    Parameters
    ----------
    blocks : sequence of sparse arrays
        Arrays with the same number of rows.
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
    Differentiable in the stored values, and in the entries of dense blocks, of which those that are
    0 now are left out. Values that share a place in a traced block are added up.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array([[1.0, 0.0], [2.0, 3.0]])
    >>> print(grad(lambda A: (sparse.hstack([A, A]) @ np.arange(4.0)).sum())(A).toarray())
    [[2. 0.]
     [2. 4.]]
    """
    return call_numbered("hstack", blocks, format=format, dtype=dtype)


def vstack(
    blocks: Sequence[Any], format: str | None = None, dtype: DTypeLike | None = None
) -> SparseLike:
    """Stack sparse arrays one below the other.

    As `scipy.sparse.vstack`.

    Parameters
    ----------
    blocks : sequence of sparse arrays
        Arrays with the same number of columns.
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
    Differentiable in the stored values, and in the entries of dense blocks, of which those that are
    0 now are left out. Values that share a place in a traced block are added up.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array([[1.0, 0.0], [2.0, 3.0]])
    >>> print(grad(lambda A: np.arange(4.0) @ (sparse.vstack([A, A]) @ np.ones(2)))(A).toarray())
    [[2. 0.]
     [4. 4.]]
    """
    return call_numbered("vstack", blocks, format=format, dtype=dtype)


def block_diag(mats: Any, format: str | None = None, dtype: DTypeLike | None = None) -> SparseLike:
    """Construct a block diagonal sparse array.

    As `scipy.sparse.block_diag`.

    Parameters
    ----------
    mats : sequence of sparse or dense arrays
        Blocks on the diagonal.
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
    Differentiable in the stored values, and in the entries of dense blocks, of which those that are
    0 now are left out. Values that share a place in a traced block are added up.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array([[1.0, 0.0], [2.0, 3.0]])
    >>> print(grad(lambda A: (sparse.block_diag([A, A]) @ np.arange(4.0)).sum())(A).toarray())
    [[2. 0.]
     [2. 4.]]
    """
    # dense, not a list of blocks
    mats = [np.asarray(block) if isinstance(block, (list, tuple)) else block for block in mats]
    return call_numbered("block_diag", mats, format=format, dtype=dtype)


def kron(
    A: SparseLike | ArrayLike, B: SparseLike | ArrayLike, format: str | None = None
) -> SparseLike:
    """Compute the Kronecker product of two sparse arrays.

    As `scipy.sparse.kron`.

    Parameters
    ----------
    A, B : sparse array or (m, n) array_like
        Factors; of a dense one the entries that are not 0 now are taken.
    format : {"csr", "csc", "coo", "bsr", "dia", "lil", "dok"}, optional
        Format of the result, by default "bsr" or "coo", by the number of values.

    Returns
    -------
    sparse array
        Array of the blocks ``A[i, j] * B``; one of the older matrices, where SciPy returns one.

    Notes
    -----
    Differentiable in the values of `A` and `B`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array([[1.0, 0.0], [2.0, 3.0]])
    >>> print(grad(lambda A: (sparse.kron(A, A) @ np.arange(4.0)).sum())(A).toarray())
    [[ 9.  0.]
     [ 9. 27.]]
    """
    run = kernel("sparse.kron")
    if is_plain_on_host(A, B):
        return run(A, B, format)
    a, b = as_matrix_array(A), as_matrix_array(B)
    blocks = (
        format in (None, "bsr") and b.pattern.library == "numpy" and 2 * b.nnz >= math.prod(b.shape)
    )
    if blocks:  # SciPy multiplies whole blocks then, with the zeros in them
        a, b = a.distinct(), every_entry(b.toarray(), b.pattern.family)
    return run_on_pairs(lambda a, b: run(a, b, "bsr" if blocks else "coo"), a, b).asformat(format)


def kronsum(A: ArrayLike, B: ArrayLike, format: str | None = None) -> SparseLike:
    """Compute the Kronecker sum of two square sparse arrays, ``kron(I, A) + kron(B, I)``.

    As `scipy.sparse.kronsum`.

    Parameters
    ----------
    A, B : (n, n) sparse array or array_like
        Square arrays, which may have different orders.
    format : {"csr", "csc", "coo", "bsr", "dia", "lil", "dok"}, optional
        Format of the result, by default "bsr" or "coo", by the number of values.

    Returns
    -------
    sparse array
        Kronecker sum, of order ``A.shape[0] * B.shape[0]``.

    Raises
    ------
    ValueError
        If `A` or `B` is not square.

    Notes
    -----
    Differentiable in the values of `A` and `B`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array([[1.0, 0.0], [2.0, 3.0]])
    >>> print(grad(lambda A: (sparse.kronsum(A, A) @ np.arange(4.0)).sum())(A).toarray())
    [[3. 0.]
     [3. 9.]]
    """
    if is_plain_on_host(A, B):
        return kernel("sparse.kronsum")(A, B, format)
    a, b = as_matrix_array(A), as_matrix_array(B)
    if len({*a.shape}) > 1 or len({*b.shape}) > 1:
        raise ValueError(
            f"a factor of kronsum is not square: the shapes are {a.shape} and {b.shape}"
        )
    ones = (
        identity(y.shape[0], x.pattern.library, x.dtype, x.pattern.family)
        for x, y in ((a, b), (b, a))
    )
    return add(kron(next(ones), a, "coo"), kron(b, next(ones), "coo")).asformat(format)


__all__ = ["block_array", "block_diag", "bmat", "hstack", "kron", "kronsum", "vstack"]
