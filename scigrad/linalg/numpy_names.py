"""numpy.linalg on traced arrays: NumPy's signatures, and LinAlgError where NumPy raises it."""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import differentiable, raw, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.autodiff_rules.trace import interception

from .eigenvalues.general import eig as scipys_eig
from .eigenvalues.hermitian import eigh, eigvalsh
from .foundation.failures import LinAlgError, exists
from .foundation.matrices import as_array, is_complex, largest
from .foundation.matrices import hermitian as whole
from .functions.roots_and_logarithms import matrix_power
from .products import cross, multi_dot, outer
from .singular_values.least_squares import lstsq as scipys_lstsq
from .singular_values.least_squares import pinv as scipys_pinv
from .singular_values.norms import cond, matrix_rank, norm
from .singular_values.svd import svd as scipys_svd
from .singular_values.svd import svdvals
from .systems.cholesky import cholesky
from .systems.determinant import det as scipys_det
from .systems.determinant import slogdet
from .systems.solve import inv
from .systems.solve import solve as scipys_solve
from .tensors import matrix_norm, tensorinv, tensorsolve, vector_norm
from .unitary.qr import qr as scipys_qr

EIG, EIGH, SVD, QR = (
    type(f(np.eye(1))) for f in (np.linalg.eig, np.linalg.eigh, np.linalg.svd, np.linalg.qr)
)


def _square(a: Any) -> Any:
    shape = shape_of(a)
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise LinAlgError(
            f"Last 2 dimensions of the array must be square, not those of an array of shape {shape}"
        )
    return a


def _as_matrix(a: Any, hermitian: bool = False) -> Any:
    if hermitian:  # NumPy reads the lower triangle then
        return whole(_square(a), True)
    if len(shape_of(a)) < 2:
        raise LinAlgError(
            f"{len(shape_of(a))}-dimensional array given. Array must be at least two-dimensional"
        )
    return a


def _triangle_of(uplo: str) -> dict[str, bool]:
    if uplo.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    return {"lower": uplo.upper() == "L", "check_finite": False}


def solve(a: Any, b: Any) -> Any:
    shape, right = shape_of(_square(a)), shape_of(b)
    if right[-2:][:1] != shape[-1:]:
        raise ValueError(
            f"solve: 'a' is {shape}, so 'b' needs {shape[-1]} rows, but has shape {right}."
        )
    return scipys_solve(a, b, check_finite=False)


def det(a: Any) -> Any:
    # in double precision, as SciPy answers, not NumPy
    value = scipys_det(_square(a), check_finite=False)
    return value.astype(a.dtype) if a.dtype.char in "fF" else value


def eig(a: Any) -> Any:
    w, v = scipys_eig(_square(a), check_finite=False)
    return EIG(w if is_complex(v) else np.real(w), v)


# NumPy returns real eigenvalues as a real array, whose derivative is real too. In a direction in
# which two equal ones become a complex pair that would be half of it.
@differentiable("w", core={"w": 1})
def _as_real(w):
    """Return the real part of eigenvalues that are real."""
    return np.real(w)


@_as_real.jvp
def _(call, t):
    w_dot = raw(t.w)
    if exists(
        np.abs(np.imag(w_dot)) > 100 * np.sqrt(np.finfo(w_dot.dtype).eps) * largest(w_dot, -1, True)
    ):
        raise LinAlgError(
            "eigvals: equal real eigenvalues become a complex pair in this direction, and the "
            "real array that numpy.linalg.eigvals returns has no place for their derivative: use "
            "scigrad.linalg.eigvals, whose array is complex."
        )
    return np.real(t.w)


def eigvals(a: Any) -> Any:
    w = scipys_eig(_square(a), right=False, check_finite=False)
    real = (
        not is_complex(a) and library(raw(a)) == "numpy" and raw(w).size and not raw(w).imag.any()
    )
    return _as_real(w) if real else w


def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    a, b = as_array("lstsq", "a", a), as_array("lstsq", "b", b)
    if len(shape_of(a)) != 2 or len(shape_of(b)) not in (1, 2) or shape_of(a)[0] != shape_of(b)[0]:
        wanted = "'a' of shape (m, n) and 'b' of shape (m,) or (m, k)"
        raise LinAlgError(f"lstsq: {wanted} are needed, not {shape_of(a)} and {shape_of(b)}.")
    cutoff = np.finfo(a.dtype).eps * max(shape_of(a)) if rcond is None else rcond
    x, residues, rank, s = scipys_lstsq(a, b, cutoff, check_finite=False)[:4]
    return x, np.atleast_1d(residues.real), rank, s


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> Any:
    if rcond is not None and rtol is not np._NoValue:
        raise ValueError("pinv: `rtol` and `rcond` can't be both set.")
    if rcond is None:
        rcond = 1e-15 if rtol is np._NoValue else rtol
    return scipys_pinv(_as_matrix(a, hermitian), rtol=rcond, check_finite=False)


def svd(
    a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False
) -> Any:
    found = scipys_svd(_as_matrix(a, hermitian), full_matrices, compute_uv, check_finite=False)
    return SVD(*found) if compute_uv else found


def qr(a: Any, mode: str = "reduced") -> Any:
    if mode not in ("reduced", "complete", "r", "raw"):
        raise ValueError(
            f"Unrecognized mode '{mode}'; known are 'reduced', 'complete', 'r' and 'raw'"
        )
    found: Any = scipys_qr(
        _as_matrix(a),
        mode={"complete": "full", "raw": "raw"}.get(mode, "economic"),
        check_finite=False,
    )
    if mode == "raw":
        return found[0][0].mT, found[0][1]
    return found[1] if mode == "r" else QR(*found)


SAME_SIGNATURES = (
    cond, cross, matrix_norm, matrix_rank, multi_dot, outer, tensorinv, tensorsolve, vector_norm,
)  # fmt: skip
_ANSWERS = {
    "inv": lambda a: inv(_square(a), check_finite=False),
    "slogdet": lambda a: slogdet(_square(a)),
    "cholesky": lambda a, /, *, upper=False: cholesky(_square(a), not upper, check_finite=False),
    "eigh": lambda a, UPLO="L": EIGH(*eigh(_square(a), **_triangle_of(UPLO))),
    "eigvalsh": lambda a, UPLO="L": eigvalsh(_square(a), **_triangle_of(UPLO)),
    "svdvals": lambda x, /: svdvals(_as_matrix(x), check_finite=False),
    "norm": lambda x, ord=None, axis=None, keepdims=False: norm(
        x, ord, axis, keepdims, check_finite=False
    ),
    "matrix_power": lambda a, n: matrix_power(a, int(n)),
    **{own.__name__: own for own in (solve, det, eig, eigvals, lstsq, pinv, svd, qr)},
    **{same.__name__: same for same in SAME_SIGNATURES},
}
for _name, _function in _ANSWERS.items():
    interception[getattr(np.linalg, _name)] = _function
