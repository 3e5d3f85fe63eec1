"""radial: functions of the length of vectors, against those of NumPy's norm. Derivatives of high
order, at 0 and near it, are in tests/linalg/test_radial.py.
"""

import numpy as np

from scigrad import linalg
from scigrad.testing import OpSpec


def matern(r):
    return (1 + r) * np.exp(-r)


def rational(r):
    return 1 / (1 + r * r)


def by_norm(f, x, axis=-1, *, keepdims=False):
    return f(np.linalg.norm(x, axis=axis, keepdims=keepdims))


def samples(draw):
    for f in (rational, matern):
        yield f.__name__, (f, draw.array(3)), {}
    yield "batch", (rational, draw.array(2, 3)), {}
    yield "another axis", (matern, draw.array(2, 3)), {"axis": 0}
    yield "all elements", (matern, draw.array(2, 3)), {"axis": None}
    yield "keepdims", (matern, draw.array(2, 3)), {"keepdims": True}
    yield "zeros", (rational, 0 * draw.array(2, 3)), {}


def errors(draw):
    yield "not elementwise", (np.sum, draw.array(2, 3)), {}, ValueError, "element by element"


specs = [
    OpSpec(function=linalg.radial, reference=by_norm, samples=samples, error_samples=errors,
           size=lambda draw, n: ((rational, draw.array(n)), {})),
]  # fmt: skip
