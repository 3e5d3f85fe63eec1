"""Graphs from dense arrays, and dense arrays from graphs, with a value of their own for edges that are absent."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import MissingRule, kernel, raw
from scigrad.autodiff_rules.docstrings import completed_by
from scigrad.numpy.devices import on_host

from ..arrays import SparseArray
from ..patterns import Pattern, is_sparse
from ..placement import is_plain, of_any_element, stored
from .weights import is_scipys, require_square, without_duplicates


def csgraph_from_dense(graph: Any, null_value: Any = 0, nan_null: bool = True, infinity_null: bool = True) -> Any:
    """Return the graph of a dense array of weights.

    As `scipy.sparse.csgraph.csgraph_from_dense`.

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

    Notes
    -----
    Differentiable in the weights; which edges there are is constant (under vmap, those of any element of the batch).

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> print(grad(lambda a: sparse.csgraph.csgraph_from_dense(a).power(2).sum())(np.array([[0.0, 3.0], [1.0, np.inf]])))
    [[0. 6.]
     [2. 0.]]
    """
    if is_scipys(graph):
        return kernel("sparse.csgraph.csgraph_from_dense")(graph, null_value, nan_null, infinity_null)
    if is_sparse(graph) or len(graph.shape) != 2:
        raise ValueError("graph should have two dimensions")
    require_square(graph.shape)
    absent = np.isnan(graph) & nan_null | np.isinf(graph) & infinity_null
    absent = absent if null_value is None or np.isnan(null_value) else absent | (graph == null_value)
    places = of_any_element(on_host(raw(~absent)), 2, "the edges of a graph").nonzero()
    pattern = Pattern("coo", tuple(graph.shape), tuple(place.astype(np.int32) for place in places))
    return pattern.with_data(graph[places]).asformat("csr")


def csgraph_to_dense(csgraph: Any, null_value: float = 0) -> Any:
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
    >>> print(grad(lambda A: 1 / sparse.csgraph.csgraph_to_dense(A, np.inf)[0, 1])(A).toarray().round(3))
    [[ 0.    -0.111]
     [ 0.     0.   ]]
    """
    if is_scipys(csgraph):
        return kernel("sparse.csgraph.csgraph_to_dense")(csgraph, null_value)
    if not is_sparse(csgraph):
        raise ValueError("csgraph must be sparse")
    require_square(csgraph.shape)
    a = without_duplicates(stored(csgraph))
    known, weights = SparseArray(np.ones(a.nnz), a.pattern).toarray() != 0, a.toarray()
    return np.where(known, np.where(np.isnan(weights), np.inf, weights), null_value).astype(a.dtype)


@completed_by(csgraph_from_dense)
def csgraph_masked_from_dense(graph, null_value=0, nan_null=True, infinity_null=True, copy=True):
    """Return a dense array of weights with a mask where there is no edge.

    As `scipy.sparse.csgraph.csgraph_masked_from_dense`.

    Parameters
    ----------
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

    Notes
    -----
    Not differentiable; `csgraph_from_dense` is.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import sparse
    >>> sparse.csgraph.csgraph_masked_from_dense(np.array([[0.0, 3.0], [1.0, 2.0]])).count()
    np.int64(3)
    """
    _refuse("csgraph_masked_from_dense", graph, "csgraph_from_dense")
    return kernel("sparse.csgraph.csgraph_masked_from_dense")(graph, null_value, nan_null, infinity_null, copy)


@completed_by(csgraph_masked_from_dense)
def csgraph_to_masked(csgraph: Any) -> Any:
    """Return the weights of a graph as a dense array with a mask where there is no edge.

    As `scipy.sparse.csgraph.csgraph_to_masked`.

    Parameters
    ----------
    csgraph : (n, n) sparse array
        Graph.

    Notes
    -----
    `csgraph_to_dense` is differentiable.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import sparse
    >>> sparse.csgraph.csgraph_to_masked(sparse.csr_array(np.array([[0.0, 3.0], [1.0, 2.0]]))).count()
    np.int64(3)
    """
    _refuse("csgraph_to_masked", csgraph, "csgraph_to_dense")
    return kernel("sparse.csgraph.csgraph_to_masked")(csgraph)


def _refuse(name: str, graph: Any, instead: str) -> None:
    if not is_plain(graph):
        raise MissingRule(f"{name}: masked arrays hold plain values, not traced ones. {instead} is differentiable.")


csgraph_masked_from_dense.is_constant = csgraph_to_masked.is_constant = True  # type: ignore[attr-defined]

__all__ = ["csgraph_from_dense", "csgraph_masked_from_dense", "csgraph_to_dense", "csgraph_to_masked"]
