"""A gradient through a sparse direct solver: one factorisation, two solves, and little else."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from .harness import Bar, Run, Subject

SIDE = 300


def poisson() -> scipy.sparse.csc_array:
    """The five-point Laplacian on a SIDE x SIDE grid."""
    ones = np.ones(SIDE)
    second = scipy.sparse.diags_array([-ones[1:], 2 * ones, -ones[1:]], offsets=(-1, 0, 1))
    unit = scipy.sparse.eye_array(SIDE)
    matrix = scipy.sparse.csc_array(scipy.sparse.kron(second, unit) + scipy.sparse.kron(unit, second))
    matrix.sort_indices()
    return matrix


A, B = poisson(), np.random.default_rng(0).standard_normal(SIDE * SIDE)


def scigrad() -> Run:
    from scigrad import sparse, value_and_grad
    from scigrad.sparse.linalg import spsolve

    def loss(data: Any, b: Any) -> Any:
        x = spsolve(sparse.csc_array((data, A.indices, A.indptr), shape=A.shape), b)
        return 0.5 * (x @ x)

    f = value_and_grad(loss, argnums=(0, 1))
    return lambda: f(A.data, B)


def factor_and_solve_twice() -> Run:
    def run() -> tuple[np.ndarray, np.ndarray]:
        factors = scipy.sparse.linalg.splu(A)
        x = factors.solve(B)
        return x, factors.solve(x, trans="T")

    return run


def check(results: dict[str, Any]) -> None:
    if len(results) < 2:
        return
    value, (by_data, by_b) = results["scigrad"]
    x, w = results["splu + 2 solves"]  # the adjoint method: w = A^-T x, and A_bar = -w x^T on the pattern
    columns = np.repeat(np.arange(A.shape[1]), np.diff(A.indptr))
    np.testing.assert_allclose(value, 0.5 * x @ x, rtol=1e-10)
    np.testing.assert_allclose(by_b, w, rtol=1e-8, atol=1e-10 * np.abs(w).max())
    np.testing.assert_allclose(by_data, -w[A.indices] * x[columns], rtol=1e-8, atol=1e-10 * np.abs(w).max() * np.abs(x).max())


SUBJECT = Subject(
    title="spsolve, 90,000 unknowns: value, gradient by values and right-hand side",
    ours="scigrad",
    contenders={"scigrad": scigrad, "splu + 2 solves": factor_and_solve_twice},
    bars=(Bar("splu + 2 solves", ratio=1.15),),
    check=check,
    budget=20.0,
)
