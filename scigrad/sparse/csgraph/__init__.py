"""Graphs as sparse arrays: scipy.sparse.csgraph, differentiable in the weights of the edges.

The length of a shortest path, the weight of a tree, of a matching or of a flow is differentiated at
the optimum that was found: a subgradient where several are equal.

Paths
    shortest_path, dijkstra, bellman_ford, floyd_warshall, johnson, yen, reconstruct_path
    construct_dist_matrix
Trees, matchings and flows
    minimum_spanning_tree, breadth_first_tree, breadth_first_order, depth_first_tree
    depth_first_order
    maximum_bipartite_matching, min_weight_full_bipartite_matching, maximum_flow
Structure
    laplacian, connected_components, reverse_cuthill_mckee, structural_rank
Conversions
    csgraph_from_dense, csgraph_to_dense, csgraph_from_masked, csgraph_to_masked
    csgraph_masked_from_dense
Errors
    NegativeCycleError
"""

from typing import TYPE_CHECKING

from scigrad.autodiff_rules.messages.public_names import collect_names, public_names

from .matrices import *
from .paths import *
from .structure import *
from .trees import *

if TYPE_CHECKING:  # SciPy's own objects, found when asked for
    from scipy.sparse.csgraph import NegativeCycleError, csgraph_from_masked

__all__ = ["NegativeCycleError", "csgraph_from_masked"]
_SCIPYS = tuple(__all__)
__all__ += collect_names(__name__)  # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # type checkers report a misspelt name only if there is no __getattr__
    __getattr__, __dir__ = public_names(__name__, __all__, _SCIPYS)
