"""Bessel functions in order and argument; scaled ones are holomorphic on the real line only,
Hankel's everywhere.
"""

from scigrad import special
from scigrad.testing.domains import over

V, X = (-0.4, 4), (0.3, 8)

specs = [
    *(
        over(f, V, X, plane=True)
        for f in (special.jv, special.yv, special.hankel1, special.hankel2)
    ),
    *(over(f, V, X, plane=True) for f in (special.hankel1e, special.hankel2e)),
    *(over(f, V, X, plane=True) for f in (special.jve, special.yve)),
    over(special.y0, X, ends=([0.0, -1.0],)),
    over(special.y1, X, ends=([0.0, -1.0],)),
    over(special.yn, [0, 1, 2, 5], X),
]
