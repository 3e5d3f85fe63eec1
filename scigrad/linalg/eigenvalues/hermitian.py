"""Eigenvalues and eigenvectors of symmetric and Hermitian matrices, standard and generalized."""

from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import Traced, raw, shape_of, stop_gradient
from scigrad.autodiff_rules.messages.errors import batched_truth
from scigrad.numpy.call_stack import call_as_step
from scigrad.typing import Array, ArrayLike, Gauge, OnFail, Value

from ..foundation import decompositions, failures
from ..foundation.failures import GAUGES, resolve_gauge, varies
from ..foundation.lapack import host, may_overwrite, refuse_unfit, scipys
from ..foundation.matrices import check_matrices, hermitian, is_host, largest, mH, same_precision
from ..systems.cholesky import lower_factor
from ..systems.solve import triangular_solver
from .eigensystem import attach_eigen_rules


def eigh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: Literal[1, 2, 3] = 1,
    check_finite: bool = True,
    subset_by_index: tuple[Any, Any] | None = None,
    subset_by_value: tuple[float, float] | None = None,
    driver: str | None = None,
    gauge: Gauge | None = None,
    canonical: bool = False,
    on_fail: OnFail = "raise",
) -> tuple[Array, Array]:
    """Compute eigenvalues and eigenvectors of a Hermitian matrix or pair of matrices.

    ``a v = v diag(w)``, or ``a v = b v diag(w)``.

    Parameters
    ----------
    a : (..., n, n) array_like
        Symmetric or Hermitian matrix, or batch of matrices. One triangle is read.
    b : (..., n, n) array_like, optional
        Hermitian positive definite second matrix of a pair. By default the identity.
    lower : bool, optional
        Whether the lower triangles are read.
    eigvals_only : bool, optional
        Whether only `w` is returned.
    overwrite_a, overwrite_b : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    type : {1, 2, 3}, optional
        Equation of a pair. 1: ``a v = b v diag(w)``, 2: ``a b v = v diag(w)``, 3:
        ``b a v = v diag(w)``.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    subset_by_index : pair of ints, optional
        Indices of the first and the last eigenvalue to compute.
    subset_by_value : pair of floats, optional
        Half-open interval (low, high] of the eigenvalues to compute. Not for batches.
    driver : str, optional
        Driver of LAPACK, for one matrix on the host. By default "evd", for subsets and eigenvalues
        alone the choice of SciPy.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on what the matrix leaves open: the phase of an eigenvector
        or the basis of equal eigenvalues. "check", the default, raises GaugeError; "project" drops
        that part of the cotangent and reads nothing back from a GPU; "trust" does neither.
    canonical : bool, optional
        Whether each eigenvector is multiplied by the phase that makes its largest component
        positive (the first of several).
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    w : (..., k) ndarray
        Eigenvalues in ascending order.
    v : (..., n, k) ndarray
        Eigenvectors: ``v^H v = 1``, for a pair ``v^H b v = 1`` (type 3: ``v^H b^-1 v = 1``).
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If shapes or options do not fit, or an array holds NaN or infinity.
    numpy.linalg.LinAlgError
        If `b` is not positive definite, or the iteration does not converge.
    scigrad.GaugeError
        Under a transform, see `gauge`.

    Warns
    -----
    scipy.linalg.LinAlgWarning
        Under a transform, if nearly equal eigenvalues cost more than half of the digits of the
        derivative of a single vector; in forward mode also for losses that do not depend on single
        vectors.

    Notes
    -----
    With ``x = v^H a' v``: ``w_i' = x_ii`` and ``v' = v (x_ij / (w_j - w_i))``. At equal
    eigenvalues, losses that do not depend on the basis, such as ``v f(w) v^H``, have their exact
    derivative. For other losses reverse mode raises, and for v and w of different calls. Forward
    mode cannot detect the dependence: it chooses the basis that is adapted to its direction, as
    degenerate perturbation theory does. Degenerate eigenvalues have their one-sided derivatives in
    that direction, where reverse mode gives the mean, the subgradient of minimum norm; a loss that
    weighs them differently has no second derivative (GaugeError). `jacobian` chooses the mode by
    shapes, `jacfwd` and `jacrev` fix it. Entries of the other triangle get 0.

    Values inside and outside of a transform are identical, bit for bit (`scipy.linalg.eigh` uses
    "evr", which is slower and may return other signs); for pairs, subsets and `eigvals_only` they
    agree up to rounding and signs, because derivatives need all eigenvectors.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda a: np.sum(linalg.eigh(a, eigvals_only=True) ** 2))(
    ...         np.array([[2.0, 0.0], [1.0, 2.0]])
    ...     )
    ... )
    [[4. 0.]
     [4. 4.]]
    """
    plain = a.__class__ is np.ndarray and (b is None or b.__class__ is np.ndarray)
    whole = b is None and not eigvals_only and subset_by_index is None and subset_by_value is None
    # NumPy's kernel is faster
    stacked = whole and driver is None and plain and a.ndim > 2 and a.dtype.char in "dD"
    if plain and not stacked and on_fail == "raise" and not canonical and gauge in GAUGES:
        found = scipys(
            "eigh",
            (a, b),
            a.size and (overwrite_a or overwrite_b),
            lower=lower,
            eigvals_only=eigvals_only,
            overwrite_a=may_overwrite(overwrite_a),
            overwrite_b=may_overwrite(overwrite_b),
            type=type,
            check_finite=check_finite,
            subset_by_index=subset_by_index,
            subset_by_value=subset_by_value,
            driver=driver or ("evd" if whole else None),
        )
        if found is not None:
            return found
    gauge = resolve_gauge("eigh", gauge)
    a, b = checked_pair("eigh", a, b, check_finite, on_fail)
    subset = None
    if type != 1 or not (subset_by_index is subset_by_value is driver is None):
        subset = _subset(shape_of(a)[-1], b, type, subset_by_index, subset_by_value, driver)
    if not is_host(a) or b is not None or on_fail != "raise":  # otherwise LAPACK reads one triangle
        a = hermitian(a, bool(lower))
    if b is None:
        found = eigenpairs(a, driver, bool(lower), gauge, on_fail, eigvals_only)
    else:
        found = _generalized(a, hermitian(b, bool(lower)), type, gauge, on_fail, eigvals_only)
    return results(*found, subset, eigvals_only, canonical, on_fail)


