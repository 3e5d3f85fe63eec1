"""The Cholesky factor of a banded matrix, with derivatives in band storage.

LAPACK computes the factor. Its derivatives are those of the elimination of blocks along the diagonal, no shorter than the band is
wide, by dense factorisations. Inside, c[r, j] = l[j + r, j]; nothing outside the matrix is read, and 0 is written there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import differentiable, jvp, raw, shape_of, vjp
from scigrad.autodiff_rules.backends import library

from ..foundation import failures
from ..foundation.bands import dense, entries, hermitian_band, inside, other_half
from ..foundation.lapack import followed, routine, scipys
from ..foundation.matrices import checked, mH
from .cholesky import lower_factor
from .solve import triangular_solver

_BLOCK = 32  # where the time for a block of order n begins to show its n^3


# -- by blocks, from functions that have derivatives: what the rules differentiate


def _by_blocks(ab: Any) -> Any:
    """The lower half of l again; NaN where there is none."""
    rows, n = shape_of(ab)[-2:]
    size = min(max(_BLOCK, rows - 1), n)
    places = _places(rows, n, size)
    blocks = _with_zero_and_one(ab)[..., places]
    carried: Any = 0
    found = []
    for i in range(places.shape[1]):
        main, beside = blocks[..., 0, i, :, :], blocks[..., 1, i, :, :]
        corner = lower_factor(main - carried, "nan")[0]
        below = mH(triangular_solver("cholesky_banded", corner, True)(mH(beside)))
        carried = below @ mH(below)
        found += [corner, below]
    whole = np.stack(found, axis=-3)
    taken = np.full(rows * n + 2, -1)
    taken[places.swapaxes(0, 1).ravel()] = np.arange(places.size)
    flat = whole.reshape((*shape_of(whole)[:-3], places.size))
    return np.where(inside(rows - 1, 0, n), flat[..., taken[: rows * n].reshape(rows, n)], 0)


def _with_zero_and_one(ab: Any) -> Any:
    """The elements in one row, and behind them 0 and 1."""
    *lead, rows, n = shape_of(ab)
    ends = [np.full((*lead, 1), k, ab.dtype) for k in (0, 1)]
    return np.concatenate([ab.reshape((*lead, rows * n)), *ends], axis=-1)


def _places(rows: int, n: int, size: int) -> Any:
    """Return where the elements of the blocks (count, size, size) on the diagonal and of those below them stand in a half band,
    which ones on the diagonal continue to whole blocks."""
    count, zero, one = -(-n // size), rows * n, rows * n + 1
    column = np.arange(count * size).reshape(count, 1, size)
    first = column[:, :, :1]
    row = np.stack([first + np.arange(size)[:, None], first + size + np.arange(size)[:, None]])
    r = row - column
    within = (r >= 0) & (r < rows) & (row < n)
    return np.where(within, r * n + column, np.where((r == 0) & (column >= n), one, zero))


# -- the factor, on the host


@differentiable("ab")
def band_factor(ab, on_fail="raise"):
    """The lower half of l, from that of a, and info; NaN where there is none, unless on_fail="raise"."""
    lead, (rows, n) = ab.shape[:-2], ab.shape[-2:]
    if ab.size == 0:
        return np.zeros_like(ab), np.zeros(lead, np.intp)
    read, pbtrf = np.where(inside(rows - 1, 0, n), ab, 0).reshape(-1, rows, n), routine("pbtrf", ab.dtype.char)
    # One matrix with the others as blocks along its diagonal, see bands.
    c, info = pbtrf(np.moveaxis(read, -2, 0).reshape(rows, -1), lower=True)
    if info == 0 and np.isfinite(c).all():
        return np.moveaxis(c.reshape(rows, -1, n), 0, -2).reshape(ab.shape), np.zeros(lead, np.intp)
    out, codes = zip(*(pbtrf(x, lower=True) for x in read), strict=True)
    info = np.where(failures.not_finite(read), -1, codes).reshape(lead)
    if on_fail == "raise":
        failures.raise_first("cholesky_banded", "ab", ab.shape, np.maximum(info, 0), "positive definite")
    return failures.marked_nan(np.stack(out).reshape(ab.shape), info, 2), info


band_factor.batch_leading(ab=2)


@band_factor.jvp
def _(call, t):
    return jvp(_by_blocks, (call.ab,), (t.ab,))[1], np.zeros_like(call.out[1])


@band_factor.vjp
def _(call, g):
    return {"ab": vjp(_by_blocks, call.ab)[1](g[0])[0]}


def cholesky_banded(ab, overwrite_ab=False, lower=False, check_finite=True, *, on_fail="raise"):
    """Compute the Cholesky factor of a Hermitian positive definite banded matrix, a = l l^H or a = u^H u.

    Parameters
    ----------
    ab : (..., u + 1, n) array_like
        One half of the band: ``ab[i - j, j] = a[i, j]`` with `lower`, otherwise ``ab[u + i - j, j] = a[i, j]``.
    lower : bool, optional
        Whether `ab`, and the factor, hold the lower half.

    Returns
    -------
    c : (..., u + 1, n) ndarray
        Factor in the same storage, with 0 outside of the matrix (SciPy keeps there what was in `ab`).
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, the order of the leading minor that is not positive, or -1 for NaN in the matrix. 1 for
        any failure on a GPU.

    Raises
    ------
    ValueError
        If `ab` is not a matrix, or holds NaN or infinity.
    numpy.linalg.LinAlgError
        If the matrix is not positive definite.

    Notes
    -----
    Cotangents have the storage of `ab`; entries outside of the matrix get 0. On a GPU the full matrix is factored. See
    `scipy.linalg.cholesky_banded`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda ab: linalg.cholesky_banded(ab, lower=True)[0, 1])(np.array([[4.0, 5.0], [2.0, 0.0]])))
    [[ 0.0625  0.25  ]
     [-0.25    0.    ]]
    """
    if type(ab) is np.ndarray and ab.ndim == 2 and on_fail == "raise":
        given = ab, followed(overwrite_ab), lower, check_finite
        c = scipys("cholesky_banded", given, overwrite_ab, np.linalg.LinAlgError)
        if c is not None:
            rows, n = c.shape
            return np.where(inside(rows - 1, 0, n) if lower else inside(rows - 1, 0, n)[::-1, ::-1], c, 0)
    ab = checked("cholesky_banded", "ab", ab, check_finite, on_fail, square=False)
    half = ab if lower else other_half(ab, False)
    if library(raw(ab)) == "numpy":
        c, info = band_factor(half, on_fail)
    else:  # no kernel for bands there
        u = shape_of(ab)[-2] - 1
        factor, info = lower_factor(dense(hermitian_band(half, True), u, u), on_fail, "cholesky_banded", "ab")
        c = entries(factor, u, 0)
    out = c if lower else other_half(c, True)
    return (out, info[()]) if on_fail == "info" else out


__all__ = ["cholesky_banded"]
