"""The weights of a graph as one array, and the places in it of the edges that an algorithm has
chosen.

The optimum that SciPy finds is a constant: which edges it takes. Its value is a sum of their
weights, which is differentiable: where the optimum is unique this is its derivative, otherwise a
subgradient.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.messages.errors import missing_kernel
from scigrad.numpy.joining import assemble

from ..array.numbering import as_sparse_array, every_entry, is_plain
from ..array.pattern import is_sparse
from ..array.sparse_array import SparseArray
from ..loops import call_library


class Weights:
    """Stored values of a sparse graph, or all entries of a dense one, along one axis."""

    dense: bool
    pattern: Any
    shape: Any
    values: Any

    def __init__(self, csgraph: Any, smallest: bool = False) -> None:
        """Take a graph; of edges that are stored several times take the smallest, as paths do, or
        their sum.
        """
        self.dense = not is_sparse(csgraph)
        graph = assemble(csgraph)
        require_square(graph.shape)
        a = every_entry(graph) if self.dense else as_sparse_array(graph)
        a = (drop_duplicates(a) if smallest else a).tocsr().canonical()
        self.pattern, self.shape, values = a.pattern, a.shape, a.data
        dtype = values.dtype
        if dtype.kind == "c":
            raise ValueError(
                "the weights of a graph have to be real: take the real parts or the absolute values"
            )
        if (home := library(raw(values))) != "numpy":
            raise missing_kernel("sparse.csgraph", home)
        self.values = values if dtype in (np.float32, np.float64) else values.astype(np.float64)

    def graph(self, values: Any) -> Any:
        """Return the graph with plain values, as SciPy takes it."""
        return values.reshape(self.shape) if self.dense else self.pattern.with_data(values)

    def places(self, rows: Any, cols: Any) -> Any:
        """Return the places of the edges from `rows` to `cols`, -1 where there is none."""
        keys = rows.astype(np.int64) * self.shape[1] + cols
        known = (rows >= 0) & (rows < self.shape[0])
        own = self.pattern.rows.astype(np.int64) * self.shape[1] + self.pattern.cols
        found = np.minimum(np.searchsorted(own, keys), max(own.size - 1, 0))
        return (
            np.where(known & (own[found] == keys), found, -1)
            if own.size
            else np.full_like(keys, -1)
        )

    def lighter(self, values: Any, rows: Any, cols: Any, directed: bool) -> Any:
        """Return the places of these edges; if they have no direction, that of the lighter one
        where both are stored.
        """
        there = self.places(rows, cols)
        if directed:
            return there
        back = self.places(cols, np.where(rows < 0, 0, rows))
        sizes = [_sizes(values, place) for place in (there, back)]
        return np.where((rows >= 0) & (sizes[1] < sizes[0]), back, there)


def require_square(shape: Any) -> None:
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ValueError(f"a graph of n nodes is a matrix of shape (n, n), not {tuple(shape)}")


def _sizes(values: Any, places: Any) -> Any:
    """Return the weights at some places, infinity where there is no edge (0 and NaN stand for none
    in a dense graph).
    """
    found = np.where(places < 0, np.inf, np.append(values, np.inf)[places])
    return np.where(np.isnan(found) | (found == 0), np.inf, found)


def is_scipys(graph: Any) -> bool:
    """Return whether SciPy's function is called as it is; it answers graphs in single precision in
    double precision.
    """
    return is_plain(graph) and getattr(graph, "dtype", None) != np.float32


def take_weights(values: Any, places: Any) -> Any:
    """Return values[places], 0 for the place -1."""
    return np.concatenate([values, np.zeros_like(raw(values), shape=(1,))], axis=-1)[places]


def drop_duplicates(a: SparseArray) -> SparseArray:
    """Return a graph with the smallest weight of each edge, where SciPy does not add those of an
    edge up: not those of coo.
    """
    pattern, _, target = a.pattern.converted("csr")
    if target is None or a.pattern.format == "coo":
        return a

    def smallest(data: Any) -> Any:
        order = np.lexsort((data, target))
        return order[np.unique(target[order], return_index=True)[1]]

    return SparseArray(take_weights(a.data, call_library([a.data], run=smallest)), pattern)


__all__ = ["Weights", "is_scipys", "require_square", "take_weights", "drop_duplicates"]
