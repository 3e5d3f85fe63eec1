"""Robust losses."""

from typing import Any

import numpy as np

from scigrad.numpy.arithmetic import stated_derivative

from .ufuncs import row


@row(
    lambda delta, r, out: np.where(np.abs(r) <= delta, 0.0, np.abs(r) - delta),
    lambda delta, r, out: np.where(np.abs(r) <= delta, r, delta * np.sign(r)),
)
def huber(delta, r) -> Any:
    """Compute the Huber loss.

    ``r^2/2`` for ``|r| <= delta``, ``delta (|r| - delta/2)`` beyond. The derivative in r is r, and
    ``delta sign(r)`` beyond.

    Parameters
    ----------
    delta : array_like
        Residual at which the loss turns from quadratic to linear, at least 0.
    r : array_like
        Residual.

    At 0.7, 1.5: 0.805, derivative 0.7 in r.
    """


# a product of r and of delta / hypot(delta, r), the derivatives of which cancel far out
_slope_of_loss = stated_derivative(
    lambda delta, r: r * (delta / np.hypot(delta, r)),
    (lambda delta, r, out: r * (r / np.hypot(delta, r)) ** 2 / np.hypot(delta, r),
     lambda delta, r, out: delta * (delta / np.hypot(delta, r)) ** 2 / np.hypot(delta, r)),
)  # fmt: skip


@row(
    lambda delta, r, out: r * (r / np.hypot(delta, r)) * (r / (np.hypot(delta, r) + delta)) ** 2,
    lambda delta, r, out: _slope_of_loss(delta, r),
)
def pseudo_huber(delta, r) -> Any:
    """Compute the pseudo-Huber loss.

    ``delta^2 (sqrt(1 + (r/delta)^2) - 1)``. The derivative in r is ``r/sqrt(1 + (r/delta)^2)``.

    Parameters
    ----------
    delta : array_like
        Residual at which the loss turns from quadratic to linear, at least 0.
    r : array_like
        Residual.

    At 0.7, 1.5: 0.668706175, derivative 0.634328198 in r.
    """


__all__ = ["huber", "pseudo_huber"]
