"""Paths and distances in graphs. What functions of graphs refuse, and large ones, are in
tests/sparse/test_csgraph.py.
"""

import functools

import numpy as np
import scipy.sparse
from scipy.sparse import csgraph as scipys

from scigrad.sparse import csgraph
from scigrad.testing import OpSpec

LENGTHS = np.array(
    [
        [0, 1.0, 3.5, 0, 0],
        [0, 0, 1.3, 4.1, 0],
        [0, 0, 0, 1.7, 0],
        [2.2, 0, 0, 0, 0],
        [0, 0, 0, 0, 0],
    ]
)


def weights(draw, n=5):
    """Weights near those above, so that the shortest paths and the least trees are the same for all
    draws.
    """
    return (LENGTHS * (1 + 0.05 * draw.real(5, 5))).astype(draw.dtype)[:n, :n]


def complete(draw):
    """A graph with all edges, of which only those above are short."""
    return np.where(LENGTHS == 0, 20 + draw.positive(5, 5), weights(draw)).astype(draw.dtype)


def graphs(draw):
    yield "sparse", scipy.sparse.csr_array(weights(draw))
    yield "csc", scipy.sparse.csc_array(weights(draw))
    yield "dense", weights(draw)
    yield "matrix", scipy.sparse.csr_matrix(weights(draw))


def connected(draw):
    yield "sparse", scipy.sparse.csr_array(weights(draw, 4))
    yield "dense", complete(draw)


def tree(draw):
    yield "sparse", scipy.sparse.csr_array(weights(draw))


def samples(kinds, options, arguments):
    def draw_samples(draw):
        for name, graph in kinds(draw) if not draw.is_complex else ():
            for more in options:
                yield f"{name} {more}", (graph, *arguments), more

    return draw_samples


def spec(name, *options, arguments=(), dense=False, varying=connected, failures=None):
    """With `dense`, the result is a sparse array of which the entries are compared: SciPy's order
    of them is its own.
    """
    ours, theirs = getattr(csgraph, name), getattr(scipys, name)

    def entries(found):
        if isinstance(found, tuple):
            return tuple(map(entries, found))
        return found.toarray() if hasattr(found, "toarray") else found

    @functools.wraps(ours)
    def function(*args, **kwargs):
        return entries(ours(*args, **kwargs))

    def reference(*args, **kwargs):
        return entries(theirs(*args, **kwargs))

    # options that put no infinity into the result
    smooth = [
        more
        for more in options
        if "limit" not in more and (more or name != "construct_dist_matrix")
    ]
    return OpSpec(
        function=function if dense else ours,
        reference=reference,
        samples=samples(graphs, options, arguments),
        gradient_samples=samples(varying, smooth, arguments),
        known_failures=failures or {},
    )


PREDECESSORS = scipys.shortest_path(LENGTHS, return_predecessors=True)[1]
UNDIRECTED = {"directed": False}


specs = [
    spec(
        "shortest_path",
        {},
        UNDIRECTED,
        {"method": "FW"},
        {"method": "J", "indices": [2, 0]},
        {"return_predecessors": True},
    ),
    spec("floyd_warshall", {}, UNDIRECTED),
    spec(
        "dijkstra",
        {},
        {"indices": 1},
        {"indices": [0, 2], "min_only": True},
        {"limit": 3.0},
        UNDIRECTED,
    ),
    spec("bellman_ford", {}, {"indices": [1, 0]}, UNDIRECTED),
    spec("johnson", {}, {"indices": 0}),
    spec("yen", {}, UNDIRECTED, arguments=(0, 3, 2)),
    spec(
        "construct_dist_matrix",
        {},
        {"null_value": 7.0},
        {"null_value": 7.0, "directed": False},
        arguments=(PREDECESSORS,),
        varying=tree,
    ),
]
