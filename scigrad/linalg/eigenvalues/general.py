"""Eigenvalues and eigenvectors of general matrices, a v = v w, and of pairs of them."""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, constant, raw, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.call_stack import call_as_step
from scigrad.typing import Array, ArrayLike, Gauge, OnFail, Value

from ..foundation.factors import factorize
from ..foundation.failures import append_info, resolve_gauge
from ..foundation.lapack import may_overwrite, scipys
from ..foundation.matrices import is_complex, is_moderate, largest
from ..systems.solve import linear_solve
from .eig_gauge import eig_frame, frames_by_lapack, free, left_vectors
from .eigensystem import attach_eigen_rules
from .hermitian import canonical_phase, checked_pair


def eig(
    a: ArrayLike,
    b: ArrayLike | None = None,
    left: bool = False,
    right: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
    *,
    gauge: Gauge | None = None,
    canonical: bool = False,
    on_fail: OnFail = "raise",
) -> tuple[Array, Array]:
    """Compute eigenvalues and eigenvectors of a general matrix or pair of matrices.

    ``a v = v diag(w)``, or ``a v = b v diag(w)``.

    Parameters
    ----------
    a : (..., n, n) array_like
        Matrix, or batch of matrices.
    b : (..., n, n) array_like, optional
        Second matrix of a pair, which may be singular. By default the identity.
    left, right : bool, optional
        Whether the left eigenvectors u, ``u^H a = w u^H b``, and the right eigenvectors v are
        returned.
    overwrite_a, overwrite_b : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    homogeneous_eigvals : bool, optional
        Whether eigenvalues are returned as an array (..., 2, n) of alpha and beta with
        ``w = alpha / beta``.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on the phase of an eigenvector, the basis of equal
        eigenvalues, or the scale of (alpha, beta). "check", the default, raises GaugeError;
        "project" drops that part of the cotangent and reads nothing back from a GPU; "trust" does
        neither.
    canonical : bool, optional
        Whether each eigenvector is multiplied by the phase that makes its largest component
        positive (the first of several), the same on all devices.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    w : (..., n) ndarray
        Complex eigenvalues, in the order of LAPACK.
    vl, vr : (..., n, n) ndarray
        Left and right eigenvectors as requested, columns of norm 1. Real if `a` and all eigenvalues
        are; always complex on a GPU.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity.
    numpy.linalg.LinAlgError
        If the iteration does not converge; under a transform, if a matrix is defective up to
        rounding.
    scigrad.GaugeError
        Under a transform, see `gauge`.

    Warns
    -----
    scipy.linalg.LinAlgWarning
        Under a transform, if nearly equal eigenvalues or a nearly defective matrix cost half of the
        digits.

    Notes
    -----
    With ``x = v^-1 a' v``: ``w_i' = x_ii`` and ``v' = v (x_ij / (w_j - w_i))``, up to the terms
    that keep norm and phase. At equal eigenvalues of a diagonalizable matrix, losses that do not
    depend on the basis, such as ``v f(w) v^-1``, have their exact derivative. For other losses
    reverse mode raises. Forward mode cannot detect the dependence: it chooses the basis that is
    adapted to its direction. Degenerate eigenvalues have their derivatives in that direction, where
    reverse mode gives the mean; `jacobian` chooses the mode by shapes. At a defective matrix there
    is no derivative. A pair is reduced to ``(p b + q a)^-1 (p a - r b)``. See `scipy.linalg.eig`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda a: np.sum(np.abs(linalg.eig(a)[0]) ** 2))(
    ...         np.array([[0.0, 1.0], [-4.0, 0.0]])
    ...     )
    ... )
    [[ 0.  8.]
     [-2.  0.]]
    """
    plain = (
        a.__class__ is np.ndarray
        and a.size
        and (b is None or (b.__class__ is np.ndarray and b.size))
    )
    if (
        plain
        and on_fail == "raise"
        and not canonical
        and (b is not None or a.ndim < 2 or is_moderate(a))
    ):
        alone = left and not right and b is not None  # SciPy does not normalize them then
        memory = may_overwrite(overwrite_a), may_overwrite(overwrite_b)
        given = (a, b, left, right or alone, *memory, check_finite, homogeneous_eigvals)
        found = scipys("eig", given, overwrite_a or overwrite_b)
        if found is not None:
            return found[:-1] if alone else found
    if a.__class__ is np.ndarray and 0 in a.shape[:-2]:
        # the text of SciPy, where real or complex is undecided
        raise ValueError("eig does not support zero-size batches.")
    gauge = resolve_gauge("eig", gauge)
    a, b = checked_pair("eig", a, b, check_finite, on_fail)
    if b is not None:
        w, u, v, info = _pencil(a, b, homogeneous_eigvals, gauge, on_fail, left, right)
    else:
        w, u, v, info = eig_frame(a, left, left or right or isinstance(a, Traced), on_fail)
        # the vector is 1; cotangents of its phase are rounding, in second derivatives
        if shape_of(a)[-1] == 1:
            w = np.where(info[..., None] == 0, np.squeeze(a, -1), np.nan).astype(w.dtype)
        elif v is not None:
            w, v = attach_eigen_rules(a, w, v, "eig", gauge, left or right)
        u = left_vectors(v, u) if left else None
        w = np.stack([w, np.ones_like(w)], axis=-2) if homogeneous_eigvals else w
    vectors = _turned(
        a, b, w, [x for x, wanted in ((u, left), (v, right)) if wanted], gauge, canonical
    )
    return append_info((w, *vectors) if vectors else w, info, on_fail)


