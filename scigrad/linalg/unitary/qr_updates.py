"""QR factorizations of matrices that gain or lose rows or columns, or are changed by a matrix of
low rank.

The values are those of the updating algorithms. The derivatives are those of the QR factorization
of the changed matrix, which is a product and a concatenation of the arguments (see
triangularization.py). The updating algorithms do not make the diagonal of r real, so for complex
matrices the phases on it are open, and q and r have the derivatives at constant phases.
"""

from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import Traced, constant, raw, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.call_stack import call_as_step
from scigrad.typing import Array, ArrayLike, Gauge

from ..foundation.failures import each, resolve_gauge
from ..foundation.lapack import host, may_overwrite
from ..foundation.matrices import (
    as_array,
    as_columns,
    as_matrix,
    mH,
    refuse_nonfinite,
    same_precision,
)
from ..systems.lu import rows_of
from .qr import COMPLETE
from .qr_rules import mark_undetermined, qr_with_rules


def qr_insert(
    Q: ArrayLike,
    R: ArrayLike,
    u: ArrayLike,
    k: ArrayLike,
    which: Literal["row", "col"] = "row",
    rcond: float | None = None,
    overwrite_qru: bool = False,
    check_finite: bool = True,
    *,
    gauge: Gauge | None = None,
) -> tuple[Array, Array]:
    """Update a QR factorization after rows or columns have been inserted.

    Parameters
    ----------
    Q : (..., m, m) or (..., m, n) array_like
        Unitary factor from ``qr(a)``.
    R : (..., m, n) or (..., n, n) array_like
        Triangular factor from ``qr(a)``.
    u : (n,) or (..., p, n) array_like, or (m,) or (..., m, p) array_like
        Rows or columns to insert.
    k : int
        Number of the row or column before which they are inserted.
    which : {"row", "col"}, optional
        Whether rows or columns are inserted.
    rcond : float, optional
        For columns and Q of shape (m, n): lower bound of the reciprocal condition number of the
        extended Q.
    overwrite_qru : bool, optional
        Whether the memory of the arguments may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on the phases on the diagonal of a complex R. "check", the
        default, raises GaugeError; "project" drops that part of the cotangent and reads nothing
        back from a GPU; "trust" does neither.

    Returns
    -------
    Q1, R1 : ndarray
        Factors of the new matrix, full or economic as those given.

    Raises
    ------
    ValueError
        If shapes or options do not fit, or an array holds NaN or infinity.
    numpy.linalg.LinAlgError
        If a column is not independent by `rcond`; where a derivative is required, as `qr`.
    scigrad.GaugeError
        Under a transform, see `gauge`, and as `qr` for a full Q of a tall matrix.

    Notes
    -----
    Differentiable in `Q`, `R` and `u` by way of their product. On a GPU the new matrix is factored.
    See `scipy.linalg.qr_insert`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> q, r = linalg.qr(np.eye(2))
    >>> loss = lambda u: np.sum(linalg.qr_insert(q, r, u, 0)[1][0] ** 2)
    >>> print(grad(loss)(np.array([1.0, 2.0])).round(12))
    [4. 2.]
    """
    if _plain_arrays(Q, R, u):
        return call_as_step(
            host("qr_insert"), Q, R, u, k, which, rcond, may_overwrite(overwrite_qru), check_finite
        )
    Q, R, u = _check_factors("qr_insert", check_finite, Q=Q, R=R, u=u)
    vector, row = len(shape_of(u)) == 1, which == "row"
    if vector:
        u = u[None] if row else as_columns(u)
    a = Q @ R
    size, axis = shape_of(a)[-2 if row else -1], -2 if row else -1
    k = _place("qr_insert", k, size + 1, size, which)
    u = _to_batch(u, a)
    both = np.concatenate([_to_batch(a, u), u], axis=axis)
    i, p = np.arange(shape_of(both)[axis]), shape_of(u)[axis]
    changed = _take_rows(both, np.where(i < k, i, np.where(i < k + p, size + i - k, i - p)), axis)

    def updated(q: Any, r: Any, u: Any, k: Any) -> Any:
        return host("qr_insert")(
            q, r, u.ravel() if vector else u, int(k[0, 0]), which, rcond, check_finite=False
        )

    return _updated_with_rules("qr_insert", changed, Q, R, (u, k[..., None]), updated, gauge)


