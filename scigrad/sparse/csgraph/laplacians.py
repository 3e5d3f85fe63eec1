"""The Laplacian of a graph, as an array, an operator or a function."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel

from ..arrays import SparseArray
from ..linalg.operators import aslinearoperator
from ..patterns import Pattern, is_sparse
from ..placement import every_entry, is_plain_on_host, stored
from .weights import require_square


def laplacian(csgraph: Any, normed: bool = False, return_diag: bool = False, use_out_degree: bool = False, *,
              copy: bool = True, form: str = "array", dtype: Any = None, symmetrized: bool = False) -> Any:  # fmt: skip
    """Compute the Laplacian of a graph, the degrees on the diagonal minus the weights.

    As `scipy.sparse.csgraph.laplacian`.

    Parameters
    ----------
    csgraph : (n, n) sparse array or array_like
        Weights of the edges.
    normed : bool, optional
        Whether to divide rows and columns by the square roots of the degrees.
    return_diag : bool, optional
        Whether to return the degrees (with `normed` their roots) too.
    use_out_degree : bool, optional
        Whether degrees are sums of rows, by default of columns.
    copy : bool, optional
        Whether SciPy copies a plain graph.
    form : {"array", "function", "lo"}, optional
        Whether to return an array, a function of vectors, or a linear operator.
    dtype : dtype, optional
        Type of the result.
    symmetrized : bool, optional
        Whether the weights are those of the graph plus its adjoint.

    Returns
    -------
    lap : sparse array, ndarray, callable or LinearOperator
        Laplacian, of the kind of `csgraph` or of `form`.
    diag : (n,) ndarray
        Degrees. Only with `return_diag`.

    Raises
    ------
    ValueError
        If `csgraph` is not square or `form` is unknown.

    Notes
    -----
    Differentiable in the weights, to any order. An isolated node has the degree 1 in a normed Laplacian, as a constant.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[0.0, 2.0], [2.0, 0.0]]))
    >>> v = np.array([1.0, -1.0])
    >>> print(grad(lambda A: v @ (sparse.csgraph.laplacian(A) @ v))(A).toarray())
    [[0. 2.]
     [2. 0.]]
    """
    given = locals()
    if is_plain_on_host(csgraph):
        return kernel("sparse.csgraph.laplacian")(**given)
    require_square(csgraph.shape)
    if form not in ("array", "function", "lo"):
        raise ValueError(f"Invalid form: {form!r}")
    graph = csgraph + csgraph.conj().T if symmetrized else csgraph
    weights = _without_loops(stored(graph).tocsr().canonical() if is_sparse(graph) else every_entry(graph))
    degrees = weights.sum(axis=1 if use_out_degree else 0).reshape(-1)  # of a matrix: with two axes
    if normed:
        isolated = degrees == 0
        degrees = np.where(isolated, 1, np.sqrt(np.where(isolated, 1, degrees)))
        scale = 1 / degrees
        weights = SparseArray(weights.data * scale[weights.pattern.rows] * scale[weights.pattern.cols], weights.pattern)
        diagonal = np.where(isolated, 0, np.ones_like(degrees))
    else:
        diagonal = degrees
    found = _assembled(weights, diagonal)
    found = found if is_sparse(graph) else found.toarray()
    if dtype is not None:
        found, degrees = found.astype(dtype), degrees.astype(dtype)
    if form != "array":
        operator = aslinearoperator(found)
        found = operator if form == "lo" else operator.dot
    return (found, degrees) if return_diag else found


def _without_loops(a: SparseArray) -> SparseArray:
    """Return the graph without the edges from a node to itself."""
    (kept,) = (a.pattern.rows != a.pattern.cols).nonzero()
    return SparseArray(a.data[kept], Pattern("coo", a.shape, (a.pattern.rows[kept], a.pattern.cols[kept]), a.pattern.family))


def _assembled(weights: SparseArray, diagonal: Any) -> SparseArray:
    """Return diag(diagonal) - weights."""
    along = np.arange(weights.shape[0], dtype=weights.pattern.rows.dtype, like=weights.pattern.rows)
    places = tuple(np.concatenate([part, along]) for part in (weights.pattern.rows, weights.pattern.cols))
    pattern = Pattern("coo", weights.shape, places, weights.pattern.family)
    return SparseArray(np.concatenate([-weights.data, diagonal]), pattern)


__all__ = ["laplacian"]
