"""Relative entropies and robust losses."""

from scigrad import special
from scigrad.testing.domains import over

P, ENDS = (0.3, 3), ([0.0, 1.0, -1.0], [1.0, 0.0, 1.0])

specs = [
    over(special.rel_entr, P, P, ends=ENDS), over(special.kl_div, P, P, ends=ENDS),
    over(special.huber, (0.8, 1), (-0.7, 0.7), ends=([1.0, 1.0, -1.0], [0.5, -3.0, 1.0])),
    over(special.pseudo_huber, P, (-3, 3), ends=([1.0, 0.0], [0.0, 1.0])),
]  # fmt: skip
