"""Kelvin functions."""

from scigrad import special
from scigrad.testing.domains import over

specs = [
    over(special.kelvin, (0.3, 6)),
    *(
        over(f, (0.3, 6), ends=([0.0],))
        for f in (special.ber, special.bei, special.berp, special.beip)
    ),
    *(over(f, (0.3, 6)) for f in (special.ker, special.kei, special.kerp, special.keip)),
]
