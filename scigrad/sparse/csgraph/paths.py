"""Shortest paths: their lengths are sums of weights along the predecessors that SciPy finds."""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel, raw
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.devices import on_host
from scigrad.typing import Array, ArrayLike

from ..array.numbering import as_constant
from ..array.pattern import is_sparse
from ..loops import call_library
from .weights import Weights, is_scipys, take_weights


def _sums(values: Any, places: Any, predecessors: Any) -> Any:
    """Return for each node the sum of values[places] over the path that ends there, along the last
    axis.

    In each pass the path that a sum covers is twice as long: log2 of the longest path, all of it
    differentiable.
    """
    nodes = np.broadcast_to(
        np.arange(predecessors.shape[-1], like=raw(predecessors)), predecessors.shape
    )
    before, total = np.where(predecessors < 0, nodes, predecessors), take_weights(values, places)
    while np.any(on_host(raw(before != (further := np.take_along_axis(before, before, axis=-1))))):
        total, before = total + np.take_along_axis(total, before, axis=-1), further
    return total


def _lengths(name: str, **given: Any) -> Any:
    """Return what a function of SciPy's returns, with lengths that are differentiable in the
    weights.
    """
    run = kernel(f"sparse.csgraph.{name}")
    options = dict(given)
    csgraph, return_predecessors = options.pop("csgraph"), options.pop("return_predecessors")
    if options["unweighted"] or is_scipys(csgraph):
        graph = as_constant(csgraph)
        # in another order floyd_warshall fails unseen, frames of pandas and masked arrays too
        if not is_sparse(graph) and library(graph) == "numpy":
            graph = np.asanyarray(graph, order="C")
        return run(graph, return_predecessors=return_predecessors, **options)
    weights = Weights(csgraph, smallest=True)

    def solve(values: Any) -> Any:
        lengths, predecessors, *sources = run(
            weights.graph(values), return_predecessors=True, **options
        )
        nodes = np.broadcast_to(np.arange(predecessors.shape[-1]), predecessors.shape)
        return (
            lengths,
            predecessors,
            weights.lighter(values, predecessors, nodes, options["directed"]),
            *sources,
        )

    lengths, predecessors, places, *sources = call_library([weights.values], run=solve)
    total = _sums(weights.values, places, predecessors)
    if name == "yen":
        total = total[..., options["sink"]]
    found = np.where(np.isfinite(lengths), total, lengths).astype(weights.values.dtype)
    return (found, predecessors, *sources) if return_predecessors else found


def shortest_path(
    csgraph: ArrayLike,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: ArrayLike | None = None,
) -> Array:
    """Compute the lengths of the shortest paths between nodes of a graph.

    As `scipy.sparse.csgraph.shortest_path`.

    Parameters
    ----------
    csgraph : (n, n) sparse array or array_like
        Weights of the edges. In a dense array 0, infinity and NaN stand for no edge.
    method : {"auto", "FW", "D", "BF", "J"}, optional
        Algorithm: that of Floyd and Warshall, Dijkstra, Bellman and Ford, or Johnson.
    directed : bool, optional
        Whether edges have a direction. Otherwise one may pass from i to j by either of the weights
        (i, j) and (j, i).
    return_predecessors : bool, optional
        Whether to return the predecessors too.
    unweighted : bool, optional
        Whether to count edges instead of adding their weights up; then the result is constant.
    overwrite : bool, optional
        Whether SciPy may write into a plain dense graph.
    indices : int or (k,) array_like of int, optional
        Nodes from which paths start, by default all.

    Returns
    -------
    dist_matrix : (n, n), (k, n) or (n,) ndarray
        Lengths; infinity where there is no path.
    predecessors : ndarray of int
        Node before each one on the path to it, -9999 if there is none. Only with
        `return_predecessors`.

    Raises
    ------
    NegativeCycleError
        If the graph has a cycle of negative length.

    Notes
    -----
    Differentiable in the weights: the derivative of a length is the sum of the derivatives along
    the path that was found, which is a subgradient where several paths are shortest. Second
    derivatives are 0. Under vmap SciPy is called for each graph.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    >>> print(grad(lambda A: sparse.csgraph.shortest_path(A)[0, 2])(A).toarray())
    [[0. 1. 0.]
     [0. 0. 1.]
     [0. 0. 0.]]
    """
    return _lengths(
        "shortest_path",
        csgraph=csgraph,
        method=method,
        directed=directed,
        return_predecessors=return_predecessors,
        unweighted=unweighted,
        overwrite=overwrite,
        indices=indices,
    )


