"""Condition numbers and ranks, as NumPy has them."""

from __future__ import annotations

import numpy as np

from scigrad.autodiff_rules import constant, differentiable, raw, shape_of
from scigrad.autodiff_rules.backends import library

from ..foundation.failures import LinAlgError
from ..foundation.matrices import as_array, identity, largest
from ..systems.inverse import inv
from .norms import norm
from .singular_values import decomposed, singular_values


def cond(x, p=None):
    """Compute the condition number |x| |x^-1| of a matrix.

    Parameters
    ----------
    x : (..., m, n) array_like
        Matrix, or batch of matrices. Square, unless `p` is None, 2 or -2.
    p : {None, 1, -1, 2, -2, inf, -inf, "fro", "nuc"}, optional
        Norm. None and 2: the ratio of the largest and the smallest singular value, -2: the inverse ratio.

    Returns
    -------
    condition : (...) ndarray
        Condition numbers, infinite for a singular matrix, where there is no derivative.

    Raises
    ------
    numpy.linalg.LinAlgError
        If `x` is not a matrix, is empty, or is not square where it has to be, or the SVD does not converge.
    ValueError
        If `p` is unknown.

    Notes
    -----
    Where the largest or smallest singular values, or sums, coincide, the derivative is the subgradient of minimum norm. See
    `numpy.linalg.cond`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(linalg.cond)(np.array([[2.0, 1.0], [1.0, 2.0]])).round(12))
    [[-1.  2.]
     [ 2. -1.]]
    """
    if type(x) is np.ndarray and p != "fro":  # whose squares NumPy does not scale
        return np.linalg.cond(x, p)
    x = as_array("cond", "x", x)
    shape = shape_of(x)
    if len(shape) < 2 or 0 in shape[-2:]:
        raise LinAlgError(f"cond: cond is not defined on empty arrays or vectors; 'x' has shape {shape}.")
    if p in (None, 2, -2):
        s = singular_values(x, decomposed("cond", raw(x), 0.0, 0.0, "raise"))
        first, last = (s[..., -1], s[..., 0]) if p == -2 else (s[..., 0], s[..., -1])
        singular = last == 0
        return _infinite(first / np.where(singular, 1, last), singular)
    if shape[-1] != shape[-2]:
        raise LinAlgError(f"cond: with p={p!r} 'x' must be square, (..., n, n), but has shape {shape}.")
    inverse, info = inv(x, check_finite=False, on_fail="info")
    failed = info != 0
    inverse = np.where(failed[..., None, None], identity(shape[-1], raw(x)), inverse)
    product = norm(x, p, (-2, -1), check_finite=False) * norm(inverse, p, (-2, -1), check_finite=False)
    return _infinite(product, info > 0)


@differentiable("x")
def _infinite(x, where):
    """x, but infinity, without a derivative, at some places."""
    return np.where(where, np.inf, x).astype(x.dtype)[()]


_infinite.jvp(lambda call, t: np.where(call.where, np.nan, t.x))
_infinite.vjp(lambda call, g: {"x": np.where(call.where, np.nan, g)})
_infinite.batch_leading(x=0, where=0)


@constant
def matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    """Return the number of singular values that are not zero to working precision.

    Parameters
    ----------
    A : (..., m, n) array_like
        Matrix, or batch of matrices.
    tol : (...) array_like, optional
        Singular values up to this absolute tolerance count as zero.
    hermitian : bool, optional
        Whether `A` is Hermitian, so that eigenvalues can be computed instead.
    rtol : (...) array_like, optional
        Tolerance relative to the largest singular value. By default ``max(m, n) eps``.

    Returns
    -------
    rank : (...) ndarray of ints
        Ranks.

    Notes
    -----
    The rank is piecewise constant. See `numpy.linalg.matrix_rank`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(linalg.matrix_rank(np.ones((2, 2))), grad(lambda a: a[0, 0] * linalg.matrix_rank(a))(np.ones((2, 2))))
    1 [[1. 0.]
     [0. 0.]]
    """
    if library(A) == "numpy":
        return np.linalg.matrix_rank(A, tol, hermitian, rtol=rtol)
    if rtol is not None and tol is not None:
        raise ValueError("matrix_rank: `tol` and `rtol` can't be both set.")
    if A.ndim < 2:
        return (A != 0).any() * 1
    s = np.abs(np.linalg.eigvalsh(A)) if hermitian else np.linalg.svd(A, compute_uv=False)
    if tol is None:
        tol = (max(A.shape[-2:]) * np.finfo(s.dtype).eps if rtol is None else rtol) * largest(s, -1)
    return (s > (tol[..., None] if hasattr(tol, "ndim") and tol.ndim else tol)).sum(axis=-1)


@matrix_rank.batched
def _(call, batched):
    if call.A.ndim < 3:  # a batch of vectors
        return (call.A != 0).any(axis=tuple(range(1, call.A.ndim))) * 1
    return matrix_rank(call.A, call.tol, call.hermitian, rtol=call.rtol)


__all__ = ["cond", "matrix_rank"]
