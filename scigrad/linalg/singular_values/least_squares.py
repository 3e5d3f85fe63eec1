"""Least squares and the pseudo-inverse, for any rank: the solution of smallest norm, x = a^+ b."""

from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import concrete, raw, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.trace import as_scalar
from scigrad.numpy.devices import on_host, one_kernel
from scigrad.typing import Array, ArrayLike, OnFail

from ..foundation import decompositions, failures
from ..foundation.factors import factorize
from ..foundation.failures import append_info
from ..foundation.lapack import host, may_overwrite, routine
from ..foundation.matrices import as_vectors, check_matrices, hermitian, identity, system
from .any_rank import Spectrum, counts, full_rank, pseudo_solve, spectrum_of, truncate
from .svd_rules import values_of
from .tall_factors import ReflectedColumns, Triangle

_TALL = 2  # rows for each column from which it pays to decompose r of a = q r instead of a


def lstsq(
    a: ArrayLike,
    b: ArrayLike,
    cond: float | None = None,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    lapack_driver: Literal["gelsd", "gelss", "gelsy"] | None = None,
    *,
    on_fail: OnFail = "raise",
) -> tuple[Array, Array, Array, Array | None]:
    """Compute the least-squares solution of minimum norm of a x = b.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrix, or batch of matrices.
    b : (m,) or (..., m, k) array_like
        Right-hand sides. Batch axes broadcast.
    cond : float, optional
        Singular values up to `cond` times the largest count as zero. By default the machine
        precision.
    overwrite_a, overwrite_b : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    lapack_driver : {"gelsd", "gelss", "gelsy"}, optional
        Driver of LAPACK. Under a transform, for batches and on a GPU the SVD is computed.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    x : (n,) or (..., n, k) ndarray
        Minimizer of ``|b - a x|`` of minimum norm.
    residues : (...) or (..., k) ndarray
        ``|b - a x|^2`` if m > n and all ranks are n. Otherwise its last axis has length 0.
    rank : int or ndarray of ints
        Effective rank of each matrix.
    s : (..., min(m, n)) ndarray or None
        Singular values. None with "gelsy".
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If shapes do not fit, an array holds NaN or infinity, or the driver is unknown.
    numpy.linalg.LinAlgError
        If the SVD does not converge.

    Notes
    -----
    Differentiable in `a` and `b` while the effective rank is constant. Singular values that count
    as zero may be of any size, so that `cond` regularizes. Singular values of the size of rounding
    errors have the derivative 0. See `scipy.linalg.lstsq`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.array([[1.0, 1.0], [1.0, 1.0]])
    >>> print(grad(lambda b: np.sum(linalg.lstsq(a, b)[0]))(np.array([1.0, 2.0])).round(12))
    [0.5 0.5]
    """
    if type(a) is np.ndarray is type(b) and a.ndim == 2 and b.ndim <= 2 and on_fail == "raise":
        given = (
            a,
            b,
            cond,
            may_overwrite(overwrite_a),
            may_overwrite(overwrite_b),
            check_finite,
            lapack_driver,
        )
        # the residues
        return tuple(
            np.real(part) if i == 1 else part for i, part in enumerate(host("lstsq")(*given))
        )
    if lapack_driver not in (None, "gelsd", "gelss", "gelsy"):
        raise ValueError(
            f'lstsq: LAPACK driver "{lapack_driver}" is not found; known are gelsd, gelss and '
            "gelsy."
        )
    a, b, vector = system("lstsq", "a", a, b, check_finite, on_fail, False, -2)
    cutoff = np.finfo(a.dtype).eps if cond is None or cond < 0 else cond
    spectrum = _thin(raw(a), cutoff, on_fail)
    x = pseudo_solve(truncate(a, spectrum, cutoff), b, spectrum)
    residues = _residues(a, b, x, spectrum, lapack_driver, on_fail)
    x, residues = (
        (as_vectors(x), as_vectors(residues) if shape_of(residues)[-1] else residues)
        if vector
        else (x, residues)
    )
    s = None if lapack_driver == "gelsy" else values_of(a, spectrum)
    rank, info = counts(a, spectrum)
    return append_info((x, residues, rank, s), info, on_fail)


