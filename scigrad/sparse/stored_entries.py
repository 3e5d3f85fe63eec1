"""Functions of the stored entries alone: products at the places of a pattern, softmax along an
axis.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules.backends import library, namespace
from scigrad.numpy.joining import assemble
from scigrad.typing import ArrayLike, SparseLike

from .array.numbering import as_sparse_array
from .array.products import gather_entries, sample_product, sum_entries
from .loops import call_library


def sampled_matmul(pattern: SparseLike, x: ArrayLike, y: ArrayLike) -> SparseLike:
    """Compute the product of two dense matrices at the stored places of a sparse array.

    The other entries of ``x @ y`` are not computed. SciPy has no such function; it is
    `torch.sparse.sampled_addmm` with ``beta=0``, also known as SDDMM.

    Parameters
    ----------
    pattern : (m, n) sparse array
        Array whose stored places are taken; its values do not matter.
    x : (m, k) array_like
        First factor.
    y : (k, n) array_like
        Second factor.

    Returns
    -------
    (m, n) sparse array
        Entries of the product, on the pattern and in its format; a place that is stored twice is
        stored once.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    Notes
    -----
    Differentiable in the factors. Memory is that of the factors and of the pattern.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> pattern = sparse.csr_array(np.array([[1.0, 1.0], [0.0, 1.0]]))
    >>> x, y = np.array([[1.0, 2.0], [3.0, 4.0]]), np.eye(2)
    >>> print(sparse.sampled_matmul(pattern, x, y).toarray())
    [[1. 2.]
     [0. 4.]]
    >>> print(grad(lambda x: sparse.sampled_matmul(pattern, x, y).sum())(x))
    [[1. 1.]
     [0. 1.]]
    """
    places = as_sparse_array(pattern).distinct().pattern
    x, y = (assemble(v) for v in (x, y))
    if (
        len(x.shape) != 2
        or len(y.shape) != 2
        or x.shape[1] != y.shape[0]
        or (x.shape[0], y.shape[1]) != places.shape
    ):
        raise ValueError(
            "sampled_matmul: the shapes of pattern, x and y do not fit: "
            f"{[a.shape for a in (places, x, y)]}"
        )
    return places.with_data(sample_product(x, y.T, pattern=places))


def softmax(A: SparseLike, axis: int | tuple[int, ...] | None = -1) -> SparseLike:
    """Compute the softmax of the stored entries along an axis.

    An entry that is not stored counts as minus infinity and stays absent: the stored entries of a
    row, or along another axis, are exponentials divided by their sum. SciPy has no such function;
    it is `torch.sparse.softmax`.

    Parameters
    ----------
    A : sparse array
        Real array.
    axis : int, tuple of ints or None, optional
        Axes along which the sum is 1, by default the last one; None is all of them.

    Returns
    -------
    sparse array
        Array on the pattern of `A`; a place that is stored twice is stored once.

    Raises
    ------
    ValueError
        If the values are complex, or there is no such axis.

    Notes
    -----
    Differentiable in the stored entries.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array((np.log([1.0, 3.0, 2.0]), [0, 1, 1], [0, 2, 3]))
    >>> print(sparse.softmax(A).toarray())
    [[0.25 0.75]
     [0.   1.  ]]
    >>> print(grad(lambda A: sparse.softmax(A)[0, 0])(A).toarray())
    [[ 0.1875 -0.1875]
     [ 0.      0.    ]]
    """
    pattern, _, found, total = _exponentials(A, axis)
    return pattern.with_data(found / total)


def log_softmax(A: SparseLike, axis: int | tuple[int, ...] | None = -1) -> SparseLike:
    """Compute the logarithm of the softmax of the stored entries along an axis.

    As ``log(softmax(A))`` on the stored entries, without underflow. SciPy has no such function; it
    is `torch.sparse.log_softmax`.

    Parameters
    ----------
    A : sparse array
        Real array.
    axis : int, tuple of ints or None, optional
        Axes along which the exponentials of the result have the sum 1, by default the last one;
        None is all of them.

    Returns
    -------
    sparse array
        Array on the pattern of `A`; a place that is stored twice is stored once.

    Raises
    ------
    ValueError
        If the values are complex, or there is no such axis.

    Notes
    -----
    Differentiable in the stored entries.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array((np.log([1.0, 3.0, 2.0]), [0, 1, 1], [0, 2, 3]))
    >>> print(np.exp(sparse.log_softmax(A).data))
    [0.25 0.75 1.  ]
    >>> print(grad(lambda A: sparse.log_softmax(A)[0, 0])(A).toarray())
    [[ 0.75 -0.75]
     [ 0.    0.  ]]
    """
    pattern, shifted, _, total = _exponentials(A, axis)
    return pattern.with_data(shifted - np.log(total))


def _exponentials(A: Any, axis: Any) -> tuple[Any, ...]:
    """Return the pattern, the values minus the largest of their group, their exponentials, and the
    sum of these in the group.
    """
    a = as_sparse_array(A).distinct()
    if a.dtype.kind == "c":
        raise ValueError(
            "softmax: the values are complex, of which none is the largest: take real parts or "
            "absolute values."
        )
    values = a.data if a.dtype.kind == "f" else a.data.astype(np.float64)
    places, size = a.groups(axis)

    def largest(values: Any) -> Any:
        xp = namespace(library(values))
        found = xp.full(size, -np.inf, values.dtype)
        xp.maximum.at(found, places, values)
        return found[places]

    shifted = values - call_library([values], run=largest)
    found = np.exp(shifted)
    return (
        a.pattern,
        shifted,
        found,
        gather_entries(sum_entries(found, places=places, size=size), places=places),
    )


__all__ = ["log_softmax", "sampled_matmul", "softmax"]
