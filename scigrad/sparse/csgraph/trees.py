"""Trees in graphs: SciPy chooses their edges, which take their weights along."""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import kernel, raw
from scigrad.numpy.devices import on_host
from scigrad.numpy.joining import assemble
from scigrad.typing import ArrayLike, SparseLike

from ..array.numbering import any_element, as_constant
from ..array.pattern import Pattern
from ..loops import call_library
from .weights import Weights, is_scipys, take_weights


def _tree(csgraph: Any, predecessors: Any, directed: bool) -> Any:
    """Return the edges (predecessors[j], j) with their weights, as SciPy's csr array."""
    weights = Weights(csgraph)
    (nodes,) = (predecessors >= 0).nonzero()
    rows, cols = predecessors[nodes], nodes
    places = call_library(
        [weights.values], run=lambda values: weights.lighter(values, rows, cols, directed)
    )
    pattern = Pattern(
        "coo", weights.shape, (rows.astype(np.int32), cols.astype(np.int32)), weights.pattern.family
    )
    return pattern.with_data(take_weights(weights.values, places)).tocsr()


def _searched(way: str, csgraph: Any, i_start: int, directed: bool) -> Any:
    """Return the tree of a search, "breadth_first" or "depth_first"."""
    if is_scipys(csgraph):
        return kernel(f"sparse.csgraph.{way}_tree")(csgraph, i_start, directed)
    found = kernel(f"sparse.csgraph.{way}_order")(as_constant(csgraph), i_start, directed)
    return _tree(csgraph, found[1], directed)


def minimum_spanning_tree(csgraph: ArrayLike, overwrite: bool = False) -> SparseLike:
    """Find a spanning tree of least total weight in a graph without directions.

    As `scipy.sparse.csgraph.minimum_spanning_tree`.

    Parameters
    ----------
    csgraph : (n, n) sparse array or array_like
        Weights of the edges. In a dense array 0, infinity and NaN stand for no edge.
    overwrite : bool, optional
        Whether SciPy may write into a plain graph.

    Returns
    -------
    sparse array
        Tree, with the weight of each of its edges.

    Notes
    -----
    Differentiable in the weights. Each weight of the tree is a weight of the graph; the choice of
    the edges has no derivative. The derivative of the sum of weights is a subgradient where several
    trees are minimal. Under vmap the pattern holds the edges of all trees of the batch.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    >>> print(grad(lambda A: sparse.csgraph.minimum_spanning_tree(A).sum())(A).toarray())
    [[0. 1. 0.]
     [0. 0. 1.]
     [0. 0. 0.]]
    """
    run = kernel("sparse.csgraph.minimum_spanning_tree")
    if is_scipys(csgraph):
        return run(csgraph, overwrite)
    weights = Weights(csgraph, smallest=True)

    def chosen(values: Any) -> Any:
        tree = run(weights.graph(values)).tocoo()
        mask = np.zeros(values.shape, bool)
        mask[weights.places(tree.row, tree.col)] = True
        return mask

    mask = call_library([weights.values], run=chosen)
    (places,) = any_element(on_host(raw(mask)), 1, "a spanning tree").nonzero()
    rows, cols = (
        part[places].astype(np.int32) for part in (weights.pattern.rows, weights.pattern.cols)
    )
    values = np.where(mask, weights.values, 0.0).astype(weights.values.dtype)[places]
    return (
        Pattern("coo", weights.shape, (rows, cols), weights.pattern.family)
        .with_data(values)
        .tocsr()
    )


def breadth_first_tree(csgraph: ArrayLike, i_start: int, directed: bool = True) -> SparseLike:
    """Return the tree that a breadth-first search finds.

    As `scipy.sparse.csgraph.breadth_first_tree`.

    Parameters
    ----------
    csgraph : (n, n) sparse array or array_like
        Weights of the edges. In a dense array 0, infinity and NaN stand for no edge.
    i_start : int
        Node where the search starts.
    directed : bool, optional
        Whether edges have a direction. Otherwise an edge has the smaller of the weights (i, j) and
        (j, i).

    Returns
    -------
    sparse array
        Tree, with the weight of each of its edges.

    Notes
    -----
    Differentiable in the weights; the choice of the edges is constant.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    >>> print(grad(lambda A: sparse.csgraph.breadth_first_tree(A, 0).sum())(A).toarray())
    [[0. 1. 1.]
     [0. 0. 0.]
     [0. 0. 0.]]
    """
    return _searched("breadth_first", csgraph, i_start, directed)


def depth_first_tree(csgraph: ArrayLike, i_start: int, directed: bool = True) -> SparseLike:
    """Return the tree that a depth-first search finds.

    As `scipy.sparse.csgraph.depth_first_tree`.

    Parameters
    ----------
    csgraph : (n, n) sparse array or array_like
        Weights of the edges. In a dense array 0, infinity and NaN stand for no edge.
    i_start : int
        Node where the search starts.
    directed : bool, optional
        Whether edges have a direction. Otherwise an edge has the smaller of the weights (i, j) and
        (j, i).

    Returns
    -------
    sparse array
        Tree, with the weight of each of its edges.

    Notes
    -----
    Differentiable in the weights; the choice of the edges is constant.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    >>> print(grad(lambda A: sparse.csgraph.depth_first_tree(A, 0).sum())(A).toarray())
    [[0. 1. 0.]
     [0. 0. 1.]
     [0. 0. 0.]]
    """
    return _searched("depth_first", csgraph, i_start, directed)


def reconstruct_path(
    csgraph: ArrayLike, predecessors: ArrayLike, directed: bool = True
) -> SparseLike:
    """Return the tree that a vector of predecessors describes.

    As `scipy.sparse.csgraph.reconstruct_path`.

    Parameters
    ----------
    csgraph : (n, n) sparse array or array_like
        Weights of the edges. In a dense array 0, infinity and NaN stand for no edge.
    predecessors : (n,) array_like of int
        Node before each one, negative if there is none.
    directed : bool, optional
        Whether edges have a direction. Otherwise an edge has the smaller of the weights (i, j) and
        (j, i).

    Returns
    -------
    sparse array
        Tree, with the weight of each of its edges.

    Notes
    -----
    Differentiable in the weights; the choice of the edges is constant.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, sparse
    >>> A = sparse.csr_array(np.array([[0.0, 1.0, 5.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))
    >>> print(grad(lambda A: sparse.csgraph.reconstruct_path(A, [-1, 0, 1]).sum())(A).toarray())
    [[0. 1. 0.]
     [0. 0. 1.]
     [0. 0. 0.]]
    """
    predecessors = assemble(predecessors)
    if is_scipys(csgraph):
        return kernel("sparse.csgraph.reconstruct_path")(csgraph, predecessors, directed)
    return _tree(csgraph, predecessors, directed)


__all__ = ["breadth_first_tree", "depth_first_tree", "minimum_spanning_tree", "reconstruct_path"]