def _triangular_spectrum(a: Any, relative: float) -> Spectrum | None:
    """Return a matrix of CuPy with at least as many rows as columns as q and r; None if it has a
    singular value that counts as 0. Waits for the device.
    """
    q, r = np.linalg.qr(a)
    s = decompositions.svd(r, False, False)[1]
    if not on_host(_is_beyond(s[-1], s[0], relative)):
        return None
    solution = Triangle(r, factorize("lstsq", r, "triangular", False, "nan", False))
    return Spectrum(a.shape, q, s, solution, s, len(s), 0)


@one_kernel
def _is_beyond(least: Any, most: Any, relative: float) -> Any:
    return (least > relative * most) & (most < np.inf)


@concrete
def _thin(a: Any, relative: float, on_fail: str) -> Spectrum:
    """Return the singular value decomposition; of a tall matrix on the host without forming u,
    which would take as long as all else.
    """
    m, n = a.shape[-2:]
    if library(a) == "cupy" and a.ndim == 2 and m >= n > 0 and on_fail == "raise":
        found = _triangular_spectrum(a, relative)
        if found is not None:
            return found
    if library(a) != "numpy" or a.ndim > 2 or on_fail != "raise" or m < _TALL * n or n == 0:
        return spectrum_of("lstsq", a, relative, 0.0, on_fail)
    packed, tau, _, _ = routine("geqrf", a.dtype.char)(a, lwork=64 * n)
    small = spectrum_of("lstsq", np.triu(packed[:n]), relative, 0.0, on_fail)
    return small._replace(shape=a.shape, u=ReflectedColumns(packed, tau, small.u))


def _residues(a: Any, b: Any, x: Any, spectrum: Spectrum, driver: Any, on_fail: str) -> Any:
    """Return |b - a x|^2 where SciPy does. On a device, where shapes cannot depend on the rank, NaN
    for a rank below n.
    """
    m, n = shape_of(a)[-2:]
    r = b - a @ x
    squares = np.sum(np.real(np.conjugate(r) * r), axis=-2)
    if m <= n or driver == "gelsy":
        return squares[..., :0]
    if full_rank(spectrum)[1]:
        return squares
    waits = on_fail == "raise" or library(spectrum.s) == "numpy"
    # The rank of a matrix with NaN decides nothing.
    if waits and failures.to_host((spectrum.rank == n) | np.isnan(spectrum.s).any(axis=-1)).all():
        return squares
    # none before SciPy 1.18, NaN since
    if waits and np.ndim(host("lstsq")(np.zeros((2, 1)), np.zeros(2))[1]):
        return squares[..., :0]
    return np.where(counts(a, spectrum)[0][..., None] == n, squares, np.nan)


def pinv(
    a: ArrayLike,
    *,
    atol: ArrayLike | None = None,
    rtol: ArrayLike | None = None,
    return_rank: bool = False,
    check_finite: bool = True,
    on_fail: OnFail = "raise",
) -> Array:
    """Compute the Moore-Penrose pseudo-inverse of a matrix.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrix, or batch of matrices.
    atol, rtol : (...) array_like, optional
        Singular values up to ``atol + rtol * (the largest)`` count as zero. By default 0 and
        ``max(m, n) eps``. Arrays hold one tolerance for each matrix.
    return_rank : bool, optional
        Whether the effective rank is returned too.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    pseudo_inverse : (..., n, m) ndarray
        Pseudo-inverse of `a`.
    rank : int or ndarray of ints
        Effective rank. Only with `return_rank`.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If `a` is not a matrix, holds NaN or infinity, or a tolerance is negative.
    numpy.linalg.LinAlgError
        If the SVD does not converge.

    Notes
    -----
    Differentiable while the effective rank is constant. Singular values that count as zero may be
    of any size. See `scipy.linalg.pinv`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.sum(linalg.pinv(a)))(np.diag([2.0, 4.0])).round(12))
    [[-0.25   -0.125 ]
     [-0.125  -0.0625]]
    """
    # NumPy's kernel is faster for a batch, but rounds in another way, which single precision shows
    plain = type(a) is np.ndarray and on_fail == "raise" and np.ndim(atol) == np.ndim(rtol) == 0
    if plain and (a.ndim == 2 or (a.dtype.char in "fF" and a.size)):
        found: Any = host("pinv")(
            a, atol=atol, rtol=rtol, return_rank=return_rank, check_finite=check_finite
        )
        if isinstance(found, list):  # SciPy returns a list for a batch
            found = tuple(found)
        return found
    a = check_matrices("pinv", "a", a, check_finite, on_fail, False)
    atol, rtol = _tolerances("pinv", a, atol, rtol)
    return _pseudo_inverse("pinv", a, atol, rtol, return_rank, on_fail)


