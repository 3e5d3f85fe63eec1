"""The LU factorization with row interchanges, compact (lu_factor), solving systems (lu_solve), or
as matrices (lu).

The interchanges are constant wherever the factors are differentiable: where no two candidates for a
pivot are equal in size.
"""

import warnings
from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import (
    Traced,
    constant,
    differentiable,
    kernel,
    namespace_of,
    raw,
    shape_of,
    warn,
)
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike, OnFail

from ..foundation import failures, matrices
from ..foundation.failures import append_info, each
from ..foundation.lapack import PREFIXES, host, may_overwrite, order_of_rows, routine
from ..foundation.matrices import (
    answer,
    as_pair,
    check_matrices,
    diagonal,
    identity,
    is_complex,
    mH,
    system,
    triangle,
)
from .solve import triangular_solver

# -- the primitive: a (..., m, n) -> lu, the strict lower triangle of l over that of u, and LAPACK's
# interchanges


@differentiable("a", core={"a": 2})
def packed_factors(a, on_fail="raise", warns=True):
    """Return lu (..., m, n) and piv (..., min(m, n)): row i was interchanged with row piv[i]. NaN
    for a matrix with NaN or infinities in it, unless on_fail="raise".
    """
    lead, (m, n) = a.shape[:-2], a.shape[-2:]
    if a.size == 0:
        return np.zeros_like(a), np.zeros((*lead, min(m, n)), np.int32, like=a)
    if library(a) == "numpy":
        getrf = routine("getrf", a.dtype.char)
        lu, piv = each("lu_factor", lambda a: getrf(a)[:2], a, on_fail=on_fail)[0]
    else:
        find, bad = (
            kernel("linalg.lu_factor", instead={"cupy": factored_by_cusolver}),
            failures.not_finite(a),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # singular matrices get a warning of ours
            lu, piv = zip(
                *(find(x, check_finite=False) for x in failures.patched(a, bad).reshape(-1, m, n)),
                strict=True,
            )
        lu, piv = (
            failures.marked_nan(np.stack(lu).reshape(a.shape), bad, 2),
            np.stack(piv).reshape(*lead, -1).astype(np.int32),
        )
    if warns and on_fail == "raise":
        zeros = failures.to_host(diagonal(lu) == 0)
        for index in np.argwhere(zeros.any(axis=-1)):
            index = tuple(map(int, index))
            _warn_of_singular(a.shape, index, int(zeros[index].argmax()) + 1)
    return lu, piv


def factored_by_cusolver(a: Any, check_finite: bool = False) -> tuple[Any, Any]:
    """Return lu and the interchanges of one matrix of CuPy's. cupyx.scipy.linalg.lu_factor makes
    the same call and then waits, to read its status; a pivot that is 0 shows on the diagonal of lu
    too.
    """
    from cupy import cuda, empty
    from cupy_backends.cuda.libs import cusolver

    del check_finite
    (m, n), lu = a.shape, a.astype(a.dtype, order="F")
    prefix = PREFIXES[a.dtype.char] + "getrf"
    handle = cuda.device.get_cusolver_handle()
    work = empty(
        getattr(cusolver, prefix + "_bufferSize")(handle, m, n, lu.data.ptr, m), dtype=a.dtype
    )
    pivots, status = empty(min(m, n), dtype=np.int32), empty(1, dtype=np.int32)
    getattr(cusolver, prefix)(
        handle, m, n, lu.data.ptr, m, work.data.ptr, pivots.data.ptr, status.data.ptr
    )
    return lu, pivots - 1


def _warn_of_singular(shape: tuple[int, ...], index: tuple[int, ...], info: int) -> None:
    from scipy.linalg import LinAlgWarning

    warn(
        f"lu_factor: Diagonal number {info} is exactly zero. Singular "
        f"matrix{failures.name_place(index)}, argument 'a' of shape {shape}: it has these "
        "factors, but they solve no system.",
        LinAlgWarning,
    )


# Let p be the permuted a, k = min(m, n), l = [l_1; l_2] and u the factors, X = l_1^-1 p_1' and the
# strict lower triangle T of X u_1^-1:  l_1' = l_1 T,  u' = X - T u,  l_2' = (p_2' - l_2 u_1')
# u_1^-1. T does not depend on the last pivot of a square or wide matrix, so that one may be 0.
@packed_factors.jvp
def _(call, t):
    lu, piv = call.out
    m, n = shape_of(lu)[-2:]
    k = min(m, n)
    if k == 0:
        return np.zeros_like(lu), np.zeros_like(piv)
    corner, below, u = (
        triangle(lu[..., :k, :k], True, True),
        lu[..., k:, :k],
        np.triu(lu)[..., :k, :],
    )
    by_corner = triangular_solver("lu_factor", corner, True, call.on_fail)
    if call.on_fail == "raise":  # the last pivot of a matrix that is not tall may be 0
        _refuse_singular("lu_factor", "a", raw(lu), k if m > n else k - 1)
    square, eye = u[..., :k], identity(k, raw(lu))
    last = eye * eye[-1:] if m <= n else 0 * eye
    by_u = triangular_solver("lu_factor", square * np.real(1 - last) + last, False, call.on_fail)
    dp = rows_of(t.a, row_order(piv, m))
    x = by_corner(dp[..., :k, :])
    strict = np.tril(mH(by_u(mH(x[..., :k]), True)), -1)
    du = np.triu(x - strict @ u)
    dlu = du + np.pad(corner @ strict, [(0, 0)] * (len(shape_of(du)) - 1) + [(0, n - k)])
    if m > k:
        dlu = np.concatenate([dlu, mH(by_u(mH(dp[..., k:, :] - below @ du), True))], axis=-2)
    return dlu, np.zeros_like(piv)


def _refuse_singular(function: str, name: str, lu: Any, count: int) -> None:
    """Raise where one of the first `count` pivots is 0, in terms of the whole matrix."""
    zero = failures.to_host(diagonal(lu)[..., :count] == 0)
    if zero.any():
        failures.raise_first(function, name, lu.shape, failures.first_zeros(zero), "general")


# -- interchanges of rows


@constant(core={"piv": 1})
def row_order(piv, m):
    """Return the order of the rows after the interchanges, a[row_order] = l u."""
    # no more matrices than interchanges
    if library(piv) == "numpy" and 0 < piv.size <= piv.shape[-1] ** 2:
        orders = [order_of_rows(one, m) for one in piv.reshape(-1, piv.shape[-1])]
        return np.array(orders, np.intp).reshape(*piv.shape[:-1], m)
    place = np.arange(m, like=piv)
    order = np.zeros((*piv.shape[:-1], 1), place.dtype, like=piv) + place
    for i in range(piv.shape[-1]):  # one interchange after the other, for a whole batch
        j = piv[..., i : i + 1].astype(place.dtype)
        first, second = order[..., i : i + 1], np.take_along_axis(order, j, -1)
        order = np.where(place == i, second, np.where(place == j, first, order))
    return order


def rows_of(x: Any, order: Any) -> Any:
    """Return the rows of matrices in another order; batch axes broadcast."""
    if len(shape_of(order)) == 1 and not isinstance(order, Traced):
        return x[..., order, :]
    lead = np.broadcast_shapes(shape_of(x)[:-2], shape_of(order)[:-1])
    wide = np.broadcast_to(x, (*lead, *shape_of(x)[-2:]))
    return np.take_along_axis(
        wide, np.broadcast_to(order, (*lead, shape_of(order)[-1]))[..., None], -2
    )


# -- the public functions


def lu_factor(
    a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True, *, on_fail: OnFail = "raise"
) -> tuple[Array, Array]:
    """Compute the pivoted LU factorization of a matrix in one array, for use in `lu_solve`.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrix, or batch of matrices.
    overwrite_a : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    on_fail : {"raise", "nan", "info"}, optional
        For a singular matrix: a warning, as in SciPy, nothing, or the output `info`.

    Returns
    -------
    lu : (..., m, n) ndarray
        Upper triangular factor and, below its diagonal, l without its unit diagonal.
    piv : (..., min(m, n)) ndarray of ints
        Row i was interchanged with row ``piv[i]``.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, the number of the first zero pivot, or -1 for NaN in `a`.

    Raises
    ------
    ValueError
        If `a` holds NaN or infinity.
    numpy.linalg.LinAlgError
        If a derivative is required where a pivot is 0, other than the last pivot of a matrix that
        is not tall.

    Notes
    -----
    Differentiable in `a`; cotangents of `lu` are in the compact storage. On a GPU a batch of more
    matrices than they have rows is factored together, others one by one. The device is synchronized
    once, to warn, and with `on_fail` "nan" or "info" not at all. See `scipy.linalg.lu_factor`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: linalg.lu_factor(a)[0][1, 1])(np.array([[4.0, 2.0], [2.0, 5.0]])))
    [[ 0.25 -0.5 ]
     [-0.5   1.  ]]
    """
    if (
        type(a) is np.ndarray
        and a.ndim == 2
        and on_fail == "raise"
        and a.size
        and a.dtype.char in "fdFD"
    ):
        if check_finite:
            matrices.finite("lu_factor", "a", a)
        lu, piv, info = routine("getrf", a.dtype.char)(a, overwrite_a=may_overwrite(overwrite_a))
        if info:
            _warn_of_singular(a.shape, (), info)
        return lu, piv
    a = check_matrices("lu_factor", "a", a, check_finite, on_fail, square=False)
    lu, piv = packed_factors(a, on_fail)
    info = failures.pivot_info(a, diagonal(lu) == 0) if on_fail == "info" else None
    return append_info((lu, piv), info, on_fail)


def lu_solve(
    lu_and_piv: tuple[Any, ...],
    b: ArrayLike,
    trans: Literal[0, 1, 2] = 0,
    overwrite_b: bool = False,
    check_finite: bool = True,
    *,
    on_fail: OnFail = "raise",
) -> Array:
    """Solve a x = b, given the LU factorization of a.

    Parameters
    ----------
    lu_and_piv : tuple
        ``(lu, piv)`` from `lu_factor`, of square matrices.
    b : (n,) or (..., n, k) array_like
        Right-hand sides. Batch axes broadcast.
    trans : {0, 1, 2}, optional
        System to solve. 0: a x = b, 1: a^T x = b, 2: a^H x = b.
    overwrite_b : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    on_fail : {"raise", "nan", "info"}, optional
        For a singular matrix: an exception, NaN, or NaN and the output `info`. For concrete NumPy
        matrices "raise" divides by 0, as in SciPy.

    Returns
    -------
    x : (n,) or (..., n, k) ndarray
        Solution, of the shape of `b`, broadcast.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, or the number of the zero pivot.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity.
    numpy.linalg.LinAlgError
        If a pivot is 0, under a transform or in a batch.

    Notes
    -----
    Differentiable in `lu` and `b`. See `scipy.linalg.lu_solve`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> factors = linalg.lu_factor(np.array([[2.0, 1.0], [0.0, 4.0]]))
    >>> print(grad(lambda b: np.sum(linalg.lu_solve(factors, b)))(np.ones(2)))
    [0.5   0.125]
    """
    lu, piv = as_pair(
        lu_and_piv,
        "lu_solve: the first argument must be the pair (lu, piv) that lu_factor, and not lu, "
        "returns",
    )
    if type(lu) is np.ndarray is type(b) and lu.ndim == 2 and on_fail == "raise":
        return host("lu_solve")((lu, piv), b, trans, may_overwrite(overwrite_b), check_finite)
    if trans not in (0, 1, 2):
        raise ValueError(f"lu_solve: trans must be 0, 1 or 2, not {trans!r}.")
    # factors of what failed hold NaN
    lu, b, vector = system("lu_solve", "lu", lu, b, False, on_fail)
    matrices.refuse_nonfinite("lu_solve", check_finite and on_fail == "raise", b=b)
    n = shape_of(lu)[-1]
    if on_fail == "raise":
        _refuse_singular("lu_solve", "lu", raw(lu), n)
    order = row_order(piv if hasattr(piv, "dtype") else np.asarray(piv), n)
    by_l = triangular_solver("lu_solve", triangle(lu, True, True), True)
    by_u = triangular_solver("lu_solve", np.triu(lu), False, on_fail)
    if trans:
        # a^T x = b  <=>  a^H conj(x) = conj(b)
        turn = trans == 1 and (is_complex(lu) or is_complex(b))
        z = by_l(by_u(np.conjugate(b) if turn else b, True), True)
        x = rows_of(np.conjugate(z) if turn else z, np.argsort(order, axis=-1))
    else:
        x = by_u(by_l(rows_of(b, order)))
    return answer(x, vector, on_fail, lambda: failures.pivot_info(lu, diagonal(lu) == 0))


def lu(
    a: ArrayLike,
    permute_l: bool = False,
    overwrite_a: bool = False,
    check_finite: bool = True,
    p_indices: bool = False,
) -> tuple[Array, Array, Array]:
    """Compute the pivoted LU factorization of a matrix, a = p l u.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrix, or batch of matrices. Let k = min(m, n).
    permute_l : bool, optional
        Whether the product ``p l`` and `u` are returned.
    overwrite_a : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    p_indices : bool, optional
        Whether the permutation is returned as integers, with ``l[p] u = a``.

    Returns
    -------
    p : (..., m, m) ndarray or (..., m) ndarray of ints
        Permutation. Not with `permute_l`.
    l : (..., m, k) ndarray
        Lower trapezoidal factor with unit diagonal, or ``p l``.
    u : (..., k, n) ndarray
        Upper trapezoidal factor.

    Raises
    ------
    ValueError
        If `a` is not a matrix, or holds NaN or infinity.
    numpy.linalg.LinAlgError
        If a derivative is required where a pivot is 0, other than the last pivot of a matrix that
        is not tall.

    Notes
    -----
    Derivatives as for `lu_factor`. The permutation is constant. See `scipy.linalg.lu`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: linalg.lu(a)[2][1, 1])(np.array([[4.0, 2.0], [2.0, 5.0]])))
    [[ 0.25 -0.5 ]
     [-0.5   1.  ]]
    """
    if type(a) is np.ndarray:
        return host("lu")(
            matrices.native(a), permute_l, may_overwrite(overwrite_a), check_finite, p_indices
        )
    a = assemble(a)
    if len(shape_of(a)) < 2:
        raise ValueError(
            f"lu: The input array must be at least two-dimensional, not of shape {shape_of(a)}."
        )
    a = check_matrices("lu", "a", a, check_finite, square=False)
    m, n = shape_of(a)[-2:]
    k = min(m, n)
    packed, piv = packed_factors(a, warns=False)
    l, u = (  # noqa: E741
        np.tril(packed[..., :, :k], -1) + namespace_of(raw(a)).eye(m, k, dtype=raw(a).dtype),
        np.triu(packed)[..., :k, :],
    )
    back = np.argsort(row_order(piv, m), axis=-1)
    if permute_l:
        two: Any = rows_of(l, back), u
        return two
    back = back[..., :0] if 0 in shape_of(a) else back  # SciPy's answer for nothing
    if p_indices:
        return back.astype(int if m == n == 1 else np.int32), l, u
    place = np.arange(shape_of(back)[-1], like=raw(a))
    # as SciPy
    return (
        (back[..., None] == place).astype(raw(a).dtype if m == n == 1 else raw(a).real.dtype),
        l,
        u,
    )


__all__ = ["lu", "lu_factor", "lu_solve"]
