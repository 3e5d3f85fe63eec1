"""Matrices with constant diagonals or antidiagonals, block diagonals, and predicates of structure.

Plain arrays go to SciPy. A Hankel matrix a[i, j] = w[i + j] is the one linear map behind the
others: Toeplitz matrices are Hankel matrices with the columns reversed. Its adjoint sums along
antidiagonals, by one skew and a sum over rows.
"""

from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import constant, linear, shape_of, warn
from scigrad.autodiff_rules.backends import check_devices, library
from scigrad.numpy import atleast_1d, atleast_2d
from scigrad.numpy.devices import bring_home
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike

from ..foundation.lapack import host
from ..foundation.matrices import is_host


@linear("w", core={"w": 1})
def with_constant_antidiagonals(w, rows, columns):
    """Return the matrix a[i, j] = w[i + j]."""
    return w[..., np.arange(rows)[:, None] + np.arange(columns)]


@linear("g", core={"g": 2})
def antidiagonal_sums(g, length):
    """Return s[k], the sum of all g[i, j] with i + j = k; length is m + n - 1 for g (..., m, n),
    but anything where g is empty.
    """
    lead, (m, n) = g.shape[:-2], g.shape[-2:]
    if g.size == 0:
        return np.zeros((*lead, length), g.dtype, like=g)
    skewed = np.concatenate([g, np.zeros((*lead, m, m), g.dtype, like=g)], axis=-1).reshape(
        (*lead, m * (m + n))
    )
    return skewed[..., : m * length].reshape((*lead, m, length)).sum(axis=-2)


with_constant_antidiagonals.adjoint(lambda call, g: antidiagonal_sums(g, call.w.shape[-1]))
antidiagonal_sums.adjoint(lambda call, g: with_constant_antidiagonals(g, *call.g.shape[-2:]))


def _from_diagonals(w: Any, rows: int, columns: int) -> Any:
    """Return the matrix a[i, j] = w[i - j + n - 1]."""
    return np.flip(with_constant_antidiagonals(w, rows, columns), -1)


def concatenate_vectors(*parts: Any) -> Any:
    """Join vectors one behind the other; batch axes broadcast."""
    lead = np.broadcast_shapes(*(shape_of(x)[:-1] for x in parts))
    whole = [
        x if shape_of(x)[:-1] == lead else np.broadcast_to(x, (*lead, shape_of(x)[-1]))
        for x in parts
    ]
    return np.concatenate(whole, axis=-1)


def _sides(*given: Any) -> Any:
    return bring_home([assemble(x) for x in given], given)


def toeplitz(c: ArrayLike, r: ArrayLike | None = None) -> Array:
    """Construct a Toeplitz matrix.

    ``a[i, j] = c[i - j]`` for i >= j, and ``r[j - i]`` for i < j.

    Parameters
    ----------
    c : (..., m) array_like
        First column.
    r : (..., n) array_like, optional
        First row, ``conj(c)`` by default. ``r[0]`` is not read. Batch axes broadcast.

    Returns
    -------
    a : (..., m, n) ndarray
        Toeplitz matrix.

    Notes
    -----
    Cotangents are sums along the diagonals; ``r[0]`` gets 0. See `scipy.linalg.toeplitz`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda c: np.sum(linalg.toeplitz(c)))(np.ones(3)))
    [3. 4. 2.]
    """
    if is_host(c, r):
        return host("toeplitz")(c, r)
    sides = _sides(c, np.conjugate(assemble(c)) if r is None else r)
    column, row = map(atleast_1d, sides)
    entries = concatenate_vectors(np.flip(row[..., 1:], -1), column)
    return _from_diagonals(entries, shape_of(column)[-1], shape_of(row)[-1])


def circulant(c: ArrayLike) -> Array:
    """Construct a circulant matrix, a[i, j] = c[(i - j) mod n].

    Parameters
    ----------
    c : (..., n) array_like
        First column.

    Returns
    -------
    a : (..., n, n) ndarray
        Circulant matrix.

    Notes
    -----
    Linear in `c`. See `scipy.linalg.circulant`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda c: np.trace(linalg.circulant(c)))(np.ones(3)))
    [3. 0. 0.]
    """
    if is_host(c):
        return host("circulant")(c)
    c = atleast_1d(assemble(c))
    return _from_diagonals(concatenate_vectors(c[..., 1:], c), shape_of(c)[-1], shape_of(c)[-1])