def pinvh(
    a: ArrayLike,
    atol: ArrayLike | None = None,
    rtol: ArrayLike | None = None,
    lower: bool = True,
    return_rank: bool = False,
    check_finite: bool = True,
    *,
    on_fail: OnFail = "raise",
) -> Array:
    """Compute the Moore-Penrose pseudo-inverse of a Hermitian matrix.

    Parameters
    ----------
    a : (..., n, n) array_like
        Symmetric or Hermitian matrix, or batch of matrices. One triangle is read.
    atol, rtol : (...) array_like, optional
        Eigenvalues up to ``atol + rtol * (the largest)`` in absolute value count as zero. By
        default 0 and ``n eps``. Arrays hold one tolerance for each matrix.
    lower : bool, optional
        Whether the lower triangle is read.
    return_rank : bool, optional
        Whether the effective rank is returned too.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

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
    Differentiable while the effective rank is constant. The derivative divides by the eigenvalues
    that count and by their distance from the others, never by gaps among themselves. Entries of the
    other triangle get 0. See `scipy.linalg.pinvh`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.pinvh(a)))(np.ones((2, 2))).round(12))
    [[-0.125  0.   ]
     [-0.25  -0.125]]
    """
    plain = (
        type(a) is np.ndarray
        and a.ndim >= 2
        and on_fail == "raise"
        and np.ndim(atol) == np.ndim(rtol) == 0
    )
    if plain and a.shape[-1] == a.shape[-2] > 0:
        return host("pinvh")(a, atol, rtol, lower, return_rank, check_finite)
    a = check_matrices("pinvh", "a", a, check_finite, on_fail)
    atol, rtol = _tolerances("pinvh", a, atol, rtol)
    return _pseudo_inverse("pinvh", hermitian(a, bool(lower)), atol, rtol, return_rank, on_fail)


def _pseudo_inverse(
    function: str, a: Any, atol: Any, rtol: Any, return_rank: bool, on_fail: str
) -> Any:
    spectrum = spectrum_of(function, raw(a), rtol, atol, on_fail)
    out = [
        pseudo_solve(truncate(a, spectrum, rtol, atol), identity(shape_of(a)[-2], raw(a)), spectrum)
    ]
    rank, info = counts(a, spectrum)
    out += [rank] * bool(return_rank) + [info] * (on_fail == "info")
    return tuple(out) if len(out) > 1 else out[0]


def _tolerances(function: str, a: Any, atol: Any, rtol: Any) -> tuple[Any, Any]:
    """Return the tolerances that singular values are compared with: numbers, or arrays with a last
    axis of length 1.
    """
    found: list[Any] = []
    for given, default in ((atol, 0.0), (rtol, max(shape_of(a)[-2:]) * np.finfo(a.dtype).eps)):
        x: Any = default if given is None else as_scalar(given)
        if np.ndim(x):
            x = (x if hasattr(x, "shape") else np.asarray(x, like=raw(a)))[..., None]
        if library(raw(x)) == "numpy" and np.any(raw(x) < 0):
            raise ValueError(
                f"{function}: atol and rtol values must be positive, not {atol} and {rtol}."
            )
        found.append(x)
    return found[0], found[1]


__all__ = ["lstsq", "pinv", "pinvh"]
