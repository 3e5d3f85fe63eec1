"""What numpy.linalg has beyond scipy.linalg, under NumPy's names: products, norms by axis, and equations of tensors.

Plain arrays go to NumPy. Everything else is a composition, so derivatives of every order follow.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from scigrad import numpy as array_functions
from scigrad.autodiff_rules import shape_of
from scigrad.numpy.joining import assembled

from .foundation.failures import LinAlgError
from .singular.norms import norm
from .structured.construction import is_plain
from .systems.inverse import inv
from .systems.solve import solve

# -- products


def matmul(x1, x2, /):
    """The product of matrices (..., m, n) and (..., n, k), vectors as in numpy.matmul. See numpy.linalg.matmul."""
    return np.linalg.matmul(x1, x2) if is_plain(x1, x2) else array_functions.matmul(assembled(x1), assembled(x2))


def outer(x1, x2, /):
    """x1[i] x2[j] of two vectors, without conjugation.

    Raises
    ------
    ValueError : an argument is no vector

    See numpy.linalg.outer.
    """
    if is_plain(x1, x2):
        return np.linalg.outer(x1, x2)
    x1, x2 = assembled(x1), assembled(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer: Input arrays must be one-dimensional, not of shapes {shape_of(x1)} and {shape_of(x2)}.")
    return array_functions.outer(x1, x2)


def vecdot(x1, x2, /, *, axis=-1):
    """The sum of conj(x1) x2 over an axis; the others broadcast. See numpy.linalg.vecdot."""
    if is_plain(x1, x2):
        return np.linalg.vecdot(x1, x2, axis=axis)
    return array_functions.vecdot(assembled(x1), assembled(x2), axis=axis)


def cross(x1, x2, /, *, axis=-1):
    """The vector product of vectors of three elements along an axis; the others broadcast.

    Raises
    ------
    ValueError : vectors of another length

    See numpy.linalg.cross.
    """
    if is_plain(x1, x2):
        return np.linalg.cross(x1, x2, axis=axis)
    x1, x2 = assembled(x1), assembled(x2)
    if shape_of(x1)[axis] != 3 or shape_of(x2)[axis] != 3:
        raise ValueError(
            "cross: Both input arrays must be (arrays of) 3-dimensional vectors, but the lengths along "
            f"axis={axis} are {shape_of(x1)[axis]} and {shape_of(x2)[axis]}."
        )
    return array_functions.cross(x1, x2, axis=axis)


def multi_dot(arrays, *, out=None):
    """The product of several matrices, in the order that takes the fewest multiplications.

    Parameters
    ----------
    arrays : at least two matrices; the first and the last may be vectors
    out : not with traced arrays

    Raises
    ------
    ValueError : fewer than two arrays, or shapes that do not fit
    numpy.linalg.LinAlgError : an array has another number of axes

    See numpy.linalg.multi_dot.
    """
    if is_plain(*arrays):
        return np.linalg.multi_dot(arrays, out=out)
    if out is not None:
        raise TypeError("multi_dot: out= is not available on traced arrays; use what is returned")
    items = [assembled(x) for x in arrays]
    if len(items) < 2:
        raise ValueError(f"multi_dot: Expecting at least two arrays, not {len(items)}.")
    for i, x in enumerate(items):
        if x.ndim != 2 and (x.ndim != 1 or 0 < i < len(items) - 1):
            raise LinAlgError(
                f"multi_dot: array {i} must be two-dimensional, the first and the last two- or one-, but has shape {shape_of(x)}."
            )
    row, column = items[0].ndim == 1, items[-1].ndim == 1
    items[0] = items[0][None] if row else items[0]
    items[-1] = items[-1][:, None] if column else items[-1]
    splits = _splits([shape_of(x)[0] for x in items] + [shape_of(items[-1])[1]])
    product = _product(items, splits, 0, len(items) - 1)
    product = product[0] if row else product
    return product[..., 0] if column else product


def _splits(sizes: Sequence[int]) -> dict[tuple[int, int], int]:
    """Where each product of neighbours i ... j is best cut, for matrices k of shape (sizes[k], sizes[k + 1]). (Cormen, Leiserson,
    Rivest and Stein, Introduction to Algorithms, section 15.2.)"""
    n, splits = len(sizes) - 1, {}
    cost = {(i, i): 0 for i in range(n)}
    for span in range(1, n):
        for i in range(n - span):
            j = i + span
            options = [(cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)]
            cost[i, j], splits[i, j] = min(options)
    return splits


def _product(items: list[Any], splits: dict[tuple[int, int], int], i: int, j: int) -> Any:
    if i == j:
        return items[i]
    k = splits[i, j]
    return _product(items, splits, i, k) @ _product(items, splits, k + 1, j)


# -- parts


def diagonal(x, /, *, offset=0):
    """A diagonal of each matrix (..., m, n), as the last axis. See numpy.linalg.diagonal."""
    return np.linalg.diagonal(x, offset=offset) if is_plain(x) else array_functions.diagonal(assembled(x), offset, -2, -1)


def trace(x, /, *, offset=0, dtype=None):
    """The sum of a diagonal of each matrix (..., m, n). See numpy.linalg.trace."""
    if is_plain(x):
        return np.linalg.trace(x, offset=offset, dtype=dtype)
    return array_functions.trace(assembled(x), offset, -2, -1, dtype)


# -- norms


def matrix_norm(x, /, *, keepdims=False, ord="fro"):
    """A norm of each matrix (..., m, n), with `ord` as in norm. See numpy.linalg.matrix_norm."""
    if is_plain(x):
        return np.linalg.matrix_norm(x, keepdims=keepdims, ord=ord)
    return norm(assembled(x), ord, (-2, -1), keepdims, check_finite=False)


def vector_norm(x, /, *, axis=None, keepdims=False, ord=2):
    """A norm of vectors along one or several axes (None: all), which count as one, with `ord` as in norm.

    See numpy.linalg.vector_norm.
    """
    if is_plain(x):
        return np.linalg.vector_norm(x, axis=axis, keepdims=keepdims, ord=ord)
    x = assembled(x)
    if axis is not None and not isinstance(axis, tuple):
        return norm(x, ord, axis, keepdims, check_finite=False)
    axes = tuple(range(x.ndim)) if axis is None else tuple(n % x.ndim for n in axis)
    rest = tuple(n for n in range(x.ndim) if n not in axes)
    flat = np.transpose(x, rest + axes).reshape((*(x.shape[n] for n in rest), math.prod(x.shape[n] for n in axes)))
    out = norm(flat, ord, -1, check_finite=False)
    return out.reshape(tuple(1 if n in axes else size for n, size in enumerate(x.shape))) if keepdims else out


# -- equations of tensors


def tensorsolve(a, b, axes=None):
    """x with tensordot(a, x, x.ndim) = b.

    Parameters
    ----------
    a : b.shape + x.shape, with as many elements in the one part as in the other
    b : right-hand side
    axes : axes of a that are moved to the end first

    Raises
    ------
    numpy.linalg.LinAlgError : shapes that do not fit, or a singular tensor

    See numpy.linalg.tensorsolve.
    """
    if is_plain(a, b):
        return np.linalg.tensorsolve(a, b, axes)
    a, b = assembled(a), assembled(b)
    if axes is not None:
        moved = [n % a.ndim for n in axes]
        a = np.transpose(a, [n for n in range(a.ndim) if n not in moved] + moved)
    shape = shape_of(a)[len(shape_of(b)) :]
    n = math.prod(shape)
    if math.prod(shape_of(a)) != n * n or math.prod(shape_of(b)) != n:
        raise LinAlgError(
            "tensorsolve: Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim]), but 'a' is "
            f"{shape_of(a)} and 'b' {shape_of(b)}."
        )
    x: Any = solve(a.reshape((n, n)), b.reshape((n,)), check_finite=False)
    return x.reshape(shape)


def tensorinv(a, ind=2):
    """The inverse of a as the map x -> tensordot(a, x, ind).

    Parameters
    ----------
    a : its first `ind` axes have as many elements as the others
    ind : a positive integer

    Raises
    ------
    ValueError : ind is not positive
    numpy.linalg.LinAlgError : a is not square in this sense, or singular

    See numpy.linalg.tensorinv.
    """
    if is_plain(a):
        return np.linalg.tensorinv(a, ind)
    if ind <= 0:
        raise ValueError(f"tensorinv: Invalid ind argument: {ind} is not positive.")
    a = assembled(a)
    shape = shape_of(a)[ind:] + shape_of(a)[:ind]
    n = math.prod(shape_of(a)[ind:])
    if math.prod(shape_of(a)[:ind]) != n:
        parts = f"the first {ind} axes of 'a', whose shape is {shape_of(a)}, must have as many elements as the others"
        raise LinAlgError(f"tensorinv: {parts}.")
    inverse: Any = inv(a.reshape((n, n)), check_finite=False)
    return inverse.reshape(shape)


__all__ = [
    "cross", "diagonal", "matmul", "matrix_norm", "multi_dot", "outer", "tensorinv", "tensorsolve", "trace", "vecdot",
    "vector_norm",
]  # fmt: skip
