"""Legendre functions and spherical harmonics of every number of derivatives, single ones and all at
once.
"""

import numpy as np
import scipy.special

from scigrad import special
from scigrad.testing import OpSpec
from scigrad.testing.domains import over

N, M = np.array([0, 2, 3]), np.array([0, 1, -2])


def argument(draw, low, high):
    x = draw.uniform(low, high, 3)
    return (x + 1j * draw.uniform(-1, 1, 3)).astype(draw.dtype) if draw.is_complex else x


def legendre(n):
    def samples(draw):
        if draw.is_complex:
            return
        for diff_n in (0, 1, 2):
            yield f"diff_n={diff_n}", (n, argument(draw, -0.9, 0.9)), {"diff_n": diff_n}
        yield "number", (2, argument(draw, -0.9, 0.9)[1]), {}

    return samples


def associated(n, m):
    def samples(draw):
        for diff_n in (0, 1, 2):
            yield f"diff_n={diff_n}", (n, m, argument(draw, -0.9, 0.9)), {"diff_n": diff_n}
        yield "normalized", (n, m, argument(draw, -0.9, 0.9)), {"norm": True}
        yield "other cut", (n, m, argument(draw, 1.2, 3)), {"branch_cut": 3}

    return samples


def spherical(n, m, angles=1):
    def samples(draw):
        if not draw.is_complex:
            for diff_n in (0, 1, 2):
                given = [draw.uniform(0.3, 2.8, 3) for _ in range(angles)]
                yield f"diff_n={diff_n}", (n, m, *given), {"diff_n": diff_n}

    return samples


def spec(name, samples, **fields):
    return OpSpec(
        function=getattr(special, name),
        reference=getattr(scipy.special, name),
        samples=samples,
        **fields,
    )


specs = [
    over(special.lpmv, [0, 1, 2], (2.2, 4.7), (-0.8, 0.8)),
    spec("legendre_p", legendre(N)), spec("legendre_p_all", legendre(3)),
    spec("assoc_legendre_p", associated(N, M)), spec("assoc_legendre_p_all", associated(3, 2)),
    spec("sph_legendre_p", spherical(N, M)), spec("sph_legendre_p_all", spherical(3, 2)),
    spec("sph_harm_y", spherical(N, M, 2)), spec("sph_harm_y_all", spherical(3, 2, 2)),
]  # fmt: skip
