"""Smooth maps from free parameters to matrices with a constraint, for optimisation without one.

Every map takes real vectors: `chart(parameters)` makes points of shape (..., *chart.shape) from parameters (..., chart.size),
and `chart.inverse(point)` finds parameters of a point, chart(chart.inverse(q)) = q. Leading axes are batches. Parameters 0 give
the plainest point: the identity or its first columns, the matrix 0, equal weights.

    Orthogonal        orthogonal or unitary matrices, by the exponential, Cayley's transform or Householder reflections
    Stiefel           matrices with orthonormal columns
    PositiveDefinite  symmetric or Hermitian positive definite matrices
    Correlation       those with 1 on the diagonal
    FixedRank         matrices of one rank
    SpectralBall      matrices whose spectral norm is less than a bound
    Simplex           positive weights that sum to 1

The maps are compositions of functions with derivatives of every order, and so is all that is written with them.
"""

from .low_rank import FixedRank, SpectralBall
from .orthonormal import Orthogonal, Stiefel
from .positive import Correlation, PositiveDefinite, Simplex

__all__ = ["Correlation", "FixedRank", "Orthogonal", "PositiveDefinite", "Simplex", "SpectralBall", "Stiefel"]


def __dir__() -> list[str]:
    return __all__
