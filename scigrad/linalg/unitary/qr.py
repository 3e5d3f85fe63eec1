"""QR and RQ factorizations, products with q, and the product of Householder reflections."""

from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import Traced, constant, namespace_of, raw, shape_of
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike, Value

from ..foundation.failures import each
from ..foundation.lapack import host, may_overwrite
from ..foundation.matrices import (
    as_array,
    as_columns,
    as_matrix,
    check_matrices,
    mH,
    refuse_nonfinite,
    same_precision,
)
from ..systems.lu import rows_of
from ..systems.solve import solve_triangular
from .qr_rules import WORTH_BLOCKS, factor_in_blocks, mark_undetermined, qr_with_rules

_FAST = ("full", "economic")  # what NumPy's kernel answers for batches
_MODES = {"full": "complete", "qr": "complete", "r": "reduced", "economic": "reduced", "raw": "raw"}

COMPLETE = (
    "{}: mode='full' completes {} with any orthonormal basis of the rest of the space, which the "
    "matrix does not determine, so q has no derivative there. Use mode='economic', whose q and r "
    "are differentiable, or mode='r'."
)
RAW = (
    "{}: the Householder vectors of mode='raw' have no derivative here; r has, and q of "
    "mode='economic'."
)


def qr(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: Literal["full", "economic", "r", "raw"] = "full",
    pivoting: bool = False,
    check_finite: bool = True,
) -> tuple[Array, Array]:
    """Compute the QR factorization a = q r, or a[:, p] = q r.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrix, or batch of matrices. Let k = min(m, n).
    overwrite_a : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    lwork : int, optional
        Size of the work array of LAPACK. Ignored inside a transform, for batches and on a GPU.
    mode : {"full", "economic", "r", "raw"}, optional
        "full": q (m, m) and r (m, n); "economic": q (m, k) and r (k, n); "r": only r, (m, n);
        "raw": LAPACK's ``((qr, tau), r)``.
    pivoting : bool, optional
        Whether the columns are ordered so that the absolute values on the diagonal of `r` descend.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.

    Returns
    -------
    q : (..., m, m) or (..., m, k) ndarray
        Orthonormal columns. Not with ``mode="r"``.
    r : (..., m, n) or (..., k, n) ndarray
        Upper triangular or trapezoidal factor with real diagonal.
    p : (..., n) ndarray of ints
        Order of the columns. Only with `pivoting`.

    Raises
    ------
    ValueError
        If `a` is not a matrix, holds NaN or infinity, or the mode is unknown.
    scigrad.GaugeError
        If a derivative is required of "full" for a tall matrix, which does not determine the
        columns of `q` beyond n, or of the vectors and factors of "raw".
    numpy.linalg.LinAlgError
        If a derivative is required where the first k columns (with pivoting: the chosen ones) are
        linearly dependent. There `q` is not continuous. Products such as ``q r`` may be smooth, but
        not by way of this factorization.

    Notes
    -----
    Differentiable for tall, square and wide matrices. The signs are those of LAPACK, and constant.
    See `scipy.linalg.qr`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> volume = lambda a: np.prod(np.abs(np.diagonal(linalg.qr(a, mode="r")[0])))
    >>> print(grad(volume)(np.array([[3.0, 1.0], [4.0, 2.0]])).round(12))
    [[ 2. -4.]
     [-1.  3.]]
    """
    a = assemble(a)
    # SciPy has no batches of "raw"
    batched = mode != "raw" and (pivoting or a.dtype.char not in "dD" or mode not in _FAST)
    # SciPy 1.18 reads bytes as native
    if type(a) is np.ndarray and a.dtype.isnative and (a.ndim < 3 or (a.size and batched)):
        workspace = {} if lwork is None else {"lwork": lwork}  # SciPy 1.18 warns of lwork
        return host("qr")(
            a,
            may_overwrite(overwrite_a),
            mode=mode,
            pivoting=pivoting,
            check_finite=check_finite,
            **workspace,
        )
    if mode not in _MODES:
        raise ValueError(f"qr: Mode argument should be one of {[*_MODES]}, not {mode!r}.")
    a = check_matrices("qr", "a", a, check_finite, square=False)
    _check_workspace("qr", lwork, shape_of(a)[-1])
    q, r, *pivots = _factorization("qr", a, mode, bool(pivoting))
    out: Value = (r, *pivots) if mode == "r" else (q, r, *pivots)
    bare = (
        len(out) == 1
        and len(shape_of(r)) > 2
        and type(host("qr")(np.zeros((1, 1, 1)), mode="r")) is np.ndarray
    )
    return r if bare else out  # batches have no tuple of one before SciPy 1.18


