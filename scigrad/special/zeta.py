"""The zeta functions of Riemann and Hurwitz (DLMF chapter 25). The exponent is differentiated
numerically.
"""

from typing import Any, Unpack

import numpy as np

from scigrad.typing import Array, ArrayLike, Out, UfuncOptions

from .machinery.numerical_partial import numerical_partial
from .machinery.ufuncs import no_ufunc, row


def _beside_the_pole(x: Any) -> Any:
    """Return half of the distance from x to the pole at 1, at most 1."""
    return np.minimum(np.abs(x - 1) / 2, 1.0)


def _partial_in_x(x: Any, q: Any) -> Any:
    # zeta - 1 keeps the digits at large x
    f = zetac if q is None and not np.iscomplexobj(x) else zeta
    return numerical_partial(f, 0, x, *(() if q is None else (q,)), scale=_beside_the_pole)


@no_ufunc(lambda x, q, out: _partial_in_x(x, q), lambda x, q, out: -x * zeta(x + 1, q))
def zeta(x: ArrayLike, q: ArrayLike | None = None) -> Array:  # pyright: ignore[reportRedeclaration]
    """Compute the zeta function without the argument out."""
    ...


_values = zeta


def zeta(x: ArrayLike, q: ArrayLike | None = None, out: Out | None = None) -> Array:
    """Compute the zeta function of Riemann, or with q that of Hurwitz.

    ``sum_k (k + q)^-x``, with q = 1 by default and then for complex x too. The derivative in q is
    ``-x zeta(x + 1, q)`` (DLMF 25.11.17); x is differentiated numerically.

    Parameters
    ----------
    x : array_like
        Exponent, the argument s of the Riemann or Hurwitz zeta function.
    q : array_like
        Shift of the terms of the sum, 1 / (k + q)^x; by default 1, the Riemann zeta
        function.
    out : ndarray or tuple of ndarrays, optional
        Arrays that the values are written to.

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
    This is `scipy.special.zeta`.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.zeta(2.5, 1.5).round(9), grad(special.zeta, 1)(2.5, 1.5).round(9))
    0.590256385 -0.767740411
    """
    return _values(x, q) if out is None else np.positive(_values(x, q), out)


@row(lambda x, out: numerical_partial(zetac, 0, x, scale=_beside_the_pole))
def zetac(x: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute Riemann's zeta function minus 1.

    ``sum_(k > 1) k^-x``. The function is differentiated numerically.

    Parameters
    ----------
    x : array_like
        Exponent, the argument s of the Riemann zeta function.
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
    This is `scipy.special.zetac`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.zetac(2.5).round(9), grad(special.zetac)(2.5).round(9))
    0.341487257 -0.38734195
    """
    ...


__all__ = ["zeta", "zetac"]
