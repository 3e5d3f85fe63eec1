"""Matrices of the field through every direct and iterative solver, with gradients against the
adjoint method on dense arrays.
"""

import numpy as np
import pytest
import scipy.sparse

from scigrad import sparse, value_and_grad
from scigrad.testing import assert_close

DRAW = np.random.default_rng(12)


def line(n, below=-1.0, above=-1.0):
    return scipy.sparse.diags_array([below, 2.0, above], offsets=[-1, 0, 1], shape=(n, n))


def stencil(weights, rows, cols):
    """The matrix of nine weights on a grid, the values outside of it being 0."""
    shifts = [scipy.sparse.eye_array(n, k=k) for n in (rows, cols) for k in (-1, 0, 1)]
    return sum(
        w * scipy.sparse.kron(shifts[i], shifts[3 + j])
        for i, row in enumerate(weights)
        for j, w in enumerate(row)
        if w
    )


def rotated_diffusion(epsilon, angle):
    """Linear elements for diffusion of strengths 1 and epsilon, along an angle and across it."""
    c, s = np.cos(angle), np.sin(angle)
    a, b, cross = c * c + epsilon * s * s, s * s + epsilon * c * c, (1 - epsilon) * c * s
    return np.array(
        [[-cross / 2, -b, cross / 2], [-a, 2 * (a + b), -a], [cross / 2, -b, -cross / 2]]
    )


NINE = np.array([[-1.0, -1, -1], [-1, 8, -1], [-1, -1, -1]])
HERMITIAN = {
    "five points": scipy.sparse.kronsum(line(6), line(5)),
    "nine points": stencil(NINE, 5, 6),
    "seven points in space": scipy.sparse.kronsum(line(3), scipy.sparse.kronsum(line(3), line(3))),
    "rotated anisotropic diffusion": stencil(rotated_diffusion(0.1, np.pi / 8), 6, 5),
    "coefficients that jump": scipy.sparse.diags_array(np.repeat([1.0, 20.0], 15))
    @ scipy.sparse.eye_array(30)
    + scipy.sparse.kronsum(line(6), line(5)),
    "complex rotation": scipy.sparse.kronsum(line(6, -np.exp(0.3j), -np.exp(-0.3j)), line(5)),
}
GENERAL = {
    "upwind convection": scipy.sparse.kronsum(line(6, -1.7, -0.3), line(5, -1.4, -0.6)),
    "damped waves": scipy.sparse.kronsum(line(6), line(5))
    - (0.7 - 0.5j) * scipy.sparse.eye_array(30),
    "a saddle point": scipy.sparse.block_array(
        [
            [scipy.sparse.kronsum(line(5), line(4)), scipy.sparse.eye_array(20, 5)],
            [scipy.sparse.eye_array(20, 5).T, None],
        ]
    ),
}
DIRECT = {
    "spsolve": sparse.linalg.spsolve,
    "splu": lambda A, b: sparse.linalg.splu(A.tocsc()).solve(b),
    "factorized": lambda A, b: sparse.linalg.factorized(A.tocsc())(b),
    "analyze": lambda A, b: sparse.linalg.analyze(A).refactor(A.data).solve(b),
}
ITERATIVE = ("bicg", "bicgstab", "cgs", "gcrotmk", "gmres", "lgmres", "qmr", "tfqmr")


def iterative(name):
    more = {"restart": 60} if name == "gmres" else {"maxiter": 2000}
    return lambda A, b: getattr(sparse.linalg, name)(A, b, rtol=1e-11, **more)[0]


def cases():
    for title, A in (HERMITIAN | GENERAL).items():
        for name, solve in DIRECT.items():
            yield pytest.param(A, solve, id=f"{title}-{name}")
        for name in ITERATIVE:
            # the others break down on a zero diagonal
            if title != "a saddle point" or name in ("gmres", "lgmres", "gcrotmk"):
                yield pytest.param(A, iterative(name), id=f"{title}-{name}")
    for title, A in HERMITIAN.items():
        yield pytest.param(
            A, lambda A, b: sparse.linalg.cholesky(A.tocsc()).solve(b), id=f"{title}-cholesky"
        )
        yield pytest.param(A, iterative("cg"), id=f"{title}-cg")
        if title != "complex rotation":  # minres is for real numbers
            yield pytest.param(A, iterative("minres"), id=f"{title}-minres")


@pytest.mark.parametrize(("A", "solve"), list(cases()))
def test_gradients_of_a_solver_are_those_of_the_adjoint_method(A, solve):
    A = scipy.sparse.csr_array(A)
    A.sort_indices()
    b = DRAW.normal(size=A.shape[0]).astype(A.dtype)
    dense = A.toarray()
    x = np.linalg.solve(dense, b)
    w = np.linalg.solve(dense.conj().T, 2 * x)
    value, (by_A, by_b) = value_and_grad(
        lambda A, b: np.sum(abs(solve(A, b)) ** 2), argnums=(0, 1)
    )(A, b)
    assert_close(value, np.sum(abs(x) ** 2), rtol=1e-7)
    assert_close(by_b, w, rtol=1e-7)
    assert_close(by_A.toarray(), np.where(dense != 0, -np.outer(w, x.conj()), 0), rtol=1e-7)
