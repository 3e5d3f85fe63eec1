"""Elliptic integrals."""

import numpy as np

from scigrad import special
from scigrad.testing.domains import over

P = (0.3, 2.5)

specs = [
    over(special.ellipj, (-3, 3), (0.1, 0.9), ends=([0.0, 1.0], [0.0, 1.0])),
    over(special.ellipk, (-2, 0.9), ends=([-np.inf, 0.0, 1.0, 2.0],)),
    over(special.ellipkm1, (0.1, 2), ends=([0.0, 1.0],)),
    over(special.ellipe, (-2, 0.9), ends=([0.0, 1.0, 2.0],)),
    over(special.ellipkinc, (-8, 8), (-2, 0.9)),
    over(special.ellipeinc, (-8, 8), (-2, 0.9)),
    over(special.elliprc, P, P, plane=True),
    over(special.elliprf, P, P, P, plane=True),
    over(special.elliprg, P, P, P, plane=True),
    over(special.elliprd, P, P, P, plane=True),
    over(special.elliprj, P, P, P, P, error_samples=None),
    over(special.agm, P, P, ends=([0.0, 1.0], [1.0, 1.0])),
]
