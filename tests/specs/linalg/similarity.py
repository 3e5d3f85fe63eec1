"""matrix_balance, cdf2rdf."""

import numpy as np
import scipy.linalg

from scigrad import linalg
from scigrad.testing import OpSpec


def unbalanced(draw, n=3, batch=()):
    d = np.array([1, 7, 0.15], draw.real_dtype)[:n]
    return (1 + 0.02 * draw.array(*batch, n, n)) * d[:, None] / d


def balance_samples(draw):
    for permute in (True, False):
        for scale in (True, False):
            yield (
                f"permute={permute}, scale={scale}",
                (unbalanced(draw),),
                {"permute": permute, "scale": scale},
            )
    yield "batch", (unbalanced(draw, 2, (2,)),), {}


def balance_values(draw):
    yield from balance_samples(draw)
    yield "separate", (unbalanced(draw),), {"separate": True}
    yield "permutation", (np.triu(unbalanced(draw))[::-1, ::-1],), {"separate": True}
    yield "permuted", (np.triu(unbalanced(draw))[::-1, ::-1],), {}
    yield "one number", (draw.array(1, 1),), {}
    yield "empty", (draw.array(0, 0),), {}


def balance_errors(draw):
    yield "not square", (draw.array(2, 3),), {}, ValueError, "square"
    yield "NaN", (draw.array(2, 2) * np.nan,), {}, ValueError, "infs or NaNs"


def pairs(draw, batch=()):
    """Two conjugate pairs around a real eigenvalue, with their vectors."""
    if draw.is_complex:
        x, y, real = draw.array(*batch, 1), draw.array(*batch, 1), draw.real(*batch, 1)
        v = draw.array(*batch, 5, 5)
        v[..., 1], v[..., 2], v[..., 4] = np.conj(v[..., 0]), np.real(v[..., 2]), np.conj(v[..., 3])
        yield np.concatenate([x, np.conj(x), real.astype(draw.dtype), y, np.conj(y)], axis=-1), v


def form_samples(draw):
    for w, v in pairs(draw):
        yield "one", (w, v), {}
    for w, v in pairs(draw, (2,)):
        yield "batch", (w, v), {}


def real_part_samples(draw):
    """Real eigenvalues keep no imaginary part that could vary, so the laws see pairs alone."""
    for w, v in pairs(draw):
        yield "one", (w[[0, 1, 3, 4]], v[:4][:, [0, 1, 3, 4]]), {}
    for w, v in pairs(draw, (2,)):
        yield "batch", (w[:, [0, 1, 3, 4]], v[:, :4][:, :, [0, 1, 3, 4]]), {}


def form_values(draw):
    yield from form_samples(draw)
    yield (
        "real",
        (draw.array(2).real.astype(draw.dtype), draw.array(2, 2).real.astype(draw.dtype)),
        {},
    )


def form_errors(draw):
    w, v = np.array([1j, -1j]), np.eye(2) + 0j
    yield "shapes", (w, v[:1]), {}, ValueError, "square"
    yield "orders", (np.array([1j, -1j, 1]), v), {}, ValueError, "number of eigenvalues"
    yield "no partner", (np.array([1j, 1]), v), {}, ValueError, "conjugate"


specs = [
    OpSpec(
        function=linalg.matrix_balance,
        reference=scipy.linalg.matrix_balance,
        samples=balance_values,
        gradient_samples=balance_samples,
        error_samples=balance_errors,
        size=lambda draw, n: ((draw.array(n, n),), {}),
    ),
    OpSpec(
        function=linalg.cdf2rdf,
        reference=scipy.linalg.cdf2rdf,
        samples=form_values,
        gradient_samples=real_part_samples,
        error_samples=form_errors,
    ),
]
