"""Hypergeometric functions (DLMF chapters 13, 15 and 16). Parameters are differentiated numerically, see numerical_partial."""

from __future__ import annotations

from .numerical_partial import beside_poles, numerical_partial
from .ufuncs import row


@row(lambda v, z, out: numerical_partial(hyp0f1, 0, v, z, scale=beside_poles), lambda v, z, out: hyp0f1(v + 1, z) / v)
def hyp0f1(v, z):
    """Compute the confluent hypergeometric limit function.

    ``sum_k z^k / ((v)_k k!)``. The derivative in z is ``hyp0f1(v + 1, z)/v``; v is differentiated numerically.

    At 1.5, 0.5: 1.368298872, derivative 0.809884685 in z.
    """


@row(
    lambda a, b, x, out: numerical_partial(hyp1f1, 0, a, b, x),
    lambda a, b, x, out: numerical_partial(hyp1f1, 1, a, b, x, scale=beside_poles),
    lambda a, b, x, out: a / b * hyp1f1(a + 1, b + 1, x),
)
def hyp1f1(a, b, x):
    """Compute Kummer's confluent hypergeometric function.

    ``sum_k (a)_k x^k / ((b)_k k!)`` (DLMF 13.2.2), for real or complex x. The derivative in x is ``a/b hyp1f1(a + 1, b + 1, x)``
    (DLMF 13.3.15); a and b are differentiated numerically.

    At 1.5, 2.0, 0.5: 1.465927199, derivative 1.142406443 in x.
    """


@row(
    lambda a, b, x, out: numerical_partial(hyperu, 0, a, b, x),
    lambda a, b, x, out: numerical_partial(hyperu, 1, a, b, x),
    lambda a, b, x, out: -a * hyperu(a + 1, b + 1, x),
)
def hyperu(a, b, x):
    """Compute Tricomi's confluent hypergeometric function U.

    DLMF 13.2.6, for real x > 0. The derivative in x is ``-a hyperu(a + 1, b + 1, x)`` (DLMF 13.3.22); a and b are differentiated
    numerically, with the noise of SciPy's values (1e-9 in places) amplified.

    At 1.5, 2.0, 0.5: 1.597752595, derivative -3.831191674 in x.
    """


@row(
    lambda a, b, c, z, out: numerical_partial(hyp2f1, 0, a, b, c, z),
    lambda a, b, c, z, out: numerical_partial(hyp2f1, 1, a, b, c, z),
    lambda a, b, c, z, out: numerical_partial(hyp2f1, 2, a, b, c, z, scale=beside_poles),
    lambda a, b, c, z, out: a * b / c * hyp2f1(a + 1, b + 1, c + 1, z),
)
def hyp2f1(a, b, c, z):
    """Compute Gauss's hypergeometric function.

    ``sum_k (a)_k (b)_k z^k / ((c)_k k!)`` (DLMF 15.2.1), real or complex z. The derivative in z is
    ``a b/c hyp2f1(a + 1, b + 1, c + 1, z)`` (DLMF 15.5.1); a, b and c are differentiated numerically.

    At 1.5, 2.0, 2.5, 0.5: 2.260648559, derivative 5.218054323 in z.
    """


__all__ = ["hyp0f1", "hyp1f1", "hyp2f1", "hyperu"]
