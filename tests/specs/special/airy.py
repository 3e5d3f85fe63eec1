"""Airy and parabolic cylinder functions."""

from scigrad import special
from scigrad.testing.domains import over

specs = [
    over(special.airy, (-4, 3), plane=True, ends=([0.0],)),
    over(special.airye, (0.2, 4), plane=True),
    over(special.pbdv, (-2, 3), (-3, 3)),
    over(special.pbwa, [-1, 0, 2, 3], (-3, 3)),
    over(special.pbvv, (-2, 3), (-3, 3)),
]
