"""Lambert's W function and the Wright omega function (DLMF 4.13)."""

from typing import Any, Unpack

import numpy as np

from scigrad.typing import Array, ArrayLike, UfuncOptions

from .machinery.ufuncs import no_ufunc, row


@no_ufunc(lambda z, k, tol, out: np.exp(-out) / (1 + out), None, None)
def lambertw(z: ArrayLike, k: ArrayLike = 0, tol: float = 1e-8) -> Array:
    """Compute Lambert's W function.

    The complex solutions w of ``w exp(w) = z`` (DLMF 4.13.1). The derivative is
    ``exp(-w)/(1 + w)``, infinite at the branch point ``-exp(-1)`` of k = 0 and -1. Within 1e-8 of
    it SciPy's values of the branch -1 lie between the solution and -1.

    Parameters
    ----------
    z : array_like
        Argument, real or complex.
    k : array_like of ints, optional
        Branch; 0 is the principal one.
    tol : float, optional
        Tolerance of the iteration.

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
    This is `scipy.special.lambertw`.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import jvp, special
    >>> print(*(v.round(9) for v in jvp(lambda z: special.lambertw(z), (0.5,), (1.0,))))
    (0.351733711+0j) (0.520418642+0j)
    """
    ...


def _growth(w: Any) -> Any:
    return w / (1 + w)


@row(lambda z, out: _growth(np.where(np.isinf(out), 1e30, out)))
def wrightomega(z: ArrayLike, /, **options: Unpack[UfuncOptions]) -> Array:
    """Compute the Wright omega function.

    The solution w of ``w + log(w) = z``, real or complex. The derivative is ``w/(1 + w)``.

    Parameters
    ----------
    z : array_like
        Argument, real or complex; the branch cuts are the lines x +- i pi for x <= -1.
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
    This is `scipy.special.wrightomega`, with its options on plain arrays.

    Derivatives: element by element, forward and reverse mode, any order.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.wrightomega(0.5).round(9), grad(special.wrightomega)(0.5).round(9))
    0.766248608 0.433828287
    """
    ...


__all__ = ["lambertw", "wrightomega"]
