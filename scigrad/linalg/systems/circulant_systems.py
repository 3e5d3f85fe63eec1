"""Circulant systems, by division in Fourier space. All circulant matrices commute, and so do their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant, differentiable, multilinear, namespace_of, raw, shape_of

from ..foundation import failures
from ..foundation.lapack import scipys
from ..foundation.matrices import as_array, is_complex


@multilinear("c", "x")
def circular_product(c, x):
    """The circular convolution of vectors (..., n), a x for the circulant matrix a whose first column is c."""
    if c.size == 0 or x.size == 0:
        return np.zeros(np.broadcast_shapes(c.shape, x.shape), np.result_type(c.dtype, x.dtype), like=c)
    y = np.fft.ifft(np.fft.fft(c) * np.fft.fft(x))
    return y if is_complex(c) or is_complex(x) else y.real


@differentiable("c", "b")
def circular_quotient(c, b, kept):
    """The x of smallest norm with a x = b in the eigenspaces that are `kept`."""
    if c.size == 0 or b.size == 0:
        return np.zeros(np.broadcast_shapes(c.shape, b.shape), np.result_type(c.dtype, b.dtype), like=c)
    spectrum = np.where(kept, np.fft.fft(c), 1)
    x = np.fft.ifft(np.where(kept, np.fft.fft(b) / spectrum, 0))
    return x if is_complex(c) or is_complex(b) else x.real


@constant
def _kept(c, tol):
    """Return which eigenvalues count as different from 0."""
    if c.size == 0:
        return namespace_of(c).ones(c.shape, bool)
    size = np.abs(np.fft.fft(c))
    if tol is None:
        tol = size.max(axis=-1, keepdims=True) * (c.shape[-1] * np.finfo(np.float64).eps)
    return ~(size <= tol)


circular_product.batch_leading(c=1, x=1)
circular_quotient.batch_leading(c=1, b=1, kept=1)
_kept.batch_leading(c=1)


def reflected(c: Any) -> Any:
    """The first column of a^H."""
    return np.conjugate(np.roll(np.flip(c, -1), 1, -1))


@circular_product.vjp  # c x = x c, so both cotangents have one form
def _(call, g):
    return {"c": lambda: circular_product(reflected(call.x), g), "x": lambda: circular_product(reflected(call.c), g)}


# a x = b  =>  a x' = b' - a' x; in the eigenspaces that are dropped x = 0, and stays so while they are.
@circular_quotient.jvp
def _(call, t):
    return circular_quotient(call.c, t.b - circular_product(t.c, call.out), call.kept)


@circular_quotient.vjp
def _(call, g):
    w = circular_quotient(reflected(call.c), g, call.kept)
    return {"b": w, "c": lambda: -circular_product(reflected(call.out), w)}


def solve_circulant(c, b, singular="raise", tol=None, caxis=-1, baxis=0, outaxis=0, *, on_fail="raise"):
    """Solve a x = b for a circulant matrix.

    Parameters
    ----------
    c : (..., n) array_like
        First columns of the matrices, along `caxis`.
    b : (n, ...) array_like
        Right-hand sides, along `baxis`. The other axes of `c` and `b` broadcast.
    singular : {"raise", "lstsq"}, optional
        For a nearly singular matrix: an exception, or the minimizer of ``|b - a x|`` of minimum norm.
    tol : float, optional
        Eigenvalues up to `tol` in absolute value count as zero. By default ``n eps`` times the largest.
    caxis, baxis, outaxis : int, optional
        Axes of the vectors in `c`, in `b` and in the result.
    on_fail : {"raise", "nan", "info"}, optional
        With ``singular="raise"``: for a singular matrix an exception, NaN, or NaN and the output `info`.

    Returns
    -------
    x : ndarray
        Solutions, along `outaxis`.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, or 1 for a singular matrix, of the shape of `c` without its axis of vectors.

    Raises
    ------
    ValueError
        If shapes or axes do not fit.
    numpy.linalg.LinAlgError
        If a matrix is nearly singular and ``singular="raise"``.

    Notes
    -----
    ``x = ifft(fft(b) / fft(c))``. Differentiable in `c` and `b` while the number of eigenvalues that count as zero is constant.
    See `scipy.linalg.solve_circulant`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda c: np.sum(linalg.solve_circulant(c, np.ones(2))))(np.array([2.0, 0.0])))
    [-0.5 -0.5]
    """
    if type(c) is np.ndarray is type(b) and on_fail == "raise":
        x = scipys("solve_circulant", (c, b, singular, tol, caxis, baxis, outaxis), False, np.linalg.LinAlgError)
        if x is not None:
            return x
    failures.check_policy("solve_circulant", on_fail)
    c, b = (x if shape_of(x) else x[None] for x in (as_array("solve_circulant", "c", c), as_array("solve_circulant", "b", b)))
    if _length("c", c, caxis) != _length("b", b, baxis):
        raise ValueError(
            f"solve_circulant: Shapes of c {shape_of(c)} and b {shape_of(b)} are incompatible: lengths along caxis={caxis} and "
            f"baxis={baxis} differ."
        )
    c, b = np.moveaxis(c, caxis, -1), np.moveaxis(b, baxis, -1)
    kept = _kept(c, tol)
    if singular == "raise" and on_fail == "raise":
        _refuse(shape_of(raw(c)), raw(kept))
    x = circular_quotient(c, b, kept)
    failed = ~np.all(kept, axis=-1)
    if singular == "raise" and on_fail != "raise":
        x = np.where(failed[..., None], np.nan, x).astype(x.dtype)
    x = np.moveaxis(x, -1, outaxis) if outaxis != -1 else x
    return (x, failed * 1 if singular == "raise" else failed * 0) if on_fail == "info" else x


def _length(name: str, x: Any, axis: int) -> int:
    shape = shape_of(x)
    if not -len(shape) <= axis < len(shape):
        raise ValueError(f"solve_circulant: '{name}axis' entry is out of bounds: {axis} for an array of shape {shape}.")
    return shape[axis]


def _refuse(shape: tuple[int, ...], kept: Any) -> None:
    def describe(code: int) -> tuple[str, str]:
        return "singular circulant", f"near singular circulant matrix, {code} of its eigenvalues fft(c) at most tol in size"

    failures.raise_first("solve_circulant", "c", shape, (~kept).sum(axis=-1), describe)


__all__ = ["solve_circulant"]
