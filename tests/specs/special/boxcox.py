"""Box and Cox's transformations and Tukey's lambda distribution, through exponent 0."""

from scigrad import special
from scigrad.testing.domains import over

X, L = (0.3, 3), (-1.5, 1.5)

specs = [
    over(special.boxcox, X, L, ends=(1.5, [0.0, 1e-9])),
    over(special.boxcox1p, X, L, ends=(1.5, [0.0, 1e-9])),
    over(special.inv_boxcox, (0.1, 0.6), L, ends=(1.5, [0.0, 1e-9])),
    over(special.inv_boxcox1p, (0.1, 0.6), L, ends=(1.5, [0.0])),
    over(special.tklmbda, (-1, 1), (0.2, 0.9)),
]
