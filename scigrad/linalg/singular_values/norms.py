"""Vector and matrix norms; condition numbers and ranks, as NumPy has them."""

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from scigrad.autodiff_rules import constant, differentiable, raw, shape_of, stop_gradient
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.kinks import kinked_at_zero
from scigrad.numpy.ties import infinitesimal, tie_slopes
from scigrad.typing import Array, ArrayLike, Order

from ..foundation.decompositions import eigh, svd
from ..foundation.failures import LinAlgError
from ..foundation.lapack import host
from ..foundation.matrices import as_array, identity, largest, refuse_nonfinite
from ..systems.solve import inv
from .svd_rules import singular_values


def norm(
    a: ArrayLike,
    ord: Order | None = None,
    axis: int | tuple[Any, Any] | None = None,
    keepdims: bool = False,
    check_finite: bool = True,
) -> Array:
    """Compute a norm of vectors or matrices.

    Parameters
    ----------
    a : array_like
        Vectors or matrices.
    ord : {float, "fro", "nuc", inf, -inf}, optional
        For vectors: the exponent p (2 by default), inf, -inf, or 0 for the number of nonzero
        elements. For matrices: "fro" (the default), "nuc", 1, -1, 2, -2, inf, -inf.
    axis : int or pair of ints, optional
        One axis: norms of vectors; two axes: norms of matrices. By default the norm of a vector, of
        a matrix, or, without `ord`, of all elements.
    keepdims : bool, optional
        Whether the axes are kept with length 1.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.

    Returns
    -------
    norms : float or ndarray
        Norms.

    Raises
    ------
    ValueError
        If `ord` is unknown or does not fit the number of axes, or `a` holds NaN or infinity.

    Notes
    -----
    Where a norm is not differentiable, at 0 or where elements or singular values coincide, its
    derivative is the subgradient of minimum norm, which is 0 at 0; in forward mode singular values
    that are equal or 0 have their one-sided slopes. See `scipy.linalg.norm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(linalg.norm)(np.array([3.0, 4.0])), grad(linalg.norm)(np.zeros(2)))
    [0.6 0.8] [0. 0.]
    """
    # SciPy's value of single precision is a Python number
    if type(a) is np.ndarray and a.dtype.char in "dD":
        out = host("norm")(a, ord, axis, keepdims, check_finite)
        if is_in_range(out, ord):
            return out
    a = as_array("norm", "a", a)
    refuse_nonfinite("norm", check_finite, a=a)
    rank = len(shape_of(a))
    axes = tuple(
        i - rank for i in normalize_axis_tuple(range(rank) if axis is None else axis, rank)
    )
    if ord is None and (axis is None or len(axes) in (1, 2)):
        out = _euclidean(a, axes)
    elif len(axes) not in (1, 2):
        raise ValueError(
            f"norm: improper number of dimensions to norm: {len(axes)}, of an array of shape "
            f"{shape_of(a)}."
        )
    else:
        a = np.moveaxis(a, axes, tuple(range(-len(axes), 0)))
        out = _vector_norm(a, ord) if len(axes) == 1 else _matrix_norm(a, ord)
    return np.expand_dims(out, axes) if keepdims else out


def is_in_range(out: Array, ord: Any) -> bool:
    """Return True if no power of an element can have under- or overflowed in NumPy's or SciPy's
    norm, which do not scale.
    """
    power, limits = (
        2 if ord is None or isinstance(ord, str) else abs(ord),
        np.finfo(np.asarray(out).dtype),
    )
    if power in (0, 1, np.inf):
        return True
    low, high = (
        float(bound) ** (1 / max(power, 1)) for bound in (limits.tiny * 2**20, limits.max / 2**20)
    )
    return bool(np.all((low < out) & (out < high)))


