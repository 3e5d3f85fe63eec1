"""Zeta functions in exponent and shift."""

from scigrad import special
from scigrad.testing.domains import over

specs = [
    over(special.zeta, (1.5, 8), plane=True),
    over(special.zeta, (1.5, 8), (0.4, 4), error_samples=None),
    over(special.zetac, (1.5, 8), ends=([-3.5, 0.0, 1.0, 40.0],)),
]
