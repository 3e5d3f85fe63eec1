"""solve_toeplitz, matmul_toeplitz, solve_circulant."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def dominant(draw, *shape):
    """A first column whose leading minors are far from 0."""
    c = 0.5 * draw.array(*shape)
    c[..., 0] += 3
    return c.astype(draw.dtype)


def solve_samples(draw):
    c, r = dominant(draw, 4), 0.5 * draw.array(4)
    yield "column and row", ((c, r), draw.array(4)), {}
    yield "column and row, matrix", ((c, r), draw.array(4, 2)), {"check_finite": False}
    yield "column alone", (c, draw.array(4)), {}
    yield "real matrix, any b", ((c.real, r.real), draw.array(4)), {}
    yield "one number", (dominant(draw, 1), draw.array(1)), {}
    yield "batch", ((dominant(draw, 2, 3), 0.5 * draw.array(2, 3)), draw.array(2, 3, 1)), {}


def solve_gradient_samples(draw):
    yield from solve_samples(draw)
    yield (
        "batches that broadcast",
        ((dominant(draw, 2, 1, 2), 0.5 * draw.array(2)), draw.array(2, 2, 1)),
        {},
    )
    yield "batch, one vector", (dominant(draw, 2, 3), draw.array(3)), {}
    yield "on_fail=nan", (dominant(draw, 2, 3), draw.array(3)), {"on_fail": "nan"}
    yield "on_fail=info", (dominant(draw, 3), draw.array(3)), {"on_fail": "info"}


def solve_values(draw):
    yield from solve_samples(draw)
    yield (
        "larger",
        ((dominant(draw, 40) + 10 * np.eye(1, 40)[0], draw.array(40)), draw.array(40, 2)),
        {},
    )
    yield "empty", (draw.array(0), draw.array(0)), {}
    yield "no right-hand side", (dominant(draw, 3), draw.array(3, 0)), {}


def solve_errors(draw):
    c, b = dominant(draw, 3), draw.array(3)
    yield "rows do not fit", (c, draw.array(2)), {}, ValueError, "Incompatible dimensions"
    yield (
        "rows do not fit in a batch",
        (c[None], draw.array(2)),
        {},
        ValueError,
        "Incompatible dimensions",
    )
    yield (
        "not square",
        ((c[None], draw.array(2)), draw.array(2)),
        {},
        ValueError,
        "Incompatible dimensions",
    )
    yield "NaN", (c * np.nan, b), {}, ValueError, "infs or NaNs"
    zero = np.array([0.0, 1.0, 2.0])
    yield "leading minor", (zero, b), {}, LinAlgError, "Singular principal minor"
    yield (
        "in a batch",
        (np.stack([c, zero]), b),
        {},
        LinAlgError,
        r"Singular principal minor at batch index \(1,\)",
    )
    yield "unknown policy", (c, b), {"on_fail": "ignore"}, ValueError, "on_fail must be one of"


def product_samples(draw):
    yield "tall", ((draw.array(4), draw.array(3)), draw.array(3)), {}
    yield "wide, matrix", ((draw.array(2), draw.array(4)), draw.array(4, 2)), {"check_finite": True}
    yield "column alone", (draw.array(3), draw.array(3)), {"workers": 1}
    yield "real matrix, any x", ((draw.real(3), draw.real(2)), draw.array(2)), {}
    yield "any matrix, real x", ((draw.array(3), draw.array(2)), draw.real(2)), {}
    yield "batch", ((draw.array(2, 3), draw.array(2, 2)), draw.array(2, 2, 1)), {}


def product_gradient_samples(draw):
    yield from product_samples(draw)
    yield "batches that broadcast", ((draw.array(2, 1, 3), draw.array(2)), draw.array(2, 2, 2)), {}
    yield "batch, one vector", ((draw.array(2, 3), draw.array(4)), draw.array(4)), {}


def product_values(draw):
    yield from product_samples(draw)
    yield "larger", ((draw.array(100), draw.array(37)), draw.array(37, 2)), {}
    yield "no columns", (draw.array(3), draw.array(3, 0)), {}


def product_errors(draw):
    yield (
        "rows do not fit",
        ((draw.array(3), draw.array(2)), draw.array(3)),
        {},
        ValueError,
        "Incompatible dimensions",
    )
    yield (
        "in a batch",
        ((draw.array(2, 3), draw.array(2)), draw.array(3)),
        {},
        ValueError,
        "Incompatible dimensions",
    )
    yield (
        "NaN",
        (draw.array(3) * np.nan, draw.array(3)),
        {"check_finite": True},
        ValueError,
        "infs or NaNs",
    )


def dominant_circulant(draw, *shape, axis=-1):
    """First columns whose eigenvalues are far from 0."""
    c = 0.4 * draw.array(*shape)
    c[(slice(None),) * (axis % len(shape)) + (0,)] += 3
    return c.astype(draw.dtype)


def circulant_samples(draw):
    yield "vector", (dominant_circulant(draw, 4), draw.array(4)), {}
    yield "odd, matrix", (dominant_circulant(draw, 3), draw.array(3, 2)), {"outaxis": -1}
    yield (
        "axes",
        (dominant_circulant(draw, 3, 2, axis=0), draw.array(2, 3)),
        {"caxis": 0, "baxis": -1, "outaxis": -1},
    )
    yield "broadcast", (dominant_circulant(draw, 2, 1, 3), draw.array(2, 3)), {"baxis": -1}
    yield "given tol", (dominant_circulant(draw, 3), draw.array(3)), {"tol": 0.1}
    yield "real matrix, any b", (dominant_circulant(draw, 3).real, draw.array(3)), {}
    yield "one number", (dominant_circulant(draw, 1), draw.array(1)), {"singular": "lstsq"}


def circulant_gradient_samples(draw):
    yield from circulant_samples(draw)
    c = np.real(np.fft.ifft([3, 2, 0.2, 2])).astype(draw.dtype)
    yield "cut off", (c, draw.array(4)), {"singular": "lstsq", "tol": 1.0}
    yield (
        "on_fail=nan",
        (dominant_circulant(draw, 2, 3), draw.array(3)),
        {"on_fail": "nan", "baxis": -1},
    )
    yield "on_fail=info", (dominant_circulant(draw, 3), draw.array(3)), {"on_fail": "info"}


def circulant_values(draw):
    yield from circulant_samples(draw)
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


def circulant_errors(draw):
    c, b = dominant_circulant(draw, 4), draw.array(4)
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
        function=linalg.solve_toeplitz,
        reference=scipy.linalg.solve_toeplitz,
        samples=solve_values,
        gradient_samples=solve_gradient_samples,
        error_samples=solve_errors,
        size=lambda draw, n: ((dominant(draw, n) / np.arange(1, n + 1) ** 2, draw.array(n)), {}),
    ),
    OpSpec(
        function=linalg.matmul_toeplitz,
        reference=scipy.linalg.matmul_toeplitz,
        samples=product_values,
        gradient_samples=product_gradient_samples,
        error_samples=product_errors,
        size=lambda draw, n: ((draw.array(n), draw.array(n)), {}),
    ),
    OpSpec(
        function=linalg.solve_circulant,
        reference=scipy.linalg.solve_circulant,
        samples=circulant_values,
        gradient_samples=circulant_gradient_samples,
        error_samples=circulant_errors,
        size=lambda draw, n: (
            (dominant_circulant(draw, n) + 10 * np.sqrt(n) * np.eye(1, n)[0], draw.array(n)),
            {},
        ),
    ),
]
