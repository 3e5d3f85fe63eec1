"""numpy.linalg on traced arrays: NumPy's signatures, and LinAlgError where NumPy raises it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from scigrad.autodiff_rules import raw, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.trace import interception

from . import cholesky as _cholesky_of
from . import cond as _cond_of
from . import cross, det, matrix_norm, multi_dot, outer, slogdet, tensorinv, tensorsolve, vector_norm
from . import eig as _eig_of
from . import eigh as _eigh_of
from . import eigvalsh as _eigvalsh_of
from . import inv as _inv_of
from . import lstsq as _lstsq_of
from . import matrix_power as _matrix_power_of
from . import matrix_rank as _matrix_rank_of
from . import norm as _norm_of
from . import pinv as _pinv_of
from . import qr as _qr_of
from . import solve as _solve_of
from . import svd as _svd_of
from . import svdvals as _svdvals_of
from .eigenvalues.general import as_real
from .foundation.failures import LinAlgError
from .foundation.matrices import as_array, is_complex
from .foundation.structures import whole_matrix


def answers(original: Any) -> Callable[[Any], Any]:
    """Let a function answer for one of NumPy's when it meets a traced array."""

    def register(function: Any) -> Any:
        interception[original] = function
        return function

    return register


def _square(a: Any) -> Any:
    shape = shape_of(a)
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise LinAlgError(f"Last 2 dimensions of the array must be square, not those of an array of shape {shape}")
    return a


class EighResult(NamedTuple):
    """As numpy.linalg.eigh returns it."""

    eigenvalues: Any
    eigenvectors: Any


@answers(np.linalg.solve)
def _solve(a, b):
    shape, right = shape_of(_square(a)), shape_of(b)
    if right[-2:][:1] != shape[-1:]:
        raise ValueError(f"solve: 'a' is {shape}, so 'b' needs {shape[-1]} rows, but has shape {right}.")
    return _solve_of(a, b, check_finite=False)


@answers(np.linalg.inv)
def _inv(a):
    return _inv_of(_square(a), check_finite=False)


@answers(np.linalg.det)
def _det(a):
    value = det(_square(a), check_finite=False)  # in double precision, as SciPy answers, not NumPy
    return value.astype(a.dtype) if a.dtype.char in "fF" else value


@answers(np.linalg.slogdet)
def _slogdet(a):
    return slogdet(_square(a))


@answers(np.linalg.cholesky)
def _cholesky(a, /, *, upper=False):
    return _cholesky_of(_square(a), not upper, check_finite=False)


@answers(np.linalg.eigh)
def _eigh(a, UPLO="L"):
    return EighResult(*_eigh_of(_square(a), lower=_is_lower(UPLO), check_finite=False))


@answers(np.linalg.eigvalsh)
def _eigvalsh(a, UPLO="L"):
    return _eigvalsh_of(_square(a), lower=_is_lower(UPLO), check_finite=False)


def _is_lower(triangle: str) -> bool:
    if triangle.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return triangle.upper() == "L"


class EigResult(NamedTuple):
    """As numpy.linalg.eig returns it."""

    eigenvalues: Any
    eigenvectors: Any


@answers(np.linalg.eig)
def _eig(a):
    w, v = _eig_of(_square(a), check_finite=False)
    return EigResult(w if is_complex(v) else np.real(w), v)


@answers(np.linalg.eigvals)
def _eigvals(a):
    w = _eig_of(_square(a), right=False, check_finite=False)
    real = not is_complex(a) and library(raw(a)) == "numpy" and raw(w).size and not raw(w).imag.any()
    return as_real(w) if real else w


@answers(np.linalg.lstsq)
def _lstsq(a, b, rcond=None):
    a, b = as_array("lstsq", "a", a), as_array("lstsq", "b", b)
    if len(shape_of(a)) != 2 or len(shape_of(b)) not in (1, 2) or shape_of(a)[0] != shape_of(b)[0]:
        wanted = "'a' of shape (m, n) and 'b' of shape (m,) or (m, k)"
        raise LinAlgError(f"lstsq: {wanted} are needed, not {shape_of(a)} and {shape_of(b)}.")
    cutoff = np.finfo(a.dtype).eps * max(shape_of(a)) if rcond is None else rcond
    x, residues, rank, s = _lstsq_of(a, b, cutoff, check_finite=False)[:4]
    residues = residues.real
    return x, residues.reshape((1,)) if shape_of(residues) == () else residues, rank, s


@answers(np.linalg.pinv)
def _pinv(a, rcond=None, hermitian=False, *, rtol=np._NoValue):
    if hermitian:  # NumPy reads the lower triangle then
        a = whole_matrix(_square(a), "hermitian", True)
    if rcond is not None and rtol is not np._NoValue:
        raise ValueError("pinv: `rtol` and `rcond` can't be both set.")
    if rcond is None:
        rcond = 1e-15 if rtol is np._NoValue else rtol
    return _pinv_of(_matrix(a), rtol=rcond, check_finite=False)


class SVDResult(NamedTuple):
    """As numpy.linalg.svd returns it."""

    U: Any
    S: Any
    Vh: Any


@answers(np.linalg.svd)
def _svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    a = whole_matrix(_square(a), "hermitian", True) if hermitian else _matrix(a)  # NumPy reads the lower triangle then
    found = _svd_of(a, full_matrices, compute_uv, check_finite=False)
    return SVDResult(*found) if compute_uv else found


@answers(np.linalg.svdvals)
def _svdvals(x, /):
    return _svdvals_of(_matrix(x), check_finite=False)


class QRResult(NamedTuple):
    """As numpy.linalg.qr returns it."""

    Q: Any
    R: Any


@answers(np.linalg.qr)
def _qr(a, mode="reduced"):
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(f"Unrecognized mode '{mode}'; known are 'reduced', 'complete', 'r' and 'raw'")
    found = _qr_of(_matrix(a), mode={"complete": "full", "raw": "raw"}.get(mode, "economic"), check_finite=False)
    if mode == "raw":
        return found[0][0].mT, found[0][1]
    return found[1] if mode == "r" else QRResult(*found)


@answers(np.linalg.cond)
def _cond(x, p=None):
    return _cond_of(x, p)


def _matrix(a: Any) -> Any:
    if len(shape_of(a)) < 2:
        raise LinAlgError(f"{len(shape_of(a))}-dimensional array given. Array must be at least two-dimensional")
    return a


@answers(np.linalg.norm)
def _norm(x, ord=None, axis=None, keepdims=False):
    return _norm_of(x, ord, axis, keepdims, check_finite=False)


@answers(np.linalg.matrix_rank)
def _matrix_rank(A, tol=None, hermitian=False, *, rtol=None):
    return _matrix_rank_of(A, tol, hermitian, rtol=rtol)


@answers(np.linalg.matrix_power)
def _matrix_power(a, n):
    return _matrix_power_of(a, int(n))


# The same signatures as NumPy's.
for _function in (cross, matrix_norm, multi_dot, outer, tensorinv, tensorsolve, vector_norm):
    answers(getattr(np.linalg, _function.__name__))(_function)
