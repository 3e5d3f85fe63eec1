"""bandwidth, issymmetric, ishermitian."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def band_samples(draw):
    for below, above in ((0, 0), (1, 2), (3, 0), (0, 3)):
        yield (
            f"{below} below, {above} above",
            (np.triu(np.tril(draw.array(4, 4), above), -below),),
            {},
        )
    yield "wide", (np.tril(draw.array(2, 5), 3),), {}
    yield "tall", (np.triu(draw.array(5, 2), -2),), {}
    yield "zero", (np.zeros((3, 3), draw.dtype),), {}
    yield "empty", (np.zeros((0, 0), draw.dtype),), {}
    yield "batch", (np.stack([np.tril(draw.array(3, 3)), np.eye(3)]).astype(draw.dtype),), {}


def symmetric_samples(draw):
    symmetric, hermitian = draw.array(3, 3), draw.hermitian(3)
    symmetric = symmetric + symmetric.T
    yield "symmetric", (symmetric,), {}
    yield "Hermitian", (hermitian,), {}
    yield "neither", (draw.array(3, 3),), {}
    yield "nearly, exactly", (hermitian + 1e-10 * draw.array(3, 3),), {}
    yield "nearly, within atol", (hermitian + 1e-10 * draw.array(3, 3),), {"atol": 1e-8}
    yield "nearly, within rtol", (symmetric * (1 + 1e-10 * draw.real(3, 3)),), {"rtol": 1e-8}
    yield "batch", (np.stack([symmetric, hermitian, draw.array(3, 3)]),), {}
    yield "empty", (np.zeros((0, 0), draw.dtype),), {}


def band_errors(draw):
    yield "a vector", (draw.array(3),), {}, ValueError, "2D"


def symmetric_errors(draw):
    yield from band_errors(draw)
    yield "not square", (draw.array(2, 3),), {}, ValueError, "must be square"


specs = [
    OpSpec(
        function=linalg.bandwidth,
        reference=scipy.linalg.bandwidth,
        samples=band_samples,
        error_samples=band_errors,
    ),
    OpSpec(
        function=linalg.issymmetric,
        reference=scipy.linalg.issymmetric,
        samples=symmetric_samples,
        error_samples=symmetric_errors,
    ),
    OpSpec(
        function=linalg.ishermitian,
        reference=scipy.linalg.ishermitian,
        samples=symmetric_samples,
        error_samples=symmetric_errors,
    ),
]
