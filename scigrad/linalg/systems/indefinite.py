"""L D L^H of Hermitian and L D L^T of symmetric matrices, pivoted as Bunch and Kaufman do: ldl,
ldl_factor, ldl_solve.

d is diagonal with blocks of order 1 and 2. Blocks and interchanges are constant wherever the
factors are differentiable: where no two candidates for a pivot tie. The imaginary parts of the
diagonal of a Hermitian matrix are not read.
"""

from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant, differentiable, raw, shape_of, warn
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike, OnFail

from ..foundation import failures
from ..foundation.bands import band_entries
from ..foundation.failures import each
from ..foundation.lapack import host, ldl_packed, may_overwrite
from ..foundation.matrices import (
    answer,
    check_matrices,
    diagonal,
    identity,
    is_complex,
    is_host,
    mH,
    system,
    triangle,
    undress,
)
from ..foundation.matrices import hermitian as hermitian_matrix
from .banded import band_solver
from .lu import rows_of
from .solve import triangular_solver

# -- LAPACK's storage


@constant(core={"pivots": 1})
def arrangement(pivots, lower):
    """Return the meaning of pivots: the order of rows in which a[order][:, order] = l d l^H; for
    each column of l where LAPACK, which applies no later interchange to it, keeps its rows; and
    which rows share a block.
    """
    n = pivots.shape[-1]
    double = pivots < 0
    block = np.where(double, n + (np.cumsum(double, axis=-1) - 1) // 2, np.arange(n, like=pivots))
    same = block[..., :, None] == block[..., None, :]
    order, kept = each(
        "ldl_solve", lambda pivots: _rows_and_places(pivots, lower), pivots[..., None]
    )[0]
    return order, kept, same


def _rows_and_places(pivots: Any, lower: bool) -> tuple[Any, Any]:
    """Return for one matrix the order of rows, and the places of its rows in each column of l."""
    pivots, n = pivots[:, 0], len(pivots)
    order, places = np.arange(n), [np.arange(n)] * n
    rows = iter(range(n) if lower else range(n - 1, -1, -1))
    for first in rows:  # one step of the elimination, of one row or two
        last = first if pivots[first] > 0 else next(rows)
        swap = abs(int(pivots[last])) - 1
        order[[last, swap]] = order[[swap, last]]
        places[first] = places[last] = np.argsort(order)
    return order, np.array(places, np.intp).reshape(n, n)[:, order].T


# -- the primitive, of whole matrices


@differentiable("a", core={"a": 2})
def block_factors(a, lower, conjugate, on_fail="raise", function="ldl"):
    """Return l, with ones on its diagonal, d, and pivots; a[order][:, order] = l d l^H (l^T without
    `conjugate`). NaN for a matrix with NaN or infinities in it, unless on_fail="raise".
    """
    (stored, pivots), info = each(
        function, lambda a: ldl_packed(a, lower, conjugate)[:2], a, on_fail=on_fail
    )
    pivots = np.where(info[..., None] != 0, 1, pivots).astype(pivots.dtype)
    l, d = unpacked(stored, pivots, lower, conjugate)  # noqa: E741
    return failures.marked_nan(l, info, 2), failures.marked_nan(d, info, 2), pivots


def unpacked(stored: Any, pivots: Any, lower: bool, conjugate: bool) -> tuple[Any, Any]:
    """Return l and d, both (..., n, n), from LAPACK's storage of the factors and the pivots."""
    _, kept, same = arrangement(pivots, lower)
    half = np.tril(stored) if lower else np.triu(stored)
    l = np.take_along_axis(np.where(same, 0, half), np.broadcast_to(kept, shape_of(half)), -2)  # noqa: E741
    return l + identity(shape_of(stored)[-1], raw(stored)), hermitian_matrix(
        np.where(same, half, 0), lower, conjugate
    )


# Let p be the permuted a, M = l^-1 p' l^-H and w = l^-1 l', strictly block triangular:  M = w d
# + d' + d w^H, so that d' is the block diagonal of M and w d its strict block triangle. The last
# block eliminated has none, so it may be singular.
@block_factors.jvp
def _(call, t):
    l, d, pivots = call.out  # noqa: E741
    order, _, same = arrangement(pivots, call.lower)
    last = same[..., -1:, :] if call.lower else same[..., :1, :]
    with failures.explain_errors(
        "ldl: a block of d that is not the last is singular, and the factors have no derivative "
        "there."
    ):
        bands = band_entries(np.where(last, identity(shape_of(d)[-1], raw(d)), d), 1, 1)
        by_d = band_solver("ldl", bands, 1, 1, "general", call.on_fail)[0]
    by_l, turned = (
        triangular_solver("ldl", l, call.lower),
        mH if call.conjugate else np.matrix_transpose,
    )
    m = turned(by_l(turned(by_l(rows_of(rows_of(t.a, order).mT, order).mT))))
    strict = np.where((np.tril if call.lower else np.triu)(~same), m, 0)
    return l @ mH(by_d(mH(strict), True)), np.where(same, m, 0), np.zeros_like(pivots)


# -- the public functions


def ldl(
    A: ArrayLike,
    lower: bool = True,
    hermitian: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
) -> tuple[Array, Array, Array]:
    """Compute the factorization a = l d l^H of a Hermitian, or a = l d l^T of a symmetric matrix.

    Parameters
    ----------
    A : (..., n, n) array_like
        Hermitian or symmetric matrix, or batch of matrices. One triangle is read.
    lower : bool, optional
        Whether the lower triangle is read, and ``l[perm]`` is lower triangular.
    hermitian : bool, optional
        For complex matrices, whether the factorization has ``l^H`` and not ``l^T``.
    overwrite_a : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.

    Returns
    -------
    lu : (..., n, n) ndarray
        Factor l with its rows interchanged: ``lu[perm]`` is triangular with unit diagonal.
    d : (..., n, n) ndarray
        Block diagonal matrix, with blocks of order 1 and 2.
    perm : (..., n) ndarray of ints
        Permutation.

    Raises
    ------
    ValueError
        If `A` is not square, or holds NaN or infinity in either triangle.
    numpy.linalg.LinAlgError
        If a derivative is required where a block of `d`, other than the last, is singular.

    Notes
    -----
    Differentiable in the triangle that is read; entries of the other one get 0. The permutation is
    constant. On a GPU there is no such algorithm, see `scigrad.on_host`. See `scipy.linalg.ldl`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: linalg.ldl(a)[1][1, 1])(np.array([[4.0, 0.0], [2.0, 5.0]])))
    [[ 0.25  0.  ]
     [-1.    1.  ]]
    """
    if type(A) is np.ndarray and not (hermitian and _diagonal_is_complex(A)):
        return host("ldl")(A, lower, hermitian, may_overwrite(overwrite_a), check_finite)
    a, lower = check_matrices("ldl", "A", A, check_finite), bool(lower)
    if hermitian and _diagonal_is_complex(raw(a)):
        text = (
            "ldl: The imaginary parts of the diagonal are ignored. Use hermitian=False for "
            "complex symmetric matrices."
        )
        warn(text, np.exceptions.ComplexWarning)
    l, d, pivots = block_factors(  # noqa: E741
        hermitian_matrix(a, lower, bool(hermitian)), lower, bool(hermitian)
    )
    order = arrangement(pivots, lower)[0]
    return rows_of(l, np.argsort(order, axis=-1)), d, order


def _diagonal_is_complex(a: Any) -> bool:
    """Return whether imaginary parts will be ignored, on the host."""
    return a.ndim > 1 and is_complex(a) and is_host(a) and bool(np.imag(diagonal(a)).any())


def ldl_factor(
    a: ArrayLike,
    *,
    hermitian: bool = False,
    lower: bool = True,
    check_finite: bool = True,
    on_fail: OnFail = "raise",
) -> tuple[Array, Array]:
    """Compute the factorization of `ldl` in the compact storage of LAPACK, for use in `ldl_solve`.

    Parameters
    ----------
    a : (..., n, n) array_like
        Symmetric or, with `hermitian`, Hermitian matrix, or batch of matrices. One triangle is
        read.
    hermitian : bool, optional
        For complex matrices, whether the factorization has ``l^H`` and not ``l^T``.
    lower : bool, optional
        Whether the lower triangle is read and returned.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    ld : (..., n, n) ndarray
        Factors d and l, without its unit diagonal, in one triangle, 0 in the other.
    pivots : (..., n) ndarray of ints
        Interchanges, negative for blocks of order 2.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, the number of the first block of d that is 0, or -1 for NaN
        in `a`.

    Raises
    ------
    ValueError
        If `a` is not square, or holds NaN or infinity in either triangle.

    Notes
    -----
    Singular matrices have this factorization too; `ldl_solve` refuses them. Derivatives as for
    `ldl`. SciPy has no such function; the arguments are those of ``torch.linalg.ldl_factor``.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: linalg.ldl_factor(a)[0][1, 1])(np.array([[4.0, 0.0], [2.0, 5.0]])))
    [[ 0.25  0.  ]
     [-1.    1.  ]]
    """
    a, lower, hermitian = (
        check_matrices("ldl_factor", "a", a, check_finite, on_fail),
        bool(lower),
        bool(hermitian),
    )
    whole = hermitian_matrix(a, lower, hermitian)
    l, d, pivots = block_factors(whole, lower, hermitian, on_fail, "ldl_factor")  # noqa: E741
    _, kept, same = arrangement(pivots, lower)
    strict = np.take_along_axis(np.where(same, 0, l), np.argsort(kept, axis=-2), -2)
    ld = strict + triangle(d, lower)
    info = failures.pivot_info(whole, (d == 0).all(axis=-1)) if on_fail == "info" else None
    return failures.append_info((ld, pivots), info, on_fail)


def ldl_solve(
    ld: ArrayLike,
    pivots: ArrayLike,
    b: ArrayLike,
    *,
    hermitian: bool = False,
    lower: bool = True,
    check_finite: bool = True,
    on_fail: OnFail = "raise",
) -> Array:
    """Solve a x = b, given the factorization of a by `ldl_factor`.

    Parameters
    ----------
    ld : (..., n, n) array_like
        Factors from `ldl_factor`.
    pivots : (..., n) array_like of ints
        Interchanges from `ldl_factor`.
    b : (n,) or (..., n, k) array_like
        Right-hand sides. Batch axes broadcast.
    hermitian, lower : bool, optional
        As given to `ldl_factor`.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    x : (n,) or (..., n, k) ndarray
        Solution, of the shape of `b`, broadcast.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, the number of a zero pivot of d, or -1 for NaN in `ld`.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity.
    numpy.linalg.LinAlgError
        If d is singular.

    Notes
    -----
    Differentiable in `b` and in the triangle of `ld` that is used. SciPy has no such function; the
    arguments are those of ``torch.linalg.ldl_solve``.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> ld, pivots = linalg.ldl_factor(np.diag([2.0, -4.0]))
    >>> print(grad(lambda b: np.sum(linalg.ldl_solve(ld, pivots, b)))(np.ones(2)))
    [ 0.5  -0.25]
    """
    ld, b, vector = system("ldl_solve", "ld", ld, b, check_finite, on_fail)
    lower, conjugate = bool(lower), bool(hermitian)
    pivots = assemble(undress("ldl_solve", "pivots", pivots))
    order = arrangement(pivots, lower)[0]
    l, d = unpacked(ld, pivots, lower, conjugate)  # noqa: E741
    by_l = triangular_solver("ldl_solve", l, lower)
    divide, info = band_solver("ldl_solve", band_entries(d, 1, 1), 1, 1, "general", "nan")
    if on_fail == "raise":  # in terms of the argument, which is no band; NaN passes on
        codes = np.maximum(raw(info(b)), 0)
        failures.raise_first("ldl_solve", "ld", shape_of(ld), codes, "general")
    z = divide(by_l(rows_of(b, order)), False)
    # l^T x = z  <=>  l^H conj(x) = conj(z)
    turn = not conjugate and (is_complex(ld) or is_complex(b))
    x = by_l(np.conjugate(z) if turn else z, True)
    x = rows_of(np.conjugate(x) if turn else x, np.argsort(order, axis=-1))
    return answer(x, vector, on_fail, lambda: info(b))


__all__ = ["ldl", "ldl_factor", "ldl_solve"]
