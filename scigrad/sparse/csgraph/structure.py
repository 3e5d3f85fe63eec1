"""Questions about graphs whose answers are integers: orders of nodes, components, matchings,
flows.
"""

from typing import Any

from scigrad.autodiff_rules import kernel
from scigrad.typing import Array, ArrayLike, SparseLike

from ..array.numbering import as_constant


def breadth_first_order(
    csgraph: ArrayLike, i_start: int, directed: bool = True, return_predecessors: bool = True
) -> Array:
    """Return the nodes in the order of a breadth-first search.

    As `scipy.sparse.csgraph.breadth_first_order`.

    Parameters
    ----------
    csgraph : (n, n) sparse array or array_like
        Graph, traced or not.
    i_start : int
        Node where the search starts.
    directed : bool, optional
        Whether edges have a direction.
    return_predecessors : bool, optional
        Whether to return the predecessors too.

    Returns
    -------
    node_array : ndarray of int
        Nodes in the order in which they are reached.
    predecessors : (n,) ndarray of int
        Node before each one, -9999 if there is none. Only with `return_predecessors`.

    Notes
    -----
    The result is constant.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.csgraph.breadth_first_order(
    ...     sparse.csr_array([[0.0, 1.0], [0.0, 0.0]]), 0, return_predecessors=False
    ... )
    array([0, 1], dtype=int32)
    """
    return kernel("sparse.csgraph.breadth_first_order")(
        as_constant(csgraph), i_start, directed, return_predecessors
    )


def depth_first_order(
    csgraph: ArrayLike, i_start: int, directed: bool = True, return_predecessors: bool = True
) -> Array:
    """Return the nodes in the order of a depth-first search.

    As `scipy.sparse.csgraph.depth_first_order`.

    Parameters
    ----------
    csgraph : (n, n) sparse array or array_like
        Graph, traced or not.
    i_start : int
        Node where the search starts.
    directed : bool, optional
        Whether edges have a direction.
    return_predecessors : bool, optional
        Whether to return the predecessors too.

    Returns
    -------
    node_array : ndarray of int
        Nodes in the order in which they are reached.
    predecessors : (n,) ndarray of int
        Node before each one, -9999 if there is none. Only with `return_predecessors`.

    Notes
    -----
    The result is constant.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.csgraph.depth_first_order(
    ...     sparse.csr_array([[0.0, 1.0], [0.0, 0.0]]), 0, return_predecessors=False
    ... )
    array([0, 1], dtype=int32)
    """
    return kernel("sparse.csgraph.depth_first_order")(
        as_constant(csgraph), i_start, directed, return_predecessors
    )


def connected_components(
    csgraph: ArrayLike, directed: bool = True, connection: str = "weak", return_labels: bool = True
) -> int:
    """Count the connected components of a graph.

    As `scipy.sparse.csgraph.connected_components`.

    Parameters
    ----------
    csgraph : (n, n) sparse array or array_like
        Graph, traced or not.
    directed : bool, optional
        Whether edges have a direction.
    connection : {"weak", "strong"}, optional
        Whether a path in one direction connects two nodes, or only one in each.
    return_labels : bool, optional
        Whether to return the component of each node too.

    Returns
    -------
    n_components : int
        Number of components.
    labels : (n,) ndarray of int
        Component of each node. Only with `return_labels`.

    Notes
    -----
    The result is constant.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.csgraph.connected_components(
    ...     sparse.csr_array([[0.0, 1.0], [0.0, 0.0]]), return_labels=False
    ... )
    1
    """
    return kernel("sparse.csgraph.connected_components")(
        as_constant(csgraph), directed, connection, return_labels
    )


def reverse_cuthill_mckee(graph: SparseLike, symmetric_mode: bool = False) -> Array:
    """Return an order of the nodes of small bandwidth, by Cuthill and McKee's reversed algorithm.

    As `scipy.sparse.csgraph.reverse_cuthill_mckee`.

    Parameters
    ----------
    graph : (n, n) sparse array
        Graph in csr or csc format, traced or not.
    symmetric_mode : bool, optional
        Whether the pattern is known to be symmetric.

    Returns
    -------
    perm : (n,) ndarray of int
        Nodes in the new order.

    Notes
    -----
    The result is constant.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.csgraph.reverse_cuthill_mckee(sparse.csr_array([[1.0, 1.0], [1.0, 1.0]]))
    array([1, 0], dtype=int32)
    """
    return kernel("sparse.csgraph.reverse_cuthill_mckee")(as_constant(graph), symmetric_mode)