def hankel(c: ArrayLike, r: ArrayLike | None = None) -> Array:
    """Construct a Hankel matrix, with first column c and last row r.

    Parameters
    ----------
    c : (m,) array_like
        First column.
    r : (n,) array_like, optional
        Last row, zeros by default. ``r[0]`` is not read. Arrays of more axes are flattened, with
        SciPy's warning that from SciPy 1.19 on they will be batches.

    Returns
    -------
    a : (m, n) ndarray
        Hankel matrix, ``a[i, j] = c[i + j]`` for i + j < m and ``r[i + j - m + 1]`` otherwise.

    Notes
    -----
    Cotangents are sums along the antidiagonals; ``r[0]`` gets 0. See `scipy.linalg.hankel`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda c: np.sum(linalg.hankel(c)))(np.ones(3)))
    [1. 2. 3.]
    """
    if is_host(c, r) and np.ndim(c) < 2 > np.ndim(r):
        return host("hankel")(c, r)
    column, row = _sides(c, np.zeros_like(assemble(c)) if r is None else r)
    if column.ndim > 1 or row.ndim > 1:
        warn(
            "Beginning in SciPy 1.19, multidimensional input will be treated as a batch, not "
            "`ravel`ed. To preserve the existing behavior and silence this warning, `ravel` "
            "arguments before passing them to `hankel`.",
            FutureWarning,
        )
        column, row = column.ravel(), row.ravel()
    entries = concatenate_vectors(column, row[1:])
    return with_constant_antidiagonals(entries, shape_of(column)[-1], shape_of(row)[-1])


_MODES = ("full", "valid", "same")


def convolution_matrix(
    a: ArrayLike, n: int, mode: Literal["full", "same", "valid"] = "full"
) -> Array:
    """Construct the matrix of a convolution.

    ``convolution_matrix(a, n, mode) @ v`` is ``convolve(a, v, mode)`` for vectors v of length n.

    Parameters
    ----------
    a : (..., m) array_like
        Sequence to convolve with.
    n : int
        Number of columns.
    mode : {"full", "same", "valid"}, optional
        Part of the convolution: m + n - 1, max(m, n) or max(m, n) - min(m, n) + 1 rows.

    Returns
    -------
    matrix : (..., rows, n) ndarray
        Matrix of the convolution.

    Raises
    ------
    ValueError
        If `n` is not positive, `a` is empty, or the mode is unknown.

    Notes
    -----
    Linear in `a`. See `scipy.linalg.convolution_matrix`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.sum(linalg.convolution_matrix(a, 3, "valid")))(np.ones(2)))
    [2. 2.]
    """
    if is_host(a):
        return host("convolution_matrix")(a, n, mode)
    if n <= 0:
        raise ValueError(f"convolution_matrix: n must be a positive integer, not {n}.")
    a = assemble(a)
    m = shape_of(a)[-1] if shape_of(a) else 0
    if m == 0:
        raise ValueError(
            f"convolution_matrix: len(a) must be at least 1, but a has shape {shape_of(a)}."
        )
    if mode not in _MODES:
        raise ValueError(
            f"convolution_matrix: 'mode' argument must be one of {_MODES}, not {mode!r}."
        )
    dropped = {"full": 0, "same": min(m, n) - 1, "valid": 2 * (min(m, n) - 1)}[mode]
    first, rows = dropped // 2, m + n - 1 - dropped
    w = np.pad(a, [(0, 0)] * (a.ndim - 1) + [(n - 1, n - 1)])
    return _from_diagonals(w[..., first : first + rows + n - 1], rows, n)


# -- blocks


def block_diag(*arrs: ArrayLike) -> Array:
    """Construct a block diagonal matrix.

    Parameters
    ----------
    *arrs : (..., m_i, n_i) array_like
        Blocks. Vectors are rows. Batch axes broadcast.

    Returns
    -------
    matrix : (..., m_1 + m_2 + ..., n_1 + n_2 + ...) ndarray
        Block diagonal matrix.

    Notes
    -----
    The cotangent of a block is the block of the cotangent. See `scipy.linalg.block_diag`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> weights = np.arange(9.0).reshape(3, 3)
    >>> print(grad(lambda a: np.sum(weights * linalg.block_diag(1.0, a)))(np.zeros((2, 2))))
    [[4. 5.]
     [7. 8.]]
    """
    if is_host(*arrs):
        return host("block_diag")(*arrs)
    blocks = [atleast_2d(assemble(x)) for x in arrs]
    check_devices("block_diag", [f"arrs[{i}]" for i in range(len(arrs))], blocks)
    lead, widths, rows = (
        np.broadcast_shapes(*(shape_of(x)[:-2] for x in blocks)),
        [shape_of(x)[-1] for x in blocks],
        [],
    )
    for i, x in enumerate(blocks):
        beside = (sum(widths[:i]), sum(widths[i + 1 :]))
        rows.append(
            np.pad(
                np.broadcast_to(x, (*lead, *shape_of(x)[-2:])),
                [(0, 0)] * (len(lead) + 1) + [beside],
            )
        )
    return np.concatenate(rows, axis=-2)


