"""eigh: clustered, exactly repeated and almost repeated eigenvalues; ascending, of the matrix
exactly as stored.

Eigenvectors of a cluster depend on the basis chosen and are not recorded.
"""

from __future__ import annotations

import mpmath as mp
import numpy as np
import scipy.linalg
from recording import Record, array_call, exact, singles


def clustered(random: np.random.Generator, values: list[float], complex_values: bool) -> np.ndarray:
    """A Hermitian matrix with eigenvalues near `values`, rounded to float32 and made exactly
    Hermitian.
    """
    n = len(values)
    q, _ = np.linalg.qr(singles(random, n, n, complex_values=complex_values))
    a = (q * values) @ q.conj().T
    a = a.astype(np.complex64 if complex_values else np.float32).astype(a.dtype)
    a = np.tril(a) + np.tril(a, -1).conj().T
    np.fill_diagonal(a, a.diagonal().real)
    return a


def wilkinson(n: int) -> np.ndarray:
    """W_n^+: integers, with pairs of eigenvalues that agree to many digits (21: the top pair to
    14).
    """
    return (
        np.diag(abs(np.arange(n) - (n - 1) / 2))
        + np.diag(np.ones(n - 1), 1)
        + np.diag(np.ones(n - 1), -1)
    )


def eigenvalues(a: np.ndarray) -> list[mp.mpf]:
    matrix = mp.matrix([[exact(v) for v in row] for row in a])
    found = (
        mp.eighe(matrix, eigvals_only=True)
        if a.dtype.kind == "c"
        else mp.eigsy(matrix, eigvals_only=True)
    )
    return sorted(mp.re(found[i]) for i in range(len(a)))


def records() -> list[Record]:
    random = np.random.default_rng(13)
    matrices = {
        "one number": np.array([[-3.0]]),
        "repeated: ones + identity": np.ones((5, 5)) + np.eye(5),
        "repeated: identity": np.eye(4),
        "repeated, complex": np.array([[2, 1j, 0], [-1j, 2, 0], [0, 0, 3]]),
        "Wilkinson 21": wilkinson(21),
        "random real": clustered(random, [-4.0, -1.5, 0.25, 2.0, 7.0, 9.5], False),
        "random complex": clustered(random, [-4.0, -1.5, 0.25, 2.0, 7.0, 9.5], True),
        "cluster of three at 1": clustered(random, [1.0, 1 + 1e-6, 1 + 3e-6, 2.0, -3.0], False),
        "cluster of three at 1, complex": clustered(
            random, [1.0, 1 + 1e-6, 1 + 3e-6, 2.0, -3.0], True
        ),
        "graded from 1 to 1e-6": clustered(random, [1.0, 1e-2, 1e-4, 1e-6], False),
    }
    with mp.workdps(60):
        return [
            array_call("eigvalsh", name, scipy.linalg.eigvalsh, eigenvalues(a), a)
            for name, a in matrices.items()
        ]
