"""Legendre functions (DLMF chapter 14)."""

from __future__ import annotations

from .numerical_partial import numerical_partial
from .ufuncs import row


@row(
    None,
    lambda m, v, x, out: numerical_partial(lpmv, 1, m, v, x),
    lambda m, v, x, out: (v * x * out - (v + m) * lpmv(m, v - 1, x)) / (x * x - 1),
)
def lpmv(m, v, x):
    """Compute the associated Legendre function of the first kind of integer order m and real degree v, for -1 < x < 1.

    ``P_v^m(x)`` (DLMF 14.3.1). The derivative in x is ``(v x P_v^m - (v + m) P_{v-1}^m)/(x^2 - 1)`` (DLMF 14.10.5); v is
    differentiated numerically.

    Parameters
    ----------
    m : array_like of ints
        Order.
    v : array_like
        Degree.

    At 1, 2.5, 0.3: -0.129229994, derivative -4.29553038 in x.
    """


__all__ = ["lpmv"]
