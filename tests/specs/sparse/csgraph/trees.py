"""Trees of graphs."""

import numpy as np

from .paths import UNDIRECTED, spec, tree

CHOICE = {("shapes", "numpy"): "the values decide on the pattern of the result"}


specs = [
    spec("minimum_spanning_tree", {}, dense=True, failures=CHOICE),
    spec("breadth_first_tree", {}, UNDIRECTED, arguments=(0,), dense=True, varying=tree),
    spec("depth_first_tree", {}, UNDIRECTED, arguments=(0,), dense=True, varying=tree),
    spec(
        "reconstruct_path",
        {},
        UNDIRECTED,
        arguments=(np.array([-9999, 0, 1, 2, -9999]),),
        dense=True,
        varying=tree,
    ),
]
