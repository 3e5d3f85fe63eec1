"""gammaln (log |Gamma|, real) and digamma (real and complex)."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import scipy.special
from recording import Record, elementwise

# Small, around the zeros of gammaln (1 and 2) and of digamma (1.4616..., -0.5040...), moderate,
# large; halves exactly.
POSITIVE = [1e-300, 2.0**-60, 2.0**-20, 0.125, 0.5, 1 - 2.0**-20, 1.0, 1 + 2.0**-20, 1.46163214,
    1.5, 2 - 2.0**-22, 2.0, 2.5,
            3.0, 7.25, 12.75, 13.5, 33.0, 171.5, 1000.25, 2.0**20, 2.0**40, 1e10,
            1e100]  # fmt: skip
NEGATIVE = [
    -(2.0**-40),
    -0.25,
    -0.50408301,
    -0.5,
    -0.75,
    -1.5,
    -2 + 2.0**-20,
    -2.25,
    -3.5,
    -10.25,
    -19.875,
    -33.0625,
    -100.5,
]
COMPLEX = [1 + 1j, 0.5 - 0.25j, -1.5 + 0.5j, -20.5 + 0.125j, 1e-3j, 3 + 40j, 1000 - 7j, -7.75 - 30j]


def log_abs_gamma(x: mp.mpf) -> mp.mpf:
    return mp.log(abs(mp.gamma(x))) if x < 1e8 else mp.loggamma(x)


def records() -> list[Record]:
    real = np.array([*POSITIVE, *NEGATIVE])
    ordinary = real[(abs(real) > 1e-200) & (abs(real) < 1e50)]
    return [
        elementwise("gammaln", "real", scipy.special.gammaln, log_abs_gamma, real, orders=0),
        elementwise("gammaln", "derivatives", scipy.special.gammaln, log_abs_gamma, ordinary),
        elementwise("digamma", "real", scipy.special.digamma, mp.digamma, ordinary),
        elementwise("digamma", "complex", scipy.special.digamma, mp.digamma, COMPLEX),
    ]
