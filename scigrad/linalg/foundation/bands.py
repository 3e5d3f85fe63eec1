"""Band storage: ab[above + i - j, j] = a[i, j] for -above <= i - j <= below. Products, solves and their cotangents stay in it.

Elements in the corners of the storage, outside of the matrix, are never read, so that their cotangents are exactly 0.

A batch of banded matrices is one banded matrix of the same widths, block by block along its diagonal: one call of LAPACK
factors them all, and no pivot is taken across a border between blocks, where all elements are 0.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import differentiable, linear, multilinear

from . import failures
from .lapack import routine
from .matrices import is_complex


def diagonals(below: int, above: int, n: int) -> Iterator[tuple[int, slice, slice]]:
    """For each diagonal inside an n x n matrix: its row in the storage, the rows and the columns of the matrix."""
    for row in range(below + above + 1):
        offset = row - above
        if abs(offset) < n:
            yield row, slice(max(offset, 0), n + min(offset, 0)), slice(max(-offset, 0), n - max(offset, 0))


# -- y[i] = sum_j a[i, j] x[j], and the part inside the band of w y^T


@multilinear("ab", "x")
def band_product(ab, x, below, above, transposed=False):
    """a x, or a^T x, for x of shape (..., n, k)."""
    n = ab.shape[-1]
    lead = np.broadcast_shapes(ab.shape[:-2], x.shape[:-2])
    out = np.zeros((*lead, n, x.shape[-1]), np.result_type(ab.dtype, x.dtype), like=ab)
    for row, i, j in diagonals(below, above, n):
        target, source = (j, i) if transposed else (i, j)
        out[..., target, :] += ab[..., row, j, None] * x[..., source, :]
    return out


@multilinear("w", "y")
def band_of(w, y, below, above):
    """The band of w y^T, for matrices of shape (..., n, k)."""
    n = w.shape[-2]
    lead = np.broadcast_shapes(w.shape[:-2], y.shape[:-2])
    out = np.zeros((*lead, below + above + 1, n), np.result_type(w.dtype, y.dtype), like=w)
    for row, i, j in diagonals(below, above, n):
        out[..., row, j] = (w[..., i, :] * y[..., j, :]).sum(axis=-1)
    return out


band_product.batch_leading(ab=2, x=2)
band_of.batch_leading(w=2, y=2)


@band_product.vjp
def _(call, g):
    widths, x = (call.below, call.above), np.conjugate(call.x)
    return {
        "ab": lambda: band_of(x, g, *widths) if call.transposed else band_of(g, x, *widths),
        "x": lambda: band_product(np.conjugate(call.ab), g, *widths, not call.transposed),
    }


@band_of.vjp
def _(call, g):
    widths = (call.below, call.above)
    return {
        "w": lambda: band_product(g, np.conjugate(call.y), *widths),
        "y": lambda: band_product(g, np.conjugate(call.w), *widths, True),
    }


# -- to and from whole matrices


@linear("ab")
def dense(ab, below, above):
    """The matrix (..., n, n)."""
    n = ab.shape[-1]
    out = np.zeros((*ab.shape[:-2], n, n), ab.dtype, like=ab)
    place = np.arange(n)
    for row, i, j in diagonals(below, above, n):
        out[..., place[i], place[j]] = ab[..., row, j]
    return out


@linear("a")
def entries(a, below, above):
    """The band of a matrix."""
    n = a.shape[-1]
    out = np.zeros((*a.shape[:-2], below + above + 1, n), a.dtype, like=a)
    place = np.arange(n)
    for row, i, j in diagonals(below, above, n):
        out[..., row, j] = a[..., place[i], place[j]]
    return out


dense.adjoint(lambda call, g: entries(g, call.below, call.above))
entries.adjoint(lambda call, g: dense(g, call.below, call.above))
dense.batch_leading(ab=2)
entries.batch_leading(a=2)


@linear("half")
def hermitian_band(half, lower):
    """The band on both sides, from the half that solveh_banded and cholesky_banded read; the diagonal is real."""
    u, n = half.shape[-2] - 1, half.shape[-1]
    out = np.zeros((*half.shape[:-2], 2 * u + 1, n), half.dtype, like=half)
    out[..., u, :] = np.real(half[..., 0 if lower else u, :])
    for r in range(1, min(u + 1, n)):
        read = half[..., r, : n - r] if lower else half[..., u - r, r:]
        below, above = (read, np.conjugate(read)) if lower else (np.conjugate(read), read)
        out[..., u + r, : n - r], out[..., u - r, r:] = below, above
    return out


@linear("g")
def folded_band(g, lower):
    """The adjoint of hermitian_band."""
    u, n = g.shape[-2] // 2, g.shape[-1]
    out = np.zeros((*g.shape[:-2], u + 1, n), g.dtype, like=g)
    out[..., 0 if lower else u, :] = np.real(g[..., u, :])
    for r in range(1, min(u + 1, n)):
        below, above = g[..., u + r, : n - r], g[..., u - r, r:]
        if lower:
            out[..., r, : n - r] = below + np.conjugate(above)
        else:
            out[..., u - r, r:] = above + np.conjugate(below)
    return out


hermitian_band.adjoint(lambda call, g: folded_band(g, call.lower))
folded_band.adjoint(lambda call, g: hermitian_band(g, call.lower))
hermitian_band.batch_leading(half=2)
folded_band.batch_leading(g=2)


# -- factorisations on the host


class BandFactors(NamedTuple):
    """Factorisation of all banded matrices of a batch, which rules pass on as a hint, like Factors."""

    shape: tuple[int, ...]
    solver: Callable[[Any, bool], Any]  # of right-hand sides (number of matrices * n, k)
    info: Any = None  # of the batch's shape; None where nothing failed


def factorize_band(function: str, ab: Any, below: int, above: int, kind: str = "general", on_fail: str = "raise") -> BandFactors:
    """Factor concrete matrices; `kind` is a key of _FACTORED.

    Raises
    ------
    LinAlgError : a matrix is singular (or not positive definite), and on_fail="raise"
    """
    lead, (rows, n) = ab.shape[:-2], ab.shape[-2:]
    if ab.size == 0:
        return BandFactors(ab.shape, lambda b, adjoint: b)
    inside = np.zeros((rows, n), bool)
    for row, _, j in diagonals(below, above, n):
        inside[row, j] = True
    ab = np.where(inside, ab, 0).reshape(-1, rows, n)
    unit = np.zeros((rows, n), ab.dtype)
    unit[above] = 1
    bad, alone = failures.not_finite(ab), functools.partial(_one_by_one, kind, below=below, above=above)
    if on_fail != "raise":
        ab = np.where(bad[:, None, None], unit, ab)
    solver, codes = alone(ab) if on_fail == "raise" and bad.any() else _FACTORED[kind](ab, below, above)
    failed = (codes != 0) & ~bad
    if failed.any():
        if on_fail == "raise":
            where = tuple(int(k) for k in np.unravel_index(failed.argmax(), lead)) if lead else ()
            raise _failure(function, (*lead, rows, n), kind, where, int(codes[failed][0]))
        ab = np.where(failed[:, None, None], unit, ab)
        solver, _ = _FACTORED[kind](ab, below, above)
    info = np.where(bad & ((codes != 0) | (on_fail != "raise")), -1, codes).reshape(lead)
    return BandFactors((*lead, rows, n), _apart(solver, lambda: alone(ab)[0], len(ab)), info if info.any() else None)


def _apart(
    solver: Callable[[Any, bool], Any], alone: Callable[[], Callable[[Any, bool], Any]], count: int
) -> Callable[[Any, bool], Any]:
    """A solver that solves one system after the other where 0 * inf = NaN would reach the neighbours of what is not finite."""

    def solve(b: Any, adjoint: bool) -> Any:
        x = solver(b, adjoint)
        return x if count == 1 or np.isfinite(x).all() else alone()(b, adjoint)

    return solve


def _one_by_one(kind: str, ab: Any, below: int, above: int) -> tuple[Callable[[Any, bool], Any], Any]:
    solvers, codes = zip(*(_FACTORED[kind](x[None], below, above) for x in ab), strict=True)

    def solver(b: Any, adjoint: bool) -> Any:
        parts = b.reshape(len(ab), -1, b.shape[-1])
        return np.concatenate([solve(part, adjoint) for solve, part in zip(solvers, parts, strict=True)])

    return solver, np.concatenate(codes)


def _failure(function: str, shape: tuple[int, ...], kind: str, where: tuple[int, ...], code: int) -> np.linalg.LinAlgError:
    if kind.startswith("positive definite"):
        shape = (*shape[:-2], shape[-2] // 2 + 1, shape[-1])  # the half that the user gave
        detail = f"its leading minor of order {code} is not positive"
        return failures.failure(function, "ab", shape, "not positive definite", where, detail)
    name = "diagonal element" if kind == "triangular" else "pivot"
    return failures.failure(function, "ab", shape, "singular", where, f"{name} {code} is exactly 0")


def _side_by_side(ab: Any) -> Any:
    """The storage of the one matrix that holds all of the batch."""
    return np.moveaxis(ab, -2, 0).reshape(ab.shape[-2], -1)


def _first_zeros(d: Any, count: int) -> Any:
    zero = d.reshape(count, -1) == 0
    return np.where(zero.any(axis=-1), zero.argmax(axis=-1) + 1, 0) if d.size else np.zeros(count, np.intp)


def _general(ab: Any, below: int, above: int) -> tuple[Callable[[Any, bool], Any], Any]:
    flat, char = _side_by_side(ab), ab.dtype.char
    if below == above == 1 and flat.shape[1] > 2:
        trs = routine("gttrs", char)
        *arrays, _ = routine("gttrf", char)(flat[2, :-1], flat[1], flat[0, 1:])
        return lambda b, adjoint: trs(*arrays, b, trans="C" if adjoint else "N")[0], _first_zeros(arrays[1], len(ab))
    padded = np.zeros((2 * below + above + 1, flat.shape[1]), flat.dtype)
    padded[below:] = flat
    lu, piv, _ = routine("gbtrf", char)(padded, below, above, overwrite_ab=True)
    gbtrs = routine("gbtrs", char)
    return (
        lambda b, adjoint: gbtrs(lu, below, above, b, piv, trans=2 if adjoint else 0)[0],
        _first_zeros(lu[below + above], len(ab)),
    )


def _definite(ab: Any, below: int, above: int, lower: bool = True) -> tuple[Callable[[Any, bool], Any], Any]:
    """From one half, as SciPy does: the last digits depend on which."""
    del below
    factor, char = _two_diagonals if above == 1 and ab.shape[0] * ab.shape[-1] > 1 else _cholesky, ab.dtype.char
    half = ab[:, above:] if lower else ab[:, : above + 1]
    solver, info = factor(_side_by_side(half), lower, char)
    return solver, np.array([factor(x, lower, char)[1] for x in half]) if info else np.zeros(len(ab), np.intp)


def _cholesky(half: Any, lower: bool, char: str) -> tuple[Callable[[Any, bool], Any], int]:
    pbtrs = routine("pbtrs", char)
    c, info = routine("pbtrf", char)(half, lower=lower)
    return lambda b, adjoint: pbtrs(c, b, lower=lower)[0], info


def _two_diagonals(half: Any, lower: bool, char: str) -> tuple[Callable[[Any, bool], Any], int]:
    """L D L^H without a square root."""
    if half.shape[-1] == 1:  # LAPACK's wrapper cannot hold the empty diagonal
        return _cholesky(half, lower, char)
    pttrs = routine("pttrs", char)
    d, e, info = routine("pttrf", char)(np.real(half[0 if lower else 1]), half[1, :-1] if lower else half[0, 1:].conj())
    return lambda b, adjoint: pttrs(d, e, b, **({"lower": True} if char in "FD" else {}))[0], info


def _triangular(ab: Any, below: int, above: int) -> tuple[Callable[[Any, bool], Any], Any]:
    flat, tbtrs, uplo = _side_by_side(ab), routine("tbtrs", ab.dtype.char), "U" if above else "L"
    del below
    return lambda b, adjoint: tbtrs(flat, b, uplo=uplo, trans="C" if adjoint else "N")[0], _first_zeros(flat[above], len(ab))


_FACTORED = {
    "general": _general,
    "positive definite": _definite,
    "positive definite, upper": functools.partial(_definite, lower=False),
    "triangular": _triangular,
}


def apply_band(factors: BandFactors, ab: Any, b: Any, adjoint: bool) -> Any:
    """x with a x = b, or a^H x = b, for b of shape (..., n, k); NaN where that failed."""
    if is_complex(b) and not is_complex(ab):
        x = apply_band(factors, ab, np.concatenate([b.real, b.imag], axis=-1), adjoint)
        k = b.shape[-1]
        return x[..., :k] + 1j * x[..., k:]
    b = b.astype(ab.dtype, copy=False)
    lead = np.broadcast_shapes(ab.shape[:-2], b.shape[:-2])
    own = (1,) * (len(lead) - ab.ndim + 2) + ab.shape[:-2]  # axes where the matrices do not vary are more right-hand sides
    kept, shared = ([axis for axis in range(len(lead)) if (own[axis] == lead[axis]) == same] for same in (True, False))
    order = (*kept, len(lead), *shared, len(lead) + 1)
    if b.size == 0 or ab.size == 0:
        return np.zeros((*lead, *b.shape[-2:]), ab.dtype)
    turned = np.transpose(np.broadcast_to(b, (*lead, *b.shape[-2:])), order)
    x = factors.solver(turned.reshape(ab.size // ab.shape[-2], -1), adjoint)
    x = np.transpose(x.reshape(turned.shape), np.argsort(order))
    return x if factors.info is None else failures.marked_nan(x, np.broadcast_to(factors.info, lead), 2)


def fitting(factors: BandFactors | None, ab: Any) -> BandFactors | None:
    """The factors if they can be those of `ab`, else None; axes of length 1 that vmap has put in follow."""
    if factors is None or factors.shape == ab.shape:
        return factors
    if [n for n in factors.shape[:-2] if n != 1] != [n for n in ab.shape[:-2] if n != 1] or factors.shape[-2:] != ab.shape[-2:]:
        return None
    info = None if factors.info is None else factors.info.reshape(ab.shape[:-2])
    return factors._replace(shape=ab.shape, info=info)


# -- the primitive


@differentiable("ab", "b")
def band_solve(ab, b, below, above, kind="general", *, factors=None, adjoint=False):
    """x with a x = b, or a^H x = b, on the host; `factors` of an earlier call are used if they fit."""
    factors = fitting(factors, ab) or factorize_band("solve_banded", ab, below, above, kind)
    return apply_band(factors, ab, b, adjoint)


band_solve.batch_leading(ab=2, b=2)


@band_solve.jvp  # a x = b  =>  a x' = b' - a' x   (a^H and a'^H when adjoint)
def _(call, t):
    da = t.ab.conj() if call.adjoint else t.ab
    right = t.b - band_product(da, call.out, call.below, call.above, call.adjoint)
    return band_solve(call.ab, right, call.below, call.above, call.kind, factors=call.factors, adjoint=call.adjoint)


@band_solve.vjp  # w = a^-H g  =>  b_bar = w,  a_bar = the band of -w x^H   (of -x w^H when adjoint)
def _(call, g):
    w = band_solve(call.ab, g, call.below, call.above, call.kind, factors=call.factors, adjoint=not call.adjoint)
    left, right = (call.out, w) if call.adjoint else (w, call.out)
    return {"b": w, "ab": lambda: band_of(-left, np.conjugate(right), call.below, call.above)}
