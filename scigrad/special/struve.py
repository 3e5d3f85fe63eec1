"""Struve functions and integrals of those of order 0 (DLMF chapter 11). The order is differentiated numerically."""

import math
from typing import Any

import numpy as np

from .gamma import rgamma
from .numerical_partial import numerical_partial
from .ufuncs import row


def _slope(v: Any, x: Any, sign: int, formula: Any) -> Any:
    """Return the derivative by a formula for x > 0, and at 0 by the first terms of the power series (DLMF 11.2.1)."""
    at_zero = x == 0
    beside, half = np.where(at_zero, 1.0, x), np.where(at_zero, x, 1.0) / 2
    one, two = ((v + k) * rgamma(v + k + 0.5) for k in (1, 3))
    series = half**v / math.sqrt(math.pi) * (one + sign * 2 / 3 * half * half * two)
    return np.where(at_zero, series, formula(v, beside))


def _inhomogeneity(v: Any, x: Any) -> Any:
    return (x / 2) ** v * rgamma(v + 1.5) / math.sqrt(math.pi)


@row(
    lambda v, x, out: numerical_partial(struve, 0, v, x),
    lambda v, x, out: _slope(v, x, -1, lambda v, x: (struve(v - 1, x) - struve(v + 1, x) + _inhomogeneity(v, x)) / 2),
)
def struve(v, x):
    """Compute the Struve function.

    ``H_v(x)`` (DLMF 11.2.1). The derivative in x is ``(H_{v-1} - H_{v+1} + (x/2)^v/(sqrt(pi) Gamma(v + 3/2)))/2``
    (DLMF 11.4.27), for x > 0 or integer v; v is differentiated numerically.

    At 0.5, 1.5: 0.60538685, derivative 0.448042458 in x.
    """


@row(
    lambda v, x, out: numerical_partial(modstruve, 0, v, x),
    lambda v, x, out: _slope(v, x, 1, lambda v, x: (modstruve(v - 1, x) + modstruve(v + 1, x) + _inhomogeneity(v, x)) / 2),
)
def modstruve(v, x):
    """Compute the modified Struve function.

    ``L_v(x)`` (DLMF 11.2.2). The derivative in x is ``(L_{v-1} + L_{v+1} + (x/2)^v/(sqrt(pi) Gamma(v + 3/2)))/2``
    (DLMF 11.4.29), for x > 0 or integer v; v is differentiated numerically.

    At 0.5, 1.5: 0.881054314, derivative 1.093476949 in x.
    """


@row(lambda x, out: struve(0, x))
def itstruve0(x):
    """Compute the integral of the Struve function of order 0 from 0 to x.

    The derivative is ``H_0(x)``.

    At 1.5: 0.631863128, derivative 0.736723466.
    """


@row(lambda x, out: -np.where(x == 0, 2 / math.pi, struve(0, x) / np.where(x == 0, 1.0, x)))
def it2struve0(x):
    """Compute the integral of ``H_0(t)/t`` from x to infinity.

    The derivative is ``-H_0(x)/x``, for x > 0.

    At 1.5: 0.6912849, derivative -0.491148977.
    """


@row(lambda x, out: modstruve(0, x))
def itmodstruve0(x):
    """Compute the integral of the modified Struve function of order 0 from 0 to x.

    The derivative is ``L_0(x)``.

    At 1.5: 0.811282541, derivative 1.216162511.
    """


__all__ = ["it2struve0", "itmodstruve0", "itstruve0", "modstruve", "struve"]
