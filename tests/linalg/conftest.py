"""Fixtures of tests of matrices: rounding errors, counted factorizations, functions of matrices."""

import functools

import mpmath as mp
import numpy as np
import pytest

from scigrad.linalg.foundation import bands, lapack

_DIGITS = 760


@pytest.fixture
def rounding():
    """noises(f, arrays): the largest change of each array that f returns, when the arguments change
    in their last place.
    """

    def noises(f, arrays):
        draw = np.random.default_rng(1)
        eps = np.finfo(float).eps
        found = [
            f(*(x * (1 + eps * draw.choice([-1, 1], np.shape(x))) for x in arrays))
            for _ in range(5)
        ]
        return [
            max(np.abs(row - exact).max() for row in rows)
            for rows, exact in zip(zip(*found, strict=True), f(*arrays), strict=True)
        ]

    return noises


@pytest.fixture
def counted(monkeypatch):
    """The names of LAPACK's factorizations as they run."""
    names, routine = [], lapack.routine

    def counting(name, char):
        found = routine(name, char)
        return (
            (lambda *args, **options: names.append(name) or found(*args, **options))
            if name.endswith("trf")
            else found
        )

    for module in (bands, lapack):
        monkeypatch.setattr(module, "routine", counting)
    return names


@pytest.fixture(scope="session")
def truth():
    """truth(f, a, e, d): the function of a matrix, its derivative along e, and the second one along
    e and d.
    """
    return derivatives_of_matrix_function


def derivatives_of_matrix_function(f, a, e, d):
    """Use divided differences of f in the eigenvectors of a matrix beside a, which has no Jordan
    block.

    The nodes of a difference are apart by h where they would be one number; the error is as small
    as h, magnified by at most the fourth power of the condition of the eigenvectors.
    """
    n = len(a)
    with mp.workdps(_DIGITS):
        w, v, back = eigenvectors_beside(*map(tuple, a.tolist()))
        e, d, h = as_exact(e), as_exact(d), mp.mpf(10) ** -250
        e, d = back * e * v, back * d * v
        nodes = [[x + k * h for x in w] for k in range(3)]
        at = [[f(x) for x in row] for row in nodes]

        def slope(k, i, j):
            return (at[k][i] - at[k + 1][j]) / (nodes[k][i] - nodes[k + 1][j])

        lower, upper = ([[slope(k, i, j) for j in range(n)] for i in range(n)] for k in range(2))
        first, second = mp.matrix(n, n), mp.matrix(n, n)
        for i in range(n):
            for j in range(n):
                first[i, j] = lower[i][j] * e[i, j]
                second[i, j] = mp.fsum(
                    (lower[i][k] - upper[k][j])
                    * (e[i, k] * d[k, j] + d[i, k] * e[k, j])
                    / (nodes[0][i] - nodes[2][j])
                    for k in range(n)
                )
        return [
            np.array((v * x * back).tolist(), dtype=complex)
            for x in (mp.diag(at[0]), first, second)
        ]


@functools.cache
def eigenvectors_beside(*rows):
    """Return eigenvalues, eigenvectors and their inverse, once for all functions of a matrix."""
    n = len(rows)
    beside = as_exact(np.cos(np.arange(n * n)).reshape(n, n))
    w, v = mp.eig(as_exact(np.array(rows)) + mp.mpf(10) ** -90 * beside)
    return w, v, mp.inverse(v)


def as_exact(x):
    return mp.matrix([[mp.mpmathify(complex(v)) for v in row] for row in x.tolist()])
