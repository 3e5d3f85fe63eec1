"""The singular value decomposition, orthonormal bases of the range and of the null space, and
angles between subspaces.
"""

from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import raw, shape_of
from scigrad.numpy.call_stack import call_as_step
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike, Gauge, OnFail, Value

from ..eigenvalues.hermitian import phases
from ..foundation import failures
from ..foundation.failures import append_info, resolve_gauge
from ..foundation.lapack import may_overwrite, refuse_unfit, scipys
from ..foundation.matrices import as_matrix, check_matrices, mH, place_on_diagonal, same_precision
from .any_rank import Spectrum, basis, cut_off, factor_svd, truncate
from .svd_rules import decompose, singular_values


def svd(
    a: ArrayLike,
    full_matrices: bool = True,
    compute_uv: bool = True,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: Literal["gesdd", "gesvd"] = "gesdd",
    *,
    gauge: Gauge | None = None,
    canonical: bool = False,
    on_fail: OnFail = "raise",
) -> tuple[Array, Array, Array]:
    """Compute the singular value decomposition a = u diag(s) v^H.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrix, or batch of matrices. Let k = min(m, n).
    full_matrices : bool, optional
        Whether `u` and `v^H` are square. The columns of `u` (rows of `v^H`) beyond k then span the
        orthogonal complement.
    compute_uv : bool, optional
        Whether `u` and `v^H` are returned.
    overwrite_a : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    lapack_driver : {"gesdd", "gesvd"}, optional
        Driver of LAPACK, on the host.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on what the matrix leaves open: the common phase of a pair
        of singular vectors, the basis of equal singular values, the vectors of singular values that
        are 0. "check", the default, raises GaugeError; "project" drops that part of the cotangent
        and reads nothing back from a GPU; "trust" does neither.
    canonical : bool, optional
        Whether each pair of singular vectors is multiplied by the phase that makes the largest
        component of the left one positive (the first of several).
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    u : (..., m, m) or (..., m, k) ndarray
        Left singular vectors, orthonormal columns.
    s : (..., k) ndarray
        Singular values in descending order.
    vh : (..., n, n) or (..., k, n) ndarray
        Right singular vectors, orthonormal rows.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    TypeError
        If `lapack_driver` is not a string.
    ValueError
        If `a` is not a matrix, holds NaN or infinity, or the driver is unknown.
    numpy.linalg.LinAlgError
        If the iteration does not converge.
    scigrad.GaugeError
        Under a transform, see `gauge`.

    Warns
    -----
    scipy.linalg.LinAlgWarning
        Under a transform, if nearly equal singular values cost more than half of the digits of the
        derivative of a single vector; in forward mode also for losses that do not depend on single
        vectors.

    Notes
    -----
    Losses that do not depend on the choice (``u f(s) v^H`` with an odd f, a low-rank truncation,
    any symmetric function of s) have their exact derivative at equal singular values, and at
    singular values that are 0. For other losses reverse mode raises. Forward mode cannot detect the
    dependence: it chooses the basis that is adapted to its direction. A degenerate singular value,
    or one that is 0, has its one-sided derivative in that direction, and in reverse mode the
    subgradient of minimum norm, the mean; `jacobian` chooses the mode by shapes. A loss that weighs
    degenerate singular values differently has no second derivative (GaugeError). See
    `scipy.linalg.svd`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda a: np.sum(linalg.svd(a, full_matrices=False)[1]))(
    ...         np.array([[3.0], [4.0]])
    ...     ).round(12)
    ... )
    [[0.6]
     [0.8]]
    """
    # NumPy's is faster
    stacked = (
        type(a) is np.ndarray and a.ndim > 2 and lapack_driver == "gesdd" and a.dtype.char in "dD"
    )
    if (
        type(a) is np.ndarray
        and not stacked
        and on_fail == "raise"
        and not canonical
        and a.ndim > 1
        and a.size
    ):
        given = (
            a,
            full_matrices,
            compute_uv,
            may_overwrite(overwrite_a),
            check_finite,
            lapack_driver,
        )
        if (found := scipys("svd", given, overwrite_a)) is not None:
            return found
    if lapack_driver != "gesdd":
        refuse_unfit("svd", np.zeros((1, 1)), lapack_driver=lapack_driver)
    gauge = resolve_gauge("svd", gauge)
    a = check_matrices("svd", "a", a, check_finite, on_fail, False)
    u, s, vh, info = decompose(
        a, bool(full_matrices and compute_uv), lapack_driver, gauge, on_fail, bool(compute_uv)
    )
    if not compute_uv:
        return append_info(s, info, on_fail)
    if canonical:
        # both vectors of a pair, and those without a partner by their own phase
        k, turn = shape_of(s)[-1], phases(u)
        u, vh = (
            u * np.conjugate(turn),
            np.concatenate([turn[..., :k], phases(mH(vh))[..., k:]], axis=-1).mT * vh,
        )
    return append_info((u, s, vh), info, on_fail)


