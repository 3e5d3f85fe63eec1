"""Spheroidal wave functions; those of the second kind where SciPy's values satisfy the
Wronskian.
"""

from scigrad import special
from scigrad.testing.domains import over

M, N, C, X = [0, 1, 1, 2], [1, 2, 3, 3], (0.8, 3), (-0.8, 0.8)

specs = [
    over(special.pro_cv, M, N, C), over(special.obl_cv, M, N, C),
    over(special.pro_ang1, M, N, C, X), over(special.obl_ang1, M, N, C, X),
    over(special.pro_rad1, M, N, (2.5, 4), (2, 4)), over(special.obl_rad1, M, N, (2.5, 4), (2, 5)),
    over(special.pro_rad2, M, N, (3, 4), (4, 5)), over(special.obl_rad2, M, N, (3, 4), (5, 6)),
]  # fmt: skip
