"""funm_herm: functions of one matrix against SciPy's functions of any matrix. What the laws cannot
see (gaps swept from 1 to 0, scale, cost) is in tests/linalg/test_hermitian_function.py.
"""

import numpy as np
import scipy.linalg

import scigrad.numpy as snp
from scigrad import linalg
from scigrad.testing import OpSpec


def lopsided(draw, n, lower=True, batch=(), make="positive_definite"):
    """A Hermitian matrix whose other triangle holds something else."""
    a = getattr(draw, make)(n, batch)
    return (
        np.tril(a) + np.triu(draw.array(*batch, n, n), 1)
        if lower
        else np.triu(a) + np.tril(draw.array(*batch, n, n), -1)
    )


def wave(w):
    return np.exp(1j * w)


TRUTH = {
    np.exp: scipy.linalg.expm,
    np.sqrt: scipy.linalg.sqrtm,
    np.log: scipy.linalg.logm,
    np.sin: scipy.linalg.sinm,
    wave: lambda a: scipy.linalg.expm(1j * a),
    np.reciprocal: np.linalg.inv,
    snp.square: lambda a: a @ a,
}


def by_scipy(f, a, *, lower=True, on_fail=None):
    half = np.tril(a, -1) if lower else np.triu(a, 1)
    whole = (
        half
        + np.conj(half.mT)
        + np.eye(a.shape[-1]) * np.real(np.diagonal(a, axis1=-2, axis2=-1))[..., None]
    )
    if not a.size:
        return whole
    return np.stack([TRUTH[f](x) for x in whole.reshape(-1, *a.shape[-2:])]).reshape(a.shape)


def gradient_samples(draw):
    for f in (np.exp, np.sqrt, np.log, np.sin, wave, snp.square):
        yield f.__name__, (f, lopsided(draw, 3)), {}
    yield "upper triangle", (np.exp, lopsided(draw, 3, False)), {"lower": False}
    yield "equal eigenvalues", (np.exp, np.diag([1, 1, 2]).astype(draw.dtype)), {}
    yield "batch", (np.reciprocal, lopsided(draw, 2, True, (2,))), {}
    yield "on_fail=nan", (np.exp, lopsided(draw, 2)), {"on_fail": "nan"}


def samples(draw):
    yield from gradient_samples(draw)
    yield "one number", (np.exp, draw.positive(1, 1).astype(draw.dtype)), {}
    yield "empty", (np.exp, draw.array(0, 0)), {}


def errors(draw):
    a = draw.hermitian(3)
    yield "not square", (np.exp, draw.array(2, 3)), {}, ValueError, "(?i)square"
    yield "NaN", (np.exp, a * np.nan), {}, ValueError, "infs or NaNs"
    yield "not elementwise", (np.sum, a), {}, ValueError, "element by element"
    yield "unknown policy", (np.exp, a), {"on_fail": "skip"}, ValueError, "on_fail must be one of"


specs = [
    OpSpec(
        function=linalg.funm_herm,
        reference=by_scipy,
        samples=samples,
        gradient_samples=gradient_samples,
        error_samples=errors,
        size=lambda draw, n: ((np.exp, draw.hermitian(n) / n), {}),
    ),
]