def rq(
    a: ArrayLike,
    overwrite_a: bool = False,
    lwork: int | None = None,
    mode: Literal["full", "economic", "r"] = "full",
    check_finite: bool = True,
) -> tuple[Array, Array]:
    """Compute the RQ factorization a = r q.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrix, or batch of matrices. Let k = min(m, n).
    overwrite_a : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    lwork : int, optional
        Size of the work array of LAPACK. Ignored inside a transform, for batches and on a GPU.
    mode : {"full", "economic", "r"}, optional
        "full": r (m, n) and q (n, n); "economic": r (m, k) and q (k, n); "r": only r, (m, n).
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.

    Returns
    -------
    r : (..., m, n) or (..., m, k) ndarray
        Upper triangular or trapezoidal factor, counted from the lower right corner, with real
        diagonal.
    q : (..., n, n) or (..., k, n) ndarray
        Orthonormal rows. Not with ``mode="r"``.

    Raises
    ------
    ValueError
        If `a` is not a matrix, holds NaN or infinity, or the mode is unknown.
    scigrad.GaugeError
        If a derivative is required of "full" for a wide matrix, which does not determine all rows
        of `q`.
    numpy.linalg.LinAlgError
        If a derivative is required where the last k rows are linearly dependent.

    Notes
    -----
    Differentiable as `qr`: it is the QR factorization of a^H with rows and columns in reverse
    order. See `scipy.linalg.rq`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda a: np.abs(linalg.rq(a, mode="r")[0, 0]))(
    ...         np.array([[2.0, 5.0], [0.0, 3.0]])
    ...     ).round(12)
    ... )
    [[ 1.          0.        ]
     [-1.66666667  0.        ]]
    """
    if type(a) is np.ndarray and (a.ndim < 3 or (a.size and a.dtype.char not in "dD")):
        return host("rq")(a, may_overwrite(overwrite_a), lwork, mode, check_finite)
    if mode not in ("full", "r", "economic"):
        raise ValueError(
            f"rq: Mode argument should be one of ['full', 'r', 'economic'], not {mode!r}."
        )
    a = check_matrices("rq", "a", a, check_finite, square=False)
    _check_workspace("rq", lwork, shape_of(a)[-2])
    q, r = _factorization("rq", mH(a)[..., ::-1, ::-1], mode, False)
    r, q = mH(r)[..., ::-1, ::-1], mH(q)[..., ::-1, ::-1]
    return r if mode == "r" else (r, q)


