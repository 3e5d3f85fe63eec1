"""Dense linear algebra: scipy.linalg with derivatives of every order."""

from .cholesky import cho_factor, cho_solve, cholesky
from .determinant import det, slogdet
from .inverse import inv
from .solve import solve, solve_triangular

__all__ = ["cho_factor", "cho_solve", "cholesky", "det", "inv", "slogdet", "solve", "solve_triangular"]
