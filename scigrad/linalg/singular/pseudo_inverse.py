"""The pseudo-inverse of a Hermitian matrix, through its eigenvalues."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw, shape_of

from ..foundation import failures
from ..foundation.lapack import host
from ..foundation.matrices import as_matrix, hermitian, identity, largest, mH, refuse_nonfinite
from .least_squares import tolerances
from .singular_values import Spectrum, counts
from .smallest_norm import pseudo_solve
from .truncation import truncated


def pinvh(a, atol=None, rtol=None, lower=True, return_rank=False, check_finite=True, *, on_fail="raise"):
    """Compute the Moore-Penrose pseudo-inverse of a Hermitian matrix.

    Parameters
    ----------
    a : (..., n, n) array_like
        Symmetric or Hermitian matrix, or batch of matrices. One triangle is read.
    atol, rtol : (...) array_like, optional
        Eigenvalues up to ``atol + rtol * (the largest)`` in absolute value count as zero. By default 0 and ``n eps``. Arrays hold
        one tolerance for each matrix.
    lower : bool, optional
        Whether the lower triangle is read.
    return_rank : bool, optional
        Whether the effective rank is returned too.

    Returns
    -------
    pseudo_inverse : (..., n, n) ndarray
        Pseudo-inverse of `a`.
    rank : int or ndarray of ints
        Effective rank. Only with `return_rank`.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, or -1 for NaN in `a`.

    Raises
    ------
    ValueError
        If `a` is not square, holds NaN or infinity, or a tolerance is negative.
    numpy.linalg.LinAlgError
        If the iteration does not converge.

    Notes
    -----
    Differentiable while the effective rank is constant. The derivative divides by the eigenvalues that count and by their
    distance from the others, never by gaps among themselves. Entries of the other triangle get 0. See `scipy.linalg.pinvh`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.pinvh(a)))(np.ones((2, 2))).round(12))
    [[-0.125  0.   ]
     [-0.25  -0.125]]
    """
    plain = type(a) is np.ndarray and a.ndim >= 2 and on_fail == "raise" and np.ndim(atol) == np.ndim(rtol) == 0
    if plain and a.shape[-1] == a.shape[-2] > 0:
        return host("pinvh")(a, atol, rtol, lower, return_rank, check_finite)
    failures.check_policy("pinvh", on_fail)
    a = as_matrix("pinvh", "a", a)
    atol, rtol = tolerances("pinvh", a, atol, rtol)
    refuse_nonfinite("pinvh", check_finite and on_fail == "raise", a=a)
    whole = hermitian(a, bool(lower))
    spectrum = _spectrum(raw(whole), rtol, atol, on_fail)
    out = [pseudo_solve(truncated(whole, spectrum, rtol, atol), identity(shape_of(a)[-1], raw(a)), spectrum)]
    rank, info = counts(whole, spectrum)
    out += [rank] * bool(return_rank) + [info] * (on_fail == "info")
    return tuple(out) if len(out) > 1 else out[0]


def _spectrum(a: Any, relative: Any, absolute: Any, on_fail: str) -> Spectrum:
    """a = v w v^H as a singular value decomposition: v |w| (v sign(w))^H, in the order of eigenvalues."""
    info = np.zeros(a.shape[:-2], np.intp, like=a)
    if on_fail != "raise":
        bad = failures.not_finite(a)
        a, info = failures.patched(a, bad), bad * -1
    w, v = np.linalg.eigh(a)
    s = np.abs(w)
    good = s > absolute + relative * largest(s, -1, True)
    inverse = np.where(good, 1 / np.where(good, s, 1), 0).astype(s.dtype)
    if on_fail != "raise":
        inverse, s = failures.marked_nan(inverse, info, 1), failures.marked_nan(s, info, 1)
    sign = np.where(w < 0, -1, 1).astype(s.dtype)
    return Spectrum(a.shape, v, s, sign[..., :, None] * mH(v), inverse, good.sum(axis=-1), info)


__all__ = ["pinvh"]
