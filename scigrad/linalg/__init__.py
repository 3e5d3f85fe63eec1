"""Dense linear algebra: scipy.linalg with derivatives of every order.

`numpy.linalg` on traced arrays works as it stands. Names, parameters and values are SciPy's and NumPy's; what is ours alone is
marked with a star, and says so by itself: on_fail, gauge, canonical.

With on_fail="nan" or "info" a matrix that fails has the result NaN and derivatives NaN, and its neighbours in the batch are as
they would be. A loss that leaves it out has 0 times NaN in its gradient, which spoils parameters that all matrices share:
replace the matrix too, x, info = solve(a, b, on_fail="info"); x = solve(np.where((info == 0)[:, None, None], a, np.eye(n)), b).

Systems
    solve, solve_triangular, solve_banded, solveh_banded, solve_toeplitz, solve_circulant, matmul_toeplitz, inv
    factorized*: a factorisation kept, for many right-hand sides and the log-determinant
    lstsq, pinv, pinvh: least squares, of any rank
Factorisations, and systems given one
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
Functions of matrices
    expm, expm_frechet, logm, sqrtm, signm, matrix_power, fractional_matrix_power, funm
    cosm, sinm, tanm, coshm, sinhm, tanhm
    funm_herm*: of Hermitian matrices, smooth where eigenvalues cross
Matrix equations
    solve_sylvester, solve_lyapunov, solve_continuous_lyapunov, solve_discrete_lyapunov
    solve_continuous_are, solve_discrete_are
Products
    matmul, multi_dot, outer, vecdot, cross, diagonal, khatri_rao, tensorsolve, tensorinv, clarkson_woodruff_transform
Structured matrices
    block_diag, toeplitz, circulant, hankel, convolution_matrix, companion, fiedler_companion, fiedler, leslie
    hilbert, invhilbert, pascal, invpascal, hadamard, helmert, dft
    bandwidth, issymmetric, ishermitian
Constraints
    manifolds*: smooth maps from free parameters to orthogonal, definite, low-rank and other matrices
Failure, and routines of LAPACK
    LinAlgError, LinAlgWarning, get_lapack_funcs, get_blas_funcs, find_best_blas_type
"""

from typing import TYPE_CHECKING

from scigrad.autodiff_rules.public_names import public_names

from .equations.lyapunov import solve_continuous_lyapunov, solve_discrete_lyapunov, solve_lyapunov
from .equations.riccati import solve_continuous_are, solve_discrete_are
from .equations.sylvester import solve_sylvester
from .foundation.failures import LinAlgError
from .functions.expm import expm, expm_cond, expm_frechet
from .functions.funm import funm
from .functions.logm import fractional_matrix_power, logm
from .functions.matrix_trigonometry import coshm, cosm, sinhm, sinm, tanhm, tanm
from .functions.power import matrix_power
from .functions.signm import signm
from .functions.sqrtm import sqrtm
from .passed_on import NAMES as _NAMES
from .singular.condition import cond, matrix_rank
from .singular.factorized import factorized
from .singular.least_squares import lstsq, pinv
from .singular.norms import norm
from .singular.polar import orthogonal_procrustes, polar
from .singular.pseudo_inverse import pinvh
from .singular.subspaces import null_space, orth, subspace_angles
from .singular.svd import diagsvd, svd, svdvals
from .spectra.eig import eig, eigvals
from .spectra.eigen import eigh, eigvalsh
from .spectra.eigen_banded import eig_banded, eigh_tridiagonal, eigvals_banded, eigvalsh_tridiagonal
from .spectra.hermitian_function import funm_herm
from .structured.construction import block_diag, circulant, convolution_matrix, hankel, khatri_rao, toeplitz
from .structured.polynomial_matrices import companion, fiedler, fiedler_companion, leslie
from .structured.predicates import bandwidth, ishermitian, issymmetric
from .structured.sketches import clarkson_woodruff_transform
from .systems.banded import cho_solve_banded, solve_banded, solveh_banded
from .systems.banded_cholesky import cholesky_banded
from .systems.cholesky import cho_factor, cho_solve, cholesky
from .systems.circulant_systems import solve_circulant
from .systems.determinant import det, slogdet
from .systems.indefinite import ldl, ldl_factor, ldl_solve
from .systems.inverse import inv
from .systems.lu import lu, lu_factor, lu_solve
from .systems.solve import solve, solve_triangular
from .systems.toeplitz_systems import matmul_toeplitz, solve_toeplitz
from .tensors import cross, diagonal, matmul, matrix_norm, multi_dot, outer, tensorinv, tensorsolve, trace, vecdot, vector_norm
from .unitary.cossin import cossin
from .unitary.hessenberg import hessenberg
from .unitary.qr import householder_product, qr, qr_multiply, rq
from .unitary.qr_updates import qr_delete, qr_insert, qr_update
from .unitary.qz import ordqz, qz
from .unitary.schur import rsf2csf, schur
from .unitary.similarity import cdf2rdf, matrix_balance

if TYPE_CHECKING:  # SciPy's own, imported when one is asked for: passed_on.py
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

__all__ = [
    "LinAlgError", "LinAlgWarning", "bandwidth", "block_diag", "cdf2rdf", "cho_factor", "cho_solve", "cho_solve_banded",
    "cholesky", "cholesky_banded", "circulant", "clarkson_woodruff_transform", "companion", "cond", "convolution_matrix", "coshm",
    "cosm", "cossin", "cross", "det", "dft", "diagonal", "diagsvd", "eig", "eig_banded", "eigh", "eigh_tridiagonal", "eigvals",
    "eigvals_banded", "eigvalsh", "eigvalsh_tridiagonal", "expm", "expm_cond", "expm_frechet", "factorized", "fiedler",
    "fiedler_companion", "find_best_blas_type", "fractional_matrix_power", "funm", "funm_herm", "get_blas_funcs",
    "get_lapack_funcs", "hadamard", "hankel", "helmert", "hessenberg", "hilbert", "householder_product", "inv", "invhilbert",
    "invpascal", "ishermitian", "issymmetric", "khatri_rao", "ldl", "ldl_factor", "ldl_solve", "leslie", "logm", "lstsq", "lu",
    "lu_factor", "lu_solve", "manifolds", "matmul", "matmul_toeplitz", "matrix_balance", "matrix_norm", "matrix_power",
    "matrix_rank", "multi_dot", "norm", "null_space", "ordqz", "orth", "orthogonal_procrustes", "outer", "pascal", "pinv",
    "pinvh", "polar", "qr", "qr_delete", "qr_insert", "qr_multiply", "qr_update", "qz", "rq", "rsf2csf", "schur", "signm",
    "sinhm", "sinm", "slogdet", "solve", "solve_banded", "solve_circulant", "solve_continuous_are", "solve_continuous_lyapunov",
    "solve_discrete_are", "solve_discrete_lyapunov", "solve_lyapunov", "solve_sylvester", "solve_toeplitz", "solve_triangular",
    "solveh_banded", "sqrtm", "subspace_angles", "svd", "svdvals", "tanhm", "tanm", "tensorinv", "tensorsolve", "toeplitz",
    "trace", "vecdot", "vector_norm",
]  # fmt: skip

from . import manifolds as manifolds
from . import numpy_names as numpy_names  # numpy.linalg finds us in the table that it fills

__getattr__, __dir__ = public_names(__name__, __all__, _NAMES)
