"""Banded systems: solve_banded, solveh_banded, cho_solve_banded. Cotangents are in the storage of the matrix.

On a device, where no kernel for bands exists, the full matrix is used.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.devices import uploaded

from ..foundation.bands import band_solve, dense, factorize_band, hermitian_band
from ..foundation.factors import factorize, failure_codes
from ..foundation.lapack import followed, host, scipys
from ..foundation.matrices import pair, system
from .solve import linear_solve


def solve_banded(l_and_u, ab, b, overwrite_ab=False, overwrite_b=False, check_finite=True, *, on_fail="raise"):
    """Solve a x = b for a banded matrix.

    Parameters
    ----------
    l_and_u : pair of ints
        Numbers of diagonals below and above the main one. Arrays if they vary over a batch.
    ab : (..., l + u + 1, n) array_like
        Matrix in band storage, ``ab[u + i - j, j] = a[i, j]``.
    b : (n,) or (..., n, k) array_like
        Right-hand sides. Batch axes broadcast.

    Returns
    -------
    x : (n,) or (..., n, k) ndarray
        Solution, of the shape of `b`, broadcast.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, the number of the zero pivot, or -1 for NaN in the matrix. 1 for any failure on a GPU.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity, inside or outside of the matrix.
    numpy.linalg.LinAlgError
        If the matrix is singular.

    Notes
    -----
    With ``w = a^-H g``: ``b_bar = w``, and ``ab_bar`` is the band of ``-w x^H``. Entries outside of the matrix get 0. Value and
    gradient share one factorisation, and a batch is one call of LAPACK. On a GPU the full n x n matrix is factored. See
    `scipy.linalg.solve_banded`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> ab = np.array([[0.0, 1.0], [2.0, 4.0]])
    >>> print(grad(lambda ab: np.sum(linalg.solve_banded((0, 1), ab, np.array([4.0, 4.0]))))(ab))
    [[ 0.    -0.5  ]
     [-0.75  -0.125]]
    """
    below, above = pair(l_and_u, "solve_banded((l, u), ab, b): the first argument must be (l, u), numbers of diagonals")
    if type(ab) is np.ndarray is type(b) and ab.ndim == 2 and b.ndim <= 2 and on_fail == "raise":
        given = l_and_u, ab, b, followed(overwrite_ab), followed(overwrite_b), check_finite
        if (x := scipys("solve_banded", given, overwrite_ab or overwrite_b, np.linalg.LinAlgError)) is not None:
            return x
    ab, b, vector = system("solve_banded", "ab", ab, b, check_finite, on_fail, square=False)
    if np.any(np.add(below, above) + 1 != shape_of(ab)[-2]):
        raise ValueError(
            f"solve_banded: invalid values for the number of lower and upper diagonals: l + u + 1 = {np.add(below, above) + 1} "
            f"rows are needed, but 'ab' has shape {shape_of(ab)}."
        )
    if np.ndim(below) or np.ndim(above):
        ab = _of_one_width(ab, np.broadcast_to(above, np.broadcast_shapes(np.shape(below), np.shape(above))))
    return _solved("solve_banded", ab, b, vector, int(np.max(below)), int(np.max(above)), "general", on_fail)


def _of_one_width(ab: Any, above: Any) -> Any:
    """Bands of as many rows, `above` of them over the diagonal, as bands of the largest widths."""
    rows, most = shape_of(ab)[-2], above.max()
    wide = np.pad(ab, [(0, 0)] * (ab.ndim - 2) + [(rows, rows), (0, 0)])
    taken = np.arange(rows + most - above.min()) - most + above[..., None] + rows
    lead = np.broadcast_shapes(above.shape, shape_of(ab)[:-2])
    wide, taken = np.broadcast_to(wide, (*lead, *shape_of(wide)[-2:])), np.broadcast_to(taken, (*lead, taken.shape[-1]))
    return np.take_along_axis(wide, uploaded(taken[..., None], ab), -2)


def solveh_banded(ab, b, overwrite_ab=False, overwrite_b=False, lower=False, check_finite=True, *, on_fail="raise"):
    """Solve a x = b for a Hermitian positive definite banded matrix.

    Parameters
    ----------
    ab : (..., u + 1, n) array_like
        One half of the band: ``ab[i - j, j] = a[i, j]`` with `lower`, otherwise ``ab[u + i - j, j] = a[i, j]``.
    b : (n,) or (..., n, k) array_like
        Right-hand sides. Batch axes broadcast.
    lower : bool, optional
        Whether `ab` holds the lower half.

    Returns
    -------
    x : (n,) or (..., n, k) ndarray
        Solution, of the shape of `b`, broadcast.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, the order of the leading minor that is not positive, or -1 for NaN in the matrix. 1 for
        any failure on a GPU.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity.
    numpy.linalg.LinAlgError
        If the matrix is not positive definite.

    Notes
    -----
    Derivatives as for `solve_banded`, in the half that is given. On a GPU the full matrix is factored. See
    `scipy.linalg.solveh_banded`.

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
    if plain and ab.shape[-1] > 1 and on_fail == "raise":  # SciPy cannot take one number in two rows
        given = ab, b, followed(overwrite_ab), followed(overwrite_b), lower, check_finite
        if (x := scipys("solveh_banded", given, overwrite_ab or overwrite_b, np.linalg.LinAlgError)) is not None:
            return x
    ab, b, vector = system("solveh_banded", "ab", ab, b, check_finite, on_fail, square=False)
    u, kind = shape_of(ab)[-2] - 1, "positive definite" if lower else "positive definite, upper"
    return _solved("solveh_banded", hermitian_band(ab, bool(lower)), b, vector, u, u, kind, on_fail)