def qr_delete(
    Q: ArrayLike,
    R: ArrayLike,
    k: ArrayLike,
    p: int = 1,
    which: Literal["row", "col"] = "row",
    overwrite_qr: bool = False,
    check_finite: bool = True,
    *,
    gauge: Gauge | None = None,
) -> tuple[Array, Array]:
    """Update a QR factorization after rows or columns have been deleted.

    Parameters
    ----------
    Q : (..., m, m) or (..., m, n) array_like
        Unitary factor from ``qr(a)``.
    R : (..., m, n) or (..., n, n) array_like
        Triangular factor from ``qr(a)``.
    k : int
        Number of the first row or column to delete.
    p : int, optional
        Number of rows or columns to delete.
    which : {"row", "col"}, optional
        Whether rows or columns are deleted.
    overwrite_qr : bool, optional
        Whether the memory of the arguments may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on the phases on the diagonal of a complex R, as in
        `qr_insert`.

    Returns
    -------
    Q1, R1 : ndarray
        Factors of the new matrix, full or economic as those given.

    Raises
    ------
    ValueError
        If shapes or options do not fit, or an array holds NaN or infinity.
    numpy.linalg.LinAlgError
        Where a derivative is required, as `qr`.
    scigrad.GaugeError
        Under a transform, see `gauge`, and as `qr` for a full Q of a tall matrix.

    Notes
    -----
    Differentiable in `Q` and `R` by way of their product. On a GPU the new matrix is factored. See
    `scipy.linalg.qr_delete`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> def loss(a):
    ...     q, r = linalg.qr(a)
    ...     return np.sum(linalg.qr_delete(q, r, 0)[1] ** 2)
    >>> print(grad(loss)(np.array([[1.0, 2.0], [3.0, 4.0]])).round(12) + 0.0)
    [[0. 0.]
     [6. 8.]]
    """
    if _plain_arrays(Q, R):
        return call_as_step(
            host("qr_delete"), Q, R, k, p, which, may_overwrite(overwrite_qr), check_finite
        )
    Q, R = _check_factors("qr_delete", check_finite, Q=Q, R=R)
    a = Q @ R
    axis = -2 if which == "row" else -1
    size = shape_of(a)[axis]
    k = _place("qr_delete", k, size, size, which)
    if not 0 < p <= size - np.max(raw(k), initial=0):
        raise ValueError(f"qr_delete: 'p' is out of range: {p} of {size} from number {k} on.")
    i = np.arange(size - p)
    changed = _take_rows(a, np.where(i < k, i, i + p), axis)

    def updated(q: Any, r: Any, k: Any, _: Any) -> Any:
        return host("qr_delete")(q, r, int(k[0, 0]), p, which, check_finite=False)

    return _updated_with_rules("qr_delete", changed, Q, R, (k[..., None],) * 2, updated, gauge)


def qr_update(
    Q: ArrayLike,
    R: ArrayLike,
    u: ArrayLike,
    v: ArrayLike,
    overwrite_qruv: bool = False,
    check_finite: bool = True,
    *,
    gauge: Gauge | None = None,
) -> tuple[Array, Array]:
    """Update a QR factorization after a change of low rank, a + u v^H.

    Parameters
    ----------
    Q : (..., m, m) or (..., m, n) array_like
        Unitary factor from ``qr(a)``.
    R : (..., m, n) or (..., n, n) array_like
        Triangular factor from ``qr(a)``.
    u : (m,) or (..., m, p) array_like
        Left factor of the change.
    v : (n,) or (..., n, p) array_like
        Right factor of the change.
    overwrite_qruv : bool, optional
        Whether the memory of the arguments may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on the phases on the diagonal of a complex R, as in
        `qr_insert`.

    Returns
    -------
    Q1, R1 : ndarray
        Factors of the new matrix, full or economic as those given.

    Raises
    ------
    ValueError
        If shapes or options do not fit, or an array holds NaN or infinity.
    numpy.linalg.LinAlgError
        Where a derivative is required, as `qr`.
    scigrad.GaugeError
        Under a transform, see `gauge`, and as `qr` for a full Q of a tall matrix.

    Notes
    -----
    Differentiable in `Q`, `R`, `u` and `v` by way of the new matrix. See `scipy.linalg.qr_update`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> q, r = linalg.qr(np.eye(2))
    >>> volume = lambda u: np.prod(np.abs(np.diagonal(linalg.qr_update(q, r, u, np.ones(2))[1])))
    >>> print(grad(volume)(np.array([1.0, 2.0])).round(12))
    [1. 1.]
    """
    if _plain_arrays(Q, R, u, v) and not _beyond_scipy(Q, R, u):
        return host("qr_update")(Q, R, u, v, may_overwrite(overwrite_qruv), check_finite)
    Q, R, u, v = _check_factors("qr_update", check_finite, Q=Q, R=R, u=u, v=v)
    vector = len(shape_of(u)) == len(shape_of(v)) == 1
    if vector:
        u, v = as_columns(u), as_columns(v)
    a, sizes = Q @ R, shape_of(u)[-2:] + shape_of(v)[-2:]
    if sizes != (*shape_of(a)[-2:-1], *shape_of(u)[-1:], *shape_of(a)[-1:], *shape_of(u)[-1:]):
        raise ValueError(
            f"qr_update: 'u' {shape_of(u)} and 'v' {shape_of(v)} do not fit a matrix of shape "
            f"{shape_of(a)}."
        )

    def updated(q: Any, r: Any, u: Any, v: Any) -> Any:
        if not vector and not _beyond_scipy(q, r, u):
            return host("qr_update")(q, r, u, v, check_finite=False)
        for j in range(u.shape[1]):
            q, r = host("qr_update")(q, r, u[:, j], v[:, j], check_finite=False)
        return q, r

    return _updated_with_rules("qr_update", a + u @ mH(v), Q, R, (u, v), updated, gauge)


