"""solve_circulant."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def dominant(draw, *shape, axis=-1):
    """First columns whose eigenvalues are far from 0."""
    c = 0.4 * draw.array(*shape)
    c[(slice(None),) * (axis % len(shape)) + (0,)] += 3
    return c.astype(draw.dtype)


def samples(draw):
    yield "vector", (dominant(draw, 4), draw.array(4)), {}
    yield "odd, matrix", (dominant(draw, 3), draw.array(3, 2)), {"outaxis": -1}
    yield (
        "axes",
        (dominant(draw, 3, 2, axis=0), draw.array(2, 3)),
        {"caxis": 0, "baxis": -1, "outaxis": -1},
    )
    yield "broadcast", (dominant(draw, 2, 1, 3), draw.array(2, 3)), {"baxis": -1}
    yield "given tol", (dominant(draw, 3), draw.array(3)), {"tol": 0.1}
    yield "real matrix, any b", (dominant(draw, 3).real, draw.array(3)), {}
    yield "one number", (dominant(draw, 1), draw.array(1)), {"singular": "lstsq"}


def gradient_samples(draw):
    yield from samples(draw)
    c = np.real(np.fft.ifft([3, 2, 0.2, 2])).astype(draw.dtype)
    yield "cut off", (c, draw.array(4)), {"singular": "lstsq", "tol": 1.0}
    yield "on_fail=nan", (dominant(draw, 2, 3), draw.array(3)), {"on_fail": "nan", "baxis": -1}
    yield "on_fail=info", (dominant(draw, 3), draw.array(3)), {"on_fail": "info"}


def values(draw):
    yield from samples(draw)
    yield (
        "singular",
        (np.array([1, 1, 0, 0]).astype(draw.dtype), draw.array(4)),
        {"singular": "lstsq"},
    )
    yield (
        "zero",
        (np.zeros((2, 3), draw.dtype), draw.array(2, 3)),
        {"singular": "lstsq", "baxis": 1},
    )
    yield "empty", (draw.array(0), draw.array(0)), {}


def errors(draw):
    c, b = dominant(draw, 4), draw.array(4)
    yield "lengths do not fit", (c, draw.array(3)), {}, ValueError, "incompatible"
    yield "axis", (c, b), {"caxis": 1}, ValueError, "caxis"
    singular = np.array([1.0, 1, 0, 0])
    yield (
        "singular",
        (singular, b),
        {},
        LinAlgError,
        "solve_circulant: argument 'c' of .*near singular circulant matrix",
    )
    pair = np.stack([c, singular])
    yield (
        "in a batch",
        (pair, b),
        {"baxis": -1},
        LinAlgError,
        r"singular at batch index \(1,\): near singular circulant",
    )
    yield "unknown policy", (c, b), {"on_fail": "warn"}, ValueError, "on_fail must be one of"


specs = [
    OpSpec(
        function=linalg.solve_circulant,
        reference=scipy.linalg.solve_circulant,
        samples=values,
        gradient_samples=gradient_samples,
        error_samples=errors,
        size=lambda draw, n: (
            (dominant(draw, n) + 10 * np.sqrt(n) * np.eye(1, n)[0], draw.array(n)),
            {},
        ),
    ),
]
