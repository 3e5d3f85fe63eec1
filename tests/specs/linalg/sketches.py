"""clarkson_woodruff_transform, with numbers as rng: every call makes the same sketch."""

import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def samples(draw):
    yield "rng", (draw.array(5, 3), 2), {"rng": 4}
    yield "seed", (draw.array(5, 2), 3), {"seed": 4}
    yield "batch", (draw.array(2, 4, 2), 3), {"rng": 1}
    yield "batch of batches", (draw.array(2, 2, 4, 1), 2), {"rng": 1}


specs = [
    OpSpec(
        function=linalg.clarkson_woodruff_transform,
        reference=scipy.linalg.clarkson_woodruff_transform,
        samples=samples,
        size=lambda draw, n: ((draw.array(n, n), n // 4 + 1), {"rng": 0}),
    ),
]
