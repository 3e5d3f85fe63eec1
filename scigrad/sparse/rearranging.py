"""Parts of sparse arrays, and other orders of their axes: entries are kept, places change."""

from collections.abc import Sequence

from scigrad.autodiff_rules import kernel, raw
from scigrad.typing import Array, ArrayLike, SparseLike

from .array.numbering import (
    any_element,
    as_sparse_array,
    call_numbered,
    is_plain,
    number_entries,
    take_numbered,
)


def tril(A: ArrayLike, k: int = 0, format: str | None = None) -> SparseLike:
    """Take the lower triangle of a sparse array.

    As `scipy.sparse.tril`.

    Parameters
    ----------
    A : (m, n) sparse array or array_like
        Array; of a dense one the entries that are not 0 now are taken.
    k : int, optional
        Diagonal up to which values are taken: 0 is the main one, k > 0 lies above it and k < 0
        below it.
    format : {"csr", "csc", "coo", "bsr", "dia", "lil", "dok"}, optional
        Format of the result, by default "coo".

    Returns
    -------
    sparse array
        Values on one side of the diagonal and on it.

    Notes
    -----
    Differentiable in the values.

    Examples
    --------
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array([[1.0, 2.0], [3.0, 4.0]])
    >>> print(grad(lambda A: sparse.tril(A).power(2).sum())(A).toarray())
    [[2. 0.]
     [6. 8.]]
    """
    return call_numbered("tril", A, k=k, format=format)


def triu(A: ArrayLike, k: int = 0, format: str | None = None) -> SparseLike:
    """Take the upper triangle of a sparse array.

    As `scipy.sparse.triu`.

    Parameters
    ----------
    A : (m, n) sparse array or array_like
        Array; of a dense one the entries that are not 0 now are taken.
    k : int, optional
        Diagonal from which on values are taken: 0 is the main one, k > 0 lies above it and k < 0
        below it.
    format : {"csr", "csc", "coo", "bsr", "dia", "lil", "dok"}, optional
        Format of the result, by default "coo".

    Returns
    -------
    sparse array
        Values on one side of the diagonal and on it.

    Notes
    -----
    Differentiable in the values.

    Examples
    --------
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array([[1.0, 2.0], [3.0, 4.0]])
    >>> print(grad(lambda A: sparse.triu(A).power(2).sum())(A).toarray())
    [[2. 4.]
     [0. 8.]]
    """
    return call_numbered("triu", A, k=k, format=format)


def find(A: ArrayLike) -> tuple[Array, Array, Array]:
    """Return the places and values of the entries that are not 0.

    As `scipy.sparse.find`.

    Parameters
    ----------
    A : (m, n) sparse array or array_like
        Array whose nonzero entries are listed.

    Returns
    -------
    I : (k,) ndarray of int
        Rows.
    J : (k,) ndarray of int
        Columns.
    V : (k,) ndarray
        Values.

    Notes
    -----
    `V` is differentiable in the values of `A`; which of them are 0 is taken to be constant.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array([[1.0, 0.0], [3.0, 4.0]])
    >>> print(grad(lambda A: np.sum(sparse.find(A)[2] ** 2))(A).toarray())
    [[2. 0.]
     [6. 8.]]
    """
    if is_plain(A):
        return kernel("sparse.find")(A)
    a = as_sparse_array(A).distinct()
    rows, cols, numbers = kernel("sparse.find")(number_entries(a))
    values = take_numbered(a.data, numbers)
    (kept,) = any_element(raw(values != 0), 1, "the number of entries that are not 0").nonzero()
    return rows[kept], cols[kept], values[kept]


def permute_dims(
    A: SparseLike,
    axes: Sequence[int] | None = None,
    copy: bool = False,  # noqa: ARG001
) -> SparseLike:
    """Permute the axes of a sparse array.

    As `scipy.sparse.permute_dims`.

    Parameters
    ----------
    A : sparse array
        Array whose axes are rearranged.
    axes : sequence of ints, optional
        Order of the axes, by default the reversed one.
    copy : bool, optional
        No effect: the result never shares memory with `A`, because SciPy's own changes `A` then.

    Returns
    -------
    sparse array
        Array with permuted axes.

    Raises
    ------
    ValueError
        If `axes` is not a permutation of the axes.

    Notes
    -----
    Differentiable in the stored values.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.coo_array([[1.0, 0.0], [3.0, 4.0]])
    >>> print(grad(lambda A: (sparse.permute_dims(A) @ np.arange(2.0)).sum())(A).toarray())
    [[0. 0.]
     [1. 1.]]
    """
    return call_numbered("permute_dims", A, axes=axes, copy=True)


def swapaxes(A: SparseLike, axis1: int, axis2: int) -> SparseLike:
    """Exchange two axes of a sparse array.

    As `scipy.sparse.swapaxes`.

    Parameters
    ----------
    A : sparse array
        Array whose axes are rearranged.
    axis1, axis2 : int
        Axes.

    Returns
    -------
    sparse array
        Array with exchanged axes.

    Raises
    ------
    ValueError
        If an axis does not exist.

    Notes
    -----
    Differentiable in the stored values.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.coo_array([[1.0, 0.0], [3.0, 4.0]])
    >>> print(grad(lambda A: (sparse.swapaxes(A, 0, 1) @ np.arange(2.0)).sum())(A).toarray())
    [[0. 0.]
     [1. 1.]]
    """
    return call_numbered("swapaxes", A, axis1=axis1, axis2=axis2)


def expand_dims(A: SparseLike, /, *, axis: int = 0) -> SparseLike:
    """Add an axis of length 1 to a sparse array.

    As `scipy.sparse.expand_dims`.

    Parameters
    ----------
    A : sparse array
        Array whose axes are rearranged.
    axis : int, optional
        Place of the new axis.

    Returns
    -------
    sparse array
        Array with one axis more, in format "coo".

    Raises
    ------
    ValueError
        If `axes` is not a permutation of the axes.

    Notes
    -----
    Differentiable in the stored values.

    Examples
    --------
    >>> from scigrad import grad, sparse
    >>> A = sparse.coo_array([[1.0, 0.0], [3.0, 4.0]])
    >>> print(grad(lambda A: (sparse.expand_dims(A).toarray() ** 2).sum())(A).toarray())
    [[2. 0.]
     [6. 8.]]
    """
    return call_numbered("expand_dims", A, axis=axis)


__all__ = ["expand_dims", "find", "permute_dims", "swapaxes", "tril", "triu"]
