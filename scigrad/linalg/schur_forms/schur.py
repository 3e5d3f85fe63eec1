"""The Schur form, a = z t z^H with unitary z and triangular t, or real with 2 x 2 blocks on the
diagonal.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import Traced, constant, shape_of
from scigrad.typing import Array, ArrayLike, Gauge, OnFail

from ..foundation.failures import append_info, each, resolve_gauge
from ..foundation.lapack import host, may_overwrite, scipys
from ..foundation.matrices import (
    check_matrices,
    identity,
    is_complex,
)
from .schur_rules import equal, form_with_rules

OUTPUTS = ("real", "complex", "r", "c")
SORTS = ("lhp", "rhp", "iuc", "ouc")


def schur(
    a: ArrayLike,
    output: Literal["real", "complex"] = "real",
    lwork: int | None = None,
    overwrite_a: bool = False,
    sort: Literal["lhp", "rhp", "iuc", "ouc"] | Callable[..., Any] | None = None,
    check_finite: bool = True,
    *,
    gauge: Gauge | None = None,
    on_fail: OnFail = "raise",
) -> tuple[Array, Array]:
    """Compute the Schur form of a matrix, a = z t z^H.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrix, or batch of matrices.
    output : {"real", "complex"}, optional
        "real" gives real matrices with 2 x 2 blocks on the diagonal of t for pairs of complex
        eigenvalues.
    lwork : int, optional
        Size of the work array of LAPACK. Ignored inside a transform, for batches and on a GPU.
    overwrite_a : bool, optional
        Whether the memory of the argument may be overwritten. Ignored inside a transform.
    sort : {"lhp", "rhp", "iuc", "ouc"} or callable, optional
        Eigenvalues that come first, as in SciPy.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on the phase of a column of `z`, the rotation inside of a
        block, or the basis of equal eigenvalues. "check", the default, raises GaugeError; "project"
        drops that part of the cotangent and reads nothing back from a GPU; "trust" does neither.
    on_fail : {"raise", "nan", "info"}, optional
        Where the computation fails: an exception, NaN as the result of the matrices concerned, or
        NaN and the output `info`.

    Returns
    -------
    t : (..., n, n) ndarray
        Triangular or block triangular matrix.
    z : (..., n, n) ndarray
        Unitary matrix.
    sdim : int or ndarray of ints
        Number of eigenvalues put first. Only with `sort`.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0 for success.

    Raises
    ------
    ValueError
        If `a` is not square, options are unknown, or `a` holds NaN or infinity.
    numpy.linalg.LinAlgError
        If the iteration does not converge, or eigenvalues cannot be sorted.
    scigrad.GaugeError
        Under a transform, see `gauge`.

    Notes
    -----
    With ``x = z^H a' z``: ``z' = z k`` and ``t' = x - k t + t k``, where ``k = l - l^H`` and
    ``l t - t l = x`` below the diagonal. See `scipy.linalg.schur`.

    On a GPU there is no such algorithm, see `scigrad.on_host`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(
    ...     grad(lambda a: np.sum(np.diagonal(linalg.schur(a)[0]) ** 2))(
    ...         np.array([[1.0, 2.0], [0.0, 3.0]])
    ...     )
    ... )
    [[2. 0.]
     [4. 6.]]
    """
    if a.__class__ is np.ndarray and (a.size or a.ndim == 2) and on_fail == "raise":
        found = scipys(
            "schur", (a, output, lwork, may_overwrite(overwrite_a), sort, check_finite), overwrite_a
        )
        if found is not None:
            return found
    gauge, a = resolve_gauge("schur", gauge), check_matrices("schur", "a", a, check_finite, on_fail)
    if output not in OUTPUTS:
        raise ValueError(f"schur: argument output must be 'real' or 'complex', not {output!r}.")
    if not callable(sort) and sort not in (None, *SORTS):
        raise ValueError(
            f"schur: 'sort' parameter must be a function, None or one of {SORTS}, not {sort!r}."
        )
    if output in ("complex", "c") and not is_complex(a):
        a = a.astype("F" if a.dtype.char == "f" else "D")
    t, z, sdim, info = schur_form(a, "schur", "a", on_fail, sort)
    if isinstance(a, Traced):
        same = equal(t, identity(shape_of(t)[-1], t), gauge)
        t, z = form_with_rules(a, t, z, same, same, gauge, "schur")
    out = (t, z) if sort is None else (t, z, sdim)
    return append_info(out, info, on_fail)


@constant(core={"a": 2})
def schur_form(a, function, name, on_fail, sort=None):
    """Return t and z of a = z t z^H, without derivatives, the number of eigenvalues that were
    sorted to the front, and info.
    """

    def one(a: Any) -> tuple[Any, ...]:
        return tuple(host("schur")(a, sort=sort, check_finite=False))

    (t, z, *number), info = each(function, one, a, on_fail=on_fail, argument=name)
    return t, z, number[0] if number else 0 * info, info


# -- pairs of matrices


__all__ = ["schur"]
