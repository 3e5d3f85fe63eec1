"""Toeplitz and circulant matrices by their first column and row: solve_toeplitz, matmul_toeplitz,
solve_circulant.

Nothing of order n^2 is stored on the host.

Inside, a matrix (m, n) is the vector w of its m + n - 1 diagonals, a[i, j] = w[i - j + n - 1].
Products with it and with its adjoint are convolutions, and so are the cotangents of w, sums along
the diagonals of an outer product.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import ZERO, constant, differentiable, namespace_of, raw, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.typing import Array, ArrayLike, OnFail

from ..foundation import failures
from ..foundation.failures import append_info
from ..foundation.lapack import host, scipys
from ..foundation.matrices import (
    answer,
    as_array,
    as_columns,
    as_vectors,
    is_complex,
    refuse_nonfinite,
    same_precision,
)
from ..structured.construction import concatenate_vectors
from .solve import solver

# -- convolutions


def _convolve_circularly(w: Any, x: Any, length: int) -> tuple[Any, Callable[[Any], Any]]:
    """Return the circular convolution of columns, of a length that is at least `length`, in Fourier
    space, and the way back.
    """
    from scipy.fft import next_fast_len

    is_real = not (is_complex(w) or is_complex(x))
    forward, backward = (np.fft.rfft, np.fft.irfft) if is_real else (np.fft.fft, np.fft.ifft)
    n = next_fast_len(max(length, 1), is_real)
    return forward(w, n, -2) * forward(x, n, -2), lambda y: backward(y, n, -2)[..., :length, :]


def toeplitz_product(w: Any, x: Any) -> Any:
    """Return a x for x of shape (..., n, k), with y[i] = sum_j w[i - j + n - 1] x[j]."""
    product, back = _convolve_circularly(w[..., None], x, shape_of(w)[-1])
    return back(product)[..., max(shape_of(x)[-2] - 1, 0) :, :]


def diagonal_sums(g: Any, x: Any) -> Any:
    """Return the sums along the diagonals of g x^T, for g (..., m, k) and x (..., n, k)."""
    product, back = _convolve_circularly(
        g, np.flip(x, -2), max(shape_of(g)[-2] + shape_of(x)[-2] - 1, 0)
    )
    return back(product.sum(axis=-1, keepdims=True))[..., 0]


# -- the recursion of Levinson and Durbin


@differentiable("w", "b", core={"w": 1, "b": 2})
def toeplitz_solve(w, b, on_fail="raise"):
    """Solve a x = b on the host, and return x and codes: 0, 1 where a leading principal minor is 0,
    -1 where w is not finite.
    """
    n = b.shape[-2]
    lead = np.broadcast_shapes(w.shape[:-1], b.shape[:-2])
    w, b = np.broadcast_to(w, (*lead, w.shape[-1])), np.broadcast_to(b, (*lead, *b.shape[-2:]))
    x, info = np.zeros(b.shape, np.result_type(w.dtype, b.dtype)), np.zeros(lead, np.intp)
    for index in np.ndindex(lead if x.size else (0,)):
        try:
            x[index] = host("solve_toeplitz")(
                (w[index][n - 1 :], w[index][n - 1 :: -1]), b[index], False
            )
        except np.linalg.LinAlgError:
            info[index] = 1
    if on_fail == "raise":
        failures.raise_first(
            "solve_toeplitz", "c_or_cr", (*lead, n), info, "singular minor", "by which it divides"
        )
    else:
        info = np.where(np.isfinite(w).all(axis=-1), info, -1)
        x = failures.marked_nan(x, info, 2)
    return x, info[()]


@toeplitz_solve.jvp  # a x = b  =>  a x' = b' - a' x
def _(call, t):
    x, info = call.out
    right = t.b if t.w is ZERO else t.b - toeplitz_product(t.w, x)
    return toeplitz_solve(call.w, right, call.on_fail)[0], np.zeros_like(info)


@toeplitz_solve.vjp  # v = a^-H g  =>  b_bar = v,  w_bar = the sums along the diagonals of -v x^H
def _(call, g):
    v = toeplitz_solve(np.conjugate(np.flip(call.w, -1)), g[0], call.on_fail)[0]
    return {"b": v, "w": lambda: -diagonal_sums(v, np.conjugate(call.out[0]))}


# -- the public functions


def solve_toeplitz(
    c_or_cr: ArrayLike, b: ArrayLike, check_finite: bool = True, *, on_fail: OnFail = "raise"
) -> Array:
    """Solve a x = b for a Toeplitz matrix.

    Parameters
    ----------
    c_or_cr : (..., n) array_like or pair of (..., n) array_like
        First column, or first column and first row. ``r[0]`` is not read. By default r is
        ``conj(c)``.
    b : (n,) or (..., n, k) array_like
        Right-hand sides. Batch axes broadcast.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    x : (n,) or (..., n, k) ndarray
        Solution, of the shape of `b`, broadcast, in the precision of the arguments (SciPy returns
        double precision).
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, 1 where the recursion fails, or -1 for NaN in the matrix.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity.
    numpy.linalg.LinAlgError
        If a leading principal minor is 0.

    Notes
    -----
    Cotangents of c and r are sums along the diagonals of ``-w x^H`` with ``w = a^-H g``; ``r[0]``
    gets 0. On a GPU the full matrix is factored. See `scipy.linalg.solve_toeplitz`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> c, r = np.array([2.0, 0.0]), np.array([9.0, 1.0])
    >>> print(grad(lambda r: np.sum(linalg.solve_toeplitz((c, r), np.ones(2))))(r))
    [ 0.   -0.25]
    """
    if _is_scipys_case(c_or_cr, b) and on_fail == "raise":
        return host("solve_toeplitz")(c_or_cr, b, check_finite)
    failures.check_policy("solve_toeplitz", on_fail)
    w, b, n, vector = _check_system(
        "solve_toeplitz", "b", c_or_cr, b, check_finite and on_fail == "raise"
    )
    if shape_of(w)[-1] != max(2 * n - 1, 0):
        raise ValueError(
            f"solve_toeplitz: Incompatible dimensions: 'c' and 'r' must have the same length, {n} "
            "as b has rows."
        )
    if library(raw(w)) == "numpy":
        x, info = toeplitz_solve(w, b, on_fail)
    else:
        a = w[..., np.arange(n)[:, None] - np.arange(n) + n - 1]
        solve, codes = solver("solve_toeplitz", a, on_fail=on_fail)
        x, info = solve(b), codes(b)
    return answer(x, vector, on_fail, lambda: info)


def matmul_toeplitz(
    c_or_cr: ArrayLike, x: ArrayLike, check_finite: bool = False, workers: int | None = None
) -> Array:
    """Compute the product of a Toeplitz matrix and a matrix by fast Fourier transforms.

    Parameters
    ----------
    c_or_cr : (..., m) array_like or pair of array_like
        First column, or first column and first row (..., n). ``r[0]`` is not read. By default r is
        ``conj(c)``.
    x : (n,) or (..., n, k) array_like
        Vector, matrix, or batch of matrices. Batch axes broadcast.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    workers : int, optional
        Number of threads, for plain arrays.

    Returns
    -------
    product : (m,) or (..., m, k) ndarray
        Product, in the precision of the arguments (SciPy returns double precision).

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity.

    Notes
    -----
    Differentiable in c, r and `x`; ``r[0]`` gets 0. See `scipy.linalg.matmul_toeplitz`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> c = np.array([1.0, 2.0])
    >>> print(grad(lambda x: np.sum(linalg.matmul_toeplitz(c, x)))(np.ones(2)).round(12))
    [3. 3.]
    """
    if _is_scipys_case(c_or_cr, x):
        return host("matmul_toeplitz")(c_or_cr, x, check_finite, workers)
    w, x, _, vector = _check_system("matmul_toeplitz", "x", c_or_cr, x, check_finite)
    y = toeplitz_product(w, x)
    return as_vectors(y) if vector else y


def _is_scipys_case(c_or_cr: Any, b: Any) -> bool:
    """Return whether SciPy's own function serves: in double precision, without a batch."""
    parts = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr,)
    if type(b) is not np.ndarray or b.ndim > 2 or b.dtype.char not in "dD":
        return False
    return all(type(x) is np.ndarray and x.ndim == 1 and x.dtype.char in "dD" for x in parts)


