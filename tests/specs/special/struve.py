"""Struve functions in order and argument."""

from scigrad import special
from scigrad.testing.domains import over

specs = [
    over(special.struve, (-0.4, 4), (0.3, 8)),
    over(special.modstruve, (-0.4, 4), (0.3, 8)),
    over(special.itstruve0, (0.3, 8)),
    over(special.it2struve0, (0.3, 8)),
    over(special.itmodstruve0, (0.3, 8)),
]
