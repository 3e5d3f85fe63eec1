"""Orthogonal polynomials of integer and of real degree."""

from scigrad import special
from scigrad.testing.domains import over

N, X, A, U = [0, 1, 3, 6], (-0.9, 0.9), (0.3, 2), (0.05, 0.95)
INTERVAL = (
    special.eval_chebyt,
    special.eval_chebyu,
    special.eval_chebyc,
    special.eval_chebys,
    special.eval_legendre,
)
SHIFTED = (special.eval_sh_chebyt, special.eval_sh_chebyu, special.eval_sh_legendre)

specs = [
    over(special.assoc_laguerre, (0.2, 4), (1.2, 4.7), A, error_samples=None),
    *(over(f, (1.2, 4.7), X, plane=True) for f in INTERVAL),
    *(over(f, (1.2, 4.7), U, plane=True) for f in SHIFTED),
    over(special.eval_laguerre, (1.2, 4.7), (0.2, 4), plane=True),
    over(special.eval_genlaguerre, (1.2, 4.7), A, (0.2, 4), plane=True),
    over(special.eval_gegenbauer, (1.2, 4.7), A, X, plane=True),
    over(special.eval_jacobi, (1.2, 4.7), A, A, X, plane=True),
    over(special.eval_sh_jacobi, (1.2, 4.7), (2, 3), (0.5, 1.4), U, plane=True),
    over(special.eval_hermite, N, X),
    over(special.eval_hermitenorm, N, X),
]
