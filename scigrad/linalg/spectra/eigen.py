"""Eigenvalues and eigenvectors of symmetric and Hermitian matrices, standard and generalised."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, raw, shape_of
from scigrad.autodiff_rules.errors import batched_truth

from ..foundation import failures
from ..foundation.factors import factorize
from ..foundation.lapack import followed, host
from ..foundation.matrices import as_matrix, hermitian, is_host, mH, refuse_nonfinite, same_precision
from ..systems.cholesky import lower_factor
from ..systems.solve import linear_solve
from .gauge import GAUGES, resolved
from .spectrum import canonical_phase, decomposed

_STANDARD, _GENERALISED = ("ev", "evd", "evr", "evx"), ("gv", "gvd", "gvx")
_NO_SUBSETS = ("ev", "evd", "gv", "gvd")


def eigh(a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, type=1, check_finite=True,
         subset_by_index=None, subset_by_value=None, driver=None, gauge=None, canonical=False, on_fail="raise"):  # fmt: skip
    """Eigenvalues and eigenvectors of a Hermitian matrix, a v = v w, or of a pair of them, a v = b v w.

    Parameters
    ----------
    a : (..., n, n) symmetric or Hermitian; one triangle is read
    b : (..., n, n) symmetric or Hermitian, positive definite; None: the identity
    lower : which triangle of a and b is read
    eigvals_only : return w alone
    overwrite_a, overwrite_b : whether their memory may be used; never done under a transform
    type : with b, 1: a v = b v w; 2: a b v = v w; 3: b a v = v w
    check_finite : whether NaN and infinities are refused, in the whole arrays (on a GPU never looked for)
    subset_by_index : (first, last), inclusive; subset_by_value : (low, high], not for batches
    driver : LAPACK's, for one matrix on the host; None: "evd", for subsets and eigenvalues alone SciPy's choice
    gauge : what a loss does that depends on what the matrix leaves open, the phase of an eigenvector or the basis among equal
        eigenvalues. "check" (default on the host): GaugeError; "project" (default on a GPU): that part is dropped; "trust"
    canonical : turn each eigenvector so that the first of its largest components is positive
    on_fail : "raise", "nan" (where b is not positive definite, a holds NaN, or nothing converged) or "info"

    Returns
    -------
    w : (..., k) eigenvalues, ascending
    v : (..., n, k) eigenvectors; v^H v = 1, with b: v^H b v = 1 (type 3: v^H b^-1 v = 1)
    info : with on_fail="info": 0 where all went well

    Raises
    ------
    ValueError : shapes or options that do not fit, NaN or infinity
    numpy.linalg.LinAlgError : b is not positive definite, or the iteration did not converge
    GaugeError : under a transform, see `gauge`

    Warns
    -----
    scipy.linalg.LinAlgWarning : under a transform, near eigenvalues cost more than half of the digits: those of the derivative of
        a single vector, or of second derivatives

    Notes
    -----
    With x = v^H a' v:  w_i' = x_ii,  v' = v (x_ij / (w_j - w_i)). Where eigenvalues are equal, losses that do not depend on the
    basis have their right derivative, as v f(w) v^H; of others reverse mode raises. Forward mode cannot see that: it turns the
    basis to suit its direction, as degenerate perturbation theory does, so jvp gives such a loss the value that belongs to that
    basis. Eigenvalues that split have their one-sided slopes in that direction, where reverse mode gives the mean, the
    subgradient of smallest norm; a loss that weighs them differently has no second derivative (GaugeError). jacobian chooses
    either mode by shapes: jacfwd or jacrev say which. Entries of the other triangle get 0. The value is bit for bit the same
    inside a transform and outside (where SciPy takes "evr", which is slower and may give eigenvectors another sign); with b,
    subsets and eigvals_only it is so to rounding only, and signs, as derivatives need all eigenvectors. See scipy.linalg.eigh.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.sum(linalg.eigh(a, eigvals_only=True) ** 2))(np.array([[2.0, 0.0], [1.0, 2.0]])))
    [[4. 0.]
     [4. 4.]]
    """
    plain = a.__class__ is np.ndarray and (b is None or b.__class__ is np.ndarray)
    if plain and on_fail == "raise" and not canonical and gauge in GAUGES:
        whole = b is None and not eigvals_only and subset_by_index is None and subset_by_value is None
        found = _batch(a, lower, check_finite) if whole and driver is None and a.ndim > 2 else None
        if found is not None:
            return found
        try:
            found = host("eigh")(
                a, b, lower=lower, eigvals_only=eigvals_only, overwrite_a=followed(overwrite_a),
                overwrite_b=followed(overwrite_b), type=type, check_finite=check_finite, subset_by_index=subset_by_index,
                subset_by_value=subset_by_value, driver="evd" if whole and driver is None else driver,
            )  # fmt: skip
            return tuple(found) if isinstance(found, list) else found  # a list for batches
        except ValueError:  # LinAlgError is one too; we say more, unless overwriting has left nothing to say it of
            if a.size and (overwrite_a or overwrite_b):
                raise
    failures.check_policy("eigh", on_fail)
    subset = _checked_options(shape_of(a), b, type, subset_by_index, subset_by_value, driver)
    gauge = resolved("eigh", gauge, a)
    a, b = _checked_matrices(a, b, check_finite and on_fail == "raise")
    if b is None and on_fail == "raise" and is_host(raw(a)):  # LAPACK reads one triangle by itself
        w, v, info = decomposed(a, driver, bool(lower), gauge, on_fail, eigvals_only, bool(lower))
    elif b is None:
        w, v, info = decomposed(hermitian(a, bool(lower)), driver, bool(lower), gauge, on_fail, eigvals_only)
    else:
        w, v, info = _generalised(*(hermitian(x, bool(lower)) for x in (a, b)), type, gauge, on_fail, eigvals_only)
    if subset is not None:
        chosen = subset(w)
        w, v = w[..., chosen], v if eigvals_only else v[..., chosen]
    out = (w,) if eigvals_only else (w, canonical_phase(v) if canonical else v)
    return (*out, info) if on_fail == "info" else out[0] if eigvals_only else out


def eigvalsh(a, b=None, *, lower=True, overwrite_a=False, overwrite_b=False, type=1, check_finite=True, subset_by_index=None,
             subset_by_value=None, driver=None, on_fail="raise"):  # fmt: skip
    """Eigenvalues of a Hermitian matrix, or of a pair; parameters, errors and derivatives as eigh. See scipy.linalg.eigvalsh.

    Where equal eigenvalues split, reverse mode gives each of them the mean slope, forward mode the one-sided slopes in its
    direction (jacobian chooses by shapes), and a loss that weighs them differently has no second derivative: GaugeError.
    """
    return eigh(
        a, b, lower=lower, eigvals_only=True, overwrite_a=overwrite_a, overwrite_b=overwrite_b, type=type, driver=driver,
        check_finite=check_finite, subset_by_index=subset_by_index, subset_by_value=subset_by_value, on_fail=on_fail,
    )  # fmt: skip


def _batch(a: Any, lower: Any, check_finite: Any) -> Any:
    """The algorithm that transforms use for batches; None where SciPy has its own."""
    if a.dtype.char not in "dD" or not a.size or (check_finite and not np.isfinite(a).all()):
        return None
    try:
        return tuple(np.linalg.eigh(a, "L" if lower else "U"))
    except np.linalg.LinAlgError:
        return None


def _checked_matrices(a: Any, b: Any, check: bool) -> tuple[Any, Any]:
    a = as_matrix("eigh", "a", a)
    b = None if b is None else as_matrix("eigh", "b", b)
    for name, x in (("a", a), ("b", b)):
        refuse_nonfinite("eigh", check and x is not None, **{name: x})
    if b is None:
        return a, None
    if shape_of(a)[-2:] != shape_of(b)[-2:]:
        raise ValueError(f"eigh: wrong b dimensions {shape_of(b)}: 'b' must be of the order of 'a', which is {shape_of(a)}.")
    a, b = same_precision(a, b)
    return a, b


# b = l l^H reduces the pair to one matrix c with orthonormal eigenvectors y (Golub and Van Loan, Matrix Computations, 4th ed.,
# section 8.7.2): c = l^-1 a l^-H, v = l^-H y (type 1);  c = l^H a l, v = l^-H y (type 2) or l y (type 3). All derivatives, in a
# and in b, follow from those of the steps.
def _generalised(a: Any, b: Any, kind: int, gauge: str, on_fail: str, eigvals_only: bool) -> tuple[Any, Any, Any]:
    factor = lower_factor(b, on_fail, "eigh", "b")
    factors = factorize("eigh", raw(factor), "triangular", True, "nan", check_condition=False)
    if kind == 1:
        half = linear_solve(factor, a, factors=factors)
        c = linear_solve(factor, mH(half), factors=factors)
    else:
        c = mH(factor) @ a @ factor
    w, y, info = decomposed(c, None, True, gauge, on_fail, eigvals_only)
    if eigvals_only:
        return w, y, info
    v = factor @ y if kind == 3 else linear_solve(factor, y, factors=factors, adjoint=True)
    return w, v, info


def _checked_options(shape: Any, b: Any, kind: int, by_index: Any, by_value: Any, driver: Any) -> Any:
    """Refuse options that contradict each other; a function of w that gives the slice of a subset, or None."""
    if driver is not None and driver not in (*_STANDARD, *_GENERALISED):
        raise ValueError(f"eigh: driver {driver!r} is unknown; known are {(*_STANDARD, *_GENERALISED)} and None.")
    if b is not None and kind not in (1, 2, 3):
        raise ValueError(f"eigh: type must be 1, 2 or 3, not {kind!r}.")
    if driver is not None and (driver in _GENERALISED) != (b is not None):
        needs = "requires input b array" if b is None else "does not accept input b array"
        raise ValueError(f"eigh: driver {driver!r} {needs}: {_STANDARD} are for a alone, {_GENERALISED} for a and b.")
    if by_index is None and by_value is None:
        return None
    if by_index is not None and by_value is not None:
        raise ValueError("eigh: either index or value subset can be requested, not both.")
    if driver in _NO_SUBSETS:
        raise ValueError(f"eigh: driver {driver!r} cannot compute subsets of eigenvalues; leave it out.")
    return _by_index(by_index, shape) if by_index is not None else between(by_value)


def _by_index(bounds: Any, shape: Any) -> Any:
    low, high = (int(i) for i in bounds)
    n = shape[-1] if shape else 0
    if not 0 <= low <= high < n:
        raise ValueError(f"eigh: requested eigenvalue indices are not valid: subset_by_index={bounds} for order {n}.")
    return lambda w: slice(low, high + 1)


def between(bounds: Any, function: str = "eigh", by_index: str = "subset_by_index") -> Any:
    """A function of w that gives the slice of the eigenvalues between bounds, low < w <= high."""
    low, high = bounds
    if not -np.inf <= low < high <= np.inf:
        raise ValueError(f"{function}: requested eigenvalue bounds are not valid: {bounds}; low < high is needed.")

    def chosen(w: Any) -> slice:
        values = failures.to_host(raw(w))
        if values.ndim > 1 and isinstance(w, Traced) and len(shape_of(w)) == 1:
            raise batched_truth("the number of eigenvalues between two bounds")
        ends = {(int((row <= low).sum()), int((row <= high).sum())) for row in values.reshape(-1, values.shape[-1])}
        if len(ends) > 1:
            raise ValueError(f"{function}: these bounds pick other eigenvalues in each matrix of the batch; use {by_index}.")
        return slice(*ends.pop()) if ends else slice(0)

    return chosen


__all__ = ["eigh", "eigvalsh"]
