"""The error function and its complement (DLMF chapter 7)."""

from __future__ import annotations

import math

import numpy as np

from .ufuncs import library_values, ufunc

_SLOPE = 2 / math.sqrt(math.pi)


@ufunc
def erf(z):
    """Compute the error function.

    ``2/sqrt(pi) int_0^z exp(-t^2) dt`` (DLMF 7.2.1).

    Notes
    -----
    The derivative is ``2/sqrt(pi) exp(-z^2)`` (DLMF 7.10.1).

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.erf(0.5).round(12), grad(special.erf)(0.0).round(12))
    0.520499877813 1.128379167096
    """
    return library_values("erf", z)


@ufunc
def erfc(z):
    """Compute the complementary error function.

    ``1 - erf(z)`` (DLMF 7.2.2), without cancellation for large positive z.

    Notes
    -----
    The derivative is ``-2/sqrt(pi) exp(-z^2)``.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.erfc(2.0).round(12), grad(special.erfc)(2.0).round(12))
    0.004677734981 -0.020666985354
    """
    return library_values("erfc", z)


def _gaussian(z):
    """Return exp(-z^2) with derivatives 0 at infinity.

    For |x| > 1000 the function has underflowed, so that x may be clipped there.
    """
    return np.exp(-z * z) if z.dtype.kind == "c" else np.exp(-np.square(np.clip(z, -1000.0, 1000.0)))


@erf.partials
def _(call):
    return (lambda: _SLOPE * _gaussian(call.z),)


@erfc.partials
def _(call):
    return (lambda: -_SLOPE * _gaussian(call.z),)


__all__ = ["erf", "erfc"]