def qr_multiply(
    a: ArrayLike,
    c: ArrayLike,
    mode: Literal["right", "left"] = "right",
    pivoting: bool = False,
    conjugate: bool = False,
    overwrite_a: bool = False,
    overwrite_c: bool = False,
) -> tuple[Array, Array]:
    """Compute the QR factorization of a matrix and a product with q.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrix, or batch of matrices. Let k = min(m, n).
    c : (..., p, m) or (..., k, p) array_like
        Second factor, for ``c q`` or ``q c``, or a vector in its place.
    mode : {"right", "left"}, optional
        Product to compute: ``c q`` or ``q c``.
    pivoting : bool, optional
        Whether columns are ordered as in `qr`.
    conjugate : bool, optional
        Whether the complex conjugate of q is used.
    overwrite_a : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    overwrite_c : bool, optional
        Whether the memory of `c` may be overwritten. "left" with a tall matrix then takes c of m
        rows, for all columns of q.

    Returns
    -------
    cq : ndarray
        Product with the first k columns of q.
    r : (..., k, n) ndarray
        Upper triangular or trapezoidal factor.
    p : (..., n) ndarray of ints
        Order of the columns. Only with `pivoting`.

    Raises
    ------
    ValueError
        If shapes do not fit, an array holds NaN or infinity, or the mode is unknown.

    Notes
    -----
    Differentiable in `a` and `c`, as `qr`. See `scipy.linalg.qr_multiply`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a, c = np.array([[3.0], [4.0]]), np.array([1.0, 2.0])
    >>> print(grad(lambda c: np.sum(linalg.qr_multiply(a, c)[0] ** 2))(c).round(12))
    [2.64 3.52]
    """
    plain = type(a) is np.ndarray is type(c) and a.size and 0 not in c.shape[:-2]
    if plain and not (c.dtype.kind == "c" != a.dtype.kind):
        return host("qr_multiply")(
            a, c, mode, pivoting, conjugate, may_overwrite(overwrite_a), may_overwrite(overwrite_c)
        )
    if mode not in ("left", "right"):
        raise ValueError(
            f"qr_multiply: Mode argument can only be 'left' or 'right' but not {mode!r}."
        )
    a, c = same_precision(
        check_matrices("qr_multiply", "a", a, square=False), as_array("qr_multiply", "c", c)
    )
    refuse_nonfinite("qr_multiply", True, c=c)
    vector, left, given = len(shape_of(c)) == 1, mode == "left", c
    if vector:
        c = as_columns(c) if left else c[None]
    m, n = shape_of(a)[-2:]
    needed = (m if overwrite_c else min(m, n)) if left else m
    if shape_of(c)[-2 if left else -1] != needed:
        product = "Q @ c" if left else "c @ Q"
        raise ValueError(
            f"qr_multiply: Array shapes are not compatible for {product} operation: 'a' is "
            f"{shape_of(a)}, so 'c' needs {needed} {'rows' if left else 'columns'}, but has shape "
            f"{shape_of(c)}."
        )
    whole = left and needed > min(m, n)
    q, r, *pivots = _factorization(
        "qr_multiply", a, "full" if whole else "economic", bool(pivoting)
    )
    q, r = np.conjugate(q) if conjugate else q, r[..., : min(m, n), :]
    product = q @ c if left else c @ q
    if 0 in shape_of(given)[-2:]:  # the product has the shape of an empty c, as in SciPy
        product = (
            given
            if vector
            else np.broadcast_to(given, (*shape_of(product)[:-2], *shape_of(given)[-2:]))
        )
    elif vector:
        product = product[..., 0] if left else product[..., 0, :]
    return product, r, *pivots


def householder_product(a: ArrayLike, tau: ArrayLike) -> Array:
    """Compute the first n columns of a product of Householder reflections.

    ``(1 - tau_1 v_1 v_1^H) (1 - tau_2 v_2 v_2^H) ...``

    Parameters
    ----------
    a : (..., m, n) array_like
        Vectors, m >= n: v_i is column i below the diagonal, with 1 on the diagonal. Elements above
        are not read.
    tau : (..., k) array_like
        Factors, k <= n.

    Returns
    -------
    q : (..., m, n) ndarray
        Product.

    Raises
    ------
    ValueError
        If shapes do not fit.

    Notes
    -----
    With v unit lower trapezoidal, the product is ``1 - v t v^H`` with
    ``t = (1 + diag(tau) u)^-1 diag(tau)``, where u is the strictly upper triangle of ``v^H v``
    (Schreiber and Van Loan, A storage-efficient WY representation for products of Householder
    transformations, SIAM Journal on Scientific and Statistical Computing 10 (1989) 53-57).
    Derivatives of every order follow, also where a tau is 0. It makes q of
    ``(a, tau), r = qr(x, mode="raw")``. SciPy has no such function; the arguments are those of
    ``torch.linalg.householder_product``.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> x = np.array([[3.0, 1.0], [4.0, 2.0]])
    >>> (a, tau), r = linalg.qr(x, mode="raw")
    >>> print((linalg.householder_product(a, tau) @ r).round(12))
    [[3. 1.]
     [4. 2.]]
    >>> print(grad(lambda tau: np.trace(linalg.householder_product(a, tau)))(tau).round(12))
    [-1.25 -0.6 ]
    """
    a, tau = same_precision(
        as_matrix("householder_product", "a", a, square=False),
        as_array("householder_product", "tau", tau),
    )
    (m, n), k = shape_of(a)[-2:], shape_of(tau)[-1] if shape_of(tau) else -1
    if n > m or not 0 <= k <= n:
        raise ValueError(
            "householder_product: 'a' must be (..., m, n) with m >= n and 'tau' (..., k) with k "
            f"<= n; they have the shapes {shape_of(a)} and {shape_of(tau)}."
        )
    eye = namespace_of(a).eye(m, n, dtype=a.dtype)
    v = np.tril(a[..., :k], -1) + eye[:, :k]
    mixed = tau[..., None] * np.triu(mH(v) @ v, 1)
    # nothing can fail, so a device need not be waited for
    policy = "raise" if library(raw(a)) == "numpy" else "nan"
    t = solve_triangular(
        mixed,
        tau[..., None] * mH(v[..., :n, :]),
        unit_diagonal=True,
        check_finite=False,
        on_fail=policy,
    )
    return eye - v @ t


