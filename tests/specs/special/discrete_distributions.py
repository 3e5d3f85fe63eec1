"""Counts as real numbers."""

from scigrad import special
from scigrad.testing.domains import over

N, P, U = (5.2, 8), (0.3, 0.6), (0.4, 0.8)

specs = [
    over(special.bdtrik, U, N, P, tolerance=1e-8), over(special.bdtrin, (1.2, 3), U, P, tolerance=1e-8),
    over(special.nbdtrik, U, N, P, tolerance=1e-8), over(special.nbdtrin, (2.2, 4), U, P, tolerance=1e-8),
    over(special.pdtrik, U, (2, 5), tolerance=1e-8),
]  # fmt: skip
