"""Distribution functions and their inverses, in every continuous argument."""

import numpy as np

from scigrad import special
from scigrad.testing.domains import over

A, X, U = (1.0, 5), (0.3, 4), (0.1, 0.9)

specs = [
    *(over(f, A, X) for f in (special.chdtr, special.chdtrc)),
    over(special.chdtri, A, U),
    over(special.chdtriv, (0.3, 0.7), (2, 4)),
    *(over(f, X, A, X) for f in (special.gdtr, special.gdtrc)),
    over(special.gdtria, U, A, X),
    over(special.gdtrib, X, (0.3, 0.7), (2, 4)),
    over(special.gdtrix, X, A, U),
    *(over(f, A, A, X) for f in (special.fdtr, special.fdtrc)),
    over(special.fdtri, A, A, U),
    # finite differences of root searches are noisy, most where many degrees of freedom come near
    # the limit distribution; the derivatives against mpmath are in test_hard_arguments
    over(special.fdtridfd, [3], (0.22, 0.24), (0.48, 0.56), tolerance=1e-6),
    over(special.stdtr, A, (-3, 3), ends=(2.5, [-np.inf, 0.0, np.inf])),
    over(special.stdtrit, A, U),
    over(special.stdtridf, (0.22, 0.25), (-0.95, -0.85), tolerance=1e-6),
]
