"""Ellipsoidal harmonics between and beyond the foci."""

import warnings

import numpy as np
import scipy.special

from scigrad import special
from scigrad.testing import OpSpec


def inside(draw):
    if not draw.is_complex:
        n, p = np.int16([1, 2, 2, 3]), np.int16([1, 1, 4, 2])
        yield (
            "vector",
            (draw.uniform(4, 5, 4), draw.uniform(8, 9, 4), n, p, draw.uniform(0.5, 1.5, 4)),
            {},
        )
        yield (
            "signs",
            (
                draw.uniform(4, 5)[()],
                draw.uniform(8, 9)[()],
                3,
                2,
                draw.uniform(0.5, 1.5, 2),
                -1,
                -1,
            ),
            {},
        )


def outside(draw):
    if not draw.is_complex:
        yield (
            "vector",
            (3, draw.uniform(8, 9, 2), np.int16([2, 3]), np.int16([3, 2]), draw.uniform(4, 6, 2)),
            {},
        )
        yield "number", (draw.uniform(3, 4)[()], 8, 1, 1, draw.uniform(4, 6)[()]), {}


def second_kind(*args):
    # SciPy warns of roundoff, in spite of its 15 digits
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return np.vectorize(scipy.special.ellip_harm_2, otypes=[float])(*args)


specs = [
    OpSpec(function=special.ellip_harm, reference=scipy.special.ellip_harm, samples=inside),
    OpSpec(function=special.ellip_harm_2, reference=second_kind, samples=outside),
]
