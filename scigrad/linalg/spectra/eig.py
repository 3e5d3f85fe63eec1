"""Eigenvalues and eigenvectors of general matrices, a v = v w, and of pairs of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, constant, differentiable, raw, shape_of
from scigrad.autodiff_rules.backends import library

from ..foundation import failures
from ..foundation.lapack import followed, host
from ..foundation.matrices import as_matrix, is_complex, largest, refuse_nonfinite, same_precision
from .eigen_generalized import pencil
from .eigensystem import attached
from .frames import frame, free, is_moderate, left_vectors
from .gauge import exists, resolved
from .spectrum import canonical_phase


def eig(a, b=None, left=False, right=True, overwrite_a=False, overwrite_b=False, check_finite=True, homogeneous_eigvals=False,
        *, gauge=None, canonical=False, on_fail="raise"):  # fmt: skip
    """Eigenvalues and eigenvectors of a general matrix, a v = v w, or of a pair, a v = b v w.

    Parameters
    ----------
    a : (..., n, n) matrix
    b : (..., n, n) matrix, which may be singular; None: the identity
    left, right : which eigenvectors to return: u with u^H a = w u^H b, and v
    overwrite_a, overwrite_b : whether their memory may be used; never done under a transform
    check_finite : whether NaN and infinities are refused (on a GPU never looked for)
    homogeneous_eigvals : return (alpha, beta) with w = alpha / beta, as an array (..., 2, n)
    gauge : what a loss does that depends on the phase of an eigenvector, the basis among equal eigenvalues, or the scale of
        (alpha, beta). "check" (default on the host): GaugeError; "project" (default on a GPU): that part is dropped; "trust"
    canonical : turn each eigenvector so that the first of its largest components is positive, the same on all devices
    on_fail : "raise", "nan" (where a or b holds NaN, or nothing converged) or "info"

    Returns
    -------
    w : (..., n) complex eigenvalues, in LAPACK's order
    vl, vr : (..., n, n) as asked for; columns of norm 1. Real if a and all eigenvalues are; always complex on a GPU
    info : with on_fail="info": 0 where all went well

    Raises
    ------
    ValueError : shapes that do not fit, NaN or infinity
    numpy.linalg.LinAlgError : no convergence; under a transform, a matrix that is defective up to rounding
    GaugeError : under a transform, see `gauge`

    Warns
    -----
    scipy.linalg.LinAlgWarning : under a transform, near eigenvalues or a nearly defective matrix cost half of the digits

    Notes
    -----
    With x = v^-1 a' v:  w_i' = x_ii and v' = v (x_ij / (w_j - w_i)), less what would change norm and phase. Where eigenvalues are
    equal and a has all eigenvectors, losses that do not depend on the basis have their right derivative, as v f(w) v^-1; of
    others reverse mode raises. Forward mode cannot see that: it turns the basis to suit its direction. Eigenvalues that split
    have their slopes in that direction, where reverse mode gives the mean; jacobian chooses either mode by shapes. With a
    Jordan block there is no derivative. A pair is reduced to (p b + q a)^-1 (p a - r b). See scipy.linalg.eig.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.sum(np.abs(linalg.eig(a)[0]) ** 2))(np.array([[0.0, 1.0], [-4.0, 0.0]])))
    [[ 0.  8.]
     [-2.  0.]]
    """
    plain = a.__class__ is np.ndarray and a.size and (b is None or (b.__class__ is np.ndarray and b.size))
    if plain and on_fail == "raise" and not canonical and (b is not None or a.ndim < 2 or is_moderate(a)):
        try:
            alone = left and not right and b is not None  # SciPy forgets to normalise them then
            memory = followed(overwrite_a), followed(overwrite_b)
            found = host("eig")(a, b, left, right or alone, *memory, check_finite, homogeneous_eigvals)
            return tuple(found[:-1] if alone else found) if isinstance(found, (list, tuple)) else found  # a list for batches
        except ValueError:  # LinAlgError is one too; we say more, unless overwriting has left nothing to say it of
            if overwrite_a or overwrite_b:
                raise
    if a.__class__ is np.ndarray and 0 in a.shape[:-2]:
        raise ValueError("eig does not support zero-size batches.")  # as SciPy says, whose real or complex result is undecided
    failures.check_policy("eig", on_fail)
    gauge = resolved("eig", gauge, a)
    a, b = _checked(a, b, check_finite and on_fail == "raise")
    if b is None:
        w, u, v, info = _standard(a, gauge, on_fail, left, right)
        w = np.stack([w, np.ones_like(w)], axis=-2) if homogeneous_eigvals else w
    else:
        w, u, v, info = pencil(a, b, homogeneous_eigvals, gauge, on_fail, left, right)
    vectors = _turned(a, b, w, [x for x, wanted in ((u, left), (v, right)) if wanted], gauge, canonical)
    out = (w, *vectors, info) if on_fail == "info" else (w, *vectors)
    return out if len(out) > 1 else w


def eigvals(a, b=None, overwrite_a=False, check_finite=True, homogeneous_eigvals=False, *, on_fail="raise"):
    """Eigenvalues of a general matrix, or of a pair; parameters, errors and derivatives as eig. See scipy.linalg.eigvals.

    Differentiable to any order where eigenvalues are simple. Symmetric functions of equal ones have their right derivative too;
    an eigenvalue that splits has the mean of the group's.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.real(np.prod(linalg.eigvals(a))))(np.array([[2.0, 1.0], [0.0, 3.0]])))
    [[ 3.  0.]
     [-1.  2.]]
    """
    return eig(
        a, b, False, False, overwrite_a=overwrite_a, check_finite=check_finite, homogeneous_eigvals=homogeneous_eigvals,
        on_fail=on_fail,
    )  # fmt: skip


# NumPy returns real eigenvalues as a real array, whose derivative is real too. In a direction in which two equal ones become a
# complex pair that would be half of it.
@differentiable("w")
def as_real(w):
    """The real part of eigenvalues that are real."""
    return np.real(w)


as_real.batch_leading(w=1)
as_real.vjp(lambda call, g: {"w": g})


@as_real.jvp
def _(call, t):
    if exists(_is_complex_pair(t.w)):
        raise failures.LinAlgError(
            "eigvals: equal real eigenvalues become a complex pair in this direction, and the real array that "
            "numpy.linalg.eigvals returns has no place for their derivative: use scigrad.linalg.eigvals, whose array is complex."
        )
    return np.real(t.w)


@constant
def _is_complex_pair(w_dot):
    return np.abs(np.imag(w_dot)) > 100 * np.sqrt(np.finfo(w_dot.dtype).eps) * largest(w_dot, -1, True)


_is_complex_pair.batch_leading(w_dot=1)


def _checked(a: Any, b: Any, check: bool) -> tuple[Any, Any]:
    a = as_matrix("eig", "a", a)
    b = None if b is None else as_matrix("eig", "b", b)
    for name, x in (("a", a), ("b", b)):
        refuse_nonfinite("eig", check and x is not None, **{name: x})
    if b is None:
        return a, None
    if shape_of(a)[-1] != shape_of(b)[-1]:
        raise ValueError(f"eig: a and b must have the same shape, not {shape_of(a)} and {shape_of(b)}.")
    return same_precision(a, b)


def _standard(a: Any, gauge: str, on_fail: str, left: bool, right: bool) -> tuple[Any, Any, Any, Any]:
    w, u, v, info = frame(a, left, left or right or isinstance(a, Traced), on_fail)
    if v is not None:
        w, v = attached(a, w, v, gauge, left or right)
    return w, left_vectors(v, u) if left else None, v, info


def _turned(a: Any, b: Any, w: Any, vectors: list[Any], gauge: str, canonical: bool) -> list[Any]:
    """The eigenvectors in the dtype and with the phases that are returned."""
    if _all_real(a, b, [w, *vectors]):
        vectors = [np.real(x) for x in vectors]
    if canonical:
        with np.errstate(invalid="ignore"):  # NaN where a decomposition failed
            return [canonical_phase(x) for x in vectors]
    return [free(x, gauge, True) for x in vectors] if len(vectors) == 2 else vectors


def _all_real(a: Any, b: Any, results: list[Any]) -> bool:
    """Whether real eigenvectors are due: all eigenvalues are real, and so is the basis that a direction may have chosen among
    equal ones. Nothing is read back from a device for that."""
    if is_complex(a) or (b is not None and is_complex(b)) or library(raw(a)) != "numpy":
        return False
    return not any(raw(x).imag.any() for x in results) and (raw(results[0]).size > 0 or shape_of(a)[-1] == 0)


__all__ = ["eig", "eigvals"]