# -- what they share


def _plain_arrays(*arrays: Any) -> bool:
    return all(type(x) is np.ndarray and 0 not in x.shape[:-2] for x in arrays)


def _check_factors(function: str, check_finite: bool, **arrays: Any) -> list[Any]:
    found = []
    for name, x in arrays.items():
        x = (
            as_matrix(function, name, x, square=False)
            if name in "QR"
            else as_array(function, name, x)
        )
        refuse_nonfinite(function, check_finite, **{name: x})
        found.append(x)
    if shape_of(found[0])[-1] != shape_of(found[1])[-2]:
        raise ValueError(
            f"{function}: 'Q' {shape_of(found[0])} and 'R' {shape_of(found[1])} are not the "
            "factors of one matrix."
        )
    dtype = np.result_type(*(x.dtype for x in found))
    return [x.astype(dtype) if x.dtype != dtype else x for x in same_precision(*found)]


def _place(function: str, k: Any, end: int, size: int, which: str) -> Any:
    """Return the numbers k, counted from the start, each as a vector of one."""
    if which not in ("row", "col"):
        raise ValueError(f"{function}: 'which' must be either 'row' or 'col', not {which!r}.")
    k = k if hasattr(k, "ndim") else np.asarray(k)
    if ((raw(k) < -size) | (raw(k) >= end)).any():
        raise ValueError(
            f"{function}: 'k' is out of bounds: {raw(k)} for {size} "
            f"{'rows' if which == 'row' else 'columns'}."
        )
    return np.where(k < 0, k + size, k)[..., None]


def _take_rows(a: Any, order: Any, axis: int) -> Any:
    """Return rows or columns in an order, which may differ within a batch."""
    return rows_of(a, order) if axis == -2 else rows_of(a.mT, order).mT


def _to_batch(x: Any, other: Any) -> Any:
    """Return x, repeated over the leading axes that another array has."""
    lead = np.broadcast_shapes(shape_of(x)[:-2], shape_of(other)[:-2])
    return x if lead == shape_of(x)[:-2] else np.broadcast_to(x, (*lead, *shape_of(x)[-2:]))


def _updated_with_rules(
    function: str, a: Any, Q: Any, R: Any, change: tuple[Any, ...], updated: Any, gauge: Any
) -> Any:
    """Return q and r from the updating algorithm, with the derivatives of the factors of `a`."""
    q, r = _updated(a, Q, R, *change, function, updated)
    if not isinstance(a, Traced):
        return q, r
    k = min(shape_of(a)[-2:])
    first, top = qr_with_rules(
        a, q[..., :k], r[..., :k, :], function, resolve_gauge(function, gauge)
    )
    if shape_of(q)[-1] == k:
        return first, top
    below = np.zeros(
        (*shape_of(top)[:-2], shape_of(a)[-2] - k, shape_of(a)[-1]), top.dtype, like=raw(top)
    )
    return mark_undetermined(a, q, COMPLETE.format(function, "q")), np.concatenate(
        [top, below], axis=-2
    )


@constant(core={"a": 2, "q": 2, "r": 2, "u": 2, "v": 2})
def _updated(a, q, r, u, v, function, updated):
    """Update q and r by SciPy's algorithm; on a device, and for no matrices, factor the changed
    matrix itself.
    """
    if library(a) != "numpy" or a.size == 0:
        return tuple(np.linalg.qr(a, "complete" if q.shape[-2] == q.shape[-1] else "reduced"))
    return tuple(each(function, updated, q, r, u, v)[0])


def _beyond_scipy(Q: Any, R: Any, u: Any) -> bool:
    """Return whether SciPy refuses the update: a full Q with fewer columns beyond those of the
    matrix than the update's rank.
    """
    m, n = R.shape[-2:]
    return u.ndim >= 2 and (
        u.shape[-1] == 0 or (Q.shape[-2] == Q.shape[-1] and 0 < m - n < u.shape[-1])
    )


__all__ = ["qr_delete", "qr_insert", "qr_update"]
