"""Mathieu functions, angular ones in degrees."""

from scigrad import special
from scigrad.testing.domains import over

# values of radial functions for small q have noise of 1e-8
M, Q, LARGE = [1, 2, 3, 4], (0.4, 3), (8, 12)

specs = [
    over(special.mathieu_a, [0, 1, 2, 5], Q), over(special.mathieu_b, M, Q),
    over(special.mathieu_cem, [0, 1, 2, 5], Q, (5, 85)), over(special.mathieu_sem, M, Q, (5, 85)),
    *(over(f, M, LARGE, (0.4, 1.2)) for f in (special.mathieu_modcem1, special.mathieu_modcem2)),
    *(over(f, M, LARGE, (0.4, 1.2)) for f in (special.mathieu_modsem1, special.mathieu_modsem2)),
]  # fmt: skip
