"""Beta functions and binomial coefficients."""

from scigrad import special
from scigrad.testing.domains import over

A, U = (0.5, 4), (0.1, 0.9)

specs = [
    over(special.beta, A, A),
    over(special.betaln, A, A),
    over(special.binom, (4, 6), (0.5, 3)),
    *(over(f, A, A, U, ends=(1.5, 0.7, [0.0, 1.0])) for f in (special.betainc, special.betaincc)),
    *(
        over(f, A, A, U, ends=(1.5, 0.7, [0.0, 1.0]))
        for f in (special.betaincinv, special.betainccinv)
    ),
    over(special.btdtria, U, A, U),
    over(special.btdtrib, A, U, U),
]
