"""Linear algebra with sparse arrays: scipy.sparse.linalg with derivatives in the stored values and
in the right-hand sides.

Names, parameters and values are those of SciPy; functions that it lacks are marked with a star.

Direct solvers
    spsolve, spsolve_triangular, splu, spilu, SuperLU, factorized, inv, use_solver
    analyze*, Analysis*, cholesky*, Cholesky*, engines*
    is_sptriangular, spbandwidth
Iterative solvers
    cg, cgs, bicg, bicgstab, gmres, lgmres, gcrotmk, minres, qmr, tfqmr, lsqr, lsmr
Eigenvalues and singular values
    eigsh, eigs, lobpcg, svds
Functions of a matrix
    expm, expm_multiply, funm_multiply_krylov, matrix_power, norm, onenormest
Operators
    LinearOperator, aslinearoperator, linear_operator*, LaplacianNd
Errors and warnings
    ArpackError, ArpackNoConvergence, MatrixRankWarning
"""

from typing import TYPE_CHECKING

from scigrad.autodiff_rules.messages.public_names import collect_names, public_names

from .direct import *
from .eigenpairs import *
from .engines import *
from .exponentials import *
from .factorization import *
from .krylov import *
from .least_squares import *
from .linear_operators import *
from .matrix_functions import *
from .operators import *

if TYPE_CHECKING:  # SciPy's own objects, found when asked for
    from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, MatrixRankWarning, use_solver

__all__ = ["ArpackError", "ArpackNoConvergence", "MatrixRankWarning", "use_solver"]
_SCIPYS = tuple(__all__)
__all__ += collect_names(__name__)  # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # type checkers report a misspelt name only if there is no __getattr__
    __getattr__, __dir__ = public_names(__name__, __all__, _SCIPYS)