def svdvals(
    a: ArrayLike, overwrite_a: bool = False, check_finite: bool = True, *, on_fail: OnFail = "raise"
) -> Array:
    """Compute the singular values of a matrix, in descending order.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrix, or batch of matrices.
    overwrite_a : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    s : (..., min(m, n)) ndarray
        Singular values.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If `a` is not a matrix, or holds NaN or infinity.
    numpy.linalg.LinAlgError
        If the iteration does not converge.

    Notes
    -----
    Singular values that are equal, or 0, have their one-sided derivatives in forward mode, and in
    reverse mode the subgradient of minimum norm: their mean, and 0 at 0 (`jacobian` chooses the
    mode by shapes). Functions such as ``u f(s) v^H`` take vectors and values of one call of `svd`;
    with values of another one reverse mode raises GaugeError where they are equal. See
    `scipy.linalg.svdvals`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda a: linalg.svdvals(a)[0])(np.array([[3.0, 0.0], [0.0, 2.0]])).round(12) + 0.0
    ... )
    [[1. 0.]
     [0. 0.]]
    """
    out: Value = call_as_step(
        svd,
        a,
        compute_uv=False,
        overwrite_a=overwrite_a,
        check_finite=check_finite,
        on_fail=on_fail,
    )
    return out


def diagsvd(s: ArrayLike, M: int, N: int) -> Array:
    """Construct the matrix diag(s) of the singular value decomposition, padded with zeros.

    Parameters
    ----------
    s : (..., M) or (..., N) array_like
        Singular values.
    M, N : int
        Numbers of rows and columns.

    Returns
    -------
    matrix : (..., M, N) ndarray
        Matrix with `s` on its diagonal.

    Raises
    ------
    ValueError
        If `s` has neither M nor N elements.

    Notes
    -----
    Linear in `s`. See `scipy.linalg.diagsvd`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> weights = np.arange(6.0).reshape(2, 3)
    >>> print(grad(lambda s: np.sum(weights * linalg.diagsvd(s, 2, 3)))(np.ones(2)))
    [0. 4.]
    """
    s = assemble(s)
    *lead, k = shape_of(s)
    if k not in (M, N) or k > min(M, N):
        raise ValueError(
            f"diagsvd: 's' has the length {k}. Length of s must be M or N, the smaller of {M} and "
            f"{N}."
        )
    return np.pad(place_on_diagonal(s), [*[(0, 0)] * len(lead), (0, M - k), (0, N - k)])


# -- subspaces. Gaps among the singular values that count do not occur in their derivatives.


def orth(A: ArrayLike, rcond: float | None = None, *, gauge: Gauge | None = None) -> Array:
    """Compute an orthonormal basis of the range of a matrix.

    Parameters
    ----------
    A : (..., m, n) array_like
        Matrix, or batch of matrices of equal rank.
    rcond : float, optional
        Singular values up to `rcond` times the largest count as zero. By default ``max(m, n) eps``.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on what the matrix leaves open. "check", the default,
        raises GaugeError; "project" drops that part of the cotangent and reads nothing back from a
        GPU; "trust" does neither.

    Returns
    -------
    q : (..., m, rank) ndarray
        Left singular vectors.

    Raises
    ------
    ValueError
        If `A` is not a matrix, holds NaN or infinity, or the ranks in a batch differ.
    scigrad.GaugeError
        Under a transform, if the loss depends on the choice of the basis, see `gauge`. `svd`
        differentiates single singular vectors.

    Notes
    -----
    Differentiable while the rank is constant. Singular values that count as zero may be of any
    size. See `scipy.linalg.orth`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda a: (linalg.orth(a) @ linalg.orth(a).T)[0, 1])(
    ...         np.array([[2.0], [1.0]])
    ...     ).round(12)
    ... )
    [[-0.12]
     [ 0.24]]
    """
    gauge, (a, f, _) = resolve_gauge("orth", gauge), _kept("orth", A, rcond)
    return basis(a, f.u[..., : _common_rank("orth", f)], f, gauge, "orth")


def null_space(
    A: ArrayLike,
    rcond: float | None = None,
    *,
    overwrite_a: bool = False,
    check_finite: bool = True,
    lapack_driver: Literal["gesdd", "gesvd"] = "gesdd",
    gauge: Gauge | None = None,
) -> Array:
    """Compute an orthonormal basis of the null space of a matrix.

    Parameters
    ----------
    A : (..., m, n) array_like
        Matrix, or batch of matrices of equal rank.
    rcond : float, optional
        Singular values up to `rcond` times the largest count as zero. By default ``max(m, n) eps``.
    overwrite_a : bool, optional
        Ignored.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    lapack_driver : {"gesdd", "gesvd"}, optional
        Driver of LAPACK, on the host.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on what the matrix leaves open. "check", the default,
        raises GaugeError; "project" drops that part of the cotangent and reads nothing back from a
        GPU; "trust" does neither.

    Returns
    -------
    z : (..., n, n - rank) ndarray
        Right singular vectors of the singular values that count as zero.

    Raises
    ------
    ValueError
        If `A` is not a matrix, holds NaN or infinity, or the ranks in a batch differ.
    scigrad.GaugeError
        Under a transform, if the loss depends on the choice of the basis, see `gauge`.

    Notes
    -----
    Differentiable while the rank is constant. See `scipy.linalg.null_space`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda a: (linalg.null_space(a) @ linalg.null_space(a).T)[0, 1])(
    ...         np.array([[2.0, 1.0]])
    ...     ).round(12)
    ... )
    [[ 0.12 -0.24]]
    """
    del overwrite_a
    gauge, (a, f, vh) = (
        resolve_gauge("null_space", gauge),
        _kept("null_space", A, rcond, True, check_finite, lapack_driver),
    )
    return basis(a, mH(vh[..., _common_rank("null_space", f) :, :]), f, gauge, "null_space")


