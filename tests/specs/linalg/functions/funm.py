"""funm. Jordan blocks, where it has no derivative, are in tests/linalg/test_matrix_functions.py."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def spread(draw, n, batch=()):
    """No symmetry, eigenvalues near 1, 2, ..., n."""
    return (0.15 * draw.array(*batch, n, n) + np.diag(np.arange(1, n + 1))).astype(draw.dtype)


def polynomial(x):
    return x * x - 0.3 * x**3


def samples(draw):
    yield "a polynomial", (spread(draw, 3),), {"func": polynomial}
    yield "sine", (spread(draw, 3),), {"func": np.sin}
    yield (
        "complex pair of eigenvalues",
        (np.array([[1.0, 2.0], [-3.0, 1.5]]).astype(draw.dtype),),
        {"func": np.exp},
    )
    yield "batch", (spread(draw, 2, (2,)),), {"func": np.exp}
    if draw.dtype.char in "dD":  # the estimate is in units of the precision
        yield "with its error", (spread(draw, 3),), {"func": np.cos, "disp": False}
    if draw.is_complex:  # rounding decides whether SciPy returns real numbers for a real matrix
        yield "complex coefficients", (spread(draw, 2),), {"func": lambda x: np.exp(1j * x)}


def value_samples(draw):
    for name, args, kwargs in samples(draw):
        if kwargs.get("disp", True):
            yield name, args, kwargs


def errors(draw):
    yield (
        "not square",
        (draw.array(2, 3), np.exp),
        {},
        ValueError,
        "expected square array_like input",
    )
    yield "NaN", (draw.array(2, 2) * np.nan, np.exp), {}, ValueError, "infs or NaNs"


specs = [
    OpSpec(function=linalg.funm,
           reference=scipy.linalg.funm, samples=value_samples, gradient_samples=samples,
           error_samples=errors),
]  # fmt: skip
