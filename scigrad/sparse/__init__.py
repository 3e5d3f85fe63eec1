"""Sparse arrays: SciPy's and CuPy's own, differentiable in their stored values."""

from typing import TYPE_CHECKING

from scigrad.autodiff_rules.public_names import collected, public_names

from . import containers, csgraph, linalg  # containers: transforms know sparse arrays from here on
from .blocks import *
from .classes import *
from .construction import *
from .diagonals import *
from .kronecker import *
from .parts import *

if TYPE_CHECKING:  # SciPy's own objects, without values to differentiate; found when asked for
    from scipy.sparse import (
        SparseEfficiencyWarning,
        SparseWarning,
        eye,
        eye_array,
        get_index_dtype,
        identity,
        load_npz,
        rand,
        random,
        random_array,
        safely_cast_index_arrays,
        save_npz,
    )

__all__ = [
    "SparseEfficiencyWarning", "SparseWarning", "eye", "eye_array", "get_index_dtype", "identity", "load_npz", "rand", "random",
    "random_array", "safely_cast_index_arrays", "save_npz",
]  # fmt: skip
_SCIPYS = tuple(__all__)
__all__ += collected(__name__)  # pyright: ignore[reportUnsupportedDunderAll]

__getattr__, __dir__ = public_names(__name__, [*__all__, "csgraph", "linalg"], _SCIPYS)
