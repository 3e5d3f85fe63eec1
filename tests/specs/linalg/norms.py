"""norm."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def samples(draw):
    for order in (None, 1, 2, 3, 2.5, -1, np.inf, -np.inf):
        yield f"vector, {order}", (draw.array(4),), {"ord": order}
    for order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        yield f"matrix, {order}", (draw.array(3, 2),), {"ord": order}
    yield "rows", (draw.array(2, 3), None, 1), {"keepdims": True}
    yield "columns", (draw.array(2, 3), 3, 0), {"check_finite": False}
    yield "matrices", (draw.array(2, 3, 2), "nuc", (1, 0)), {"keepdims": True}
    yield "all of a batch", (draw.array(2, 3, 2),), {"keepdims": True}


def value_samples(draw):
    yield from samples(draw)
    yield "0", (0 * draw.array(3),), {}
    yield "count", (np.array([0.0, 1.0, 2.0]).astype(draw.dtype), 0), {}
    yield "large", (1e200 * draw.array(3).real.astype(np.float64),), {}


def errors(draw):
    yield "unknown", (draw.array(2, 2), "sum"), {}, ValueError, "(?i)invalid norm order"
    yield (
        "three axes",
        (draw.array(2, 2, 2), 2),
        {},
        ValueError,
        "(?i)improper number of dimensions",
    )
    yield "NaN", (draw.array(2) * np.nan,), {}, ValueError, "infs or NaNs"


specs = [
    OpSpec(
        function=linalg.norm,
        reference=scipy.linalg.norm,
        samples=value_samples,
        gradient_samples=samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.array(n, n),), {}),
    ),
]