def cho_solve_banded(cb_and_lower, b, overwrite_b=False, check_finite=True):
    """Solve a x = b, given the Cholesky factor of a banded matrix.

    Parameters
    ----------
    cb_and_lower : tuple
        ``(cb, lower)`` with `cb` from `cholesky_banded` for this `lower`.
    b : (n,) or (..., n, k) array_like
        Right-hand sides. Batch axes broadcast.

    Returns
    -------
    x : (n,) or (..., n, k) ndarray
        Solution, of the shape of `b`, broadcast. Not finite where a diagonal element of the factor is 0.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity.

    Notes
    -----
    Differentiable in the factor and in `b`. On a GPU the full factor is used. See `scipy.linalg.cho_solve_banded`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> factor = linalg.cholesky_banded(np.array([[4.0, 16.0], [0.0, 0.0]]), lower=True)
    >>> print(grad(lambda b: np.sum(linalg.cho_solve_banded((factor, True), b)))(np.ones(2)))
    [0.25   0.0625]
    """
    cb, lower = pair(cb_and_lower, "cho_solve_banded: the first argument must be (cb, lower), the factor and which half it is")
    if type(cb) is np.ndarray is type(b) and cb.ndim == 2 and b.ndim <= 2:
        return host("cho_solve_banded")(cb_and_lower, b, followed(overwrite_b), check_finite)
    cb, b, vector = system("cho_solve_banded", "cb", cb, b, check_finite, square=False)
    u = shape_of(cb)[-2] - 1
    widths = (u, 0) if lower else (0, u)
    solve = band_solver("cho_solve_banded", cb, *widths, "triangular", "nan")[0]
    x = solve(solve(b, not lower), bool(lower))
    return x[..., 0] if vector else x


def _solved(function: str, ab: Any, b: Any, vector: bool, below: int, above: int, kind: str, on_fail: str) -> Any:
    solve, info = band_solver(function, ab, below, above, kind, on_fail)
    x = solve(b, False)
    x = x[..., 0] if vector else x
    return (x, info(b)) if on_fail == "info" else x


def band_solver(function: str, ab: Any, below: int, above: int, kind: str, on_fail: str) -> Any:
    """solve(b, adjoint), differentiable in ab and b with one factorisation, and codes(b), what failed for each system."""
    if library(raw(ab)) == "numpy":
        factors = factorize_band(function, raw(ab), below, above, kind, on_fail)
        solve = functools.partial(band_solve, ab, below=below, above=above, kind=kind, factors=factors)
    else:
        a = dense(ab, below, above)
        factors = factorize(function, raw(a), "general", False, on_fail)
        solve = functools.partial(linear_solve, a, factors=factors)
    return lambda b, adjoint: solve(b=b, adjoint=adjoint), functools.partial(failure_codes, ab, factors=factors)


__all__ = ["cho_solve_banded", "solve_banded", "solveh_banded"]