def _check_system(
    function: str, name: str, c_or_cr: Any, b: Any, check: bool
) -> tuple[Any, Any, int, bool]:
    """Return the diagonals, b as columns, how many rows it has, and whether it was one vector."""
    c, r = c_or_cr if isinstance(c_or_cr, tuple) else (c_or_cr, None)
    c, b = as_array(function, "c", c), as_array(function, name, b)
    r = np.conjugate(c) if r is None else as_array(function, "r", r)
    shape, vector = shape_of(b), len(shape_of(b)) == 1
    rows = shape[0 if vector else -2] if shape else -1
    if not shape_of(c) or shape_of(r)[-1:] != (rows,):
        raise ValueError(
            f"{function}: Incompatible dimensions: 'c' is {shape_of(c)}, 'r' {shape_of(r)}, so "
            f"'{name}' needs as many rows as 'r' has elements, but has shape {shape}. Only a 1-D "
            f"{name} is a vector."
        )
    refuse_nonfinite(function, check, c=c, r=r, **{name: b})
    c, r, b = same_precision(c, r, b)
    w = concatenate_vectors(np.flip(r[..., 1:], -1), c)
    return w, as_columns(b) if vector else b, rows, vector


# -- circulant systems


@constant(core={"c": 1})
def _kept(c, tol):
    """Return a mask of the eigenvalues of a circulant that count as different from 0."""
    if c.size == 0:
        return namespace_of(c).ones(c.shape, bool)
    size = np.abs(np.fft.fft(c))
    if tol is None:
        tol = size.max(axis=-1, keepdims=True) * (c.shape[-1] * np.finfo(np.float64).eps)
    return ~(size <= tol)


