"""The Cholesky factor of a banded matrix, with derivatives in band storage.

l l^H = a gives the linear equation  x l^H + l x^H = a'  for x = l', inside the band. `pair` is its left side, `fold` the adjoint
of it, `unpair` solves one or the other: three maps whose derivatives are written with one another. Blocks along the diagonal, no
shorter than the band is wide, are eliminated one after the other by the dense rules of Murray (2016), arXiv:1602.07527.

Inside, c[r, j] = l[j + r, j]; nothing outside the matrix is read, and 0 is written there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant, differentiable, linear, multilinear, raw, shape_of
from scigrad.autodiff_rules.backends import library

from ..foundation import failures
from ..foundation.bands import dense, entries, hermitian_band
from ..foundation.lapack import followed, routine, scipys
from ..foundation.matrices import as_matrix, half_lower, mH, refuse_nonfinite
from .cholesky import lower_factor

_BLOCK = 32  # where the time for a block of order n begins to show its n^3


def inside(rows: int, n: int) -> Any:
    """Return which entries of the lower half of a band lie in the matrix."""
    return np.arange(n) + np.arange(rows)[:, None] < n


@linear("x")
def other_half(x, lower):
    """The lower half from the upper one, or with `lower` the upper half from the lower one: conjugates."""
    u, n = x.shape[-2] - 1, x.shape[-1]
    out = np.zeros_like(x)
    for r in range(min(u + 1, n)):
        if lower:
            out[..., u - r, r:] = np.conjugate(x[..., r, : n - r])
        else:
            out[..., r, : n - r] = np.conjugate(x[..., u - r, r:])
    return out


other_half.adjoint(lambda call, g: other_half(g, not call.lower))
other_half.batch_leading(x=2)

# -- the equation x l^H + l x^H = t


@multilinear("c", "x")
def pair(c, x):
    """The lower half of x l^H + l x^H."""
    rows, n = c.shape[-2:]
    out = np.zeros(np.broadcast_shapes(c.shape, x.shape), np.result_type(c.dtype, x.dtype))
    for r in range(min(rows, n)):
        for d in range(min(rows - r, n - r)):
            long, short = np.s_[..., r + d, : n - r - d], np.s_[..., d, : n - r - d]
            out[..., r, d : n - r] += x[long] * np.conjugate(c[short]) + c[long] * np.conjugate(x[short])
    return out


@multilinear("y", "c")
def fold(y, c):
    """The lower half of (y + y^H) l, for the lower half y of a matrix."""
    rows, n = c.shape[-2:]
    out = np.zeros(np.broadcast_shapes(c.shape, y.shape), np.result_type(c.dtype, y.dtype))
    for r in range(min(rows, n)):
        for s in range(min(rows, n)):
            end = n - max(r, s)
            if r > s:
                weight = y[..., r - s, s : end + s]
            else:
                weight = np.conjugate(y[..., s - r, r : end + r]) if r < s else 2 * np.real(y[..., 0, r : end + r])
            out[..., r, :end] += weight * c[..., s, :end]
    return out


pair.batch_leading(c=2, x=2)
fold.batch_leading(y=2, c=2)
pair.vjp(lambda call, g: {"c": lambda: fold(g, call.x), "x": lambda: fold(g, call.c)})
fold.vjp(lambda call, g: {"y": lambda: pair(call.c, g), "c": lambda: fold(call.y, g)})


@differentiable("c", "t")
def unpair(c, t, adjoint=False):
    """x, with a real diagonal, such that pair(c, x) = t; or y such that fold(y, c) = t, with `adjoint`."""
    shape, rows = np.broadcast_shapes(c.shape, t.shape), c.shape[-2]
    if 0 in shape:
        return np.zeros(shape, c.dtype)
    size = min(max(_BLOCK, rows - 1), shape[-1])
    solve = _adjoint_by_blocks if adjoint else _by_blocks
    return _from_blocks(*solve(_blocks(c, size, 1), _blocks(np.broadcast_to(t, shape).astype(c.dtype), size, 0)), shape)


unpair.batch_leading(c=2, t=2)


@unpair.jvp
def _(call, t):
    change = fold(call.out, t.c) if call.adjoint else pair(t.c, call.out)
    return unpair(call.c, t.t - change, call.adjoint)


# With w = (the adjoint)^-1 g: Re<w, pair(c', x)> = Re<c', fold(w, x)>, and Re<w, fold(y, c')> = Re<c', fold(y, w)>.
@unpair.vjp
def _(call, g):
    w = unpair(call.c, g, not call.adjoint)
    return {"t": w, "c": lambda: -(fold(call.out, w) if call.adjoint else fold(w, call.out))}


def _blocks(x: Any, size: int, diagonal: float) -> tuple[Any, Any]:
    """The blocks on the diagonal and those below them, of a half band continued by `diagonal` to whole blocks."""
    *lead, rows, n = x.shape
    count = -(-n // size)
    whole = np.zeros((*lead, rows, count * size), x.dtype)
    whole[..., 0, n:] = diagonal
    whole[..., :n] = np.where(inside(rows, n), x, 0)
    whole = whole.reshape(*lead, rows, count, size)
    main, beside = (np.zeros((*lead, count, size, size), x.dtype) for _ in range(2))
    place = np.arange(size)
    for r in range(min(rows, n)):
        main[..., place[r:], place[: size - r]] = whole[..., r, :, : size - r]
        beside[..., place[:r], place[size - r :]] = whole[..., r, :, size - r :]
    return main, beside


def _from_blocks(main: Any, beside: Any, shape: tuple[int, ...]) -> Any:
    *lead, rows, n = shape
    count, size = main.shape[-3], main.shape[-1]
    out = np.zeros((*lead, rows, count, size), main.dtype)
    place = np.arange(size)
    for r in range(min(rows, n)):
        out[..., r, :, : size - r] = main[..., place[r:], place[: size - r]]
        out[..., r, :, size - r :] = beside[..., place[:r], place[size - r :]]
    out = out.reshape(*lead, rows, count * size)[..., :n]
    return np.where(inside(rows, n), out, 0)


def _by_blocks(c: Any, t: Any) -> tuple[Any, Any]:
    """x from t, block after block: l_i and e_i are those of l, s_i what is left of the block t_i."""
    l, e = c  # noqa: E741
    v = np.linalg.inv(l)
    x, f = (np.zeros_like(part) for part in t)
    main = np.tril(t[0], -1)
    main = main + mH(main) + np.real(t[0]) * np.eye(l.shape[-1])
    carried = 0
    for i in range(l.shape[-3]):
        at = np.s_[..., i, :, :]
        x[at] = l[at] @ half_lower(v[at] @ (main[at] - carried) @ mH(v[at]))
        f[at] = (t[1][at] - e[at] @ mH(x[at])) @ mH(v[at])
        carried = f[at] @ mH(e[at])
        carried = carried + mH(carried)
    return x, f


def _adjoint_by_blocks(c: Any, g: Any) -> tuple[Any, Any]:
    """The cotangent of t from that of x: the same steps backwards."""
    l, e = c  # noqa: E741
    v = np.linalg.inv(l)
    y, f = (np.zeros_like(part) for part in g)
    s = 0 * l[..., 0, :, :]
    for i in reversed(range(l.shape[-3])):
        at = np.s_[..., i, :, :]
        f[at] = (g[1][at] - 2 * s @ e[at]) @ v[at]
        s = mH(v[at]) @ half_lower(mH(l[at]) @ (g[0][at] - mH(f[at]) @ e[at])) @ v[at]
        s = (s + mH(s)) / 2
        y[at] = 2 * np.tril(s, -1) + np.real(s) * np.eye(l.shape[-1])
    return y, f


# -- the factor, on the host


@differentiable("ab")
def band_factor(ab, on_fail="raise"):
    """The lower half of l, from that of a; NaN where there is none, unless on_fail="raise"."""
    lead, (rows, n) = ab.shape[:-2], ab.shape[-2:]
    if ab.size == 0:
        return np.zeros_like(ab)
    read, pbtrf = np.where(inside(rows, n), ab, 0).reshape(-1, rows, n), routine("pbtrf", ab.dtype.char)
    # One matrix with the others as blocks along its diagonal, see bands.
    c, info = pbtrf(np.moveaxis(read, -2, 0).reshape(rows, -1), lower=True)
    if info == 0 and np.isfinite(c).all():
        return np.moveaxis(c.reshape(rows, -1, n), 0, -2).reshape(ab.shape)
    codes = _minors(read).reshape(lead)
    if on_fail == "raise":
        describe = lambda k: ("not positive definite", f"its leading minor of order {k} is not positive")  # noqa: E731
        failures.raise_first("cholesky_banded", "ab", ab.shape, np.maximum(codes, 0), describe)
    out = np.stack([pbtrf(x, lower=True)[0] for x in read]).reshape(ab.shape)
    return failures.marked_nan(out, codes, 2)


def _minors(ab: Any) -> Any:
    pbtrf = routine("pbtrf", ab.dtype.char)
    return np.array([pbtrf(x, lower=True)[1] if np.isfinite(x).all() else -1 for x in ab], np.intp)


band_factor.batch_leading(ab=2)


@band_factor.jvp
def _(call, t):
    return unpair(call.out, t.ab)


@constant
def _info(ab, c):
    failed = np.isnan(c).any(axis=(-2, -1))
    if library(ab) != "numpy":
        return failed * 1
    read = np.where(inside(*ab.shape[-2:]), ab, 0)
    return (_minors(read.reshape(-1, *ab.shape[-2:])).reshape(failed.shape) if failed.any() else np.zeros(failed.shape, np.intp))[
        ()
    ]


_info.batch_leading(ab=2, c=2)


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
            return np.where(inside(rows, n) if lower else inside(rows, n)[::-1, ::-1], c, 0)
    failures.check_policy("cholesky_banded", on_fail)
    ab = as_matrix("cholesky_banded", "ab", ab, square=False)
    refuse_nonfinite("cholesky_banded", check_finite and on_fail == "raise", ab=ab)
    half = ab if lower else other_half(ab, False)
    if library(raw(ab)) == "numpy":
        c = band_factor(half, on_fail)
    else:  # no kernel for bands there
        u = shape_of(ab)[-2] - 1
        whole = dense(hermitian_band(half, True), u, u)
        c = entries(lower_factor(whole, on_fail, "cholesky_banded", "ab"), u, 0)
    out = c if lower else other_half(c, True)
    return (out, _info(half, c)) if on_fail == "info" else out


__all__ = ["cholesky_banded"]
