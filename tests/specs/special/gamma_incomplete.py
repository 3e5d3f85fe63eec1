"""Incomplete gamma functions and Pochhammer's symbol."""

from scigrad import special
from scigrad.testing.domains import over

A, X = (0.5, 4), (0.3, 5)

specs = [
    over(special.gammainc, A, X, ends=([0.0, 1.0, 2.0], 0.0)),
    over(special.gammaincc, A, X, ends=([0.0, 1.0, 2.0], 0.0)),
    over(special.gammaincinv, A, (0.1, 0.9), ends=(1.5, [0.0, 1.0, 2.0])),
    over(special.gammainccinv, A, (0.1, 0.9), ends=(1.5, [0.0, 1.0, 2.0])),
    over(special.poch, A, (-0.3, 3), ends=(0.0, [0.0, 2.0])),
]
