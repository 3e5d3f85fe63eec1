"""Kronecker products and sums of sparse arrays."""

from __future__ import annotations

import math
from typing import Any

from scigrad.autodiff_rules import kernel
from scigrad.autodiff_rules.backends import namespace
from scigrad.autodiff_rules.docstrings import completed_by

from .arithmetic import add
from .arrays import SparseArray
from .classes import coo_matrix
from .patterns import Pattern, entries, identity, is_sparse
from .placement import is_plain_on_host, numbered, stored, taken


def kron(A: Any, B: Any, format: str | None = None) -> Any:
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
    a, b = _factor(A), _factor(B)
    blocks = format in (None, "bsr") and b.pattern.library == "numpy" and 2 * b.nnz >= math.prod(b.shape)
    if blocks:  # SciPy multiplies whole blocks then, with the zeros in them
        xp = namespace(b.pattern.library)
        rows, cols = xp.indices(b.shape).reshape(2, -1)
        a, b = a.distinct(), SparseArray(b.toarray().reshape(-1), Pattern("coo", b.shape, (rows, cols), b.pattern.family))
    form = "bsr" if blocks else "coo"
    numbers, pattern = entries(run(numbered(a), _ones(b), form))
    other, _ = entries(run(_ones(a), numbered(b), form))
    return SparseArray(taken(a.data, numbers) * taken(b.data, other), pattern).asformat(format)


def _factor(x: Any) -> SparseArray:
    return stored(x if is_sparse(x) else coo_matrix(x))


def _ones(a: SparseArray) -> Any:
    return a.pattern.with_data(namespace(a.pattern.library).ones(a.nnz))


@completed_by(kron)
def kronsum(A: Any, B: Any, format: str | None = None) -> Any:
    """Compute the Kronecker sum of two square sparse arrays, ``kron(I, A) + kron(B, I)``.

    As `scipy.sparse.kronsum`.

    Parameters
    ----------
    A, B : (n, n) sparse array or array_like
        Square arrays, which may have different orders.

    Returns
    -------
    sparse array
        Kronecker sum, of order ``A.shape[0] * B.shape[0]``.

    Raises
    ------
    ValueError
        If `A` or `B` is not square.

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
    a, b = _factor(A), _factor(B)
    for name, x in (("A", a), ("B", b)):
        if x.shape[0] != x.shape[1]:
            raise ValueError(f"{name} is not square: its shape is {x.shape}")
    ones = (identity(y.shape[0], x.pattern.library, x.dtype, x.pattern.family) for x, y in ((a, b), (b, a)))
    return add(kron(next(ones), a, "coo"), kron(b, next(ones), "coo")).asformat(format)


__all__ = ["kron", "kronsum"]
