"""Matrices of a given rank, and matrices of bounded spectral norm."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw, shape_of

from ..foundation.matrices import identity, mH
from ..singular_values.svd import svd
from ..systems.cholesky import cholesky
from ..systems.determinant import det
from ..systems.solve import solve_triangular
from .chart import Chart, diagonal
from .orthonormal import Stiefel


class FixedRank(Chart):
    """Map of parameters to m x n matrices of rank k.

    ``u diag(exp(p)) v^H``, with the orthonormal columns of u and v by Householder reflections.

    Parameters
    ----------
    m, n : int
        Numbers of rows and columns.
    rank : int
        Rank k, at most min(m, n).
    is_complex : bool, optional
        Whether the matrices are complex.

    Notes
    -----
    The parameters are k numbers for the singular values, then those of ``Stiefel(m, k)`` and of ``Stiefel(n, k)``. Their number
    is the dimension of the manifold, (m + n - k) k; for complex matrices 2 (m + n - k) k + k, of which k phases are redundant.
    Square real matrices of full rank have a positive determinant. The order of the singular values is free, so that a matrix has
    several parameters.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad
    >>> from scigrad.linalg.manifolds import FixedRank
    >>> chart = FixedRank(2, 3, 1)
    >>> print(chart(np.zeros(4)))
    [[1. 0. 0.]
     [0. 0. 0.]]
    >>> print(grad(lambda p: chart(p)[0, 0])(np.zeros(4)))
    [1. 0. 0. 0.]
    """

    named = ("m", "n", "rank", "is_complex")
    advice = "It has to have that rank; a square real one of full rank a positive determinant."

    def __init__(self, m: int, n: int, rank: int, is_complex: bool = False) -> None:
        if not 1 <= rank <= min(m, n):
            raise ValueError(f"FixedRank: rank must be between 1 and min(m, n) = {min(m, n)}, not {rank}.")
        self.m, self.n, self.rank, self.is_complex = m, n, rank, is_complex
        self.left, self.right = Stiefel(m, rank, is_complex=is_complex), Stiefel(n, rank, is_complex=is_complex)
        self.shape, self.size = (m, n), rank + self.left.size + self.right.size

    def point(self, p: Any) -> Any:
        middle = self.rank + self.left.size
        u, v = self.left.point(p[..., self.rank : middle]), self.right.point(p[..., middle:])
        return (u * np.exp(p[..., None, : self.rank])) @ mH(v)

    def parameters(self, q: Any) -> Any:
        decomposed: Any = svd(q, full_matrices=False, check_finite=False)
        u, s, vh = decomposed
        u, s, v = u[..., : self.rank], s[..., : self.rank], mH(vh)[..., : self.rank]
        if not self.is_complex:
            sign = np.where(diagonal(u) + diagonal(v) < 0, -1, 1)[..., None, :].astype(s.dtype)
            u, v = u * sign, v * sign
            square = next((factor for factor in (u, v) if shape_of(factor)[-2] == self.rank), None)
            if square is not None:  # a rotation is wanted: turn the last pair of columns
                last = np.where(det(square) < 0, -1, 1)[..., None, None].astype(s.dtype)
                turn = np.concatenate([np.ones_like(s[..., None, 1:]), last], axis=-1)
                u, v = u * turn, v * turn
        return np.concatenate([np.log(s), self.left.parameters(u), self.right.parameters(v)], axis=-1)


class SpectralBall(Chart):
    """Map of parameters to m x n matrices with a spectral norm below a bound.

    ``bound z l^-H`` with ``l l^H = 1 + z^H z``.

    Parameters
    ----------
    m, n : int
        Numbers of rows and columns.
    bound : float, optional
        Bound of the spectral norm, positive.
    is_complex : bool, optional
        Whether the matrices are complex.

    Notes
    -----
    The parameters are the m n elements of z, row by row; for complex matrices their real parts, then their imaginary parts. The
    map is one to one: singular values s of z become ``bound s / sqrt(1 + s^2)``.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad
    >>> from scigrad.linalg.manifolds import SpectralBall
    >>> chart = SpectralBall(1, 1, bound=2.0)
    >>> print(chart(np.array([0.75])), grad(lambda p: chart(p)[0, 0])(np.array([0.75])).round(6))
    [[1.2]] [1.024]
    """

    named = ("m", "n", "bound", "is_complex")
    advice = "Its spectral norm has to be less than the bound."

    def __init__(self, m: int, n: int, bound: float = 1.0, is_complex: bool = False) -> None:
        self.m, self.n, self.bound, self.is_complex = m, n, bound, is_complex
        self.shape, self.size = (m, n), m * n * (1 + is_complex)

    def point(self, p: Any) -> Any:
        z = p.reshape((*shape_of(p)[:-1], 1 + self.is_complex, self.m, self.n))
        z = z[..., 0, :, :] + 1j * z[..., 1, :, :] if self.is_complex else z[..., 0, :, :]
        factor = cholesky(identity(self.n, raw(z)) + mH(z) @ z, lower=True, check_finite=False)
        return self.bound * mH(solve_triangular(factor, mH(z), lower=True, check_finite=False))

    # With y = x / bound, 1 - y^H y = l^-1 l^-H is a Cholesky factorisation, and z = y l^H.
    def parameters(self, q: Any) -> Any:
        y = q / self.bound
        inverse = cholesky(identity(self.n, raw(y)) - mH(y) @ y, lower=True, check_finite=False, on_fail="nan")
        z = mH(solve_triangular(inverse, mH(y), lower=True, check_finite=False, on_fail="nan"))
        parts = [np.real(z), np.imag(z)] if self.is_complex else [z]
        return np.concatenate([part.reshape((*shape_of(part)[:-2], self.m * self.n)) for part in parts], axis=-1)


__all__ = ["FixedRank", "SpectralBall"]