def eigvals(
    a: ArrayLike,
    b: ArrayLike | None = None,
    overwrite_a: bool = False,
    check_finite: bool = True,
    homogeneous_eigvals: bool = False,
    *,
    overwrite_b: bool = False,
    on_fail: OnFail = "raise",
) -> Array:
    """Compute the eigenvalues of a general matrix or pair of matrices.

    Parameters
    ----------
    a : (..., n, n) array_like
        Matrix, or batch of matrices.
    b : (..., n, n) array_like, optional
        Second matrix of a pair, which may be singular. By default the identity.
    overwrite_a : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    homogeneous_eigvals : bool, optional
        Whether eigenvalues are returned as an array (..., 2, n) of alpha and beta with
        ``w = alpha / beta``.
    overwrite_b : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    w : (..., n) ndarray
        Complex eigenvalues, in the order of LAPACK.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity.
    numpy.linalg.LinAlgError
        If the iteration does not converge; under a transform, if a matrix is defective up to
        rounding.

    Notes
    -----
    Differentiable to any order where eigenvalues are simple. Symmetric functions of equal
    eigenvalues have their exact derivative; a single one of them has the mean derivative of the
    group. See `scipy.linalg.eigvals`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda a: np.real(np.prod(linalg.eigvals(a))))(np.array([[2.0, 1.0], [0.0, 3.0]]))
    ... )
    [[ 3.  0.]
     [-1.  2.]]
    """
    out: Value = call_as_step(
        eig,
        a,
        b,
        False,
        False,
        overwrite_a=overwrite_a,
        overwrite_b=overwrite_b,
        check_finite=check_finite,
        homogeneous_eigvals=homogeneous_eigvals,
        on_fail=on_fail,
    )
    return out


def _turned(a: Any, b: Any, w: Any, vectors: list[Any], gauge: str, canonical: bool) -> list[Any]:
    """Return the eigenvectors in the dtype and with the phases that the caller returns."""
    if _all_real(a, b, [w, *vectors]):
        vectors = [np.real(x) for x in vectors]
    if canonical:
        with np.errstate(invalid="ignore"):  # NaN where a decomposition failed
            return [canonical_phase(x) for x in vectors]
    return [free(x, gauge, True) for x in vectors] if len(vectors) == 2 else vectors


def _all_real(a: Any, b: Any, results: list[Any]) -> bool:
    """Return whether eigenvectors are real: all eigenvalues are, and so is the basis that a
    direction may have selected among equal ones. False on a device, whose values are not read back.
    """
    if is_complex(a) or (b is not None and is_complex(b)) or library(raw(a)) != "numpy":
        return False
    return not any(raw(x).imag.any() for x in results) and (
        raw(results[0]).size > 0 or shape_of(a)[-1] == 0
    )


