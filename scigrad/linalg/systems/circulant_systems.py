"""Circulant systems, by division in Fourier space. All circulant matrices commute, and so do their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant, namespace_of, raw, shape_of

from ..foundation import failures
from ..foundation.lapack import scipys
from ..foundation.matrices import as_array, is_complex, same_precision


def _quotient(c: Any, b: Any, kept: Any) -> Any:
    """The x of smallest norm with a x = b in the eigenspaces that are `kept`; in the others x = 0, and stays so."""
    if shape_of(c)[-1] == 0:
        return c * b
    spectrum = np.where(kept, np.fft.fft(c), 1)
    x = np.fft.ifft(np.where(kept, np.fft.fft(b) / spectrum, 0))
    return x if is_complex(c) or is_complex(b) else np.real(x)


@constant
def _kept(c, tol):
    """Return which eigenvalues count as different from 0."""
    if c.size == 0:
        return namespace_of(c).ones(c.shape, bool)
    size = np.abs(np.fft.fft(c))
    if tol is None:
        tol = size.max(axis=-1, keepdims=True) * (c.shape[-1] * np.finfo(np.float64).eps)
    return ~(size <= tol)


_kept.batch_leading(c=1)


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
    c, b = same_precision(np.moveaxis(c, caxis, -1), np.moveaxis(b, baxis, -1))
    kept = _kept(c, tol)
    if singular == "raise" and on_fail == "raise":
        detail = "near singular circulant matrix, {code} of its eigenvalues fft(c) at most tol in size"
        failures.raise_first("solve_circulant", "c", shape_of(raw(c)), (~raw(kept)).sum(axis=-1), "singular circulant", detail)
    x = _quotient(c, b, kept)
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


__all__ = ["solve_circulant"]
