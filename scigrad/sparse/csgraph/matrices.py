"""Graphs as matrices: from and to dense arrays, with a value for edges that are absent, and the
Laplacian.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from scigrad.autodiff_rules import MissingRule, kernel
from scigrad.typing import Array, ArrayLike, DTypeLike, Operator, SparseLike

from ..array.numbering import (
    as_sparse_array,
    entries_where,
    every_entry,
    is_plain,
    is_plain_on_host,
)
from ..array.pattern import Pattern, is_sparse
from ..array.products import sum_entries
from ..array.sparse_array import SparseArray
from ..linalg.operators import aslinearoperator
from .weights import drop_duplicates, is_scipys, require_square


def csgraph_from_dense(
    graph: ArrayLike,
    null_value: float | None = 0,
    nan_null: bool = True,
    infinity_null: bool = True,
) -> SparseLike:
    """Return the graph of a dense array of weights.

    As `scipy.sparse.csgraph.csgraph_from_dense`. Differentiable in the weights; which edges there
    are is constant (under vmap, those of any element of the batch).

    Parameters
    ----------
    graph : (n, n) array_like
        Weights of the edges.
    null_value : float or None, optional
        Value that stands for no edge.
    nan_null, infinity_null : bool, optional
        Whether NaN and infinity stand for no edge too.

    Returns
    -------
    sparse array
        Graph in csr format.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> print(
    ...     grad(lambda a: sparse.csgraph.csgraph_from_dense(a).power(2).sum())(
    ...         np.array([[0.0, 3.0], [1.0, np.inf]])
    ...     )
    ... )
    [[0. 6.]
     [2. 0.]]
    """
    if is_scipys(graph):
        return kernel("sparse.csgraph.csgraph_from_dense")(
            graph, null_value, nan_null, infinity_null
        )
    if is_sparse(graph) or len(graph.shape) != 2:
        raise ValueError("graph should have two dimensions")
    require_square(graph.shape)
    absent = np.isnan(graph) & nan_null | np.isinf(graph) & infinity_null
    absent = (
        absent if null_value is None or np.isnan(null_value) else absent | (graph == null_value)
    )
    return entries_where(graph, ~absent, "the edges of a graph").asformat("csr")


def csgraph_to_dense(csgraph: SparseLike, null_value: float = 0) -> Array:
    """Return the weights of a graph as a dense array.

    As `scipy.sparse.csgraph.csgraph_to_dense`.

    Parameters
    ----------
    csgraph : (n, n) sparse array
        Graph.
    null_value : float, optional
        Value that stands for no edge.

    Returns
    -------
    graph : (n, n) ndarray
        Weights.

    Notes
    -----
    Differentiable in the weights.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[0.0, 3.0], [0.0, 0.0]]))
    >>> print(
    ...     grad(lambda A: 1 / sparse.csgraph.csgraph_to_dense(A, np.inf)[0, 1])(A)
    ...     .toarray()
    ...     .round(3)
    ... )
    [[ 0.    -0.111]
     [ 0.     0.   ]]
    """
    if is_scipys(csgraph):
        return kernel("sparse.csgraph.csgraph_to_dense")(csgraph, null_value)
    if not is_sparse(csgraph):
        raise ValueError("csgraph must be sparse")
    require_square(csgraph.shape)
    a = drop_duplicates(as_sparse_array(csgraph))
    known, weights = SparseArray(np.ones(a.nnz), a.pattern).toarray() != 0, a.toarray()
    return np.where(known, np.where(np.isnan(weights), np.inf, weights), null_value).astype(a.dtype)


def csgraph_masked_from_dense(
    graph: ArrayLike,
    null_value: float | None = 0,
    nan_null: bool = True,
    infinity_null: bool = True,
    copy: bool = True,
) -> np.ma.MaskedArray:
    """Return a dense array of weights with a mask where there is no edge.

    As `scipy.sparse.csgraph.csgraph_masked_from_dense`. Not differentiable; `csgraph_from_dense`
    is.

    Parameters
    ----------
    graph : (n, n) array_like
        Weights of the edges.
    null_value : float or None, optional
        Value that stands for no edge.
    nan_null, infinity_null : bool, optional
        Whether NaN and infinity stand for no edge too.
    copy : bool, optional
        Whether to copy the weights.

    Returns
    -------
    graph : (n, n) MaskedArray
        Weights.

    Raises
    ------
    MissingRule
        If the graph is traced: masked arrays hold plain values.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import sparse
    >>> sparse.csgraph.csgraph_masked_from_dense(np.array([[0.0, 3.0], [1.0, 2.0]])).count()
    np.int64(3)
    """
    return _masked(
        "csgraph_masked_from_dense",
        "csgraph_from_dense",
        graph,
        null_value,
        nan_null,
        infinity_null,
        copy,
    )


def csgraph_to_masked(csgraph: SparseLike) -> np.ma.MaskedArray:
    """Return the weights of a graph as a dense array with a mask where there is no edge.

    As `scipy.sparse.csgraph.csgraph_to_masked`. Not differentiable; `csgraph_to_dense` is.

    Parameters
    ----------
    csgraph : (n, n) sparse array
        Graph.

    Returns
    -------
    graph : (n, n) MaskedArray
        Weights.

    Raises
    ------
    MissingRule
        If the graph is traced: masked arrays hold plain values.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import sparse
    >>> sparse.csgraph.csgraph_to_masked(
    ...     sparse.csr_array(np.array([[0.0, 3.0], [1.0, 2.0]]))
    ... ).count()
    np.int64(3)
    """
    return _masked("csgraph_to_masked", "csgraph_to_dense", csgraph)


def _masked(name: str, instead: str, graph: Any, *options: Any) -> Any:
    if not is_plain(graph):
        raise MissingRule(
            f"{name}: masked arrays hold plain values, not traced ones. {instead} is "
            "differentiable."
        )
    return kernel(f"sparse.csgraph.{name}")(graph, *options)


def laplacian(
    csgraph: ArrayLike,
    normed: bool = False,
    return_diag: bool = False,
    use_out_degree: bool = False,
    *,
    copy: bool = True,
    form: str = "array",
    dtype: DTypeLike | None = None,
    symmetrized: bool = False,
) -> SparseLike | Array | Callable[..., Any] | Operator:
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
    Differentiable in the weights, to any order. An isolated node has the degree 1 in a normed
    Laplacian, as a constant.

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
    # SciPy's operator fails for vectors
    if is_plain_on_host(csgraph) and (form != "lo" or isinstance(csgraph, list)):
        return kernel("sparse.csgraph.laplacian")(
            csgraph,
            normed,
            return_diag,
            use_out_degree,
            copy=copy,
            form=form,
            dtype=dtype,
            symmetrized=symmetrized,
        )
    require_square(csgraph.shape)
    if form not in ("array", "function", "lo"):
        raise ValueError(f"Invalid form: {form!r}")
    graph = csgraph + csgraph.conj().T if symmetrized else csgraph
    a = as_sparse_array(graph).tocsr().canonical() if is_sparse(graph) else every_entry(graph)
    # the edges from a node to itself are left out
    (kept,) = (a.pattern.rows != a.pattern.cols).nonzero()
    rows, cols, weights = a.pattern.rows[kept], a.pattern.cols[kept], a.data[kept]
    if normed:
        weights = 1.0 * weights  # small integers have no degree in their dtype
    degrees = sum_entries(weights, places=rows if use_out_degree else cols, size=a.shape[0])
    diagonal = degrees
    if normed:
        isolated = degrees == 0
        degrees = np.sqrt(np.where(isolated, 1, degrees))
        weights = weights / degrees[rows] / degrees[cols]
        diagonal = np.where(isolated, 0, np.ones_like(degrees))
    along = np.arange(a.shape[0], dtype=rows.dtype, like=rows)
    places = np.concatenate([rows, along]), np.concatenate([cols, along])
    found = SparseArray(
        np.concatenate([-weights, diagonal]), Pattern("coo", a.shape, places, a.pattern.family)
    )
    found = found if is_sparse(graph) else found.toarray()
    if dtype is not None:
        found, degrees = found.astype(dtype), degrees.astype(dtype)
    if form != "array":
        found = aslinearoperator(found)  # it is callable, as form="function" promises
    return (found, degrees) if return_diag else found


csgraph_masked_from_dense.is_constant = csgraph_to_masked.is_constant = True  # type: ignore[attr-defined]

__all__ = [
    "csgraph_from_dense",
    "csgraph_masked_from_dense",
    "csgraph_to_dense",
    "csgraph_to_masked",
    "laplacian",
]
