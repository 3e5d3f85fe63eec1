"""Kolmogorov's and Smirnov's distributions, on both sides of the change of series."""

import numpy as np

from scigrad import special
from scigrad.testing.domains import over

U = (0.1, 0.9)

specs = [
    over(special.kolmogorov, (0.4, 2.2), ends=([0.0, 0.1, np.inf],)), over(special.kolmogi, U),
    over(special.smirnov, [3, 5, 8], (0.35, 0.9)), over(special.smirnovi, [3, 5, 8], (0.05, 0.2)),
]  # fmt: skip
