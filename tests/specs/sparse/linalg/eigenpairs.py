"""Some eigenpairs. Repeated eigenvalues, operators and second systems are in
tests/sparse/test_eigenpairs.py.
"""

import functools

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from scigrad import sparse
from scigrad.testing import OpSpec

theirs, ours = scipy.sparse.linalg, sparse.linalg


def hermitian(draw, form="csr", n=7):
    """A matrix with the eigenvalues 1, ..., n."""
    return getattr(scipy.sparse, f"{form}_array")(draw.hermitian(n))


def positive(draw, n=7):
    # SciPy drops the imaginary parts beside a real A
    return scipy.sparse.csr_array(draw.positive_definite(n).real)


def general(draw, form="csr", n=7):
    dense = np.diag(np.arange(1.0, n + 1)) + 0.1 * draw.array(n, n)
    return getattr(scipy.sparse, f"{form}_array")(dense.astype(draw.dtype))


def hermitian_samples(draw):
    yield "largest", (hermitian(draw), 2), {}
    yield "values only", (hermitian(draw, "csc"), 3), {"return_eigenvectors": False, "which": "SA"}
    if draw.real_dtype == np.float64:  # SciPy warns where the precisions differ
        yield "of two matrices", (hermitian(draw), 2), {"M": positive(draw)}
    yield "near a number", (hermitian(draw, "csc"), 2), {"sigma": 2.9}
    yield "dense", (hermitian(draw).toarray(), 2), {}


def general_samples(draw):
    yield "largest", (general(draw), 2), {}
    yield "values only", (general(draw, "csc"), 2), {"return_eigenvectors": False}
    yield "near a number", (general(draw, "csc"), 2), {"sigma": 2.9}
    if draw.real_dtype == np.float64:  # SciPy warns where the precisions differ
        yield "of two matrices", (general(draw), 2), {"M": positive(draw)}


def singular_samples(draw):
    yield "wide", (general(draw)[:5], 2), {}
    yield "tall", (general(draw)[:, :5], 2), {"return_singular_vectors": "u"}
    yield "values only", (general(draw), 2), {"return_singular_vectors": False}
    yield "dense", (general(draw).toarray(), 2), {}


def guessed_samples(draw):
    single = draw.real_dtype == np.float32
    options = {"tol": 1e-2 if single else 1e-9, "maxiter": 200}
    n = 24
    a = scipy.sparse.csr_array(
        (
            np.diag(np.arange(n) + np.where(np.arange(n) > n - 3, 40.0, 0))
            + 0.1 * draw.hermitian(n) / n
        ).astype(draw.dtype)
    )
    guess = (np.eye(n)[:, -2:] + 0.01).astype(draw.dtype)
    yield "largest", (a, guess), options


def invariant(found):
    """Eigenvalues in order, and the projectors on the eigenvectors, which do not depend on
    phases.
    """
    w, *v = found if isinstance(found, tuple) else (found,)
    order = np.argsort(w.real)
    return (w[order], *(np.einsum("ik,jk->kij", x[:, order], x[:, order].conj()) for x in v))


def singular(found):
    if not isinstance(found, tuple):
        return np.sort(found)
    u, s, vh = found
    left = None if u is None else np.einsum("ik,jk->ij", u * s, u.conj())
    return np.sort(s), *(
        x for x in (left, None if vh is None or u is None else (u * s) @ vh) if x is not None
    )


def symmetric(a):
    """The Hermitian part, so that every change of the entries is one of a Hermitian matrix."""
    return 0.5 * (a + a.conj().T)


def spec(name, samples, view=invariant):
    def prepared(a, *args):
        a = symmetric(a) if name in ("eigsh", "lobpcg") else a
        return (a, *args)

    @functools.wraps(getattr(ours, name))
    def function(*args, **kwargs):
        return view(getattr(ours, name)(*prepared(*args), **kwargs))

    def reference(*args, **kwargs):
        return view(getattr(theirs, name)(*prepared(*args), **kwargs))

    return OpSpec(function=function, reference=reference, samples=samples)


specs = [
    spec("eigsh", hermitian_samples),
    spec("eigs", general_samples),
    spec("svds", singular_samples, singular),
    spec("lobpcg", guessed_samples),
]  # fmt: skip