def _vector_norm(a: Any, ord: Any) -> Any:
    if ord == 2:
        return _euclidean(a, -1)
    if isinstance(ord, str):
        raise ValueError(f"norm: invalid norm order {ord!r} for vectors.")
    size = np.abs(a)
    if ord == 0:
        return np.sum(size != 0, axis=-1, dtype=size.dtype)
    if abs(ord) == np.inf:
        return largest(size, -1) if ord > 0 else size.min(axis=-1)
    if ord == 1:
        return size.sum(axis=-1)
    scale = stop_gradient(largest(size, -1))
    # powers of the scaled moduli do not overflow
    scale = np.where((scale == 0) | (scale == np.inf), 1, scale)
    zero = size == 0  # kinks, for ord < 1 with infinite slopes on both sides
    total = np.sum(np.where(zero, 0, np.where(zero, 1, size / scale[..., None]) ** ord), axis=-1)
    # if ord < 0, infinities alone, or no elements, make the norm infinite, and a zero makes it 0
    outside = total == 0
    out = np.where(
        outside, 0 if ord > 0 else np.inf, scale * np.where(outside, 1, total) ** (1 / ord)
    )
    # if all moduli are 0, the largest one carries the slope of the norm
    if infinitesimal(size) is not None:
        along = np.where(outside[..., None], tie_slopes(size)[0], 1)
        along = np.where(largest(along, -1, True) == 0, 1, along)
        out = np.where(
            outside, largest(size, -1) * (_vector_norm(along, ord) / largest(along, -1)), out
        )
    return out if ord > 0 else np.where(zero.any(axis=-1), 0, out)


@kinked_at_zero("a")
def _euclidean(a, axes):
    size, scale = np.abs(a), largest(a, axes, True)
    scale = np.where((scale == 0) | (scale == np.inf), 1, scale)
    return (scale * np.sqrt(((size / scale) ** 2).sum(axis=axes, keepdims=True))).sum(axis=axes)


_euclidean.batch_axis("a", "axes")
_euclidean.pulled_half = lambda call, q, a: np.expand_dims(q, call.axes) * a
_euclidean.pushed_half = lambda call, a, t: np.sum(np.real(np.conjugate(a) * t), axis=call.axes)


def _direction(call: Any) -> Any:
    """Return a / |a|, the derivative of the norm, and 0 where a is 0."""
    out = np.expand_dims(call.out, call.axes)
    return np.where(out == 0, 0, call.a / np.where(out == 0, 1, out))


@_euclidean.jvp
def _(call, t):
    return np.sum(np.real(np.conjugate(_direction(call)) * t.a), axis=call.axes)


@_euclidean.vjp
def _(call, g):
    return {"a": np.expand_dims(g, call.axes) * _direction(call)}


def _matrix_norm(a: Any, ord: Any) -> Any:
    if ord in ("fro", "f"):
        return _euclidean(a, (-2, -1))
    if ord in ("nuc", 2, -2):
        s = singular_values(a, symmetric=ord == "nuc")
        if ord == "nuc" or not shape_of(s)[-1]:
            return s.min(axis=-1) if ord == -2 else s.sum(axis=-1)
        return s[..., 0 if ord == 2 else -1]
    if ord not in (1, -1, np.inf, -np.inf):
        raise ValueError(f"norm: invalid norm order {ord!r} for matrices.")
    sums = np.abs(a).sum(axis=-2 if abs(ord) == 1 else -1)
    return largest(sums, -1) if ord > 0 else sums.min(axis=-1)


# -- condition numbers and ranks


