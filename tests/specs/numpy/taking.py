"""take: elements by their numbers."""

import numpy as np

import scigrad.numpy as snp
from scigrad.testing import OpSpec

from .indexing import ROWS


def take_samples(draw):
    yield "flattened", (draw.array(2, 3), [5, -1, 0]), {}
    yield "axis", (draw.array(2, 3), ROWS, 0), {}
    yield "matrix of positions", (draw.array(2, 3, 2), ROWS.reshape(5, 1), 1), {}
    yield "one", (draw.array(2, 3), 1), {"axis": -1}
    yield "wrapped", (draw.array(3), [7, -9]), {"mode": "wrap"}
    yield "clipped", (draw.array(2, 3), [7, -9]), {"axis": 1, "mode": "clip"}
    yield "none", (draw.array(2, 3), np.zeros(0, int), 1), {}


def take_errors(draw):
    yield "beyond", (np.ones(3), 3), {}, IndexError, "out of bounds"
    yield "axis", (np.ones(3), 0, 1), {}, np.exceptions.AxisError, "out of bounds"


specs = [
    OpSpec(function=snp.take, reference=np.take, samples=take_samples, error_samples=take_errors),
]