def floyd_warshall(
    csgraph: ArrayLike,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
) -> Array:
    """Compute the lengths of the shortest paths by the algorithm of Floyd and Warshall.

    As `scipy.sparse.csgraph.floyd_warshall`.

    Parameters
    ----------
    csgraph : (n, n) sparse array or array_like
        Weights of the edges. In a dense array 0, infinity and NaN stand for no edge.
    directed : bool, optional
        Whether edges have a direction. Otherwise one may pass from i to j by either of the weights
        (i, j) and (j, i).
    return_predecessors : bool, optional
        Whether to return the predecessors too.
    unweighted : bool, optional
        Whether to count edges instead of adding their weights up; then the result is constant.
    overwrite : bool, optional
        Whether SciPy may write into a plain dense graph.

    Returns
    -------
    dist_matrix : (n, n) ndarray
        Lengths; infinity where there is no path.
    predecessors : (n, n) ndarray of int
        Node before each one on the path to it, -9999 if there is none. Only with
        `return_predecessors`.

    Raises
    ------
    NegativeCycleError
        If the graph has a cycle of negative length.

    Notes
    -----
    Differentiable in the weights: the derivative of a length is the sum of the derivatives along
    the path that was found, which is a subgradient where several paths are shortest. Second
    derivatives are 0. Under vmap SciPy is called for each graph.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    >>> print(grad(lambda A: sparse.csgraph.floyd_warshall(A)[0, 2])(A).toarray())
    [[0. 1. 0.]
     [0. 0. 1.]
     [0. 0. 0.]]
    """
    return _lengths(
        "floyd_warshall",
        csgraph=csgraph,
        directed=directed,
        return_predecessors=return_predecessors,
        unweighted=unweighted,
        overwrite=overwrite,
    )


def dijkstra(
    csgraph: ArrayLike,
    directed: bool = True,
    indices: ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
) -> Array:
    """Compute the lengths of the shortest paths by Dijkstra's algorithm, for nonnegative weights.

    As `scipy.sparse.csgraph.dijkstra`.

    Parameters
    ----------
    csgraph : (n, n) sparse array or array_like
        Weights of the edges. In a dense array 0, infinity and NaN stand for no edge.
    directed : bool, optional
        Whether edges have a direction. Otherwise one may pass from i to j by either of the weights
        (i, j) and (j, i).
    indices : int or (k,) array_like of int, optional
        Nodes from which paths start, by default all.
    return_predecessors : bool, optional
        Whether to return the predecessors too.
    unweighted : bool, optional
        Whether to count edges instead of adding their weights up; then the result is constant.
    limit : float, optional
        Length beyond which paths are not followed.
    min_only : bool, optional
        Whether to return for each node the path from the nearest of `indices` only, and with
        `return_predecessors` that node.

    Returns
    -------
    dist_matrix : (n, n), (k, n) or (n,) ndarray
        Lengths; infinity where there is no path.
    predecessors : ndarray of int
        Node before each one on the path to it, -9999 if there is none. Only with
        `return_predecessors`.

    Raises
    ------
    NegativeCycleError
        If the graph has a cycle of negative length.

    Notes
    -----
    Differentiable in the weights: the derivative of a length is the sum of the derivatives along
    the path that was found, which is a subgradient where several paths are shortest. Second
    derivatives are 0. Under vmap SciPy is called for each graph.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    >>> print(grad(lambda A: sparse.csgraph.dijkstra(A)[0, 2])(A).toarray())
    [[0. 1. 0.]
     [0. 0. 1.]
     [0. 0. 0.]]
    """
    return _lengths(
        "dijkstra",
        csgraph=csgraph,
        directed=directed,
        indices=indices,
        return_predecessors=return_predecessors,
        unweighted=unweighted,
        limit=limit,
        min_only=min_only,
    )


