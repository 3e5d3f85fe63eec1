"""Orthonormal bases of the range and of the null space, and the angles between subspaces.

Derivatives are those of `basis` at a matrix whose rank is constant, the result of `truncated`. Gaps among the singular values
that count do not occur in them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw, shape_of

from ..foundation import failures
from ..foundation.gauge import resolved
from ..foundation.matrices import as_matrix, mH, same_precision
from .decomposition import Spectrum, basis, factored, truncated, with_cutoff
from .singular_vectors import singular_values


def orth(A, rcond=None, *, gauge=None):
    """Compute an orthonormal basis of the range of a matrix.

    Parameters
    ----------
    A : (..., m, n) array_like
        Matrix, or batch of matrices of equal rank.
    rcond : float, optional
        Singular values up to `rcond` times the largest count as zero. By default ``max(m, n) eps``.

    Returns
    -------
    q : (..., m, rank) ndarray
        Left singular vectors.

    Raises
    ------
    ValueError
        If `A` is not a matrix, holds NaN or infinity, or the ranks in a batch differ.
    scigrad.GaugeError
        Under a transform, if the loss depends on the choice of the basis, see `gauge`. `svd` differentiates single singular
        vectors.

    Notes
    -----
    Differentiable while the rank is constant. Singular values that count as zero may be of any size. See `scipy.linalg.orth`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: (linalg.orth(a) @ linalg.orth(a).T)[0, 1])(np.array([[2.0], [1.0]])).round(12))
    [[-0.12]
     [ 0.24]]
    """
    gauge, (a, f, _) = resolved("orth", gauge), _kept("orth", A, rcond)
    return basis(a, f.u[..., : _rank("orth", f)], f, gauge, "orth")


def null_space(A, rcond=None, *, overwrite_a=False, check_finite=True, lapack_driver="gesdd", gauge=None):
    """Compute an orthonormal basis of the null space of a matrix.

    Parameters
    ----------
    A : (..., m, n) array_like
        Matrix, or batch of matrices of equal rank.
    rcond : float, optional
        Singular values up to `rcond` times the largest count as zero. By default ``max(m, n) eps``.
    overwrite_a : bool, optional
        Ignored.
    lapack_driver : {"gesdd", "gesvd"}, optional
        Driver of LAPACK, on the host.

    Returns
    -------
    z : (..., n, n - rank) ndarray
        Right singular vectors of the singular values that count as zero.

    Raises
    ------
    ValueError
        If `A` is not a matrix, holds NaN or infinity, or the ranks in a batch differ.
    scigrad.GaugeError
        Under a transform, if the loss depends on the choice of the basis, see `gauge`.

    Notes
    -----
    Differentiable while the rank is constant. See `scipy.linalg.null_space`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: (linalg.null_space(a) @ linalg.null_space(a).T)[0, 1])(np.array([[2.0, 1.0]])).round(12))
    [[ 0.12 -0.24]]
    """
    del overwrite_a
    gauge, (a, f, vh) = resolved("null_space", gauge), _kept("null_space", A, rcond, True, check_finite, lapack_driver)
    return basis(a, mH(vh[..., _rank("null_space", f) :, :]), f, gauge, "null_space")


def subspace_angles(A, B):
    """Compute the angles between the ranges of two matrices, in descending order.

    Parameters
    ----------
    A : (..., m, n) array_like
        Matrix, or batch of matrices.
    B : (..., m, k) array_like
        Matrix, or batch of matrices. Batch axes broadcast.

    Returns
    -------
    angles : (..., min(rank A, rank B)) ndarray
        Angles from 0 to pi / 2.

    Raises
    ------
    ValueError
        If the numbers of rows differ, an array holds NaN or infinity, or the ranks in a batch differ.

    Notes
    -----
    Small angles are computed, and differentiated, from their sines and large angles from their cosines (Knyazev and Argentati,
    SIAM Journal on Scientific Computing 23 (2002) 2008-2040, algorithm 3.1), so that small angles beside large ones are accurate
    too. Where angles coincide, or are 0 or pi / 2, the derivative is the subgradient of minimum norm. See
    `scipy.linalg.subspace_angles`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.array([[1.0], [0.0]])
    >>> print(grad(lambda b: np.sum(linalg.subspace_angles(a, b)))(np.array([[3.0], [4.0]])).round(12))
    [[-0.16]
     [ 0.12]]
    """
    A, B = same_precision(as_matrix("subspace_angles", "A", A, False, True), as_matrix("subspace_angles", "B", B, False, True))
    if shape_of(A)[-2] != shape_of(B)[-2]:
        raise ValueError(
            f"subspace_angles: A and B must have the same number of rows, got {shape_of(A)[-2]} and {shape_of(B)[-2]}."
        )
    a, b = orth(A, gauge="trust"), orth(B, gauge="trust")
    products = mH(a) @ b
    cosines = _values(products)[..., ::-1]
    sines = _values(b - a @ products if shape_of(a)[-1] >= shape_of(b)[-1] else a - b @ mH(products))
    small = cosines**2 >= 0.5
    return np.where(small, np.arcsin(np.where(small, sines, 0)), np.arccos(np.where(small, 0, cosines)))


def _values(x: Any) -> Any:
    """Singular values of a product of orthonormal vectors: what rounding leaves of 0 counts as 0."""
    return singular_values(x, 8 * max(shape_of(x)[-2:]) * float(np.finfo(x.dtype).eps))


def _kept(function: str, a: Any, relative: Any, full: bool = False, check_finite: bool = True, driver: Any = None) -> Any:
    """The matrix without what counts as 0, its decomposition, and all right singular vectors."""
    a = as_matrix(function, "A", a, False, check_finite)
    k, cutoff = min(shape_of(a)[-2:]), max(shape_of(a)[-2:]) * np.finfo(a.dtype).eps if relative is None else relative
    u, s, vh, info = factored(function, raw(a), full, driver, failures.policy(raw(a), "raise"))
    spectrum = with_cutoff(raw(a).shape, (u[..., :k], s, vh[..., :k, :], info), cutoff, 0.0)
    return truncated(a, spectrum, cutoff), spectrum, vh


def _rank(function: str, spectrum: Spectrum) -> int:
    """The one rank of all matrices: a number of columns, so a device is waited for."""
    ranks = failures.to_host(np.where(spectrum.info == 0, spectrum.rank, -1))
    ranks = ranks[ranks >= 0]  # NaN fits any
    if not ranks.size:  # only shapes are required
        return min(spectrum.shape[-2:])
    if (ranks != ranks.flat[0]).any():
        raise ValueError(
            f"{function}: the matrices of a batch of shape {spectrum.shape} have ranks from {ranks.min()} to {ranks.max()}, so "
            "their bases differ in size. Treat them one by one, set rcond, or use the projectors a pinv(a) and 1 - pinv(a) a."
        )
    return int(ranks.flat[0])


__all__ = ["null_space", "orth", "subspace_angles"]
