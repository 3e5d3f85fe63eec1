"""expm, expm_frechet, expm_cond."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec

LinAlgError = np.linalg.LinAlgError


def jordan(draw, n):
    """One Jordan block, and almost one: no basis of eigenvectors."""
    return (0.7 * np.eye(n) + np.diag(np.ones(n - 1), 1)).astype(draw.dtype)


def samples(draw):
    yield "degree 8", (0.01 * draw.array(3, 3),), {}
    yield "degree 18", (0.3 * draw.array(3, 3),), {}
    yield "squared", (1.5 * draw.array(4, 4),), {}
    yield "defective", (jordan(draw, 3),), {}
    yield "zero", (np.zeros((2, 2), draw.dtype),), {}
    yield "one number", (draw.array(1, 1),), {}
    yield (
        "batch of different sizes",
        (draw.array(2, 2, 2) * np.array([0.1, 4.0], draw.real_dtype)[:, None, None],),
        {},
    )


def value_samples(draw):
    yield from samples(draw)
    yield "triangular, large", (np.triu(30 * draw.array(4, 4)) - 30 * np.eye(4),), {}
    yield "many squarings", (-40 * draw.positive_definite(4),), {}
    yield "empty", (draw.array(0, 0),), {}
    yield "empty batch", (draw.array(0, 2, 2),), {}
    yield "two batch axes", (draw.array(2, 3, 2, 2),), {}
    yield "larger batch", (0.3 * draw.array(2, 30, 30),), {}


def errors(draw):
    yield "not square", (draw.array(2, 3),), {}, LinAlgError, "must be square"
    yield "vector", (draw.array(3),), {}, LinAlgError, "at least two-dimensional"
    yield "batch that is not square", (draw.array(4, 2, 3),), {}, LinAlgError, "must be square"


def frechet_samples(draw):
    a, e = draw.array(3, 3), draw.array(3, 3)
    yield "both", (a, e), {}
    yield "derivative only", (0.1 * a, e), {"compute_expm": False}
    yield "block method", (2 * a, e), {"method": "blockEnlarge"}
    yield "other method", (a, 1e-3 * e), {"method": "SPS", "check_finite": False}
    yield "real matrix, any direction", (draw.real(2, 2), draw.array(2, 2)), {}
    yield "one matrix, several directions", (draw.array(2, 2), draw.array(2, 2, 2)), {}


def frechet_value_samples(draw):
    yield from frechet_samples(draw)
    yield "batches that broadcast", (draw.array(2, 1, 2, 2), draw.array(3, 2, 2)), {}
    yield "empty", (draw.array(0, 0), draw.array(0, 0)), {}


def frechet_of_each(a, e, method=None, compute_expm=True, check_finite=True):
    """SciPy's function returns a list for a batch."""
    found = scipy.linalg.expm_frechet(a, e, method, compute_expm, check_finite)
    return tuple(found) if compute_expm else found


def frechet_errors(draw):
    a = draw.array(2, 2)
    yield "A not square", (draw.array(2, 3), a), {}, ValueError, "expected A to be a square matrix"
    yield "E not square", (a, draw.array(2, 3)), {}, ValueError, "expected E to be a square matrix"
    yield "orders differ", (a, draw.array(3, 3)), {}, ValueError, "to be the same shape"
    yield "unknown method", (a, a), {"method": "guess"}, ValueError, "Unknown implementation guess"
    yield "NaN", (a, a * np.nan), {}, ValueError, "infs or NaNs"


def cond_samples(draw):
    yield "two", (draw.array(2, 2),), {}
    yield "not checked", (0.5 * draw.array(2, 2),), {"check_finite": False}
    yield "batch", (draw.array(2, 2, 2),), {}


def cond_errors(draw):
    yield "not square", (draw.array(2, 3),), {}, ValueError, "expected a square matrix"
    yield "empty", (draw.array(0, 0),), {}, ValueError, "at least 1 x 1"
    yield "NaN", (draw.array(2, 2) * np.nan,), {}, ValueError, "infs or NaNs"


specs = [
    OpSpec(
        function=linalg.expm,
        reference=scipy.linalg.expm,
        samples=value_samples,
        gradient_samples=samples,
        error_samples=errors,
        size=lambda draw, n: ((draw.array(n, n) / np.sqrt(n),), {}),
    ),
    OpSpec(
        function=linalg.expm_frechet,
        reference=frechet_of_each,
        samples=frechet_value_samples,
        gradient_samples=frechet_samples,
        error_samples=frechet_errors,
    ),
    OpSpec(
        function=linalg.expm_cond,
        reference=scipy.linalg.expm_cond,
        samples=cond_samples,
        error_samples=cond_errors,
    ),
]
