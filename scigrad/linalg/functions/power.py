"""Integer powers of a matrix."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from scigrad.autodiff_rules import raw, shape_of

from ..foundation.matrices import as_array, identity, is_host
from ..systems.solve import inv


def matrix_power(a, n):
    """Raise a square matrix to an integer power.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrix, or batch of matrices.
    n : int
        Exponent. 0 gives the identity.

    Returns
    -------
    power : (..., n, n) ndarray
        Power of `a`.

    Raises
    ------
    numpy.linalg.LinAlgError
        If `a` is not square, or is singular and n < 0.
    TypeError
        If `n` is not an integer.

    Notes
    -----
    By repeated squaring, so that it is differentiable at any rank, and through the inverse for n < 0. See
    `numpy.linalg.matrix_power`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import grad, linalg
    >>> print(grad(lambda a: np.trace(linalg.matrix_power(a, 3)))(np.diag([1.0, 2.0])))
    [[ 3.  0.]
     [ 0. 12.]]
    """
    try:
        n = operator.index(n)
    except TypeError:
        raise TypeError(f"matrix_power: exponent must be an integer, not {n!r}; fractional_matrix_power takes any.") from None
    if is_host(a):
        return np.linalg.matrix_power(a, n)
    a = as_array("matrix_power", "a", a)
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise np.linalg.LinAlgError(f"matrix_power: Last 2 dimensions of 'a' must be square, but it has shape {a.shape}.")
    if n < 0:
        a, n = inv(a, check_finite=False), -n
    power: Any = None
    while n:
        if n & 1:
            power = a if power is None else power @ a
        n >>= 1
        a = a @ a if n else a
    return np.zeros_like(a) + identity(shape_of(a)[-1], raw(a)) if power is None else power


__all__ = ["matrix_power"]