def subspace_angles(A: ArrayLike, B: ArrayLike) -> Array:
    """Compute the angles between the ranges of two matrices, in descending order.

    Parameters
    ----------
    A : (..., m, n) array_like
        Matrix, or batch of matrices.
    B : (..., m, k) array_like
        Matrix, or batch of matrices. Batch axes broadcast.

    Returns
    -------
    angles : (..., min(rank A, rank B)) ndarray
        Angles from 0 to pi / 2.

    Raises
    ------
    ValueError
        If the numbers of rows differ, an array holds NaN or infinity, or the ranks in a batch
        differ.

    Notes
    -----
    Small angles are computed, and differentiated, from their sines and large angles from their
    cosines (Knyazev and Argentati, SIAM Journal on Scientific Computing 23 (2002) 2008-2040,
    algorithm 3.1), so that small angles beside large ones are accurate too. Where angles coincide,
    or are 0 or pi / 2, the derivative is the subgradient of minimum norm. See
    `scipy.linalg.subspace_angles`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> a = np.array([[1.0], [0.0]])
    >>> print(
    ...     grad(lambda b: np.sum(linalg.subspace_angles(a, b)))(np.array([[3.0], [4.0]])).round(12)
    ... )
    [[-0.16]
     [ 0.12]]
    """
    A, B = same_precision(
        as_matrix("subspace_angles", "A", A, False, True),
        as_matrix("subspace_angles", "B", B, False, True),
    )
    if shape_of(A)[-2] != shape_of(B)[-2]:
        raise ValueError(
            f"subspace_angles: A and B must have the same number of rows, got {shape_of(A)[-2]} "
            f"and {shape_of(B)[-2]}."
        )
    a, b = orth(A, gauge="trust"), orth(B, gauge="trust")
    products = mH(a) @ b
    cosines = _unit_values(products)[..., ::-1]
    sines = _unit_values(
        b - a @ products if shape_of(a)[-1] >= shape_of(b)[-1] else a - b @ mH(products)
    )
    small = cosines**2 >= 0.5
    return np.where(
        small, np.arcsin(np.where(small, sines, 0)), np.arccos(np.where(small, 0, cosines))
    )


def _unit_values(x: Any) -> Any:
    """Return the singular values of a product of orthonormal vectors: what rounding leaves of 0
    counts as 0.
    """
    return singular_values(x, 8 * max(shape_of(x)[-2:]) * float(np.finfo(x.dtype).eps))


def _kept(
    function: str,
    a: Any,
    relative: Any,
    full: bool = False,
    check_finite: bool = True,
    driver: Any = None,
) -> Any:
    """Return the matrix without what counts as 0, its decomposition, and all right singular
    vectors.
    """
    a = as_matrix(function, "A", a, False, check_finite)
    k, cutoff = (
        min(shape_of(a)[-2:]),
        max(shape_of(a)[-2:]) * np.finfo(a.dtype).eps if relative is None else relative,
    )
    u, s, vh, info = factor_svd(function, raw(a), full, driver, failures.policy(raw(a), "raise"))
    spectrum = cut_off(raw(a).shape, (u[..., :k], s, vh[..., :k, :], info), cutoff, 0.0)
    return truncate(a, spectrum, cutoff), spectrum, vh


def _common_rank(function: str, spectrum: Spectrum) -> int:
    """Return the one rank of all matrices: a number of columns, so a device is waited for."""
    ranks = failures.to_host(np.where(spectrum.info == 0, spectrum.rank, -1))
    ranks = ranks[ranks >= 0]  # NaN fits any
    if not ranks.size:  # only shapes are required
        return min(spectrum.shape[-2:])
    if (ranks != ranks.flat[0]).any():
        raise ValueError(
            f"{function}: the matrices of a batch of shape {spectrum.shape} have ranks from "
            f"{ranks.min()} to {ranks.max()}, so their bases differ in size. Treat them one by "
            "one, set rcond, or use the projectors a pinv(a) and 1 - pinv(a) a."
        )
    return int(ranks.flat[0])


__all__ = ["diagsvd", "null_space", "orth", "subspace_angles", "svd", "svdvals"]