def solve_circulant(
    c: ArrayLike,
    b: ArrayLike,
    singular: Literal["raise", "lstsq"] = "raise",
    tol: float | None = None,
    caxis: int = -1,
    baxis: int = 0,
    outaxis: int = 0,
    *,
    on_fail: OnFail = "raise",
) -> Array:
    """Solve a x = b for a circulant matrix.

    Parameters
    ----------
    c : (..., n) array_like
        First columns of the matrices, along `caxis`.
    b : (n, ...) array_like
        Right-hand sides, along `baxis`. The other axes of `c` and `b` broadcast.
    singular : {"raise", "lstsq"}, optional
        For a nearly singular matrix: an exception, or the minimizer of ``|b - a x|`` of minimum
        norm.
    tol : float, optional
        Eigenvalues up to `tol` in absolute value count as zero. By default ``n eps`` times the
        largest.
    caxis, baxis, outaxis : int, optional
        Axes of the vectors in `c`, in `b` and in the result.
    on_fail : {"raise", "nan", "info"}, optional
        With ``singular="raise"``: for a singular matrix an exception, NaN, or NaN and the output
        `info`.

    Returns
    -------
    x : ndarray
        Solutions, along `outaxis`.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, or 1 for a singular matrix, of the shape of `c` without its
        axis of vectors.

    Raises
    ------
    ValueError
        If shapes or axes do not fit.
    numpy.linalg.LinAlgError
        If a matrix is nearly singular and ``singular="raise"``.

    Notes
    -----
    ``x = ifft(fft(b) / fft(c))``. Differentiable in `c` and `b` while the number of eigenvalues
    that count as zero is constant. See `scipy.linalg.solve_circulant`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda c: np.sum(linalg.solve_circulant(c, np.ones(2))))(np.array([2.0, 0.0])))
    [-0.5 -0.5]
    """
    if type(c) is np.ndarray is type(b) and on_fail == "raise":
        x = scipys(
            "solve_circulant",
            (c, b, singular, tol, caxis, baxis, outaxis),
            False,
            np.linalg.LinAlgError,
        )
        if x is not None:
            return x
    failures.check_policy("solve_circulant", on_fail)
    c, b = (
        x if shape_of(x) else x[None]
        for x in (as_array("solve_circulant", "c", c), as_array("solve_circulant", "b", b))
    )
    if _length("c", c, caxis) != _length("b", b, baxis):
        raise ValueError(
            f"solve_circulant: Shapes of c {shape_of(c)} and b {shape_of(b)} are incompatible: "
            f"lengths along caxis={caxis} and baxis={baxis} differ."
        )
    c, b = same_precision(np.moveaxis(c, caxis, -1), np.moveaxis(b, baxis, -1))
    kept = _kept(c, tol)
    if singular == "raise" and on_fail == "raise":
        _refuse_singular(raw(c), raw(kept))
    if shape_of(c)[-1] == 0:
        x = c * b
    else:  # in the eigenspaces that are not kept x is 0, and stays so
        x = np.fft.ifft(np.where(kept, np.fft.fft(b) / np.where(kept, np.fft.fft(c), 1), 0))
        x = x if is_complex(c) or is_complex(b) else np.real(x)
    failed = ~np.all(kept, axis=-1)
    if singular == "raise" and on_fail != "raise":
        x = np.where(failed[..., None], np.nan, x).astype(x.dtype)
    x = np.moveaxis(x, -1, outaxis) if outaxis != -1 else x
    return append_info(x, failed * int(singular == "raise"), on_fail)


def _refuse_singular(c: Any, kept: Any) -> None:
    detail = "near singular circulant matrix, {code} of its eigenvalues fft(c) at most tol in size"
    failures.raise_first(
        "solve_circulant",
        "c",
        shape_of(c),
        (~kept).sum(axis=-1),
        "singular circulant",
        detail,
    )


def _length(name: str, x: Any, axis: int) -> int:
    shape = shape_of(x)
    if not -len(shape) <= axis < len(shape):
        raise ValueError(
            f"solve_circulant: '{name}axis' entry is out of bounds: {axis} for an array of shape "
            f"{shape}."
        )
    return shape[axis]


__all__ = ["matmul_toeplitz", "solve_circulant", "solve_toeplitz"]
