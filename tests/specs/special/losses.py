"""Robust losses."""

from scigrad import special
from scigrad.testing.domains import over

specs = [
    over(special.huber, (0.8, 1), (-0.7, 0.7), ends=([1.0, 1.0, -1.0], [0.5, -3.0, 1.0])),
    over(special.pseudo_huber, (0.3, 3), (-3, 3), ends=([1.0, 0.0], [0.0, 1.0])),
]  # fmt: skip
