"""Entropy and its relatives."""

import numpy as np

from .ufuncs import row


@row(lambda x, out: -np.log(x) - 1)
def entr(x):
    """Compute the entropy function ``-x log(x)``.

    0 at 0, -inf for negative x.

    Notes
    -----
    The derivative is ``-log(x) - 1``, infinite at 0 and nan below.

    Examples
    --------
    >>> from scigrad import grad, special
    >>> print(special.entr(0.5).round(12), grad(special.entr)(0.5).round(12))
    0.34657359028 -0.30685281944
    """


__all__ = ["entr"]