# -- Pairs of general matrices, a v = b v w: their eigenvalues alpha / beta, infinite ones among
# them, and derivatives.
#
# With a rotation of the pair, b~ = p b + q a and a~ = p a - r b (p^2 + q r = 1), c = b~^-1 a~ has
# the same eigenvectors and the eigenvalues nu = (p alpha - r beta) / (p beta + q alpha). Unless b
# is nearly singular there is no need to rotate: c = b^-1 a. Eigenvalues and vectors come from
# LAPACK's QZ iteration on (a, b); c gives them their derivatives (eigensystem.py).

_ANGLES = 8  # rotations tried
_FAR_FROM_INFINITY = 1e-3


def _pencil(
    a: Any, b: Any, homogeneous: bool, gauge: str, on_fail: str, left: bool, right: bool
) -> tuple[Any, Any, Any, Any]:
    """Return w or (alpha, beta), left and right eigenvectors if requested, and info."""
    traced = isinstance(a, Traced) or isinstance(b, Traced)
    pairs, u, v, info = frames_by_lapack(a, b, left, left or right or traced, on_fail)
    alpha, beta = pairs[..., 0, :], pairs[..., 1, :]
    if not traced:
        return pairs if homogeneous else _quotient(alpha, beta, beta == 0), u, v, info
    p, q, r = (x[..., None] for x in _rotation(a, b, alpha, beta))
    top, bottom = p[..., None] * a - r[..., None] * b, p[..., None] * b + q[..., None] * a
    factors = factorize("eig", raw(bottom), "general", False, "nan", check_condition=False)
    c, scale = linear_solve(bottom, top, factors=factors), p * beta + q * alpha
    nu, v = attach_eigen_rules(c, (p * alpha - r * beta) / scale, v, "eig", gauge, left or right)
    if left:
        u = left_vectors(v, u, lambda y: linear_solve(bottom, y, factors=factors, adjoint=True))
    alpha, beta, infinite = p * nu + r, p - q * nu, beta == 0
    if homogeneous:
        return free(np.stack([alpha * scale, beta * scale], axis=-2), gauge, False), u, v, info
    return _quotient(alpha, beta, infinite), u, v, info


def _quotient(alpha: Any, beta: Any, infinite: Any) -> Any:
    """Return alpha / beta, with SciPy's infinity where beta is 0."""
    w = alpha / np.where(infinite, 1, beta)
    return np.where(infinite, np.where(alpha == 0, np.nan, np.inf), w).astype(w.dtype)


@constant(core={"a": 2, "b": 2, "alpha": 1, "beta": 1})
def _rotation(a, b, alpha, beta):
    """Return p, q, r of a rotation of the pair: none where all eigenvalues are far from infinity,
    else the one that keeps them farthest from it.
    """
    size_a, size_b = largest(a, (-2, -1)), largest(b, (-2, -1))
    both = (size_a > 0) & (size_b > 0) & (size_a < np.inf) & (size_b < np.inf)
    ratio = np.where(both, size_b / np.where(both, size_a, 1), 1)
    angles = np.pi * np.arange(_ANGLES) / _ANGLES
    x, y = alpha * ratio[..., None], beta
    sizes = np.hypot(np.abs(x), np.abs(y))
    turned = np.abs(
        y[..., None, :] * np.cos(angles)[:, None] + x[..., None, :] * np.sin(angles)[:, None]
    )
    closest = (turned / np.where(sizes > 0, sizes, 1)[..., None, :]).min(axis=-1, initial=1)
    best = np.where(closest[..., 0] > _FAR_FROM_INFINITY, 0, closest.argmax(axis=-1))
    s = np.sin(angles)[best]
    kind = np.real(alpha).dtype
    return np.cos(angles)[best].astype(kind), (s * ratio).astype(kind), (s / ratio).astype(kind)


__all__ = ["eig", "eigvals"]