def bellman_ford(
    csgraph: ArrayLike,
    directed: bool = True,
    indices: ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Array:
    """Compute the lengths of the shortest paths by the algorithm of Bellman and Ford.

    As `scipy.sparse.csgraph.bellman_ford`.

    Parameters
    ----------
    csgraph : (n, n) sparse array or array_like
        Weights of the edges. In a dense array 0, infinity and NaN stand for no edge.
    directed : bool, optional
        Whether edges have a direction. Otherwise one may pass from i to j by either of the weights
        (i, j) and (j, i).
    indices : int or (k,) array_like of int, optional
        Nodes from which paths start, by default all.
    return_predecessors : bool, optional
        Whether to return the predecessors too.
    unweighted : bool, optional
        Whether to count edges instead of adding their weights up; then the result is constant.

    Returns
    -------
    dist_matrix : (n, n), (k, n) or (n,) ndarray
        Lengths; infinity where there is no path.
    predecessors : ndarray of int
        Node before each one on the path to it, -9999 if there is none. Only with
        `return_predecessors`.

    Raises
    ------
    NegativeCycleError
        If the graph has a cycle of negative length.

    Notes
    -----
    Differentiable in the weights: the derivative of a length is the sum of the derivatives along
    the path that was found, which is a subgradient where several paths are shortest. Second
    derivatives are 0. Under vmap SciPy is called for each graph.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    >>> print(grad(lambda A: sparse.csgraph.bellman_ford(A)[0, 2])(A).toarray())
    [[0. 1. 0.]
     [0. 0. 1.]
     [0. 0. 0.]]
    """
    return _lengths(
        "bellman_ford",
        csgraph=csgraph,
        directed=directed,
        indices=indices,
        return_predecessors=return_predecessors,
        unweighted=unweighted,
    )


def johnson(
    csgraph: ArrayLike,
    directed: bool = True,
    indices: ArrayLike | None = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Array:
    """Compute the lengths of the shortest paths by Johnson's algorithm.

    As `scipy.sparse.csgraph.johnson`.

    Parameters
    ----------
    csgraph : (n, n) sparse array or array_like
        Weights of the edges. In a dense array 0, infinity and NaN stand for no edge.
    directed : bool, optional
        Whether edges have a direction. Otherwise one may pass from i to j by either of the weights
        (i, j) and (j, i).
    indices : int or (k,) array_like of int, optional
        Nodes from which paths start, by default all.
    return_predecessors : bool, optional
        Whether to return the predecessors too.
    unweighted : bool, optional
        Whether to count edges instead of adding their weights up; then the result is constant.

    Returns
    -------
    dist_matrix : (n, n), (k, n) or (n,) ndarray
        Lengths; infinity where there is no path.
    predecessors : ndarray of int
        Node before each one on the path to it, -9999 if there is none. Only with
        `return_predecessors`.

    Raises
    ------
    NegativeCycleError
        If the graph has a cycle of negative length.

    Notes
    -----
    Differentiable in the weights: the derivative of a length is the sum of the derivatives along
    the path that was found, which is a subgradient where several paths are shortest. Second
    derivatives are 0. Under vmap SciPy is called for each graph.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    >>> print(grad(lambda A: sparse.csgraph.johnson(A)[0, 2])(A).toarray())
    [[0. 1. 0.]
     [0. 0. 1.]
     [0. 0. 0.]]
    """
    return _lengths(
        "johnson",
        csgraph=csgraph,
        directed=directed,
        indices=indices,
        return_predecessors=return_predecessors,
        unweighted=unweighted,
    )


def yen(
    csgraph: ArrayLike,
    source: int,
    sink: int,
    K: int,
    *,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
) -> Array:
    """Compute the lengths of the K shortest paths from one node to another by Yen's algorithm.

    As `scipy.sparse.csgraph.yen`.

    Parameters
    ----------
    csgraph : (n, n) sparse array or array_like
        Weights of the edges. In a dense array 0, infinity and NaN stand for no edge.
    source, sink : int
        First and last node.
    K : int
        Number of paths.
    directed : bool, optional
        Whether edges have a direction. Otherwise one may pass from i to j by either of the weights
        (i, j) and (j, i).
    return_predecessors : bool, optional
        Whether to return the predecessors too.
    unweighted : bool, optional
        Whether to count edges instead of adding their weights up; then the result is constant.

    Returns
    -------
    dist_array : (k,) ndarray
        Lengths of the k <= K paths that there are.
    predecessors : (k, n) ndarray of int
        Node before each one on the path to it, -9999 if there is none. Only with
        `return_predecessors`.

    Raises
    ------
    NegativeCycleError
        If the graph has a cycle of negative length.

    Notes
    -----
    Differentiable in the weights: the derivative of a length is the sum of the derivatives along
    the path that was found, which is a subgradient where several paths are shortest. Second
    derivatives are 0. Under vmap SciPy is called for each graph.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    >>> print(grad(lambda A: sparse.csgraph.yen(A, 0, 2, 2)[1])(A).toarray())
    [[0. 0. 1.]
     [0. 0. 0.]
     [0. 0. 0.]]
    """
    return _lengths(
        "yen",
        csgraph=csgraph,
        source=source,
        sink=sink,
        K=K,
        directed=directed,
        return_predecessors=return_predecessors,
        unweighted=unweighted,
    )


def construct_dist_matrix(
    graph: ArrayLike, predecessors: ArrayLike, directed: bool = True, null_value: float = np.inf
) -> Array:
    """Compute the lengths of the paths that a matrix of predecessors describes.

    As `scipy.sparse.csgraph.construct_dist_matrix`.

    Parameters
    ----------
    graph : (n, n) sparse array or array_like
        Weights of the edges.
    predecessors : (n, n) array_like of int
        Node before each one on the path to it, as `shortest_path` returns them.
    directed : bool, optional
        Whether edges have a direction. Otherwise one may pass from i to j by either of the weights
        (i, j) and (j, i).
    null_value : float, optional
        Length where there is no path.

    Returns
    -------
    dist_matrix : (n, n) ndarray
        Lengths.

    Raises
    ------
    NegativeCycleError
        If the graph has a cycle of negative length.

    Notes
    -----
    Differentiable in the weights: the derivative of a length is the sum of the derivatives along
    the path that was found, which is a subgradient where several paths are shortest. Second
    derivatives are 0. Under vmap SciPy is called for each graph.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
    >>> P = sparse.csgraph.shortest_path(A, return_predecessors=True)[1]
    >>> print(grad(lambda A: sparse.csgraph.construct_dist_matrix(A, P)[0, 2])(A))
    [[0. 1. 0.]
     [0. 0. 1.]
     [0. 0. 0.]]
    """
    run = kernel("sparse.csgraph.construct_dist_matrix")
    if is_scipys(graph):
        given: Any = graph
        if is_sparse(given):
            given = given.tocsr()
        return run(given, predecessors, directed, null_value)
    weights, predecessors = Weights(graph, smallest=True), np.asarray(predecessors)
    run(np.zeros(weights.shape), predecessors, directed)  # its checks
    nodes = np.broadcast_to(np.arange(predecessors.shape[-1]), predecessors.shape)
    places = call_library(
        [weights.values], run=lambda values: weights.lighter(values, predecessors, nodes, directed)
    )
    total = _sums(weights.values, places, predecessors)
    return np.where((predecessors < 0) & (nodes != nodes.T), null_value, total).astype(
        weights.values.dtype
    )


__all__ = [
    "bellman_ford",
    "construct_dist_matrix",
    "dijkstra",
    "floyd_warshall",
    "johnson",
    "shortest_path",
    "yen",
]
