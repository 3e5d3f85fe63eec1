"""cosm, sinm, tanm, coshm, sinhm, tanhm."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def samples(draw):
    yield "general", (0.4 * draw.array(3, 3),), {}
    yield "larger", (1.2 * draw.array(2, 2),), {}
    yield "defective", (0.5 * np.eye(3, dtype=draw.dtype) + np.diag(np.ones(2, draw.dtype), 1),), {}
    yield "zero", (np.zeros((2, 2), draw.dtype),), {}
    yield "batch", (0.5 * draw.array(2, 2, 2),), {}


def value_samples(draw):
    yield from samples(draw)
    yield "one number", (draw.array(1, 1),), {}
    yield "empty", (draw.array(0, 0),), {}


def errors(draw):
    yield "not square", (draw.array(2, 3),), {}, ValueError, "expected square array_like input"
    yield "vector", (draw.array(3),), {}, ValueError, "expected square array_like input"


specs = [
    OpSpec(
        function=getattr(linalg, name),
        reference=getattr(scipy.linalg, name),
        samples=value_samples,
        gradient_samples=samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.array(n, n) / np.sqrt(n),), {}),
    )
    for name in ("cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm")
]