def eigvalsh(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    lower: bool = True,
    overwrite_a: bool = False,
    overwrite_b: bool = False,
    type: Literal[1, 2, 3] = 1,
    check_finite: bool = True,
    subset_by_index: tuple[Any, Any] | None = None,
    subset_by_value: tuple[float, float] | None = None,
    driver: str | None = None,
    on_fail: OnFail = "raise",
) -> Array:
    """Compute the eigenvalues of a Hermitian matrix or pair of matrices, in ascending order.

    Parameters
    ----------
    a : (..., n, n) array_like
        Symmetric or Hermitian matrix, or batch of matrices. One triangle is read.
    b : (..., n, n) array_like, optional
        Hermitian positive definite second matrix of a pair. By default the identity.
    lower : bool, optional
        Whether the lower triangles are read.
    overwrite_a, overwrite_b : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    type : {1, 2, 3}, optional
        Equation of a pair. 1: ``a v = b v diag(w)``, 2: ``a b v = v diag(w)``, 3:
        ``b a v = v diag(w)``.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    subset_by_index : pair of ints, optional
        Indices of the first and the last eigenvalue to compute.
    subset_by_value : pair of floats, optional
        Half-open interval (low, high] of the eigenvalues to compute. Not for batches.
    driver : str, optional
        Driver of LAPACK, for one matrix on the host.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    w : (..., k) ndarray
        Eigenvalues.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If shapes or options do not fit, or an array holds NaN or infinity.
    numpy.linalg.LinAlgError
        If `b` is not positive definite, or the iteration does not converge.

    Notes
    -----
    Degenerate eigenvalues have their one-sided derivatives in forward mode, and the mean of these
    in reverse mode (`jacobian` chooses the mode by shapes). A loss that weighs them differently has
    no second derivative and raises GaugeError. See `scipy.linalg.eigvalsh`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: linalg.eigvalsh(a)[1])(np.array([[1.0, 0.0], [0.0, 3.0]])))
    [[0. 0.]
     [0. 1.]]
    """
    out: Value = call_as_step(
        eigh,
        a,
        b,
        lower=lower,
        eigvals_only=True,
        overwrite_a=overwrite_a,
        overwrite_b=overwrite_b,
        type=type,
        driver=driver,
        check_finite=check_finite,
        subset_by_index=subset_by_index,
        subset_by_value=subset_by_value,
        on_fail=on_fail,
    )
    return out


def checked_pair(
    function: str, a: Any, b: Any, check_finite: bool, on_fail: str
) -> tuple[Any, Any]:
    """Return the matrices of a pair, of one order and precision; b may be None."""
    a = check_matrices(function, "a", a, check_finite, on_fail)
    if b is None:
        return a, None
    b = check_matrices(function, "b", b, check_finite, on_fail)
    if shape_of(a)[-2:] != shape_of(b)[-2:]:
        raise ValueError(
            f"{function}: wrong b dimensions {shape_of(b)}: a and b must have the same shape, "
            f"here {shape_of(a)}."
        )
    return same_precision(a, b)


# b = l l^H reduces the pair to one matrix c with orthonormal eigenvectors y (Golub and Van Loan,
# Matrix Computations, 4th ed., section 8.7.2): c = l^-1 a l^-H, v = l^-H y (type 1);  c = l^H a l,
# v = l^-H y (type 2) or l y (type 3). All derivatives, in a and in b, follow from those of the
# steps.
def _generalized(
    a: Any, b: Any, kind: int, gauge: str, on_fail: str, eigvals_only: bool
) -> tuple[Any, Any, Any]:
    factor, _ = lower_factor(b, on_fail, "eigh", "b")
    solve = triangular_solver("eigh", factor, True)
    c = solve(mH(solve(a))) if kind == 1 else mH(factor) @ a @ factor
    w, y, info = eigenpairs(c, None, True, gauge, on_fail, eigvals_only)
    return w, y if eigvals_only else factor @ y if kind == 3 else solve(y, True), info


