"""Questions about matrices, whose answers have no derivative: bandwidth, issymmetric, ishermitian."""

from __future__ import annotations

from typing import Any

import numpy as np

from scigrad.autodiff_rules import constant
from scigrad.autodiff_rules.backends import library

from ..foundation.lapack import host


def _is_one_on_the_host(a: Any) -> bool:
    """Whether SciPy answers; for an empty batch it does not."""
    return library(a) == "numpy" and (np.ndim(a) <= 2 or 0 not in np.shape(a)[:-2])


@constant
def bandwidth(a):
    """How far the elements that are not 0 reach below and above the diagonal.

    Parameters
    ----------
    a : (..., m, n)

    Returns
    -------
    lower, upper : integers; arrays of them for a batch and on a GPU, where nothing waits

    See scipy.linalg.bandwidth.
    """
    if _is_one_on_the_host(a):
        return tuple(host("bandwidth")(a))
    below = np.arange(a.shape[-2], like=a)[:, None] - np.arange(a.shape[-1], like=a)
    reach = (np.where(a != 0, side, 0) for side in (below, -below))
    return tuple(x.max(axis=(-2, -1)) if 0 not in a.shape[-2:] else x.sum(axis=(-2, -1)) for x in reach)


bandwidth.batch_leading(a=2)


@constant
def issymmetric(a, atol=None, rtol=None):
    """Whether a matrix equals its transpose.

    Parameters
    ----------
    a : (..., n, n)
    atol, rtol : the difference that is allowed, as of numpy.allclose (None: none)

    Returns
    -------
    answer : bool; an array of them for a batch and on a GPU, where nothing waits

    Raises
    ------
    ValueError : a is no square matrix

    See scipy.linalg.issymmetric.
    """
    return host("issymmetric")(a, atol, rtol) if _is_one_on_the_host(a) else _equal(a, a.mT, atol, rtol)


@constant
def ishermitian(a, atol=None, rtol=None):
    """Whether a matrix equals its conjugate transpose.

    Parameters, results and exceptions as issymmetric. See scipy.linalg.ishermitian.
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
