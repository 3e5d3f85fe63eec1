"""Dense linear algebra: scipy.linalg with derivatives of every order.

`numpy.linalg` on traced arrays works as it stands. Names, parameters and values are those of SciPy
and NumPy. Functions that neither has are marked with a star; the keyword arguments on_fail, gauge
and canonical are additions too.

Functions with check_finite refuse an array with NaN or infinity, a batch as a whole, by a
ValueError. Otherwise NaN is not a failure: the result of that matrix is NaN, and those of the
others in the batch are not affected.

With on_fail="nan" or "info" the results and derivatives of a matrix that fails are NaN; those of
the others in the batch are not affected. A loss that masks the result still has 0 times NaN in its
gradient, which reaches parameters that all matrices share. Therefore replace the matrix too, after
``x, info = solve(a, b, on_fail="info")``, by
``x = solve(np.where((info == 0)[:, None, None], a, np.eye(n)), b)``.

Systems
    solve, solve_triangular, solve_banded, solveh_banded, solve_toeplitz, solve_circulant
    matmul_toeplitz, inv
    factorized*: a factorization kept, for many right-hand sides and the log-determinant
    lstsq, pinv, pinvh: least squares, of any rank
Factorizations, and systems given one
    lu, lu_factor, lu_solve
    cholesky, cho_factor, cho_solve, cholesky_banded, cho_solve_banded
    ldl, ldl_factor*, ldl_solve*
    qr, rq, qr_multiply, qr_insert, qr_delete, qr_update, householder_product*
Eigenvalues
    eigh, eigvalsh, eig, eigvals
    eigh_tridiagonal, eigvalsh_tridiagonal, eig_banded, eigvals_banded
    schur, rsf2csf, hessenberg, qz, ordqz, cdf2rdf, matrix_balance
Singular values
    svd, svdvals, diagsvd, polar, orthogonal_procrustes, cossin
    orth, null_space, subspace_angles, matrix_rank
Numbers
    det, slogdet, trace, norm, matrix_norm, vector_norm, cond, expm_cond
    radial*: functions of the length of a vector, smooth where it is 0
Functions of matrices
    expm, expm_frechet, logm, sqrtm, signm, matrix_power, fractional_matrix_power, funm
    cosm, sinm, tanm, coshm, sinhm, tanhm
    funm_herm*: of Hermitian matrices, smooth where eigenvalues cross
Matrix equations
    solve_sylvester, solve_lyapunov, solve_continuous_lyapunov, solve_discrete_lyapunov
    solve_continuous_are, solve_discrete_are
Products
    matmul, multi_dot, outer, vecdot, cross, diagonal, khatri_rao, tensorsolve, tensorinv
    clarkson_woodruff_transform
Structured matrices
    block_diag, toeplitz, circulant, hankel, convolution_matrix, companion, fiedler_companion
    fiedler, leslie
    hilbert, invhilbert, pascal, invpascal, hadamard, helmert, dft
    bandwidth, issymmetric, ishermitian
Constraints
    manifolds*: smooth maps from free parameters to matrices with a constraint
Failure, and routines of LAPACK
    LinAlgError, LinAlgWarning, get_lapack_funcs, get_blas_funcs, find_best_blas_type
"""

from typing import TYPE_CHECKING

from scigrad.autodiff_rules.messages.public_names import collect_names, public_names

from .eigenvalues.banded import *
from .eigenvalues.general import *
from .eigenvalues.hermitian import *
from .eigenvalues.hermitian_function import *
from .equations.linear_equations import *
from .equations.riccati import *
from .foundation.failures import LinAlgError
from .functions.expm import *
from .functions.funm import *
from .functions.matrix_trigonometry import *
from .functions.roots_and_logarithms import *
from .functions.sign import *
from .products import *
from .schur_forms.qz import *
from .schur_forms.schur import *
from .singular_values.factorized import *
from .singular_values.least_squares import *
from .singular_values.norms import *
from .singular_values.polar import *
from .singular_values.radial import *
from .singular_values.svd import *
from .structured.construction import *
from .structured.polynomial_matrices import *
from .systems.banded import *
from .systems.cholesky import *
from .systems.determinant import *
from .systems.indefinite import *
from .systems.lu import *
from .systems.solve import *
from .systems.toeplitz_systems import *
from .tensors import *
from .unitary.cossin import *
from .unitary.hessenberg import *
from .unitary.qr import *
from .unitary.qr_updates import *
from .unitary.similarity import *

if TYPE_CHECKING:  # SciPy's own objects, without an array to differentiate; found when asked for
    from scipy.linalg import (
        LinAlgWarning,
        dft,
        find_best_blas_type,
        get_blas_funcs,
        get_lapack_funcs,
        hadamard,
        helmert,
        hilbert,
        invhilbert,
        invpascal,
        pascal,
    )

from . import manifolds as manifolds
from . import numpy_names as numpy_names  # numpy.linalg finds us in the table that it fills

__all__ = [
    "LinAlgWarning", "dft", "find_best_blas_type", "get_blas_funcs", "get_lapack_funcs", "hadamard",
    "helmert", "hilbert", "invhilbert", "invpascal", "pascal", "LinAlgError", "manifolds",
]  # fmt: skip
_SCIPYS = tuple(__all__[:-2])
__all__ += collect_names(__name__)  # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # type checkers report a misspelt name only if there is no __getattr__
    __getattr__, __dir__ = public_names(__name__, __all__, _SCIPYS)