def cond(x: ArrayLike, p: Order | None = None) -> Array:
    """Compute the condition number |x| |x^-1| of a matrix.

    Parameters
    ----------
    x : (..., m, n) array_like
        Matrix, or batch of matrices. Square, unless `p` is None, 2 or -2.
    p : {None, 1, -1, 2, -2, inf, -inf, "fro", "nuc"}, optional
        Norm. None and 2: the ratio of the largest and the smallest singular value, -2: the inverse
        ratio.

    Returns
    -------
    condition : (...) ndarray
        Condition numbers, infinite for a singular matrix, where there is no derivative.

    Raises
    ------
    numpy.linalg.LinAlgError
        If `x` is not a matrix, is empty, or is not square where it has to be, or the SVD does not
        converge.
    ValueError
        If `p` is unknown.

    Notes
    -----
    Where the largest or smallest singular values, or sums, coincide, the derivative is the
    subgradient of minimum norm. See `numpy.linalg.cond`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(linalg.cond)(np.array([[2.0, 1.0], [1.0, 2.0]])).round(12))
    [[-1.  2.]
     [ 2. -1.]]
    """
    # NumPy does not scale the squares of the Frobenius norm
    if type(x) is np.ndarray and p != "fro":
        return np.linalg.cond(x, p)
    x = as_array("cond", "x", x)
    shape = shape_of(x)
    if len(shape) < 2 or 0 in shape[-2:]:
        raise LinAlgError(
            f"cond: cond is not defined on empty arrays or vectors; 'x' has shape {shape}."
        )
    if p in (None, 2, -2):
        s = singular_values(x)
        first, last = (s[..., -1], s[..., 0]) if p == -2 else (s[..., 0], s[..., -1])
        singular = last == 0
        return _infinite(first / np.where(singular, 1, last), singular)
    if shape[-1] != shape[-2]:
        raise LinAlgError(
            f"cond: with p={p!r} 'x' must be square, (..., n, n), but has shape {shape}."
        )
    inverse, info = inv(x, check_finite=False, on_fail="info")
    failed = info != 0
    inverse = np.where(failed[..., None, None], identity(shape[-1], raw(x)), inverse)
    product = norm(x, p, (-2, -1), check_finite=False) * norm(
        inverse, p, (-2, -1), check_finite=False
    )
    return _infinite(product, info > 0)


@differentiable("x", core={"x": 0, "where": 0})
def _infinite(x, where):
    """Return x, with infinity that has no derivative at some places."""
    return np.where(where, np.inf, x).astype(x.dtype)[()]


_infinite.jvp(lambda call, t: np.where(call.where, np.nan, t.x))
_infinite.vjp(lambda call, g: {"x": np.where(call.where, np.nan, g)})


@constant
def matrix_rank(
    A: ArrayLike,
    tol: ArrayLike | None = None,
    hermitian: bool = False,
    *,
    rtol: ArrayLike | None = None,
) -> Array:
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

    Raises
    ------
    ValueError
        If both `tol` and `rtol` are given.

    Notes
    -----
    The rank is piecewise constant. See `numpy.linalg.matrix_rank`.

    Derivatives: zero wherever they exist.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     linalg.matrix_rank(np.ones((2, 2))),
    ...     grad(lambda a: a[0, 0] * linalg.matrix_rank(a))(np.ones((2, 2))),
    ... )
    1 [[1. 0.]
     [0. 0.]]
    """
    if library(A) == "numpy":
        return np.linalg.matrix_rank(A, tol, hermitian, rtol=rtol)
    if rtol is not None and tol is not None:
        raise ValueError("matrix_rank: `tol` and `rtol` can't be both set.")
    if A.ndim < 2:
        return (A != 0).any() * 1
    A = A + 0.0
    s = np.abs(eigh(A, vectors=False)[0]) if hermitian else svd(A, vectors=False)[1]
    least: Any = tol
    if least is None:
        least = largest(s, -1) * (
            max(A.shape[-2:]) * np.finfo(s.dtype).eps if rtol is None else rtol
        )
    return (s > (least[..., None] if hasattr(least, "ndim") and least.ndim else least)).sum(axis=-1)


@matrix_rank.batched
def _(call, batched):
    if call.A.ndim < 3:  # a batch of vectors
        return (call.A != 0).any(axis=tuple(range(1, call.A.ndim))) * 1
    return matrix_rank(call.A, call.tol, call.hermitian, rtol=call.rtol)


__all__ = ["cond", "matrix_rank", "norm"]
