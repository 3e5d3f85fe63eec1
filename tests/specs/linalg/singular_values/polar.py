"""polar, orthogonal_procrustes. Singular matrices are in tests/linalg/test_polar.py."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def polar_samples(draw):
    for m, n in ((3, 2), (2, 3), (3, 3)):
        for side in ("right", "left"):
            yield f"{side}, {m} x {n}", (draw.array(m, n), side), {}
    yield "equal singular values", (2 * draw.unitary(3),), {}
    yield "batch", (draw.array(2, 3, 2),), {"side": "right"}
    yield "batch, left", (draw.array(2, 2, 2),), {"side": "left"}


def polar_value_samples(draw):
    yield from polar_samples(draw)
    yield "one number", (draw.array(1, 1),), {}


def polar_errors(draw):
    yield "unknown side", (draw.array(2, 2), "both"), {}, ValueError, "either 'right' or 'left'"
    yield "a vector", (draw.array(2),), {}, ValueError, "2-D array"
    yield "NaN", (draw.array(2, 2) * float("nan"),), {}, ValueError, "infs or NaNs"
    yield (
        "unknown policy",
        (draw.array(2, 2),),
        {"on_fail": "ignore"},
        ValueError,
        "on_fail must be one of",
    )


def procrustes_samples(draw):
    def a(n, *batch):
        return draw.well_conditioned(n, batch)

    yield "square", (a(3), a(3)), {}
    yield (
        "tall",
        (np.concatenate([a(2), a(2)]), np.concatenate([a(2), a(2) / 4])),
        {"check_finite": False},
    )
    yield "batch of A", (a(2, 2), a(2)), {}


def procrustes_errors(draw):
    yield "shapes", (draw.array(3, 2), draw.array(2, 2)), {}, ValueError, "shapes of A and B differ"
    yield (
        "shapes in a batch",
        (draw.array(2, 3, 2), draw.array(2, 2)),
        {},
        ValueError,
        "shapes of A and B differ",
    )
    yield "NaN", (draw.array(3, 2) * float("nan"), draw.array(3, 2)), {}, ValueError, "infs or NaNs"


specs = [
    OpSpec(
        function=linalg.polar,
        reference=scipy.linalg.polar,
        samples=polar_value_samples,
        gradient_samples=polar_samples,
        error_samples=polar_errors,
        size=lambda draw, n: ((draw.array(n, n),), {}),
    ),
    OpSpec(
        function=linalg.orthogonal_procrustes,
        reference=scipy.linalg.orthogonal_procrustes,
        samples=procrustes_samples,
        error_samples=procrustes_errors,
        size=lambda draw, n: ((draw.array(n, n), draw.array(n, n)), {}),
    ),
]
