"""The principal square root of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.numpy.call_stack import warn

from ..foundation import failures
from ..foundation.lapack import host
from ..foundation.matrices import as_array, is_host, is_moderate, native
from .branch_cut import Root
from .device_functions import root_by_sign
from .frechet import GIVEN, answered
from .schur_basis import function_of


def _is_scipys(a: Any) -> bool:
    """Return whether SciPy's kernel is correct for this matrix."""
    if type(a) is not np.ndarray or a.ndim < 2 or not a.size:
        return True
    quasi_triangular = not a[..., -1, 0].any() and not np.tril(a, -2).any() and np.tril(a, -1).any()
    return is_moderate(a) and bool(a.dtype.kind == "c" or a.shape[-1] < 3 or not quasi_triangular)


def sqrtm(A, disp=GIVEN, blocksize=GIVEN, *, on_fail="raise"):
    """Compute the principal square root of a matrix.

    ``R R = A``, with the eigenvalues of R in the right half-plane.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.
    disp : bool, optional
        Deprecated, as in SciPy.
    blocksize : int, optional
        Deprecated, as in SciPy.

    Returns
    -------
    R : (..., n, n) ndarray
        Square root, complex where `A` has a negative eigenvalue.
    errest : (...) ndarray
        Only with ``disp=False``: ``|R R - A|^2 / |A|`` in the Frobenius norm.
    info : ndarray of ints
        Only with ``on_fail="info"``: 0, -1 for a matrix with NaN or infinities, 1 where `R` is not finite.

    Raises
    ------
    numpy.linalg.LinAlgError
        If `A` is not square, or a derivative is required where it does not exist, up to rounding: `A` is singular, a complex `A`
        has an eigenvalue on the negative real axis, or a real `A` has two equal ones there. On a GPU for any eigenvalue of `A`
        there or at 0.

    Warns
    -----
    scipy.linalg.LinAlgWarning
        If `A` is singular or ill conditioned.

    Notes
    -----
    The derivative ``L = R'`` solves ``R L + L R = A'``, and `A_bar` the adjoint equation. Both use the Schur decomposition of the
    value. See `scipy.linalg.sqrtm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.sqrtm(a)))(np.diag([1.0, 4.0])))
    [[0.5  0.  ]
     [0.   0.25]]
    """
    if is_host(A) and on_fail == "raise" and _is_scipys(A):
        given = {k: v for k, v in (("disp", disp), ("blocksize", blocksize)) if v is not GIVEN}
        return host("sqrtm")(native(A), **given)
    failures.check_policy("sqrtm", on_fail)
    for name, value in (("disp", disp), ("blocksize", blocksize)):
        if value is not GIVEN:
            warn(f"sqrtm: The `{name}` argument is deprecated and will be removed in SciPy 1.18.0.", DeprecationWarning)
    a = as_array("sqrtm", "A", A)
    if a.ndim < 2:
        raise np.linalg.LinAlgError(f"sqrtm: The input array must be at least two-dimensional, but has shape {a.shape}.")
    if a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError(f"sqrtm: Last 2 dimensions of the array must be square; its shape is {a.shape}.")
    root = function_of(a, "sqrtm", Root, root_by_sign, on_fail)
    estimate = ()
    if disp is not GIVEN and not disp:
        size = lambda x: np.sqrt(np.sum(np.abs(x) ** 2, axis=(-2, -1)))  # noqa: E731
        estimate = (size(root @ root - a) ** 2 / size(a),)
    return answered(a, root, on_fail, *estimate)


__all__ = ["sqrtm"]
