"""Entropy and relative entropies."""

from typing import Any

import numpy as np

from .ufuncs import row


@row(lambda x, out: -np.log(x) - 1)
def entr(x) -> Any:
    """Compute the entropy function ``-x log(x)``.

    0 at 0, -inf for negative x.

    Parameters
    ----------
    x : array_like
        Probability, or another nonnegative number.

    Notes
    -----
    The derivative is ``-log(x) - 1``, infinite at 0 and nan below.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.entr(0.5).round(12), grad(special.entr)(0.5).round(12))
    0.34657359028 -0.30685281944
    """


def _log_of_ratio(x: Any, y: Any) -> Any:
    """Return log(x/y), by a difference where the ratio is not in the range of numbers."""
    ratio = x / y
    inside = (ratio >= np.finfo(ratio.dtype).tiny) & np.isfinite(ratio) | (x == 0) | (y == 0)
    apart = np.log(np.where(inside, 1.0, x)) - np.log(np.where(inside, 1.0, y))
    return np.where(inside, np.log(np.where(inside, ratio, 1.0)), apart)[()]


@row(lambda x, y, out: _log_of_ratio(x, y) + 1, lambda x, y, out: -x / y)
def rel_entr(x, y) -> Any:
    """Compute the relative entropy ``x log(x/y)``.

    0 for x = 0 <= y, inf outside of the domain. Derivatives are ``log(x/y) + 1`` and ``-x/y``.

    Parameters
    ----------
    x : array_like
        Probability, or another nonnegative number.
    y : array_like
        Reference probability, or another nonnegative number.

    At 1.5, 0.7: 1.143210078, derivative -2.142857143 in y.
    """


@row(lambda x, y, out: _log_of_ratio(x, y), lambda x, y, out: 1 - x / y)
def kl_div(x, y) -> Any:
    """Compute the Kullback-Leibler divergence ``x log(x/y) - x + y``.

    y for x = 0 <= y, inf outside of the domain. Derivatives are ``log(x/y)`` and ``1 - x/y``.

    Parameters
    ----------
    x : array_like
        Probability, or another nonnegative number.
    y : array_like
        Reference probability, or another nonnegative number.

    At 1.5, 0.7: 0.343210078, derivative -1.142857143 in y.
    """


__all__ = ["entr", "kl_div", "rel_entr"]
