"""Hypergeometric functions in all of their arguments."""

from scigrad import special
from scigrad.testing.domains import over

specs = [
    over(special.hyp0f1, (0.5, 3), (-3, 3), plane=True),
    over(special.hyp1f1, (0.5, 3), (0.5, 3), (-3, 3), plane=True),
    over(special.hyperu, (0.5, 3), (0.5, 3), (0.5, 3)),
    over(special.hyp2f1, (0.5, 3), (0.5, 3), (0.5, 3), (-2, 0.7), plane=True),
]
