"""matrix_balance, cdf2rdf, rsf2csf. The complex Schur form is seen through |t| and |z|, which do
not depend on its phases.
"""

import functools

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


def real_form(draw, batch=()):
    if not draw.is_complex:
        yield (
            np.array([[1, 1.5], [-2, 1]], draw.dtype) + 0.1 * draw.real(*batch, 2, 2),
            draw.unitary(2, batch),
        )


def conversion_samples(draw):
    for t, z in real_form(draw):
        yield "one block", (t, z), {}
    for t, z in real_form(draw, (2,)):
        yield "batch", (t, z), {"check_finite": False}


def conversion_gradients(draw):
    yield "one number", (draw.array(1, 1), draw.array(1, 1)), {"gauge": "project"}


def conversion_values(draw):
    yield from conversion_samples(draw)
    yield "triangular", (np.triu(draw.array(3, 3)), draw.unitary(3)), {"gauge": "project"}


def conversion_errors(draw):
    t = np.triu(draw.array(3, 3))
    yield "not square", (t[:2], t), {}, ValueError, "square"
    yield "orders differ", (t, t[:2, :2]), {}, ValueError, "shapes must match"
    yield "a vector", (t[0], t), {}, ValueError, "must be a matrix"
    yield "words", (t.astype(str), t), {}, ValueError, "must hold real or complex numbers"
    yield "NaN", (t * np.nan, t), {}, ValueError, "infs or NaNs"


@functools.wraps(linalg.rsf2csf)
def conversion_invariants(t, z, **options):
    t, z = linalg.rsf2csf(t, z, **options)
    return np.abs(t) ** 2, np.abs(z) ** 2


def plain_rsf2csf(t, z, *, gauge=None, **options):
    return scipy.linalg.rsf2csf(t, z, **options)


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
    OpSpec(
        function=linalg.rsf2csf,
        reference=plain_rsf2csf,
        samples=conversion_values,
        error_samples=conversion_errors,
        gradient_samples=conversion_gradients,
    ),
    OpSpec(function=conversion_invariants, samples=conversion_samples),
]
