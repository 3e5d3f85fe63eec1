"""Elementary functions in forms that do not cancel."""

import numpy as np

from scigrad import special
from scigrad.testing.domains import over

X, ZERO = (0.3, 2), ([-0.0, 0.0, np.inf],)

specs = [
    over(special.sinc, (-2, 2), plane=True, ends=([0.0, 1.0],)),
    over(special.round, (0.6, 1.4), ends=([-1.5, 0.5, 2.5, np.inf],)),
    *(over(f, X, ends=ZERO) for f in (special.cbrt, special.exp2, special.exp10, special.cosm1)),
    over(special.exprel, (-2, 2), ends=ZERO),
    over(special.expm1, X, plane=True, ends=ZERO),
    over(special.log1p, X, plane=True, ends=ZERO),
    over(special.powm1, X, X),
    over(special.xlogy, X, X, plane=True, ends=(0.0, [0.0, 1.0])),
    over(special.xlog1py, X, X, plane=True, ends=(0.0, [-1.0, 1.0])),
    *(over(f, (20, 70)) for f in (special.sindg, special.cosdg, special.tandg, special.cotdg)),
    over(
        special.diric,
        (-7, 7),
        [1, 2, 3, 6],
        ends=([0.0, 2 * np.pi, 1.0], [1, 2, 0]),
        error_samples=None,
    ),
    over(special.radian, (0, 90), (0, 60), (0, 60)),
]
