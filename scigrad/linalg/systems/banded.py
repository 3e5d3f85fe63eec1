"""Banded systems and Cholesky factors: solve_banded, solveh_banded, cho_solve_banded,
cholesky_banded. Cotangents are in the storage of the matrix.

On a device, where no kernel for bands exists, the full matrix is used.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import differentiable, jvp, raw, shape_of, vjp
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.devices import upload
from scigrad.typing import Array, ArrayLike, OnFail

from ..foundation import failures
from ..foundation.bands import (
    band_entries,
    band_solve,
    dense,
    factorize_band,
    hermitian_band,
    inside,
    other_half,
)
from ..foundation.factors import failure_codes
from ..foundation.failures import append_info
from ..foundation.lapack import host, may_overwrite, routine, scipys
from ..foundation.matrices import answer, as_pair, as_vectors, check_matrices, mH, system
from .cholesky import lower_factor
from .solve import solver, triangular_solver


def solve_banded(
    l_and_u: tuple[Any, Any],
    ab: ArrayLike,
    b: ArrayLike,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    *,
    on_fail: OnFail = "raise",
) -> Array:
    """Solve a x = b for a banded matrix.

    Parameters
    ----------
    l_and_u : pair of ints
        Numbers of diagonals below and above the main one. Arrays if they vary over a batch.
    ab : (..., l + u + 1, n) array_like
        Matrix in band storage, ``ab[u + i - j, j] = a[i, j]``.
    b : (n,) or (..., n, k) array_like
        Right-hand sides. Batch axes broadcast.
    overwrite_ab, overwrite_b : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    x : (n,) or (..., n, k) ndarray
        Solution, of the shape of `b`, broadcast.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, the number of the zero pivot, or -1 for NaN in the matrix.
        1 for any failure on a GPU.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity, inside or outside of the matrix.
    numpy.linalg.LinAlgError
        If the matrix is singular.

    Notes
    -----
    With ``w = a^-H g``: ``b_bar = w``, and ``ab_bar`` is the band of ``-w x^H``. Entries outside of
    the matrix get 0. Value and gradient share one factorization, and a batch is one call of LAPACK.
    On a GPU the full n x n matrix is factored. See `scipy.linalg.solve_banded`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> ab = np.array([[0.0, 1.0], [2.0, 4.0]])
    >>> print(grad(lambda ab: np.sum(linalg.solve_banded((0, 1), ab, np.array([4.0, 4.0]))))(ab))
    [[ 0.    -0.5  ]
     [-0.75  -0.125]]
    """
    below, above = as_pair(
        l_and_u,
        "solve_banded((l, u), ab, b): the first argument must be (l, u), numbers of diagonals",
    )
    at_once = type(ab) is np.ndarray is type(b) and (
        np.ndim(below) or np.ndim(above) or (ab.ndim == 2 and b.ndim <= 2)
    )
    if at_once and on_fail == "raise":  # one system, or several widths, over which SciPy loops
        given = (
            l_and_u,
            ab,
            b,
            may_overwrite(overwrite_ab),
            may_overwrite(overwrite_b),
            check_finite,
        )
        if (
            x := scipys("solve_banded", given, overwrite_ab or overwrite_b, np.linalg.LinAlgError)
        ) is not None:
            return x
    ab, b, vector = system("solve_banded", "ab", ab, b, check_finite, on_fail, square=False)
    if np.any(np.add(below, above) + 1 != shape_of(ab)[-2]):
        raise ValueError(
            "solve_banded: invalid values for the number of lower and upper diagonals: l + u + 1 "
            f"= {np.add(below, above) + 1} rows are needed, but 'ab' has shape {shape_of(ab)}."
        )
    if np.ndim(below) or np.ndim(above):
        ab = _of_one_width(
            ab, np.broadcast_to(above, np.broadcast_shapes(np.shape(below), np.shape(above)))
        )
    solve, info = band_solver(
        "solve_banded", ab, int(np.max(below)), int(np.max(above)), "general", on_fail
    )
    return answer(solve(b), vector, on_fail, lambda: info(b))


def _of_one_width(ab: Any, above: Any) -> Any:
    """Return bands of as many rows, `above` of them over the diagonal, as bands of the largest
    widths.
    """
    rows, most = shape_of(ab)[-2], above.max()
    wide = np.pad(ab, [(0, 0)] * (ab.ndim - 2) + [(rows, rows), (0, 0)])
    taken = np.arange(rows + most - above.min()) - most + above[..., None] + rows
    lead = np.broadcast_shapes(above.shape, shape_of(ab)[:-2])
    wide, taken = (
        np.broadcast_to(wide, (*lead, *shape_of(wide)[-2:])),
        np.broadcast_to(taken, (*lead, taken.shape[-1])),
    )
    return np.take_along_axis(wide, upload(taken[..., None], ab), -2)


def solveh_banded(
    ab: ArrayLike,
    b: ArrayLike,
    overwrite_ab: bool = False,
    overwrite_b: bool = False,
    lower: bool = False,
    check_finite: bool = True,
    *,
    on_fail: OnFail = "raise",
) -> Array:
    """Solve a x = b for a Hermitian positive definite banded matrix.

    Parameters
    ----------
    ab : (..., u + 1, n) array_like
        One half of the band: ``ab[i - j, j] = a[i, j]`` with `lower`, otherwise
        ``ab[u + i - j, j] = a[i, j]``.
    b : (n,) or (..., n, k) array_like
        Right-hand sides. Batch axes broadcast.
    overwrite_ab, overwrite_b : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    lower : bool, optional
        Whether `ab` holds the lower half.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    x : (n,) or (..., n, k) ndarray
        Solution, of the shape of `b`, broadcast.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, the order of the leading minor that is not positive, or -1
        for NaN in the matrix. 1 for any failure on a GPU.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity.
    numpy.linalg.LinAlgError
        If the matrix is not positive definite.

    Notes
    -----
    Derivatives as for `solve_banded`, in the half that is given. On a GPU the full matrix is
    factored. See `scipy.linalg.solveh_banded`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> ab = np.array([[2.0, 4.0], [0.0, 0.0]])
    >>> print(grad(lambda ab: np.sum(linalg.solveh_banded(ab, np.ones(2), lower=True)))(ab))
    [[-0.25   -0.0625]
     [-0.25    0.    ]]
    """
    plain = type(ab) is np.ndarray is type(b) and ab.ndim == 2 and b.ndim <= 2
    # SciPy cannot take one number in two rows
    if plain and ab.shape[-1] > 1 and on_fail == "raise":
        given = ab, b, may_overwrite(overwrite_ab), may_overwrite(overwrite_b), lower, check_finite
        if (
            x := scipys("solveh_banded", given, overwrite_ab or overwrite_b, np.linalg.LinAlgError)
        ) is not None:
            return x
    ab, b, vector = system("solveh_banded", "ab", ab, b, check_finite, on_fail, square=False)
    u, kind = shape_of(ab)[-2] - 1, "positive definite" if lower else "positive definite, upper"
    solve, info = band_solver("solveh_banded", hermitian_band(ab, bool(lower)), u, u, kind, on_fail)
    return answer(solve(b), vector, on_fail, lambda: info(b))


def cho_solve_banded(
    cb_and_lower: tuple[Any, ...],
    b: ArrayLike,
    overwrite_b: bool = False,
    check_finite: bool = True,
) -> Array:
    """Solve a x = b, given the Cholesky factor of a banded matrix.

    Parameters
    ----------
    cb_and_lower : tuple
        ``(cb, lower)`` with `cb` from `cholesky_banded` for this `lower`.
    b : (n,) or (..., n, k) array_like
        Right-hand sides. Batch axes broadcast.
    overwrite_b : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.

    Returns
    -------
    x : (n,) or (..., n, k) ndarray
        Solution, of the shape of `b`, broadcast. Not finite where a diagonal element of the factor
        is 0.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity.

    Notes
    -----
    Differentiable in the factor and in `b`. On a GPU the full factor is used. See
    `scipy.linalg.cho_solve_banded`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> factor = linalg.cholesky_banded(np.array([[4.0, 16.0], [0.0, 0.0]]), lower=True)
    >>> print(grad(lambda b: np.sum(linalg.cho_solve_banded((factor, True), b)))(np.ones(2)))
    [0.25   0.0625]
    """
    cb, lower = as_pair(
        cb_and_lower,
        "cho_solve_banded: the first argument must be (cb, lower), the factor and which half it is",
    )
    if type(cb) is np.ndarray is type(b) and cb.ndim == 2 and b.ndim <= 2:
        return host("cho_solve_banded")(cb_and_lower, b, may_overwrite(overwrite_b), check_finite)
    cb, b, vector = system("cho_solve_banded", "cb", cb, b, check_finite, square=False)
    u = shape_of(cb)[-2] - 1
    widths = (u, 0) if lower else (0, u)
    solve = band_solver("cho_solve_banded", cb, *widths, "triangular", "nan")[0]
    x = solve(solve(b, not lower), bool(lower))
    return as_vectors(x) if vector else x


def band_solver(function: str, ab: Any, below: int, above: int, kind: str, on_fail: str) -> Any:
    """Return the functions solve(b, adjoint=False) and codes(b) that `solver` returns, for a
    band.
    """
    if library(raw(ab)) != "numpy":
        return solver(function, dense(ab, below, above), on_fail=on_fail)
    factors = factorize_band(function, raw(ab), below, above, kind, on_fail)
    solve = lambda b, adjoint=False: band_solve(  # noqa: E731
        ab, b, below, above, kind, factors=factors, adjoint=adjoint
    )
    return solve, lambda b: failure_codes(ab, b, factors)


# -- the Cholesky factor

_BLOCK = 32  # the time for a block of order n begins to grow as n^3 about here


# -- by blocks, from functions that have derivatives: what the rules differentiate


def _by_blocks(ab: Any) -> Any:
    """Return the lower half of l once more, from functions that have derivatives; NaN where there
    is none.
    """
    *lead, rows, n = shape_of(ab)
    size = min(max(_BLOCK, rows - 1), n)
    count = -(-n // size)
    more = np.zeros((rows, count * size - n), raw(ab).dtype, like=raw(ab))
    more[0] = 1  # the last block is completed
    wide = np.concatenate(
        [np.where(inside(rows - 1, 0, n), ab, 0), np.broadcast_to(more, (*lead, *more.shape))],
        axis=-1,
    )
    blocks = dense(
        np.moveaxis(wide.reshape((*lead, rows, count, size)), -2, -3), rows - 1, 0, 2 * size
    )
    carried: Any = 0
    found = []
    for i in range(count):  # what stands on the diagonal, and below it
        corner, below = (
            lower_factor(blocks[..., i, :size, :] - carried, "nan")[0],
            blocks[..., i, size:, :],
        )
        if i < count - 1:  # below the last one everything is 0
            below = mH(triangular_solver("cholesky_banded", corner, True)(mH(below)))
            carried = below @ mH(below)
        found += [corner, below]
    columns = np.stack(found, axis=-3).reshape((*lead, count, 2 * size, size))
    kept = np.moveaxis(band_entries(columns, rows - 1, 0), -3, -2)
    l = kept.reshape((*lead, rows, count * size))[..., :n]  # noqa: E741
    return np.where(inside(rows - 1, 0, n), l, 0)


# -- the factor, on the host


@differentiable("ab", core={"ab": 2})
def band_factor(ab, on_fail="raise"):
    """Return the lower half of l, from that of a, and info; NaN where there is none, unless
    on_fail="raise".
    """
    lead, (rows, n) = ab.shape[:-2], ab.shape[-2:]
    if ab.size == 0:
        return np.zeros_like(ab), np.zeros(lead, np.intp)
    read, pbtrf = (
        np.where(inside(rows - 1, 0, n), ab, 0).reshape(-1, rows, n),
        routine("pbtrf", ab.dtype.char),
    )
    # One matrix with the others as blocks along its diagonal, see bands.
    c, info = pbtrf(np.moveaxis(read, -2, 0).reshape(rows, -1), lower=True)
    if info == 0 and np.isfinite(c).all():
        return np.moveaxis(c.reshape(rows, -1, n), 0, -2).reshape(ab.shape), np.zeros(lead, np.intp)
    out, codes = zip(*(pbtrf(x, lower=True) for x in read), strict=True)
    info = np.where(failures.not_finite(read), -1, codes).reshape(lead)
    if on_fail == "raise":
        failures.raise_first(
            "cholesky_banded", "ab", ab.shape, np.maximum(info, 0), "positive definite"
        )
    return failures.marked_nan(np.stack(out).reshape(ab.shape), info, 2), info


@band_factor.jvp
def _(call, t):
    return jvp(_by_blocks, (call.ab,), (t.ab,))[1], np.zeros_like(call.out[1])


@band_factor.vjp
def _(call, g):
    return {"ab": vjp(_by_blocks, call.ab)[1](g[0])[0]}


def cholesky_banded(
    ab: ArrayLike,
    overwrite_ab: bool = False,
    lower: bool = False,
    check_finite: bool = True,
    *,
    on_fail: OnFail = "raise",
) -> Array:
    """Compute the Cholesky factor of a banded matrix that is Hermitian positive definite.

    ``a = l l^H`` or ``a = u^H u``.

    Parameters
    ----------
    ab : (..., u + 1, n) array_like
        One half of the band: ``ab[i - j, j] = a[i, j]`` with `lower`, otherwise
        ``ab[u + i - j, j] = a[i, j]``.
    overwrite_ab : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    lower : bool, optional
        Whether `ab`, and the factor, hold the lower half.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    c : (..., u + 1, n) ndarray
        Factor in the same storage, with 0 outside of the matrix (SciPy keeps there what was in
        `ab`).
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, the order of the leading minor that is not positive, or -1
        for NaN in the matrix. 1 for any failure on a GPU.

    Raises
    ------
    ValueError
        If `ab` is not a matrix, or holds NaN or infinity.
    numpy.linalg.LinAlgError
        If the matrix is not positive definite.

    Notes
    -----
    Cotangents have the storage of `ab`; entries outside of the matrix get 0. On a GPU the full
    matrix is factored. See `scipy.linalg.cholesky_banded`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda ab: linalg.cholesky_banded(ab, lower=True)[0, 1])(
    ...         np.array([[4.0, 5.0], [2.0, 0.0]])
    ...     )
    ... )
    [[ 0.0625  0.25  ]
     [-0.25    0.    ]]
    """
    if type(ab) is np.ndarray and ab.ndim == 2 and on_fail == "raise":
        given = ab, may_overwrite(overwrite_ab), lower, check_finite
        c = scipys("cholesky_banded", given, overwrite_ab, np.linalg.LinAlgError)
        if c is not None:
            rows, n = c.shape
            return np.where(
                inside(rows - 1, 0, n) if lower else inside(rows - 1, 0, n)[::-1, ::-1], c, 0
            )
    ab = check_matrices("cholesky_banded", "ab", ab, check_finite, on_fail, square=False)
    if 0 in shape_of(ab)[-2:]:
        return append_info(ab, np.zeros(shape_of(ab)[:-2], np.intp), on_fail)
    half = ab if lower else other_half(ab, False)
    if library(raw(ab)) == "numpy":
        c, info = band_factor(half, on_fail)
    else:  # no kernel for bands there
        u = shape_of(ab)[-2] - 1
        factor, info = lower_factor(
            dense(hermitian_band(half, True), u, u), on_fail, "cholesky_banded", "ab"
        )
        c = band_entries(factor, u, 0)
    out = c if lower else other_half(c, True)
    return append_info(out, info[()], on_fail)


__all__ = ["cho_solve_banded", "cholesky_banded", "solve_banded", "solveh_banded"]
