"""Band storage: ab[above + i - j, j] = a[i, j] for -above <= i - j <= below. Products, solves and
their cotangents stay in it.

Elements in the corners of the storage, outside of the matrix, are never read, so that their
cotangents are exactly 0.

A batch of banded matrices is one banded matrix of the same widths, block by block along its
diagonal: one call of LAPACK factors them all, and no pivot is taken across a border between blocks,
where all elements are 0.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from scigrad.autodiff_rules import concrete, differentiable, linear, multilinear, shape_of

from . import failures
from .factors import Each, Factors, apply, fitting_factors
from .lapack import Solver, band_lu, routine


def diagonals(below: int, above: int, m: int, n: int) -> Iterator[tuple[int, slice, slice]]:
    """Yield for each diagonal inside an m x n matrix its row in the storage, and its rows and
    columns in the matrix.
    """
    for row in range(below + above + 1):
        i, j = max(row - above, 0), max(above - row, 0)
        if (length := min(m - i, n - j)) > 0:
            yield row, slice(i, i + length), slice(j, j + length)


# -- y[i] = sum_j a[i, j] x[j], and the part inside the band of w y^T


@multilinear("ab", "x", core={"ab": 2, "x": 2})
def band_product(ab, x, below, above, transposed=False):
    """Return a x, or a^T x if `transposed`, for a band matrix a and x of shape (..., n, k)."""
    n = ab.shape[-1]
    lead = np.broadcast_shapes(ab.shape[:-2], x.shape[:-2])
    out = np.zeros((*lead, n, x.shape[-1]), np.result_type(ab.dtype, x.dtype), like=ab)
    for row, i, j in diagonals(below, above, n, n):
        target, source = (j, i) if transposed else (i, j)
        out[..., target, :] += ab[..., row, j, None] * x[..., source, :]
    return out


@multilinear("w", "y", core={"w": 2, "y": 2})
def band_of(w, y, below, above):
    """Return the band of w y^T, for matrices of shape (..., n, k)."""
    n = w.shape[-2]
    lead = np.broadcast_shapes(w.shape[:-2], y.shape[:-2])
    out = np.zeros((*lead, below + above + 1, n), np.result_type(w.dtype, y.dtype), like=w)
    for row, i, j in diagonals(below, above, n, n):
        out[..., row, j] = (w[..., i, :] * y[..., j, :]).sum(axis=-1)
    return out


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


# -- storage in another form


@linear("x", core={"x": 2})
def move_entries(x, places, shape):
    """Return matrices of a shape, 0 but for sums of elements of x: `places()` yields (source,
    target), or (source, target, part), and x[..., *source], or its real part or conjugate, is added
    at target.
    """
    out = np.zeros((*x.shape[:-2], *shape), x.dtype, like=x)
    for source, target, *part in places():
        values = x[(..., *source)]
        out[(..., *target)] += part[0](values) if part else values
    return out


@move_entries.adjoint  # the real part and the conjugate are their own adjoints
def _(call, g):
    return move_entries(g, lambda: _reversed(call.places), call.x.shape[-2:])


def _reversed(places: Callable[[], Any]) -> Iterator[Any]:
    return ((target, source, *part) for source, target, *part in places())


def _inside(below: int, above: int, m: int, n: int) -> Iterator[Any]:
    place = np.arange(max(m, n))
    return (((row, j), (place[i], place[j])) for row, i, j in diagonals(below, above, m, n))


def dense(ab: Any, below: int, above: int, rows: int | None = None) -> Any:
    """Return the matrix (..., n, n) of a band, or with other `rows` (..., rows, n)."""
    n = shape_of(ab)[-1]
    m = n if rows is None else rows
    return move_entries(ab, lambda: _inside(below, above, m, n), (m, n))


def band_entries(a: Any, below: int, above: int) -> Any:
    """Return the band (..., below + above + 1, n) of a matrix (..., m, n)."""
    m, n = shape_of(a)[-2:]
    return move_entries(
        a, lambda: _reversed(lambda: _inside(below, above, m, n)), (below + above + 1, n)
    )


def _half(u: int, n: int, lower: bool) -> Iterator[tuple[int, slice, slice]]:
    """Yield for each diagonal of a lower or an upper half its row in the storage, its columns, and
    its columns in the other half.
    """
    for k in range(min(u + 1, n)):
        yield (k, slice(0, n - k), slice(k, n)) if lower else (u - k, slice(k, n), slice(0, n - k))


def hermitian_band(half: Any, lower: bool) -> Any:
    """Return the band on both sides, from the half that solveh_banded and cholesky_banded read; the
    diagonal is real.
    """
    u, n = shape_of(half)[-2] - 1, shape_of(half)[-1]
    shift = u if lower else 0

    def places() -> Iterator[Any]:
        for row, j, i in _half(u, n, lower):
            if row + shift == u:
                yield (row, j), (u, j), np.real
            else:
                yield (row, j), (row + shift, j)
                yield (row, j), (2 * u - row - shift, i), np.conjugate

    return move_entries(half, places, (2 * u + 1, n))


def other_half(half: Any, lower: bool) -> Any:
    """Return the upper half from the lower one (with `lower`), or the lower one from the upper:
    conjugates.
    """
    u, n = shape_of(half)[-2] - 1, shape_of(half)[-1]
    return move_entries(
        half,
        lambda: (((row, j), (u - row, i), np.conjugate) for row, j, i in _half(u, n, lower)),
        (u + 1, n),
    )


# -- factorizations on the host


@concrete
def factorize_band(
    function: str, ab: Any, below: int, above: int, kind: str = "general", on_fail: str = "raise"
) -> Factors:
    """Factor concrete matrices; `kind` is a key of _FACTORED.

    Raises
    ------
    LinAlgError : a matrix is singular (or not positive definite), and on_fail="raise"
    """
    lead, (rows, n) = ab.shape[:-2], ab.shape[-2:]
    if ab.size == 0:
        return Factors(ab.shape, lambda b, adjoint: b)
    ab = np.where(inside(below, above, n), ab, 0).reshape(-1, rows, n)
    unit = np.zeros((rows, n), ab.dtype)
    unit[above] = 1
    bad, alone = (
        failures.not_finite(ab),
        functools.partial(_one_by_one, kind, below=below, above=above),
    )
    if on_fail != "raise":
        ab = np.where(bad[:, None, None], unit, ab)
    apart = len(ab) > 1 and on_fail == "raise" and bad.any()
    solver, codes = alone(ab) if apart else _FACTORED[kind](ab, below, above)
    failed = (codes != 0) & ~bad
    if failed.any():
        if on_fail == "raise":
            # the half that the user gave
            given = above + 1 if kind.startswith("positive definite") else rows
            failures.raise_first(
                function, "ab", (*lead, given, n), np.where(failed, codes, 0).reshape(lead), kind
            )
        ab = np.where(failed[:, None, None], unit, ab)
        solver, _ = _FACTORED[kind](ab, below, above)

    def solve(b: Any, adjoint: bool) -> Any:
        """Solve one system after the other where 0 * inf = NaN would reach the neighbors of what is
        not finite, else all at once.
        """
        x = solver(b if apart else b.reshape(-1, b.shape[-1]), adjoint).reshape(b.shape)
        return x if apart or len(ab) == 1 or np.isfinite(x).all() else alone(ab)[0](b, adjoint)

    info = np.where(bad & ((codes != 0) | (on_fail != "raise")), -1, codes).reshape(lead)
    return Factors((*lead, rows, n), solve, info if info.any() else None)


def inside(below: int, above: int, n: int) -> Any:
    """Return a mask (below + above + 1, n) of the elements of the storage that stand in the
    matrix.
    """
    row = np.arange(n) + np.arange(below + above + 1)[:, None] - above
    return (row >= 0) & (row < n)


def _one_by_one(kind: str, ab: Any, below: int, above: int) -> tuple[Solver, Any]:
    solvers, codes = zip(*(_FACTORED[kind](x[None], below, above) for x in ab), strict=True)
    return Each(solvers), np.concatenate(codes)


def _side_by_side(ab: Any) -> Any:
    """Return the storage of the one matrix that holds all of the batch."""
    return np.moveaxis(ab, -2, 0).reshape(ab.shape[-2], -1)


def _general(ab: Any, below: int, above: int) -> tuple[Solver, Any]:
    solver, pivots, _ = band_lu(_side_by_side(ab), below, above)
    return solver, failures.first_zeros(pivots.reshape(len(ab), -1) == 0)


def _definite(ab: Any, below: int, above: int, lower: bool = True) -> tuple[Solver, Any]:
    """Factor the one half that SciPy reads: the last digits depend on which."""
    del below
    factor, char = (
        _two_diagonals if above == 1 and ab.shape[0] * ab.shape[-1] > 1 else _cholesky,
        ab.dtype.char,
    )
    half = ab[:, above:] if lower else ab[:, : above + 1]
    solver, info = factor(_side_by_side(half), lower, char)
    return solver, np.array([factor(x, lower, char)[1] for x in half]) if info else np.zeros(
        len(ab), np.intp
    )


def _cholesky(half: Any, lower: bool, char: str) -> tuple[Solver, int]:
    pbtrs = routine("pbtrs", char)
    c, info = routine("pbtrf", char)(half, lower=lower)
    return lambda b, adjoint: pbtrs(c, b, lower=lower)[0], info


def _two_diagonals(half: Any, lower: bool, char: str) -> tuple[Solver, int]:
    """Factor a positive definite tridiagonal matrix as L D L^H, without a square root."""
    if half.shape[-1] == 1:  # LAPACK's wrapper cannot hold the empty diagonal
        return _cholesky(half, lower, char)
    pttrs = routine("pttrs", char)
    d, e, info = routine("pttrf", char)(
        np.real(half[0 if lower else 1]), half[1, :-1] if lower else half[0, 1:].conj()
    )
    return lambda b, adjoint: pttrs(d, e, b, **({"lower": True} if char in "FD" else {}))[0], info


def _is_triangular_band(ab: Any, below: int, above: int) -> tuple[Solver, Any]:
    flat, tbtrs, uplo = _side_by_side(ab), routine("tbtrs", ab.dtype.char), "U" if above else "L"
    del below
    return lambda b, adjoint: tbtrs(flat, b, uplo=uplo, trans="C" if adjoint else "N")[
        0
    ], failures.first_zeros(ab[:, above] == 0)


_FACTORED = {
    "general": _general,
    "positive definite": _definite,
    "positive definite, upper": functools.partial(_definite, lower=False),
    "triangular": _is_triangular_band,
}


# -- the primitive


@differentiable("ab", "b", core={"ab": 2, "b": 2})
def band_solve(ab, b, below, above, kind="general", *, factors=None, adjoint=False):
    """Solve a x = b, or a^H x = b, on the host; `factors` of an earlier call are used if they
    fit.
    """
    factors = fitting_factors(factors, ab) or factorize_band("solve_banded", ab, below, above, kind)
    return apply(factors, ab, b, adjoint)


@band_solve.jvp  # a x = b  =>  a x' = b' - a' x   (a^H and a'^H when adjoint)
def _(call, t):
    da = t.ab.conj() if call.adjoint else t.ab
    right = t.b - band_product(da, call.out, call.below, call.above, call.adjoint)
    return band_solve(
        call.ab,
        right,
        call.below,
        call.above,
        call.kind,
        factors=call.factors,
        adjoint=call.adjoint,
    )


@band_solve.vjp  # w = a^-H g  =>  b_bar = w,  a_bar = the band of -w x^H   (of -x w^H when adjoint)
def _(call, g):
    w = band_solve(
        call.ab,
        g,
        call.below,
        call.above,
        call.kind,
        factors=call.factors,
        adjoint=not call.adjoint,
    )
    left, right = (call.out, w) if call.adjoint else (w, call.out)
    return {"b": w, "ab": lambda: band_of(-left, np.conjugate(right), call.below, call.above)}
