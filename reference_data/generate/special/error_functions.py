"""erf, of real and complex argument."""

from __future__ import annotations

import mpmath as mp
import scipy.special
from recording import Record, elementwise

REAL = [
    0.0,
    1e-310,
    2.0**-60,
    2.0**-20,
    0.125,
    0.46875,
    0.5,
    0.75,
    1.0,
    1.5,
    2.0,
    3.0,
    3.75,
    4.0,
    5.875,
    6.5,
    26.0,
    1e10,
]
# On both axes, where the imaginary axis grows like exp(y^2), on the diagonal, where it oscillates,
# and far out.
COMPLEX = [0j, 1e-10 + 1e-10j, 0.5 + 0.25j, 1 + 1j, -3 + 0.5j, 0.125j, 1e-8 + 2j, 10j, 26j, 5 + 5j,
    -5 + 5j, 1 - 20j, 30 + 1j,
           2 - 2.5j, 0.5 - 6j]  # fmt: skip


def records() -> list[Record]:
    real = [*REAL, *(-x for x in REAL[1:])]
    return [
        elementwise("erf", "real", scipy.special.erf, mp.erf, real),
        elementwise("erf", "complex", scipy.special.erf, mp.erf, COMPLEX),
    ]
