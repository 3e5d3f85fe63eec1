"""Graphs as sparse arrays: shortest paths, trees, matchings and Laplacians, differentiable in the weights of the edges."""

from typing import TYPE_CHECKING

from scigrad.autodiff_rules.public_names import collected, public_names

from .conversions import *
from .laplacians import *
from .paths import *
from .structure import *
from .trees import *

if TYPE_CHECKING:  # SciPy's own objects, found when asked for
    from scipy.sparse.csgraph import NegativeCycleError, csgraph_from_masked

__all__ = ["NegativeCycleError", "csgraph_from_masked"]
_SCIPYS = tuple(__all__)
__all__ += collected(__name__)  # pyright: ignore[reportUnsupportedDunderAll]

__getattr__, __dir__ = public_names(__name__, __all__, _SCIPYS)
