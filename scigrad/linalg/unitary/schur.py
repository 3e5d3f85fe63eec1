"""The Schur form, a = z t z^H with unitary z and triangular t, or real with 2 x 2 blocks on the diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import Traced, constant, shape_of

from ..foundation.failures import each
from ..foundation.gauge import resolved
from ..foundation.lapack import followed, host, scipys
from ..foundation.matrices import checked, identity, is_complex, power_of_two, same_precision
from .triangular_forms import attached_form, equal

_OUTPUTS = ("real", "complex", "r", "c")
_SORTS = (None, "lhp", "rhp", "iuc", "ouc")


def schur(a, output="real", lwork=None, overwrite_a=False, sort=None, check_finite=True, *, gauge=None, on_fail="raise"):
    """Compute the Schur form of a matrix, a = z t z^H.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrix, or batch of matrices.
    output : {"real", "complex"}, optional
        "real" gives real matrices 2 x 2 blocks on the diagonal of t for pairs of complex eigenvalues.
    sort : {"lhp", "rhp", "iuc", "ouc"} or callable, optional
        Eigenvalues that come first, as in SciPy.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on the phase of a column of `z`, the rotation inside of a block, or the basis of equal
        eigenvalues. "check", the default, raises GaugeError; "project" drops that part of the cotangent and reads nothing back
        from a GPU; "trust" does neither.

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
    With ``x = z^H a' z``: ``z' = z k`` and ``t' = x - k t + t k``, where ``k = l - l^H`` and ``l t - t l = x`` below the
    diagonal. See `scipy.linalg.schur`.

    On a GPU there is no such algorithm, see `scigrad.on_host`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.sum(np.diagonal(linalg.schur(a)[0]) ** 2))(np.array([[1.0, 2.0], [0.0, 3.0]])))
    [[2. 0.]
     [4. 6.]]
    """
    if a.__class__ is np.ndarray and (a.size or a.ndim == 2) and on_fail == "raise":
        found = scipys("schur", (a, output, lwork, followed(overwrite_a), sort, check_finite), overwrite_a)
        if found is not None:
            return found
    gauge, a = resolved("schur", gauge), checked("schur", "a", a, check_finite, on_fail)
    if output not in _OUTPUTS:
        raise ValueError(f"schur: argument output must be 'real' or 'complex', not {output!r}.")
    if not callable(sort) and sort not in _SORTS:
        raise ValueError(f"schur: 'sort' parameter must be a function or one of {_SORTS}, not {sort!r}.")
    if output in ("complex", "c") and not is_complex(a):
        a = a.astype("F" if a.dtype.char == "f" else "D")
    t, z, sdim, info = _frame(a, sort, on_fail)
    if isinstance(a, Traced):
        same = equal(t, identity(shape_of(t)[-1], t), gauge)
        t, z = attached_form(a, t, z, same, same, gauge, "schur")
    out = (t, z) if sort is None else (t, z, sdim)
    return (*out, info) if on_fail == "info" else out


@constant
def _frame(a, sort, on_fail):
    def one(a: Any) -> tuple[Any, ...]:
        return tuple(host("schur")(a, sort=sort, check_finite=False))

    (t, z, *number), info = each("schur", one, a, on_fail=on_fail)
    return t, z, number[0] if number else 0 * info, info


_frame.batch_leading(a=2)


def rsf2csf(T, Z, check_finite=True, *, gauge=None):
    """Convert a real Schur form to a complex one.

    Parameters
    ----------
    T : (..., n, n) array_like
        Block triangular matrix. Elements below the blocks are not read.
    Z : (..., n, n) array_like
        Orthogonal matrix. Batch axes broadcast.
    gauge : {"check", "project", "trust"}, optional
        Treatment of a loss that depends on what the matrix leaves open, as in `schur`.

    Returns
    -------
    T, Z : (..., n, n) ndarray
        Complex triangular and unitary matrices.

    Raises
    ------
    ValueError
        If shapes do not fit, or an array holds NaN or infinity.
    scigrad.GaugeError
        Under a transform, see `gauge`.

    Notes
    -----
    Differentiable in both arguments. See `scipy.linalg.rsf2csf`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> def imaginary(t):
    ...     return np.abs(np.imag(linalg.rsf2csf(t, np.eye(2))[0][0, 0]))
    >>> print(grad(imaginary)(np.array([[0.0, 1.0], [-4.0, 0.0]])).round(12) + 0.0)
    [[ 0.    1.  ]
     [-0.25  0.  ]]
    """
    if T.__class__ is np.ndarray is Z.__class__ and T.size and T.ndim > 1 and T.dtype.char in "fdFD":
        try:
            return complex_form(T, Z, check_finite)
        except ValueError:
            pass  # raised below with more detail
    t, z = checked("rsf2csf", "T", T, check_finite), checked("rsf2csf", "Z", Z, check_finite)
    if shape_of(t)[-1] != shape_of(z)[-1]:
        raise ValueError(f"rsf2csf: input array shapes must match: Z: {shape_of(z)} vs. T: {shape_of(t)}")
    t, z = same_precision(t, z)
    gauge = resolved("rsf2csf", gauge)
    triangular, u, inside = _triangular(t)
    if isinstance(t, Traced):
        read = np.triu(t) + np.where(inside, np.tril(t, -1), 0)
        triangular, u = attached_form(read, triangular, u, ~inside, inside & ~inside, gauge, "rsf2csf")
    return triangular + np.zeros_like(z), z @ u


def complex_form(t: Any, z: Any, check_finite: bool = False) -> tuple[Any, Any]:
    """SciPy's rsf2csf on the host, in units of the size of t: near 2^500 it gets the eigenvalues of blocks wrong."""
    unit = power_of_two(t)
    t, z = host("rsf2csf")(t / unit, z, check_finite)
    return t * unit, z


@constant
def _triangular(t):
    """The complex form of block triangular matrices, the rotations that lead to it, and where they act."""
    (out, u), _ = each("rsf2csf", lambda t: complex_form(np.triu(t, -1), identity(t.shape[-1], t)), t)
    return out, u, np.abs(np.tril(u, -1)) > 0


_triangular.batch_leading(t=2)


__all__ = ["rsf2csf", "schur"]
