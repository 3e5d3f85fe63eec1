"""expm, and its Frechet derivative and condition number as functions of their own."""

from typing import Any, Literal

import numpy as np

from scigrad.autodiff_rules import raw, shape_of
from scigrad.typing import Array, ArrayLike

from ..foundation.lapack import host
from ..foundation.matrices import (
    as_array,
    identity,
    is_host,
    is_moderate,
    native,
    refuse_nonfinite,
    same_precision,
)
from ..singular_values.norms import norm
from . import expm_taylor
from .frechet import as_square, frechet, matrix_function

# the order up to which one algorithm for a batch takes less time than SciPy's loop over its
# matrices
_SMALL = 24


def expm(A: ArrayLike) -> Array:
    """Compute the exponential of a matrix.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.

    Returns
    -------
    eA : (..., n, n) ndarray
        Exponential of `A`.

    Raises
    ------
    numpy.linalg.LinAlgError
        If `A` is not square.

    Notes
    -----
    ``A_bar = L(A, g^H)^H`` with the Frechet derivative
    ``L(A, E) = int_0^1 exp((1 - t) A) E exp(t A) dt``, which holds for defective matrices too.
    Value and gradient share the powers of `A`. See `scipy.linalg.expm`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: linalg.expm(a)[0, 1])(np.zeros((2, 2))))
    [[0. 1.]
     [0. 0.]]
    """
    many_small = (
        type(A) is np.ndarray
        and A.ndim > 2
        and A.dtype.char in "fdFD"
        and 1 < A.shape[-1] <= _SMALL
    )
    if is_host(A) and not many_small:
        return host("expm")(native(A))
    a = as_array("expm", "A", A)
    return matrix_function(
        as_square("expm", "A", a.reshape((1, 1)) if a.ndim < 2 and a.size == 1 else a), expm_taylor
    )


def expm_frechet(
    A: ArrayLike,
    E: ArrayLike,
    method: Literal["SPS", "blockEnlarge"] | None = None,
    compute_expm: bool = True,
    check_finite: bool = True,
) -> Array:
    """Compute the exponential of a matrix and its Frechet derivative in one direction.

    ``L(A, E) = d/dt exp(A + t E)`` at t = 0.

    Parameters
    ----------
    A, E : (..., n, n) array_like
        Square matrix and direction. Batch axes broadcast.
    method : {"SPS", "blockEnlarge"}, optional
        Algorithm, as in SciPy. Under a transform both are the same.
    compute_expm : bool, optional
        Whether the exponential is returned too.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.

    Returns
    -------
    expm_A : (..., n, n) ndarray
        Exponential of `A`. Only with `compute_expm`.
    expm_frechet_AE : (..., n, n) ndarray
        Derivative in the direction `E`.

    Raises
    ------
    ValueError
        If `A` or `E` is not square, their shapes differ, an array holds NaN or infinity, or the
        method is unknown.

    Notes
    -----
    Differentiable in `A` and `E`. The results keep the precision of the arguments, where
    `scipy.linalg.expm_frechet` returns double precision.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> def loss(a):
    ...     return np.trace(linalg.expm_frechet(a, np.eye(2), compute_expm=False))
    >>> print(grad(loss)(np.zeros((2, 2))))
    [[1. 0.]
     [0. 1.]]
    """
    if method not in (None, "SPS", "blockEnlarge"):
        raise ValueError(
            f"expm_frechet: Unknown implementation {method}; known are 'SPS' and 'blockEnlarge'."
        )
    a, e = (
        as_square("expm_frechet", name, x, f"expected {name} to be a square matrix")
        for name, x in (("A", A), ("E", E))
    )
    if a.shape[-1] != e.shape[-1]:
        raise ValueError(
            f"expm_frechet: expected A and E to be the same shape, not {a.shape} and {e.shape}."
        )
    refuse_nonfinite("expm_frechet", check_finite, A=a, E=e)
    a, e = same_precision(a, e)
    if is_host(a, e) and a.ndim == e.ndim == 2 and a.dtype.char in "dD":
        return host("expm_frechet")(a, e, method, compute_expm, False)
    value, steps = expm_taylor.evaluate(raw(a))
    derivative = frechet(a, e, expm_taylor, steps)
    if not compute_expm:
        return derivative
    both: Any = (
        np.broadcast_to(matrix_function(a, expm_taylor, (value, steps)), shape_of(derivative)),
        derivative,
    )
    return both


def expm_cond(A: ArrayLike, check_finite: bool = True) -> Array:
    """Compute the relative condition number of the exponential of a matrix in the Frobenius norm.

    ``cond = max |L(A, E)| |A| / |exp(A)|`` over all directions E of norm 1.

    Parameters
    ----------
    A : (..., n, n) array_like
        Square matrix, or batch of matrices.
    check_finite : bool, optional
        Whether NaN and infinities are refused. On a GPU they are not looked for.

    Returns
    -------
    kappa : (...) ndarray
        Condition numbers.

    Raises
    ------
    ValueError
        If `A` is not square or is empty, or holds NaN or infinity.

    Notes
    -----
    Differentiable, as the largest singular value of a matrix of order n^2. See
    `scipy.linalg.expm_cond`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(linalg.expm_cond)(np.diag([1.0, 0.5])).round(6))
    [[1.021845 0.      ]
     [0.       0.125284]]
    """
    if (
        type(A) is np.ndarray
        and A.ndim > 1
        and A.size
        and A.shape[-1] == A.shape[-2]
        and is_moderate(A)
    ):
        found = host("expm_cond")(A, check_finite)
        return np.asarray(found, "f")[()] if A.dtype.char in "fF" else found  # SciPy's is a double
    a = as_square("expm_cond", "A", A, "expected a square matrix")
    refuse_nonfinite("expm_cond", check_finite, A=a)
    n = a.shape[-1]
    if n == 0:
        raise ValueError(
            "expm_cond: an empty matrix has no condition number; 'A' must be at least 1 x 1."
        )
    directions = identity(n * n, raw(a)).reshape((n * n, n, n))
    columns = frechet(a[..., None, :, :], directions, expm_taylor).reshape(
        (*a.shape[:-2], n * n, n * n)
    )
    size = lambda x, ord: norm(x, ord, axis=(-2, -1), check_finite=False)  # noqa: E731
    return size(columns, 2) * size(a, "fro") / size(expm(a), "fro")


__all__ = ["expm", "expm_cond", "expm_frechet"]
