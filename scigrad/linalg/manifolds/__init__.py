"""Smooth maps from free parameters to matrices with a constraint, for unconstrained optimization.

All parameters are real vectors: `chart(parameters)` returns points of shape (..., *chart.shape) for
parameters (..., chart.size), and `chart.inverse(point)` parameters with chart(chart.inverse(q)) =
q. Leading axes are batches. Parameters 0 give the identity or its first columns, the matrix 0, or
equal weights.

    Orthogonal        orthogonal or unitary matrices, by the exponential
    Cayley's transform or Householder reflections
    Stiefel           matrices with orthonormal columns
    PositiveDefinite  symmetric or Hermitian positive definite matrices
    Correlation       positive definite matrices with unit diagonal
    FixedRank         matrices of a given rank
    SpectralBall      matrices whose spectral norm is less than a bound
    Simplex           positive weights that sum to 1

The maps are compositions of functions with derivatives of every order, and differentiable as these
are.
"""

from .orthonormal import FixedRank, Orthogonal, Stiefel
from .positive import Correlation, PositiveDefinite, Simplex, SpectralBall

__all__ = [
    "Correlation",
    "FixedRank",
    "Orthogonal",
    "PositiveDefinite",
    "Simplex",
    "SpectralBall",
    "Stiefel",
]


def __dir__() -> list[str]:
    return __all__
