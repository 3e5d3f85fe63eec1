"""toeplitz, circulant, hankel, convolution_matrix, block_diag; bandwidth, issymmetric,
ishermitian.
"""

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


def toeplitz_samples(draw):
    yield "column", (draw.array(3),), {}
    yield "tall", (draw.array(4), draw.array(2)), {}
    yield "wide, real column", (draw.real(2), draw.array(4)), {}
    yield "batches that broadcast", (draw.array(2, 1, 3), draw.array(2, 2)), {}
    yield "batch, column", (draw.array(2, 3),), {}
    yield "one number", (draw.array(1), draw.array(1)), {}
    yield "nothing", (draw.array(0),), {}
    yield "no columns", (draw.array(3), draw.array(0)), {}
    yield "no rows", (draw.array(0), draw.array(3)), {}


def hankel_samples(draw):
    yield "column", (draw.array(3),), {}
    yield "tall", (draw.array(4), draw.array(2)), {}
    yield "wide, real row", (draw.array(2), draw.real(4)), {}
    yield "nothing", (draw.array(0),), {}
    yield "no columns", (draw.array(3), draw.array(0)), {}
    yield "no rows", (draw.array(0), draw.array(3)), {}


def vector_samples(draw):
    yield "vector", (draw.array(4),), {}
    yield "batch", (draw.array(2, 3),), {}
    yield "one number", (draw.array(1),), {}
    yield "nothing", (draw.array(0),), {}


def convolution_samples(draw):
    for mode in ("full", "same", "valid"):
        yield f"{mode}, short", (draw.array(3), 5), {"mode": mode}
        yield f"{mode}, long", (draw.array(4), 3), {"mode": mode}
    yield "batch", (draw.array(2, 3), 2), {}


def convolution_errors(draw):
    for kind, a in (("plain", draw.array(3)),):
        yield f"{kind}, no columns", (a, 0), {}, ValueError, "n must be a positive integer"
        yield f"{kind}, empty", (a[:0], 2), {}, ValueError, r"len\(a\) must be at least 1"
        yield f"{kind}, unknown mode", (a, 2), {"mode": "wrap"}, ValueError, "must be one of"


def block_samples(draw):
    yield "matrices", (draw.array(2, 3), draw.array(1, 1), draw.array(2, 2)), {}
    yield "vector and number", (draw.array(2), draw.array()), {}
    yield "mixed", (draw.real(1, 2), draw.array(2, 1)), {}
    yield "empty block", (draw.array(0, 2), draw.array(2, 1)), {}
    yield (
        "batches that broadcast",
        (draw.array(2, 1, 2, 1), draw.array(3, 1, 2), draw.array(1, 1)),
        {},
    )


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
    OpSpec(
        function=linalg.toeplitz,
        reference=scipy.linalg.toeplitz,
        samples=toeplitz_samples,
        size=lambda draw, n: ((draw.array(n), draw.array(n)), {}),
    ),
    OpSpec(
        function=linalg.circulant,
        reference=scipy.linalg.circulant,
        samples=vector_samples,
        size=lambda draw, n: ((draw.array(n),), {}),
    ),
    OpSpec(
        function=linalg.hankel,
        reference=scipy.linalg.hankel,
        samples=hankel_samples,
        size=lambda draw, n: ((draw.array(n), draw.array(n)), {}),
    ),
    OpSpec(
        function=linalg.convolution_matrix,
        reference=scipy.linalg.convolution_matrix,
        samples=convolution_samples,
        error_samples=convolution_errors,
        size=lambda draw, n: ((draw.array(n), n), {}),
    ),
    OpSpec(
        function=linalg.block_diag,
        reference=scipy.linalg.block_diag,
        samples=block_samples,
        size=lambda draw, n: ((draw.array(n, n), draw.array(n, n)), {}),
    ),
]
