"""The normal distribution, in every continuous argument."""

import numpy as np

from scigrad import special
from scigrad.testing.domains import over

X, U = (0.3, 4), (0.1, 0.9)
LINE = ([-np.inf, -40.0, 0.0, 40.0, np.inf],)

specs = [
    over(special.ndtr, (-3, 3), plane=True, ends=LINE),
    over(special.log_ndtr, (-3, 3), plane=True, ends=LINE),
    over(special.ndtri, U, ends=([0.0, 0.5, 1.0],)),
    over(special.ndtri_exp, (-4, -0.1), ends=([-np.inf, -1e4, 0.0],)),
    over(special.owens_t, (-2, 2), (-2, 2)),
    over(special.nrdtrimn, (0.6, 0.9), X, X),
    over(special.nrdtrisd, (0.1, 0.5), (0.6, 0.9), (1, 3)),
]
