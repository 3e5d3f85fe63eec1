"""Dense linear algebra: scipy.linalg with derivatives of every order."""

from .cholesky import cho_factor, cho_solve, cholesky
from .inverse import inv
from .solve import solve, solve_triangular

__all__ = ["cho_factor", "cho_solve", "cholesky", "inv", "solve", "solve_triangular"]
