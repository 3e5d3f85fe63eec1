"""Eigenvalues and eigenvectors of symmetric and Hermitian matrices in band storage, tridiagonal
ones among them.

One matrix on the host is decomposed by LAPACK's routine for its form; derivatives are those of
eigh, in the storage.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import ZERO, Traced, differentiable, raw, shape_of, stop_gradient
from scigrad.autodiff_rules.backends import library
from scigrad.numpy.call_stack import call_as_step
from scigrad.typing import Array, ArrayLike, Gauge, OnFail, Value

from ..foundation import failures
from ..foundation.bands import (
    band_entries,
    band_product,
    band_solve,
    dense,
    factorize_band,
    hermitian_band,
)
from ..foundation.failures import exists, resolve_gauge
from ..foundation.lapack import host, may_overwrite, refuse_unfit, scipys
from ..foundation.matrices import (
    as_array,
    hermitian,
    is_complex,
    is_moderate,
    refuse_nonfinite,
    same_precision,
)
from .degenerate_eigenvalues import tolerances
from .eig_gauge import column_products
from .hermitian import eigenpairs, results, slice_between

_EVERY = (0, "a", "all")  # LAPACK's routines for a selection do not scale the matrix, or not enough


def eigh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    eigvals_only: bool = False,
    select: Literal["a", "i", "v"] = "a",
    select_range: tuple[Any, Any] | None = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
    *,
    gauge: Gauge | None = None,
    canonical: bool = False,
    on_fail: OnFail = "raise",
) -> tuple[Array, Array]:
    """Compute eigenvalues and eigenvectors of a real symmetric tridiagonal matrix.

    Parameters
    ----------
    d : (..., n) array_like
        Diagonal.
    e : (..., n - 1) array_like
        Subdiagonal. Batch axes broadcast.
    eigvals_only : bool, optional
        Whether only `w` is returned.
    select : {"a", "i", "v"}, optional
        Eigenvalues to compute: all, by index, or by value (not for batches).
    select_range : pair, optional
        First and last index for "i", half-open interval (low, high] for "v".
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    tol : float, optional
        Absolute tolerance of the algorithm of LAPACK, for one matrix on the host.
    lapack_driver : str, optional
        Driver of LAPACK, for one matrix on the host.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on the sign of an eigenvector or the basis of equal
        eigenvalues, as in `eigh`.
    canonical : bool, optional
        Whether each eigenvector has the sign that makes its largest component positive (the first
        of several).
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    w : (..., k) ndarray
        Eigenvalues in ascending order.
    v : (..., n, k) ndarray
        Eigenvectors.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If shapes or options do not fit, or an array holds NaN or infinity.
    TypeError
        If `d` or `e` is complex.
    numpy.linalg.LinAlgError
        If the iteration does not converge.
    scigrad.GaugeError
        Under a transform, see `gauge`.

    Notes
    -----
    ``w_i' = sum_k d_k' v_ki^2 + 2 sum_k e_k' v_ki v_(k+1)i``. Equal eigenvalues are treated as in
    `eigh`. Derivatives of selected eigenpairs need these alone, unless one is close to another
    eigenvalue. See `scipy.linalg.eigh_tridiagonal`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda e: np.sum(linalg.eigh_tridiagonal(np.zeros(3), e, eigvals_only=True) ** 2))(
    ...         np.array([1.0, 2.0])
    ...     )
    ... )
    [4. 8.]
    """
    plain = d.__class__ is np.ndarray and e.__class__ is np.ndarray and d.size
    if (
        plain
        and (select in _EVERY or is_moderate(d[..., None]))
        and on_fail == "raise"
        and not canonical
    ):
        found = scipys(
            "eigh_tridiagonal",
            (d, e, eigvals_only, select, select_range, check_finite, tol, lapack_driver),
        )
        if found is not None:
            return found
    failures.check_policy("eigh_tridiagonal", on_fail)
    gauge = resolve_gauge("eigh_tridiagonal", gauge)
    d, e = same_precision(
        *(as_array("eigh_tridiagonal", name, x) for name, x in (("d", d), ("e", e)))
    )
    refuse_nonfinite("eigh_tridiagonal", check_finite and on_fail == "raise", d=d, e=e)
    zeros = [np.zeros(shape_of(x)[-1:], x.dtype) for x in (d, e)]
    refuse_unfit(
        "eigh_tridiagonal", *zeros, eigvals_only, select, select_range, lapack_driver=lapack_driver
    )
    subset = _selection("eigh_tridiagonal", select, select_range)
    lead = np.broadcast_shapes(shape_of(d)[:-1], shape_of(e)[:-1])
    d, e = (np.broadcast_to(x, (*lead, *shape_of(x)[-1:])) for x in (d, e))
    driver = "auto" if lapack_driver == "sterf" else lapack_driver  # derivatives need all vectors

    def algorithm(half: Any, only: bool, kind: str = "a", bounds: Any = None) -> Any:
        return host("eigh_tridiagonal")(
            half[..., 0, :], half[..., -1, :-1], only, kind, bounds, False, tol, driver
        )

    half = np.stack([d, np.concatenate([e, 0 * d[..., :1]], axis=-1)], axis=-2)
    return _from_band(half, True, algorithm, subset, eigvals_only, gauge, canonical, on_fail)


def eigvalsh_tridiagonal(
    d: ArrayLike,
    e: ArrayLike,
    select: Literal["a", "i", "v"] = "a",
    select_range: tuple[Any, Any] | None = None,
    check_finite: bool = True,
    tol: float = 0.0,
    lapack_driver: str = "auto",
    *,
    on_fail: OnFail = "raise",
) -> Array:
    """Compute the eigenvalues of a real symmetric tridiagonal matrix, in ascending order.

    Parameters
    ----------
    d : (..., n) array_like
        Diagonal.
    e : (..., n - 1) array_like
        Subdiagonal. Batch axes broadcast.
    select : {"a", "i", "v"}, optional
        Eigenvalues to compute: all, by index, or by value (not for batches).
    select_range : pair, optional
        First and last index for "i", half-open interval (low, high] for "v".
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    tol : float, optional
        Absolute tolerance of the algorithm of LAPACK, for one matrix on the host.
    lapack_driver : str, optional
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
    TypeError
        If `d` or `e` is complex.
    numpy.linalg.LinAlgError
        If the iteration does not converge.

    Notes
    -----
    Derivatives as for `eigh_tridiagonal`. See `scipy.linalg.eigvalsh_tridiagonal`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> d, e = np.array([2.0, 2.0]), np.array([1.0])
    >>> print(grad(lambda d: linalg.eigvalsh_tridiagonal(d, e)[1])(d).round(12))
    [0.5 0.5]
    """
    out: Value = call_as_step(
        eigh_tridiagonal,
        d,
        e,
        True,
        select,
        select_range,
        check_finite,
        tol,
        lapack_driver,
        on_fail=on_fail,
    )
    return out


def eig_banded(
    a_band: ArrayLike,
    lower: bool = False,
    eigvals_only: bool = False,
    overwrite_a_band: bool = False,
    select: Literal["a", "i", "v"] = "a",
    select_range: tuple[Any, Any] | None = None,
    max_ev: int = 0,
    check_finite: bool = True,
    *,
    gauge: Gauge | None = None,
    canonical: bool = False,
    on_fail: OnFail = "raise",
) -> tuple[Array, Array]:
    """Compute eigenvalues and eigenvectors of a Hermitian matrix in band storage.

    Parameters
    ----------
    a_band : (..., u + 1, n) array_like
        One half of the band: ``a_band[i - j, j] = a[i, j]`` with `lower`, otherwise
        ``a_band[u + i - j, j] = a[i, j]``.
    lower : bool, optional
        Whether `a_band` holds the lower half.
    eigvals_only : bool, optional
        Whether only `w` is returned.
    overwrite_a_band : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    select : {"a", "i", "v"}, optional
        Eigenvalues to compute: all, by index, or by value (not for batches).
    select_range : pair, optional
        First and last index for "i", half-open interval (low, high] for "v".
    max_ev : int, optional
        Ignored: there is room for all eigenvalues that "v" may find.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on the phase of an eigenvector or the basis of equal
        eigenvalues, as in `eigh`.
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
        Eigenvectors.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If shapes or options do not fit, or `a_band` holds NaN or infinity.
    numpy.linalg.LinAlgError
        If the iteration does not converge.
    scigrad.GaugeError
        Under a transform, see `gauge`.

    Notes
    -----
    Derivatives are those of `eigh`, in band storage; entries outside of the matrix get 0. See
    `scipy.linalg.eig_banded`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda ab: np.sum(linalg.eig_banded(ab, eigvals_only=True) ** 2))(
    ...         np.array([[9.0, 1.0], [2.0, 3.0]])
    ...     )
    ... )
    [[0. 4.]
     [4. 6.]]
    """
    del max_ev  # LAPACK writes beyond the end of arrays of that length where it finds more
    plain = a_band.__class__ is np.ndarray and a_band.size
    if plain and (select in _EVERY or is_moderate(a_band)) and on_fail == "raise" and not canonical:
        given = (
            a_band,
            lower,
            eigvals_only,
            may_overwrite(overwrite_a_band),
            select,
            select_range,
            0,
            check_finite,
        )
        if (found := scipys("eig_banded", given, overwrite_a_band)) is not None:
            return found
    failures.check_policy("eig_banded", on_fail)
    gauge = resolve_gauge("eig_banded", gauge)
    ab = as_array("eig_banded", "a_band", a_band)
    if ab.ndim < 2:
        raise ValueError(
            "eig_banded: expected a 2-D array, or a batch of them, as 'a_band', not one of shape "
            f"{ab.shape}."
        )
    refuse_nonfinite("eig_banded", check_finite and on_fail == "raise", a_band=ab)
    if select not in _EVERY:
        options = {"eigvals_only": True, "select": select, "select_range": select_range}
        # SciPy checks none without columns
        refuse_unfit("eig_banded", np.zeros((1, max(1, shape_of(ab)[-1]))), **options)
    subset = _selection("eig_banded", select, select_range)

    def algorithm(half: Any, only: bool, kind: str = "a", bounds: Any = None) -> Any:
        return host("eig_banded")(
            half, True, only, select=kind, select_range=bounds, check_finite=False
        )

    return _from_band(ab, bool(lower), algorithm, subset, eigvals_only, gauge, canonical, on_fail)


def eigvals_banded(
    a_band: ArrayLike,
    lower: bool = False,
    overwrite_a_band: bool = False,
    select: Literal["a", "i", "v"] = "a",
    select_range: tuple[Any, Any] | None = None,
    check_finite: bool = True,
    *,
    on_fail: OnFail = "raise",
) -> Array:
    """Compute the eigenvalues of a Hermitian matrix in band storage, in ascending order.

    Parameters
    ----------
    a_band : (..., u + 1, n) array_like
        One half of the band: ``a_band[i - j, j] = a[i, j]`` with `lower`, otherwise
        ``a_band[u + i - j, j] = a[i, j]``.
    lower : bool, optional
        Whether `a_band` holds the lower half.
    overwrite_a_band : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    select : {"a", "i", "v"}, optional
        Eigenvalues to compute: all, by index, or by value (not for batches).
    select_range : pair, optional
        First and last index for "i", half-open interval (low, high] for "v".
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
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
        If shapes or options do not fit, or `a_band` holds NaN or infinity.
    numpy.linalg.LinAlgError
        If the iteration does not converge.

    Notes
    -----
    Derivatives are those of `eigh`, in band storage; entries outside of the matrix get 0. See
    `scipy.linalg.eigvals_banded`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> band = np.array([[2.0, 2.0], [1.0, 0.0]])
    >>> print(grad(lambda ab: linalg.eigvals_banded(ab, lower=True)[1])(band).round(12))
    [[0.5 0.5]
     [1.  0. ]]
    """
    out: Value = call_as_step(
        eig_banded,
        a_band,
        lower,
        True,
        overwrite_a_band,
        select,
        select_range,
        check_finite=check_finite,
        on_fail=on_fail,
    )
    return out


def _from_band(half: Any, lower: bool, algorithm: Callable[..., Any], subset: Any, only: bool,
    gauge: str,
                canonical: bool, on_fail: str) -> Any:  # fmt: skip
    """Return the results of `eig_banded` for the lower half of a band; `algorithm` is LAPACK's for
    it.
    """
    if (found := _select_pairs(half, lower, algorithm, subset, only, on_fail)) is not None:
        return results(*found, None, only, canonical, on_fail)
    rows, n = shape_of(half)[-2:]

    def whole(a: Any, only: bool) -> Any:
        return algorithm(band_entries(a, min(rows, n) - 1, 0), only)

    widths = (rows - 1, 0) if lower else (0, rows - 1)
    found = eigenpairs(hermitian(dense(half, *widths), lower), whole, True, gauge, on_fail, only)
    return results(*found, subset and _slice(*subset), only, canonical, on_fail)


def _select_pairs(
    half: Any, lower: bool, algorithm: Any, subset: Any, only: bool, on_fail: str
) -> Any:
    """Return w, v and info of the selected pairs computed by themselves, or None where their
    derivatives need all others: beside a near eigenvalue, and where the phase of a complex vector
    has to be checked.
    """
    plain = raw(half)
    if (
        subset is None
        or not isinstance(half, Traced)
        or library(plain) != "numpy"
        or on_fail != "raise"
    ):
        return None
    kind, (first, last) = subset[1:]
    if (
        not plain.size
        or not is_moderate(plain)
        or (kind == "v" and plain.ndim > 2)
        or (is_complex(half) and not only)
    ):
        return None

    def few(ab: Any) -> tuple[Any, Any, Any]:
        below = ab[..., ab.shape[-2] // 2 :, :]
        w, v = algorithm(below, False, kind, (first, last))
        margin = tolerances(ab)[1] * np.abs(ab).sum(axis=-2).max()
        values = first - margin, last + margin
        around = (max(first - 1, 0), min(last + 1, ab.shape[-1] - 1)) if kind == "i" else values
        return w, v, algorithm(below, True, kind, around)

    *found, near = _pairs_of(hermitian_band(half, lower), few)
    return None if exists(near) else (*found, np.zeros(plain.shape[:-2], np.intp)[()])


def _selection(function: str, select: Any, bounds: Any) -> tuple[str, str, list[Any]] | None:
    """Return the function, "i" or "v", and the bounds: by index first..last, by the interval (low,
    high]; None for all.
    """
    kind = select.lower() if isinstance(select, str) else select
    if kind in _EVERY:
        return None
    return function, "v" if kind in (1, "v", "value") else "i", np.asarray(bounds).tolist()


def _slice(function: str, kind: str, bounds: Any) -> Callable[[Any], slice]:
    low, high = bounds
    return (
        slice_between(bounds, function, "select='i'")
        if kind == "v"
        else lambda w: slice(low, high + 1)
    )


# -- a few pairs, with derivatives made of these alone. From a v = v w and v^H v = 1 for one pair
# follow w' = v^H a' v and (w - a) v' = (a' - w') v with v^H v' = 0. So v' = s a' v with s = (w -
# a)^+, the pseudo-inverse, which one banded system gives: instead of all other eigenvectors a
# derivative takes as many factorizations of a band as there are pairs (Nelson, Simplified
# calculation of eigenvector derivatives, AIAA Journal 14 (1976) 1201-1205). All pairs have to be
# apart from each other and from the rest of the spectrum. The band is that of the whole matrix:
# ab[u + i - j, j] = a[i, j] on both sides.


@differentiable("ab", core={"ab": 2})
def _pairs_of(ab, algorithm):
    """Return w and v from the result (w, v, neighbors) of `algorithm`, and a mask of the matrices
    in which an eigenvalue is near another, so that derivatives need more than these. The neighbors
    are the eigenvalues w and the next ones on either side.
    """
    w, v, neighbors = algorithm(ab)
    size = np.abs(ab).sum(axis=-2).max(axis=-1)
    return w, v, (np.diff(neighbors, axis=-1) <= tolerances(ab)[1] * size[..., None]).any(axis=-1)


@_pairs_of.jvp
def _(call, t):
    w, v, _ = call.out
    change = band_product(t.ab, v, *(call.ab.shape[-2] // 2,) * 2)
    return np.real(column_products(v, change)), _deflated(call.ab, change, w, v), ZERO


# x = s r for every column. Let b be w - a with d added to the diagonal element k where v is
# largest: b is regular, and a band. From b y = q with q = r - v v^H r follows d v_k^* y_k = v^H q =
# 0, so that (w - a) y = q too, and x = y - v v^H y.
def _deflated(ab: Any, r: Any, w: Any, v: Any) -> Any:
    u = ab.shape[-2] // 2
    row = (np.arange(2 * u + 1) == u)[:, None]
    shifted = row * (w[..., None] + _peaks(ab, v))[..., None, :] - ab[..., None, :, :]
    factors = factorize_band("eigh", raw(shifted), u, u, "general", "nan")
    right = np.swapaxes(r - v * column_products(v, r)[..., None, :], -1, -2)[..., None]
    y = np.swapaxes(band_solve(shifted, right, u, u, factors=factors)[..., 0], -1, -2)
    return y - v * column_products(v, y)[..., None, :]


def _peaks(ab: Any, v: Any) -> Any:
    """Return an array of v's shape with a number of the size of the matrix at the largest element
    of each column, and 0 elsewhere.
    """
    ab, v = stop_gradient(ab), stop_gradient(v)
    size = np.abs(ab).sum(axis=-2).max(axis=-1)[..., None, None]
    largest = np.argmax(np.abs(v), axis=-2)[..., None]
    return np.where(np.arange(shape_of(v)[-2]) == largest, np.where(size > 0, size, 1), 0)


__all__ = ["eig_banded", "eigh_tridiagonal", "eigvals_banded", "eigvalsh_tridiagonal"]