# -- predicates, which are constant


def _is_one_on_the_host(a: Any) -> bool:
    """Return whether SciPy's function can be called: for one matrix on the host."""
    return library(a) == "numpy" and (np.ndim(a) <= 2 or 0 not in np.shape(a)[:-2])


@constant(core={"a": 2})
def bandwidth(a: ArrayLike) -> tuple[Array, Array]:
    """Return the numbers of nonzero diagonals below and above the main diagonal.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrix, or batch of matrices.

    Returns
    -------
    lower, upper : int or ndarray of ints
        Bandwidths. Arrays for a batch, and on a GPU, so that the device is not synchronized.

    Raises
    ------
    ValueError
        If `a` is not a matrix.

    Notes
    -----
    See `scipy.linalg.bandwidth`.

    Derivatives: zero wherever they exist.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import linalg
    >>> print(linalg.bandwidth(np.array([[1.0, 2.0], [0.0, 3.0]])))
    (0, 1)
    """
    if _is_one_on_the_host(a):
        return tuple(host("bandwidth")(a))
    below = np.arange(a.shape[-2], like=a)[:, None] - np.arange(a.shape[-1], like=a)
    reach = (np.where(a != 0, side, 0) for side in (below, -below))
    return tuple(
        x.max(axis=(-2, -1)) if 0 not in a.shape[-2:] else x.sum(axis=(-2, -1)) for x in reach
    )


@constant(core={"a": 2})
def issymmetric(a: ArrayLike, atol: float | None = None, rtol: float | None = None) -> Array:
    """Return whether a matrix equals its transpose.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrix, or batch of matrices.
    atol, rtol : float, optional
        Absolute and relative tolerance, as in `numpy.allclose`. By default equality is exact.

    Returns
    -------
    answer : bool or ndarray of bools
        Answers. An array for a batch, and on a GPU, so that the device is not synchronized.

    Raises
    ------
    ValueError
        If `a` is not a square matrix.

    Notes
    -----
    See `scipy.linalg.issymmetric`.

    Derivatives: zero wherever they exist.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import linalg
    >>> print(linalg.issymmetric(np.array([[1.0, 2.0], [2.0, 3.0]])))
    True
    """
    return (
        host("issymmetric")(a, atol, rtol)
        if _is_one_on_the_host(a)
        else _equal(a, a.mT, atol, rtol)
    )


@constant(core={"a": 2})
def ishermitian(a: ArrayLike, atol: float | None = None, rtol: float | None = None) -> Array:
    """Return whether a matrix equals its conjugate transpose.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrix, or batch of matrices.
    atol, rtol : float, optional
        Absolute and relative tolerance, as in `numpy.allclose`. By default equality is exact.

    Returns
    -------
    answer : bool or ndarray of bools
        Answers. An array for a batch, and on a GPU, so that the device is not synchronized.

    Raises
    ------
    ValueError
        If `a` is not a square matrix.

    Notes
    -----
    See `scipy.linalg.ishermitian`.

    Derivatives: zero wherever they exist.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import linalg
    >>> print(linalg.ishermitian(np.array([[1.0, 2j], [-2j, 3.0]])))
    True
    """
    return (
        host("ishermitian")(a, atol, rtol)
        if _is_one_on_the_host(a)
        else _equal(a, np.conjugate(a.mT), atol, rtol)
    )


def _equal(a: Any, other: Any, atol: Any, rtol: Any) -> Any:
    if a.shape[-1] != a.shape[-2]:
        raise ValueError(f"Input array must be square, but has shape {a.shape}.")
    equal = np.isclose(a, other, rtol=rtol or 0, atol=atol or 0) if atol or rtol else a == other
    return equal.all(axis=(-2, -1))


__all__ = [
    "bandwidth", "block_diag", "circulant", "convolution_matrix", "hankel", "ishermitian",
    "issymmetric", "toeplitz",
]  # fmt: skip
