"""Exponential integrals, real and complex, and the dilogarithm."""

import numpy as np

from scigrad import special
from scigrad.testing.domains import over

specs = [
    over(special.exp1, (0.2, 4), plane=True, ends=([0.0, 50.0, np.inf],)),
    over(special.expi, (0.2, 4), plane=True, ends=([-2.0, 0.0, 50.0, np.inf],)),
    over(special.expn, [0, 1, 2, 5], (0.2, 4), ends=([0, 1, 2], [0.0, 1.0, 80.0])),
    over(special.spence, (0.2, 4), plane=True, ends=([0.0, 1.0, 1e3, -1.0],)),
]
