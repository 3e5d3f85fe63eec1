"""Vector and matrix norms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from scigrad.autodiff_rules import raw, shape_of, stop_gradient
from scigrad.numpy.squares import kinked, squared_modulus

from ..foundation.lapack import host
from ..foundation.matrices import as_array, largest, refuse_nonfinite
from .singular_values import decomposed, singular_values


def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    """Compute a norm of vectors or matrices.

    Parameters
    ----------
    a : array_like
        Vectors or matrices.
    ord : {float, "fro", "nuc", inf, -inf}, optional
        For vectors: the exponent p (2 by default), inf, -inf, or 0 for the number of nonzero elements. For matrices: "fro" (the
        default), "nuc", 1, -1, 2, -2, inf, -inf.
    axis : int or pair of ints, optional
        One axis: norms of vectors; two axes: norms of matrices. By default the norm of a vector, of a matrix, or, without `ord`,
        of all elements.
    keepdims : bool, optional
        Whether the axes are kept with length 1.

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
    Where a norm is not differentiable, at 0 or where elements or singular values coincide, its derivative is the subgradient of
    minimum norm, which is 0 at 0. See `scipy.linalg.norm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(linalg.norm)(np.array([3.0, 4.0])), grad(linalg.norm)(np.zeros(2)))
    [0.6 0.8] [0. 0.]
    """
    if type(a) is np.ndarray and a.dtype.char in "dD":  # SciPy's value of single precision is a Python number
        out = host("norm")(a, ord, axis, keepdims, check_finite)
        if in_range(out, ord):
            return out
    a = as_array("norm", "a", a)
    refuse_nonfinite("norm", check_finite, a=a)
    rank = len(shape_of(a))
    if axis is None:
        if ord is None and rank not in (1, 2):
            out = _vector(a.reshape((-1,)), None)
            return out.reshape((1,) * rank) if keepdims else out
        axis = tuple(range(rank))
    axes = normalize_axis_tuple(axis, rank)
    if len(axes) not in (1, 2):
        raise ValueError(f"norm: improper number of dimensions to norm: {len(axes)}, of an array of shape {shape_of(a)}.")
    a = np.moveaxis(a, axes, tuple(range(-len(axes), 0)))
    out = _vector(a, ord) if len(axes) == 1 else _matrix(a, ord)
    return np.expand_dims(out, axes) if keepdims else out


def in_range(out: Any, ord: Any) -> bool:
    """Return True if no power of an element can have under- or overflowed in NumPy's or SciPy's norm, which do not scale."""
    power, limits = 2 if ord is None or isinstance(ord, str) else abs(ord), np.finfo(np.asarray(out).dtype)
    if power in (0, 1, np.inf):
        return True
    low, high = (float(bound) ** (1 / max(power, 1)) for bound in (limits.tiny * 2**20, limits.max / 2**20))
    return bool(np.all((low < out) & (out < high)))


def _vector(a: Any, ord: Any) -> Any:
    if ord in (None, 2):
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
    scale = np.where((scale == 0) | (scale == np.inf), 1, scale)  # so that powers do not overflow
    zero = size == 0  # kinks, for ord < 1 with infinite slopes on both sides
    total = np.sum(np.where(zero, 0, np.where(zero, 1, size / scale[..., None]) ** ord), axis=-1)
    if ord < 0:  # a zero makes the norm 0; without one, nothing but infinities, or nothing at all, makes it infinite
        total = np.where(zero.any(axis=-1), 0, total)
    outside = total == 0
    out = np.where(outside, 0 if ord > 0 else np.inf, scale * np.where(outside, 1, total) ** (1 / ord))
    return out if ord > 0 else np.where(zero.any(axis=-1), 0, out)


@kinked("a", lambda a, axes: np.sum(squared_modulus(a), axis=axes))
def _euclidean(a, axes):
    size, scale = np.abs(a), largest(a, axes, True)
    scale = np.where((scale == 0) | (scale == np.inf), 1, scale)
    return (scale * np.sqrt(((size / scale) ** 2).sum(axis=axes, keepdims=True))).sum(axis=axes)


_euclidean.batched(lambda call, batched: _euclidean(call.a, call.axes))


def _direction(call: Any) -> Any:
    """a / |a|, and 0 where a is 0."""
    out = np.expand_dims(call.out, call.axes)
    return np.where(out == 0, 0, call.a / np.where(out == 0, 1, out))


@_euclidean.jvp
def _(call, t):
    return np.sum(np.real(np.conjugate(_direction(call)) * t.a), axis=call.axes)


@_euclidean.vjp
def _(call, g):
    return {"a": np.expand_dims(g, call.axes) * _direction(call)}


def _matrix(a: Any, ord: Any) -> Any:
    if ord in (None, "fro", "f"):
        return _euclidean(a, (-2, -1))
    if ord in ("nuc", 2, -2):
        s = singular_values(a, decomposed("norm", raw(a), np.finfo(a.dtype).eps, 0.0, "raise"))
        return _of_spectrum(s, ord)
    if ord not in (1, -1, np.inf, -np.inf):
        raise ValueError(f"norm: invalid norm order {ord!r} for matrices.")
    sums = np.abs(a).sum(axis=-2 if abs(ord) == 1 else -1)
    return largest(sums, -1) if ord > 0 else sums.min(axis=-1)


def _of_spectrum(s: Any, ord: Any) -> Any:
    if ord == "nuc" or shape_of(s)[-1] == 0:
        return s.min(axis=-1) if ord == -2 else s.sum(axis=-1)
    return s[..., 0] if ord == 2 else s[..., -1]


__all__ = ["norm"]
