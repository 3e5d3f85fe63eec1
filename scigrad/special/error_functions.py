"""The error function and its complement (DLMF chapter 7)."""

from __future__ import annotations

import math

import numpy as np

from .ufuncs import library_values, ufunc

_SLOPE = 2 / math.sqrt(math.pi)


@ufunc
def erf(z):
    """Error function, real or complex: 2/sqrt(pi) times the integral of exp(-t^2) from 0 to z.

    Its derivative is 2/sqrt(pi) exp(-z^2) (DLMF 7.10.1). See scipy.special.erf.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.erf(0.5).round(12), grad(special.erf)(0.0).round(12))
    0.520499877813 1.128379167096
    """
    return library_values("erf", z)


@ufunc
def erfc(z):
    """Complementary error function 1 - erf(z), real or complex, without cancellation for large positive z.

    Its derivative is -2/sqrt(pi) exp(-z^2). See scipy.special.erfc.
    """
    return library_values("erfc", z)


def _gaussian(z):
    """exp(-z^2), with derivatives 0 at infinity: past |x| = 1000 everything has underflowed, so x may stop there."""
    return np.exp(-z * z) if z.dtype.kind == "c" else np.exp(-np.square(np.clip(z, -1000.0, 1000.0)))


@erf.partials
def _(call):
    return (lambda: _SLOPE * _gaussian(call.z),)


@erfc.partials
def _(call):
    return (lambda: -_SLOPE * _gaussian(call.z),)


__all__ = ["erf", "erfc"]
