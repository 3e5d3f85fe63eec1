"""Predicates of matrices, which are constant: bandwidth, issymmetric, ishermitian."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant
from scigrad.autodiff_rules.backends import library

from ..foundation.lapack import host


def _is_one_on_the_host(a: Any) -> bool:
    """Return whether SciPy's function can be called: for one matrix on the host."""
    return library(a) == "numpy" and (np.ndim(a) <= 2 or 0 not in np.shape(a)[:-2])


@constant
def bandwidth(a):
    """Return the numbers of nonzero diagonals below and above the main diagonal.

    Parameters
    ----------
    a : (..., m, n) array_like
        Matrix, or batch of matrices.

    Returns
    -------
    lower, upper : int or ndarray of ints
        Bandwidths. Arrays for a batch, and on a GPU, so that the device is not synchronized.

    Notes
    -----
    See `scipy.linalg.bandwidth`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import linalg
    >>> print(linalg.bandwidth(np.array([[1.0, 2.0], [0.0, 3.0]])))
    (0, 1)
    """
    if _is_one_on_the_host(a):
        return tuple(host("bandwidth")(a))
    below = np.arange(a.shape[-2], like=a)[:, None] - np.arange(a.shape[-1], like=a)
    reach = (np.where(a != 0, side, 0) for side in (below, -below))
    return tuple(x.max(axis=(-2, -1)) if 0 not in a.shape[-2:] else x.sum(axis=(-2, -1)) for x in reach)


bandwidth.batch_leading(a=2)


@constant
def issymmetric(a, atol=None, rtol=None):
    """Return whether a matrix equals its transpose.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrix, or batch of matrices.
    atol, rtol : float, optional
        Absolute and relative tolerance, as in `numpy.allclose`. By default equality is exact.

    Returns
    -------
    answer : bool or ndarray of bools
        Answers. An array for a batch, and on a GPU, so that the device is not synchronized.

    Raises
    ------
    ValueError
        If `a` is not a square matrix.

    Notes
    -----
    See `scipy.linalg.issymmetric`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import linalg
    >>> print(linalg.issymmetric(np.array([[1.0, 2.0], [2.0, 3.0]])))
    True
    """
    return host("issymmetric")(a, atol, rtol) if _is_one_on_the_host(a) else _equal(a, a.mT, atol, rtol)


@constant
def ishermitian(a, atol=None, rtol=None):
    """Return whether a matrix equals its conjugate transpose.

    Parameters
    ----------
    a : (..., n, n) array_like
        Square matrix, or batch of matrices.
    atol, rtol : float, optional
        Absolute and relative tolerance, as in `numpy.allclose`. By default equality is exact.

    Returns
    -------
    answer : bool or ndarray of bools
        Answers. An array for a batch, and on a GPU, so that the device is not synchronized.

    Raises
    ------
    ValueError
        If `a` is not a square matrix.

    Notes
    -----
    See `scipy.linalg.ishermitian`.

    Examples
    --------
    >>> import numpy as np
    >>> from scigrad import linalg
    >>> print(linalg.ishermitian(np.array([[1.0, 2j], [-2j, 3.0]])))
    True
    """
    return host("ishermitian")(a, atol, rtol) if _is_one_on_the_host(a) else _equal(a, np.conjugate(a.mT), atol, rtol)


issymmetric.batch_leading(a=2)
ishermitian.batch_leading(a=2)


def _equal(a: Any, other: Any, atol: Any, rtol: Any) -> Any:
    if a.shape[-1] != a.shape[-2]:
        raise ValueError(f"Input array must be square, but has shape {a.shape}.")
    equal = np.isclose(a, other, rtol=rtol or 0, atol=atol or 0) if atol or rtol else a == other
    return equal.all(axis=(-2, -1))


__all__ = ["bandwidth", "ishermitian", "issymmetric"]
