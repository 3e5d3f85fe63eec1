"""Bessel functions of the first kind of orders 0 and 1 (DLMF chapter 10), differentiable to any
order, at 0 too.
"""

import math
from typing import Any, Unpack

import numpy as np

from scigrad.autodiff_rules import elementwise
from scigrad.numpy.joining import assemble
from scigrad.typing import Array, ArrayLike, UfuncOptions

from .machinery.ufuncs import row


@row(lambda x, out: -j1(x))
def j0(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Bessel function of the first kind of order 0.

    ``J_0(x) = 1/pi int_0^pi cos(x sin t) dt`` (DLMF 10.9.1), nan at infinity as in SciPy.

    Parameters
    ----------
    x : array_like
        Argument, real.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    The derivative is ``-j1(x)`` (DLMF 10.6.3).

    This is `scipy.special.j0`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.j0(1.5).round(12), grad(special.j0)(1.5).round(12))
    0.511827671736 -0.55793650791
    """
    ...


@row(lambda x, out: j0(x) - reduced_j(1, x))
def j1(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Bessel function of the first kind of order 1.

    ``J_1(x) = 1/pi int_0^pi cos(x sin t - t) dt`` (DLMF 10.9.2).

    Parameters
    ----------
    x : array_like
        Argument, real.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.
    where, casting, order, dtype, subok, signature : optional
        Options of every ufunc, see `numpy.ufunc`.

    Returns
    -------
    scalar or ndarray
        Values element by element, of the broadcast shape of the arguments and in their precision.

    Raises
    ------
    TypeError
        If the function is not defined for the dtype of an argument.

    Notes
    -----
    The derivative is ``j0(x) - j1(x)/x`` (DLMF 10.6.2), 1/2 at 0.

    This is `scipy.special.j1`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.j1(1.5).round(12), grad(special.j1)(0.0))
    0.55793650791 0.5
    """
    ...


# J_n(x)/x^n is even and entire, and (J_n/x^n)' = -x J_(n+1)/x^(n+1) (DLMF 10.6.6): with these
# quotients no derivative of j0 and j1, whatever its order, has a 0/0 at the origin. Near it they
# come from the power series (DLMF 10.2.2), farther out from the recurrence in n (DLMF 10.6.1),
# which is stable upwards where x > n.
@elementwise
def reduced_j(n, x):
    """Return J_n(x) / x^n for integer n >= 1."""
    x = assemble(x)
    y = x.astype(np.result_type(x.dtype, np.float64))
    near = np.abs(y) < (n + 2 if n > 1 else 1e-3)
    far = np.where(near, 1.0, y)
    before, value = j0(far), j1(far) / far
    with np.errstate(over="ignore"):
        for m in range(1, n):
            before, value = value, (2 * m * value - before) / (far * far)
    return np.where(near, _series(n, np.where(near, y, 0.0)), value).astype(x.dtype)[()]


@reduced_j.partials
def _(call):
    return (None, lambda: -call.x * reduced_j(call.n + 1, call.x))


def _series(n: int, x: Any) -> Any:
    q = x * x / -4
    total = 0.0
    for k in range(3 if n == 1 else 14 + n, 0, -1):
        total = (1 + total) * q / (k * (k + n))
    return (1 + total) / (2.0**n * math.factorial(n))


__all__ = ["j0", "j1"]
