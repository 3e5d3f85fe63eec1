"""Matrices with orthonormal columns, and of fixed rank as products of them. Cayley's transform,
Householder reflections, and the exponential of square ones.

All three take the entries below the diagonal of an m x n matrix t, and for complex ones n phases d:
    exponential   exp(s) with s = t - t^H + i diag(d), for m = n
    cayley        the first n columns of (1 - s/2)^-1 (1 + s/2) with s = [[a, -b^H], [b, 0]], where
                  a = t_1 - t_1^H + i diag(d) and b are the upper and lower part
    householder   -h_1 ... h_n [1; 0] diag(exp(i d)), with the reflection h_j along
                  v_j = (0, 1, t_j): column by column the stereographic projection of a sphere,
                  (2 v / |v|^2 - e_1) exp(i d)
Each reaches one component except for a set of measure 0; 0 gives the first columns of the identity.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw, shape_of

from ..foundation.matrices import diagonal, identity, is_complex, mH, place_on_diagonal
from ..functions.expm import expm
from ..functions.roots_and_logarithms import logm
from ..singular_values.svd import svd
from ..systems.determinant import det
from ..systems.solve import solve
from ..unitary.qr import householder_product
from .chart import Chart, Entries


class Stiefel(Chart):
    """Map of parameters to m x n matrices with orthonormal columns, ``x^H x = 1``.

    Parameters
    ----------
    m, n : int
        Numbers of rows and columns, m >= n.
    method : {"householder", "cayley"}, optional
        Map to use.
    is_complex : bool, optional
        Whether the matrices are complex.
    base : (m, m) ndarray, optional
        Orthogonal or unitary matrix that multiplies all points from the left: it determines the
        component and the point of parameters 0. Constant.

    Notes
    -----
    The number of parameters is the dimension of the manifold, m n - n (n + 1) / 2, or 2 m n - n^2
    for complex matrices. Square real matrices have the determinant of the base.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad
    >>> from scigrad.linalg.manifolds import Stiefel
    >>> chart = Stiefel(4, 1)
    >>> print(chart(np.ones(3)).ravel())
    [-0.5  0.5  0.5  0.5]
    >>> print(grad(lambda p: chart(p)[0, 0])(np.ones(3)))
    [-0.25 -0.25 -0.25]
    """

    base: Any
    is_complex: bool
    m: int
    n: int
    below: Entries
    shape: tuple[int, int]
    size: int

    methods: tuple[str, ...] = ("householder", "cayley")
    named: tuple[str, ...] = ("m", "n", "method", "is_complex")
    advice = (
        "A point with a column opposite to that of the base, or of another determinant, "
        "needs another base."
    )

    def __init__(
        self,
        m: int,
        n: int,
        method: str = "householder",
        is_complex: bool = False,
        base: Any = None,
    ) -> None:
        if method not in self.methods or not m >= n >= 1:
            wanted = f"m >= n >= 1 and a method of {self.methods}"
            raise ValueError(f"{type(self).__name__}: needs {wanted}, not {m}, {n} and {method!r}.")
        self.m, self.n, self.method, self.is_complex, self.base = m, n, method, is_complex, base
        self.below = Entries((m, n), np.tril_indices(m, -1, n), is_complex)
        self.shape, self.size = (m, n), self.below.size + n * is_complex

    def point(self, p: Any) -> Any:
        t, phases = self.below.matrix(p), p[..., self.below.size :]
        make = {
            "householder": self._reflected,
            "cayley": self._transformed,
            "exponential": self._exponential,
        }[self.method]
        x = make(t, phases)
        return x if self.base is None else self._base(x) @ x

    def parameters(self, q: Any) -> Any:
        x = q if self.base is None else mH(self._base(q)) @ q
        find = {
            "householder": self._reflections,
            "cayley": self._transform,
            "exponential": self._logarithm,
        }[self.method]
        t, phases = find(x)
        numbers = self.below.numbers(t)
        return np.concatenate([numbers, phases], axis=-1) if self.is_complex else numbers

    def _base(self, x: Any) -> Any:
        """Return the base in the precision of x."""
        return (
            self.base.astype("F" if is_complex(self.base) else "f")
            if x.dtype.char in "fF"
            else self.base
        )

    # -- reflections

    def _reflected(self, t: Any, phases: Any) -> Any:
        tau = 2 / (1 + np.sum(np.real(np.conjugate(t) * t), axis=-2))
        x = -householder_product(t, tau)
        return x * np.exp(1j * phases)[..., None, :] if self.is_complex else x

    def _reflections(self, x: Any) -> tuple[Any, Any]:
        columns, phases = [], []
        for j in range(self.n):
            first = x[..., 0, 0]
            if self.is_complex:
                size = np.abs(first)
                phase = np.where(size == 0, 1, first / np.where(size == 0, 1, size))
                phases.append(np.angle(phase))
                first, x = size, x * np.conjugate(phase)[..., None, None]
            below = x[..., 1:, 0] / (1 + first)[..., None]
            nothing = np.zeros((*shape_of(below)[:-1], j + 1), below.dtype, like=raw(below))
            columns.append(np.concatenate([nothing, below], axis=-1))
            v = np.concatenate([nothing[..., :1] + 1, below], axis=-1)
            tau = 2 / np.sum(np.real(np.conjugate(v) * v), axis=-1)
            if self.is_complex:
                x = x * phase[..., None, None]
            v = v[..., None]
            x = (x - tau[..., None, None] * (v @ (mH(v) @ x)))[..., 1:, 1:]
        return np.stack(columns, axis=-1), np.stack(phases, axis=-1) if phases else None

    # -- Cayley's transform

    def _transformed(self, t: Any, phases: Any) -> Any:
        s = self._left(t, phases)
        one = identity(self.m, raw(s))
        whole = s
        if self.m > self.n:
            whole = np.concatenate(
                [s, _append_zero_rows(-mH(s[..., self.n :, :]), self.m)], axis=-1
            )
        # s is normal, so large parameters cost no digits; "nan" keeps solve from warning of them
        return solve(one - whole / 2, one[:, : self.n] + s / 2, check_finite=False, on_fail="nan")

    def _left(self, t: Any, phases: Any) -> Any:
        """Return the first n columns of s."""
        s = t - _append_zero_rows(mH(t[..., : self.n, :]), self.m)
        return (
            s + 1j * _append_zero_rows(place_on_diagonal(phases), self.m) if self.is_complex else s
        )

    def _transform(self, x: Any) -> tuple[Any, Any]:
        one = identity(self.n, raw(x))
        top, low = x[..., : self.n, :], x[..., self.n :, :]
        divisor = mH(one + top)
        b = mH(solve(divisor, mH(2 * low), check_finite=False, on_fail="nan"))
        a = mH(solve(divisor, mH(2 * (top - one) + mH(b) @ low), check_finite=False, on_fail="nan"))
        a = (a - mH(a)) / 2
        return np.concatenate([a, b], axis=-2), np.imag(diagonal(a))

    # -- the exponential

    def _exponential(self, t: Any, phases: Any) -> Any:
        return expm(self._left(t, phases))

    def _logarithm(self, x: Any) -> tuple[Any, Any]:
        s = logm(x, on_fail="nan")
        s = (s - mH(s)) / 2
        return s, np.imag(diagonal(s))


class Orthogonal(Stiefel):
    """Map of parameters to orthogonal or unitary n x n matrices.

    Parameters
    ----------
    n : int
        Order of the matrices.
    method : {"exponential", "cayley", "householder"}, optional
        Map to use. The exponential reaches all rotations, Cayley's transform those without the
        eigenvalue -1.
    is_complex : bool, optional
        Whether the matrices are complex.
    base : (n, n) ndarray, optional
        Orthogonal or unitary matrix that multiplies all points from the left: it determines the
        component and the point of parameters 0. Constant.

    Notes
    -----
    The number of parameters is n (n - 1) / 2, or n^2 for unitary matrices.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad
    >>> from scigrad.linalg.manifolds import Orthogonal
    >>> print(Orthogonal(2)(np.array([np.pi / 2])).round(12) + 0.0)
    [[ 0. -1.]
     [ 1.  0.]]
    >>> print(grad(lambda p: Orthogonal(2)(p)[1, 0])(np.array([np.pi / 3])).round(12))
    [0.5]
    """

    methods: tuple[str, ...] = ("exponential", "cayley", "householder")
    named: tuple[str, ...] = ("n", "method", "is_complex")
    advice = (
        "A real matrix of another determinant than the base's, or with an eigenvalue -1 "
        "relative to it, needs another base."
    )

    def __init__(
        self, n: int, method: str = "exponential", is_complex: bool = False, base: Any = None
    ) -> None:
        super().__init__(n, n, method, is_complex, base)


def _append_zero_rows(a: Any, rows: int) -> Any:
    """Append rows of zeros to a matrix, up to a number of rows."""
    *lead, m, n = shape_of(a)
    return (
        a
        if m == rows
        else np.concatenate([a, np.zeros((*lead, rows - m, n), a.dtype, like=raw(a))], axis=-2)
    )


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
    The parameters are k numbers for the singular values, then those of ``Stiefel(m, k)`` and of
    ``Stiefel(n, k)``. Their number is the dimension of the manifold, (m + n - k) k; for complex
    matrices 2 (m + n - k) k + k, of which k phases are redundant. Square real matrices of full rank
    have a positive determinant. The order of the singular values is free, so that a matrix has
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

    is_complex: bool
    m: int
    n: int
    rank: int
    left: Stiefel
    right: Stiefel
    shape: tuple[int, int]
    size: int

    named: tuple[str, ...] = ("m", "n", "rank", "is_complex")
    advice = "It has to have that rank; a square real one of full rank a positive determinant."

    def __init__(self, m: int, n: int, rank: int, is_complex: bool = False) -> None:
        if not 1 <= rank <= min(m, n):
            raise ValueError(
                f"FixedRank: rank must be between 1 and min(m, n) = {min(m, n)}, not {rank}."
            )
        self.m, self.n, self.rank, self.is_complex = m, n, rank, is_complex
        self.left, self.right = (
            Stiefel(m, rank, is_complex=is_complex),
            Stiefel(n, rank, is_complex=is_complex),
        )
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
        return np.concatenate(
            [np.log(s), self.left.parameters(u), self.right.parameters(v)], axis=-1
        )


__all__ = ["FixedRank", "Orthogonal", "Stiefel"]
