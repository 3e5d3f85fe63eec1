"""Modified Bessel functions and Wright's in order and argument."""

from scigrad import special
from scigrad.testing.domains import over

V, X = (-0.4, 4), (0.3, 8)

specs = [
    *(over(f, V, X, plane=True) for f in (special.iv, special.kv, special.ive, special.kve)),
    *(over(f, X, ends=([0.0, -1.0],)) for f in (special.k0, special.k1, special.k0e, special.k1e)),
    over(special.kn, [0, 1, 2, 5], X),
    # second derivatives in a and b are beyond numerical_partial, which says nan: first ones are in
    # test_hard_arguments
    over(special.wright_bessel, [0, 1, 2], [1, 2, 3], (0.1, 2)),
    over(special.log_wright_bessel, [0, 1, 2], [1, 2, 3], (0.1, 2)),
]
