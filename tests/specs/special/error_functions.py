"""Error functions, real and complex."""

import numpy as np

from scigrad import special
from scigrad.testing.domains import over

LINE = ([-np.inf, -30.0, -4.0, 0.0, 5.0, 30.0, np.inf],)

specs = [
    over(special.erf, (-3, 3), plane=True, ends=LINE),
    over(special.erfc, (-3, 3), plane=True, ends=LINE),
    over(special.erfcx, (-3, 3), plane=True, ends=LINE),
    over(special.erfi, (-2, 2), plane=True, ends=LINE),
    over(special.dawsn, (-3, 3), plane=True, ends=LINE),
    over(special.wofz, (-3, 3), plane=True, ends=LINE),
    over(special.erfinv, (-0.95, 0.95), ends=([-1.0, 0.0, 1.0, 2.0],)),
    over(special.erfcinv, (0.05, 1.95), ends=([0.0, 1.0, 2.0, -1.0],)),
    over(special.voigt_profile, (-2, 2), (0.5, 2), (0.5, 2), ends=([0.3, 1.0], 1.0, [0.0, 1.0])),
]
