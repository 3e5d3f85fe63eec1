"""Similar matrices: balanced ones, and the real block form of eigenvalues that come in conjugate pairs."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, constant, namespace_of, shape_of
from scigrad.autodiff_rules.backends import library

from ..foundation.failures import each
from ..foundation.lapack import followed, host
from ..foundation.matrices import as_array, checked, on_diagonal, refuse_nonfinite


def matrix_balance(A, permute=True, scale=True, separate=False, overwrite_a=False):
    """Compute a similar matrix whose rows and columns have norms of equal size, b = t^-1 a t.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.
    permute : bool, optional
        Whether rows and columns may be permuted to isolate eigenvalues.
    scale : bool, optional
        Whether they are scaled by powers of 2.
    separate : bool, optional
        Whether the scaling and the permutation are returned in place of t, for a batch in one array (..., 2, n).

    Returns
    -------
    b : (..., n, n) ndarray
        Balanced matrix.
    t : (..., n, n) ndarray
        Permuted and scaled identity, or with `separate` two arrays (..., n).

    Raises
    ------
    ValueError
        If `A` is not square, or holds NaN or infinity.

    Notes
    -----
    The transformation is piecewise constant, so that ``b' = t^-1 a' t``. On a GPU there is no such
    algorithm, see `scigrad.on_host`. See `scipy.linalg.matrix_balance`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.array([[1.0, 64.0], [1.0, 2.0]])
    >>> print(grad(lambda a: np.sum(linalg.matrix_balance(a, permute=False)[0]))(a))
    [[1.    0.125]
     [8.    1.   ]]
    """
    if A.__class__ is np.ndarray and A.size:
        try:
            b, t = host("matrix_balance")(A, permute, scale, separate, followed(overwrite_a))
            kind = np.real(b).dtype  # SciPy's t is always in double precision
            if separate:
                return b, (t[0].astype(kind), t[1]) if isinstance(t, tuple) else t
            return b, t.astype(kind)
        except ValueError:
            if overwrite_a:
                raise
    a = checked("matrix_balance", "A", A)
    scaling, permutation, t = _balancing(a, bool(permute), bool(scale))
    rows = np.take_along_axis(a, permutation[..., :, None], axis=-2)
    b = np.take_along_axis(rows, permutation[..., None, :], axis=-1)
    b = b * (scaling[..., None, :] / scaling[..., :, None])
    if separate and len(shape_of(a)) > 2:  # SciPy stacks them in a batch
        return b, np.stack([scaling.astype(float), permutation.astype(float)], axis=-2)
    return (b, (scaling, permutation)) if separate else (b, t)


@constant
def _balancing(a, permute, scale):
    def one(a: Any) -> tuple[Any, ...]:
        n, kind = len(a), np.real(a).dtype
        _, (scaling, permutation) = host("matrix_balance")(a, permute, scale, True)
        t = np.zeros((n, n), kind)
        scaling = np.real(scaling).astype(kind)
        t[permutation, np.arange(n)] = scaling
        return scaling, permutation.astype(np.intp), t

    return tuple(each("matrix_balance", one, a, argument="A")[0])


_balancing.batch_leading(a=2)


def cdf2rdf(w, v):
    """Convert complex eigenvalues in conjugate pairs, and their vectors, to real blocks and vectors.

    Parameters
    ----------
    w : (..., n) array_like
        Real eigenvalues, and pairs of conjugate ones next to each other.
    v : (..., n, n) array_like
        Eigenvectors, ``a v = v diag(w)``.

    Returns
    -------
    wr : (..., n, n) ndarray
        Real matrix with [[x, y], [-y, x]] on the diagonal for each pair x +- iy.
    vr : (..., n, n) ndarray
        Real matrix with ``a vr = vr wr``.

    Raises
    ------
    ValueError
        If shapes do not fit, or an eigenvalue has no conjugate.

    Notes
    -----
    Linear in `w` and `v` while the positions of the pairs are constant. See `scipy.linalg.cdf2rdf`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> w, v = linalg.eig(np.array([[0.0, 1.0], [-4.0, 0.0]]))
    >>> print(grad(lambda w: np.trace(linalg.cdf2rdf(w, v)[0]))(w))
    [1.+0.j 1.+0.j]
    """
    if w.__class__ is np.ndarray is v.__class__:
        wr, vr = host("cdf2rdf")(w, v)
        return wr, vr.astype("f") if v.dtype.char in "fF" else vr  # SciPy's vr is always in double precision
    w, v = as_array("cdf2rdf", "w", w), as_array("cdf2rdf", "v", v)
    shapes = shape_of(w), shape_of(v)
    if len(shapes[0]) < 1 or len(shapes[1]) < 2:
        raise ValueError(f"cdf2rdf: expected w to be at least 1D and v at least 2D, not of shapes {shapes[0]} and {shapes[1]}.")
    if shapes[1] != (*shapes[0], shapes[0][-1]):
        raise ValueError(
            f"cdf2rdf: expected v to hold a square matrix for each row of w, not shapes {shapes[0]} and {shapes[1]}."
        )
    for name, x in (("w", w), ("v", v)):
        refuse_nonfinite("cdf2rdf", not isinstance(x, Traced), **{name: x})
    first, second = _pairs(w)
    n = shapes[0][-1]
    neighbours = namespace_of(first).eye(n, k=1, dtype=first.dtype)
    both = first[..., :, None] * second[..., None, :] * neighbours
    wr = on_diagonal(np.real(w)) + np.imag(w)[..., None] * (both + both.mT)
    # of the pair u + iv, u - iv the vectors are  Re(i (u + iv) - i (u - iv)) / 2 = -v  and  Re((u + iv) + (u - iv)) / 2 = u
    following = np.concatenate([v[..., 1:], v[..., :1]], axis=-1)
    before = np.concatenate([v[..., -1:], v[..., :-1]], axis=-1)
    alone = (1 - first - second)[..., None, :]
    at_first = (np.imag(following) - np.imag(v)) / 2 * first[..., None, :]
    at_second = (np.real(before) + np.real(v)) / 2 * second[..., None, :]
    return wr, np.real(v) * alone + at_first + at_second


@constant
def _pairs(w):
    """1 where the first, and where the second of a pair of conjugate eigenvalues stands, else 0."""
    paired = np.imag(w) != 0
    count = np.cumsum(1 * paired, axis=-1)
    if library(w) == "numpy" and (paired.sum(axis=-1) % 2).any():
        raise ValueError("cdf2rdf: expected complex-conjugate pairs of eigenvalues, but one has no partner.")
    kind = np.real(w).dtype
    return (paired & (count % 2 == 1)).astype(kind), (paired & (count % 2 == 0)).astype(kind)


_pairs.batch_leading(w=1)


__all__ = ["cdf2rdf", "matrix_balance"]