def _subset(n: int, b: Any, kind: Any, by_index: Any, by_value: Any, driver: Any) -> Any:
    """Return a function of w that gives the slice of a subset, or None for all. SciPy refuses
    options that contradict each other, for a matrix of order 1.
    """
    one, index = np.eye(1), None if by_index is None else (0, 0)
    options = {
        "type": kind,
        "driver": driver,
        "subset_by_index": index,
        "subset_by_value": by_value,
    }
    refuse_unfit("eigh", one, None if b is None else one, **options)
    if by_value is not None:
        return slice_between(by_value)
    if by_index is None:
        return None
    low, high = (int(i) for i in by_index)
    if not 0 <= low <= high < n:
        raise ValueError(
            f"eigh: requested eigenvalue indices are not valid: subset_by_index={by_index} for "
            f"order {n}."
        )
    return lambda w: slice(low, high + 1)


def slice_between(bounds: Any, function: str = "eigh", by_index: str = "subset_by_index") -> Any:
    """Return a function of w that gives the slice of the eigenvalues between bounds, low < w <=
    high.
    """
    low, high = bounds

    def chosen(w: Any) -> slice:
        values = failures.to_host(raw(w))
        if values.ndim > 1 and isinstance(w, Traced) and len(shape_of(w)) == 1:
            raise batched_truth("the number of eigenvalues between two bounds")
        ends = {
            (int((row <= low).sum()), int((row <= high).sum()))
            for row in values.reshape(-1, values.shape[-1])
        }
        if len(ends) > 1:
            raise ValueError(
                f"{function}: these bounds select different eigenvalues in the matrices of the "
                f"batch; use {by_index}."
            )
        return slice(*ends.pop()) if ends else slice(0)

    return chosen


def results(
    w: Any, v: Any, info: Any, subset: Any, only: bool, canonical: bool, on_fail: str
) -> Any:
    """Return what the public function returns; `subset` gives for w the slice of the values to be
    kept.
    """
    if subset is not None:
        chosen = subset(w)
        w, v = w[..., chosen], v if only else v[..., chosen]
    out = (w,) if only else (w, canonical_phase(v) if canonical else v)
    return (*out, info) if on_fail == "info" else out[0] if only else out


# -- the decomposition


def eigenpairs(
    a: Any, driver: Any, lower: bool, gauge: str, on_fail: str, eigvals_only: bool
) -> tuple[Any, Any, Any]:
    """Return w, v and info of Hermitian matrices, with derivatives."""
    w, v, info = eigh_frame(a, driver, lower, on_fail, eigvals_only and not varies(a))
    return *attach_eigen_rules(a, w, v, "eigh", gauge, not eigvals_only), info


def eigh_frame(
    a: Any, driver: Any, lower: bool, on_fail: str, eigvals_only: bool = False
) -> tuple[Any, Any, Any]:
    """Return w, v and info without derivatives. LAPACK reads the lower or the upper triangle, which
    may differ in rounding.
    """
    return failures.frame(
        "eigh",
        a,
        lambda a: _eigh_kernel(a, driver, lower, eigvals_only),
        np.linalg.eigvalsh,
        on_fail,
        (1, 2),
    )


def _eigh_kernel(a: Any, driver: Any, lower: bool, eigvals_only: bool) -> Any:
    # an algorithm for matrices of a special form
    if callable(driver) and type(a) is np.ndarray and a.size:
        found = driver(a, eigvals_only)
    # NumPy's kernel is faster for a batch, but rounds in another way, which single precision shows
    elif type(a) is np.ndarray and a.size and (a.ndim == 2 or a.dtype.char in "fF"):
        found = host("eigh")(
            a, lower=lower, driver=driver or "evd", check_finite=False, eigvals_only=eigvals_only
        )
    else:
        return decompositions.eigh(a, "L" if lower else "U", not eigvals_only)
    return (found, None) if eigvals_only else tuple(found)


# -- one phase for all machines


def canonical_phase(v: Any) -> Any:
    """Return the eigenvectors turned so that the first of their largest components is positive."""
    return v * np.conjugate(phases(v))


def phases(v: Any) -> Any:
    """Return the phase of the first of the largest components of each vector, of shape (..., 1,
    n).
    """
    # components that differ by rounding alone count as equally large
    size = np.abs(stop_gradient(v))
    lead = np.take_along_axis(
        v, np.argmax(size >= 0.99 * largest(size, -2, True), axis=-2)[..., None, :], axis=-2
    )
    return lead / np.abs(lead)


__all__ = ["eigh", "eigvalsh"]
