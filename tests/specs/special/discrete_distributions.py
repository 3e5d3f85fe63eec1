"""Distribution functions of counts, and inverses that give counts as real numbers."""

from scigrad import special
from scigrad.testing.domains import over

N, P, U = (5.2, 8), (0.3, 0.6), (0.4, 0.8)
K, TRIALS = [0, 1, 2, 3], [6, 5, 4, 7]

specs = [
    *(over(f, K, TRIALS, (0.1, 0.9)) for f in (special.bdtr, special.bdtrc, special.bdtri)),
    *(over(f, K, TRIALS, (0.1, 0.9)) for f in (special.nbdtr, special.nbdtrc, special.nbdtri)),
    *(over(f, K, (0.3, 4)) for f in (special.pdtr, special.pdtrc)),
    over(special.pdtri, K, (0.1, 0.9)),
    over(special.bdtrik, U, N, P),
    over(special.bdtrin, (1.2, 3), U, P),
    over(special.nbdtrik, U, N, P),
    over(special.nbdtrin, (2.2, 4), U, P),
    over(special.pdtrik, U, (2, 5)),
]
