"""Sparse arrays: SciPy's and CuPy's own, differentiable in their stored values.

To every transform a sparse array is a container whose leaf is the array of its stored values; the
pattern is constant. Names, parameters and values are those of `scipy.sparse`; functions that it
lacks are marked with a star. Solvers are in `scigrad.sparse.linalg`, graphs in
`scigrad.sparse.csgraph`.

Classes
    csr_array, csc_array, coo_array, bsr_array, dia_array, dok_array, lil_array, sparray
    csr_matrix, csc_matrix, coo_matrix, bsr_matrix, dia_matrix, dok_matrix, lil_matrix, spmatrix
    issparse, isspmatrix, isspmatrix_csr, isspmatrix_csc, isspmatrix_coo, isspmatrix_bsr
    isspmatrix_dia, isspmatrix_dok
    isspmatrix_lil
Construction
    eye_array, eye, identity, diags_array, diags, spdiags, random_array, random, rand
    kron, kronsum, block_array, bmat, block_diag, hstack, vstack
Parts and shapes
    tril, triu, find, expand_dims, permute_dims, swapaxes
Stored entries
    sampled_matmul*, softmax*, log_softmax*
Sparse derivatives
    sparsity*, coloring*, jacobian*, hessian*
Files, index types, warnings
    save_npz, load_npz, get_index_dtype, safely_cast_index_arrays, SparseWarning
    SparseEfficiencyWarning
"""

from typing import TYPE_CHECKING

from scigrad.autodiff_rules.messages.public_names import collect_names, public_names

# containers: transforms know sparse arrays from here on
from . import csgraph, linalg, optree_registration
from .blocks import *
from .classes import *
from .construction import *
from .derivatives import *
from .rearranging import *
from .stored_entries import *

if TYPE_CHECKING:  # SciPy's own objects, without values to differentiate; found when asked for
    from scipy.sparse import (  # noqa: I001
        SparseEfficiencyWarning,
        SparseWarning,
        eye,
        eye_array,
        get_index_dtype,
        identity,
        load_npz,
    )
    from scipy.sparse import rand, random, random_array, safely_cast_index_arrays, save_npz

__all__ = [
    "SparseEfficiencyWarning", "SparseWarning", "eye", "eye_array", "get_index_dtype", "identity",
    "load_npz", "rand", "random", "random_array", "safely_cast_index_arrays", "save_npz",
]  # fmt: skip
_SCIPYS = (*__all__, "matrix_transpose")  # since SciPy 1.18; it is A.mT
__all__ += collect_names(__name__)  # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # type checkers report a misspelt name only if there is no __getattr__
    __getattr__, __dir__ = public_names(__name__, [*__all__, "csgraph", "linalg"], _SCIPYS)
