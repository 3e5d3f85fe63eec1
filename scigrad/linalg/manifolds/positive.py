"""Positive definite matrices, correlation matrices, matrices of bounded spectral norm, and
weights.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw, shape_of, stop_gradient

from ..eigenvalues.hermitian_function import funm_herm
from ..foundation.matrices import diagonal, identity, mH, place_on_diagonal
from ..systems.cholesky import cholesky
from ..systems.solve import solve_triangular
from .chart import Chart, Entries


class _Hermitian(Chart):
    """Maps whose parameters are numbers for the diagonal, then the entries below it."""

    is_complex: bool
    n: int
    below: Entries
    shape: tuple[int, int]

    named: tuple[str, ...] = ("n", "is_complex")

    def __init__(self, n: int, is_complex: bool) -> None:
        self.n, self.is_complex = n, is_complex
        self.below = Entries((n, n), np.tril_indices(n, -1), is_complex)
        self.shape = (n, n)


class PositiveDefinite(_Hermitian):
    """Map of parameters to symmetric or Hermitian positive definite n x n matrices.

    Parameters
    ----------
    n : int
        Order of the matrices.
    method : {"cholesky", "exponential"}, optional
        "cholesky": ``l l^H`` for the lower triangle l with the diagonal exp(p). "exponential":
        ``exp(h)`` for a Hermitian h, which is invariant under rotations, at the cost of an
        eigenvalue problem.
    is_complex : bool, optional
        Whether the matrices are complex.

    Notes
    -----
    The parameters are the diagonal, then the entries below it: n (n + 1) / 2 numbers, or n^2 for
    complex matrices. Both maps are one to one.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> from scigrad.linalg.manifolds import PositiveDefinite
    >>> chart = PositiveDefinite(2)
    >>> print(chart(np.array([0.0, 0.0, 3.0])))
    [[ 1.  3.]
     [ 3. 10.]]
    >>> print(grad(lambda p: linalg.slogdet(chart(p)).logabsdet)(np.zeros(3)))
    [2. 2. 0.]
    """

    size: int

    named: tuple[str, ...] = ("n", "method", "is_complex")
    advice = "It has to be positive definite."

    def __init__(self, n: int, method: str = "cholesky", is_complex: bool = False) -> None:
        super().__init__(n, is_complex)
        if method not in ("cholesky", "exponential"):
            raise ValueError(
                f"PositiveDefinite: method must be 'cholesky' or 'exponential', not {method!r}."
            )
        self.method, self.size = method, n + self.below.size

    def point(self, p: Any) -> Any:
        d, t = p[..., : self.n], self.below.matrix(p[..., self.n :])
        if self.method == "exponential":
            return funm_herm(np.exp, t + mH(t) + place_on_diagonal(d))
        factor = t + place_on_diagonal(np.exp(d))
        return factor @ mH(factor)

    def parameters(self, q: Any) -> Any:
        exponential = self.method == "exponential"
        t = (
            funm_herm(np.log, q, on_fail="nan")
            if exponential
            else cholesky(q, lower=True, on_fail="nan")
        )
        d = np.real(diagonal(t))
        return np.concatenate([d if exponential else np.log(d), self.below.numbers(t)], axis=-1)


class Correlation(_Hermitian):
    """Map of parameters to n x n correlation matrices: positive definite with unit diagonal.

    ``l l^H``, where row i of l is (p_i1, ..., 1) divided by its norm.

    Parameters
    ----------
    n : int
        Order of the matrices.
    is_complex : bool, optional
        Whether the matrices are complex.

    Notes
    -----
    The number of parameters is n (n - 1) / 2, or n (n - 1) for complex matrices. The map is one to
    one.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad
    >>> from scigrad.linalg.manifolds import Correlation
    >>> print(Correlation(2)(np.array([0.75])))
    [[1.  0.6]
     [0.6 1. ]]
    >>> print(grad(lambda p: Correlation(2)(p)[0, 1])(np.array([0.75])).round(6))
    [0.512]
    """

    size: int

    advice = "It has to be positive definite with 1 on the diagonal."

    def __init__(self, n: int, is_complex: bool = False) -> None:
        super().__init__(n, is_complex)
        self.size = self.below.size

    def point(self, p: Any) -> Any:
        t = self.below.matrix(p)
        factor = t + identity(self.n, raw(t))
        largest = stop_gradient(np.abs(factor).max(axis=-1, keepdims=True))
        factor = factor / largest
        factor = factor / np.sqrt(
            np.sum(np.real(np.conjugate(factor) * factor), axis=-1, keepdims=True)
        )
        one = identity(self.n, raw(t))
        return np.where(one == 1, one, factor @ mH(factor))

    def parameters(self, q: Any) -> Any:
        factor = cholesky(q, lower=True, on_fail="nan")
        return self.below.numbers(factor / np.real(diagonal(factor))[..., None])


class Simplex(Chart):
    """Map of parameters to n positive weights that sum to 1.

    The softmax of (p, 0); the map is one to one.

    Parameters
    ----------
    n : int
        Number of weights, of which n - 1 are free.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad
    >>> from scigrad.linalg.manifolds import Simplex
    >>> print(grad(lambda p: Simplex(2)(p)[0])(np.zeros(1)))
    [0.25]
    """

    n: int
    shape: tuple[int]
    size: int

    named: tuple[str, ...] = ("n",)
    advice = "Weights have to be positive with the sum 1."

    def __init__(self, n: int) -> None:
        self.n, self.size, self.shape = n, n - 1, (n,)

    def point(self, p: Any) -> Any:
        p = np.concatenate([p, np.zeros((*shape_of(p)[:-1], 1), p.dtype, like=raw(p))], axis=-1)
        weights = np.exp(p - stop_gradient(p.max(axis=-1, keepdims=True)))
        return weights / weights.sum(axis=-1, keepdims=True)

    def parameters(self, q: Any) -> Any:
        return np.log(q[..., :-1]) - np.log(q[..., -1:])


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
    The parameters are the m n elements of z, row by row; for complex matrices their real parts,
    then their imaginary parts. The map is one to one: singular values s of z become
    ``bound s / sqrt(1 + s^2)``.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad
    >>> from scigrad.linalg.manifolds import SpectralBall
    >>> chart = SpectralBall(1, 1, bound=2.0)
    >>> print(chart(np.array([0.75])), grad(lambda p: chart(p)[0, 0])(np.array([0.75])).round(6))
    [[1.2]] [1.024]
    """

    bound: float
    is_complex: bool
    m: int
    n: int
    entries: Entries
    shape: tuple[int, int]
    size: int

    named: tuple[str, ...] = ("m", "n", "bound", "is_complex")
    advice = "Its spectral norm has to be less than the bound."

    def __init__(self, m: int, n: int, bound: float = 1.0, is_complex: bool = False) -> None:
        self.m, self.n, self.bound, self.is_complex = m, n, bound, is_complex
        self.entries = Entries((m, n), np.nonzero(np.ones((m, n))), is_complex)
        self.shape, self.size = (m, n), self.entries.size

    def point(self, p: Any) -> Any:
        z = self.entries.matrix(p)
        factor = cholesky(identity(self.n, raw(z)) + mH(z) @ z, lower=True, check_finite=False)
        return self.bound * mH(solve_triangular(factor, mH(z), lower=True, check_finite=False))

    # Let y = x / bound. Then 1 - y^H y = l^-1 l^-H is a Cholesky factorization, and z = y l^H.
    def parameters(self, q: Any) -> Any:
        y = q / self.bound
        inverse = cholesky(
            identity(self.n, raw(y)) - mH(y) @ y, lower=True, check_finite=False, on_fail="nan"
        )
        z = mH(solve_triangular(inverse, mH(y), lower=True, check_finite=False, on_fail="nan"))
        return self.entries.numbers(z)


__all__ = ["Correlation", "PositiveDefinite", "Simplex", "SpectralBall"]
