"""Chebyshev polynomials of the third and fourth kind, against their trigonometric form."""

import numpy as np

from scigrad import special
from scigrad.testing.domains import over


def trigonometric(f, shifted):
    def value(n, x):
        theta = np.arccos((2 * np.asarray(x) - 1 if shifted else np.asarray(x)) + 0j)
        found = f((n + 0.5) * theta) / f(theta / 2)
        return found if np.iscomplexobj(x) else found.real

    return value


N, X, U = (1.2, 4.7), (-0.9, 0.9), (0.05, 0.95)

specs = [
    over(special.eval_chebyv, N, X, plane=True, reference=trigonometric(np.cos, False)),
    over(special.eval_chebyw, N, X, plane=True, reference=trigonometric(np.sin, False)),
    over(
        special.eval_sh_chebyv, [0, 1, 4, 5], U, plane=True, reference=trigonometric(np.cos, True)
    ),
    over(
        special.eval_sh_chebyw, [0, 1, 4, 5], U, plane=True, reference=trigonometric(np.sin, True)
    ),
]