# -- what they share


def _check_workspace(function: str, lwork: Any, least: int) -> None:
    if lwork not in (None, -1) and lwork < max(1, least):
        raise ValueError(
            f"{function}: illegal value in argument 'lwork': LAPACK needs at least "
            f"{max(1, least)}, not {lwork}."
        )


def _factorization(function: str, a: Any, mode: str, pivoting: bool) -> tuple[Any, ...]:
    """Return q, r and pivots as selected by `mode`; with "raw" q is (Householder vectors, tau)."""
    kind = _MODES[mode]
    found = _factor_qr(a, kind, pivoting, function)
    q, r, *pivots = found if kind != "raw" else (found[:2], *found[2:])
    m, n = shape_of(a)[-2:]
    k = min(m, n)
    if isinstance(a, Traced):
        if pivots:
            a = rows_of(a.mT, pivots[0]).mT
        q1 = householder_product(q[0][..., :k], q[1]) if kind == "raw" else q[..., :k]
        first, r = qr_with_rules(a, q1, r[..., :k, :], function)
        if kind == "raw":
            q = tuple(mark_undetermined(a, x, RAW.format(function)) for x in q)
        else:
            q = (
                mark_undetermined(a, q, COMPLETE.format(function, "q"))
                if kind == "complete" and m > n
                else first
            )
    wanted = k if mode in ("economic", "raw") else m
    rows = shape_of(r)[-2]
    if rows < wanted:
        r = np.concatenate(
            [r, np.zeros((*shape_of(r)[:-2], wanted - rows, n), r.dtype, like=raw(r))], axis=-2
        )
    return q, r, *pivots


@constant(core={"a": 2})
def _factor_qr(a, kind, pivoting, function):
    """Return q, r and perhaps pivots; of kind "raw" Householder vectors, tau, r and perhaps
    pivots.
    """
    if library(a) != "numpy" and not pivoting:
        found = tuple(np.linalg.qr(a, kind))
        if kind == "raw":  # CuPy, as NumPy once did, always returns double precision
            packed, tau = found[0].mT.astype(a.dtype), found[1].astype(a.dtype)
            return packed, tau, np.triu(packed)[..., : min(a.shape[-2:]), :]
        return found
    # NumPy's kernel is faster for a batch, but rounds in another way, which single precision shows
    if a.ndim > 2 and not pivoting and kind != "raw" and (a.dtype.char in "dD" or a.size == 0):
        return tuple(np.linalg.qr(a, kind))
    return tuple(each(function, lambda a: _by_lapack(a, kind, pivoting), a)[0])


def _by_lapack(a: Any, kind: str, pivoting: bool) -> tuple[Any, ...]:
    if kind == "reduced" and not pivoting and a.dtype.char in "dD" and min(a.shape) >= WORTH_BLOCKS:
        return factor_in_blocks(a)
    mode = {"complete": "full", "reduced": "economic", "raw": "raw"}[kind]
    first, *rest = host("qr")(a, mode=mode, pivoting=pivoting, check_finite=False)
    return (*first, *rest) if kind == "raw" else (first, *rest)


__all__ = ["householder_product", "qr", "qr_multiply", "rq"]