def structural_rank(graph: SparseLike) -> int:
    """Return the largest rank that a matrix with this pattern can have.

    As `scipy.sparse.csgraph.structural_rank`.

    Parameters
    ----------
    graph : (m, n) sparse array
        Array, traced or not.

    Returns
    -------
    rank : int
        Structural rank.

    Notes
    -----
    The result is constant.

    Examples
    --------
    >>> from scigrad import sparse
    >>> int(sparse.csgraph.structural_rank(sparse.csr_array([[1.0, 1.0], [0.0, 0.0]])))
    1
    """
    return kernel("sparse.csgraph.structural_rank")(as_constant(graph))


def maximum_bipartite_matching(graph: SparseLike, perm_type: str = "row") -> Array:
    """Match as many rows and columns of a bipartite graph as possible.

    As `scipy.sparse.csgraph.maximum_bipartite_matching`.

    Parameters
    ----------
    graph : (m, n) sparse array
        Graph, traced or not.
    perm_type : {"row", "column"}, optional
        Whether to return a row for each column or a column for each row.

    Returns
    -------
    perm : ndarray of int
        Partner of each column (row), -1 if it has none.

    Notes
    -----
    The result is constant.

    Examples
    --------
    >>> from scigrad import sparse
    >>> sparse.csgraph.maximum_bipartite_matching(sparse.csr_array([[0.0, 1.0], [1.0, 1.0]]))
    array([1, 0], dtype=int32)
    """
    return kernel("sparse.csgraph.maximum_bipartite_matching")(as_constant(graph), perm_type)


def min_weight_full_bipartite_matching(
    biadjacency: SparseLike, maximize: bool = False
) -> tuple[Array, Array]:
    """Match all rows or all columns of a bipartite graph with the least total weight.

    As `scipy.sparse.csgraph.min_weight_full_bipartite_matching`.

    Parameters
    ----------
    biadjacency : (m, n) sparse array
        Weights of the edges between rows and columns, traced or not.
    maximize : bool, optional
        Whether to maximize the weight.

    Returns
    -------
    row_ind, col_ind : ndarray of int
        Rows and columns that are matched.

    Raises
    ------
    ValueError
        If there is no full matching.

    Notes
    -----
    The weight of the matching is ``biadjacency[row_ind, col_ind].sum()``, whose derivative is a
    subgradient.

    The result is constant.

    Examples
    --------
    >>> from scigrad import grad, sparse
    >>> def weight(A):
    ...     return A[sparse.csgraph.min_weight_full_bipartite_matching(A)].sum()
    >>> print(grad(weight)(sparse.csr_array([[5.0, 1.0], [1.0, 2.0]])).toarray())
    [[0. 1.]
     [1. 0.]]
    """
    return kernel("sparse.csgraph.min_weight_full_bipartite_matching")(
        as_constant(biadjacency, by_values=True), maximize
    )


def maximum_flow(csgraph: SparseLike, source: int, sink: int, *, method: str = "dinic") -> Any:
    """Return a maximum flow between two nodes of a graph with integer capacities.

    As `scipy.sparse.csgraph.maximum_flow`.

    Parameters
    ----------
    csgraph : (n, n) sparse array of int
        Capacities of the edges, in csr format.
    source, sink : int
        First and last node.
    method : {"dinic", "edmonds_karp"}, optional
        Algorithm.

    Returns
    -------
    MaximumFlowResult
        Object with ``flow_value`` and ``flow``.

    Raises
    ------
    ValueError
        If the capacities are no integers, as traced ones.

    Notes
    -----
    The result is constant.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import sparse
    >>> A = sparse.csr_array(np.array([[0, 2], [0, 0]], np.int32))
    >>> int(sparse.csgraph.maximum_flow(A, 0, 1).flow_value)
    2
    """
    return kernel("sparse.csgraph.maximum_flow")(
        as_constant(csgraph, by_values=True), source, sink, method=method
    )


__all__ = ["breadth_first_order", "connected_components", "depth_first_order",
    "maximum_bipartite_matching", "maximum_flow",
           "min_weight_full_bipartite_matching", "reverse_cuthill_mckee",
           "structural_rank"]  # fmt: skip
for _name in __all__:
    globals()[_name].is_constant = True
